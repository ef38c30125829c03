"""The lamp over the table: where it hangs, how soft its shadows are, what the box's walls hide from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.sim import truth
from companion.sim.turns import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Lamp:
    """One round, diffuse lamp.

    Attributes:
        position_mm: Its middle in the world.
        radius_mm: Its radius: the larger, the softer the shadows.
        strength: Light on the floor straight under it against the standard lamp's.
        ambient: Share of all light that comes from everywhere.
        tint: What it does to white, BGR.
    """

    position_mm: tuple[float, float, float] = (-190.0, 230.0, 600.0)
    radius_mm: float = 60.0
    strength: float = 1.0
    ambient: float = 0.38
    tint: tuple[float, float, float] = (0.97, 1.0, 1.0)

    def direct(self, points: Floats, normals: Floats) -> Floats:
        """Direct light on surfaces, shapes (..., 3) and (..., 3) to (...), 1 for the floor under the lamp."""
        away = np.array(self.position_mm) - points
        distance = np.linalg.norm(away, axis=-1)
        facing = np.clip(np.sum(away * normals, axis=-1) / distance, 0.0, 1.0)
        return np.asarray(self.strength * facing * (self.position_mm[2] / distance) ** 2)

    def penumbra_mm(self, height_mm: float) -> float:
        """Width on the floor of the soft edge of a shadow thrown from a height."""
        return 2 * self.radius_mm * height_mm / (self.position_mm[2] - height_mm)

    def onto_floor(self, points: Floats) -> Floats:
        """Where the shadows of points fall on the floor, shape (..., 3) to (..., 3)."""
        lamp = np.array(self.position_mm)
        reach = lamp[2] / (lamp[2] - points[..., 2:])
        return np.asarray(lamp + (points - lamp) * reach)

    def seen(self, points: Floats) -> Floats:
        """Share of the lamp that points see past the walls of the box, shape (..., 3) to (...)."""
        inner = np.array([truth.FLOOR_X_MM / 2, truth.FLOOR_Y_MM / 2])
        outer = inner + truth.WALL_THICK_MM
        share = np.ones(points.shape[:-1])
        inside = np.all(np.abs(points[..., :2]) < inner, axis=-1)
        for axis in (0, 1):
            for sign in (-1, 1):
                from_inside = self._past(points, axis, sign, inner[axis], outward=True)
                from_outside = self._past(points, axis, sign, outer[axis], outward=False)
                other = 1 - axis
                lamp = np.array(self.position_mm)
                gap = sign * outer[axis] - points[..., axis]
                reach = gap / np.where(
                    np.abs(lamp[axis] - points[..., axis]) < 1e-6, 1e-6, lamp[axis] - points[..., axis]
                )
                crosses_at = points[..., other] + reach * (lamp[other] - points[..., other])
                beside = np.abs(crosses_at) > outer[other]
                share = share * np.where(inside, from_inside, np.where(beside, 1.0, from_outside))
        return share

    def _past(self, points: Floats, axis: int, sign: int, plane_mm: float, *, outward: bool) -> Floats:
        """Share of the lamp seen over one wall by points on one side of its plane."""
        lamp = np.array(self.position_mm)
        behind = sign * (lamp[axis] - points[..., axis])
        gap = plane_mm - sign * points[..., axis]
        # Inside the box the light comes over the wall from outside; outside it, from over the box.
        crossing = (behind > gap) & (gap >= 0) if outward else (behind < gap) & (gap <= 0)
        reach = np.where(crossing, gap / np.where(behind == 0, 1e-9, behind), 0.0)
        height = points[..., 2] + reach * (lamp[2] - points[..., 2])
        soft = np.maximum(reach * self.radius_mm, 0.5)
        return np.where(crossing, np.clip(0.5 + (height - truth.WALL_HEIGHT_MM) / (2 * soft), 0.0, 1.0), 1.0)
