"""The stored throws: physics computed once, played anywhere, also where no physics library is installed."""

from __future__ import annotations

import functools
from pathlib import Path

from companion.sim import flight
from companion.sim.flight import Flight

STORE = Path(__file__).with_name("throws.npz")


@functools.cache
def flights(kind: str, dice: int, size_mm: float) -> tuple[Flight, ...]:
    """Stored flights of a kind, with this many dice of this size, in each of their four symmetric forms.

    Args:
        kind: See `Flight.kind`.
        dice: How many dice fly together.
        size_mm: Edge length.

    Returns:
        The flights, or nothing when none are stored for that size.
    """
    return tuple(
        variant
        for stored in _all()
        if (stored.kind, stored.dice, stored.size_mm) == (kind, dice, size_mm)
        for variant in stored.variants()
    )


def sizes_mm() -> tuple[float, ...]:
    """Edge lengths for which throws are stored."""
    return tuple(sorted({stored.size_mm for stored in _all()}))


@functools.cache
def _all() -> tuple[Flight, ...]:
    return flight.load(STORE)
