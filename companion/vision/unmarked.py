"""Whether a picture in which no marker is found shows the box of the rig, its markers cut off or covered.

Theory. In a box dice lean on walls, stand on each other and roll over the rim, and only the markers tell by how much; a
strange photograph of dice has no such thing to tell. So a picture of the rig must not pass for one:

    table   | rim | side | floor          floor: green, evenly, all of one line of colour
            |     |      |                sides: long, straight, two of them square to each other around the floor
    --------+-----+      |                behind a side: the wall's inner face, then its rim, then the table
                  |______|__ floor        across: as many dice as the rig's floor takes

A cloth or a mat has square corners too, but right behind its edge the table begins and nothing changes any more.
Another box of the same felt and measures can't be told from the rig's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import cv2
import numpy as np

from companion.vision.settings import ReaderSettings
from companion.vision.stretch import BLACK, Stretch, colours_of, outward, places_along, stretch_at
from companion.vision.types import DieReading, Floats, Image

# Green: so many times as much of it as of blue and of red. Least floor that is seen, in faces of a die, and how many
# stretches of green are looked at, the largest first.
_GREENER, _LEAST_FLOOR, _STRETCHES = 1.12, 30.0, 3
# How much softer the picture is looked at once more, in edges: walls are large, grain is not.
_SOFT = 0.12
# How far sides that are square or face each other may be from that, as a sine and a cosine.
_SQUARE, _FACING = math.sin(math.radians(10.0)), math.cos(math.radians(10.0))
# From where to where behind a side the rim of a wall ends, in edges, in steps; and by which share of the light there
# the colour changes.
_BEHIND, _STEP, _RIM = (0.15, 2.3), 0.1, 0.15
_NEAR_RIM = 3
# How far the dice across the floor may be from what they should be, as a share: edges are told by less than that.
_ACROSS_OFF = 0.25


def shows_box(image: Image, dice: Sequence[DieReading], settings: ReaderSettings) -> bool:
    """Whether a picture shows the box of the rig; never without a die that is vouched for, which tells the scale.

    Args:
        image: The picture, BGR.
        dice: What was read in it as in a strange photograph.
        settings: The rig that was agreed on, and the sizes of its dice.
    """
    faces = [np.array(die.outline_px, dtype=np.float32) for die in dice if die.verdict == "valid"]
    if not faces:
        return False
    edge_px = math.sqrt(float(np.median([cv2.contourArea(face) for face in faces])))
    colours, factor = colours_of(image, edge_px)
    unit = edge_px * factor
    softer = np.asarray(cv2.GaussianBlur(colours, (0, 0), _SOFT * unit))
    return any(_is_floor(floor, seen, unit, settings) for seen in (colours, softer) for floor in _green(seen, unit))


def _green(colours: Floats, unit: float) -> Iterator[Stretch]:
    """The largest stretches of green ground."""
    blue, green, red = np.moveaxis(colours, 2, 0)
    is_green = (green > _GREENER * np.maximum(blue, red)) & (np.linalg.norm(colours, axis=2) > BLACK)
    labels, stats = cv2.connectedComponentsWithStats(is_green.astype(np.uint8), connectivity=4)[1:3]
    areas = stats[1:, cv2.CC_STAT_AREA]
    for at in np.argsort(-areas)[:_STRETCHES]:
        if areas[at] > _LEAST_FLOOR * unit**2 and (found := stretch_at(colours, labels == at + 1, unit)) is not None:
            yield found


def _is_floor(floor: Stretch, colours: Floats, unit: float, settings: ReaderSettings) -> bool:
    """Whether a stretch of ground is the floor of the rig's box."""
    sides = [(side, outward(side, floor.mask)) for side in floor.sides]
    facing = [(one, other) for one, other in combinations(sides, 2) if one[1] @ other[1] < -_FACING]
    fitting = [pair for pair in facing if _fits(_within(*pair) / unit, settings)]
    if facing and not fitting:
        return False
    corners = [pair for pair in combinations(sides, 2) if _is_corner(*pair)]
    return any(_has_rim(side, out, colours, unit) for pair in fitting + corners for side, out in pair)


def _within(side: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> float:
    """How far from a side's line the middle of another one lies, px: positive where the ground is."""
    return float((side[0].mean(0) - other[0].mean(0)) @ side[1])


def _is_corner(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> bool:
    """Whether two sides are square to each other with the ground between them, not around them."""
    return abs(float(one[1] @ other[1])) < _SQUARE and _within(one, other) > 0 and _within(other, one) > 0


def _fits(across: float, settings: ReaderSettings) -> bool:
    """Whether a floor so many dice across may be the rig's, in either way."""
    least = min(settings.rig.floor_mm) / max(settings.die_sizes_mm)
    most = max(settings.rig.floor_mm) / min(settings.die_sizes_mm)
    return least * (1 - _ACROSS_OFF) < across < most * (1 + _ACROSS_OFF)


def _has_rim(side: Floats, out: Floats, colours: Floats, unit: float) -> bool:
    """Whether the colour changes once more behind the foot of a wall, all along it."""
    size = np.array(colours.shape[1::-1])
    shades = []
    for away in np.arange(*_BEHIND, _STEP) * unit:
        if not ((side.mean(0) + away * out >= 0) & (side.mean(0) + away * out < size)).all():
            break
        at = places_along(side, away * out, colours.shape)
        shades.append(np.median(colours[at[:, 1], at[:, 0]], axis=0))
    if len(shades) <= _NEAR_RIM + 2:
        return False
    changes = np.linalg.norm(np.subtract(shades[2:], shades[:-2]), axis=1)[_NEAR_RIM:]
    return bool(changes.max() > _RIM * np.linalg.norm(shades, axis=1).max())
