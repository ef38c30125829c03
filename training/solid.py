"""One rendered die: a rounded cube met ray by ray, painted and lit.

Theory. Seen from afar all rays of one die are parallel. Each ray is first cut with the plain cube and then walked
along the distance to the rounded one; a sphere around it may take the corners off, as on many cheap dice. What comes
out is geometry only (where a ray hits, which way the surface looks there), so colours, pips and light are free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_STEPS = 9
_CLOSE = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """Parallel view of a patch of ground; lengths in half edges of a die.

    Attributes:
        elevation: Angle of the line of sight over the ground, radians.
        roll: Turn of the picture about the line of sight, radians.
    """

    elevation: float
    roll: float

    @property
    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Directions right and down in the picture, and towards the camera."""
        ce, se = np.cos(self.elevation), np.sin(self.elevation)
        right, up = np.array([1.0, 0.0, 0.0]), np.array([0.0, se, ce])
        cr, sr = np.cos(self.roll), np.sin(self.roll)
        return (
            (cr * right + sr * up).astype(np.float32),
            (sr * right - cr * up).astype(np.float32),
            np.array([0.0, -ce, se], np.float32),
        )

    def project(self, points: Floats) -> Floats:
        """Points of the world, shape (..., 3), in the picture, shape (..., 2)."""
        right, down, _ = self.axes
        return np.stack([points @ right, points @ down], -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """What the rays of one die met.

    Attributes:
        where: Indices of the rays that met it.
        points: Places in the die's own frame, half edges, shape (n, 3).
        normals: Outward directions in the die's own frame, shape (n, 3).
    """

    where: npt.NDArray[np.intp]
    points: Floats
    normals: Floats


def meet(offsets: Floats, camera: Camera, pose: Floats, round_off: float, ball: float) -> Hits:
    """Cut rays with a rounded cube.

    Args:
        offsets: Places in the picture relative to the die's middle, half edges, shape (n, 2).
        camera: The view.
        pose: Rotation from the die's frame to the world, shape (3, 3).
        round_off: Radius of edges and corners, half edges.
        ball: Radius of a sphere that takes off what lies outside, half edges.
    """
    right, down, towards = camera.axes
    starts = (offsets[:, :1] * right + offsets[:, 1:] * down + 6.0 * towards) @ pose
    ahead = (-towards @ pose).astype(np.float32)
    safe = np.where(np.abs(ahead) < 1e-6, np.float32(1e-6), ahead)
    near, far = (-1.0 - starts) / safe, (1.0 - starts) / safe
    enter, leave = np.minimum(near, far).max(1), np.maximum(near, far).min(1)
    where = np.flatnonzero(enter < leave)
    at = starts[where] + enter[where, None] * ahead
    inner = np.float32(1.0 - round_off)
    gap = np.zeros(len(at), np.float32)
    for _ in range(_STEPS):
        over = np.maximum(np.abs(at) - inner, 0.0)
        gap = np.sqrt(np.einsum("ij,ij->i", over, over)) - np.float32(round_off)
        gap = np.maximum(gap, np.sqrt(np.einsum("ij,ij->i", at, at)) - np.float32(ball))
        at += np.maximum(gap, 0.0)[:, None] * ahead
    good = gap < _CLOSE
    where, at = where[good], at[good]
    over = np.maximum(np.abs(at) - inner, 0.0) * np.sign(at)
    length = np.sqrt(np.einsum("ij,ij->i", over, over))
    radius = np.sqrt(np.einsum("ij,ij->i", at, at))
    on_ball = radius - np.float32(ball) > length - np.float32(round_off) - 1e-3
    normals = np.where(on_ball[:, None], at / radius[:, None], over / np.maximum(length, 1e-4)[:, None])
    return Hits(where=where, points=at.astype(np.float32), normals=normals.astype(np.float32))


def pip_sites(value: int, turned: bool) -> Floats:
    """Sites of a number on the 3 x 3 lattice, in pitches, shape (value, 2)."""
    pair = [(-1, -1), (1, 1)]
    sites = {
        1: [(0, 0)],
        2: pair,
        3: [*pair, (0, 0)],
        4: [*pair, (-1, 1), (1, -1)],
        5: [*pair, (-1, 1), (1, -1), (0, 0)],
        6: [*pair, (-1, 1), (1, -1), (0, -1), (0, 1)],
    }[value]
    out = np.array(sites, np.float32)
    if not turned:
        return out
    # A six lies the other way; a two or three runs along the other diagonal.
    return out[:, ::-1].copy() if value == 6 else out * np.array([-1, 1], np.float32)
