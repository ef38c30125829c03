"""Cubes held against what is seen: how far off outlines and pips are, and how that changes with the poses.

Theory. A point's distance from the silhouette of a cube is the largest of its distances from the lines of its edges, or
its distance from the nearest corner; the rounding takes one radius off. A pip's is that from the nearest site of a face
that is seen. Place and turn move both through the camera, as if all of a die were as far away as its middle is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.cubes import (
    BITS,
    CORNERS,
    FREE,
    GRID_OF,
    MIDDLES_OF,
    RIMS,
    SITES_OF,
    TOPS,
    Cubes,
    Scene,
    placed,
    scene_of,
)
from companion.vision.pose import ROUND
from companion.vision.types import Floats, Mask, Places

OUTLINE_SIGMA_PX, PIP_SIGMA_PX = 0.7, 0.45
_BAND_WEIGHT = 0.45
_SEEN_COSINE = 0.12
# Edges of a silhouette, and after them those of the upper face.
_RIM, _TOP = 6, 4
_IS_TOP = np.arange(_RIM + _TOP) >= _RIM
_LAST = _RIM + _TOP - 1
_FROM_LAST = np.arange(_LAST, -1, -1, dtype=np.uint8)[:, None]


@dataclass(frozen=True, slots=True)
class Look:
    """One comparison of cubes with what is seen.

    Attributes:
        residuals: In standard deviations: k of the outline, m of the pips across, m down; shape (b, k + 2 m).
        slopes: How these change with each unknown, shape (b, unknowns, k + 2 m); empty when not asked for.
        far: Distances of the outline points from the silhouette, px, shape (b, k).
        outline_px: The same, from the upper face's edge where that one is nearer and in shadow, weighed.
        miss: From each pip to its site, px, shape (b, 2, m).
        sites: Face * 9 + site of each pip, shape (b, m).
    """

    residuals: Floats
    slopes: Floats
    far: Floats
    outline_px: Floats
    miss: Floats
    sites: Places

    def only(self, rows: Mask) -> Look:
        """The comparison of some of the cubes."""
        return Look(
            residuals=self.residuals[rows],
            slopes=self.slopes[rows],
            far=self.far[rows],
            outline_px=self.outline_px[rows],
            miss=self.miss[rows],
            sites=self.sites[rows],
        )


@dataclass(frozen=True, slots=True)
class _Rims:
    """Outline points against the silhouettes and against the upper faces, in this order; each array (2, b, k).

    Attributes:
        far: Signed distances, positive outside.
        out: Unit directions outwards, x and y.
        edge: Nearest edges, index into all edges of the batch.
        held: How far along its edge the nearest point lies, 0 to 1.
        start: Corner where each edge of the batch begins, index into all corners.
        end: Where it ends.
    """

    far: Floats
    out: tuple[Floats, Floats]
    edge: Places
    held: Floats
    start: Places
    end: Places


def _to_rims(outline: Floats, u: Floats, v: Floats, edges: Places, sign: Floats) -> _Rims:
    """Outline points against convex outlines.

    Args:
        outline: Shape (b, 2, k), px.
        u: Corners of each cube across, shape (b, 8), px.
        v: The same down.
        edges: Corners where the edges of silhouette and upper face begin and end, shape (b, 2, 10).
        sign: 1 where an edge goes against the clock as seen by the camera, else -1, shape (b, 10).
    """
    count, _, sides = edges.shape
    base = np.arange(count)[:, None]
    start, end = edges[:, 0] + 8 * base, edges[:, 1] + 8 * base
    x, y = u.take(start), v.take(start)
    dx, dy = u.take(end) - x, v.take(end) - y
    length = np.maximum(np.sqrt(dx * dx + dy * dy), 1e-6)
    tx, ty = dx / length, dy / length
    nx, ny = -ty * sign, tx * sign
    gaps = np.stack([nx, ny], axis=2) @ outline
    gaps -= (nx * x + ny * y)[:, :, None]
    best = np.stack([gaps[:, :_RIM].max(1), gaps[:, _RIM:].max(1)])
    # The place of the largest, as the largest of small numbers: much quicker than to ask for it by name.
    last = [
        ((gaps[:, part] == most[:, None]) * _FROM_LAST[part]).max(1)
        for part, most in zip((slice(None, _RIM), slice(_RIM, None)), best, strict=True)
    ]
    edge = sides * base + (_LAST - np.stack(last))
    table = np.stack([x, y, tx, ty, length, nx, ny]).reshape(7, -1)
    x, y, tx, ty, length, nx, ny = table.take(edge, axis=1)
    rx, ry = outline[:, 0] - x, outline[:, 1] - y
    along = rx * tx + ry * ty
    held = np.minimum(np.maximum(along, 0.0), length)
    corner = (held != along) & (best > 0)
    rx -= held * tx
    ry -= held * ty
    distance = np.sqrt(rx * rx + ry * ry)
    corner &= distance > 1e-6
    safe = np.maximum(distance, 1e-6)
    return _Rims(
        far=np.where(corner, distance, best),
        out=(np.where(corner, rx / safe, nx), np.where(corner, ry / safe, ny)),
        edge=edge,
        held=held / length,
        start=start,
        end=end,
    )


def _pull_outline(rims: _Rims, to_face: Mask, scene: Scene, offsets: Floats, out: Floats) -> None:
    """Slopes of the distances from a rim over place and turn, written into (b, unknowns, k).

    Args:
        rims: The points against the rims.
        to_face: Which points count against the upper face, shape (b, k).
        scene: The cubes before the camera.
        offsets: Corners in the world, mm from each cube's middle, shape (b, 3, 8).
        out: Where the slopes go.
    """
    ox, oy, held = (np.where(to_face, part[1], part[0]) for part in (*rims.out, rims.held))
    edge = np.where(to_face, rims.edge[1], rims.edge[0])
    axes = scene.axes
    px, py, pz = (ox * axes[:, 0, i, None] + oy * axes[:, 1, i, None] for i in range(3))
    corners = offsets.transpose(1, 0, 2).reshape(3, -1)
    begin = corners.take(rims.start, axis=1).reshape(3, -1)
    stretch = corners.take(rims.end, axis=1).reshape(3, -1) - begin
    ax, ay, az = begin.take(edge, axis=1) + stretch.take(edge, axis=1) * held
    np.negative(px, out=out[:, 0])
    np.negative(py, out=out[:, 1])
    if out.shape[1] == len(FREE):
        np.negative(pz, out=out[:, 2])
        np.subtract(az * py, ay * pz, out=out[:, 3])
        np.subtract(ax * pz, az * px, out=out[:, 4])
    np.subtract(ay * px, ax * py, out=out[:, -3])


def compare(cubes: Cubes, columns: Places | None = None) -> Look:
    """Hold the cubes of a batch against what is seen.

    Args:
        cubes: The batch.
        columns: The unknowns whose slopes are wanted, `FREE` or `FLAT`; none when not given.
    """
    scene = scene_of(cubes)
    count, kept, pips = len(cubes.size), cubes.outline.shape[2], cubes.pips.shape[2]
    slopes = np.zeros((count, 0 if columns is None else len(columns), kept + 2 * pips))
    far = outline_px = np.zeros((count, 0))
    if kept:
        far, outline_px = _outline(cubes, scene, columns, slopes)
    miss, sites = np.zeros((count, 2, 0)), np.zeros((count, 0), dtype=np.int64)
    if pips:
        miss, sites = _pips(cubes, scene, columns, slopes[:, :, kept:])
    return Look(
        residuals=np.concatenate([outline_px / OUTLINE_SIGMA_PX, miss.reshape(count, -1) / PIP_SIGMA_PX], axis=1),
        slopes=slopes,
        far=far,
        outline_px=outline_px,
        miss=miss,
        sites=sites,
    )


def _outline(cubes: Cubes, scene: Scene, columns: Places | None, slopes: Floats) -> tuple[Floats, Floats]:
    """Distances of outline points from the silhouettes, and as they count; their slopes are filled in."""
    size = cubes.size
    local = CORNERS.T * size[:, None, None]
    u, v = placed(cubes.tray, scene.turn, scene.eye, local)
    inner = (0.5 - ROUND) * size[:, None]
    top = np.concatenate([cubes.turn[:, 2][:, [2, 0, 1]], -cubes.turn[:, 2]], axis=1).argmax(1)
    seen = np.where(scene.facing[np.arange(len(top)), top] > inner[:, 0], 1.0, -1.0)
    edges = np.concatenate([RIMS[(scene.facing > inner) @ BITS], TOPS[top]], axis=2)
    rims = _to_rims(cubes.outline, u, v, edges, np.where(_IS_TOP, seen[:, None], 1.0))
    far, short = rims.far - (ROUND * size * scene.radius + cubes.spread)[:, None]
    # Between the upper face's edge and the silhouette lies a side that may be half in shadow: there the outline
    # may run anywhere, so it says little.
    band = (far < 0) & (short > 0)
    soft = np.where(band, _BAND_WEIGHT, 1.0)
    to_face = band & (np.abs(short) < np.abs(far))
    outline_px = np.where(to_face, short, far) * soft
    if columns is not None:
        part = slopes[:, :, : far.shape[1]]
        _pull_outline(rims, to_face, scene, cubes.turn @ local, part)
        part[:, -2], part[:, -1] = 0.0, -1.0
        part *= (soft / OUTLINE_SIGMA_PX)[:, None]
    return far, outline_px


def _pips(cubes: Cubes, scene: Scene, columns: Places | None, slopes: Floats) -> tuple[Floats, Places]:
    """From each pip to the nearest site of a seen face, and which site that is; their slopes are filled in."""
    size, pips = cubes.size[:, None, None], cubes.pips
    half = cubes.size[:, None] / 2
    ahead = scene.facing - half
    away = (scene.eye**2).sum(1)[:, None] - 2 * half * scene.facing + half * half
    seen = (ahead > _SEEN_COSINE * np.sqrt(away)) @ BITS
    grid = GRID_OF[seen] * size
    local = MIDDLES_OF[seen] * size + cubes.pitch[:, None, None] * grid
    u, v = placed(cubes.tray, scene.turn, scene.eye, local)
    x, y = pips[:, 0, :, None] - u[:, None], pips[:, 1, :, None] - v[:, None]
    nearest = (x * x + y * y).argmin(2)
    line = np.arange(len(half))[:, None]
    at = nearest + 27 * line
    miss = np.stack([pips[:, 0] - u.take(at), pips[:, 1] - v.take(at)], axis=1)
    if columns is not None:
        at = nearest[:, None] + 27 * np.arange(3 * len(half)).reshape(-1, 3, 1)
        ax, ay, az = (cubes.turn @ local.take(at)).transpose(1, 0, 2)
        reach = cubes.turn @ grid.take(at)
        count = pips.shape[2]
        for axis in (0, 1):
            part = slopes[:, :, axis * count : (axis + 1) * count]
            px, py, pz = (scene.axes[:, axis, i, None] for i in range(3))
            part[:, 0], part[:, 1] = -px, -py
            if len(columns) == len(FREE):
                part[:, 2] = -pz
                np.subtract(az * py, ay * pz, out=part[:, 3])
                np.subtract(ax * pz, az * px, out=part[:, 4])
            np.subtract(ay * px, ax * py, out=part[:, -3])
            np.negative((scene.axes[:, None, axis] @ reach)[:, 0], out=part[:, -2])
            part[:, -1] = 0.0
        slopes /= PIP_SIGMA_PX
    return miss, SITES_OF[seen][line, nearest]
