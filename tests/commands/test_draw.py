"""`companion draw`: players in, tables out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from tests.commands.told import told_by

SEVEN = "player\n" + "\n".join("abcdefg")


def run(folder: Path, text: str | bytes, *words: str) -> Result:
    """Draw the players of a file."""
    path = folder / "players.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return CliRunner().invoke(main, ["draw", str(path), *words])


def test_the_page_tells_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/draw.md: every command gives the answer shown there."""
    monkeypatch.chdir(tmp_path)
    told = told_by("draw.md", tmp_path)

    assert 3 == len(told)
    assert [said.shown for said in told] == [said.printed for said in told]


def test_everybody_sits_once(tmp_path: Path) -> None:
    """Seven players make a table of three and one of four, the same each time."""
    first, again = (run(tmp_path, SEVEN, "--number", "9") for _ in range(2))
    tables = [table["players"] for table in json.loads(first.stdout)["tables"]]

    assert (first.stdout, [3, 4], sorted("abcdefg")) == (
        again.stdout,
        [len(table) for table in tables],
        sorted(player for table in tables for player in table),
    )


@pytest.mark.parametrize("between", [";", "\t", ","])
def test_any_spreadsheets_columns(between: str, tmp_path: Path) -> None:
    """Semicolons, tabs and commas part columns, empty lines are passed over, and a byte-order mark is no letter."""
    text = "\ufeffclub,Player\nx,a\n,b\n\nx,c\n".replace(",", between)
    result = run(tmp_path, text, "--number", "9")

    assert ["a", "b", "c"] == sorted(json.loads(result.stdout)["tables"][0]["players"])


def test_what_other_columns_say_does_not_matter(tmp_path: Path) -> None:
    """A semicolon in another column's head, and names in quotes over several columns, are read as they are meant."""
    result = run(tmp_path, 'player,"paid; or not"\n"b, jr",x\na,y\nc,z\n', "--number", "9")

    assert ["a", "b, jr", "c"] == sorted(json.loads(result.stdout)["tables"][0]["players"])


def test_a_semi_final(tmp_path: Path) -> None:
    """Twelve at three tables of four, by the organiser's sizes."""
    text = "player\n" + "\n".join(f"p{at}" for at in range(12))
    result = run(tmp_path, text, "--number", "9", "--system", "risiko", "--sizes", "4,4,4")

    assert [4, 4, 4] == [len(table["players"]) for table in json.loads(result.stdout)["tables"]]


@pytest.mark.parametrize(
    ("text", "words", "part"),
    [
        ("", (), "is empty"),
        ("name\na\n", (), "'player'"),
        ("player,club\na,x\n,y\n", (), "line 3"),
        ("club,player\nx\n", (), "line 2"),
        ("player\n", (), "no players"),
        ("player\na\nb\na\n", (), "twice"),
        ("player\nAndre\u0301\nAndr\u00e9\nc\n", (), "twice"),
        ("player\na  b\n a b\nc\n", (), "twice"),
        ("player,player\na,b\n", (), "one column"),
        ('player\n"a\nb\nc\n', (), "quotes"),
        ("player\n" + "x" * 140_000, (), "line 2"),
        ("x" * 140_000, (), "line 1"),
        (SEVEN, ("--sizes", "0,3,4"), "not of 0"),
        (SEVEN, ("--sizes", "-1,4,4"), "not of -1"),
        (SEVEN, ("--sizes", "5,2"), "not of 5"),
        (SEVEN, ("--round", "5"), "plays 4 rounds"),
        ("player\na\nb\n", (), "can't be split"),
        (SEVEN, ("--sizes", "4,4"), "seat 8"),
        (SEVEN, ("--sizes", "four"), "4,4,4"),
        (SEVEN, ("--system", "classic"), "no tournament"),
        (SEVEN, ("--option", "avoid_rematch"), "name=value"),
        (SEVEN, ("--earlier", "none.json"), "none.json"),
        (b"player\n\xff\n", (), "UTF-8"),
    ],
)
def test_bad_players_are_one_line(tmp_path: Path, text: str | bytes, words: tuple[str, ...], part: str) -> None:
    """What can't be drawn is said with its line and the way out."""
    result = run(tmp_path, text, "--number", "9", *words)

    assert (2, "", 1) == (result.exit_code, result.stdout, result.stderr.count("\n"))
    assert (True, True) == (result.stderr.startswith("problem: "), part in result.stderr)


def test_a_draw_needs_a_number(tmp_path: Path) -> None:
    """Without a published number nobody could replay it."""
    missing, empty = run(tmp_path, SEVEN), run(tmp_path, SEVEN, "--number", "")

    assert (2, 2, True) == (missing.exit_code, empty.exit_code, "--number" in missing.stderr)


def test_a_clubs_ruleset_says_its_system(tmp_path: Path) -> None:
    """With a club's file nobody need name the system, and who names another is told."""
    club = tmp_path / "roma.toml"
    club.write_text('name = "Roma"\nextends = "risiko"\n', encoding="utf-8")
    drawn = run(tmp_path, SEVEN, "--number", "9", "--ruleset", str(club))
    refused = run(tmp_path, SEVEN, "--number", "9", "--ruleset", str(club), "--system", "nl1996")

    assert ("risiko", 2) == (json.loads(drawn.stdout)["system"], refused.exit_code)


def test_choices_that_nobody_made_are_named_and_those_made_are_not(tmp_path: Path) -> None:
    """The director of a RisiKo! evening hears which card table and board hold; what was chosen is no news."""
    players = tmp_path / "players.csv"
    players.write_text("player\n" + "\n".join(f"player {at}" for at in range(8)) + "\n", encoding="utf-8")
    words = [str(players), "--number", "1", "--system", "risiko", "--option", "starting_armies=organiser"]

    result = CliRunner().invoke(main, ["draw", *words], env={"LC_ALL": "en_GB.UTF-8"})

    told = [line.split(": ")[1].split(" = ")[0] for line in result.stderr.splitlines()]
    assert (0, ["board.edition", "minimum_applies_to", "cards.table"]) == (result.exit_code, told)
