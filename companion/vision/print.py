"""What the printed markers tell beside their place: how sharp and bright the picture is, how large they were printed.

Theory. A marker is the one thing in the picture whose shape is known to a tenth of a millimetre, inside as well as
outside. Each of its pixels is black or white paper by the distance to the nearest edge, softened by the lens. Three
numbers explain a whole marker: its size, how far white has spread into black (a blurred edge seen through a camera's
gamma does that), and the width of the softened edge. Spreading moves edges that face each other apart or together;
size moves all edges outward. So the two are told apart by the cells inside, where the outline alone could not: a
sheet printed at 97 % and a soft lens both make the black square small. The true scale comes from where the four
markers lie, which the printer had no part in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from companion.vision.settings import RigGeometry
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image

_CELLS = 6
_BORDER_CELLS = 0.8
"""White paper around the square that is looked at, in cells of the marker."""
_FINE = 32
"""Samples a cell of the distance field."""
_SAMPLES = 48
_LEAST_CONTRAST = 25.0
_ROUNDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkerPrint:
    """One marker as the picture shows it.

    Attributes:
        marker: Its id.
        centre_mm: Where its middle lies, by the fitted camera.
        side_mm: Side of its black square, by the fitted camera.
        edge_px: Width of a black-white edge, standard deviation, px: what lens, focus and shaking leave.
        black: Level of its black, 0 to 255.
        white: Level of its paper, 0 to 255.
    """

    marker: int
    centre_mm: tuple[float, float]
    side_mm: float
    edge_px: float
    black: float
    white: float


def read_print(image: Image, tray: Tray, corners_px: dict[int, Floats]) -> tuple[MarkerPrint, ...]:
    """What each seen marker tells.

    Args:
        image: The picture, BGR or grey.
        tray: The camera over the box, fitted to these markers.
        corners_px: Corners by marker id, shape (4, 2), as found in this picture.
    """
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    found = (_read(np.asarray(gray, dtype=np.uint8), tray, marker, quad) for marker, quad in sorted(corners_px.items()))
    return tuple(one for one in found if one is not None)


def edge_width_px(image: Image, tray: Tray, marker: int, quad: Floats) -> float | None:
    """Width of the edges of one marker, at a fourth of the cost of reading it whole; None where it has no contrast."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    found = _read(np.asarray(gray, dtype=np.uint8), tray, marker, quad, sizes=(0,))
    return None if found is None else found.edge_px


def print_scale(prints: tuple[MarkerPrint, ...], geometry: RigGeometry) -> float | None:
    """How large the sheet was printed, 1.0 for true to scale; None with fewer than all four markers.

    The pieces of the sheet carry the distance to the box in them: a sheet that shrank brings its markers nearer to the
    box and so shrinks the picture's own scale by a part of what it shrank itself. That part is taken out again.

    Args:
        prints: All markers of one picture.
        geometry: The rig.
    """
    if len(prints) < len(geometry.marker_ids):
        return None
    wide_mm, deep_mm = (side + 2 * geometry.marker_out_mm for side in geometry.floor_mm)
    by_id = {one.marker: np.array(one.centre_mm) for one in prints}
    ring = [by_id[marker] for marker in geometry.marker_ids]
    sides_mm = [float(np.hypot(*(ring[at] - ring[at - 3]))) for at in range(4)]
    # The fit is pulled a little by the squares' own size: what counts is their size against their distances.
    stretch = sum(sides_mm) / (2 * (wide_mm + deep_mm))
    seen = float(np.median([one.side_mm for one in prints])) / geometry.marker_mm / stretch
    # Of the way between two markers, this share was printed: their pieces, and not the box.
    reach_mm = geometry.marker_out_mm - geometry.wall_thick_mm
    printed = 4 * reach_mm / (wide_mm + deep_mm)
    return seen * (1 - printed) / (1 - seen * printed)


@cache
def _distances(marker: int) -> Floats:
    """Distance of each place to the nearest edge, in cells: positive in white, negative in black."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    cells = cv2.aruco.generateImageMarker(dictionary, marker, _CELLS)
    border = 2
    paper = np.full((_CELLS + 2 * border,) * 2, 255, dtype=np.uint8)
    paper[border:-border, border:-border] = cells
    fine = cv2.resize(paper, None, fx=_FINE, fy=_FINE, interpolation=cv2.INTER_NEAREST)
    white = cv2.distanceTransform((fine > 0).astype(np.uint8), cv2.DIST_L2, 5)
    black = cv2.distanceTransform((fine == 0).astype(np.uint8), cv2.DIST_L2, 5)
    return np.asarray((white - black) / _FINE, dtype=np.float32)


def _field(marker: int, size: float) -> Floats:
    """Distances to the edges of a marker `size` times as large as its square in the samples, in cells of the square."""
    reach = _CELLS / 2 + _BORDER_CELLS
    ticks = (np.arange(_SAMPLES) + 0.5) / _SAMPLES * 2 * reach - reach
    fine = _distances(marker)
    places = ((ticks / size) * _FINE + fine.shape[0] / 2 - 0.5).astype(np.float32)
    across, down = np.meshgrid(places, places)
    return np.asarray(cv2.remap(fine, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) * size)


def _read(
    gray: Image, tray: Tray, marker: int, quad: Floats, sizes: tuple[int, ...] = (-1, 0, 1)
) -> MarkerPrint | None:
    reach = (_CELLS / 2 + _BORDER_CELLS) / (_CELLS / 2)
    ticks = ((np.arange(_SAMPLES) + 0.5) / _SAMPLES * 2 - 1) * reach
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float32)
    warp = cv2.getPerspectiveTransform(square, quad.astype(np.float32))
    grid = np.dstack(np.meshgrid(ticks, ticks)).astype(np.float32).reshape(-1, 1, 2)
    places = cv2.perspectiveTransform(grid, warp).reshape(_SAMPLES, _SAMPLES, 2)
    patch = cv2.remap(gray, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    fit = _fit(patch.astype(np.float32), marker, sizes)
    if fit is None:
        return None
    size, width, black, white = fit
    side_px = float(np.mean(np.hypot(*(quad - np.roll(quad, 1, axis=0)).T)))
    flat = tray.lift(quad, 0.0)
    side_mm = float(np.mean(np.hypot(*(flat - np.roll(flat, 1, axis=0)).T)))
    # Reading between pixels softens an edge by itself.
    between_px = 0.29
    edge_px = np.sqrt(max((width * side_px / _CELLS) ** 2 - between_px**2, 0.01))
    middle = flat.mean(0)
    return MarkerPrint(
        marker=marker,
        centre_mm=(float(middle[0]), float(middle[1])),
        side_mm=side_mm * size,
        edge_px=float(edge_px),
        black=black,
        white=white,
    )


def _fit(patch: Floats, marker: int, sizes: tuple[int, ...]) -> tuple[float, float, float, float] | None:
    """Size (1 is the square of the corners), edge width in cells, black and white, by trying ever finer."""
    low, high = (float(v) for v in np.percentile(patch, (10, 90)))
    if high - low < _LEAST_CONTRAST:
        return None
    size, spread, width = 1.0, 0.0, 0.08
    step = np.array([0.02, 0.06, 0.06])
    best = np.inf
    levels = (low, high)
    for _ in range(_ROUNDS):
        centre = (size, spread, width)
        for a in sizes:
            field = _field(marker, centre[0] + a * step[0])
            for b in (-1, 0, 1):
                for c in (-1, 0, 1):
                    wide = max(0.01, centre[2] + c * step[2])
                    miss, found = _miss(patch, field + (centre[1] + b * step[1]), wide)
                    if miss < best:
                        best, levels = miss, found
                        size, spread, width = centre[0] + a * step[0], centre[1] + b * step[1], wide
        if (size, spread, width) == centre:
            step = step / 2
    return size, width, *levels


def _miss(patch: Floats, distance: Floats, width: float) -> tuple[float, tuple[float, float]]:
    """How far a softened marker is from the patch, with the black and white that fit best."""
    share = 1.0 / (1.0 + np.exp(np.clip(-1.702 * distance / width, -30.0, 30.0)))
    mean, rest = float(share.mean()), share - share.mean()
    slope = float((rest * patch).sum()) / max(float((rest * rest).sum()), 1e-6)
    base = float(patch.mean()) - slope * mean
    off = patch - (base + slope * share)
    return float((off * off).mean()), (base, base + slope)
