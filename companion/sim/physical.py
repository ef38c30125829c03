"""Throws computed when they are asked for, with the dice that already lie in the box (desktop only)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.sim import tosses
from companion.sim.casting import BadThrow
from companion.sim.flight import Flight
from companion.sim.turns import Floats
from companion.sim.world import Launch, World

_TRIES = 400
_KNOCK_MM = 1.0
"""From this far on a die that lay there has been knocked."""


class Physics:
    """A source of fresh throws.

    Args:
        size_mm: Edge length of the dice.
        rng: Chance.
    """

    def __init__(self, size_mm: float, rng: np.random.Generator) -> None:
        self._size_mm = size_mm
        self._rng = rng

    def throw(self, count: int, lying: Sequence[tuple[Floats, Floats]], *, knock: bool = False) -> Flight:
        """A throw after which all thrown dice lie flat in the box.

        Args:
            count: How many dice are thrown; they come first in the flight.
            lying: Poses (middle, turn) of the dice that lie there; they follow in the flight and may be knocked.
            knock: Whether at least one of those must be knocked.

        Raises:
            BadThrow: No such throw was found.
            WorldError: MuJoCo is not installed.
        """
        world = World(count + len(lying), self._size_mm)
        at_rest = [
            Launch(position_mm=middle, quat=quat, velocity_mm_s=np.zeros(3), spin_rad_s=np.zeros(3))
            for middle, quat in lying
        ]
        for _ in range(_TRIES):
            launches = tosses.clean(count, self._size_mm, self._rng)
            flight = world.throw([*launches, *at_rest])
            if flight is None:
                continue
            clean = set(tosses.verdicts(flight)[:count]) == {"valid"} and all(flight.rolled[:count])
            pushed = np.linalg.norm(flight.positions[count:, -1] - flight.positions[count:, 0], axis=-1)
            if clean and (not knock or bool(np.any(pushed > _KNOCK_MM))):
                return flight
        raise BadThrow("no-room", f"no clean throw of {count} dice past the {len(lying)} that lie there")
