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
    EDGES,
    FREE,
    GRID_OF,
    MIDDLES_OF,
    RIM,
    SITES_OF,
    TOP,
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
_OF_RIM, _OF_TOP = slice(None, RIM), slice(RIM, None)
_IS_TOP = np.arange(RIM + TOP) >= RIM
_LAST = RIM + TOP - 1
_FROM_LAST = np.arange(_LAST, -1, -1, dtype=np.uint8)[:, None]


@dataclass(frozen=True, slots=True)
class Look:
    """One comparison of cubes with what is seen.

    Attributes:
        residuals: In standard deviations: k of the outline, m of the pips across, m down; shape (b, k + 2 m). The
            outline's are from the upper face's edge where that one is nearer and in shadow, weighed.
        slopes: How these change with each unknown, shape (b, unknowns, k + 2 m); empty when not asked for.
        far: Distances of the outline points from the silhouette, px, shape (b, k).
        sites: Face * 9 + site of each pip, shape (b, m).
    """

    residuals: Floats
    slopes: Floats
    far: Floats
    sites: Places

    def only(self, rows: Mask) -> Look:
        """The comparison of some of the cubes."""
        return Look(self.residuals[rows], self.slopes[rows], self.far[rows], self.sites[rows])

    @property
    def outline_px(self) -> Floats:
        """The outline's residuals, px, shape (b, k)."""
        return self.residuals[:, : self.far.shape[1]] * OUTLINE_SIGMA_PX

    @property
    def pips_px(self) -> Floats:
        """Distances of the pips from their sites, px, shape (b, m)."""
        count = self.sites.shape[1]
        miss = self.residuals[:, self.far.shape[1] :] * PIP_SIGMA_PX
        return np.asarray(np.hypot(miss[:, :count], miss[:, count:]))


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
    start, end = (edges + (8 * base)[:, None]).transpose(1, 0, 2)
    table = np.empty((7, count, sides))
    x, y, tx, ty, length, nx, ny = table
    u.take(start, out=x)
    v.take(start, out=y)
    np.subtract(u.take(end), x, out=tx)
    np.subtract(v.take(end), y, out=ty)
    np.maximum(np.sqrt(tx * tx + ty * ty), 1e-6, out=length)
    tx /= length
    ty /= length
    np.multiply(ty, -sign, out=nx)
    np.multiply(tx, sign, out=ny)
    gaps = table[5:].transpose(1, 2, 0) @ outline
    gaps -= (nx * x + ny * y)[:, :, None]
    best, last = np.empty((2, count, outline.shape[2])), np.empty((2, count, outline.shape[2]), dtype=np.uint8)
    for number, part in enumerate((_OF_RIM, _OF_TOP)):
        most = gaps[:, part].max(1, out=best[number])
        # The place of the largest, as the largest of small numbers: much quicker than to ask for it by name.
        ((gaps[:, part] == most[:, None]) * _FROM_LAST[part]).max(1, out=last[number])
    edge = (sides * base + _LAST) - last
    x, y, tx, ty, length, nx, ny = table.reshape(7, -1).take(edge, axis=1)
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
    residuals = np.empty((count, kept + 2 * pips))
    slopes = np.empty((count, 0 if columns is None else len(columns), kept + 2 * pips))
    far, sites = np.zeros((count, 0)), np.zeros((count, 0), dtype=np.int64)
    if kept:
        far = _outline(cubes, scene, residuals[:, :kept], slopes[:, :, :kept])
    if pips:
        sites = _pips(cubes, scene, residuals[:, kept:], slopes[:, :, kept:])
    return Look(residuals, slopes, far, sites)


def _outline(cubes: Cubes, scene: Scene, residuals: Floats, slopes: Floats) -> Floats:
    """Distances of outline points from the silhouettes; their residuals and slopes are filled in."""
    size = cubes.size
    local = CORNERS.T * size[:, None, None]
    u, v = placed(cubes.tray, scene, local)
    seen = scene.facing > ((0.5 - ROUND) * size)[:, None]
    # An upper face that the camera sees from below goes round the other way.
    hidden = ~seen[np.arange(len(size)), scene.top]
    sign = np.where(_IS_TOP & hidden[:, None], -1.0, 1.0) if hidden.any() else np.ones(1)
    rims = _to_rims(cubes.outline, u, v, EDGES[scene.top, seen @ BITS], sign)
    far, short = rims.far - (ROUND * size * scene.radius + cubes.spread)[:, None]
    # Between the upper face's edge and the silhouette lies a side that may be half in shadow: there the outline
    # may run anywhere, so it says little.
    band = (far < 0) & (short > 0)
    to_face = band & (short < -far)
    weight = np.where(band, _BAND_WEIGHT / OUTLINE_SIGMA_PX, 1.0 / OUTLINE_SIGMA_PX)
    np.multiply(np.where(to_face, short, far), weight, out=residuals)
    if slopes.shape[1]:
        _pull_outline(rims, to_face, scene, cubes.turn @ local, slopes)
        slopes[:, -2], slopes[:, -1] = 0.0, -1.0
        slopes *= weight[:, None]
    return np.asarray(far)


def _pips(cubes: Cubes, scene: Scene, residuals: Floats, slopes: Floats) -> Places:
    """Which site of a seen face is nearest to each pip; the residuals and slopes of the pips are filled in."""
    size, pips = cubes.size[:, None, None], cubes.pips
    half, count = cubes.size[:, None] / 2, pips.shape[2]
    away = scene.eye[:, None] @ scene.eye[:, :, None] + (half * (half - 2.0 * scene.facing))[:, None]
    seen = (scene.facing - half > _SEEN_COSINE * np.sqrt(away[:, 0])) @ BITS
    grid = GRID_OF[seen] * size
    local = MIDDLES_OF[seen] * size + cubes.pitch[:, None, None] * grid
    u, v = placed(cubes.tray, scene, local)
    x, y = pips[:, 0, :, None] - u[:, None], pips[:, 1, :, None] - v[:, None]
    nearest = (x * x + y * y).argmin(2)
    line = np.arange(len(half))[:, None]
    at = nearest + 27 * line
    np.subtract(pips[:, 0], u.take(at), out=residuals[:, :count])
    np.subtract(pips[:, 1], v.take(at), out=residuals[:, count:])
    residuals /= PIP_SIGMA_PX
    if slopes.shape[1]:
        at = nearest[:, None] + 27 * np.arange(3 * len(half)).reshape(-1, 3, 1)
        ax, ay, az = (cubes.turn @ local.take(at)).transpose(1, 0, 2)
        reach = cubes.turn @ grid.take(at)
        pull = scene.axes / -PIP_SIGMA_PX
        along = pull @ reach
        for axis in (0, 1):
            part = slopes[:, :, axis * count : (axis + 1) * count]
            px, py, pz = pull[:, axis, 0, None], pull[:, axis, 1, None], pull[:, axis, 2, None]
            part[:, 0], part[:, 1] = px, py
            if len(part[0]) == len(FREE):
                part[:, 2] = pz
                np.subtract(ay * pz, az * py, out=part[:, 3])
                np.subtract(az * px, ax * pz, out=part[:, 4])
            np.subtract(ax * py, ay * px, out=part[:, -3])
            part[:, -2], part[:, -1] = along[:, axis], 0.0
    return np.asarray(SITES_OF[seen][line, nearest])
