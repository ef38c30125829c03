"""What the reader says: one reading per picture, one entry per die, and the events of the watch.

These are vision's own results. They know no player, no side and no rule; the table turns them into facts. A value is
present only where it can be vouched for, and `why` is a stable code that `companion.words` turns into a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]

Verdict = Literal["valid", "cocked", "stacked", "off_box", "moving", "unreadable"]
PointPx = tuple[float, float]
BoxPx = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DieReading:
    """One die in one picture.

    Attributes:
        value: Number on the upper face, 1 to 6; None unless it can be vouched for.
        verdict: How the die lies.
        colour: Colour of the body by name, None when unsure.
        center_px: Middle of the die in the picture as given.
        box_px: Upright rectangle around the die: x, y, width, height.
        outline_px: Corners of the die's silhouette, in order round it.
        lean_deg: Angle of the uppermost face against the box floor, None when not measured.
        height_mm: Highest point above the box floor, None when not measured.
        confidence: How well the measurement closes, 0 to 1.
        why: Stable code for anything but a plain valid die, else None.
        rolled: Whether the die tumbled in the throw; None for a single picture.
        moved: Whether the die took part in the throw or was pushed by it; None for a single picture.
    """

    value: int | None
    verdict: Verdict
    colour: str | None
    center_px: PointPx
    box_px: BoxPx
    outline_px: tuple[PointPx, ...]
    lean_deg: float | None
    height_mm: float | None
    confidence: float
    why: str | None
    rolled: bool | None = None
    moved: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All dice of one picture.

    Attributes:
        dice: Left to right, as seen in the box.
        needs_referee: True when people must look: a void die, a missing die, or a doubt about the picture.
        scale_px_per_mm: Picture scale at the box floor, None when unknown.
        tray_found: True when the box was found by its markers.
        warnings: Stable codes about the picture as a whole.
    """

    dice: tuple[DieReading, ...]
    needs_referee: bool
    scale_px_per_mm: float | None
    tray_found: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLying:
    """What lay there when the watch began, before anything was seen to move.

    Attributes:
        at_ns: When it was seen to lie, boot-clock ns.
        reading: All dice in the box.
        image: The frame that was read.
    """

    at_ns: int
    reading: Reading
    image: Image


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionBegan:
    """Something began to move in the view, at boot-clock ns."""

    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CameToRest:
    """Nothing in the box moves any more, since `at_ns`."""

    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowRead:
    """Dice came to rest and several frames agree about them.

    Attributes:
        number: Counts up by one per throw of this watch, from 1.
        started_ns: First motion of the throw.
        settled_ns: First frame from which no die of the throw moves any more.
        reading: All dice in view; each with `rolled` and `moved`.
        image: The frame that was read.
    """

    number: int
    started_ns: int
    settled_ns: int
    reading: Reading
    image: Image


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceLifted:
    """Dice were taken out of the box; `left` remain."""

    at_ns: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bumped:
    """Dice at rest were shaken or pushed without a throw."""

    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewLost:
    """The camera no longer sees the box; `why` is a stable code."""

    at_ns: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewBack:
    """The camera sees the box again."""

    at_ns: int


WatchEvent = FoundLying | MotionBegan | CameToRest | ThrowRead | DiceLifted | Bumped | ViewLost | ViewBack
