"""Rounded cubes fitted to outlines and pips, many at a time.

Theory. Each step is Gauss-Newton with a robust (Cauchy) weight: rows of outline points (distance from the silhouette,
or from the upper face's edge where the side below it is half in shadow) and of pips (two per pip, from the nearest site
of a visible face), columns for place (3), turn (3), pip pitch and the spread of the outline by blur, the last two under
a prior. A flat fit holds height and tilt; a free one rests its lowest point between two heights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.compare import Look, compare
from companion.vision.cubes import FLAT, FREE, Cubes
from companion.vision.pose import PITCH, ROUND, DiePose, Fit
from companion.vision.tray import Tray
from companion.vision.types import Floats, Mask, Places

_HELD = 1e9
_SPREAD_SIGMA_PX, _PITCH_SIGMA = 0.6, 0.012
_ROBUST = 2.5
_CONTACT = 25.0
# Once the pose is about right, outline points farther than this belong to something else.
_NEAR_PX = 2.5
_STILL_MM = 0.06
_PRIOR = np.array([0.02, 0.02, 0.02, 2.0, 2.0, 2.0, _PITCH_SIGMA**-2, _SPREAD_SIGMA_PX**-2])


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


@dataclass(frozen=True, slots=True)
class _Limits:
    """What holds the cubes of a batch: which may lean, the heights they may rest on, and the prior of the unknowns."""

    free: Mask
    base: Floats
    columns: Places
    damping: Floats


@dataclass(slots=True)
class _Part:
    """Some of the cubes of a batch on their way: which, what holds them, which residuals count, how they compare."""

    rows: Places
    cubes: Cubes
    limits: _Limits
    there: Mask
    look: Look

    def only(self, wanted: Mask) -> _Part:
        """Some of these; the same when all are wanted."""
        if wanted.all():
            return self
        limits = _Limits(
            self.limits.free[wanted], self.limits.base[wanted], self.limits.columns, self.limits.damping[wanted]
        )
        return _Part(self.rows[wanted], self.cubes.only(wanted), limits, self.there[wanted], self.look.only(wanted))


def _cubes(tasks: list[Task], tray: Tray) -> Cubes:
    outline, near = _padded([t.outline for t in tasks])
    pips, has_pip = _padded([t.pips for t in tasks])
    return Cubes(
        tray=tray,
        center=np.array([t.pose.center_mm for t in tasks], dtype=np.float64),
        turn=np.array([t.pose.rotation for t in tasks], dtype=np.float64),
        size=np.array([t.pose.size_mm for t in tasks]),
        pitch=np.array([t.pose.pitch for t in tasks]),
        spread=np.array([t.pose.spread_px for t in tasks]),
        outline=outline,
        near=near,
        pips=pips,
        has_pip=has_pip,
    )


def _limits(tasks: list[Task]) -> _Limits:
    free = np.array([t.free for t in tasks])
    columns = FREE if free.any() else FLAT
    damping = np.repeat(np.diag(_PRIOR[columns])[None], len(tasks), axis=0)
    if len(columns) == len(FREE):
        for held in (2, 3, 4):
            damping[~free, held, held] += _HELD
    return _Limits(free, np.array([t.base_mm for t in tasks], dtype=np.float64), columns, damping)


def _padded(parts: list[Floats]) -> tuple[Floats, Mask]:
    """Points of different numbers side by side, shape (b, 2, k), and which of them there are, shape (b, k)."""
    most = max(len(p) for p in parts)
    out = np.zeros((len(parts), 2, most))
    there = np.zeros((len(parts), most), dtype=bool)
    for i, part in enumerate(parts):
        out[i, :, : len(part)] = part.T
        there[i, : len(part)] = True
    return out, there


def _costs(look: Look, there: Mask) -> Floats:
    terms = np.where(there, np.log1p((look.residuals / _ROBUST) ** 2), 0.0)
    count = there.sum(1)
    return np.asarray(np.where(count > 0, terms.sum(1) * _ROBUST**2 / np.maximum(count, 1), np.inf))


def _rest(cubes: Cubes, limits: _Limits) -> tuple[Floats, Floats]:
    """Slopes, shape (b, 8), and values of how far the lowest point is from where it may rest."""
    lean, base = cubes.turn[:, 2], limits.base
    low = cubes.center[:, 2] - (np.abs(lean).sum(1) * (0.5 - ROUND) + ROUND) * cubes.size
    off = low - np.minimum(np.maximum(low, base[:, 0]), base[:, 1])
    arm = -np.sign(lean) * (0.5 - ROUND) * cubes.size[:, None]
    corner = (cubes.turn @ arm[..., None])[..., 0]
    slope = np.zeros((len(low), 8))
    slope[:, 2] = 1.0
    slope[:, 3], slope[:, 4] = corner[:, 1], -corner[:, 0]
    slope[((off == 0.0) & (base[:, 0] != base[:, 1])) | ~limits.free] = 0.0
    return slope, off


def _turned(turn: Floats, by: Floats) -> Floats:
    """Rotations turned by small vectors, shape (b, 3, 3)."""
    angle = np.sqrt((by**2).sum(1))[:, None, None]
    safe = np.maximum(angle, 1e-9)
    cross = np.zeros((len(by), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -by[:, 2], by[:, 1], -by[:, 0]
    cross -= cross.transpose(0, 2, 1)
    swing = np.sin(safe) / safe * cross + (1 - np.cos(safe)) / safe**2 * (cross @ cross)
    return np.asarray(turn + swing @ turn)


def _step(cubes: Cubes, limits: _Limits, look: Look, there: Mask) -> Floats:
    """One damped step of all poses; how far each moved, in mm, shape (b,)."""
    weight = there / (1.0 + (look.residuals / _ROBUST) ** 2)
    weighted = look.slopes * weight[:, None]
    normal = weighted @ look.slopes.transpose(0, 2, 1) + limits.damping
    right = -(weighted @ look.residuals[..., None])[..., 0]
    right[:, -2] -= (cubes.pitch - PITCH) * _PITCH_SIGMA**-2
    right[:, -1] -= cubes.spread * _SPREAD_SIGMA_PX**-2
    may_lean = len(limits.columns) == len(FREE)
    if may_lean:
        slope, off = _rest(cubes, limits)
        normal += slope[:, :, None] * slope[:, None, :] * _CONTACT
        right -= slope * (off * _CONTACT)[:, None]
    step = np.zeros((len(right), 8))
    step[:, limits.columns] = np.linalg.solve(normal, right[..., None])[..., 0]
    if may_lean:
        step[~limits.free, 2:5] = 0.0
    size = np.abs(step[:, :6])
    far, wide = size[:, :3].max(1), size[:, 3:].max(1)
    length = np.maximum(1.0, np.maximum(far / 3.0, wide / 0.25))
    step /= length[:, None]
    cubes.center += step[:, :3]
    cubes.turn = _turned(cubes.turn, np.asarray(step[:, 3:6]))
    cubes.pitch = cubes.pitch + step[:, 6]
    cubes.spread = cubes.spread + step[:, 7]
    return np.asarray(np.maximum(far, 10 * wide) / length)


def _settle(whole: _Part, going: Mask, rounds: int) -> Mask:
    """Step the poses of a batch until they lie still, each for itself, or the rounds are over.

    Args:
        whole: The batch; its poses are moved.
        going: Which of them are to be moved.
        rounds: Steps at most.

    Returns:
        Which of all poses lie still.
    """
    still, part = np.ones(len(going), dtype=bool), whole.only(going)
    for left in reversed(range(rounds)):
        going = _step(part.cubes, part.limits, part.look, part.there) >= _STILL_MM
        if part is not whole:
            whole.cubes.move(part.rows, part.cubes)
        if not left or not going.any():
            break
        # What lies still already would only make the others' steps longer.
        part = part.only(going)
        part.look = compare(part.cubes, part.limits.columns)
    still[part.rows[going]] = False
    return still


def fit_all(tasks: list[Task], tray: Tray, *, rounds: int = 8) -> list[Fit]:
    """The poses near the starts that explain outlines and pips best, one per task.

    Args:
        tasks: What is to be fitted; each is fitted on its own.
        tray: The camera over the box.
        rounds: Iterations at most, each of the two times when some task has a reach.
    """
    if not tasks:
        return []
    cubes, limits = _cubes(tasks, tray), _limits(tasks)
    has_outline = cubes.near
    reach = np.array([np.inf if t.reach_px is None else t.reach_px for t in tasks])[:, None]
    going = np.ones(len(tasks), dtype=bool)
    for stage in (reach, np.minimum(reach, _NEAR_PX)) if np.isfinite(reach).any() else (reach,):
        look = compare(cubes, limits.columns)
        near = has_outline & (np.abs(look.far) < np.where(np.isfinite(reach), stage, np.inf))
        going |= (near != cubes.near).any(1)
        cubes.near = near
        if not going.any():
            break
        whole = _Part(np.arange(len(tasks)), cubes, limits, cubes.there(), look)
        going = ~_settle(whole, going, rounds)
    else:
        look = compare(cubes)
    costs = _costs(look, cubes.there())
    sites = np.stack(np.divmod(look.sites, 9), axis=2)
    outline_px, pips_px = look.outline_px, look.pips_px
    count = cubes.has_pip.sum(1)
    off_px = np.where(count > 0, (pips_px * cubes.has_pip).sum(1) / np.maximum(count, 1), np.inf).tolist()
    return [
        Fit(
            pose=DiePose(
                center_mm=cubes.center[i],
                rotation=cubes.turn[i],
                size_mm=float(cubes.size[i]),
                pitch=float(cubes.pitch[i]),
                spread_px=float(cubes.spread[i]),
            ),
            cost=float(costs[i]),
            outline_px=outline_px[i][cubes.near[i]],
            pips_px=pips_px[i][cubes.has_pip[i]],
            off_px=off_px[i],
            sites=sites[i][cubes.has_pip[i]],
        )
        for i in range(len(tasks))
    ]


def closeness(cubes: Cubes) -> Floats:
    """Robust cost of each pose of a batch as it is; 1 is what honest noise gives."""
    return _costs(compare(cubes), cubes.there())


def closeness_all(tasks: list[Task], tray: Tray) -> Floats:
    """The same of the poses from which some tasks start."""
    return closeness(_cubes(tasks, tray)) if tasks else np.zeros(0)
