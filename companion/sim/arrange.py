"""Dice put where they are wanted, by geometry alone: leaning by a given angle, stacked, touching, off the box.

Physics leans dice as it likes; a reader must be measured at every lean. So these poses are built: a die is tilted, put
down until its lowest point touches the floor, and pushed until it touches what it leans on. Whether it would stay so
depends on friction that nobody can see in a picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.sim import truth, turns
from companion.sim.turns import Floats

_EDGE_POINTS = 9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pose:
    """Where one die is.

    Attributes:
        position_mm: Its middle, shape (3,).
        quat: Its turn, shape (4,).
    """

    position_mm: Floats
    quat: Floats


def any_flat(rng: np.random.Generator) -> Floats:
    """A turn that lays any face up and looks any way, shape (4,)."""
    yaw = turns.about((0.0, 0.0, 1.0), rng.uniform(0, 2 * np.pi))
    return turns.product(yaw, turns.CUBE_TURNS[rng.integers(24)])


def leaning(lean_deg: float, away: float, rng: np.random.Generator) -> Floats:
    """A turn with a given lean whose upper face looks towards a direction, shape (4,).

    Args:
        lean_deg: Angle between the uppermost face and the vertical, up to 54.7.
        away: Direction in the plane that the upper face turns to, radians from x.
        rng: Chance of the way that the die stands in its tilt.

    Raises:
        ValueError: No cube leans so far.
    """
    tilt = turns.about((-np.sin(away), np.cos(away), 0.0), np.radians(lean_deg))
    # Past 45 degrees about an edge another face is uppermost: steep leans are those about a corner.
    for twist in (*rng.uniform(0, np.pi / 2, size=100), np.pi / 4):
        quat = turns.product(tilt, turns.about((0.0, 0.0, 1.0), away + twist))
        if abs(float(truth.leans_deg(quat)) - lean_deg) < 0.01:
            return turns.product(quat, turns.CUBE_TURNS[rng.integers(24)])
    raise ValueError(f"a cube leans by 0 to 54.7 degrees, not by {lean_deg!r}")


def on_floor(x_mm: float, y_mm: float, quat: Floats, size_mm: float) -> Pose:
    """A die with its lowest point on the floor."""
    return Pose(position_mm=np.array([x_mm, y_mm, float(truth.reach_mm(quat, size_mm))]), quat=quat)


def against_wall(pose: Pose, size_mm: float, axis: int, *, sign: int, outside: bool) -> Pose:
    """The same die pushed along an axis until it touches a wall.

    Args:
        pose: The die.
        size_mm: Edge length.
        axis: 0 for the walls at the short sides, 1 for those at the long sides.
        sign: Which of the two walls.
        outside: Whether it stands on the table and touches the wall's outer face.
    """
    radius = truth.EDGE_RADIUS * size_mm
    half = np.abs(turns.matrices(pose.quat)[axis]).sum() * (size_mm / 2 - radius) + radius
    inner = (truth.FLOOR_X_MM, truth.FLOOR_Y_MM)[axis] / 2
    place = inner + truth.WALL_THICK_MM + half if outside else inner - half
    position = pose.position_mm.copy()
    position[axis] = sign * place
    return Pose(position_mm=position, quat=pose.quat)


def beside(pose: Pose, other: Pose, size_mm: float, towards: float) -> Pose:
    """A die moved level from another one, in a direction, to where the two just touch.

    Args:
        pose: The die; its height and turn stay.
        other: The one it comes to touch.
        size_mm: Edge length of both.
        towards: Direction from the other die, radians from x.
    """
    step = np.array([np.cos(towards), np.sin(towards), 0.0])
    flat = np.array([*other.position_mm[:2], pose.position_mm[2]])
    near, far = 0.0, 2 * size_mm
    for _ in range(24):
        middle = (near + far) / 2
        placed = Pose(position_mm=flat + middle * step, quat=pose.quat)
        near, far = (middle, far) if overlap(placed, other, size_mm) else (near, middle)
    return Pose(position_mm=flat + far * step, quat=pose.quat)


def on_top(lower: Pose, size_mm: float, rng: np.random.Generator, most_off: float = 0.42) -> Pose:
    """A flat die lying on a flat die, its middle over the lower one so that it does not fall off.

    Args:
        lower: The die below.
        size_mm: Edge length of both.
        rng: Chance of the place and the turn.
        most_off: How far its middle may lie off the lower one's, as a share of the size.
    """
    off, towards = rng.uniform(0, most_off) * size_mm, rng.uniform(0, 2 * np.pi)
    step = np.array([off * np.cos(towards), off * np.sin(towards), size_mm])
    return Pose(position_mm=lower.position_mm + step, quat=any_flat(rng))


def overlap(one: Pose, other: Pose, size_mm: float) -> bool:
    """Whether two dice stand in each other: some point of one's edges lies within the other."""
    return _reaches_into(one, other, size_mm) or _reaches_into(other, one, size_mm)


def _reaches_into(one: Pose, other: Pose, size_mm: float) -> bool:
    points = _EDGES @ turns.matrices(one.quat).T * size_mm + one.position_mm
    seen = (points - other.position_mm) @ turns.matrices(other.quat)
    radius = truth.EDGE_RADIUS * size_mm
    past = np.abs(seen) - (size_mm / 2 - radius)
    distance = np.linalg.norm(np.maximum(past, 0), axis=1) + np.minimum(past.max(axis=1), 0) - radius
    return bool(distance.min() < 0)


def _edges() -> Floats:
    """Points along the twelve rounded edges of a die of size 1, and the middles of its faces, shape (n, 3)."""
    inner = 0.5 - truth.EDGE_RADIUS
    along = np.linspace(-inner, inner, _EDGE_POINTS)
    points = [*(0.5 * truth.FACE_NORMALS)]
    for axis in range(3):
        for first in (-1, 1):
            for second in (-1, 1):
                corner = np.insert(np.array([first, second]) * (inner + truth.EDGE_RADIUS / np.sqrt(2)), axis, 0.0)
                points += [corner + np.insert(np.zeros(2), axis, place) for place in along]
    return np.array(points)


_EDGES = _edges()
