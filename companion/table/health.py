"""The health page: one item a part, with what it means for the people at the table.

`state` is ok, warn or fail; `code` is a word that `companion.words` makes a sentence of. A part that is not there on
this rig by choice (no camera, no buttons) is ok and says so: a legal rig is no fault.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

GAME_BYTES = 64 * 1024 * 1024
"""Room that a whole game's facts and pictures want at most."""

HEALTH_CODES: tuple[str, ...] = (
    "running",
    "no-camera",
    "camera.starting",
    "camera.silent",
    "camera.reader-failed",
    "camera.dark",
    "camera.saturated",
    "camera.no-tray",
    "panel-on-screen",
    "part-failed",
    "button-stuck",
    "button-noisy",
    "disk-free",
    "disk-low",
    "journal.not-written",
    "rules.ruleset-changed",
    "clock-scaled",
)
"""What the page can say of the table's own parts, with the part where the sentence is that part's own; a camera's
driver adds the codes of its `RigError`s. Each has its sentence in `companion.words` as `health.CODE`."""

Item = Mapping[str, Any]


def item(part: str, state: str, code: str, **values: Any) -> Item:
    """One line of the health page."""
    return {"part": part, "state": state, "code": code, "values": values}


def disk(folder: Path) -> Item:
    """Room left where the journal lies."""
    free = shutil.disk_usage(folder).free
    free_mb = free // 1_000_000
    if free < GAME_BYTES:
        return item("disk", "fail" if free < GAME_BYTES // 8 else "warn", "disk-low", free_mb=free_mb)
    return item("disk", "ok", "disk-free", free_mb=free_mb)


def panel(name: str, faults: tuple[tuple[str, str], ...]) -> tuple[Item, ...]:
    """The panel, and each part of it that failed: a button by its own code, a lamp or buzzer as a part."""
    if name == "screen":
        return (item("panel", "ok", "panel-on-screen"),)
    items = tuple(
        item(part, "fail", code if code.startswith("button-") else "part-failed", driver=name, why=code, name=part)
        for part, code in faults
    )
    return items or (item("panel", "ok", "running", driver=name),)


def clock(scale: float) -> tuple[Item, ...]:
    """A clock that does not run at its proper pace is no clock for a tournament."""
    return () if scale == 1 else (item("clock", "warn", "clock-scaled", scale=scale),)


class Health:
    """All items, asked for anew at each call.

    Args:
        sources: What to ask, in the order of the page.
    """

    def __init__(self, *sources: Callable[[], tuple[Item, ...]]) -> None:
        self._sources = sources

    def __call__(self) -> tuple[Item, ...]:
        """The page as it is now."""
        return tuple(found for source in self._sources for found in source())
