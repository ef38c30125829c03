"""Where a die stands: a rounded cube under a known camera, fitted to its outline and its pips.

Theory. A die is a cube of known edge with rounded corners, so its silhouette is the hull of eight small circles and
its pips lie on a 3 x 3 lattice on each face. Both are predicted for any pose and compared with what is seen: the
outline in pixels of distance, each pip in pixels from the nearest lattice site of a visible face. Two fits are made
by Gauss-Newton. The flat fit moves only x, y and the turn about the vertical. The free fit moves all six, held to
the floor by a soft contact. A die is called flat when the flat fit closes and the free one gains nothing; lean and
height come from the free pose. Which site is taken tells the value, so pose and value are not read twice from one
guess: the lattice residual never asks which number it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np

from companion.vision.tray import Tray
from companion.vision.types import Floats

PITCH = 0.257
ROUND = 0.115

_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
_RING = np.array([[math.cos(a), math.sin(a)] for a in np.linspace(0, 2 * math.pi, 12, endpoint=False)])
_INNER = _SIGNS * (0.5 - ROUND)
NORMALS = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, -1]], dtype=np.float64)
_SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
_CORNERS_OF = tuple(np.flatnonzero(_INNER @ normal > 0) for normal in NORMALS)
TANGENTS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=np.float64)
ACROSS = np.cross(NORMALS, TANGENTS)
SITES = np.array([[u, v] for v in (-1, 0, 1) for u in (-1, 0, 1)], dtype=np.float64)


def _lattice() -> Floats:
    """Directions to the sites of all six faces from the face's middle, one pitch long, shape (6, 9, 3)."""
    faces = []
    for tangent, across in zip(TANGENTS, ACROSS, strict=True):
        faces.append(SITES[:, :1] * tangent + SITES[:, 1:] * across)
    return np.array(faces)


GRID = _lattice()


@dataclass(frozen=True, slots=True)
class Lines:
    """Where the outline of a die may run, blurred as its pose says.

    Attributes:
        ring: Points every 2.5 px along the silhouette, shape (n, 2).
        inner: In the stead of each of these, where the side below it is in shadow, the upper face's edge.
        face: The upper face's outline, convex.
    """

    ring: Floats
    inner: Floats
    face: Floats


@dataclass(slots=True)
class _Drawn:
    """A die drawn under a camera: asked for again and again, done once."""

    tray: Tray
    whole: Floats
    top: Floats
    lines: Lines | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiePose:
    """A die placed in the world.

    Attributes:
        center_mm: Middle of the cube, shape (3,).
        rotation: Die to world, shape (3, 3).
        size_mm: Edge.
        pitch: Distance of neighbouring pip sites as a share of the edge; makers differ.
        spread_px: How far blur and contrast push the seen outline beyond the true one.
    """

    center_mm: Floats
    rotation: Floats
    size_mm: float
    pitch: float = PITCH
    spread_px: float = 0.0
    _drawn: list[_Drawn] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def top(self) -> int:
        """Index of the uppermost face in `NORMALS`."""
        x, y, z = self.rotation[2].tolist()
        rises = (z, x, y, -x, -y, -z)
        return rises.index(max(rises))

    @property
    def lean_deg(self) -> float:
        """Angle between the uppermost face and the floor."""
        return math.degrees(math.acos(min(1.0, max(abs(rise) for rise in self.rotation[2].tolist()))))

    @property
    def reach_mm(self) -> tuple[float, float]:
        """Lowest and highest point above the floor."""
        inner = (0.5 - ROUND) * self.size_mm
        half = float(np.abs(self.rotation[2]).sum()) * inner + ROUND * self.size_mm
        return float(self.center_mm[2]) - half, float(self.center_mm[2]) + half

    def sites_mm(self) -> Floats:
        """World places of all pip sites, shape (6, 9, 3)."""
        local = NORMALS[:, None] / 2 + self.pitch * GRID
        return np.asarray((local * self.size_mm) @ self.rotation.T + self.center_mm)

    def seen_faces(self, tray: Tray) -> Floats:
        """Cosine of the view on each face, shape (6,); positive faces are seen."""
        normals = NORMALS @ self.rotation.T
        middles = self.center_mm + normals * (self.size_mm / 2)
        rays = tray.position_mm - middles
        return np.asarray((normals * rays).sum(1) / np.linalg.norm(rays, axis=1))


def flat_pose(x_mm: float, y_mm: float, turn_rad: float, size_mm: float, base_mm: float = 0.0) -> DiePose:
    """A die lying flat, its lower face `base_mm` above the floor."""
    c, s = math.cos(turn_rad), math.sin(turn_rad)
    return DiePose(
        center_mm=np.array([x_mm, y_mm, base_mm + size_mm / 2]),
        rotation=np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]),
        size_mm=size_mm,
    )


def _drawn(pose: DiePose, tray: Tray) -> _Drawn:
    for kept in pose._drawn:
        if kept.tray is tray:
            return kept
    depth = float(tray.position_mm[2] - pose.center_mm[2])
    radius = ROUND * pose.size_mm * tray.lens[0] / depth
    places = tray.project((_INNER * pose.size_mm) @ pose.rotation.T + pose.center_mm)
    around = places[:, None] + radius * _RING
    drawn = _Drawn(tray, _hull(around), _hull(around[_CORNERS_OF[pose.top]]))
    pose._drawn[:] = [drawn]
    return drawn


def _hull(points: Floats) -> Floats:
    hull = cv2.convexHull(points.reshape(-1, 2).astype(np.float32)).reshape(-1, 2).astype(np.float64)
    hull.flags.writeable = False
    return np.asarray(hull)


def silhouette_px(pose: DiePose, tray: Tray) -> Floats:
    """Outline of the rounded die in the picture, convex, shape (n, 2)."""
    return _drawn(pose, tray).whole


def top_px(pose: DiePose, tray: Tray) -> Floats:
    """Outline of the rounded uppermost face in the picture, convex, shape (n, 2)."""
    return _drawn(pose, tray).top


def seen_px(pose: DiePose, tray: Tray) -> Floats:
    """The silhouette as blur and contrast spread it, shape (n, 2)."""
    return spread_out(_drawn(pose, tray).whole, pose.spread_px)


def lines_px(pose: DiePose, tray: Tray) -> Lines:
    """Where the outline of a die may run."""
    drawn = _drawn(pose, tray)
    if drawn.lines is None:
        face = spread_out(drawn.top, pose.spread_px)
        ring = _along(seen_px(pose, tray))
        arm = ring - face.mean(0)
        beyond = np.maximum(outside_px(ring, face), 0.0)
        drawn.lines = Lines(ring, ring - arm * (beyond / np.hypot(arm[:, 0], arm[:, 1]))[:, None], face)
    return drawn.lines


def spread_out(hull: Floats, by_px: float) -> Floats:
    """Points of a closed outline, moved so far away from its middle, shape (n, 2)."""
    arm = hull - hull.mean(0)
    return np.asarray(hull + arm * (by_px / np.hypot(arm[:, 0], arm[:, 1]))[:, None])


def _along(hull: Floats) -> Floats:
    """Points every 2.5 px along a closed outline."""
    closed = np.concatenate([hull, hull[:1]])
    step = closed[1:] - closed[:-1]
    along = np.zeros(len(closed))
    np.cumsum(np.hypot(step[:, 0], step[:, 1]), out=along[1:])
    count = max(24, int(along[-1] / 2.5))
    places = np.arange(count) * (along[-1] / count)
    out = np.empty((count, 2))
    out[:, 0], out[:, 1] = np.interp(places, along, closed[:, 0]), np.interp(places, along, closed[:, 1])
    return out


def face_px(pose: DiePose, face: int, tray: Tray, share: float = 1.0) -> Floats:
    """Corners of one face in the picture, shape (4, 2), shrunk about its middle to `share` of the edge."""
    square = _SQUARE * share @ np.array([TANGENTS[face], ACROSS[face]]) + NORMALS[face] / 2
    return tray.project((square * pose.size_mm) @ pose.rotation.T + pose.center_mm)


def top_to_px(at: DiePose, tray: Tray) -> Callable[[Floats], Floats]:
    """The map from the upper face, in pitches from its middle, to picture pixels."""
    top = at.top
    sides = np.array([TANGENTS[top], ACROSS[top]])

    def to_px(points: Floats) -> Floats:
        local = NORMALS[top] / 2 + at.pitch * (points @ sides)
        return tray.project((local * at.size_mm) @ at.rotation.T + at.center_mm)

    return to_px


def outside_px(points: Floats, hull: Floats) -> Floats:
    """Signed distance of points to a convex outline, shape (k,): positive outside."""
    edge = np.concatenate([hull[1:], hull[:1]]) - hull
    x, y = edge[:, 0], edge[:, 1]
    normal = np.stack([y, -x]) / np.sqrt(x * x + y * y)
    level = normal[0] * hull[:, 0] + normal[1] * hull[:, 1]
    half = len(hull) // 2
    if float(hull[0] @ normal[:, half]) > level[half]:
        normal, level = -normal, -level
    return np.asarray((points @ normal - level).max(1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A pose with how well it closes.

    Attributes:
        pose: The pose found.
        cost: Mean robust cost over all residuals; 1 is what honest noise gives.
        outline_px: Signed distance of each outline point to the silhouette, shape (k,).
        pips_px: Distance of each pip to its site, shape (m,).
        off_px: Their mean; infinite without pips.
        sites: Face and site (index into `SITES`) of each pip, shape (m, 2).
    """

    pose: DiePose
    cost: float
    outline_px: Floats
    pips_px: Floats
    off_px: float
    sites: Floats
