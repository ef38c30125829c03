"""The wiring page is the configuration, and tells every code that a driver raises."""

from __future__ import annotations

import re
from pathlib import Path

from companion.config.shapes import PinsConfig

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/hardware.md").read_text(encoding="utf-8")

HEADER = {2: 3, 3: 5, 4: 7, 17: 11, 27: 13, 22: 15, 23: 16, 24: 18, 25: 22, 5: 29, 6: 31, 12: 32, 13: 33, 16: 36}
HEADER |= {19: 35, 20: 38, 21: 40, 26: 37}
"""Pin of the 40-pin header by GPIO number, for the lines of the standard rig."""


def test_the_wiring_table_is_the_default_configuration() -> None:
    """Each part of the standard rig stands in the table with its GPIO number and its pin on the header."""
    rows = re.findall(r"^\| (button|lamp|buzzer) (\w+) \| (\d+) \| (\d+) \|", PAGE, re.MULTILINE)
    told = {(f"{part}s.{name}", int(gpio)) for part, name, gpio, _ in rows}

    assert set(PinsConfig().parts()) == told
    assert all(HEADER[int(gpio)] == int(pin) for _, _, gpio, pin in rows)


def test_every_fault_of_a_camera_is_explained() -> None:
    """No driver raises a code that the page does not tell."""
    raised: set[str] = set()
    for module in ("v4l2", "replay", "settings", "pi/camera"):
        text = (ROOT / f"companion/hw/{module}.py").read_text(encoding="utf-8")
        raised |= set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', text))
    known = set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", PAGE))

    assert set() == raised - known
