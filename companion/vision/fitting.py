"""Rounded cubes fitted to outlines and pips, many at a time.

Theory. The silhouette of a cube is a polygon of its own edges. A point's distance from it is the largest of its
distances from the lines of these edges, or its distance from the nearest corner; the rounding takes one radius off.
Nothing of this asks which edges they are, so it is written for a whole batch of poses at once: every guess about
every die of a picture is fitted in the same few array operations, which costs little more than fitting one.

Each step is Gauss-Newton with a robust (Cauchy) weight: rows of outline points (distance from the silhouette, or from
the upper face's edge where the side below it is half in shadow) and of pips (two per pip, from the nearest site of a
visible face), columns for place (3), turn (3), pip pitch and the spread of the outline by blur, the last two under a
prior. A flat fit holds height and tilt; a free one rests its lowest point between two heights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from companion.vision.pose import GRID, NORMALS, PITCH, ROUND, DiePose, Fit
from companion.vision.tray import Tray
from companion.vision.types import Floats, Mask, Places

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64) * (0.5 - ROUND)
_EDGES = np.array(
    [(i, j) for i in range(8) for j in range(i + 1, 8) if np.count_nonzero(CORNERS[i] != CORNERS[j]) == 1]
)
_AROUND = np.array([(0, 1), (1, 2), (2, 3), (3, 0)])


def _faces() -> Floats:
    """Corners of each face in order round it, shape (6, 4)."""
    out = []
    for normal in NORMALS:
        corners = [i for i in range(8) if CORNERS[i] @ normal > 0]
        middle = CORNERS[corners].mean(0)
        one = CORNERS[corners[0]] - middle
        other = np.cross(normal, one)
        angle = {i: np.arctan2((CORNERS[i] - middle) @ other, (CORNERS[i] - middle) @ one) for i in corners}
        out.append(sorted(corners, key=lambda i: angle[i]))
    return np.array(out)


_FACES = _faces()
_SITES_LOCAL = GRID.reshape(-1, 3)
_MIDDLES_LOCAL = np.repeat(NORMALS / 2, 9, axis=0)
_HELD = 1e9
_OUTLINE_SIGMA_PX, _PIP_SIGMA_PX, _BAND_WEIGHT = 0.7, 0.45, 0.45
_SPREAD_SIGMA_PX, _PITCH_SIGMA = 0.6, 0.012
_ROBUST = 2.5
_SEEN_COSINE = 0.12
_CONTACT = 25.0
# Once the pose is about right, outline points farther than this belong to something else.
_NEAR_PX = 2.5
_STILL_MM = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One pose to be fitted.

    Attributes:
        pose: Where to start.
        outline: Points on the die's outline, shape (k, 2), px; those far from the silhouette are left out.
        pips: Pip centres, shape (m, 2), px.
        free: Let the die lean and rise; otherwise it stays flat at its height.
        base_mm: Least and greatest height on which the lowest point may rest.
        reach_px: How far from the first silhouette an outline point may lie to count as this die's; all when None.
    """

    pose: DiePose
    outline: Floats
    pips: Floats
    free: bool = False
    base_mm: tuple[float, float] = (0.0, 0.0)
    reach_px: float | None = None


class _Batch:
    """The poses of some tasks, and what they are compared with, as arrays with one row per task."""

    def __init__(self, tasks: list[Task], tray: Tray) -> None:
        count = len(tasks)
        self.tray = tray
        self.center = np.array([t.pose.center_mm for t in tasks], dtype=np.float64)
        self.turn = np.array([t.pose.rotation for t in tasks], dtype=np.float64)
        self.size = np.array([t.pose.size_mm for t in tasks])
        self.pitch = np.array([t.pose.pitch for t in tasks])
        self.spread = np.array([t.pose.spread_px for t in tasks])
        self.outline, self.has_outline = _padded([t.outline for t in tasks])
        self.pips, self.has_pip = _padded([t.pips for t in tasks])
        self.free = np.array([t.free for t in tasks])
        self.base = np.array([t.base_mm for t in tasks], dtype=np.float64)
        self.near = self.has_outline.copy()
        prior = np.array([0.02, 0.02, 0.02, 2.0, 2.0, 2.0, _PITCH_SIGMA**-2, _SPREAD_SIGMA_PX**-2])
        self.damping = np.zeros((count, 8, 8))
        self.damping[:, range(8), range(8)] = prior
        for held in (2, 3, 4):
            self.damping[~self.free, held, held] += _HELD


def _padded(parts: list[Floats]) -> tuple[Floats, Mask]:
    most = max((len(p) for p in parts), default=0)
    out = np.zeros((len(parts), most, 2))
    there = np.zeros((len(parts), most), dtype=bool)
    for i, part in enumerate(parts):
        out[i, : len(part)] = part
        there[i, : len(part)] = True
    return out, there


@dataclass(frozen=True, slots=True)
class _Look:
    """One comparison of a batch with what is seen: weighted residuals and their slopes."""

    residuals: Floats
    slopes: Floats
    there: Mask
    far: Floats
    outline_px: Floats
    pips_px: Floats
    sites: Places


def _camera(batch: _Batch) -> tuple[Floats, Floats]:
    """Change of a pixel's place with the world axes at each die, shape (b, 2, 3), and the px of one mm of radius."""
    tray = batch.tray
    eye = (batch.center - tray.position_mm) @ tray.rotation.T
    x, y, z = eye[:, 0] / eye[:, 2], eye[:, 1] / eye[:, 2], eye[:, 2]
    bend = tray.k1 * (x * x + y * y)
    flat = np.zeros((len(z), 2, 3))
    flat[:, 0, 0] = flat[:, 1, 1] = 1.0 / z
    flat[:, 0, 2], flat[:, 1, 2] = -x / z, -y / z
    xy = np.stack([x, y], axis=1)
    bent = (1.0 + bend)[:, None, None] * np.eye(2) + 2.0 * tray.k1 * xy[:, :, None] * xy[:, None, :]
    focal = tray.matrix[[0, 1], [0, 1]]
    return focal[:, None] * (bent @ flat @ tray.rotation), focal[0] / z


def _hull_rows(points: Floats, corners: Floats, offsets: Floats, edges: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Distances of points to the hulls of projected corners, and their slopes over place and turn.

    Args:
        points: Shape (b, k, 2).
        corners: Projected corners, shape (b, n, 2).
        offsets: The same in mm from the die's middle, shape (b, n, 3).
        edges: Pairs of corners that may be edges of the hull, shape (m, 2).
        scale: Change of a pixel's place with the world axes, shape (b, 2, 3).
    """
    start, end = edges[:, 0], edges[:, 1]
    foot_of, along_of = corners[:, start], corners[:, end] - corners[:, start]
    length = np.hypot(along_of[..., 0], along_of[..., 1])
    np.maximum(length, 1e-6, out=length)
    normal = np.stack([along_of[..., 1], -along_of[..., 0]], axis=-1) / length[..., None]
    level = _dot(normal, foot_of)
    reach = normal @ corners.transpose(0, 2, 1)
    high, low = reach.max(-1) - level, level - reach.min(-1)
    # A line counts as an edge of the hull when every corner lies on one side of it.
    real = length > 0.5
    over, under = real & (high < 1e-4), real & (low < 1e-4)
    gap = points @ normal.transpose(0, 2, 1) - level[:, None]
    up = np.where(over[:, None], gap, -np.inf)
    down = np.where(under[:, None], -gap, -np.inf)
    both = np.maximum(up, down)
    chosen = both.argmax(-1)
    rows = np.arange(len(points))[:, None]
    far = both[rows, np.arange(points.shape[1])[None], chosen]
    sign = np.where(up[rows, np.arange(points.shape[1])[None], chosen] >= far, 1.0, -1.0)
    outward = normal[rows, chosen] * sign[..., None]
    begin, along = foot_of[rows, chosen], along_of[rows, chosen]
    part = _dot(points - begin, along) / length[rows, chosen] ** 2
    held = np.clip(part, 0.0, 1.0)
    away = points - begin - held[..., None] * along
    distance = np.hypot(away[..., 0], away[..., 1])
    corner = (held != part) & (far > 0) & (distance > 1e-6)
    far = np.where(corner, distance, far)
    outward = np.where(corner[..., None], away / np.maximum(distance, 1e-6)[..., None], outward)
    arm = offsets[rows, start[chosen]] * (1.0 - held)[..., None] + offsets[rows, end[chosen]] * held[..., None]
    pull = outward @ scale
    return far, np.concatenate([-pull, -_cross(arm, pull)], axis=-1)


def _dot(a: Floats, b: Floats) -> Floats:
    """Products of plane vectors: a reduction over two neighbours is the slowest way through an array."""
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1])


def _cross(a: Floats, b: Floats) -> Floats:
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def _compare(batch: _Batch) -> _Look:
    scale, radius = _camera(batch)
    back = batch.turn.transpose(0, 2, 1)
    count, kept, pips = len(batch.size), batch.outline.shape[1], batch.pips.shape[1]
    slopes = np.zeros((count, kept + 2 * pips, 8))
    far = np.zeros((count, 0))
    whole = far
    if kept:
        offsets = (CORNERS * batch.size[:, None, None]) @ back
        corners = batch.tray.project(offsets + batch.center[:, None])
        shrink = (ROUND * batch.size * radius + batch.spread)[:, None]
        far, rows = _hull_rows(batch.outline, corners, offsets, _EDGES, scale)
        top = _FACES[(NORMALS @ back)[..., 2].argmax(1)]
        line = np.arange(count)[:, None]
        short, short_rows = _hull_rows(batch.outline, corners[line, top], offsets[line, top], _AROUND, scale)
        far, short = far - shrink, short - shrink
        whole = far
        # Between the upper face's edge and the silhouette lies a side that may be half in shadow: there the outline
        # may run anywhere, so it says little.
        band = (far < 0) & (short > 0)
        soft = np.where(band, _BAND_WEIGHT, 1.0)
        use_short = band & (np.abs(short) < np.abs(far))
        far = np.where(use_short, short, far) * soft
        slopes[:, :kept, :6] = np.where(use_short[..., None], short_rows, rows)
        slopes[:, :kept, 7] = -1.0
        slopes[:, :kept] *= (soft / _OUTLINE_SIGMA_PX)[..., None]
    miss = np.zeros((count, pips, 2))
    sites = np.zeros((count, pips), dtype=np.int64)
    if pips:
        grid = (_SITES_LOCAL * batch.size[:, None, None]) @ back
        offsets = (_MIDDLES_LOCAL * batch.size[:, None, None]) @ back + batch.pitch[:, None, None] * grid
        places = batch.tray.project(offsets + batch.center[:, None])
        apart = batch.pips[:, :, None] - places[:, None]
        gap = _dot(apart, apart)
        normals = NORMALS @ back
        rays = batch.tray.position_mm - batch.center[:, None] - normals * (batch.size / 2)[:, None, None]
        seen = (normals * rays).sum(-1) > _SEEN_COSINE * np.sqrt((rays**2).sum(-1))
        gap = np.where(np.repeat(seen, 9, axis=1)[:, None], gap, np.inf)
        sites = gap.argmin(-1)
        line = np.arange(count)[:, None]
        miss = batch.pips - places[line, sites]
        arm, reach = offsets[line, sites], grid[line, sites]
        for axis in (0, 1):
            pull = scale[:, None, axis]
            part = slice(kept + axis, None, 2)
            slopes[:, part, :3] = -pull
            slopes[:, part, 3:6] = -_cross(arm, pull)
            slopes[:, part, 6] = -(reach * pull).sum(-1)
        slopes[:, kept:] /= _PIP_SIGMA_PX
    return _Look(
        residuals=np.concatenate([far / _OUTLINE_SIGMA_PX, miss.reshape(count, -1) / _PIP_SIGMA_PX], axis=1),
        slopes=slopes,
        there=np.concatenate([batch.near, np.repeat(batch.has_pip, 2, axis=1)], axis=1),
        far=whole,
        outline_px=far,
        pips_px=np.hypot(miss[..., 0], miss[..., 1]),
        sites=sites,
    )


def _costs(look: _Look) -> Floats:
    terms = np.where(look.there, np.log1p((look.residuals / _ROBUST) ** 2), 0.0)
    count = look.there.sum(1)
    return np.asarray(np.where(count > 0, terms.sum(1) * _ROBUST**2 / np.maximum(count, 1), np.inf))


def _rest(batch: _Batch) -> tuple[Floats, Floats]:
    """Slopes, shape (b, 8), and values of how far the lowest point is from where it may rest."""
    lean = batch.turn[:, 2]
    low = batch.center[:, 2] - (np.abs(lean).sum(1) * (0.5 - ROUND) + ROUND) * batch.size
    off = low - np.clip(low, batch.base[:, 0], batch.base[:, 1])
    arm = -np.sign(lean) * (0.5 - ROUND) * batch.size[:, None]
    corner = (batch.turn @ arm[..., None])[..., 0]
    slope = np.zeros((len(low), 8))
    slope[:, 2] = 1.0
    slope[:, 3], slope[:, 4] = corner[:, 1], -corner[:, 0]
    slope[(off == 0.0) & (batch.base[:, 0] != batch.base[:, 1])] = 0.0
    slope[~batch.free] = 0.0
    return slope, off


def _turned(turn: Floats, by: Floats) -> Floats:
    """Rotations turned by small vectors, shape (b, 3, 3)."""
    angle = np.sqrt((by**2).sum(1))[:, None, None]
    safe = np.maximum(angle, 1e-9)
    cross = np.zeros((len(by), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -by[:, 2], by[:, 1], -by[:, 0]
    cross -= cross.transpose(0, 2, 1)
    return np.asarray((np.eye(3) + np.sin(safe) / safe * cross + (1 - np.cos(safe)) / safe**2 * (cross @ cross)) @ turn)


def _step(batch: _Batch, look: _Look) -> float:
    """One damped step of all poses; the largest movement in mm."""
    weight = np.where(look.there, 1.0 / (1.0 + (look.residuals / _ROBUST) ** 2), 0.0)
    weighted = (look.slopes * weight[..., None]).transpose(0, 2, 1)
    normal = weighted @ look.slopes + batch.damping
    right = -(weighted @ look.residuals[..., None])[..., 0]
    right[:, 6] -= (batch.pitch - PITCH) * _PITCH_SIGMA**-2
    right[:, 7] -= batch.spread * _SPREAD_SIGMA_PX**-2
    if batch.free.any():
        slope, off = _rest(batch)
        normal += slope[:, :, None] * slope[:, None, :] * _CONTACT
        right -= slope * (off * _CONTACT)[:, None]
    step = np.linalg.solve(normal, right[..., None])[..., 0]
    step[~batch.free, 2:5] = 0.0
    length = np.maximum(1.0, np.maximum(np.abs(step[:, :3]).max(1) / 3.0, np.abs(step[:, 3:6]).max(1) / 0.25))
    step /= length[:, None]
    batch.center += step[:, :3]
    batch.turn = _turned(batch.turn, np.asarray(step[:, 3:6]))
    batch.pitch = batch.pitch + step[:, 6]
    batch.spread = batch.spread + step[:, 7]
    return float(max(np.abs(step[:, :3]).max(), 10 * np.abs(step[:, 3:6]).max()))


def fit_all(tasks: list[Task], tray: Tray, *, rounds: int = 8) -> list[Fit]:
    """The poses near the starts that explain outlines and pips best, one per task.

    Args:
        tasks: What is to be fitted; each is fitted on its own.
        tray: The camera over the box.
        rounds: Iterations at most, each of the two times when some task has a reach.
    """
    if not tasks:
        return []
    batch = _Batch(tasks, tray)
    reach = np.array([np.inf if t.reach_px is None else t.reach_px for t in tasks])
    look = _compare(batch)
    stages = (reach, np.minimum(reach, _NEAR_PX)) if np.isfinite(reach).any() else (reach,)
    for near in stages:
        batch.near = batch.has_outline & (np.abs(look.far) < np.where(np.isfinite(reach), near, np.inf)[:, None])
        look = replace(look, there=np.concatenate([batch.near, np.repeat(batch.has_pip, 2, axis=1)], axis=1))
        for _ in range(rounds):
            moved = _step(batch, look)
            look = _compare(batch)
            if moved < _STILL_MM:
                break
    costs = _costs(look)
    return [
        Fit(
            pose=DiePose(
                center_mm=batch.center[i],
                rotation=batch.turn[i],
                size_mm=float(batch.size[i]),
                pitch=float(batch.pitch[i]),
                spread_px=float(batch.spread[i]),
            ),
            cost=float(costs[i]),
            outline_px=look.outline_px[i][batch.near[i]],
            pips_px=look.pips_px[i][batch.has_pip[i]],
            sites=np.stack(np.divmod(look.sites[i][batch.has_pip[i]], 9), axis=1),
        )
        for i in range(len(tasks))
    ]


def closeness_all(tasks: list[Task], tray: Tray) -> Floats:
    """Robust cost of each pose as it is; 1 is what honest noise gives."""
    return _costs(_compare(_Batch(tasks, tray))) if tasks else np.zeros(0)
