"""The contact sheet is painted and written."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import cv2
import pytest


@pytest.mark.slow
def test_the_contact_sheet_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command writes a sheet of four rows and four columns that is a picture and not all of one colour."""
    path = tmp_path / "sheet.png"
    monkeypatch.setattr(sys, "argv", ["show", str(path)])
    runpy.run_module("companion.sim.show", run_name="__main__")
    sheet = cv2.imread(str(path))

    assert (1440, 2560, 3) == sheet.shape
    assert sheet.std() > 20


@pytest.mark.parametrize("arguments", [[], ["a.png", "b.png"]])
def test_the_command_says_what_it_needs(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the name of a picture it ends with one line that tells how it is called."""
    monkeypatch.setattr(sys, "argv", ["show", *arguments])
    with pytest.raises(SystemExit) as told:
        runpy.run_module("companion.sim.show", run_name="__main__")

    assert str(told.value).startswith("problem: ")
