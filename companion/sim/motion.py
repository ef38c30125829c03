"""One die of the box: where it is at any moment, from the hand to rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from companion.hw.clock import NS_PER_S
from companion.sim import truth, turns
from companion.sim.body import Look
from companion.sim.flight import RATE_HZ
from companion.sim.truth import DieTruth
from companion.sim.turns import Floats

_SLIP_SAMPLES = 8
NEVER_NS = 2**63 - 1
"""A time that does not come."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Motion:
    """The path of one die in the box.

    Attributes:
        id: The same die throughout a rig's life.
        side: 'attack' or 'defence'.
        look: How it is made.
        size_mm: Edge length.
        start_ns: When its path begins; before that it is not in the picture.
        positions: Its middle at each sample, shape (samples, 3), mm.
        quats: Its turn at each sample, shape (samples, 4); the turn carries the printed faces.
        rest_ns: From when on it lies still.
        rolled: Whether it tumbled over a face after its first touch.
        gone_ns: When a hand takes it away.
    """

    id: int
    side: str
    look: Look
    size_mm: float
    start_ns: int
    positions: Floats
    quats: Floats
    rest_ns: int
    rolled: bool
    gone_ns: int = NEVER_NS

    def is_there(self, at_ns: int) -> bool:
        """Whether the die is in the world of the picture then."""
        return self.start_ns <= at_ns < self.gone_ns

    def is_moving(self, at_ns: int) -> bool:
        """Whether the die is in the air or tumbling then."""
        return self.start_ns <= at_ns < self.rest_ns

    def pose(self, at_ns: int) -> tuple[Floats, Floats]:
        """Middle, shape (3,), and turn, shape (4,), at a time; before its start where it starts."""
        sample = (at_ns - self.start_ns) * RATE_HZ / NS_PER_S
        if at_ns >= self.rest_ns or sample >= len(self.positions) - 1:
            return self.positions[-1], self.quats[-1]
        first = max(int(sample), 0)
        share = max(sample - first, 0.0)
        position = (1 - share) * self.positions[first] + share * self.positions[first + 1]
        return position, turns.between(self.quats[first], self.quats[first + 1], share)

    def true(self, at_ns: int) -> DieTruth:
        """What is true of the die at a time."""
        position, quat = self.pose(at_ns)
        lean = float(truth.leans_deg(quat))
        reach = float(truth.reach_mm(quat, self.size_mm))
        # A left-handed die swaps the numbers 3 and 4, and swapping is its own inverse.
        top = self.look.face(int(truth.top_faces(quat)))
        verdict = truth.verdict(position, quat, self.size_mm)
        if self.is_moving(at_ns) and verdict != "off_box":
            verdict = "moving"
        return DieTruth(
            value=top if lean < truth.READABLE_DEG and verdict != "moving" else None,
            verdict=verdict,
            lean_deg=round(lean, 3),
            height_mm=round(float(position[2]) + reach, 3),
            colour=self.look.colour,
            size_mm=self.size_mm,
            position_mm=(float(position[0]), float(position[1]), float(position[2])),
            rolled=self.rolled,
            side=self.side,
            id=self.id,
            top=top,
        )


def relabelled(quats: Floats, look: Look, value: int, rng: np.random.Generator) -> Floats:
    """The same path of a die whose faces are numbered so that a value comes to lie on top, shape (samples, 4).

    A cube's path does not know its numbers, so any of the four ways to put a value on the upper side is as true as
    the others; chance picks one.
    """
    up = truth.FACE_NORMALS[int(truth.top_faces(quats[-1])) - 1]
    wanted = truth.FACE_NORMALS[look.face(value) - 1]
    fitting = np.flatnonzero(turns.matrices(turns.CUBE_TURNS) @ wanted @ up > 0.5)
    return turns.product(quats, turns.CUBE_TURNS[rng.choice(fitting)])


def slipped(die: Motion, start_ns: int, push_mm: Floats, yaw_rad: float) -> Motion:
    """A resting die that slips over what it lies on, quickly at first, and turns a little about the vertical.

    Args:
        die: The die at rest.
        start_ns: When it is pushed.
        push_mm: How far it goes, (x, y).
        yaw_rad: How far it turns.
    """
    share = 1 - np.linspace(1.0, 0.0, _SLIP_SAMPLES) ** 2
    position, quat = die.positions[-1], die.quats[-1]
    positions = position + share[:, None] * np.append(push_mm, 0.0)
    quats = np.array([turns.product(turns.about((0.0, 0.0, 1.0), yaw_rad * part), quat) for part in share])
    rest_ns = start_ns + (_SLIP_SAMPLES - 1) * NS_PER_S // RATE_HZ
    return replace(die, positions=positions, quats=quats, start_ns=start_ns, rest_ns=rest_ns)
