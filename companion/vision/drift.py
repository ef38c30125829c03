"""Whether the rig is still as it was when the box was found: markers in place, sharp, lit as before.

Theory. Two looks, a cheap one often and a thorough one rarely. The cheap one compares small patches around the markers
in the small grey picture with how they looked: each is where it was, elsewhere, or hidden (a hand, a sleeve). Only
when markers are elsewhere, or once in a while, the thorough one searches them in the whole picture. That box and
markers moved against the camera is plain from their place; who moved is told by the table around them: if it stayed
where it was in the picture, the box was pushed, if it moved along, the camera was knocked. A table without any grain
cannot tell, and then nobody is named.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

from companion.vision.calibration import BRIGHTEST, DARKEST, SOFTEST_MM
from companion.vision.print import edge_width_px
from companion.vision.settings import ReaderSettings
from companion.vision.tray import Tray, find_markers, fit_tray, marker_corners_mm
from companion.vision.types import DieReading, Floats, Image

_SEARCH_PX = 8
"""How far the cheap look follows a marker, px of the small picture."""
_SAME, _SHIFTED = 0.75, 0.35
"""Likeness from which a patch is the marker, and shift in px of the small picture from which it lies elsewhere."""
_MOVED_MM = 0.8
_LEAST_MARKERS = 2
_LIT_LESS, _LIT_MORE = 0.6, 1.5
_SOFTER = 1.7
_CLEARER = 1.5
"""How much better one answer to who moved must explain the table than the other."""
_GRAIN = 3.0


class Glance(StrEnum):
    """What the cheap look says."""

    THERE = "there"
    MOVED = "moved"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What the thorough look found.

    Attributes:
        problems: Codes of what is not as it was or as it must be: 'marker-hidden', 'markers-lost', 'light-changed',
            'too-dark', 'too-bright', 'focus-lost'.
        moved: 'box', 'camera' or 'either' when box and camera are no longer where they were to each other.
        moved_mm: By how much the middle of the box moved against the picture.
        tray: The box as it lies now, or None where too few markers are seen to tell.
        hidden: Ids of the markers that are not seen.
    """

    problems: tuple[str, ...]
    moved: str | None
    moved_mm: float
    tray: Tray | None
    hidden: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Patch:
    marker: int
    image: Image
    left: int
    top: int


class DriftWatch:
    """Remembers how a placed box looked and compares.

    Args:
        settings: The rig and its dice.
        edge_px: Width of an edge at calibration; None takes that of the first thorough look.
        paper: Level of the darkest marker's paper at calibration; None likewise.
    """

    def __init__(self, settings: ReaderSettings, *, edge_px: float | None = None, paper: float | None = None) -> None:
        self._settings = settings
        self._edge_px = edge_px
        self._paper = paper
        self._tray: Tray | None = None
        self._luma: Image | None = None
        self._patches: tuple[_Patch, ...] = ()
        self._looks = 0

    @property
    def knows(self) -> Tray | None:
        """The box that is compared with."""
        return self._tray

    @property
    def reference(self) -> tuple[float | None, float | None]:
        """Width of an edge and level of the paper that are compared with; None where nothing was measured yet."""
        return self._edge_px, self._paper

    def calibrated(self, edge_px: float | None, paper: float | None) -> None:
        """Compare with what a calibration measured from now on."""
        self._edge_px, self._paper = edge_px, paper

    def remember(self, luma: Image, tray: Tray) -> None:
        """Take the picture and the box as they are now as how they should be."""
        self._tray, self._luma = tray, luma
        scale = luma.shape[1] / tray.size_px[0]
        patches = []
        for marker, corners in marker_corners_mm(tray.geometry).items():
            if marker not in tray.seen:
                continue
            ring = tray.project(corners) * scale
            left, top = np.floor(ring.min(0)).astype(int) - 2
            right, low = np.ceil(ring.max(0)).astype(int) + 3
            if left >= 0 and top >= 0 and right <= luma.shape[1] and low <= luma.shape[0]:
                patch = luma[top:low, left:right].copy()
                patches.append(_Patch(marker=marker, image=patch, left=int(left), top=int(top)))
        self._patches = tuple(patches)

    def glance(self, luma: Image) -> Glance:
        """Whether the markers are where they were; costs a tenth of a millisecond."""
        if self._luma is None or luma.shape != self._luma.shape:
            return Glance.HIDDEN
        there = moved = 0
        for patch in self._patches:
            shift = _shift(luma, patch)
            if shift is None:
                continue
            if shift > _SHIFTED:
                moved += 1
            else:
                there += 1
        if moved >= _LEAST_MARKERS or (moved and not there):
            return Glance.MOVED
        return Glance.THERE if there >= _LEAST_MARKERS else Glance.HIDDEN

    def look(self, image: Image, luma: Image) -> Looked:
        """Search the markers and compare everything.

        Args:
            image: The whole picture, BGR.
            luma: The small grey picture of the same frame.
        """
        size_px = (image.shape[1], image.shape[0])
        markers = find_markers(image, self._settings.rig)
        tray = fit_tray(markers, size_px, self._settings.rig)
        hidden = tuple(marker for marker in self._settings.rig.marker_ids if marker not in markers)
        if tray is None:
            return Looked(problems=("markers-lost",), moved=None, moved_mm=0.0, tray=None, hidden=hidden)
        wrong = ["marker-hidden"] if hidden else []
        wrong += self._light_and_focus(image, tray, markers)
        moved_mm = self._moved_mm(tray)
        moved = self._who(luma, tray) if moved_mm > _MOVED_MM else None
        return Looked(problems=tuple(wrong), moved=moved, moved_mm=round(moved_mm, 1), tray=tray, hidden=hidden)

    def _light_and_focus(self, image: Image, tray: Tray, markers: dict[int, Floats]) -> list[str]:
        self._looks += 1
        marker = sorted(markers)[self._looks % len(markers)]
        edge_px = edge_width_px(image, tray, marker, markers[marker])
        whites = [_white(image, tray, marker) for marker in markers]
        paper, brightest = min(whites), max(whites)
        self._paper = paper if self._paper is None else self._paper
        self._edge_px = edge_px if self._edge_px is None else self._edge_px
        wrong = []
        if brightest > BRIGHTEST:
            wrong.append("too-bright")
        elif paper < DARKEST:
            wrong.append("too-dark")
        elif len(markers) == len(self._settings.rig.marker_ids) and not (
            _LIT_LESS < paper / max(self._paper, 1.0) < _LIT_MORE
        ):
            wrong.append("light-changed")
        softest_px = SOFTEST_MM * tray.px_per_mm
        if (
            edge_px is None
            or edge_px > softest_px
            or (self._edge_px is not None and edge_px > max(_SOFTER * self._edge_px, 0.75 * softest_px))
        ):
            wrong.append("focus-lost")
        return wrong

    def _moved_mm(self, tray: Tray) -> float:
        """How far the corners of the box floor went, in mm of the box; 0 while nothing is remembered."""
        old = self._tray
        if old is None or old.size_px != tray.size_px:
            return 0.0
        x, y = tray.geometry.floor_mm[0] / 2, tray.geometry.floor_mm[1] / 2
        corners = np.array([[-x, y, 0.0], [x, y, 0.0], [x, -y, 0.0], [-x, -y, 0.0]])
        gaps = np.hypot(*(tray.project(corners) - old.project(corners)).T)
        return float(np.median(gaps)) / tray.px_per_mm

    def _who(self, luma: Image, tray: Tray) -> str:
        """'box', 'camera', or 'either' where the table around the box has nothing to tell them apart by."""
        old, before = self._tray, self._luma
        if old is None or before is None or before.shape != luma.shape:
            return "either"
        scale = luma.shape[1] / tray.size_px[0]
        outer = tray.geometry.floor_mm[0] / 2 + 80.0, tray.geometry.floor_mm[1] / 2 + 80.0
        ring = np.array(
            [[-outer[0], outer[1], 0], [outer[0], outer[1], 0], [outer[0], -outer[1], 0], [-outer[0], -outer[1], 0]]
        )
        source, target = (np.asarray(one.project(ring) * scale, dtype=np.float32) for one in (old, tray))
        table = np.ones(luma.shape[:2], dtype=np.uint8)
        for corners in (source, target):
            cv2.fillPoly(table, [np.round(corners).astype(np.int32)], 0)
        size = (luma.shape[1], luma.shape[0])
        warp = cv2.getPerspectiveTransform(source, target)
        along = cv2.warpPerspective(before, warp, size, flags=cv2.INTER_LINEAR)
        inside = cv2.warpPerspective(np.ones_like(before), warp, size, flags=cv2.INTER_NEAREST) > 0
        seen = (table > 0) & inside
        if int(seen.sum()) < 200:
            return "either"
        stayed, went = _unlike(luma, before, seen), _unlike(luma, along, seen)
        if max(stayed, went) < _GRAIN or max(stayed, went) < _CLEARER * min(stayed, went):
            return "either"
        return "box" if stayed < went else "camera"


def carried(die: DieReading, old: Tray, new: Tray) -> DieReading:
    """A die that went along with its box, at the place where it is seen now."""
    half_mm = (die.height_mm or 0.0) / 2

    def seen(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        flat = old.lift(np.array(points, dtype=np.float64).reshape(-1, 2), half_mm)
        now = new.project(np.column_stack([flat, np.full(len(flat), half_mm)]))
        return [(round(float(x), 1), round(float(y), 1)) for x, y in now]

    (center,) = seen([die.center_px])
    x, y = (round(now - then) for now, then in zip(center, die.center_px, strict=True))
    left, top, wide, high = die.box_px
    return replace(
        die, center_px=center, box_px=(left + x, top + y, wide, high), outline_px=tuple(seen(list(die.outline_px)))
    )


def _unlike(one: Image, other: Image, where: Floats) -> float:
    """Mean difference of two pictures of the table, a common change of light taken out."""
    now, then = one[where].astype(np.float32), other[where].astype(np.float32)
    gain = float(np.median(now)) / max(1.0, float(np.median(then)))
    return float(np.abs(now - gain * then).mean())


def _shift(luma: Image, patch: _Patch) -> float | None:
    """How far a marker is from where it was, px of the small picture; None where it is not seen near by."""
    rows, cols = patch.image.shape
    top, left = max(0, patch.top - _SEARCH_PX), max(0, patch.left - _SEARCH_PX)
    part = luma[top : patch.top + rows + _SEARCH_PX, left : patch.left + cols + _SEARCH_PX]
    likeness = cv2.matchTemplate(part, patch.image, cv2.TM_CCOEFF_NORMED)
    _low, best, _at, place = cv2.minMaxLoc(likeness)
    if best < _SAME:
        return None
    x, y = place
    return float(
        np.hypot(x + _peak(likeness[y], x) - (patch.left - left), y + _peak(likeness[:, x], y) - (patch.top - top))
    )


def _peak(values: Floats, at: int) -> float:
    """Where between the samples a peak lies, from its neighbours."""
    if not 0 < at < len(values) - 1:
        return 0.0
    before, here, after = (float(v) for v in values[at - 1 : at + 2])
    bend = before - 2 * here + after
    return 0.0 if bend >= 0 else 0.5 * (before - after) / bend


def _white(image: Image, tray: Tray, marker: int) -> float:
    """Level of the paper around a marker's square."""
    corners = marker_corners_mm(tray.geometry)[marker]
    middle = corners.mean(0)
    ring = tray.project(middle + (corners - middle) * 1.2)
    levels = []
    for start, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        for part in (0.1, 0.3, 0.5, 0.7, 0.9):
            x, y = (start + (end - start) * part).round().astype(int)
            if 0 <= x < image.shape[1] and 0 <= y < image.shape[0]:
                levels.append(float(image[y, x].mean()))
    return float(np.median(levels)) if levels else 0.0
