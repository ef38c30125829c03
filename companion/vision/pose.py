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
from dataclasses import dataclass

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
TANGENTS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=np.float64)
SITES = np.array([[u, v] for v in (-1, 0, 1) for u in (-1, 0, 1)], dtype=np.float64)


def _lattice() -> Floats:
    """Directions to the sites of all six faces from the face's middle, one pitch long, shape (6, 9, 3)."""
    faces = []
    for normal, tangent in zip(NORMALS, TANGENTS, strict=True):
        other = np.cross(normal, tangent)
        faces.append(SITES[:, :1] * tangent + SITES[:, 1:] * other)
    return np.array(faces)


_GRID = _lattice()


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

    @property
    def top(self) -> int:
        """Index of the uppermost face in `NORMALS`."""
        return int(np.argmax((NORMALS @ self.rotation.T)[:, 2]))

    @property
    def lean_deg(self) -> float:
        """Angle between the uppermost face and the floor."""
        return math.degrees(math.acos(min(1.0, float((NORMALS @ self.rotation.T)[:, 2].max()))))

    @property
    def reach_mm(self) -> tuple[float, float]:
        """Lowest and highest point above the floor."""
        inner = (0.5 - ROUND) * self.size_mm
        half = float(np.abs(self.rotation[2]).sum()) * inner + ROUND * self.size_mm
        return float(self.center_mm[2]) - half, float(self.center_mm[2]) + half

    def sites_mm(self) -> Floats:
        """World places of all pip sites, shape (6, 9, 3)."""
        local = NORMALS[:, None] / 2 + self.pitch * _GRID
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


@dataclass(frozen=True, slots=True)
class _Hull:
    """A convex outline with, per vertex, the corner of the cube that it belongs to."""

    vertices: Floats
    offsets: Floats


def _hull(pose: DiePose, tray: Tray, inner: Floats) -> _Hull:
    offsets = (inner * pose.size_mm) @ pose.rotation.T
    depth = float(tray.position_mm[2] - pose.center_mm[2])
    radius = ROUND * pose.size_mm * float(tray.matrix[0, 0]) / depth
    cloud = (tray.project(offsets + pose.center_mm)[:, None] + radius * _RING).reshape(-1, 2).astype(np.float32)
    index = cv2.convexHull(cloud, returnPoints=False).ravel()
    return _Hull(cloud[index].astype(np.float64), offsets[index // len(_RING)])


def _top_corners(pose: DiePose) -> Floats:
    return np.asarray(_INNER[_INNER @ NORMALS[pose.top] > 0])


def silhouette_px(pose: DiePose, tray: Tray) -> Floats:
    """Outline of the rounded die in the picture, convex, shape (n, 2)."""
    return _hull(pose, tray, _INNER).vertices


def top_px(pose: DiePose, tray: Tray) -> Floats:
    """Outline of the rounded uppermost face in the picture, convex, shape (n, 2)."""
    return _hull(pose, tray, _top_corners(pose)).vertices


def face_px(pose: DiePose, face: int, tray: Tray, share: float = 1.0) -> Floats:
    """Corners of one face in the picture, shape (4, 2), shrunk about its middle to `share` of the edge."""
    tangent = TANGENTS[face]
    other = np.cross(NORMALS[face], tangent)
    half = share / 2
    square = np.array(
        [tangent * a + other * b for a, b in ((-half, -half), (half, -half), (half, half), (-half, half))]
    )
    return tray.project(((square + NORMALS[face] / 2) * pose.size_mm) @ pose.rotation.T + pose.center_mm)


def outside_px(points: Floats, hull: Floats) -> Floats:
    """Signed distance of points to a convex outline, shape (k,): positive outside."""
    return _outside(points, hull)[0]


def _outside(points: Floats, hull: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Distances, outward normals of the edges, the edge that decides, and edge vectors."""
    edge = np.concatenate([hull[1:], hull[:1]]) - hull
    length = np.sqrt(edge[:, 0] ** 2 + edge[:, 1] ** 2)
    normal = np.empty_like(edge)
    np.divide(edge[:, 1], length, out=normal[:, 0])
    np.divide(-edge[:, 0], length, out=normal[:, 1])
    level = (hull * normal).sum(1)
    if float(hull[0] @ normal[len(hull) // 2]) > level[len(hull) // 2]:
        normal, level = -normal, -level
    gap = points @ normal.T - level
    decides = gap.argmax(1)
    return gap[np.arange(len(points)), decides], normal, decides, edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A pose with how well it closes.

    Attributes:
        pose: The pose found.
        cost: Mean robust cost over all residuals; 1 is what honest noise gives.
        outline_px: Signed distance of each outline point to the silhouette, shape (k,).
        pips_px: Distance of each pip to its site, shape (m,).
        sites: Face and site (index into `SITES`) of each pip, shape (m, 2).
    """

    pose: DiePose
    cost: float
    outline_px: Floats
    pips_px: Floats
    sites: Floats


_OUTLINE_SIGMA_PX = 0.7
_PIP_SIGMA_PX = 0.45
_BAND_WEIGHT = 0.45


@dataclass(frozen=True, slots=True)
class _Look:
    """One comparison of a pose with what is seen: weighted residuals and their slopes."""

    residuals: Floats
    slopes: Floats
    outline_px: Floats
    pips_px: Floats
    sites: Floats


def _local_scale(pose: DiePose, tray: Tray) -> Floats:
    """Change of a pixel's place with the three world axes near the die, shape (2, 3)."""
    ends = tray.project(pose.center_mm + np.concatenate([np.zeros((1, 3)), np.eye(3)]))
    return np.asarray((ends[1:] - ends[0]).T)


def _outline_rows(points: Floats, hull: _Hull, scale: Floats) -> tuple[Floats, Floats]:
    """Distances to an outline and their slopes over x, y, z and three turns, shape (k, 6)."""
    far, normals, decides, edges = _outside(points, hull.vertices)
    start = hull.vertices[decides]
    along = ((points - start) * edges[decides]).sum(1) / (edges[decides] ** 2).sum(1)
    along = np.clip(along, 0.0, 1.0)[:, None]
    following = np.concatenate([hull.offsets[1:], hull.offsets[:1]])
    arm = (1 - along) * hull.offsets[decides] + along * following[decides]
    pull = normals[decides] @ scale
    return far, -np.concatenate([pull, _cross(arm, pull)], axis=1)


def _cross(a: Floats, b: Floats) -> Floats:
    return np.stack(
        [
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ],
        axis=1,
    )


def _compare(pose: DiePose, tray: Tray, outline: Floats, pips: Floats) -> _Look:
    scale = _local_scale(pose, tray)
    count = len(outline)
    rows = np.zeros((count + 2 * len(pips), 8))
    far = np.zeros(0)
    if count:
        far, slopes = _outline_rows(outline, _hull(pose, tray, _INNER), scale)
        short, short_slopes = _outline_rows(outline, _hull(pose, tray, _top_corners(pose)), scale)
        far, short = far - pose.spread_px, short - pose.spread_px
        # Between the upper face's edge and the silhouette lies a side that may be half in shadow: there the outline
        # may run anywhere, so it says little.
        band = (far < 0) & (short > 0)
        nearer = np.abs(short) < np.abs(far)
        soft = np.where(band, _BAND_WEIGHT, 1.0)
        use_short = band & nearer
        far = np.where(use_short, short, far) * soft
        rows[:count, :6] = np.where(use_short[:, None], short_slopes, slopes) * (soft / _OUTLINE_SIGMA_PX)[:, None]
        rows[:count, 7] = -soft / _OUTLINE_SIGMA_PX
    if not len(pips):
        return _Look(far / _OUTLINE_SIGMA_PX, rows, far, np.zeros(0), np.zeros((0, 2), dtype=np.int64))
    grid = (_GRID * pose.size_mm) @ pose.rotation.T
    offsets = ((NORMALS * (pose.size_mm / 2)) @ pose.rotation.T)[:, None] + pose.pitch * grid
    places = tray.project(offsets + pose.center_mm)
    gap = ((pips[:, None, None] - places[None]) ** 2).sum(-1)
    gap[:, pose.seen_faces(tray) <= 0.12] = np.inf
    best = gap.reshape(len(pips), -1).argmin(1)
    faces, sites = best // 9, best % 9
    miss = pips - places[faces, sites]
    arm, reach = offsets[faces, sites], grid[faces, sites]
    for axis in (0, 1):
        pull = np.broadcast_to(scale[axis], arm.shape)
        part = slice(count + axis, None, 2)
        rows[part, :3] = -pull
        rows[part, 3:6] = -_cross(arm, pull)
        rows[part, 6] = -(reach @ scale[axis])
    rows[count:] /= _PIP_SIGMA_PX
    residuals = np.concatenate([far / _OUTLINE_SIGMA_PX, (miss / _PIP_SIGMA_PX).ravel()])
    return _Look(residuals, rows, far, np.sqrt((miss**2).sum(1)), np.stack([faces, sites], axis=1))


def _moved(pose: DiePose, step: Floats) -> DiePose:
    turn = cv2.Rodrigues(np.asarray(step[3:6]))[0]
    return DiePose(
        center_mm=pose.center_mm + step[:3],
        rotation=turn @ pose.rotation,
        size_mm=pose.size_mm,
        pitch=pose.pitch + float(step[6]),
        spread_px=pose.spread_px + float(step[7]),
    )


def _cost(residuals: Floats) -> float:
    return float(np.log1p((residuals / 2.5) ** 2).mean() * 2.5**2) if len(residuals) else math.inf


def closeness(pose: DiePose, tray: Tray, outline: Floats, pips: Floats) -> float:
    """Robust cost of a pose as it is; 1 is what honest noise gives."""
    return _cost(_compare(pose, tray, outline, pips).residuals)


_FLAT = (0, 1, 5, 6, 7)
_FREE = (0, 1, 2, 3, 4, 5, 6, 7)
_SPREAD_SIGMA_PX = 0.6
_PITCH_SIGMA = 0.012


def fit(
    pose: DiePose,
    tray: Tray,
    outline: Floats,
    pips: Floats,
    *,
    free: bool = False,
    base_mm: float | None = 0.0,
    rounds: int = 8,
) -> Fit:
    """The pose near `pose` that explains outline and pips best.

    Args:
        pose: Where to start.
        tray: The camera over the box.
        outline: Points on the die's outline, shape (k, 2), px.
        pips: Pip centres, shape (m, 2), px.
        free: Let the die lean and rise; otherwise it stays flat at its height.
        base_mm: Height on which the lowest point should rest, None when it may hang anywhere.
        rounds: Iterations at most.

    Returns:
        The fit; outliers weigh little (Cauchy).
    """
    moves = list(_FREE if free else _FLAT)
    damping = np.diag([0.02, 0.02, 0.02, 2.0, 2.0, 2.0, _PITCH_SIGMA**-2, _SPREAD_SIGMA_PX**-2])
    look = _compare(pose, tray, outline, pips)
    for _ in range(rounds):
        now, rows = look.residuals, look.slopes
        weighted = rows / (1.0 + (now / 2.5) ** 2)[:, None]
        normal = weighted.T @ rows + damping
        right = -(weighted.T @ now)
        right[6] -= (pose.pitch - PITCH) * _PITCH_SIGMA**-2
        right[7] -= pose.spread_px * _SPREAD_SIGMA_PX**-2
        if free and base_mm is not None:
            slope, low = _contact(pose, base_mm)
            normal += np.outer(slope, slope) * 25.0
            right -= slope * (low * 25.0)
        step = np.zeros(8)
        step[moves] = np.linalg.solve(normal[np.ix_(moves, moves)], right[moves])
        length = max(1.0, float(np.abs(step[:3]).max()) / 3.0, float(np.abs(step[3:6]).max()) / 0.25)
        pose = _moved(pose, step / length)
        look = _compare(pose, tray, outline, pips)
        if np.abs(step[:3]).max() < 0.01 and np.abs(step[3:6]).max() < 0.001:
            break
    return Fit(
        pose=pose, cost=_cost(look.residuals), outline_px=look.outline_px, pips_px=look.pips_px, sites=look.sites
    )


def _contact(pose: DiePose, base_mm: float) -> tuple[Floats, float]:
    """Slope and value of the lowest point's height above where it should rest."""
    low = pose.reach_mm[0] - base_mm
    arm = -np.sign(pose.rotation[2]) * (0.5 - ROUND) * pose.size_mm
    corner = pose.rotation @ arm
    slope = np.zeros(8)
    slope[2] = 1.0
    slope[3], slope[4] = corner[1], -corner[0]
    return slope, low
