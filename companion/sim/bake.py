"""Compute the stored throws again: `python -m companion.sim.bake [OUT.npz]` (needs MuJoCo, takes some minutes)."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from companion.sim import flight, tosses
from companion.sim.baked import STORE

SEED = 20261129
COUNTS = {
    ("clean", 1): 48,
    ("clean", 2): 48,
    ("clean", 3): 64,
    ("cocked", 1): 40,
    ("cocked_on", 2): 24,
    ("stacked", 2): 24,
    ("off_box", 1): 28,
    ("rim", 1): 12,
    ("slid", 1): 12,
}
"""How many flights of each kind and number of dice are kept, for dice of 16 mm; smaller dice get a third."""


def bake(out: Path) -> int:
    """Find all flights, write them to `out` and return the file's size in bytes."""
    found: list[flight.Flight] = []
    for size_mm, share in ((16.0, 1), (14.0, 3), (12.0, 3)):
        for recipe in tosses.recipes():
            began = time.monotonic()
            count = COUNTS[recipe.kind, recipe.dice] // share
            batch = list(tosses.find(recipe, size_mm, SEED, count))
            found.extend(batch)
            took_s = time.monotonic() - began
            sys.stderr.write(
                f"{size_mm:.0f} mm {recipe.kind} of {recipe.dice}: {len(batch)} of {count} in {took_s:.0f} s\n"
            )
    return flight.save(out, found)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else STORE
    sys.stderr.write(f"{bake(target)} bytes in {target}\n")
