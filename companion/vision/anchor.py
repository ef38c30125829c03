"""Whether the box is still where it was found, told by lines that were seen then: a look that costs next to nothing.

Theory. Edges of markers and of the walls' tops are long and straight. Averaged along itself each gives a profile
across, far above grain, and when box or camera move the profile slides:

    then  _______/-----|____        mm across the line
    now   __________/-----|_        slid by 1.5 mm: elsewhere

Two markers whose edges are where they were hold the box in place and turn. Where hands and cards cover them the walls
speak: three of them must be seen where they were. Where nobody can tell the box has to be found anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.settings import RigGeometry
from companion.vision.tray import Tray, marker_corners_mm
from companion.vision.types import Floats, Image

# Profiles reach so far to both sides of a line, in such steps; the middle of the old one is looked for in the new one.
_REACH_MM, _STEP_MM, _CORE_MM = 6.0, 0.5, 3.0
_ALONG = np.linspace(0.12, 0.88, 13)
# Least likeness of two profiles, least spread of one in codes, and how far a line may have slid.
_ALIKE, _LEAST_SPREAD, _STAYED_MM = 0.9, 5.0, 0.75
# So many of a marker's four edges must be where they were, and so many markers or walls.
_EDGES, _MARKERS, _WALLS = 3, 2, 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Anchor:
    """What the lines of a rig looked like when its box was found.

    Attributes:
        tray: The box as it was found.
        places: Where the profiles are taken, px, shape (lines, along, across, 2).
        profiles: Grey across each line, shape (lines, across).
    """

    tray: Tray
    places: Floats
    profiles: Floats

    @staticmethod
    def of(image: Image, tray: Tray) -> Anchor:
        """Remember a picture in which the box was found.

        Args:
            image: The picture, BGR.
            tray: The box that was found in it.
        """
        places = tray.project(_lines_mm(tray.geometry))
        return Anchor(tray=tray, places=places, profiles=_profiles(image, places))

    def holds(self, image: Image) -> bool:
        """Whether the box is surely where it was; pictures of another size tell nothing.

        Args:
            image: A later picture, BGR.
        """
        if self.tray.size_px != (image.shape[1], image.shape[0]):
            return False
        slid = _slid_mm(self.profiles, _profiles(image, self.places))
        stayed = np.abs(slid) < _STAYED_MM
        seen = np.array([marker in self.tray.seen for marker in self.tray.geometry.marker_ids])
        markers = (stayed[:16].reshape(4, 4).sum(1) >= _EDGES) & seen
        # One edge of a wall does, but in both its halves alike: where a box only turns they go to both sides.
        straight = np.abs(np.diff(slid[16:].reshape(4, 2, 2), axis=2)[..., 0]) < _STAYED_MM
        walls = np.asarray(stayed[16:].reshape(4, 2, 2).all(2) & straight).any(1)
        return bool(markers.sum() >= _MARKERS or walls.sum() >= _WALLS)


def _lines_mm(geometry: RigGeometry) -> Floats:
    """Places along and across all lines, mm, shape (32, along, across, 3): edges of markers, then halves of walls."""
    x, y = geometry.floor_mm[0] / 2, geometry.floor_mm[1] / 2
    out = []
    for corners in marker_corners_mm(geometry).values():
        out += [_across(one, other) for one, other in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    tops = []
    for wide in (0.0, geometry.wall_thick_mm):
        flat = np.array([[-x - wide, y + wide], [x + wide, y + wide], [x + wide, -y - wide], [-x - wide, -y - wide]])
        tops.append(np.column_stack([flat, np.full(4, geometry.wall_height_mm)]))
    for side in range(4):
        for top in tops:
            one, other = top[side], top[(side + 1) % 4]
            out += [_across(one, (one + other) / 2), _across((one + other) / 2, other)]
    return np.stack(out)


def _across(one: Floats, other: Floats) -> Floats:
    """Places along a level line and across it, shape (along, across, 3)."""
    way = (other - one) / np.linalg.norm(other - one)
    steps = np.arange(-_REACH_MM, _REACH_MM + _STEP_MM / 2, _STEP_MM)
    aside = np.array([-way[1], way[0], 0.0])
    return np.asarray((one + _ALONG[:, None] * (other - one))[:, None] + steps[:, None] * aside)


def _profiles(image: Image, places: Floats) -> Floats:
    """Grey across each line, shape (lines, across): the median along it, so that a die that leans there is nothing."""
    lines, along, across, _ = places.shape
    at = places.reshape(lines * along, across, 2).astype(np.float32)
    seen = cv2.remap(image, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    blue, green, red = cv2.split(seen)
    light = np.add(np.add(blue, green, dtype=np.uint16), red).reshape(lines, along, across)
    return np.asarray(np.partition(light, along // 2, axis=1)[:, along // 2] / 3.0)


def _slid_mm(before: Floats, now: Floats) -> Floats:
    """How far each line went to its side, mm, shape (lines,); NaN where it is not seen."""
    skip = round((_REACH_MM - _CORE_MM) / _STEP_MM)
    core = before[:, skip:-skip]
    parts = np.lib.stride_tricks.sliding_window_view(now, core.shape[1], axis=1)
    core = core - core.mean(1, keepdims=True)
    parts = parts - parts.mean(2, keepdims=True)
    size, sizes = np.linalg.norm(core, axis=1), np.linalg.norm(parts, axis=2)
    likeness = (parts * core[:, None]).sum(2) / np.maximum(size[:, None] * sizes, 1e-9)
    best = likeness.argmax(1)
    least = _LEAST_SPREAD * np.sqrt(core.shape[1])
    told = (likeness.max(1) > _ALIKE) & (size > least) & (sizes[np.arange(len(best)), best] > least)
    return np.where(told, (best - skip) * _STEP_MM, np.nan)
