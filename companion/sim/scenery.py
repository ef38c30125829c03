"""The empty rig as the camera sees it: table, box with its four walls, felt, four markers.

One ray a pixel, once: the picture is kept, and dice are painted over copies of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.sim import truth
from companion.sim.light import Lamp
from companion.sim.optics import Optics
from companion.sim.turns import Floats

Image = npt.NDArray[np.uint8]

MARKER_MM, MARKER_BORDER_MM = 30.0, 6.0
MARKER_CENTRES_MM = ((-160.0, 130.0), (160.0, 130.0), (160.0, -130.0), (-160.0, -130.0))

_INNER = np.array([truth.FLOOR_X_MM / 2, truth.FLOOR_Y_MM / 2])
_OUTER = _INNER + truth.WALL_THICK_MM


@dataclass(frozen=True, slots=True, kw_only=True)
class Decor:
    """What table and box are made of.

    Attributes:
        table: 'wood', 'cloth' or 'checks'.
        table_bgr: Colour of the table.
        wall_bgr: Colour of the walls.
        felt_bgr: Colour of the felt.
        seed: Chance of grain and weave.
    """

    table: str = "wood"
    table_bgr: tuple[float, float, float] = (52.0, 84.0, 122.0)
    wall_bgr: tuple[float, float, float] = (62.0, 92.0, 134.0)
    felt_bgr: tuple[float, float, float] = (44.0, 88.0, 24.0)
    seed: int = 1


def empty_rig(
    optics: Optics, lamp: Lamp, decor: Decor, *, blur_px: float, markers: tuple[int, ...], print_scale: float = 1.0
) -> Image:
    """Picture of the rig with nothing in the box.

    Args:
        optics: The camera.
        lamp: The light.
        decor: Materials.
        blur_px: Standard deviation of the lens's blur.
        markers: Ids of the markers that lie there.
        print_scale: How large their sheet was printed.

    Returns:
        Picture, shape (rows, columns, 3), BGR.
    """
    points, normals, albedo = _surfaces(optics, decor)
    light = lamp.ambient * _openness(points, normals) + (1 - lamp.ambient) * lamp.direct(points, normals) * lamp.seen(
        points
    )
    picture = albedo * light[..., None] * np.array(lamp.tint)
    for marker in markers:
        _lay_marker(picture, optics, lamp, marker, print_scale)
    picture = cv2.GaussianBlur(picture, (0, 0), blur_px) if blur_px > 0 else picture
    return np.asarray(np.clip(picture, 0, 255).astype(np.uint8))


def wall_mask(optics: Optics, blur_px: float = 0.0) -> Image:
    """Where the camera sees the box (rim and everything inside), 255 and 0 elsewhere, shape (rows, columns).

    A die on the table beside the box shows only outside of it.

    Args:
        optics: The camera.
        blur_px: Blur of the lens, which softens the edge.
    """
    corners = np.array([[sx * _OUTER[0], sy * _OUTER[1], truth.WALL_HEIGHT_MM] for sx, sy in _AROUND])
    mask = np.zeros((optics.height, optics.width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(optics.project(corners) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), blur_px), np.uint8) if blur_px > 0 else mask


_AROUND = ((-1, 1), (1, 1), (1, -1), (-1, -1))


def _surfaces(optics: Optics, decor: Decor) -> tuple[Floats, Floats, Floats]:
    """World point, normal and colour under each pixel, shapes (rows, columns, 3)."""
    rays, eye = optics.rays(), optics.position_mm
    points = eye + rays * (-eye[2] / rays[..., 2:])
    at_top = eye[:2] + rays[..., :2] * ((truth.WALL_HEIGHT_MM - eye[2]) / rays[..., 2:])
    normals = np.zeros_like(points)
    normals[..., 2] = 1.0
    in_opening = _within(at_top, _INNER)
    on_rim = _within(at_top, _OUTER) & ~in_opening
    on_floor = in_opening & _within(points, _INNER)
    on_wall = in_opening & ~on_floor
    rng = np.random.default_rng(decor.seed)
    albedo = _table_colour(points[..., 0], points[..., 1], decor, rng)
    floor = points[on_floor]
    weave = 0.06 * _cloudy(floor[:, 0], floor[:, 1], 9.0, rng) + 0.08 * _cloudy(floor[:, 0], floor[:, 1], 0.9, rng)
    albedo[on_floor] = np.array(decor.felt_bgr) * (1 + weave[:, None])
    points[on_rim, :2], points[on_rim, 2] = at_top[on_rim], truth.WALL_HEIGHT_MM
    points[on_wall], normals[on_wall] = _wall_hits(eye, rays[on_wall])
    wood = on_rim | on_wall
    boards = points[wood]
    lengthwise = np.abs(boards[:, 1]) > _INNER[1] - 0.01
    along = np.where(lengthwise, boards[:, 0], boards[:, 1])
    across = np.where(lengthwise, boards[:, 1], boards[:, 0])
    albedo[wood] = np.array(decor.wall_bgr) * (1 + 0.20 * _cloudy(0.12 * along, 2.0 * across, 2.2, rng))[:, None]
    return points, normals, albedo


def _within(points: Floats, half: Floats) -> npt.NDArray[np.bool_]:
    inside = (np.abs(points[..., 0]) < half[0]) & (np.abs(points[..., 1]) < half[1])
    return np.asarray(inside)


def _wall_hits(eye: Floats, rays: Floats) -> tuple[Floats, Floats]:
    """Where rays through the opening meet an inner wall, and which way it faces."""
    with np.errstate(divide="ignore"):
        reach = (np.sign(rays[:, :2]) * _INNER - eye[:2]) / rays[:, :2]
    axis = np.argmin(reach, axis=1)
    rows = np.arange(len(rays))
    normals = np.zeros_like(rays)
    normals[rows, axis] = -np.sign(rays[rows, axis])
    return eye + rays * reach[rows, axis][:, None], normals


def _openness(points: Floats, normals: Floats) -> Floats:
    """Share of the light from everywhere that reaches a surface: less near the foot of a wall."""
    past_x, past_y = (np.abs(points[..., axis]) - _INNER[axis] for axis in (0, 1))
    nearest = np.maximum(past_x, past_y)
    foot = np.where(nearest < 0, -nearest, np.hypot(np.maximum(past_x, 0), np.maximum(past_y, 0)))
    near = np.exp(-foot / 14.0) * (points[..., 2] < truth.WALL_HEIGHT_MM - 1)
    low = 1 - 0.55 * (1 - np.clip(points[..., 2] / truth.WALL_HEIGHT_MM, 0, 1))
    return np.where(normals[..., 2] < 0.5, 0.75 * low, 1 - 0.45 * near)


def _table_colour(x: Floats, y: Floats, decor: Decor, rng: np.random.Generator) -> Floats:
    if decor.table == "wood":
        board = np.floor(y / 92.0)
        seam = np.abs(y / 92.0 - board - 0.5) > 0.492
        streak = _cloudy(0.05 * x, 1.4 * y, 2.6, rng) + 0.6 * _cloudy(0.12 * x, 0.5 * y, 18.0, rng)
        shade = (1 + 0.24 * streak + 0.05 * np.sin(board * 12.9)) * np.where(seam, 0.5, 1.0)
    elif decor.table == "checks":
        stripe = (np.floor(x / 14) % 2) * 0.5 + (np.floor(y / 14) % 2) * 0.5
        shade = 0.82 + 0.28 * stripe + 0.06 * _cloudy(x, y, 1.0, rng)
    else:
        shade = 1 + 0.10 * _cloudy(x, y, 0.8, rng) + 0.06 * _cloudy(x, y, 30.0, rng)
    return np.asarray(shade[..., None] * np.array(decor.table_bgr))


def _cloudy(x: Floats, y: Floats, size_mm: float, rng: np.random.Generator) -> Floats:
    """Smooth chance over the plane with spots of about a size, mean 0 and spread about 1, of the shape of x and y."""
    cells = 256
    field = np.pad(rng.normal(size=(cells, cells)).astype(np.float32), ((0, 1), (0, 1)), mode="wrap")
    start = rng.uniform(0, cells, size=2)
    column, row = (
        np.mod((along / size_mm + begin).astype(np.float32), np.float32(cells))
        for along, begin in zip((x, y), start, strict=True)
    )
    # OpenCV's remap takes pictures, so a list of places becomes one of few columns: no side may pass 32767.
    shape = x.shape
    if len(shape) == 1:
        padded = -len(x) % 64
        column, row = (np.pad(along, (0, padded)).reshape(-1, 64) for along in (column, row))
    found = cv2.remap(field, column, row, cv2.INTER_LINEAR).ravel()[: x.size]
    return np.asarray(found.reshape(shape), dtype=np.float64)


def marker_pattern(marker: int) -> Image:
    """One marker with its white border, 10 px a millimetre, shape (420, 420)."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    border = int(MARKER_BORDER_MM * 10)
    black = cv2.aruco.generateImageMarker(dictionary, marker, int(MARKER_MM * 10))
    return np.asarray(cv2.copyMakeBorder(black, border, border, border, border, cv2.BORDER_CONSTANT, value=255))


def _lay_marker(picture: Floats, optics: Optics, lamp: Lamp, marker: int, scale: float) -> None:
    """Paint one printed marker flat on the table (in place): its piece touches the box, as large as it was printed."""
    half = scale * (MARKER_MM / 2 + MARKER_BORDER_MM)
    middle = np.array(MARKER_CENTRES_MM[marker])
    middle += (scale - 1) * (middle - np.sign(middle) * _OUTER)
    around = np.array([[*(middle + half * np.array(corner)), 0.0] for corner in _AROUND])
    pixels = optics.project(around)
    low = np.floor(pixels.min(axis=0)).astype(int) - 1
    high = np.ceil(pixels.max(axis=0)).astype(int) + 2
    low, high = np.maximum(low, 0), np.minimum(high, [optics.width, optics.height])
    if np.any(high <= low):
        return
    fine = 4
    size = (high - low) * fine
    pattern = marker_pattern(marker).astype(np.float32)
    side = len(pattern)
    source = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) - 0.5
    target = ((pixels - low + 0.5) * fine - 0.5).astype(np.float32)
    homography = cv2.getPerspectiveTransform(source, target)
    ink = 18 + cv2.warpPerspective(pattern, homography, tuple(size), flags=cv2.INTER_AREA) * (210 / 255)
    paper = cv2.warpPerspective(np.ones_like(pattern), homography, tuple(size))
    ink = cv2.resize(ink * paper, tuple(high - low), interpolation=cv2.INTER_AREA)
    paper = cv2.resize(paper, tuple(high - low), interpolation=cv2.INTER_AREA)
    spot = np.array([*middle, 0.0])
    light = lamp.ambient + (1 - lamp.ambient) * float(lamp.direct(spot, np.array([0.0, 0.0, 1.0])))
    window = picture[low[1] : high[1], low[0] : high[0]]
    window *= 1 - paper[..., None]
    window += ink[..., None] * light * np.array(lamp.tint)
