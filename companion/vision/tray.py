"""The box in the picture: markers found, camera placed, millimetres turned into pixels and back.

Theory. The four markers lie in one plane with the box floor, so their sixteen corners give the whole camera: the
focal length is known from the lens (its error of a per cent only moves the camera up or down by as much, which
changes no angle that matters here), and six numbers of pose and one of radial distortion are fitted by least
squares. From then on a point (x, y, z) in mm has one place in the picture, at every height. This is what lets a
die's upper face, twelve to thirty millimetres above the floor, be measured without the parallax that a plain
homography of the floor would leave in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np

from companion.vision.settings import RigGeometry
from companion.vision.types import Floats, Image

DICTIONARY = cv2.aruco.DICT_4X4_50
"""The markers that the rig's are taken from."""

_MIN_MARKERS = 2
GOOD_MARKERS = 3
"""So many tell the lens's bend from the camera's place."""
_MAX_ERROR_PX = 2.5
# Corners agree to so much; from here on one may be none; and so many of a marker must be left.
_AGREED_PX, _FALSE_PX, _LEAST_CORNERS = 0.8, 1.5, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Tray:
    """A camera placed over a box.

    Attributes:
        geometry: The box that it was fitted to.
        matrix: Camera matrix, shape (3, 3), px.
        k1: Radial distortion, OpenCV's first coefficient.
        rotation: World to camera, shape (3, 3).
        position_mm: Camera in the world, shape (3,).
        error_px: Root mean square distance of the marker corners from where they should be.
        bloom_px: How far white paper has spread into the black squares, per edge; tells how sharp the picture is.
        seen: Ids of the markers that were used whole.
        parts: Ids of those of which single corners were used.
        size_px: Width and height of the picture it holds for.
        px_per_mm: Picture scale in the middle of the box floor.
        lens: Focal lengths and middle of the picture, px.
    """

    geometry: RigGeometry
    matrix: Floats
    k1: float
    rotation: Floats
    position_mm: Floats
    error_px: float
    bloom_px: float
    seen: tuple[int, ...]
    parts: tuple[int, ...] = ()
    size_px: tuple[int, int]
    px_per_mm: float = field(init=False, repr=False, compare=False)
    lens: tuple[float, float, float, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        (fx, _, cx), (_, fy, cy) = self.matrix[:2].tolist()
        object.__setattr__(self, "lens", (fx, fy, cx, cy))
        ends = self.project(np.array([[-50.0, 0.0, 0.0], [50.0, 0.0, 0.0]]))
        object.__setattr__(self, "px_per_mm", float(np.hypot(*(ends[1] - ends[0])) / 100.0))

    def project(self, points_mm: Floats) -> Floats:
        """Pixels of world points, shape (..., 3) to (..., 2)."""
        camera = (np.asarray(points_mm, dtype=np.float64) - self.position_mm) @ self.rotation.T
        fx, fy, cx, cy = self.lens
        # Each coordinate by itself: arithmetic along a last axis of two is the slowest way through an array.
        z = camera[..., 2]
        x, y = camera[..., 0] / z, camera[..., 1] / z
        bend = 1.0 + self.k1 * (x * x + y * y)
        out = np.empty((*z.shape, 2))
        out[..., 0] = x * bend * fx + cx
        out[..., 1] = y * bend * fy + cy
        return out

    def lift(self, points_px: Floats, z_mm: float) -> Floats:
        """World x and y of pixels, shape (..., 2), for points known to lie `z_mm` above the floor."""
        points = np.asarray(points_px, dtype=np.float64)
        fx, fy, cx, cy = self.lens
        bent_x, bent_y = (points[..., 0] - cx) / fx, (points[..., 1] - cy) / fy
        x, y = bent_x, bent_y
        for _ in range(3):
            bend = 1.0 + self.k1 * (x * x + y * y)
            x, y = bent_x / bend, bent_y / bend
        rays = x[..., None] * self.rotation[0] + y[..., None] * self.rotation[1] + self.rotation[2]
        reach = (z_mm - self.position_mm[2]) / rays[..., 2:]
        return np.asarray(self.position_mm[:2] + rays[..., :2] * reach)


def marker_corners_mm(geometry: RigGeometry) -> dict[int, Floats]:
    """World corners of each marker, shape (4, 3), in the order in which the detector gives them."""
    half_x, half_y = (
        geometry.floor_mm[0] / 2 + geometry.marker_out_mm,
        geometry.floor_mm[1] / 2 + geometry.marker_out_mm,
    )
    centres = ((-half_x, half_y), (half_x, half_y), (half_x, -half_y), (-half_x, -half_y))
    half = geometry.marker_mm / 2
    square = np.array([[-half, half], [half, half], [half, -half], [-half, -half]])
    return {
        marker: np.column_stack([square + centre, np.zeros(4)])
        for marker, centre in zip(geometry.marker_ids, centres, strict=True)
    }


def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.cornerRefinementWinSize = 4
    parameters.adaptiveThreshWinSizeMin = 13
    parameters.adaptiveThreshWinSizeMax = 53
    parameters.adaptiveThreshWinSizeStep = 20
    # A black part within a marker is a square too; by the usual distance one would be taken in the stead of the whole.
    parameters.minMarkerDistanceRate = 0.05
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return cv2.aruco.ArucoDetector(dictionary, parameters)


def find_markers(image: Image, geometry: RigGeometry) -> dict[int, Floats]:
    """Corners in px, shape (4, 2), of the rig's markers in a picture; a marker seen twice is not used."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    corners, ids, _ = _detector().detectMarkers(gray)
    found: dict[int, Floats] = {}
    twice: set[int] = set()
    for quad, marker in zip(corners, [] if ids is None else ids.ravel().tolist(), strict=True):
        if marker in found:
            twice.add(marker)
        elif marker in geometry.marker_ids:
            found[marker] = np.asarray(quad, dtype=np.float64).reshape(4, 2)
    return {marker: quad for marker, quad in found.items() if marker not in twice}


def find_tray(image: Image, geometry: RigGeometry) -> Tray | None:
    """The box by its markers, or None when fewer than two of them are seen or they contradict each other."""
    return fit_tray(find_markers(image, geometry), (image.shape[1], image.shape[0]), geometry)


def fit_tray(markers: dict[int, Floats], size_px: tuple[int, int], geometry: RigGeometry) -> Tray | None:
    """The camera that explains marker corners; a corner or a marker that contradicts the others is left out.

    Args:
        markers: Corners in px by marker id, shape (4, 2).
        size_px: Width and height of the picture.
        geometry: The rig.

    Returns:
        The tray, or None when it can't be fitted within 2.5 px.
    """
    if len(markers) < _MIN_MARKERS:
        return None
    whole = fit_corners(markers, size_px, geometry)
    if whole is not None and len(markers) >= GOOD_MARKERS and _most_off_px(whole[1]) > _FALSE_PX:
        # What covers a corner may have one of its own there. A whole marker that lies a little off is left as it is.
        agreed = fit_agreeing(markers, size_px, geometry, least=len(markers))
        if agreed is not None:
            return agreed
    tray = None if whole is None else whole[0]
    if tray is None or tray.error_px > _MAX_ERROR_PX / 2:
        trials = [
            trial[0]
            for left_out in markers
            if len(markers) > GOOD_MARKERS
            and (trial := fit_corners({m: q for m, q in markers.items() if m != left_out}, size_px, geometry))
        ]
        tray = min([*trials, *([tray] if tray else [])], key=lambda t: t.error_px, default=None)
    return tray if tray is not None and tray.error_px <= _MAX_ERROR_PX else None


def fit_agreeing(
    markers: dict[int, Floats], size_px: tuple[int, int], geometry: RigGeometry, *, least: int
) -> Tray | None:
    """One camera that all corners agree on, but for those that contradict the others.

    Args:
        markers: Corners in px by marker id, shape (4, 2), NaN where one is not seen. Of a marker three must be left.
        size_px: Width and height of the picture.
        geometry: The rig.
        least: So many markers must be left, three or more.

    Returns:
        The tray, or None where fewer agree within 0.8 px.
    """
    left = dict(markers)
    while True:
        left = {marker: quad for marker, quad in left.items() if np.isfinite(quad).all(1).sum() >= _LEAST_CORNERS}
        fitted = fit_corners(left, size_px, geometry) if len(left) >= least else None
        if fitted is None:
            return None
        tray, off = fitted
        if _most_off_px(off) <= _AGREED_PX:
            return tray
        worst = max(left, key=lambda marker: _most_off_px({marker: off[marker]}))
        left[worst] = left[worst].copy()
        left[worst][np.nanargmax(np.hypot(*off[worst].T))] = np.nan


def _most_off_px(off: dict[int, Floats]) -> float:
    return float(np.nanmax(np.hypot(*np.concatenate(list(off.values())).T)))


def fit_corners(
    markers: dict[int, Floats], size_px: tuple[int, int], geometry: RigGeometry
) -> tuple[Tray, dict[int, Floats]] | None:
    """The camera that explains all these corners best, however well that is.

    Args:
        markers: Corners in px by marker id, shape (4, 2), NaN where one is not seen; at least four of them all told.
        size_px: Width and height of the picture.
        geometry: The rig.

    Returns:
        The tray, and by marker what is left between its corners and their places, px; None where no camera above the
        box explains them.
    """
    world = marker_corners_mm(geometry)
    all_pixels = np.concatenate([markers[m] for m in markers])
    seen = np.isfinite(all_pixels).all(1)
    points = np.concatenate([world[m] for m in markers])[seen]
    outward = np.concatenate([(world[m] - world[m].mean(0)) * (2 / geometry.marker_mm) for m in markers])[seen]
    pixels = all_pixels[seen]
    width, height = size_px
    focal = width / 2 / math.tan(math.radians(geometry.view_deg) / 2)
    matrix = np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])
    solved, turn, shift = cv2.solvePnP(points, pixels, matrix, None, flags=cv2.SOLVEPNP_IPPE)
    if not solved:
        return None
    state = np.concatenate([turn.ravel(), shift.ravel(), [0.0, 0.0]])
    miss = _refine(points, outward, pixels, matrix, state, keep=8 if len(markers) >= GOOD_MARKERS else 6)
    rotation = cv2.Rodrigues(state[:3])[0]
    position = (-rotation.T @ state[3:6]).ravel()
    if position[2] <= geometry.wall_height_mm:
        return None
    tray = Tray(
        geometry=geometry,
        matrix=matrix,
        k1=float(state[6]),
        rotation=rotation,
        position_mm=position,
        error_px=float(np.sqrt((miss**2).sum() / len(points))),
        bloom_px=float(-state[7] * focal / position[2]),
        seen=tuple(sorted(markers)),
        size_px=size_px,
    )
    left = np.full(all_pixels.shape, np.nan)
    left[seen] = miss.reshape(-1, 2)
    return tray, dict(zip(markers, left.reshape(-1, 4, 2), strict=True))


def _refine(points: Floats, outward: Floats, pixels: Floats, matrix: Floats, state: Floats, *, keep: int) -> Floats:
    """Gauss-Newton in place over pose, radial distortion and the bloom of white paper into the black squares.

    A blurred edge between black and white, seen through a gamma curve, seems to lie on the black side: all squares
    look smaller by the same half pixel. Left out, this bends the distortion by as much as a real lens does.

    Returns:
        What is left between the corners and their places, px.
    """
    scale = np.array([1.0] * 6 + [0.03, 0.5])[:keep]
    prior = np.diag(0.5 / scale)[6:]
    miss = np.zeros(2 * len(points))
    for _ in range(8):
        placed = points + outward * state[7]
        projected, jacobian = cv2.projectPoints(
            placed, state[:3], state[3:6], matrix, np.array([state[6], 0.0, 0.0, 0.0])
        )
        step_out, _ = cv2.projectPoints(
            placed + outward, state[:3], state[3:6], matrix, np.array([state[6], 0.0, 0.0, 0.0])
        )
        rows = np.column_stack([jacobian[:, :6], jacobian[:, 10], (step_out - projected).ravel()])[:, :keep]
        miss = (pixels - projected.reshape(-1, 2)).ravel()
        pull = -state[6:keep] * 0.5 / scale[6:]
        step = np.linalg.lstsq(np.vstack([rows, prior]), np.append(miss, pull), rcond=None)[0]
        state[:keep] += step
        if np.abs(step).max() < 1e-7:
            break
    return miss
