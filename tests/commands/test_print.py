"""Sheets land where they were asked for, filled in with what is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.paper.score_sheet import ScoreForm
from companion.rules.ruleset import load_ruleset


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


def test_a_dash_is_standard_output() -> None:
    """The PDF can go straight to a printer."""
    assert printed("markers", "--out", "-").stdout_bytes.startswith(b"%PDF-1.")


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    """A path that cannot be written is named, without a traceback."""
    result = printed("markers", "--out", str(tmp_path / "gone/out.pdf"))

    assert (2, f"problem: {tmp_path}/gone/out.pdf: no such file or directory\n") == (result.exit_code, result.stderr)


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
