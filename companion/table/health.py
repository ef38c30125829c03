"""The health page: one item a part, with what it means for the people at the table.

`state` is ok, warn or fail; `code` is a word that `companion.words` makes a sentence of. A part that is not there on
this rig by choice (no camera, no buttons, no buzzer) is ok and says so: a legal rig is no fault. What the machine
itself has to tell (power, card, network) is in `machine_health.py`, what the camera sees of the rig in
`view_health.py`.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion.hw.clock import NS_PER_S, boot_ns
from companion.journal.reserve import RESERVE_BYTES

GAME_BYTES = 256 * 1024 * 1024
"""Room that a whole game's facts and pictures want at most: 300 throws of two pictures, and the facts' reserve."""

PICTURE_BYTES = 64 * 1024 * 1024
"""Below this pictures are given up: what is left is for facts."""

HEALTH_CODES: tuple[str, ...] = (
    "running",
    "no-camera",
    "camera.starting",
    "camera.silent",
    "camera.reader-failed",
    "camera.dark",
    "camera.saturated",
    "camera.no-tray",
    "camera.too-small",
    "camera.covered",
    "camera.blank",
    "camera.size-changed",
    "camera.camera-turned",
    "camera.print-off",
    "camera.markers-few",
    "camera.too-far",
    "camera.marker-hidden",
    "camera.floor-covered",
    "camera.no-colour",
    "camera.hand-in-box",
    "camera.card-in-box",
    "camera.coin-in-box",
    "camera.piece-in-box",
    "camera.thing-in-box",
    "camera.die-size",
    "camera.dice-many",
    "box.not-measured",
    "box.not-ready",
    "box.measured",
    "box.markers-lost",
    "box.marker-hidden",
    "box.box-moved",
    "box.camera-knocked",
    "box.rig-moved",
    "box.light-changed",
    "box.too-dark",
    "box.too-bright",
    "box.focus-lost",
    "panel-on-screen",
    "part-failed",
    "button-stuck",
    "button-noisy",
    "button-silent",
    "buttons-seen",
    "buttons-unseen",
    "buzzer.none",
    "buzzer.untried",
    "buzzer.heard",
    "buzzer.not-heard",
    "buzzer.silenced",
    "disk-free",
    "disk-low",
    "disk-pictures",
    "disk-full",
    "journal.not-written",
    "journal.tail-cut",
    "rules.ruleset-changed",
    "clock-scaled",
    "clock.secret-lost",
    "clock.network",
    "clock.battery",
    "clock.none",
    "power.sagging",
    "power.sagged",
    "power.slowed",
    "power.was-slowed",
    "power.hot",
    "power.cool",
    "card.told",
    "card.written",
    "card.wear",
    "card.worn",
    "card.errors",
    "network.up",
    "network.down",
    "hub.seen",
    "hub.unseen",
    "hub.not-yet",
    "stick.copied",
    "stick.behind",
    "stick.none",
    "stick.failed",
    "markers.all",
    "markers.few",
    "focus.sharp",
    "focus.blurred",
    "light.even",
    "light.dim",
    "light.glare",
    "key.fingerprint",
    "versions.told",
)
"""What the page can say of the table's own parts, with the part where the sentence is that part's own; a camera's
driver adds the codes of its `RigError`s. Each has its sentence in `companion.words` as `health.CODE`."""

Item = Mapping[str, Any]
Source = Callable[[], tuple[Item, ...]]


def item(part: str, state: str, code: str, **values: Any) -> Item:
    """One line of the health page."""
    return {"part": part, "state": state, "code": code, "values": values}


def disk(folder: Path, *, is_reserve_kept: bool, reserve_bytes: int = RESERVE_BYTES) -> Item:
    """Room left where the journal lies, and what becomes of what when it gets less.

    Args:
        folder: Where the journal lies.
        is_reserve_kept: Whether the facts' own room is still laid by.
        reserve_bytes: How much that is.
    """
    free = shutil.disk_usage(folder).free
    free_mb = free // 1_000_000
    if not is_reserve_kept and free < reserve_bytes:
        return item("disk", "fail", "disk-full", free_mb=free_mb)
    if free < PICTURE_BYTES:
        return item("disk", "warn", "disk-pictures", free_mb=free_mb)
    if free < GAME_BYTES:
        return item("disk", "warn", "disk-low", free_mb=free_mb)
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

    def __init__(self, *sources: Source) -> None:
        self._sources = sources

    def __call__(self) -> tuple[Item, ...]:
        """The page as it is now."""
        return tuple(found for source in self._sources for found in source())


class Slowly:
    """A source that takes its time (a disk, the kernel's files, a whole picture): asked in a thread of its own.

    Whoever looks gets the answer of a moment ago at once, so that a hanging disk can't hold up the page or the game.

    Args:
        source: What to ask.
        every_s: How old an answer may be.
    """

    def __init__(self, source: Source, *, every_s: float) -> None:
        self._source = source
        self._every_ns = int(every_s * NS_PER_S)
        self._answer: tuple[Item, ...] = ()
        self._asked_ns: int | None = None
        self._asking = threading.Lock()

    def __call__(self) -> tuple[Item, ...]:
        """The newest answer; asks anew when it is old."""
        now_ns = boot_ns()
        if (self._asked_ns is None or now_ns - self._asked_ns >= self._every_ns) and self._asking.acquire(
            blocking=False
        ):
            self._asked_ns = now_ns
            threading.Thread(target=self._ask, name="health", daemon=True).start()
        return self._answer

    def _ask(self) -> None:
        try:
            self._answer = self._source()
        finally:
            self._asking.release()
