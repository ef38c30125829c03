"""The screen as a command: what it takes, and what it says when it can't."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def started(*args: str, driver: str = "offscreen") -> subprocess.Popen[str]:
    """`companion ui` in a process of its own."""
    elsewhere = {name: value for name, value in os.environ.items() if not name.endswith("DISPLAY")}
    return subprocess.Popen(
        [sys.executable, "-m", "companion", "ui", *args],
        env=elsewhere | {"SDL_VIDEODRIVER": driver},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("args", "driver", "told"),
    [
        (("--size", "10x10"), "offscreen", "a size is written as 800x480"),
        (("--socket", "/tmp/" + "d" * 99), "offscreen", "--socket must be a path of at most 103 bytes, got 104"),
        (("--lang", "xx"), "offscreen", "--lang"),
        (("--config", "/no/such/ui.toml"), "offscreen", "/no/such/ui.toml"),
        ((), "no-such-driver", "no display to show the screen on"),
        ((), "", "none of DISPLAY, WAYLAND_DISPLAY and SDL_VIDEODRIVER is set"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(args: tuple[str, ...], driver: str, told: str) -> None:
    """Bad input and a missing display end with a problem line and exit code 2, never a traceback."""
    process = started(*args, driver=driver)
    _, errors = process.communicate(timeout=30)

    assert 2 == process.returncode
    assert told in errors
    assert errors.startswith("problem: ")
    assert "Traceback" not in errors


def test_a_screen_without_its_table_waits_takes_pictures_and_ends_when_told(tmp_path: Path) -> None:
    """It comes up, saves what it shows, one more at SIGUSR1, and ends cleanly at SIGTERM."""
    process = started("--socket", str(tmp_path / "none.sock"), "--screenshots", str(tmp_path / "shots"))
    _wait_for(lambda: len(list((tmp_path / "shots").glob("*.png"))) == 1)
    process.send_signal(signal.SIGUSR1)
    _wait_for(lambda: len(list((tmp_path / "shots").glob("*.png"))) == 2)
    process.terminate()
    process.communicate(timeout=30)

    assert ["001-unheard.png", "002-asked.png"] == sorted(path.name for path in (tmp_path / "shots").glob("*.png"))
    assert 0 == process.returncode


def _wait_for(true: object) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if callable(true) and true():
            return
        time.sleep(0.05)
    pytest.fail("it never came")
