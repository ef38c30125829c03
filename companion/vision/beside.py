"""Dice that lean on the outer wall or lie on the rim with their pips hard to tell: found by a network that knows dice.

Theory. A die outside is told by its pips (`outside.py`), and beside the wall those may be in its shadow, foreshortened,
cut off by the wall's top, or of hardly another colour than the face. But there the ground is the same all along: a rim
of one wood, a table of one cloth. So each strip along a wall is laid straight, and what differs from the middle colour
of its own line shows a body:

        rim    ------------------------------        each line: its median, and how far it usually strays
        table  ............ ####.............
               ............ ####.............        a patch of a die's size that strays by more
        ......................................

Only there the finder looks that sees upper faces in any picture. A die counts where network and drawn patterns name one
number on the face, or where the finder is sure of it, less so where the face has marks that stand out. It has no value
and no pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision import layout, pose, second
from companion.vision.faces import Face, Finder
from companion.vision.outside import OutsideDie
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image, Mask

# The strips: from so far behind the wall's inner edge to so many edges beyond the wall, in such steps.
_BEHIND_MM, _BEYOND, _STEP_MM = 1.0, 1.5, 1.5
# A place strays by so many codes, and so many times what its line usually does; around a place within a body so much of
# a square of so many edges strays; and such places fill so much of a die's square.
_STRAYS_CODES, _STRAYS, _BODY_EDGE, _BODY, _LEAST_BODY = 14.0, 3.0, 0.7, 0.35, 0.4
# Room around a body that the finder is given, in edges, and bodies that are looked at.
_ROOM, _MOST = 1.2, 6
# A face lies within so many edges of the wall, is no larger than so many, and lies outside by so much at least.
_NEAR, _LARGEST, _LEAST_OUT_MM = 1.2, 1.3, -3.0
# How sure finder and network must be of a face whose number is named alike; how sure the finder alone, how sure where
# there are marks on the face that stand out by so many codes, and how sure where it ends all around, too.
_SEEN, _NAMED = 0.45, 0.9
_SURELY_SEEN, _SEEN_WITH_MARKS, _MARKS_CODES = 0.85, 0.7, 25.0
_SEEN_WITH_EDGES, _AROUND = 0.55, 0.85
# Nothing nearer to a die that was found is another, in edges.
_APART = 1.35


class BesideSearch:
    """Searches the rim and the foot of the outer wall of one placed box for dice of one size."""

    def __init__(self, tray: Tray, size_mm: float, net: second.FaceNet) -> None:
        self.tray = tray
        self.size_mm = size_mm
        self._net = net
        self._finder: Finder | None = None
        self._strips = [tray.project(strip).astype(np.float32) for strip in _strips_mm(tray, size_mm)]
        self._edge_px = size_mm * tray.px_per_mm

    def dice(self, image: Image, found: Sequence[OutsideDie]) -> list[OutsideDie]:
        """Dice that are not among those found already, each once.

        Args:
            image: The picture, BGR.
            found: What the search by pips has found.
        """
        taken = [self.tray.project(die.pose.center_mm) for die in found]
        out: list[OutsideDie] = []
        for low, high in self._bodies(image, taken):
            if self._finder is None:
                self._finder = Finder()
            part = np.ascontiguousarray(image[low[1] : high[1], low[0] : high[0]])
            for face in sorted(self._finder.at(part, self._edge_px), key=lambda one: -one.seen):
                die = self._die(image, replace(face, middle=face.middle + low))
                if die is not None and all(np.hypot(*(place - face.middle - low)) > self._apart_px for place in taken):
                    taken.append(face.middle + low)
                    out.append(die)
        return out

    @property
    def _apart_px(self) -> float:
        return _APART * self._edge_px

    def _bodies(self, image: Image, taken: list[Floats]) -> list[tuple[Floats, Floats]]:
        """Windows of the picture in which something lies on the rim or beside it, the largest bodies first."""
        found = []
        for strip in self._strips:
            strays = self._strays(image, strip)
            for place in taken:
                strays &= np.hypot(strip[..., 0] - place[0], strip[..., 1] - place[1]) > self._apart_px / 2
            _, labels, stats, _ = cv2.connectedComponentsWithStats(strays.astype(np.uint8), connectivity=8)
            for label in 1 + np.flatnonzero(stats[1:, cv2.CC_STAT_AREA] > _LEAST_BODY * (self.size_mm / _STEP_MM) ** 2):
                at = strip[labels == label]
                found.append((int(stats[label, cv2.CC_STAT_AREA]), at.min(0), at.max(0)))
        room, far = _ROOM * self._edge_px, np.array(self.tray.size_px)
        return [
            (np.maximum(low - room, 0).astype(int), np.minimum(high + room, far).astype(int))
            for _, low, high in sorted(found, key=lambda body: -body[0])[:_MOST]
        ]

    def _strays(self, image: Image, strip: npt.NDArray[np.float32]) -> Mask:
        """Where a strip has another colour than its lines have, over a patch nearly as large as a die."""
        seen = cv2.remap(image, strip[..., 0], strip[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return strays(seen, self.size_mm / _STEP_MM)

    def _die(self, image: Image, face: Face) -> OutsideDie | None:
        """The die of a face, or None where it is not sure to be one or does not lie outside."""
        rim_mm = self.tray.geometry.wall_height_mm
        on_table = self._out_mm(face.middle, self.size_mm)
        if self._out_mm(face.middle, rim_mm + self.size_mm) < _LEAST_OUT_MM or face.size_px > _LARGEST * self._edge_px:
            return None
        if on_table > self.tray.geometry.wall_thick_mm + _NEAR * self.size_mm:
            return None
        crop = second.cut(image, face.middle, face.across)
        marks = layout.read(crop)
        odds = self._net.read([crop], turns=4)[0]
        number = int(odds.argmax())
        alike = number > 0 and number == marks.value and odds[number] >= _NAMED and face.seen >= _SEEN
        ends = _SEEN_WITH_EDGES if marks.around >= _AROUND else _SEEN_WITH_MARKS
        least = ends if marks.contrast >= _MARKS_CODES else _SURELY_SEEN
        if not alike and face.seen < least:
            return None
        base_mm = 0.0 if on_table > self.tray.geometry.wall_thick_mm + self.size_mm / 2 else rim_mm
        x, y = self.tray.lift(face.middle[None], base_mm + self.size_mm)[0]
        stands = pose.flat_pose(float(x), float(y), 0.0, self.size_mm, base_mm)
        number, light = (number, marks.light_pips) if alike else (0, None)
        return OutsideDie(pose=stands, number=number, sure=face.seen, light_pips=light, is_posed=False)

    def _out_mm(self, place_px: Floats, height_mm: float) -> float:
        """How far outside the inner floor a place lies that is so high above it."""
        x, y = np.abs(self.tray.lift(place_px[None], height_mm)[0])
        return float(max(x - self.tray.geometry.floor_mm[0] / 2, y - self.tray.geometry.floor_mm[1] / 2))


def strays(strip: Image, die_px: float) -> Mask:
    """Where a strip has another colour than its lines have, over a patch nearly as large as a die.

    Args:
        strip: A straight piece of the picture, its lines as rows, shape (rows, columns, 3).
        die_px: A die's edge in it.
    """
    soft = cv2.blur(strip, (3, 3)).astype(np.float32)
    off = np.abs(soft - np.median(soft, axis=1, keepdims=True)).max(2)
    usual = np.median(off, axis=1, keepdims=True)
    far = (off > np.maximum(_STRAYS_CODES, _STRAYS * usual)).astype(np.float32)
    wide = round(_BODY_EDGE * die_px) | 1
    return np.asarray(cv2.blur(far, (wide, wide), borderType=cv2.BORDER_REPLICATE) > _BODY)


def _strips_mm(tray: Tray, size_mm: float) -> list[Floats]:
    """Places on the rim and the table along each wall, shape (across, along, 3); the corners' outside is left out."""
    box = tray.geometry
    half_x, half_y = box.floor_mm[0] / 2, box.floor_mm[1] / 2
    away = np.arange(_BEHIND_MM, box.wall_thick_mm + _BEYOND * size_mm, _STEP_MM)
    height = np.where(away < box.wall_thick_mm, box.wall_height_mm, 0.0)
    out = []
    for half, reach, axis in ((half_x, half_y, 1), (half_y, half_x, 0)):
        along = np.arange(-half, half, _STEP_MM)
        for sign in (-1.0, 1.0):
            strip = np.zeros((len(away), len(along), 3))
            strip[..., 1 - axis], strip[..., axis] = along, (sign * (reach + away))[:, None]
            strip[..., 2] = height[:, None]
            out.append(strip)
    return out
