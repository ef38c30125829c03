"""One picture that proves a reading: the box from above with each die marked, and below it each die cut out, unmarked.

Whoever looks at it sees at a glance what was taken for what, and then, larger and without any mark in the way, the dice
themselves in the order of the reading, left to right. Under each cut-out a stroke says how the die was judged, in the
manner of the marks: a whole green line, a thick red one, a broken amber one. The readings' places are given anew in
px of this picture. They are the box's own, the same for every sheet of a rig whatever lies where: a die that nobody
touched has one place in all sheets, also when box or camera were pushed. A die that lies far beside the box has its
place outside the picture, and is seen below it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.vision import overlay
from companion.vision.tray import Tray
from companion.vision.types import DieReading, Floats, Image, Reading

PX_PER_MM = 2.0
MARGIN_MM = 26.0
"""Shown around the inner floor: the walls, and a die that leans on them from outside."""
CUT_PX = 96
_GAP_PX = 6
_STROKE_PX = 4
_GROUND = (28, 28, 28)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A picture of a reading and where its dice are in it.

    Attributes:
        image: The picture, BGR.
        dice: The reading's dice, left to right, their places in px of this picture.
    """

    image: Image
    dice: tuple[DieReading, ...]


def sheet(image: Image, reading: Reading, tray: Tray) -> Sheet:
    """The sheet of one reading.

    Args:
        image: The picture that was read, BGR.
        reading: What was read in it.
        tray: The camera over the box.
    """
    flat = overlay.rectified(image, tray, px_per_mm=PX_PER_MM, margin_mm=MARGIN_MM)
    pairs = sorted(((_placed(die, tray), die) for die in reading.dice), key=lambda pair: pair[0].center_px)
    dice = tuple(placed for placed, _ in pairs)
    marked = overlay.draw(flat, replace(reading, dice=dice))
    return Sheet(image=_with_cuts(marked, image, tuple(die for _, die in pairs)), dice=dice)


def _placed(die: DieReading, tray: Tray) -> DieReading:
    def at(points: Floats) -> Floats:
        flat = tray.lift(points, 0.0)
        half_x, half_y = (side / 2 + MARGIN_MM for side in tray.geometry.floor_mm)
        return np.column_stack([(flat[:, 0] + half_x) * PX_PER_MM, (half_y - flat[:, 1]) * PX_PER_MM])

    x, y, wide, high = die.box_px
    box = at(np.array([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]], dtype=np.float64))
    low, high_px = np.floor(box.min(0)).astype(int), np.ceil(box.max(0)).astype(int)
    center = at(np.array([die.center_px]))[0]
    outline = at(np.array(die.outline_px)) if die.outline_px else np.zeros((0, 2))
    return replace(
        die,
        center_px=(round(float(center[0]), 1), round(float(center[1]), 1)),
        box_px=(int(low[0]), int(low[1]), int(high_px[0] - low[0]), int(high_px[1] - low[1])),
        outline_px=tuple((round(float(u), 1), round(float(v), 1)) for u, v in outline),
    )


def _with_cuts(marked: Image, image: Image, dice: tuple[DieReading, ...]) -> Image:
    """The marked picture with the dice, cut out of the picture as it was read, in rows below."""
    if not dice:
        return marked
    step = CUT_PX + _GAP_PX
    across = max(1, (marked.shape[1] - _GAP_PX) // step)
    rows = -(-len(dice) // across)
    strip = np.empty((rows * step + _GAP_PX, marked.shape[1], 3), dtype=np.uint8)
    strip[:] = _GROUND
    for at, die in enumerate(dice):
        row, column = divmod(at, across)
        left, top = _GAP_PX + column * step, _GAP_PX + row * step
        strip[top : top + CUT_PX, left : left + CUT_PX] = overlay.crop(image, die, CUT_PX)
        overlay.stroke(strip, die, (left, top + CUT_PX + _STROKE_PX // 2), CUT_PX)
    return np.asarray(cv2.vconcat([marked, strip]), dtype=np.uint8)
