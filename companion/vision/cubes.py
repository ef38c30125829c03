"""Many rounded cubes under a camera at once: where their outlines and pips fall, and how these move with the poses.

Theory. The silhouette of a cube is made of the edges between a face that is seen and one that is not. Three faces at
most are seen, so a table over all sets of seen faces names the six edges, and the sites on which pips can be. A
point's distance from the silhouette is the largest of its distances from the lines of these edges, or its distance from
the nearest corner; the rounding takes one radius off. All of this is written for a whole batch of poses, each
coordinate in an array of its own: every guess about every die of a picture goes through the same few array operations,
which costs little more than one guess alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.pose import GRID, NORMALS, PITCH, ROUND
from companion.vision.tray import Tray
from companion.vision.types import Floats, Mask, Places

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64) * (0.5 - ROUND)
OUTLINE_SIGMA_PX, PIP_SIGMA_PX = 0.7, 0.45
_BAND_WEIGHT = 0.45
_SEEN_COSINE = 0.12
# Columns of the slopes: place, turn, pip pitch, spread of the outline; a cube that stays flat has fewer unknowns.
FREE, FLAT = np.arange(8), np.array([0, 1, 5, 6, 7])
_BITS = 1 << np.arange(6)


def _loops() -> Places:
    """Corners of each face in order round it as seen from outside, shape (6, 4)."""
    out = []
    for normal in NORMALS:
        corners = [i for i in range(8) if CORNERS[i] @ normal > 0]
        middle = CORNERS[corners].mean(0)
        one = CORNERS[corners[0]] - middle
        other = np.cross(normal, one)
        angle = {i: np.arctan2((CORNERS[i] - middle) @ other, (CORNERS[i] - middle) @ one) for i in corners}
        out.append(sorted(corners, key=lambda i: angle[i]))
    return np.array(out)


_LOOPS = _loops()
_TOPS = np.stack([_LOOPS, np.roll(_LOOPS, -1, axis=1)], axis=1)


def _seen_sets() -> tuple[Places, Places]:
    """For each set of seen faces, as bits: its outer edges (start and end) and its faces, repeated where fewer."""
    rims = np.zeros((64, 2, 6), dtype=np.int64)
    faces = np.zeros((64, 3), dtype=np.int64)
    for bits in range(64):
        seen = [face for face in range(6) if bits >> face & 1]
        edges = {(int(a), int(b)) for face in seen for a, b in _TOPS[face].T}
        rim = sorted(edge for edge in edges if edge[::-1] not in edges)[:6]
        if rim:
            rims[bits] = np.array([*rim, *[rim[0]] * (6 - len(rim))]).T
            faces[bits] = [*seen, *[seen[0]] * 3][:3]
    return rims, faces


_RIMS, _SEEN_FACES = _seen_sets()
_GRID_OF = GRID[_SEEN_FACES].reshape(64, 27, 3).transpose(0, 2, 1).copy()
_MIDDLES_OF = np.repeat(NORMALS[_SEEN_FACES] / 2, 9, axis=1).transpose(0, 2, 1).copy()


def _packed(points: Floats, wanted: Mask) -> tuple[Floats, Mask]:
    """Of common points those that each row wants, side by side, shape (b, 2, k), and which there are, shape (b, k)."""
    count = wanted.sum(1)
    there = np.arange(count.max(initial=0)) < count[:, None]
    out = np.zeros((len(wanted), 2, there.shape[1]))
    chosen = points[wanted.nonzero()[1]]
    out[:, 0][there], out[:, 1][there] = chosen[:, 0], chosen[:, 1]
    return out, there


@dataclass(slots=True, kw_only=True)
class Cubes:
    """Poses and what they are compared with, one row per pose.

    Attributes:
        tray: The camera.
        center: Middles, mm, shape (b, 3).
        turn: Die to world, shape (b, 3, 3).
        size: Edges, mm, shape (b,).
        pitch: Distances of neighbouring pip sites as shares of the edge, shape (b,).
        spread: How far blur pushes the outlines out, px, shape (b,).
        outline: Points on the outlines, shape (b, 2, k), px.
        near: Which of these count, shape (b, k).
        pips: Pip centres, shape (b, 2, m), px.
        has_pip: Which of these there are, shape (b, m).
    """

    tray: Tray
    center: Floats
    turn: Floats
    size: Floats
    pitch: Floats
    spread: Floats
    outline: Floats
    near: Mask
    pips: Floats
    has_pip: Mask

    @staticmethod
    def of(
        tray: Tray,
        *,
        center: Floats,
        turn: Floats,
        size_mm: float,
        outline: tuple[Floats, Mask],
        spots: tuple[Floats, Mask],
    ) -> Cubes:
        """Dice of one size that share an outline and spots.

        Args:
            tray: The camera.
            center: Middles, mm, shape (b, 3).
            turn: Die to world, shape (b, 3, 3).
            size_mm: Their edge.
            outline: Points on the common outline, px, shape (n, 2), and which are of each die, shape (b, n).
            spots: Centres of the common spots, px, shape (s, 2), and which are pips of each die, shape (b, s).
        """
        (lines, has_line), (dots, has_dot) = _packed(*outline), _packed(*spots)
        return Cubes(
            tray=tray,
            center=center,
            turn=turn,
            size=np.full(len(center), size_mm),
            pitch=np.full(len(center), PITCH),
            spread=np.zeros(len(center)),
            outline=lines,
            near=has_line,
            pips=dots,
            has_pip=has_dot,
        )

    def there(self) -> Mask:
        """Which residuals count, shape (b, k + 2 m)."""
        return np.concatenate([self.near, self.has_pip, self.has_pip], axis=1)


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


@dataclass(frozen=True, slots=True)
class _Scene:
    """The cubes of a batch before the camera.

    Attributes:
        eye: Middles in the camera's frame, shape (b, 3).
        turn: Die to camera, shape (b, 3, 3).
        facing: Distance of the camera before each face's plane through the middle, mm, shape (b, 6).
        axes: Change of a pixel's place with the world axes, shape (b, 2, 3).
        radius: Px of one mm at each cube, shape (b,).
    """

    eye: Floats
    turn: Floats
    facing: Floats
    axes: Floats
    radius: Floats


def _scene(cubes: Cubes) -> _Scene:
    tray = cubes.tray
    away = tray.position_mm - cubes.center
    eye = away @ -tray.rotation.T
    x, y, z = eye[:, 0] / eye[:, 2], eye[:, 1] / eye[:, 2], eye[:, 2]
    one = 1.0 + tray.k1 * (x * x + y * y)
    twice = 2.0 * tray.k1
    xx, xy, yy = one + twice * x * x, twice * x * y, one + twice * y * y
    bent = np.empty((len(z), 2, 3))
    bent[:, 0, 0], bent[:, 0, 1], bent[:, 0, 2] = xx, xy, -(xx * x + xy * y)
    bent[:, 1, 0], bent[:, 1, 1], bent[:, 1, 2] = xy, yy, -(xy * x + yy * y)
    bent *= np.array([[tray.matrix[0, 0]], [tray.matrix[1, 1]]]) / z[:, None, None]
    axes = bent @ tray.rotation
    right = (away[:, None] @ cubes.turn)[:, 0]
    facing = np.concatenate([right[:, [2, 0, 1]], -right[:, [0, 1, 2]]], axis=1)
    return _Scene(eye, tray.rotation @ cubes.turn, facing, axes, tray.matrix[0, 0] / z)


def _placed(tray: Tray, turn: Floats, eye: Floats, local: Floats) -> tuple[Floats, Floats]:
    """Pixels of points of each cube, mm from its middle in its own frame, shape (b, 3, n), to two of (b, n)."""
    at = turn @ local + eye[:, :, None]
    x, y = at[:, 0] / at[:, 2], at[:, 1] / at[:, 2]
    bend = 1.0 + tray.k1 * (x * x + y * y)
    (fx, _, cx), (_, fy, cy) = tray.matrix[0], tray.matrix[1]
    return x * bend * fx + cx, y * bend * fy + cy


@dataclass(frozen=True, slots=True)
class _Rim:
    """Distances of outline points from convex outlines, shape (b, k), with what their slopes need.

    Attributes:
        far: Signed distances, positive outside.
        out: Unit direction outwards, x and y.
        start: Corner where the edge begins, index into all corners of the batch.
        end: Where it ends.
        held: How far along the edge the nearest point lies, 0 to 1.
    """

    far: Floats
    out: tuple[Floats, Floats]
    start: Places
    end: Places
    held: Floats


def _to_rim(outline: Floats, u: Floats, v: Floats, edges: Places, sign: Floats | float = 1.0) -> _Rim:
    """Outline points against convex outlines.

    Args:
        outline: Shape (b, 2, k), px.
        u: Corners of each cube across, shape (b, 8), px.
        v: The same down.
        edges: Corners where the edges begin and end, against the clock as seen by the camera, shape (b, 2, n).
        sign: -1 where they go with the clock, shape (b, 1).
    """
    count, _, sides = edges.shape
    base = np.arange(count)[:, None]
    start, end = edges[:, 0] + 8 * base, edges[:, 1] + 8 * base
    u, v = u.ravel(), v.ravel()
    x, y = u[start], v[start]
    dx, dy = u[end] - x, v[end] - y
    length = np.maximum(np.sqrt(dx * dx + dy * dy), 1e-6)
    turned = sign / length
    nx, ny = -dy * turned, dx * turned
    level = nx * x + ny * y
    px, py = outline[:, 0], outline[:, 1]
    gaps = np.stack([nx, ny], axis=2) @ outline
    gaps -= level[:, :, None]
    best = gaps[:, 0]
    chosen = np.zeros(best.shape, dtype=np.int64)
    for side in range(1, sides):
        np.copyto(chosen, side, where=gaps[:, side] > best)
        best = np.maximum(best, gaps[:, side])
    chosen += base * sides
    table = np.stack([x, y, dx / length, dy / length, length, nx, ny]).reshape(7, -1)
    x, y, tx, ty, length, nx, ny = table[:, chosen]
    rx, ry = px - x, py - y
    along = rx * tx + ry * ty
    held = np.minimum(np.maximum(along, 0.0), length)
    corner = (held != along) & (best > 0)
    rx -= held * tx
    ry -= held * ty
    distance = np.sqrt(rx * rx + ry * ry)
    corner &= distance > 1e-6
    safe = np.maximum(distance, 1e-6)
    return _Rim(
        far=np.where(corner, distance, best),
        out=(np.where(corner, rx / safe, nx), np.where(corner, ry / safe, ny)),
        start=start.ravel()[chosen],
        end=end.ravel()[chosen],
        held=held / length,
    )


def _pull_outline(rim: _Rim, scene: _Scene, offsets: Floats, columns: Places, out: Floats) -> None:
    """Slopes of the distances from a rim over place and turn, written into (b, unknowns, k).

    Args:
        rim: The points against the rim.
        scene: The cubes before the camera.
        offsets: Corners in the world, mm from each cube's middle, shape (b, 3, 8).
        columns: The unknowns.
        out: Where the slopes go.
    """
    (ox, oy), axes = rim.out, scene.axes
    pull = [ox * axes[:, 0, i, None] + oy * axes[:, 1, i, None] for i in range(3)]
    corners = offsets.transpose(1, 0, 2).reshape(3, -1)
    begin, stop = corners[:, rim.start], corners[:, rim.end]
    ax, ay, az = begin + (stop - begin) * rim.held
    np.negative(pull[0], out=out[:, 0])
    np.negative(pull[1], out=out[:, 1])
    if len(columns) == len(FREE):
        np.negative(pull[2], out=out[:, 2])
        np.subtract(az * pull[1], ay * pull[2], out=out[:, 3])
        np.subtract(ax * pull[2], az * pull[0], out=out[:, 4])
    np.subtract(ay * pull[0], ax * pull[1], out=out[:, -3])


def compare(cubes: Cubes, columns: Places | None = None) -> Look:
    """Hold the cubes of a batch against what is seen.

    Args:
        cubes: The batch.
        columns: The unknowns whose slopes are wanted, `FREE` or `FLAT`; none when not given.
    """
    scene = _scene(cubes)
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


def _outline(cubes: Cubes, scene: _Scene, columns: Places | None, slopes: Floats) -> tuple[Floats, Floats]:
    """Distances of outline points from the silhouettes, and as they count; their slopes are filled in."""
    size = cubes.size
    local = CORNERS.T * size[:, None, None]
    u, v = _placed(cubes.tray, scene.turn, scene.eye, local)
    inner = (0.5 - ROUND) * size[:, None]
    top = np.concatenate([cubes.turn[:, 2][:, [2, 0, 1]], -cubes.turn[:, 2]], axis=1).argmax(1)
    rim = _to_rim(cubes.outline, u, v, _RIMS[(scene.facing > inner) @ _BITS])
    seen = np.where(scene.facing[np.arange(len(top)), top] > inner[:, 0], 1.0, -1.0)[:, None]
    edge = _to_rim(cubes.outline, u, v, _TOPS[top], seen)
    shrink = (ROUND * size * scene.radius + cubes.spread)[:, None]
    far, short = rim.far - shrink, edge.far - shrink
    # Between the upper face's edge and the silhouette lies a side that may be half in shadow: there the outline
    # may run anywhere, so it says little.
    band = (far < 0) & (short > 0)
    soft = np.where(band, _BAND_WEIGHT, 1.0)
    to_edge = band & (np.abs(short) < np.abs(far))
    outline_px = np.where(to_edge, short, far) * soft
    if columns is not None:
        nearer = _Rim(
            far=far,
            out=(np.where(to_edge, edge.out[0], rim.out[0]), np.where(to_edge, edge.out[1], rim.out[1])),
            start=np.where(to_edge, edge.start, rim.start),
            end=np.where(to_edge, edge.end, rim.end),
            held=np.where(to_edge, edge.held, rim.held),
        )
        part = slopes[:, :, : far.shape[1]]
        _pull_outline(nearer, scene, cubes.turn @ local, columns, part)
        part[:, -2], part[:, -1] = 0.0, -1.0
        part *= (soft / OUTLINE_SIGMA_PX)[:, None]
    return far, outline_px


def _pips(cubes: Cubes, scene: _Scene, columns: Places | None, slopes: Floats) -> tuple[Floats, Places]:
    """From each pip to the nearest site of a seen face, and which site that is; their slopes are filled in."""
    size, pips = cubes.size[:, None, None], cubes.pips
    half = cubes.size[:, None] / 2
    ahead = scene.facing - half
    away = (scene.eye**2).sum(1)[:, None] - 2 * half * scene.facing + half * half
    seen = (ahead > _SEEN_COSINE * np.sqrt(away)) @ _BITS
    grid = _GRID_OF[seen] * size
    local = _MIDDLES_OF[seen] * size + cubes.pitch[:, None, None] * grid
    u, v = _placed(cubes.tray, scene.turn, scene.eye, local)
    x, y = pips[:, 0, :, None] - u[:, None], pips[:, 1, :, None] - v[:, None]
    nearest = (x * x + y * y).argmin(2)
    line = np.arange(len(half))[:, None]
    miss = np.stack([pips[:, 0] - u[line, nearest], pips[:, 1] - v[line, nearest]], axis=1)
    if columns is not None:
        across = nearest[:, None]
        ax, ay, az = (cubes.turn @ np.take_along_axis(local, across, 2)).transpose(1, 0, 2)
        reach = cubes.turn @ np.take_along_axis(grid, across, 2)
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
    return miss, _SEEN_FACES[seen][line, nearest // 9] * 9 + nearest % 9
