"""Dice in the box that are no body: what gives away one of the felt's own colour, one in the dark, one in deep shade.

Theory. The felt's colour does not show a die of its own hue, nor one that hardly any light falls on. Its pips may, by
their colour, as marks of a pip's size on a floor where nothing else is. In the dark not even these do, but a square
that is twice as bright as the felt all around it is no felt: light that falls through something makes larger patches,
or longer ones, or such as fade. And where the shade of a wall leaves no colour at all, a pip still stands alone by its
light, as it does on any table (`outside.py`). None of these is read. They are said to be there, and people look.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.find import Body
from companion.vision.ground import Ground, Plan
from companion.vision.outside import lone_spots, work_factor
from companion.vision.types import Floats, Image, Mask, PointPx

# A pip of a die that is not seen differs by so many times the limit, covers so much of the square of the die's edge, is
# so round in its rectangle, and lies so far off every body.
_PIP_TIMES, _PIP_LEAST, _PIP_MOST, _PIP_LONG, _PIP_FULL, _OFF_BODY_PX = 2.0, 0.011, 0.08, 1.7, 0.6, 7
# A patch is so many times and so many codes brighter than the felt around it, within so many edges of the largest die;
# it fills so much of its rectangle, which is so much longer than wide at most.
_GLARING, _GLARING_CODES, _ALL_AROUND, _SQUARE_FILL, _SQUARE_LONG = 2.3, 8.0, 3.5, 0.8, 1.3
# Its least edge, as a share of the smallest die's, and its largest, of the largest's; how much smaller the picture is
# made that tells whether there is any.
_LEAST_EDGE, _MOST_EDGE, _SMALLER = 0.5, 1.6, 8
# By so much an edge seems shorter at half the size: contours run along the middles of pixels, and its ends are soft.
_SHORTER_PX = 4.0
# So far from the middle of a die that was told, in edges, its own pips lie.
_ITS_OWN = 1.0


def bare_floor(ground: Ground, found: list[Body]) -> Mask:
    """Where the floor is seen and no body is near, of the shape of the part that holds the box."""
    taken = np.zeros(ground.far.shape, dtype=np.uint8)
    left, top = ground.origin_px
    for body in found:
        x, y, w, h = body.box_px
        taken[y - top : y - top + h, x - left : x - left + w] |= body.mask.astype(np.uint8)
    bare = ground.floor.copy()
    for window in ground.windows:
        bare[window] &= cv2.dilate(taken[window], np.ones((_OFF_BODY_PX, _OFF_BODY_PX), np.uint8)) == 0
    return bare


def lone_pips(ground: Ground, bare: Mask, largest_px: float) -> Floats:
    """What looks like a pip on the bare floor, shape (n, 2), px: one of a die of the felt's own colour.

    Args:
        ground: The box.
        bare: Where its floor is bare.
        largest_px: Edge of the largest dice that there may be.
    """
    places: list[Floats] = []
    for window in ground.windows:
        left = (ground.far[window] > _PIP_TIMES * ground.limit) & bare[window]
        _, _, stats, middles = cv2.connectedComponentsWithStats(left.astype(np.uint8))
        shift = np.array([window[1].start, window[0].start]) + ground.origin_px
        for (_x, _y, w, h, area), middle in zip(stats[1:].tolist(), middles[1:], strict=True):
            is_small = _PIP_LEAST * 4 * ground.least_px < area < _PIP_MOST * largest_px**2
            if is_small and max(w, h) < _PIP_LONG * min(w, h) and area > _PIP_FULL * w * h:
                places.append(middle + shift)
    return np.array(places).reshape(-1, 2)


def squares(ground: Ground, bare: Mask, largest_px: float) -> list[tuple[Floats, float]]:
    """Where on the bare floor something of the felt's hue lies that is far brighter, and how long its edges are, px.

    Args:
        ground: The box.
        bare: Where its floor is bare.
        largest_px: Edge of the largest dice that there may be.
    """
    coarse = ground.light_of(np.ascontiguousarray(ground.half[:: _SMALLER // 2, :: _SMALLER // 2]))
    around = cv2.medianBlur(coarse.clip(0, 255).astype(np.uint8), int(_ALL_AROUND * largest_px / _SMALLER) | 1)
    least = _GLARING * around.astype(np.float32) + _GLARING_CODES
    if not ((coarse > least) & bare[::_SMALLER, ::_SMALLER]).any():
        return []
    light = ground.light_of(ground.half)
    glaring = (light > cv2.resize(least, light.shape[::-1])) & bare[::2, ::2]
    mask = cv2.morphologyEx(glaring.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    out = []
    for contour in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        area = 4.0 * cv2.contourArea(contour)
        if _LEAST_EDGE**2 * 4 * ground.least_px < area < (_MOST_EDGE * largest_px) ** 2:
            middle, (wide, high), _ = cv2.minAreaRect(contour)
            if area > _SQUARE_FILL * 4.0 * wide * high and max(wide, high) < _SQUARE_LONG * min(wide, high):
                out.append((2.0 * np.array(middle) + ground.origin_px, float(np.sqrt(area)) + _SHORTER_PX))
    return out


def pips_by_light(image: Image, plan: Plan, told: list[PointPx], size_mm: float) -> Floats:
    """Pips inside the walls that stand alone by their light and are on no die that was told, shape (n, 2), px.

    Args:
        image: The whole picture, BGR.
        plan: Where the box lies in it.
        told: Middles of the dice that were told.
        size_mm: Edge of the dice.
    """
    factor, edge_px = work_factor(plan.tray, size_mm), size_mm * plan.tray.px_per_mm
    origin = np.array([plan.window[1].start, plan.window[0].start])
    gray = cv2.cvtColor(image[plan.window], cv2.COLOR_BGR2GRAY)
    small = np.asarray(cv2.resize(gray, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    free = cv2.resize(plan.inside.astype(np.uint8), small.shape[::-1], interpolation=cv2.INTER_NEAREST)
    for middle in told:
        x, y = np.round((np.array(middle) - origin) * factor).astype(int).tolist()
        cv2.circle(free, (x, y), round(_ITS_OWN * edge_px * factor), 0, -1)
    return np.asarray((lone_spots(small, free > 0)[:, :2] + 0.5) / factor - 0.5 + origin)
