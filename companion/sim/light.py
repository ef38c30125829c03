"""The lamp over the table: where it hangs, how soft its shadows are, what the box's walls hide from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.sim import truth
from companion.sim.turns import Floats

_INNER_MM = (truth.FLOOR_X_MM / 2, truth.FLOOR_Y_MM / 2)
_OUTER_MM = (_INNER_MM[0] + truth.WALL_THICK_MM, _INNER_MM[1] + truth.WALL_THICK_MM)


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
        x, y, z = (at - points[..., axis] for axis, at in enumerate(self.position_mm))
        squared = x * x + y * y + z * z
        facing = np.maximum(x * normals[..., 0] + y * normals[..., 1] + z * normals[..., 2], 0.0)
        return np.asarray(self.strength * self.position_mm[2] ** 2 * facing / (squared * np.sqrt(squared)))

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
        flat = points.reshape(-1, 3)
        inside = (np.abs(flat[:, 0]) < _INNER_MM[0]) & (np.abs(flat[:, 1]) < _INNER_MM[1])
        share = np.ones(len(flat))
        for group in (inside, ~inside):
            some = flat[group]
            seen = np.ones(len(some))
            for axis in (0, 1):
                for sign in (-1, 1):
                    seen *= self._past(some, axis, sign, outward=group is inside)
            share[group] = seen
        return share.reshape(points.shape[:-1])

    def _past(self, points: Floats, axis: int, sign: int, *, outward: bool) -> Floats:
        """Share of the lamp seen over one wall by points on one side of its plane, shape (n, 3) to (n,)."""
        lamp, other = self.position_mm, 1 - axis
        plane_mm = _INNER_MM[axis] if outward else _OUTER_MM[axis]
        share = np.ones(len(points))
        behind = sign * (lamp[axis] - points[:, axis])
        gap = plane_mm - sign * points[:, axis]
        # Inside the box the light comes over the wall from outside; outside it, from over the box.
        crossing = (behind > gap) & (gap >= 0) if outward else (behind < gap) & (gap <= 0)
        some = points[crossing]
        reach = gap[crossing] / behind[crossing]
        height = some[:, 2] + reach * (lamp[2] - some[:, 2])
        soft = np.maximum(reach * self.radius_mm, 0.5)
        over = np.clip(0.5 + (height - truth.WALL_HEIGHT_MM) / (2 * soft), 0.0, 1.0)
        if not outward:
            # Light that crosses the plane beside the box meets no wall.
            crosses_at = some[:, other] + reach * (lamp[other] - some[:, other])
            over[np.abs(crosses_at) > _OUTER_MM[other]] = 1.0
        share[crossing] = over
        return share


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Something with a straight edge that keeps the lamp's light from a part of the table: a shelf, a shoulder.

    Attributes:
        height_mm: Height of its edge over the floor.
        towards_rad: Direction, from x, in which it reaches away from its edge for good.
        from_mm: How far along that direction its edge lies.
    """

    height_mm: float
    towards_rad: float
    from_mm: float

    @property
    def towards(self) -> Floats:
        """The direction as a vector in the plane, shape (2,)."""
        return np.array([np.cos(self.towards_rad), np.sin(self.towards_rad)])

    def edge_mm(self, points: Floats, lamp: Lamp) -> Floats:
        """How far past the edge the light to each point comes by, shape (..., 3) to (...); negative where it passes."""
        light = np.array(lamp.position_mm)
        reach = (self.height_mm - points[..., 2:]) / (light[2] - points[..., 2:])
        at = points[..., :2] + reach * (light[:2] - points[..., :2])
        return np.asarray(at @ self.towards - self.from_mm)

    def soft_mm(self, height_mm: float, lamp: Lamp) -> float:
        """Half the way, in the edge's own plane, from full light to none for points at a height."""
        reach = (self.height_mm - height_mm) / (lamp.position_mm[2] - height_mm)
        return max(0.5, reach * lamp.radius_mm)

    def seen(self, points: Floats, lamp: Lamp) -> Floats:
        """Share of the lamp that each point sees past the edge, shape (..., 3) to (...)."""
        soft = self.soft_mm(float(points[..., 2].mean()), lamp)
        return np.asarray(np.clip(0.5 - self.edge_mm(points, lamp) / (2 * soft), 0.0, 1.0))

    def shadow_mm(self, lamp: Lamp, far_mm: float = 900.0) -> Floats:
        """Corners of the part of the floor that lies in its shadow, shape (4, 3)."""
        along = np.array([-self.towards[1], self.towards[0]])
        near, off = self.from_mm * self.towards, far_mm * self.towards
        corners = [
            near + far_mm * along,
            near + off + far_mm * along,
            near + off - far_mm * along,
            near - far_mm * along,
        ]
        return lamp.onto_floor(np.array([[*corner, self.height_mm] for corner in corners]))
