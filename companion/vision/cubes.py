"""Many rounded cubes under a camera at once, and which of their edges and pips can be seen.

Theory. The silhouette of a cube is made of the edges between a face that is seen and one that is not. Three faces at
most are seen, so a table over all sets of seen faces names the six edges, and the sites on which pips can be. All is
written for a whole batch of poses, each coordinate in an array of its own: every guess about every die of a picture
goes through the same few array operations, which costs little more than one guess alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision.pose import GRID, NORMALS, PITCH, ROUND
from companion.vision.tray import Tray
from companion.vision.types import Floats, Mask, Places

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64) * (0.5 - ROUND)
# Columns of the slopes: place, turn, pip pitch, spread of the outline; a cube that stays flat has fewer unknowns.
FREE, FLAT = np.arange(8), np.array([0, 1, 5, 6, 7])
BITS = 1 << np.arange(6)
_TO_FACES = np.ascontiguousarray(NORMALS.T)


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
_AROUND_FACE = np.stack([_LOOPS, np.roll(_LOOPS, -1, axis=1)], axis=1)


def _seen_sets() -> tuple[Places, Places]:
    """For each set of seen faces, as bits: its outer edges (start and end) and its faces, repeated where fewer."""
    rims = np.zeros((64, 2, 6), dtype=np.int64)
    faces = np.zeros((64, 3), dtype=np.int64)
    for bits in range(64):
        seen = [face for face in range(6) if bits >> face & 1]
        edges = {(int(a), int(b)) for face in seen for a, b in _AROUND_FACE[face].T}
        rim = sorted(edge for edge in edges if edge[::-1] not in edges)[:6]
        if rim:
            rims[bits] = np.array([*rim, *[rim[0]] * (6 - len(rim))]).T
            faces[bits] = [*seen, *[seen[0]] * 3][:3]
    return rims, faces


_RIMS, _SEEN_FACES = _seen_sets()
# Edges of a silhouette, and after them those of the upper face, by upper face and set of seen faces.
RIM, TOP = _RIMS.shape[2], _AROUND_FACE.shape[2]
EDGES = np.stack([np.concatenate([_RIMS, np.repeat(around[None], 64, axis=0)], axis=2) for around in _AROUND_FACE])
SITES_OF = (_SEEN_FACES[:, :, None] * 9 + np.arange(9)).reshape(64, 27)
GRID_OF = GRID[_SEEN_FACES].reshape(64, 27, 3).transpose(0, 2, 1).copy()
MIDDLES_OF = np.repeat(NORMALS[_SEEN_FACES] / 2, 9, axis=1).transpose(0, 2, 1).copy()


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

    def only(self, rows: Mask) -> Cubes:
        """Some of the cubes, to be moved for themselves."""
        return Cubes(
            tray=self.tray,
            center=self.center[rows],
            turn=self.turn[rows],
            size=self.size[rows],
            pitch=self.pitch[rows],
            spread=self.spread[rows],
            outline=self.outline[rows],
            near=self.near[rows],
            pips=self.pips[rows],
            has_pip=self.has_pip[rows],
        )

    def move(self, rows: Places, to: Cubes) -> None:
        """Put some of the cubes where others are."""
        self.center[rows], self.turn[rows] = to.center, to.turn
        self.pitch[rows], self.spread[rows] = to.pitch, to.spread

    def there(self) -> Mask:
        """Which residuals count, shape (b, k + 2 m)."""
        return np.concatenate([self.near, self.has_pip, self.has_pip], axis=1)


@dataclass(frozen=True, slots=True)
class Scene:
    """The cubes of a batch before the camera.

    Attributes:
        eye: Middles in the camera's frame, shape (b, 3).
        turn: Die to camera, shape (b, 3, 3).
        facing: Distance of the camera before each face's plane through the middle, mm, shape (b, 6).
        top: The uppermost faces, shape (b,).
        axes: Change of a pixel's place with the world axes, shape (b, 2, 3).
        radius: Px of one mm at each cube, shape (b,).
    """

    eye: Floats
    turn: Floats
    facing: Floats
    top: Places
    axes: Floats
    radius: Floats


def scene_of(cubes: Cubes) -> Scene:
    """The cubes of a batch before the camera."""
    tray = cubes.tray
    away = tray.position_mm - cubes.center
    eye = away @ -tray.rotation.T
    z = eye[:, 2]
    x, y = eye[:, 0] / z, eye[:, 1] / z
    (fx, fy, _, _), twice = tray.lens, 2.0 * tray.k1
    one, across, down = 1.0 + 0.5 * twice * (x * x + y * y), fx / z, fy / z
    xy, xx, yy = twice * x * y, one + twice * x * x, one + twice * y * y
    bent = np.empty((len(z), 2, 3))
    bent[:, 0, 0], bent[:, 0, 1], bent[:, 0, 2] = xx * across, xy * across, (xx * x + xy * y) * -across
    bent[:, 1, 0], bent[:, 1, 1], bent[:, 1, 2] = xy * down, yy * down, (xy * x + yy * y) * -down
    return Scene(
        eye=eye,
        turn=tray.rotation @ cubes.turn,
        facing=(away[:, None] @ cubes.turn)[:, 0] @ _TO_FACES,
        top=(cubes.turn[:, 2] @ _TO_FACES).argmax(1),
        axes=bent @ tray.rotation,
        radius=across,
    )


def placed(tray: Tray, scene: Scene, local: Floats) -> tuple[Floats, Floats]:
    """Pixels of points of each cube, mm from its middle in its own frame, shape (b, 3, n), to two of (b, n)."""
    at = scene.turn @ local + scene.eye[:, :, None]
    z = at[:, 2]
    x, y = at[:, 0] / z, at[:, 1] / z
    bend = 1.0 + tray.k1 * (x * x + y * y)
    fx, fy, cx, cy = tray.lens
    return x * bend * fx + cx, y * bend * fy + cy
