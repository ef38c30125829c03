"""Flights: the paths of dice from the hand to rest, as poses at a fixed rate, and their compact store.

Theory: physics away from the labels is symmetric. A flight in a box may be mirrored left to right or turned by
half a turn and is as true as before, and which number is printed on which face of a cube changes nothing about
its path. So one simulated flight stands for four flights in space times any values that are asked for, and a few
hundred flights in a small file make a box that never seems to repeat itself.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from companion.sim.turns import Floats

RATE_HZ = 60
"""Samples of a flight a second."""

_MM_PER_STEP = 0.02
_QUAT_STEPS = 32767


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """The paths of one or more dice that were thrown together.

    Attributes:
        kind: What the flight is for: 'clean', 'cocked', 'cocked_on', 'stacked', 'off_box', 'rim' or 'slid'.
        size_mm: Edge length of its dice.
        positions: Middles of the dice, shape (dice, samples, 3), mm, world frame.
        quats: Turns of the dice, shape (dice, samples, 4).
        rolled: Per die, whether it tumbled over a face after its first touch.
        rest_at: Per die, the first sample from which it no longer moves.
    """

    kind: str
    size_mm: float
    positions: Floats
    quats: Floats
    rolled: tuple[bool, ...]
    rest_at: tuple[int, ...]

    @property
    def dice(self) -> int:
        """Number of dice."""
        return len(self.positions)

    @property
    def samples(self) -> int:
        """Number of samples until all dice lie at rest."""
        return int(self.positions.shape[1])

    def mirrored(self) -> Flight:
        """The same flight seen in a mirror that swaps left and right."""
        return replace(self, positions=self.positions * [-1, 1, 1], quats=self.quats * [1, 1, -1, -1])

    def turned(self) -> Flight:
        """The same flight in a box turned by half a turn: thrown from the other side."""
        w, x, y, z = np.moveaxis(self.quats, -1, 0)
        return replace(self, positions=self.positions * [-1, -1, 1], quats=np.stack([-z, -y, x, w], axis=-1))

    def variants(self) -> tuple[Flight, Flight, Flight, Flight]:
        """The four flights that the box's symmetry makes of this one."""
        return self, self.mirrored(), self.turned(), self.mirrored().turned()


def save(path: Path, flights: Sequence[Flight]) -> int:
    """Write flights into one compressed file and return its size in bytes.

    Poses are rounded to 0.02 mm and 1/32767 of a quaternion and stored as differences from sample to sample, which
    are small numbers and compress well.
    """
    index = [
        {
            "kind": f.kind,
            "size_mm": f.size_mm,
            "dice": f.dice,
            "samples": f.samples,
            "rolled": f.rolled,
            "rest_at": f.rest_at,
        }
        for f in flights
    ]
    poses = []
    for flight in flights:
        steps = np.concatenate(
            [np.round(flight.positions / _MM_PER_STEP), np.round(_one_side(flight.quats) * _QUAT_STEPS)], axis=-1
        ).astype(np.int32)
        poses.append(np.diff(steps, axis=1, prepend=0).astype(np.int16).transpose(0, 2, 1).ravel())
    packed = io.BytesIO()
    np.savez_compressed(
        packed,
        index=np.frombuffer(json.dumps(index).encode(), np.uint8),
        poses=np.concatenate(poses),
    )
    path.write_bytes(packed.getvalue())
    return len(packed.getvalue())


def load(path: Path) -> tuple[Flight, ...]:
    """Read the flights of a file written by `save`."""
    with np.load(path, allow_pickle=False) as packed:
        index = json.loads(packed["index"].tobytes())
        stream = packed["poses"]
    flights, begin = [], 0
    for entry in index:
        dice, samples = entry["dice"], entry["samples"]
        end = begin + dice * 7 * samples
        # The differences were cut to 16 bits; adding them up with the same wrap-around restores the numbers.
        steps = np.cumsum(stream[begin:end].reshape(dice, 7, samples), axis=2, dtype=np.int16)
        steps = steps.transpose(0, 2, 1).astype(float)
        quats = steps[..., 3:] / _QUAT_STEPS
        flights.append(
            Flight(
                kind=entry["kind"],
                size_mm=entry["size_mm"],
                positions=np.asarray(steps[..., :3] * _MM_PER_STEP, np.float64),
                quats=quats / np.linalg.norm(quats, axis=-1, keepdims=True),
                rolled=tuple(entry["rolled"]),
                rest_at=tuple(entry["rest_at"]),
            )
        )
        begin = end
    return tuple(flights)


def _one_side(quats: Floats) -> Floats:
    """The same turns with signs chosen so that neighbouring samples lie close together, shape (dice, samples, 4)."""
    signs = np.where(np.sum(quats[:, 1:] * quats[:, :-1], axis=-1) < 0, -1.0, 1.0)
    flips = np.concatenate([np.ones((len(quats), 1)), np.cumprod(signs, axis=1)], axis=1)
    return np.asarray(quats * flips[..., None])
