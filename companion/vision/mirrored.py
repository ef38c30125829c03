r"""Dice that the picture's edge cuts: each is made whole by its mirror image, and then a network sees it.

Theory. What the edge leaves of an upper face makes no number. Laid against its mirror image along that edge it is a
face of a die again, if of no number that there is:

        |  ___            ___|___
        | o  /|          |\  o  /|
        |o  / |   ->     | \o o/ |
        |__/  |          |  \_/  |

Grain and letters look like faces, too, when they are mirrored. So only what stands out from the ground along the edge
is looked at, as beside the wall (`beside.py`), if it is no longer than a die, and the face must end where something of
another colour begins. Such a die has no value and no pose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision import layout, pose, second
from companion.vision.beside import strays
from companion.vision.faces import Face, Finder
from companion.vision.outside import OutsideDie
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image

# How deep along the edge bodies are looked for and with how many px to a die, how long they may be, in edges, and how
# much of a die's square they fill.
_DEPTH, _WORK_PX, _LONGEST, _LEAST_BODY = 1.8, 12, 2.2, 0.2
# How much farther a body reaches than the middle of its die, in edges, with its side, its shadow and what blurs it.
_BEYOND_MIDDLE = 1.02
# Room around a body that the finder is given, in edges, and bodies that are looked at.
_ROOM, _MOST = 1.3, 6
# How far in and out of the picture the middle of a mirrored face may lie, in edges: farther in a die is whole.
_IN, _OUT = 0.5, 0.35
# How sure the finder must be; how large a face may be, in edges; share of its surroundings of another colour.
_SEEN, _LARGEST, _LEAST_AROUND = 0.7, 1.6, 0.5
# What has hardly any marks, by codes, and so surely no number is a corner of paper.
_BLANK_CODES, _BLANK = 12.0, 0.8
# Nothing nearer to a die that was found is another, in edges.
_APART = 1.35


@dataclass(frozen=True, slots=True)
class _Edge:
    """An edge of the picture: the picture turned so that this edge is its first row, and how to turn places back."""

    turned: Image
    is_upright: bool
    is_far: bool

    def place(self, along: float, deep: float) -> Floats:
        """Where a place lies in the picture, px, shape (2,)."""
        across = self.turned.shape[0] - 1 - deep if self.is_far else deep
        return np.array([along, across] if self.is_upright else [across, along])


@dataclass(frozen=True, slots=True)
class _Body:
    """What stands out along an edge: from where to where, how deep it reaches, px, and its area."""

    edge: _Edge
    start: int
    end: int
    deep: float
    area: int


class MirrorSearch:
    """Searches the edges of the picture around one placed box for dice of one size."""

    def __init__(self, tray: Tray, size_mm: float) -> None:
        self.tray = tray
        self.size_mm = size_mm
        self._finder: Finder | None = None
        self._edge_px = size_mm * tray.px_per_mm

    def dice(self, image: Image, found: Sequence[OutsideDie]) -> list[OutsideDie]:
        """Dice that are not among those found already, each once.

        Args:
            image: The picture, BGR.
            found: What the other searches have found.
        """
        taken = [self.tray.project(die.pose.center_mm) for die in found]
        out: list[OutsideDie] = []
        for body in self._bodies(image):
            for seen, place in self._faces(body):
                if all(np.hypot(*(place - other)) > _APART * self._edge_px for other in taken):
                    stands = self._stands(place)
                    if stands is not None:
                        taken.append(place)
                        out.append(OutsideDie(pose=stands, number=0, sure=seen, light_pips=None, is_posed=False))
        return out

    def _bodies(self, image: Image) -> list[_Body]:
        """What stands out along an edge, the largest bodies first."""
        found: list[_Body] = []
        step = self._edge_px / _WORK_PX
        for edge in _edges(image):
            strip = edge.turned[: round(_DEPTH * self._edge_px)]
            small = (round(strip.shape[1] / step), round(strip.shape[0] / step))
            there = strays(cv2.resize(strip, small, interpolation=cv2.INTER_AREA), _WORK_PX)
            _, _, stats, _ = cv2.connectedComponentsWithStats(there.astype(np.uint8), connectivity=8)
            for left, top, wide, deep, area in stats[1:]:
                if top == 0 and wide < _LONGEST * _WORK_PX and area > _LEAST_BODY * _WORK_PX**2:
                    ends = deep * step if deep < small[1] else _BEYOND_MIDDLE * self._edge_px
                    found.append(_Body(edge, round(left * step), round((left + wide) * step), ends, int(area)))
        return sorted(found, key=lambda body: -body.area)[:_MOST]

    def _faces(self, body: _Body) -> Iterator[tuple[float, Floats]]:
        """How sure the finder is of faces that lie across an edge, made whole by their mirror image, and where."""
        if self._finder is None:
            self._finder = Finder()
        room = round(_ROOM * self._edge_px)
        first = max(0, body.start - room)
        inner = body.edge.turned[: 2 * room, first : body.end + room]
        whole = np.ascontiguousarray(np.concatenate([inner[room:0:-1], inner]))
        for one in sorted(self._finder.at(whole, self._edge_px), key=lambda face: -face.seen):
            # With its mirror image a face has its middle at the edge; how deep the body reaches tells its own.
            across = float(one.middle[1]) - room
            if -_OUT * self._edge_px < across < _IN * self._edge_px and self._is_face(whole, one):
                deep = body.deep - _BEYOND_MIDDLE * self._edge_px
                yield one.seen, body.edge.place(float(one.middle[0]) + first, deep)

    def _is_face(self, whole: Image, one: Face) -> bool:
        if one.seen < _SEEN or one.size_px > _LARGEST * self._edge_px:
            return False
        shown = layout.read(second.cut(whole, one.middle, one.across))
        blank = shown.contrast < _BLANK_CODES and one.odds[0] > _BLANK
        return shown.around >= _LEAST_AROUND and not blank

    def _stands(self, place_px: Floats) -> pose.DiePose | None:
        """About where such a die stands; None on the box."""
        box = self.tray.geometry
        x, y = self.tray.lift(place_px[None], self.size_mm / 2)[0]
        out_mm = max(abs(x) - box.floor_mm[0] / 2, abs(y) - box.floor_mm[1] / 2)
        return None if out_mm < box.wall_thick_mm else pose.flat_pose(float(x), float(y), 0.0, self.size_mm)


def _edges(image: Image) -> list[_Edge]:
    aside = image.transpose(1, 0, 2)
    return [
        _Edge(image, True, False),
        _Edge(image[::-1], True, True),
        _Edge(aside, False, False),
        _Edge(aside[::-1], False, True),
    ]
