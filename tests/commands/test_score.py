"""`companion score`: sheets in, results out, and every bad sheet refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.rules.board import load_board
from tests.commands.told import told_by

LANDS = list(load_board("classic").territories)


def sheet(**changes: Any) -> dict[str, Any]:
    """A sheet of three players with 20, 12 and 10 territories."""
    parts = {"a": LANDS[:20], "b": LANDS[20:32], "c": LANDS[32:]}
    players = [{"id": player, "territories": lands, "armies": 30, "hand": {}} for player, lands in parts.items()]
    return {"system": "nl1996", "players": players, **changes}


def run(folder: Path, content: object, *words: str) -> Result:
    """Score a sheet."""
    path = folder / "sheet.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return CliRunner().invoke(main, ["score", str(path), *words])


def results(result: Result) -> dict[str, str]:
    """Result by player as printed."""
    return {place["player"]: place["result"] for place in json.loads(result.stdout)["places"]}


def test_the_page_tells_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/score.md: every command gives the answer shown there."""
    monkeypatch.chdir(tmp_path)
    told = told_by("score.md", tmp_path)

    assert 2 == len(told)
    assert [said.shown for said in told] == [said.printed for said in told]


def test_the_result_carries_the_rules(tmp_path: Path) -> None:
    """Name and hash of the ruleset, and a sentence for every place."""
    answer = json.loads(run(tmp_path, sheet(options={"unresolved": "lot"}), "--lang", "nl").stdout)

    assert ("nl1996", 64, 3) == (
        answer["ruleset"]["name"],
        len(answer["ruleset"]["hash"]),
        sum(bool(place["said"]) for place in answer["places"]),
    )


def test_an_open_tie_ends_with_one(tmp_path: Path) -> None:
    """When people must rule, the sheet is scored and the exit code says to look; a ruling settles it."""
    equal = sheet()
    for at, player in enumerate(equal["players"]):
        player["territories"] = LANDS[at::3]
    tied = run(tmp_path, equal)
    ruled = run(
        tmp_path, {**equal, "ruling": {"results": {"a": "1", "b": "2", "c": "3"}, "by": "referee", "why": "lot"}}
    )

    assert (1, ["1", "2", "3"]) == (tied.exit_code, json.loads(tied.stdout)["at_stake"])
    assert (0, {"a": "1", "b": "2", "c": "3"}) == (ruled.exit_code, results(ruled))


def test_a_ruling_in_risiko_puts_more_points_before_fewer(tmp_path: Path) -> None:
    """After a ruling the places follow the results: the win, then the points of 3a from high to low."""
    lands = list(load_board("risiko").territories)
    found = sheet(system="risiko")
    found["players"].append({"id": "d"})
    for at, player in enumerate(found["players"]):
        player |= {"territories": lands[at::4], "armies": 30, "hand": {}, "objective": "befana"}
    words = {"a": "1", "b": "3", "c": "6", "d": "win"}
    answer = json.loads(run(tmp_path, {**found, "ruling": {"results": words, "by": "r", "why": "w"}}).stdout)

    assert [("d", 1, "win"), ("c", 2, "6"), ("b", 3, "3"), ("a", 4, "1")] == [
        (place["player"], place["place"], place["result"]) for place in answer["places"]
    ]


def test_a_winner_is_ruled_out(tmp_path: Path) -> None:
    """Where only winning counts a ruling says 'win' or 'loss'."""
    ruling = {"results": {"a": "loss", "b": "win"}, "by": "r", "why": "w"}

    assert {"b": "win", "a": "loss", "c": "loss"} == results(run(tmp_path, sheet(system="rebels", ruling=ruling)))


def test_a_mission_without_any_board(tmp_path: Path) -> None:
    """When the destroyed one was the third of three, nobody records a board."""
    players = [{"id": "a", "colour": "red"}, {"id": "b", "colour": "blue"}, {"id": "c", "colour": "black"}]
    result = run(
        tmp_path,
        {
            "system": "nl1996",
            "players": players,
            "knocked_out": [{"id": "c", "players_left_before": 3, "by": "a"}],
            "claim": {"by": "a", "mission": "destroy_black", "destroyed": "c"},
        },
    )

    assert (0, {"a": "1+", "b": "2", "c": "3"}) == (result.exit_code, results(result))


def test_armies_by_territory(tmp_path: Path) -> None:
    """Armies may be given one by one, with cards and neutral territories."""
    found = sheet(vacant=LANDS[41:])
    found["players"][2]["territories"] = LANDS[32:41]
    found["players"][0] |= {"armies": dict.fromkeys(LANDS[:20], 2), "hand": {"joker": 1}, "owned_cards": {"joker": 0}}

    assert 0 == run(tmp_path, found).exit_code


def test_risiko_with_an_organisers_objectives(tmp_path: Path) -> None:
    """Own objectives are read from a file, and places carry the Score."""
    (tmp_path / "own.toml").write_text(
        '[[objective]]\nid = "x"\nname = "X"\nterritories = ["alaska"]\n', encoding="utf-8"
    )
    found = sheet(system="risiko")
    for player in found["players"]:
        player["objective"] = "x"
    answer = json.loads(run(tmp_path, found, "--objectives", str(tmp_path / "own.toml")).stdout)

    assert (["win", "5", "2"], True) == (
        [place["result"] for place in answer["places"]],
        all(place["score"] > 0 for place in answer["places"]),
    )


def test_a_clubs_rules_and_board(tmp_path: Path) -> None:
    """A club's ruleset and an organiser's board take the place of the shipped ones."""
    from importlib.resources import files

    board = (files("companion.rules") / "data" / "board-classic.toml").read_text(encoding="utf-8")
    (tmp_path / "board.toml").write_text(board, encoding="utf-8")
    (tmp_path / "club.toml").write_text('name = "Utrecht"\nextends = "nl1996"\n', encoding="utf-8")
    words = ("--ruleset", str(tmp_path / "club.toml"), "--board", str(tmp_path / "board.toml"))

    assert "Utrecht" == json.loads(run(tmp_path, sheet(), *words).stdout)["ruleset"]["name"]


def without(count: int) -> dict[str, Any]:
    """A sheet that lacks some territories."""
    found = sheet()
    found["players"][2]["territories"] = found["players"][2]["territories"][count:]
    return found


def with_player(at: int, **fields: Any) -> dict[str, Any]:
    """A sheet with one player changed."""
    found = sheet()
    found["players"][at] |= fields
    return found


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("{", "docs/score.md"),
        ("[]", "docs/score.md"),
        ('{"system": "nl1996"}', "players"),
        (sheet(sytem="x"), "sytem"),
        (with_player(0, armies="many"), "armies"),
        (without(1), "41 of 42"),
        (with_player(0, territories=[*LANDS[:20], LANDS[20]]), "keep one"),
        (with_player(0, armies=0), "at least one stands in each"),
        (with_player(0, armies=dict.fromkeys(LANDS[:20], 0)), "at least one stands"),
        (with_player(0, hand={"infantry": -1}), "-1 cards"),
        (with_player(0, hand={"tank": 1}), "tank"),
        (with_player(0, id="b"), "twice"),
        (sheet(knocked_out=[{"id": "x", "players_left_before": 3}]), "does not sit"),
        (with_player(0, colour="mauve"), "mauve"),
        (sheet(claim={"by": "a", "mission": "occupy_18_with_two"}), "not in play"),
        (sheet(claim={"by": "a", "mission": "occupy_24"}), "does not show it"),
        (sheet(claim={"by": "x"}), "'x'"),
        (sheet(played_on="by chance"), "played_on"),
        (sheet(options={"unresolvd": "lot"}), "no option"),
        (sheet(options={"unresolved": "fight"}), "choose from"),
        (sheet(system="monopoly"), "monopoly"),
        (sheet(ruling={"results": {"x": "1"}, "by": "r", "why": "w"}), "no place"),
        (sheet(ruling={"results": {"a": "7"}, "by": "r", "why": "w"}), "one of 1+, 1, 2, 3"),
        (sheet(ruling={"results": {"a": "1"}, "by": "r", "why": " "}), "a ruling needs"),
        (sheet(ruling={"results": {"a": "1"}, "by": "", "why": "w"}), "a ruling needs"),
        (sheet(ruling={"results": {}, "by": "r", "why": "w"}), "a ruling needs"),
        (sheet(round=0), "count from 1"),
        (sheet(round=5), "plays 4 rounds"),
        (with_player(0, id=" "), "no id"),
        (with_player(0, hand={"infantry": 10**6}), "the deck has 42"),
        (with_player(0, owned_cards={"infantry": 1}), "holds 0"),
        (json.dumps(sheet()).replace('"armies": 30', '"armies": 30, "armies": 12', 1), "'armies' stands twice"),
        ('{"options":' + '{"a":' * 100_000, "too deep"),
        (sheet(options={"one_throw_window_s": 10**400}), "can't be"),
        (sheet(options={"one_throw_window_s": True}), "can't be"),
    ],
)
def test_a_bad_sheet_is_one_line(tmp_path: Path, content: object, part: str) -> None:
    """The line names the file, the offender and the way out; nothing is scored."""
    result = run(tmp_path, content)

    assert (2, "", 1) == (result.exit_code, result.stdout, result.stderr.count("\n"))
    assert (True, True) == (result.stderr.startswith(f"problem: {tmp_path}/sheet.json: "), part in result.stderr)


def test_two_players_of_one_colour_are_refused(tmp_path: Path) -> None:
    """A colour used twice is named with both players."""
    found = sheet()
    found["players"][0]["colour"] = found["players"][1]["colour"] = "red"

    assert "'a' and 'b' both have red" in run(tmp_path, found).stderr


@pytest.mark.parametrize("option", ["--ruleset", "--board", "--objectives"])
@pytest.mark.parametrize("text", ["what = ", b"\xff\xfe"])
def test_a_bad_file_beside_the_sheet_is_named(tmp_path: Path, option: str, text: str | bytes) -> None:
    """A broken ruleset, board or list of objectives is refused under its own name."""
    other = tmp_path / "other.toml"
    other.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run(tmp_path, sheet(system="risiko"), option, str(other))

    assert (2, True) == (result.exit_code, f"{other}: " in result.stderr)


def test_a_sheet_that_is_not_there(tmp_path: Path) -> None:
    """A missing file is one line with its name."""
    result = CliRunner().invoke(main, ["score", str(tmp_path / "none.json")])

    assert (2, True) == (result.exit_code, "none.json" in result.stderr)


def test_a_ruleset_of_another_system_is_refused(tmp_path: Path) -> None:
    """A sheet of one system is never judged by the rules of another."""
    club = tmp_path / "roma.toml"
    club.write_text('name = "Roma"\nextends = "risiko"\n', encoding="utf-8")
    result = run(tmp_path, sheet(), "--ruleset", str(club))

    assert (2, "", True) == (result.exit_code, result.stdout, "is a ruleset of risiko" in result.stderr)
