"""Sheets land where they were asked for, filled in with what is known."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.commands.saying import Sayings
from companion.commands.standings_csv import STEPS, NotStandings, standings_of
from companion.hub.sheets import standings_csv
from companion.paper.score_sheet import ScoreForm
from companion.rules.ruleset import load_ruleset
from companion.words import LANGUAGES


def printed(*words: str) -> Result:
    """What `companion print` answers."""
    return CliRunner().invoke(main, ["print", *words])


@pytest.mark.parametrize("sheet", ["markers", "sheet"])
def test_a_sheet_is_written_and_named(sheet: str, tmp_path: Path) -> None:
    """The file is a PDF, and its name is what is printed."""
    out = tmp_path / "out.pdf"

    result = printed(sheet, "--out", str(out))

    assert (0, f"{out}\n") == (result.exit_code, result.stdout)
    assert out.read_bytes().startswith(b"%PDF-1.")


@pytest.mark.parametrize("sheet", ["markers", "sheet", "buttons", "standings"])
def test_a_sheet_that_is_there_is_not_overwritten(sheet: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under its usual name too: what lies there stays, and the way out is said."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(HEAD + "1,Anna,1+,1,1,rank-first\n", encoding="utf-8")
    words = [sheet, "table.csv"] if sheet == "standings" else [sheet]
    first = printed(*words)
    out = Path(first.stdout.strip())
    out.write_bytes(b"filled in")

    second = printed(*words)

    assert (0, 2, b"filled in") == (first.exit_code, second.exit_code, out.read_bytes())
    line = f"problem: {out} is there already: name another file with --out, or take that one away\n"
    assert line == second.stderr


def test_a_dash_is_standard_output() -> None:
    """The PDF can go straight to a printer."""
    assert printed("markers", "--out", "-").stdout_bytes.startswith(b"%PDF-1.")


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    """A path that cannot be written is named, without a traceback."""
    result = printed("markers", "--out", str(tmp_path / "gone/out.pdf"))

    line = f"problem: {tmp_path}/gone/out.pdf: no such file or directory; check the name\n"
    assert (2, line) == (result.exit_code, result.stderr)


def test_half_a_sheet_is_not_left_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk without room is told with the file's name, and nothing lies there to be printed."""
    out = tmp_path / "m.pdf"

    def full(path: Path, _: bytes) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    result = printed("markers", "--out", str(out))

    assert (2, False) == (result.exit_code, out.exists())
    assert f"problem: {out}: no space left on device; free some space and try again\n" == result.stderr


def test_five_players_do_not_fit(tmp_path: Path) -> None:
    """The sheet has as many columns as a table has seats, and no name is dropped."""
    names = [word for number in range(5) for word in ("--player", f"p{number}")]

    result = printed("sheet", *names, "--out", str(tmp_path / "s.pdf"))

    assert 2 == result.exit_code
    assert "at most 4 players, got 5" in result.stderr
    assert [] == list(tmp_path.iterdir())


def test_a_name_in_letters_that_no_typeface_has_is_refused(tmp_path: Path) -> None:
    """Nobody's name is printed with holes."""
    result = printed("sheet", "--player", "王", "--out", str(tmp_path / "s.pdf"))

    assert 2 == result.exit_code
    assert result.stderr.startswith("problem: no typeface here has the letters '王'")


def test_the_scheme_on_the_sheet_is_that_of_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Continents and points come from the ruleset, the names from the board, in the language asked for."""
    forms: list[ScoreForm] = []
    monkeypatch.setattr("companion.commands.print_.score_sheet", lambda _say, form: forms.append(form) or b"")

    printed("sheet", "--lang", "nl", "--round", "2", "--out", str(tmp_path / "s.pdf"))

    (form,) = forms
    assert sorted(load_ruleset("nl1996").table("scheme").values()) == sorted(points for _, points in form.continents)
    assert ("Azië", 20) in form.continents
    assert (42, 4, "2") == (form.territories, form.seats, form.round)


HEAD = "place,name,round 1,points,pluses,decided by\n"


def exported(tmp_path: Path, text: str) -> Path:
    """A file as the hub might have exported it."""
    file = tmp_path / "standings.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_what_the_hub_exports_is_what_is_printed(tmp_path: Path) -> None:
    """The hub's own export comes back with every name, result and step."""
    view = {
        "rounds": [1, 2],
        "standings": [
            {
                "place": place,
                "name": name,
                "results": ["1+", None],
                "points": 1,
                "pluses": 1,
                "decided_by": {"code": "rank-pluses"},
            }
            for place, name in ((1, "Zoë"), (2, "=cmd()"))
        ],
    }

    listing = standings_of(exported(tmp_path, standings_csv(view)), "", Sayings("paper", "nl"))

    assert (("1", "Zoë", "1+", "", "1", "1", "plussen"), ("2", "=cmd()", "1+", "", "1", "1", "plussen")) == listing.rows
    assert ("Stand", "2 spelers, 2 ronden") == (listing.title, listing.note)
    assert ["Plaats", "Speler", "1", "2", "Punten", "Plussen", "Beslist door"] == [one.head for one in listing.columns]


def test_standings_fill_the_width_of_the_page(tmp_path: Path) -> None:
    """The name has whatever room the other columns leave."""
    file = exported(tmp_path, HEAD + "1,Anna,1+,1,1,rank-first\n")

    listing = standings_of(file, "Cup", Sayings("paper", "en"))

    assert pytest.approx(180) == sum(column.width_mm for column in listing.columns)


def test_what_companion_standings_prints_can_be_hung_up(tmp_path: Path) -> None:
    """Both systems' tables come back whole: columns, names, and the step in words."""
    results = {
        "nl1996": '{"round": 1, "results": {"a": "1+", "b": "2", "c": "3"}}',
        "risiko": '{"system": "risiko", "round": 1, "places": [{"player": "a", "result": "win", "score": 90},'
        ' {"player": "b", "result": "6", "score": 80}, {"player": "c", "result": "3", "score": 70}]}',
    }
    heads = {}
    for system, text in results.items():
        file = tmp_path / f"{system}.json"
        file.write_text(text, encoding="utf-8")
        table = CliRunner().invoke(main, ["standings", "--csv", str(file)])
        assert 0 == table.exit_code, table.stderr
        listing = standings_of(exported(tmp_path, table.stdout), "", Sayings("paper", "en"))
        heads[system] = [column.head for column in listing.columns]
        assert ["a", "b", "c"] == sorted(row[1] for row in listing.rows)

    assert ["Place", "Player", "1", "Points", "Pluses", "Decided by"] == heads["nl1996"]
    assert ["Place", "Player", "Weight", "Score", "Won", "Decided by"] == heads["risiko"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_step_has_its_word(lang: str) -> None:
    """Whatever decided a place can be said in every language."""
    say = Sayings("paper", lang)

    assert [] == [step for step in STEPS if not say(f"paper.standings.rank-{step}")]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "is empty"),
        ("name,place\n", "the first line must be"),
        (HEAD.replace("round 1", "game 1"), "the first line must be"),
        (HEAD + "1,Anna,1+,1\n", ":2: has 4 columns and the first line 6"),
        (HEAD + "1,Anna,1+,1,1,rank-weather\n", ":2: 'decided by' must be a step"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str, wrong: str) -> None:
    """What is not the hub's export is never printed half."""
    with pytest.raises(NotStandings) as caught:
        standings_of(exported(tmp_path, text), "", Sayings("paper", "en"))

    assert wrong in str(caught.value)


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    """A picture given by mistake is one line, without a traceback."""
    file = tmp_path / "a.jpg"
    file.write_bytes(b"\xff\xd8\xff\xe0")

    result = printed("standings", str(file), "--out", str(tmp_path / "s.pdf"))

    assert (2, f"problem: {file}: is not UTF-8 text") == (result.exit_code, result.stderr.partition(";")[0])


def test_standings_are_written(tmp_path: Path) -> None:
    """The whole way from file to PDF."""
    file = exported(tmp_path, HEAD + "1,Anna,1+,1,1,rank-first\n")

    result = printed("standings", str(file), "--title", "Cup", "--out", str(tmp_path / "s.pdf"))

    assert 0 == result.exit_code
    assert (tmp_path / "s.pdf").read_bytes().startswith(b"%PDF-1.")
