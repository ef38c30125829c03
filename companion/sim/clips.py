"""Throws as films with the truth about them, for measuring how a reader follows what happens in a box.

A clip is a script for the box's verbs and the rig that plays it; its frames are painted as they are asked for. What is
true is known beforehand: when each throw starts and rests, what it comes to, which dice rolled, and what else happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.sim import examples
from companion.sim.box import Thrown
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.scenery import Image
from companion.sim.settings import SimSettings

_BEFORE_MS, _BETWEEN_MS, _AFTER_MS = 700.0, 900.0, 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """Something in a clip that is no throw.

    Attributes:
        what: 'lift', 'bump' or 'flicker'.
        start_ns: When it begins.
        end_ns: When it is over.
    """

    what: str
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clip:
    """One film.

    Attributes:
        kind: One of `KINDS`.
        rig: The rig that plays it.
        start_ns: Time of the first frame.
        frames: Number of frames.
        throws: All throws, in the order in which they start.
        happenings: All else that happens.
    """

    kind: str
    rig: SimRig
    start_ns: int
    frames: int
    throws: tuple[Thrown, ...]
    happenings: tuple[Happening, ...]

    def film(self) -> Iterator[tuple[int, Image]]:
        """Each frame's time and picture, shape (rows, columns, 3), BGR."""
        for number in range(self.frames):
            at_ns = self.start_ns + int(number * NS_PER_S / self.rig.settings.fps)
            yield at_ns, self.rig.camera.picture(at_ns, number)


class _Script:
    """What happens in a clip, put together verb by verb."""

    def __init__(self, settings: SimSettings, rng: np.random.Generator) -> None:
        self.rng = rng
        self.rig = SimRig(settings, ManualClock())
        self.start_ns = self.rig.clock.now_ns()
        self.after_ms = _BEFORE_MS
        self.throws: list[Thrown] = []
        self.happenings: list[Happening] = []

    def throw(self, count: int, side: str = "attack", *, knock: bool = False, **faults: set[int]) -> Thrown:
        """Throw dice now in the script, and go on when they lie still."""
        values = [int(value) for value in self.rng.integers(1, 7, size=count)]
        thrown = self.rig.box.throw(values, side=side, knock=knock, in_ms=self.after_ms, **faults)
        self.throws.append(thrown)
        self._go_on(thrown.settled_ns)
        return thrown

    def happen(self, what: str, start_ns: int, end_ns: int) -> None:
        """Note what happened, and go on after it."""
        self.happenings.append(Happening(what=what, start_ns=start_ns, end_ns=end_ns))
        self._go_on(end_ns)

    def lift(self, dice: set[int] | None = None) -> None:
        """A hand takes dice away."""
        begin_ns = self.now_ns
        self.happen("lift", begin_ns, self.rig.box.lift(dice, in_ms=self.after_ms))

    @property
    def now_ns(self) -> int:
        """Where the script has come to."""
        return self.start_ns + int(self.after_ms * NS_PER_MS)

    def _go_on(self, ended_ns: int) -> None:
        self.after_ms = (ended_ns - self.start_ns) / NS_PER_MS + self.rng.uniform(0.6, 1.4) * _BETWEEN_MS


def _two_sided(script: _Script) -> None:
    script.throw(3)
    script.throw(2, "defence")


def _knock(script: _Script) -> None:
    script.throw(3)
    script.throw(2, "defence", knock=True)


def _reroll(script: _Script) -> None:
    thrown = script.throw(3, cocked={1})
    script.lift({thrown.dice[1].id})
    script.throw(1)


def _bump(script: _Script) -> None:
    script.throw(3)
    script.happen("bump", script.now_ns, script.rig.box.bump(in_ms=script.after_ms))


def _flicker(script: _Script) -> None:
    script.throw(2)
    length_ms = float(script.rng.uniform(300, 900))
    script.rig.camera.flicker(ms=length_ms, in_ms=script.after_ms)
    script.happen("flicker", script.now_ns, script.now_ns + int(length_ms * NS_PER_MS))


def _removal(script: _Script) -> None:
    script.throw(3)
    script.lift()
    script.throw(2, "defence")


_SCRIPTS: dict[str, Callable[[_Script], object]] = {
    "ordinary": lambda script: script.throw(int(script.rng.integers(1, 4))),
    "two_sided": _two_sided,
    "knock": _knock,
    "cocked": lambda script: script.throw(2, cocked={0}),
    "stacked": lambda script: script.throw(3, stacked={1}),
    "off_box": lambda script: script.throw(3, off_box={2}),
    "placed": lambda script: script.throw(1, placed={0}),
    "slid": lambda script: script.throw(1, not_rolled={0}),
    "late": lambda script: script.throw(3, late={1}),
    "reroll": _reroll,
    "bump": _bump,
    "flicker": _flicker,
    "removal": _removal,
}
KINDS = tuple(_SCRIPTS)


def clips(seed: int, n: int, kind: str) -> Iterator[Clip]:
    """Films of one kind, the same for the same seed; 'knock' computes its throws and needs MuJoCo.

    Args:
        seed: Where chance starts.
        n: How many.
        kind: One of `KINDS`.

    Raises:
        ValueError: There is no such kind.
        WorldError: The kind is 'knock' and MuJoCo is not installed.
    """
    if kind not in _SCRIPTS:
        raise ValueError(f"no clips of kind {kind!r}; there are {', '.join(KINDS)}")
    rng = np.random.default_rng([seed, *kind.encode()])
    for _ in range(n):
        size_mm = float(rng.choice([12.0, 14.0, 16.0]))
        settings = replace(examples.any_rig(rng), die_mm=size_mm, physics="mujoco" if kind == "knock" else "baked")
        script = _Script(settings, rng)
        _SCRIPTS[kind](script)
        last_ns = max([throw.settled_ns for throw in script.throws] + [event.end_ns for event in script.happenings])
        length_s = (last_ns - script.start_ns) / NS_PER_S + _AFTER_MS / 1000
        yield Clip(
            kind=kind,
            rig=script.rig,
            start_ns=script.start_ns,
            frames=int(length_s * settings.fps),
            throws=tuple(script.throws),
            happenings=tuple(script.happenings),
        )
