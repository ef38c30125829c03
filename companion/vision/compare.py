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
_CORNERS = len(CORNERS)
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
        start: Corner where each edge of the batch begins, index into all points.
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
        u: Corners of each cube, and its sites behind them, across, shape (b, 35), px.
        v: The same down.
        edges: Corners where the edges of silhouette and upper face begin and end, shape (b, 2, 10).
        sign: 1 where an edge goes against the clock as seen by the camera, else -1, shape (b, 10).
    """
    count, _, sides = edges.shape
    base = np.arange(count)[:, None]
    start, end = (edges + (u.shape[1] * base)[:, None]).transpose(1, 0, 2)
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


def _edges(cubes: Cubes, scene: Scene) -> tuple[Places, Floats]:
    """Edges of silhouettes and upper faces, shape (b, 2, 10), and 1 for those that go against the clock, else -1."""
    seen = scene.facing > ((0.5 - ROUND) * cubes.size)[:, None]
    # An upper face that the camera sees from below goes round the other way.
    hidden = ~seen[np.arange(len(seen)), scene.top]
    sign = np.where(_IS_TOP & hidden[:, None], -1.0, 1.0) if hidden.any() else np.ones(1)
    return EDGES[scene.top, seen @ BITS], sign


@dataclass(frozen=True, slots=True)
class _Sites:
    """Pips against the sites of the seen faces.

    Attributes:
        miss: From the nearest sites, in standard deviations, across and then down, shape (b, 2 m).
        site: These sites among those of the seen faces, shape (b, m).
        place: The same, index into all points.
    """

    miss: Floats
    site: Places
    place: Places


def _to_sites(pips: Floats, u: Floats, v: Floats) -> _Sites:
    """Pips, shape (b, 2, m), against the sites behind the corners of each cube."""
    x, y = pips[:, 0, :, None] - u[:, None, _CORNERS:], pips[:, 1, :, None] - v[:, None, _CORNERS:]
    site = (x * x + y * y).argmin(2)
    place = site + (_CORNERS + u.shape[1] * np.arange(len(u)))[:, None]
    count = pips.shape[2]
    miss = np.empty((len(u), 2 * count))
    np.subtract(pips[:, 0], u.take(place), out=miss[:, :count])
    np.subtract(pips[:, 1], v.take(place), out=miss[:, count:])
    miss /= PIP_SIGMA_PX
    return _Sites(miss, site, place)


def compare(cubes: Cubes, columns: Places | None = None) -> Look:
    """Hold the cubes of a batch against what is seen.

    Args:
        cubes: The batch.
        columns: The unknowns whose slopes are wanted, `FREE` or `FLAT`; none when not given.
    """
    scene, size, kept = scene_of(cubes), cubes.size[:, None, None], cubes.outline.shape[2]
    half = cubes.size[:, None] / 2
    away = scene.eye[:, None] @ scene.eye[:, :, None] + (half * (half - 2.0 * scene.facing))[:, None]
    seen = (scene.facing - half > _SEEN_COSINE * np.sqrt(away[:, 0])) @ BITS
    grid = GRID_OF[seen] * size
    # Corners, and behind them the sites of the faces that are seen.
    local = np.empty((len(size), 3, _CORNERS + grid.shape[2]))
    np.multiply(CORNERS.T, size, out=local[:, :, :_CORNERS])
    np.add(MIDDLES_OF[seen] * size, cubes.pitch[:, None, None] * grid, out=local[:, :, _CORNERS:])
    u, v = placed(cubes.tray, scene, local)
    rims, sites = _to_rims(cubes.outline, u, v, *_edges(cubes, scene)), _to_sites(cubes.pips, u, v)
    far, short = rims.far - (ROUND * cubes.size * scene.radius + cubes.spread)[:, None]
    # Between the upper face's edge and the silhouette lies a side that may be half in shadow: there the outline
    # may run anywhere, so it says little.
    band = (far < 0) & (short > 0)
    to_face = band & (short < -far)
    weight = np.where(band, _BAND_WEIGHT / OUTLINE_SIGMA_PX, 1.0 / OUTLINE_SIGMA_PX)
    residuals = np.empty((len(size), kept + sites.miss.shape[1]))
    np.multiply(np.where(to_face, short, far), weight, out=residuals[:, :kept])
    residuals[:, kept:] = sites.miss
    slopes = np.empty((len(size), 0, 0))
    if columns is not None:
        arms, normals = _pulls(rims, sites, to_face, (cubes.turn @ local).transpose(1, 0, 2).reshape(3, -1))
        normals[:, :, :kept] *= weight[:, None]
        reach = cubes.turn @ grid.take(sites.site[:, None] + 27 * np.arange(3 * len(size)).reshape(-1, 3, 1))
        slopes = _slopes(scene.axes.transpose(0, 2, 1) @ normals, arms, reach, columns)
        np.negative(weight, out=slopes[:, -1, :kept])
    return Look(residuals, slopes, np.asarray(far), SITES_OF[seen][np.arange(len(size))[:, None], sites.site])


def _pulls(rims: _Rims, sites: _Sites, to_face: Mask, world: Floats) -> tuple[Floats, Floats]:
    """Where each residual takes hold of its cube, and in which direction of the picture it counts.

    Args:
        rims: The outline points against the rims.
        sites: The pips against the sites.
        to_face: Which outline points count against the upper face, shape (b, k).
        world: All points in the world, mm from their cube's middle, shape (3, points).

    Returns:
        Arms from the middle, mm, shape (3, b, k + 2 m), and directions, in standard deviations a px but for the
        outline's, which are units, shape (b, 2, k + 2 m).
    """
    (count, kept), pips = to_face.shape, sites.site.shape[1]
    across, down, held = (np.where(to_face, part[1], part[0]) for part in (*rims.out, rims.held))
    edge = np.where(to_face, rims.edge[1], rims.edge[0])
    begin = world.take(rims.start, axis=1).reshape(3, -1)
    stretch = world.take(rims.end, axis=1).reshape(3, -1) - begin
    arms = np.empty((3, count, kept + 2 * pips))
    np.add(begin.take(edge, axis=1), stretch.take(edge, axis=1) * held, out=arms[:, :, :kept])
    arms[:, :, kept : kept + pips] = arms[:, :, kept + pips :] = world.take(sites.place, axis=1)
    normals = np.zeros((count, 2, kept + 2 * pips))
    normals[:, 0, :kept], normals[:, 1, :kept] = across, down
    normals[:, 0, kept : kept + pips] = normals[:, 1, kept + pips :] = 1.0 / PIP_SIGMA_PX
    return arms, normals


def _slopes(pull: Floats, arms: Floats, reach: Floats, columns: Places) -> Floats:
    """How residuals change with each unknown, shape (b, unknowns, n); that of the spread is left at none.

    Args:
        pull: How each residual changes with the place of its cube's point, taken away, shape (b, 3, n).
        arms: Where that point is, mm from the middle, shape (3, b, n).
        reach: How the sites of the pips move with the pitch, shape (b, 3, m).
        columns: The unknowns.
    """
    pips = 2 * reach.shape[2]
    slopes = np.zeros((len(pull), len(columns), pull.shape[2]))
    (ax, ay, az), (px, py, pz) = arms, pull.transpose(1, 0, 2)
    if len(columns) == len(FREE):
        np.negative(pull, out=slopes[:, :3])
        np.subtract(az * py, ay * pz, out=slopes[:, 3])
        np.subtract(ax * pz, az * px, out=slopes[:, 4])
    else:
        np.negative(pull[:, :2], out=slopes[:, :2])
    np.subtract(ay * px, ax * py, out=slopes[:, -3])
    if pips:
        along = pull[:, :, -pips:].reshape(*reach.shape[:2], 2, -1) * reach[:, :, None]
        np.negative(along.sum(1).reshape(len(pull), -1), out=slopes[:, -2, -pips:])
    return slopes
