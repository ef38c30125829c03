"""Turns in space: unit quaternions `(w, x, y, z)`, body to world, in arrays of any leading shape."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


def matrices(quats: Floats) -> Floats:
    """Rotation matrices of unit quaternions, shape (..., 4) to (..., 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(quats, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def product(first: Floats, second: Floats) -> Floats:
    """The turn that does `second` and then `first`, shapes (..., 4)."""
    a, b, c, d = np.moveaxis(np.asarray(first, float), -1, 0)
    e, f, g, h = np.moveaxis(np.asarray(second, float), -1, 0)
    return np.stack(
        [
            a * e - b * f - c * g - d * h,
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        axis=-1,
    )


def about(axis: Floats | tuple[float, float, float], angle_rad: float) -> Floats:
    """The turn by an angle about an axis of any length, shape (4,)."""
    direction = np.asarray(axis, float)
    direction = direction / np.linalg.norm(direction)
    return np.concatenate([[np.cos(angle_rad / 2)], np.sin(angle_rad / 2) * direction])


def from_matrix(matrix: Floats) -> Floats:
    """The unit quaternion of one rotation matrix, shape (4,).

    The largest of the four components is taken from the diagonal, the others by division: no branch divides by
    a number near zero.
    """
    m = np.asarray(matrix, float)
    squares = np.array(
        [
            1 + m[0, 0] + m[1, 1] + m[2, 2],
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    largest = int(np.argmax(squares))
    root = np.sqrt(squares[largest])
    w = [root * root, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]
    x = [w[1], root * root, m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]]
    y = [w[2], x[2], root * root, m[1, 2] + m[2, 1]]
    z = [w[3], x[3], y[3], root * root]
    quat = np.array([w, x, y, z][largest]) / (2 * root)
    return np.asarray(quat / np.linalg.norm(quat))


def between(first: Floats, second: Floats, share: float) -> Floats:
    """Turns part of the way from `first` to `second` along the shorter arc, shapes (..., 4).

    Straight interpolation and normalising: at 60 samples a second the arc between two samples is short, and the
    error against the true arc lies below what a pixel shows.
    """
    same_side = np.where(np.sum(first * second, axis=-1, keepdims=True) < 0, -1.0, 1.0)
    mixed = (1 - share) * first + share * same_side * second
    return np.asarray(mixed / np.linalg.norm(mixed, axis=-1, keepdims=True))


def _cube_turns() -> Floats:
    turns = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            if np.linalg.det(matrix) > 0:
                turns.append(from_matrix(matrix))
    return np.array(turns)


CUBE_TURNS: Floats = _cube_turns()
"""The 24 turns that carry a cube into itself, shape (24, 4)."""
