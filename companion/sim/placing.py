"""A die that a hand puts down: no physics, only a way down and a hand over it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.hw.clock import NS_PER_MS
from companion.sim import hand
from companion.sim.casting import BadThrow, Path
from companion.sim.flight import RATE_HZ
from companion.sim.hand import Gesture
from companion.sim.truth import FLOOR_X_MM, FLOOR_Y_MM
from companion.sim.turns import Floats

_REACH_MS = 320.0
REACH_NS = int(_REACH_MS * NS_PER_MS)
"""From the hand's coming into the picture until the die begins its way down."""
_FROM_MM = 55.0
_PALM_MM = 45.0
_SAMPLES = 30
_TRIES = 500


def put_down(start_ns: int, size_mm: float, lying: Sequence[Floats], rng: np.random.Generator) -> tuple[Path, Gesture]:
    """The way of one die from a hand onto a free place of the floor, and the hand's.

    Args:
        start_ns: When the hand comes into the picture.
        size_mm: Edge length.
        lying: Middles of dice to keep clear of, each of shape (3,).
        rng: Chance of place and turn.

    Raises:
        BadThrow: There is no free place.
    """
    spot = _free_spot(size_mm, lying, rng)
    positions = np.tile(spot, (_SAMPLES, 1))
    positions[:, 2] = np.linspace(_FROM_MM, size_mm / 2, _SAMPLES)
    yaw = rng.uniform(0, 2 * np.pi)
    quats = np.tile([np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)], (_SAMPLES, 1))
    path = Path(place=0, positions=positions, quats=quats, delay=0, rest_at=_SAMPLES - 1, rolled=False)
    stay_ms = _SAMPLES * 1000 / RATE_HZ
    return path, hand.reach_and_leave(start_ns, spot, reach_ms=_REACH_MS, stay_ms=stay_ms, z_mm=_PALM_MM)


def _free_spot(size_mm: float, lying: Sequence[Floats], rng: np.random.Generator) -> Floats:
    room = np.array([FLOOR_X_MM, FLOOR_Y_MM]) / 2 - 1.5 * size_mm
    for _ in range(_TRIES):
        spot = rng.uniform(-room, room)
        if all(np.linalg.norm(middle[:2] - spot) > 2.0 * size_mm for middle in lying):
            return np.array([*spot, size_mm / 2])
    raise BadThrow("no-room", "no free place on the floor to put a die down")
