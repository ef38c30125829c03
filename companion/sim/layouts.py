"""Where the dice of an example lie: one layout for each kind of scene."""

from __future__ import annotations

import numpy as np

from companion.sim import arrange, truth
from companion.sim.arrange import Pose

KINDS = ("valid", "touching", "many", "cocked_wall", "cocked_die", "stacked", "off_box", "rim", "hard_light", "empty")


def poses(kind: str, size: float, lean_deg: float, rng: np.random.Generator) -> list[Pose]:
    """Poses of a scene's dice; those that make its kind come first.

    Args:
        kind: One of `KINDS`.
        size: Edge length of the dice, mm.
        lean_deg: Lean of the die that leans, in the kinds that have one.
        rng: Chance of everything else.
    """
    first: list[Pose] = []
    if kind == "empty":
        return first
    if kind == "cocked_wall":
        first = [_against_a_wall(size, lean_deg, rng, outside=False)]
    elif kind == "cocked_die":
        lower = _flat_within(85, 55, size, rng)
        towards = rng.uniform(0, 2 * np.pi)
        tilted = arrange.on_floor(0, 0, arrange.leaning(lean_deg, towards, rng), size)
        first = [lower, arrange.beside(tilted, lower, size, towards)]
    elif kind == "stacked":
        lower = _flat_within(90, 60, size, rng)
        first = [lower, arrange.on_top(lower, size, rng)]
    elif kind == "touching":
        lower = _flat_within(80, 50, size, rng)
        upright = arrange.on_floor(0, 0, lower.quat if rng.random() < 0.5 else arrange.any_flat(rng), size)
        first = [lower, arrange.beside(upright, lower, size, rng.uniform(0, 2 * np.pi))]
    elif kind == "off_box":
        first = [_on_table(size, rng)]
    elif kind == "rim":
        first = [_at_rim(size, lean_deg, rng)]
    count = int(rng.integers(6, 11)) if kind == "many" else int(rng.integers(0 if first else 1, 4))
    return _with_others(first, count, size, rng)


def _flat_within(half_x: float, half_y: float, size: float, rng: np.random.Generator) -> Pose:
    x, y = float(rng.uniform(-half_x, half_x)), float(rng.uniform(-half_y, half_y))
    return arrange.on_floor(x, y, arrange.any_flat(rng), size)


def _with_others(first: list[Pose], count: int, size: float, rng: np.random.Generator) -> list[Pose]:
    """The same dice and some flat ones that keep clear of them."""
    placed = list(first)
    for _ in range(count * 50):
        if len(placed) == len(first) + count:
            break
        pose = _flat_within(truth.FLOOR_X_MM / 2 - 0.72 * size, truth.FLOOR_Y_MM / 2 - 0.72 * size, size, rng)
        if all(np.linalg.norm(pose.position_mm[:2] - other.position_mm[:2]) > 1.6 * size for other in placed):
            placed.append(pose)
    return placed


def _against_a_wall(size: float, lean_deg: float, rng: np.random.Generator, *, outside: bool) -> Pose:
    axis, sign = int(rng.integers(2)), int(rng.choice([-1, 1]))
    # The foot has slipped away from the wall, so the upper face looks away from it.
    from_wall = (0.0 if axis == 0 else np.pi / 2) + (np.pi if (sign > 0) != outside else 0.0)
    quat = arrange.leaning(lean_deg, from_wall + rng.uniform(-0.4, 0.4), rng)
    along = rng.uniform(-0.75, 0.75) * (truth.FLOOR_Y_MM if axis == 0 else truth.FLOOR_X_MM) / 2
    pose = arrange.on_floor(along, along, quat, size)
    return arrange.against_wall(pose, size, axis, sign=sign, outside=outside)


def _on_table(size: float, rng: np.random.Generator) -> Pose:
    """Flat on the table, close to the box or further away, within the picture."""
    near = np.array([truth.FLOOR_X_MM, truth.FLOOR_Y_MM]) / 2 + truth.WALL_THICK_MM + 0.72 * size
    if rng.random() < 0.5:
        spot = [rng.choice([-1, 1]) * rng.uniform(near[0], 215), rng.uniform(-120, 120)]
    else:
        spot = [rng.uniform(-200, 200), rng.choice([-1, 1]) * rng.uniform(near[1], 145)]
    return arrange.on_floor(float(spot[0]), float(spot[1]), arrange.any_flat(rng), size)


def _at_rim(size: float, lean_deg: float, rng: np.random.Generator) -> Pose:
    """Flat on a wall's top, or leaning on the box from outside."""
    if rng.random() < 0.5:
        return _against_a_wall(size, lean_deg, rng, outside=True)
    over = truth.WALL_THICK_MM * rng.uniform(0.1, 0.9)
    along = rng.uniform(-80, 80)
    if rng.random() < 0.5:
        spot = np.array([rng.choice([-1, 1]) * (truth.FLOOR_X_MM / 2 + over), along, 0.0])
    else:
        spot = np.array([along, rng.choice([-1, 1]) * (truth.FLOOR_Y_MM / 2 + over), 0.0])
    spot[2] = truth.WALL_HEIGHT_MM + size / 2
    return Pose(position_mm=spot, quat=arrange.any_flat(rng))
