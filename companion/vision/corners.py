"""The box by markers that something covers in part, where too few of them are seen whole.

Theory. A die is smaller than a marker, so of the marker on which it lies three corners stay free, or all four. A first
camera fitted to the one or two markers that are whole knows nothing of the lens's bend, but tells to a centimetre or
two where the others must be. There the printed pattern is looked for as a whole: what lies on it spoils the likeness,
but does not move its peak. Then each corner speaks for itself:

        paper | paper        one quarter dark, three bright, each evenly so:
        ------+------        a die, its shadow or a finger on any of them
        paper | ink          and the corner is not used

What looks like a corner and is none (black beside the black square) does not agree with the others: all are held
against one camera, and whoever is off by more than a corner can be is left out. A marker of which fewer than three
corners are left tells nothing; with fewer than three markers, whole or in part, there is no tray.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from companion.vision.settings import RigGeometry
from companion.vision.tray import DICTIONARY, GOOD_MARKERS, Tray, fit_agreeing, fit_corners, marker_corners_mm
from companion.vision.types import Floats, Image

_CELLS = 6
# How far a marker may lie from where one or two others say, and how like its pattern the place must look.
_REACH_MM, _ALIKE = 20.0, 0.5
# Pixels of the drawn pattern a cell, white cells around it, of which so much is compared, and a usual lens's blur.
_FINE, _PAPER, _COMPARED, _BLUR_PX = 8, 1, 0.8, 1.2
# How far a corner may lie from where its pattern puts it, in cells.
_MOST_MOVED = 0.3
# The window of the search for a corner, as for those of whole markers: px at most, and cells.
_WINDOW_PX, _WINDOW = 4, 0.3
# Where the quarters around a corner are looked at, in cells, and how far from ink and from paper they may be.
_QUARTER = np.stack(np.meshgrid(np.linspace(0.3, 0.8, 4), np.linspace(0.3, 0.8, 4)), -1).reshape(-1, 2)
_CLEAR = 0.3
# Least difference of paper and ink, in codes and as a share of the paper.
_LEAST_CODES, _LEAST_SHARE = 18.0, 0.35
_SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
_INWARD = 1.0 - 2.0 * _SQUARE


def fit_covered(image: Image, whole: dict[int, Floats], geometry: RigGeometry) -> Tray | None:
    """The camera by the markers that are whole and by free corners of the others.

    Args:
        image: The picture, BGR or grey.
        whole: Corners of the markers that were found in it, shape (4, 2), px; fewer than three.
        geometry: The rig.

    Returns:
        The tray, its `seen` the whole markers and its `parts` the others; None where fewer than three markers agree.
    """
    size_px = (image.shape[1], image.shape[0])
    first = fit_corners(whole, size_px, geometry) if 0 < len(whole) < GOOD_MARKERS else None
    if first is None:
        return None
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image, dtype=np.uint8)
    markers = dict(whole)
    for marker, corners in marker_corners_mm(geometry).items():
        rough = None if marker in whole else _placed(gray, marker, first[0].project(corners), first[0].px_per_mm)
        if rough is not None:
            markers[marker] = _free(gray, rough)
    tray = fit_agreeing(markers, size_px, geometry, least=GOOD_MARKERS)
    if tray is None:
        return None
    return replace(
        tray, seen=tuple(m for m in tray.seen if m in whole), parts=tuple(m for m in tray.seen if m not in whole)
    )


def _placed(gray: Image, marker: int, quad: Floats, px_per_mm: float) -> Floats | None:
    """Where a marker's corners must be, shape (4, 2), px, by its whole pattern; None where nothing looks like it."""
    far = np.array([gray.shape[1], gray.shape[0]])
    if not ((quad >= 0) & (quad < far)).all():
        return None
    to_px = cv2.getPerspectiveTransform((_SQUARE * _CELLS).astype(np.float32), quad.astype(np.float32))
    ring = _through(to_px, _SQUARE * (_CELLS + 2 * _COMPARED) - _COMPARED)
    low, high = np.floor(ring.min(0)).astype(int), np.ceil(ring.max(0)).astype(int) + 1
    cells = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(DICTIONARY), marker, _CELLS)
    cells = np.pad(cells, _PAPER, constant_values=255).repeat(_FINE, axis=0).repeat(_FINE, axis=1)
    step, start = 1 / _FINE, 0.5 / _FINE - _PAPER
    to_cells = np.array([[step, 0.0, start], [0.0, step, start], [0.0, 0.0, 1.0]])
    to_patch = np.array([[1.0, 0.0, -low[0]], [0.0, 1.0, -low[1]], [0.0, 0.0, 1.0]])
    drawn = cv2.warpPerspective(cells, to_patch @ to_px @ to_cells, (high - low).tolist(), borderValue=255)
    drawn = cv2.GaussianBlur(drawn, (0, 0), _BLUR_PX)
    reach = round(_REACH_MM * px_per_mm)
    # Beyond the picture's edge its last pixels go on: a marker near it has room for less than the whole reach.
    columns, rows = (np.clip(np.arange(low[i] - reach, high[i] + reach), 0, far[i] - 1) for i in (0, 1))
    likeness = cv2.matchTemplate(gray[rows][:, columns], drawn, cv2.TM_CCOEFF_NORMED)
    _, best, _, at = cv2.minMaxLoc(likeness)
    found = quad + np.array(at) - reach
    # Most alike may be a place across the picture's edge, where there is no corner to look for.
    return found if best >= _ALIKE and ((found >= 0) & (found <= far - 1)).all() else None


def _free(gray: Image, rough: Floats) -> Floats:
    """The corners of a black square that nothing covers, shape (4, 2), px; NaN for the others."""
    cell_px = float(np.hypot(*(rough - np.roll(rough, 1, axis=0)).T).mean()) / _CELLS
    reach = max(1, min(_WINDOW_PX, round(_WINDOW * cell_px)))
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 30, 0.01)
    start = rough.astype(np.float32).reshape(-1, 1, 2)
    found = cv2.cornerSubPix(gray, start, (reach, reach), (-1, -1), stop).reshape(4, 2).astype(np.float64)
    to_px = cv2.getPerspectiveTransform((_SQUARE * _CELLS).astype(np.float32), rough.astype(np.float32))
    # The four quarters of each corner, its own one first.
    quarters = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])[:, None] * _QUARTER
    places = (_SQUARE * _CELLS)[:, None, None] + _INWARD[:, None, None] * quarters
    moved = found - rough
    at = (_through(to_px, places.reshape(-1, 2)).reshape(4, 4, -1, 2) + moved[:, None, None]).astype(np.float32)
    smooth = cv2.GaussianBlur(gray, (0, 0), 0.8)
    shades = cv2.remap(smooth, at.reshape(16, -1, 2), None, cv2.INTER_LINEAR).reshape(4, 4, -1).astype(np.float64)
    ink, paper = float(np.median(shades[:, 0])), float(np.median(shades[:, 1:]))
    if paper - ink < max(_LEAST_CODES, _LEAST_SHARE * paper):
        return np.full((4, 2), np.nan)
    level = (shades - ink) / (paper - ink)
    is_free = (level[:, 0].max(1) < _CLEAR) & (level[:, 1:].min((1, 2)) > 1 - _CLEAR)
    is_free &= np.hypot(moved[:, 0], moved[:, 1]) < _MOST_MOVED * cell_px
    return np.where(is_free[:, None], found, np.nan)


def _through(warp: Floats, points: Floats) -> Floats:
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), warp).reshape(-1, 2))
