"""Where the dice of an example lie: one layout for each kind of scene.

A kind with a fault has it twice where there is room, so that a bench sees many of them in few pictures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from companion.sim import arrange, truth
from companion.sim.arrange import Pose

KINDS = (
    "valid",
    "touching",
    "many",
    "cocked_wall",
    "cocked_die",
    "stacked",
    "stack_alone",
    "off_box",
    "rim",
    "picture_edge",
    "hard_light",
    "glare",
    "hard_shadow",
    "colours",
    "clutter",
    "empty",
)

LEANING = ("cocked_wall", "cocked_die", "rim")
"""Kinds that use up leans, two a scene."""

_PICTURE_X_MM = 320.0
"""About half of what a camera sees of the table, left to right."""

Group = list[Pose]
Maker = Callable[[float, float, np.random.Generator], Group]


def poses(kind: str, size: float, leans_deg: Sequence[float], rng: np.random.Generator) -> tuple[list[Pose], int]:
    """Poses of a scene's dice, and how many of them make its kind; those come first.

    Args:
        kind: One of `KINDS`.
        size: Edge length of the dice, mm.
        leans_deg: Leans of the dice that lean, in the kinds that have some; two.
        rng: Chance of everything else.
    """
    if kind == "empty":
        return [], 0
    first: Group = []
    maker = _MAKERS.get(kind)
    for lean_deg in leans_deg[: 0 if maker is None else 1 if kind in _ONCE else 2]:
        assert maker is not None  # noqa: S101
        first += _clear_of(first, size, lambda lean=lean_deg: maker(size, lean, rng))  # type: ignore[misc]
    if kind == "stack_alone":
        return first, len(first)
    count = int(rng.integers(6, 11)) if kind == "many" else int(rng.integers(0 if first else 1, 4))
    return with_others(first, count, size, rng), len(first)


def _clear_of(taken: Group, size: float, make: Callable[[], Group]) -> Group:
    """A group that keeps clear of the dice that lie there, or none when no room is found."""
    for _ in range(30):
        group = make()
        gaps = [np.linalg.norm(a.position_mm[:2] - b.position_mm[:2]) for a in group for b in taken]
        if all(gap > 2.3 * size for gap in gaps):
            return group
    return []


def with_others(
    first: Group, count: int, size: float, rng: np.random.Generator, apart: Sequence[tuple[float, float, float]] = ()
) -> Group:
    """The same dice and some flat ones that keep clear of them, and of round places (x, y, radius)."""
    placed = list(first)
    for _ in range(count * 50):
        if len(placed) == len(first) + count:
            break
        pose = _flat_within(truth.FLOOR_X_MM / 2 - 0.72 * size, truth.FLOOR_Y_MM / 2 - 0.72 * size, size, rng)
        spot = pose.position_mm[:2]
        if all(np.linalg.norm(spot - other.position_mm[:2]) > 1.6 * size for other in placed) and all(
            np.hypot(spot[0] - x, spot[1] - y) > radius + size for x, y, radius in apart
        ):
            placed.append(pose)
    return placed


def _flat_within(half_x: float, half_y: float, size: float, rng: np.random.Generator) -> Pose:
    x, y = float(rng.uniform(-half_x, half_x)), float(rng.uniform(-half_y, half_y))
    return arrange.on_floor(x, y, arrange.any_flat(rng), size)


def _cocked_wall(size: float, lean_deg: float, rng: np.random.Generator) -> Group:
    return [_against_a_wall(size, lean_deg, rng, outside=False)]


def _cocked_die(size: float, lean_deg: float, rng: np.random.Generator) -> Group:
    lower = _flat_within(85, 55, size, rng)
    towards = rng.uniform(0, 2 * np.pi)
    tilted = arrange.on_floor(0, 0, arrange.leaning(lean_deg, towards, rng), size)
    return [lower, arrange.beside(tilted, lower, size, towards)]


def _stacked(size: float, _lean_deg: float, rng: np.random.Generator) -> Group:
    lower = _flat_within(90, 60, size, rng)
    return [lower, arrange.on_top(lower, size, rng)]


def _stack_alone(size: float, _lean_deg: float, rng: np.random.Generator) -> Group:
    """One die squarely on another: from straight above they look like one die that is a little too large."""
    lower = _flat_within(100, 70, size, rng)
    upper = arrange.on_top(lower, size, rng, most_off=0.04)
    return [lower, Pose(position_mm=upper.position_mm, quat=lower.quat if rng.random() < 0.7 else upper.quat)]


def _touching(size: float, _lean_deg: float, rng: np.random.Generator) -> Group:
    lower = _flat_within(80, 50, size, rng)
    upright = arrange.on_floor(0, 0, lower.quat if rng.random() < 0.5 else arrange.any_flat(rng), size)
    return [lower, arrange.beside(upright, lower, size, rng.uniform(0, 2 * np.pi))]


def _against_a_wall(size: float, lean_deg: float, rng: np.random.Generator, *, outside: bool) -> Pose:
    axis, sign = int(rng.integers(2)), int(rng.choice([-1, 1]))
    # The foot has slipped away from the wall, so the upper face looks away from it.
    from_wall = (0.0 if axis == 0 else np.pi / 2) + (np.pi if (sign > 0) != outside else 0.0)
    quat = arrange.leaning(lean_deg, from_wall + rng.uniform(-0.4, 0.4), rng)
    along = rng.uniform(-0.75, 0.75) * (truth.FLOOR_Y_MM if axis == 0 else truth.FLOOR_X_MM) / 2
    pose = arrange.on_floor(along, along, quat, size)
    return arrange.against_wall(pose, size, axis, sign=sign, outside=outside)


def _on_table(size: float, _lean_deg: float, rng: np.random.Generator) -> Group:
    """Flat on the table, close to the box or further away, within the picture."""
    near = np.array([truth.FLOOR_X_MM, truth.FLOOR_Y_MM]) / 2 + truth.WALL_THICK_MM + 0.72 * size
    if rng.random() < 0.5:
        spot = [rng.choice([-1, 1]) * rng.uniform(near[0], 215), rng.uniform(-120, 120)]
    else:
        spot = [rng.uniform(-200, 200), rng.choice([-1, 1]) * rng.uniform(near[1], 145)]
    return [arrange.on_floor(float(spot[0]), float(spot[1]), arrange.any_flat(rng), size)]


def _at_rim(size: float, lean_deg: float, rng: np.random.Generator) -> Group:
    """Flat on a wall's top, or leaning on the box from outside."""
    if rng.random() < 0.5:
        return [_against_a_wall(size, lean_deg, rng, outside=True)]
    over = truth.WALL_THICK_MM * rng.uniform(0.1, 0.9)
    along = rng.uniform(-80, 80)
    if rng.random() < 0.5:
        spot = np.array([rng.choice([-1, 1]) * (truth.FLOOR_X_MM / 2 + over), along, 0.0])
    else:
        spot = np.array([along, rng.choice([-1, 1]) * (truth.FLOOR_Y_MM / 2 + over), 0.0])
    spot[2] = truth.WALL_HEIGHT_MM + size / 2
    return [Pose(position_mm=spot, quat=arrange.any_flat(rng))]


def _picture_edge(size: float, _lean_deg: float, rng: np.random.Generator) -> Group:
    """On the table where the picture ends; whoever knows the camera moves the die to the very edge."""
    x = rng.choice([-1, 1]) * _PICTURE_X_MM
    return [arrange.on_floor(float(x), float(rng.uniform(-100, 100)), arrange.any_flat(rng), size)]


_MAKERS: dict[str, Maker] = {
    "cocked_wall": _cocked_wall,
    "cocked_die": _cocked_die,
    "stacked": _stacked,
    "stack_alone": _stack_alone,
    "touching": _touching,
    "off_box": _on_table,
    "rim": _at_rim,
    "picture_edge": _picture_edge,
}
_ONCE = {"stack_alone", "picture_edge"}
