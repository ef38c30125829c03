"""The camera over the box: a pinhole with one term of radial distortion, OpenCV's model.

A world point X becomes a pixel by `Xc = R (X - position)`, `x = Xc.x / Xc.z`, `y = Xc.y / Xc.z`,
`u = fx x (1 + k1 (x2 + y2)) + cx`, the same for v. Pixel centres are whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.sim import turns
from companion.sim.turns import Floats

_STRAIGHT_DOWN = np.diag([1.0, -1.0, -1.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Optics:
    """One camera in its place.

    Attributes:
        width: Columns of the picture, px.
        height: Rows of the picture, px.
        focal_px: Focal length, px, the same both ways.
        centre_px: Where the optical axis meets the picture, (x, y).
        k1: Radial distortion.
        rotation: World to camera, shape (3, 3).
        position_mm: Where the camera is in the world, shape (3,).
    """

    width: int
    height: int
    focal_px: float
    centre_px: tuple[float, float]
    k1: float
    rotation: Floats
    position_mm: Floats

    def project(self, points: Floats) -> Floats:
        """Pixels of world points, shape (..., 3) to (..., 2)."""
        seen = (points - self.position_mm) @ self.rotation.T
        plane = seen[..., :2] / seen[..., 2:]
        if self.k1:
            plane = plane * (1 + self.k1 * np.sum(plane * plane, axis=-1, keepdims=True))
        return np.asarray(plane * self.focal_px + self.centre_px)

    def rays(self) -> Floats:
        """Direction in the world of each pixel's ray, scaled to one unit of depth, shape (height, width, 3)."""
        x = (np.arange(self.width) - self.centre_px[0]) / self.focal_px
        y = (np.arange(self.height) - self.centre_px[1]) / self.focal_px
        bent = np.stack(np.meshgrid(x, y), axis=-1)
        plane = bent
        # The distortion is weak; four rounds of this fixed point leave less than a thousandth of a pixel.
        for _ in range(4 if self.k1 else 0):
            plane = bent / (1 + self.k1 * np.sum(plane * plane, axis=-1, keepdims=True))
        return np.concatenate([plane, np.ones((*plane.shape[:2], 1))], axis=-1) @ self.rotation

    def scale_px_per_mm(self) -> float:
        """Pixels a millimetre has on the box floor under the camera."""
        return float(self.focal_px / self.position_mm[2])


def overhead(
    *,
    width: int = 1536,
    height: int = 864,
    field_deg: float = 66.0,
    position_mm: tuple[float, float, float] = (0.0, 0.0, 500.0),
    tilt_deg: float = 0.0,
    tilt_towards_deg: float = 0.0,
    roll_deg: float = 0.0,
    k1: float = 0.0,
) -> Optics:
    """The standard camera, looking down, with the small errors that a real mount has.

    Args:
        width: Columns, px.
        height: Rows, px.
        field_deg: Horizontal field of view.
        position_mm: Where it hangs over the middle of the box floor.
        tilt_deg: How far its axis is off the vertical.
        tilt_towards_deg: In which direction it looks away, anticlockwise from x.
        roll_deg: How far the picture is turned.
        k1: Radial distortion.
    """
    towards = np.radians(tilt_towards_deg)
    tilt = turns.matrices(turns.about((-np.sin(towards), np.cos(towards), 0.0), -np.radians(tilt_deg)))
    roll = turns.matrices(turns.about((0.0, 0.0, 1.0), np.radians(roll_deg)))
    return Optics(
        width=width,
        height=height,
        focal_px=width / 2 / np.tan(np.radians(field_deg) / 2),
        centre_px=((width - 1) / 2, (height - 1) / 2),
        k1=k1,
        rotation=roll @ _STRAIGHT_DOWN @ tilt.T,
        position_mm=np.array(position_mm),
    )
