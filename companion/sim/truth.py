"""What really lies in the box: lean, height, value and verdict of dice whose poses are known.

World frame in millimetres: origin in the middle of the box floor, x to the right and y away from the players as
seen in the picture, z towards the camera. The verdicts are judged in the order of the reader's contract (off the
box, moving, stacked, cocked, valid), from the poses alone: no picture is involved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from companion.sim import turns
from companion.sim.turns import Floats

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

FLOOR_X_MM, FLOOR_Y_MM = 240.0, 180.0
WALL_HEIGHT_MM, WALL_THICK_MM = 30.0, 8.0
COCKED_DEG = 4.5
READABLE_DEG = 3.0
EDGE_RADIUS = 0.11
"""Radius of a die's rounded edges as a share of its size."""

FACE_NORMALS: Floats = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, -1, 0], [-1, 0, 0], [0, 0, -1]], float)
"""Outward normals of the faces 1 to 6 in the die's own frame: opposite faces add up to seven, 1-2-3 anticlockwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DieTruth:
    """One die as it really lies.

    Attributes:
        value: Number on the upper face while the die leans less than 3 degrees, else None.
        verdict: 'valid', 'cocked', 'stacked', 'off_box' or 'moving'.
        lean_deg: Angle between the uppermost face's normal and the vertical, 0 to 54.7.
        height_mm: Height of the die's highest point above the floor.
        colour: Colour of the body by name.
        size_mm: Edge length.
        position_mm: Middle of the cube in the world.
        rolled: Whether it tumbled over at least one face after it first touched something.
        side: 'attack' or 'defence'.
        id: The same die throughout a rig's life.
        top: Number on the uppermost face, however far it leans.
    """

    value: int | None
    verdict: str
    lean_deg: float
    height_mm: float
    colour: str
    size_mm: float
    position_mm: tuple[float, float, float]
    rolled: bool
    side: str
    id: int
    top: int


def leans_deg(quats: Floats) -> Floats:
    """Lean of each die against the floor, shape (..., 4) to (...), degrees."""
    up = np.abs(turns.matrices(quats)[..., 2, :]).max(axis=-1)
    return np.asarray(np.degrees(np.arccos(np.clip(up, 0.0, 1.0))))


def top_faces(quats: Floats) -> Ints:
    """Number on the uppermost face of each die, shape (..., 4) to (...)."""
    heights = turns.matrices(quats)[..., 2, :] @ FACE_NORMALS.T
    return np.asarray(np.argmax(heights, axis=-1) + 1)


def reach_mm(quats: Floats, size_mm: float) -> Floats:
    """Distance from a die's middle to its highest point along the vertical, shape (..., 4) to (...), mm.

    The body is a smaller cube with a ball rolled over it, so its support is the smaller cube's plus the radius.
    """
    radius = EDGE_RADIUS * size_mm
    return np.asarray((size_mm / 2 - radius) * np.abs(turns.matrices(quats)[..., 2, :]).sum(axis=-1) + radius)


def over_floor(positions: Floats) -> Bools:
    """Whether each position lies over the box's inner floor, shape (..., 3) to (...)."""
    inside = (np.abs(positions[..., 0]) <= FLOOR_X_MM / 2) & (np.abs(positions[..., 1]) <= FLOOR_Y_MM / 2)
    return np.asarray(inside)


def is_beside_box(position: Floats) -> bool:
    """Whether a die at that position stands on the table outside the walls, so that they may hide it."""
    outer = np.array([FLOOR_X_MM, FLOOR_Y_MM]) / 2 + WALL_THICK_MM
    return bool(np.any(np.abs(position[:2]) > outer) and position[2] < WALL_HEIGHT_MM)


def verdict(position: Floats, quat: Floats, size_mm: float) -> str:
    """Verdict on one die at rest, from its pose.

    A flat die whose underside floats higher than a third of a die lies on something: that is what stacked means.
    """
    lean = float(leans_deg(quat))
    if not bool(over_floor(position)):
        return "off_box"
    if lean < READABLE_DEG and position[2] - float(reach_mm(quat, size_mm)) > size_mm / 3:
        return "stacked"
    return "cocked" if lean >= COCKED_DEG else "valid"
