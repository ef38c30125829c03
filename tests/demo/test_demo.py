"""`companion demo --headless` plays a table to its end and leaves a journal that holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.commands import demo


@pytest.mark.slow
def test_demo_plays_a_table_to_its_end(tmp_path: Path) -> None:
    """Dice are thrown and read, "tijd" sounds, the score is signed, the hub has it, the journal verifies."""
    env = {key: value for key, value in os.environ.items() if key not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    companion = [sys.executable, "-m", "companion"]

    played = subprocess.run(
        [*companion, "demo", "--headless", "--throws", "3", "--scale", "150", "--out", str(tmp_path)],
        env=env,
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )

    logs = "\n".join(path.read_text(encoding="utf-8")[-1500:] for path in tmp_path.glob("*/*.log"))
    assert 0 == played.returncode, played.stdout + played.stderr + logs
    assert "Throw 1, Attack" in played.stdout
    assert "TIJD!" in played.stdout
    assert 3 == sum(line.split(":")[0] in {"Anna", "Bert", "Cees"} for line in played.stdout.splitlines())
    run = next(path for path in tmp_path.iterdir() if path.is_dir())
    shown = " ".join(sorted(path.stem for path in (run / "pictures").glob("*.png")))
    screens = ("idle", "seating-throw", "seating-colour", "seating-button", "ready", "playing-throw1-attack3accept")
    end = ("playing-throw2-attack3reroll_some", "tijd", "board-owners", "scored", "closed")
    assert [] == [name for name in (*screens, *end) if f"-{name}" not in shown]
    verified = subprocess.run(
        [*companion, "journal", "verify", str(run / "table")], check=False, capture_output=True, text=True, timeout=60
    )
    assert 0 == verified.returncode, verified.stdout + verified.stderr


@pytest.mark.parametrize("headless", [True, False])
def test_players_wait_for_the_screen_but_not_for_people_at_a_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, headless: bool
) -> None:
    """Somebody may have opened another page in the window; without one the picture is what the run is for."""
    parts = demo._Parts(out=tmp_path, lang="en", size="800x480", scale=60, headless=headless)
    parts.pictures.mkdir()
    before = parts.has_shown("tijd")
    monkeypatch.setattr(demo, "PATIENCE_S", -1.0)
    patient = parts.has_shown("tijd")
    (parts.pictures / "025-tijd.png").touch()

    assert (False, not headless, True) == (before, patient, parts.has_shown("tijd"))
