"""`companion standings`: result files in, ranks out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.commands.saying import Sayings
from companion.commands.standings_csv import standings_of
from tests.commands.told import told_by


def run(folder: Path, contents: list[object], *words: str) -> Result:
    """Rank result files that lie in a folder."""
    for at, content in enumerate(contents, start=1):
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"r{at}.json").write_text(text, encoding="utf-8")
    return CliRunner().invoke(main, ["standings", str(folder), *words])


def ranked(result: Result) -> list[tuple[int, str]]:
    """Place and player as printed."""
    return [(row["place"], row["player"]) for row in json.loads(result.stdout)["standings"]]


def test_the_page_tells_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/standings.md: every command gives the answer shown there."""
    monkeypatch.chdir(tmp_path)
    told = told_by("standings.md", tmp_path)

    assert 3 == len(told)
    assert [said.shown for said in told] == [said.printed for said in told]


def test_a_missed_round_counts_three(tmp_path: Path) -> None:
    """A player without a result in a round gets 3, also in a round that nobody has results of yet."""
    files: list[object] = [
        {"round": 1, "results": {"a": "2", "b": "3"}},
        {"round": 2, "results": {"b": "1"}},
    ]
    answer = json.loads(run(tmp_path, files, "--rounds", "3").stdout)

    assert (3, [["3", "1", "3"], ["2", "3", "3"]]) == (
        answer["rounds"],
        [row["results"] for row in answer["standings"]],
    )


def test_options_and_the_lot(tmp_path: Path) -> None:
    """Identical players share, or the lot parts them."""
    files: list[object] = [{"round": 1, "results": {"a": "1", "b": "1"}}]

    shared = run(tmp_path, files)
    parted = run(tmp_path, files, "--option", "identical=lot", "--lot", "12")

    assert ([1, 1], [1, 2]) == ([place for place, _ in ranked(shared)], [place for place, _ in ranked(parted)])


def test_the_table_can_be_printed(tmp_path: Path) -> None:
    """The CSV is what `companion print standings` reads, formulas guarded."""
    out = run(tmp_path, [{"round": 1, "results": {"=cmd()": "1", "b": "2"}}], "--csv")
    (tmp_path / "standings.csv").write_text(out.stdout, encoding="utf-8")
    found = standings_of(tmp_path / "standings.csv", "", Sayings("paper", "en"))

    assert ("'=cmd()" in out.stdout, 2) == (True, len(found.rows))


RISIKO = [
    {
        "round": 1,
        "system": "risiko",
        "places": [
            {"player": "a", "result": "win", "score": 120.5},
            {"player": "b", "result": "5", "score": 90.0},
            {"player": "c", "result": "2", "score": 80.0},
        ],
    },
    {
        "round": 2,
        "system": "risiko",
        "places": [{"player": "b", "result": "2", "score": 70}, {"player": "c", "result": "5", "score": 79.5}],
    },
]


def risiko_row(**row: Any) -> dict[str, Any]:
    """A result file of risiko with one place."""
    return {"round": 1, "system": "risiko", "places": [{"player": "a", "result": "6", "score": 50.5, **row}]}


def test_risiko_ranks_by_weight_then_score(tmp_path: Path) -> None:
    """Points of the places add up, and the Score parts equal weights."""
    result = run(tmp_path, list(RISIKO))
    table = run(tmp_path, list(RISIKO), "--csv")

    assert ([(1, "b"), (2, "c"), (3, "a")], "place,name,weight,score,won a table,decided by") == (
        ranked(result),
        table.stdout.splitlines()[0],
    )


@pytest.mark.parametrize(
    ("contents", "part"),
    [
        (["{"], "docs/standings.md"),
        (['{"round": NaN}'], "NaN is no number"),
        (['{"round": ' + "9" * 5000 + "}"], "docs/standings.md"),
        ([{"results": {"a": "1"}}], "round"),
        ([{"round": 1}], "has no results"),
        ([{"round": 0, "results": {"a": "1"}}], "count from 1"),
        ([{"round": 1, "results": {"a": "4"}}], "'4'"),
        ([{"round": 1, "results": {"a": "1"}}] * 2, "keep one sheet"),
        ([{"round": 1, "results": {"a": "1"}, "unresolved": [["b", "c"]]}], "await a ruling"),
        ([{"round": 1, "results": {"a": "1"}}, RISIKO[0]], "one system"),
        ([RISIKO[0], RISIKO[0]], "already"),
        (["[]"], "`object`"),
        (['{"round": 1, "results": {"\\ud800": "1"}}'], "half a letter"),
        (['{"x":' + "[" * 100_000], "too deep"),
        (['{"round": 1, "results": {"a": "1", "a": "3"}}'], "'a' stands twice"),
        ([{"round": 1, "results": {" ": "1"}}], "no player"),
        ([{"round": 1, "results": {"a": "1", "a ": "2"}}], "keep one sheet"),
        (
            [{"round": 1, "results": {"Andre\u0301": "1"}}, {"round": 1, "results": {"Andr\u00e9": "2"}}],
            "keep one sheet",
        ),
        ([{"round": 1, "results": {"a": "1"}, "places": [{"player": "a", "result": "3"}]}], "keep one of them"),
        ([{"round": 5, "results": {"a": "1"}}], "plays 4 rounds, got round 5"),
        ([risiko_row(result="1+")], "points of a place"),
        ([risiko_row(result="60")], "points of a place"),
        ([risiko_row(result="\u0663")], "points of a place"),
        ([risiko_row(score=None)], "half points"),
        ([risiko_row(score=-0.5)], "half points"),
        ([risiko_row(score=1.3)], "half points"),
        ([risiko_row() | {"places": [risiko_row()["places"][0]] * 2}], "already"),
        ([risiko_row() | {"round": 0}], "count from 1"),
        ([{"round": 1, "system": "classic", "results": {"a": "win"}}], "no tournament"),
        ([], "no *.json"),
    ],
)
def test_bad_results_are_one_line(tmp_path: Path, contents: list[Any], part: str) -> None:
    """What does not fit is named with its file."""
    result = run(tmp_path, contents)

    assert (2, "", 1) == (result.exit_code, result.stdout, result.stderr.count("\n"))
    assert (True, True) == (result.stderr.startswith("problem: "), part in result.stderr)


def test_a_byte_order_mark_is_no_letter(tmp_path: Path) -> None:
    """A file that an old editor saved is read like any other."""
    assert [(1, "a")] == ranked(run(tmp_path, ['\ufeff{"round": 1, "results": {"a": "1"}}']))


@pytest.mark.parametrize(
    "words",
    [
        ("--option", "identical"),
        ("--option", "identical=fight"),
        ("--ruleset", "no.toml"),
        ("--rounds", "1"),
        ("--rounds", "1000000000"),
    ],
)
def test_bad_options_are_one_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    """An option without a value or with a wrong one, a ruleset that is not there, fewer or more rounds than can be."""
    result = run(tmp_path, [{"round": 2, "results": {"a": "1"}}], *words)

    assert (2, 1) == (result.exit_code, result.stderr.count("\n"))


def test_what_score_prints_can_be_ranked(tmp_path: Path) -> None:
    """A result of `companion score` is a result file."""
    from tests.commands.test_score import sheet

    (tmp_path / "sheet").mkdir()
    path = tmp_path / "sheet" / "s.json"
    path.write_text(json.dumps(sheet(round=1, table="7")), encoding="utf-8")
    scored = CliRunner().invoke(main, ["score", str(path)])

    assert [(1, "a"), (2, "b"), (3, "c")] == ranked(run(tmp_path, [scored.stdout]))
