"""Pieces of markers in a picture in which the box could not be placed by them.

Theory. A marker is black and white only, in cells on a lattice, on white paper. That is kept where the detector gives
up: where the picture's edge cuts it, where something covers a part, where noise hides a cell, where the sheet is
another rig's. So dark blocks with few corners are looked for, a lattice is laid out from each corner that lies in the
picture, and the cells that are seen are compared with what a marker shows:

        paper paper paper pa        one side is seen whole: the lattice is known
        paper ##########  pa        a corner alone: all sizes are tried
        paper ##  ##  ##  pa
        --- edge of picture ---

A bar of black on paper says little by itself. Two of them that lie as far apart as two markers do, in their own
size, are the rig's. A die is no marker: it has no paper around it, and its pips do not fill the cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Literal

import cv2
import numpy as np

from companion.vision.settings import RigGeometry
from companion.vision.tray import DICTIONARY, marker_corners_mm
from companion.vision.types import Floats, Image, Mask

_CELLS = 6
_LARGEST_PX, _BLUR_PX = 1600, 0.8
_WINDOWS_PX, _DARKER = (23, 53, 113), 7
# A block: its shorter and longer side, its corners, and the share of its hull that is dark.
_LEAST_PX, _SMALLEST_PX, _MOST_PX, _MOST_CORNERS, _FILLED = 8, 26, 400, 6, 0.3
# A corner this near to the picture's edge is made by it; and how far from square a real one may be, as a cosine.
_AT_EDGE_PX, _SQUARE, _ASKEW = 2.5, 0.2, 1.25
# Where the paper around the black square is looked at, in cells from its edge.
_PAPER = 0.6
# Least difference of paper and ink: in codes, as a share of the paper, in spreads of the grain.
_LEAST_CODES, _LEAST_SHARE, _LEAST_GRAINS = 18.0, 0.35, 3.0
# A cell is black or white up to so much of that difference; and which shares of the cells may be neither.
_CLEAR, _STAINED, _UNCLEAR = 0.3, 0.1, 0.1
# So many cells of frame and paper must be seen, and so many inside, some of them white; of many one may be another's.
_LEAST_FRAME, _LEAST_INSIDE, _LEAST_WHITE, _MANY = 5, 8, 3, 12
# How far the distance of two markers, and their sizes, may be off, as a share.
_SHEET_OFF, _SIZE_OFF = 0.05, 0.12
# Sizes of a lattice of which one corner is seen, in sizes of what is seen.
_SIZES = 1.03 ** np.arange(48)
_FRAME = np.pad(np.zeros((_CELLS - 2, _CELLS - 2), dtype=bool), 1, constant_values=True).ravel()


def has_markers(image: Image, geometry: RigGeometry) -> bool:
    """Whether a picture shows markers, or pieces of them, that place no box.

    Args:
        image: The picture, BGR.
        geometry: The rig whose markers may be seen in part; of any other only whole ones are known.
    """
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    longest = max(gray.shape)
    if longest > _LARGEST_PX:
        gray = cv2.resize(gray, None, fx=_LARGEST_PX / longest, fy=_LARGEST_PX / longest, interpolation=cv2.INTER_AREA)
    gray = cv2.GaussianBlur(gray, (0, 0), _BLUR_PX)
    bars: list[tuple[Floats, float]] = []
    for block in _blocks(gray):
        for lattice, depth in _lattices(block, gray.shape):
            kind = _kind(gray, lattice, depth, geometry.marker_ids)
            if kind == "marker":
                return True
            if kind == "bar":
                middle = lattice @ np.array([_CELLS / 2, _CELLS / 2, 1.0])
                bars.append((middle, _CELLS * float(np.hypot(*lattice[:, 0]))))
    return _are_of_one_rig(bars, geometry)


def _blocks(gray: Image) -> Iterator[Floats]:
    """Hulls of dark blocks with few corners, each shape (n, 2), px, clockwise as seen."""
    for window in _WINDOWS_PX:
        dark = cv2.adaptiveThreshold(gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, window, _DARKER)
        for outline in cv2.findContours(dark, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0]:
            _x, _y, wide, high = cv2.boundingRect(outline)
            if min(wide, high) < _LEAST_PX or not _SMALLEST_PX <= max(wide, high) <= _MOST_PX:
                continue
            hull = cv2.convexHull(outline, clockwise=False)
            corners = cv2.approxPolyDP(hull, 0.025 * cv2.arcLength(hull, closed=True), closed=True)
            dense = cv2.contourArea(outline) > _FILLED * cv2.contourArea(hull)
            if dense and 3 <= len(corners) <= _MOST_CORNERS:
                yield corners.reshape(-1, 2).astype(np.float64)


def _lattices(corners: Floats, shape: tuple[int, ...]) -> Iterator[tuple[Floats, float]]:
    """Lattices that a block may be a piece of: maps from cells to px, shape (2, 3); and how many rows are uncovered."""
    far = np.array([shape[1] - 1.0, shape[0] - 1.0])
    cut: Mask = np.asarray(((corners < _AT_EDGE_PX) | (corners > far - _AT_EDGE_PX)).any(1))
    ways = np.roll(corners, -1, axis=0) - corners
    if ways[0, 0] * ways[1, 1] < ways[0, 1] * ways[1, 0]:
        corners, cut = corners[::-1], cut[::-1]
        ways = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(*ways.T)
    units = ways / lengths[:, None]
    for at in np.flatnonzero(~cut):
        one, two = units[at], -units[at - 1]
        if abs(one @ two) > _SQUARE:
            continue
        along, down = lengths[at], lengths[at - 1]
        ends_along, ends_down = not cut[(at + 1) % len(corners)], not cut[at - 1]
        depth = float(_CELLS)
        if not ends_along and not ends_down:
            sizes = [(side, side) for side in max(along, down) * _SIZES]
        elif ends_along and ends_down and along > _ASKEW * down:
            depth *= down / along
            sizes = [(along, along)]
        else:
            sizes = [(along if ends_along else down, down if ends_down else along)]
        for wide, high in sizes if sizes[0][0] >= _SMALLEST_PX else []:
            yield np.column_stack([one * wide / _CELLS, two * high / _CELLS, corners[at]]), depth


def _kind(gray: Image, lattice: Floats, depth: float, marker_ids: tuple[int, ...]) -> Literal["marker", "bar"] | None:
    """What the cells of a lattice make that are seen: a marker on its paper, or at least a black bar on white."""
    cells, seen = _shades(gray, lattice, depth, _places()[0])
    paper, paper_seen = _shades(gray, lattice, depth, _places()[1])
    frame, inside = seen & _FRAME, seen & ~_FRAME
    if min(frame.sum(), paper_seen.sum()) < _LEAST_FRAME:
        return None
    shades = cells.mean(1)
    ink, white = float(np.median(shades[frame])), float(np.median(paper[paper_seen].mean(1)))
    grain = float(np.median(cells[seen].std(1)))
    if white - ink < max(_LEAST_CODES, _LEAST_SHARE * white, _LEAST_GRAINS * grain):
        return None
    level, around = (shades - ink) / (white - ink), (paper[paper_seen].mean(1) - ink) / (white - ink)
    if (cells[seen].std(1) > _CLEAR * (white - ink)).mean() > _UNCLEAR:
        return None
    if (level[frame] > _CLEAR).mean() > _STAINED or (around < 1 - _CLEAR).mean() > _UNCLEAR:
        return None
    if inside.any() and (np.abs(level[inside] - 0.5) < 0.5 - _CLEAR).mean() > _UNCLEAR:
        return None
    if inside.sum() < _LEAST_INSIDE:
        return "bar"
    shown = level[inside] > 0.5
    others = (_codes()[:, :, inside] != shown).sum(2).min(1)
    ours = others[list(marker_ids)].min() <= int(inside.sum() >= _MANY)
    known = ours or (inside.all(where=~_FRAME) and others.min() == 0)
    return "marker" if known and shown.sum() >= _LEAST_WHITE else None


@cache
def _codes() -> Mask:
    """Which cells of all markers are white in all four turns, shape (markers, 4, 36)."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    drawn = [cv2.aruco.generateImageMarker(dictionary, n, _CELLS) for n in range(len(dictionary.bytesList))]
    return np.array([[np.rot90(cells, turn).ravel() > 0 for turn in range(4)] for cells in drawn])


@cache
def _places() -> tuple[Floats, Floats]:
    """Where cells and paper are looked at, in cells: shapes (36, 9, 2) and (24, 9, 2)."""
    at = np.arange(_CELLS) + 0.5
    spread = np.stack(np.meshgrid([-0.22, 0.0, 0.22], [-0.22, 0.0, 0.22]), -1).reshape(1, -1, 2)
    cells = np.stack(np.meshgrid(at, at), -1).reshape(-1, 1, 2)
    sides = [np.column_stack([at, np.full(_CELLS, side)]) for side in (-_PAPER, _CELLS + _PAPER)]
    paper = np.concatenate([*sides, *(side[:, ::-1] for side in sides)]).reshape(-1, 1, 2)
    return cells + spread, paper + spread


def _shades(gray: Image, lattice: Floats, depth: float, places: Floats) -> tuple[Floats, Mask]:
    """Grey at places of a lattice, shape (n, 9), and which of them lie in the picture, and uncovered, as a whole."""
    at = places @ lattice[:, :2].T + lattice[:, 2]
    far = np.array([gray.shape[1] - 1, gray.shape[0] - 1])
    seen = ((at >= 0) & (at <= far)).all((1, 2))
    if depth < _CELLS:
        seen &= places[:, :, 1].max(1) < depth
    cols, rows = np.clip(np.round(at).astype(int), 0, far).transpose(2, 0, 1)
    return gray[rows, cols].astype(np.float64), np.asarray(seen)


def _are_of_one_rig(bars: Sequence[tuple[Floats, float]], geometry: RigGeometry) -> bool:
    """Whether two black bars on white paper, as middle and size of their squares, lie as two markers do."""
    middles = [corners.mean(0) for corners in marker_corners_mm(geometry).values()]
    steps = {math.dist(one, other) / geometry.marker_mm for one, other in combinations(middles, 2)}
    for (one, size), (other, also) in combinations(bars, 2):
        apart = math.dist(one, other) / math.sqrt(size * also)
        if abs(math.log(size / also)) < _SIZE_OFF and any(abs(apart / step - 1) < _SHEET_OFF for step in steps):
            return True
    return False
