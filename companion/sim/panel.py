"""The simulated panel: buttons that bounce like real ones, lamps and a buzzer that remember what they did."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping

import numpy as np

from companion.hw.clock import NS_PER_MS
from companion.hw.ports import Buzzer, Edge, Lamp, RigError
from companion.sim.clock import SimClock

_LAMPS_BESIDE_SEATS = ("beacon",)
_LONGEST_BOUNCE_US = 6200.0
"""Longest bounce of an ordinary switch that Ganssle measured (A Guide to Debouncing, 2004); most are far shorter."""


class SimOutput:
    """A lamp or the buzzer.

    Args:
        name: Its name.
        clock: The rig's clock.
    """

    def __init__(self, name: str, clock: SimClock) -> None:
        self.name = name
        self._clock = clock
        self._history: list[tuple[int, bool]] = []
        self._broken = False

    def set(self, on: bool) -> None:
        """Switch it; each change is remembered.

        Raises:
            RigError: Its wire is torn off.
        """
        if self._broken:
            part = "buzzer" if self.name == "buzzer" else "lamp"
            raise RigError(part, "no-contact", f"{self.name} does not answer: check its wire", name=self.name)
        if on != self.is_on:
            self._history.append((self._clock.now_ns(), on))

    @property
    def is_on(self) -> bool:
        """Whether it is on now."""
        return bool(self._history) and self._history[-1][1]

    @property
    def history(self) -> tuple[tuple[int, bool], ...]:
        """Each change: when (boot-clock ns) and to what."""
        return tuple(self._history)

    def tear_off(self) -> None:
        """Its wire is off: switching it fails, until `put_back`."""
        self._broken = True

    def put_back(self) -> None:
        """Its wire is on again."""
        self._broken = False


class SimButton:
    """One button, as a finger finds it.

    Args:
        name: Its name.
        clock: The rig's clock.
        deliver: Where its edges go.
        rng: Chance of the bounce.
    """

    def __init__(self, name: str, clock: SimClock, deliver: Callable[[Edge], None], rng: np.random.Generator) -> None:
        self.name = name
        self._clock = clock
        self._deliver = deliver
        self._rng = rng
        self._lock = threading.Lock()
        self._on_its_way: list[int] = []
        self._torn_off = False
        self._stuck = False

    def press(self, ms: float = 120.0, *, in_ms: float = 0.0) -> int:
        """Press and let go, with the contact's bounce at both ends.

        Args:
            ms: How long it is held, at least 1.
            in_ms: When, from now.

        Returns:
            When the contact first closes, boot-clock ns.

        Raises:
            RigError: Held shorter than a finger can.
        """
        if ms < 1:
            raise RigError("button", "bad-press", f"a press lasts at least 1 ms, got {ms!r}", ms=ms)
        with self._lock:
            down_ns = self._clock.now_ns() + int(in_ms * NS_PER_MS)
            edges = self._move(True, down_ns, ms)
            if not self._stuck:
                edges += self._move(False, down_ns + int(ms * NS_PER_MS), ms)
        self._send(edges)
        return down_ns

    def stick(self) -> None:
        """Press it and never let go, until `loosen`."""
        self._stuck = True
        with self._lock:
            edges = self._move(True, self._clock.now_ns(), 1000.0)
        self._send(edges)

    def loosen(self) -> None:
        """Let go of a stuck button."""
        self._stuck = False
        with self._lock:
            edges = self._move(False, self._clock.now_ns(), 1000.0)
        self._send(edges)

    def tear_off(self) -> None:
        """Its wire is off: pressing does nothing any more."""
        self._torn_off = True

    def heard_until_ns(self) -> int:
        """Up to when every edge has been handed over, boot-clock ns."""
        with self._lock:
            return min([self._clock.now_ns(), *self._on_its_way])

    def _move(self, pressed: bool, at_ns: int, held_ms: float) -> list[Edge]:
        """The edges of one closing or opening: the first at once, then an even number of bounces."""
        if self._torn_off:
            return []
        bounces = 2 * int(self._rng.integers(0, 6))
        longest_us = min(_LONGEST_BOUNCE_US, held_ms * 400)
        after_us = np.sort(self._rng.uniform(5, longest_us, size=bounces))
        edges = [
            Edge(button=self.name, pressed=pressed ^ (number % 2 == 1), at_ns=at_ns + int(offset_us * 1000))
            for number, offset_us in enumerate([0.0, *after_us])
        ]
        self._on_its_way += [edge.at_ns for edge in edges]
        return edges

    def _send(self, edges: list[Edge]) -> None:
        for edge in edges:
            self._clock.call_at(edge.at_ns, functools.partial(self._arrive, edge))

    def _arrive(self, edge: Edge) -> None:
        self._deliver(edge)
        with self._lock:
            self._on_its_way.remove(edge.at_ns)


class SimPanel:
    """Buttons, lamps and a buzzer that are not there; a `companion.hw.ports.Panel`.

    Args:
        clock: The rig's clock.
        buttons: Names of the buttons; each seat's button has a lamp of its name.
        seed: Where the chance of the bounce starts.
    """

    def __init__(self, clock: SimClock, buttons: tuple[str, ...], seed: int) -> None:
        rng = np.random.default_rng(seed)
        self._lock = threading.Lock()
        self._on_edge: Callable[[Edge], None] | None = None
        self._dead = False
        self._buttons = {name: SimButton(name, clock, self._deliver, rng) for name in buttons}
        lamps = (*(name for name in buttons if name.startswith("seat")), *_LAMPS_BESIDE_SEATS)
        self._lamps = {name: SimOutput(name, clock) for name in lamps}
        self._buzzer = SimOutput("buzzer", clock)

    @property
    def name(self) -> str:
        """'sim'."""
        return "sim"

    @property
    def lamps(self) -> Mapping[str, SimOutput]:
        """All lamps by name, to look at."""
        return self._lamps

    def buttons(self) -> tuple[str, ...]:
        """Names of the buttons."""
        return tuple(self._buttons)

    def button(self, name: str) -> SimButton:
        """One button, to press.

        Raises:
            RigError: There is no such button.
        """
        if name not in self._buttons:
            raise RigError(
                "button",
                "no-such-button",
                f"no button {name!r} on this panel; it has {', '.join(self._buttons) or 'none'}",
                name=name,
            )
        return self._buttons[name]

    def lamp(self, name: str) -> Lamp:
        """One lamp.

        Raises:
            RigError: There is no such lamp.
        """
        if name not in self._lamps:
            raise RigError(
                "lamp", "no-such-lamp", f"no lamp {name!r} on this panel; it has {', '.join(self._lamps)}", name=name
            )
        return self._lamps[name]

    def buzzer(self) -> Buzzer:
        """The buzzer."""
        return self._buzzer

    @property
    def sound(self) -> SimOutput:
        """The buzzer, to look at."""
        return self._buzzer

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        """Call `on_edge` for each raw edge, in order, from the clock's thread."""
        with self._lock:
            self._on_edge = on_edge

    def heard_until_ns(self, button: str) -> int:
        """Up to when every edge of a button has been handed over, boot-clock ns."""
        return self.button(button).heard_until_ns()

    def lose_power(self) -> None:
        """All dark and deaf until `gain_power`."""
        self._dead = True
        self._darken()

    def gain_power(self) -> None:
        """The panel works again."""
        self._dead = False

    def close(self) -> None:
        """Lamps and buzzer off, no more edges; twice is fine."""
        with self._lock:
            self._on_edge = None
        self._darken()

    def _darken(self) -> None:
        for output in (*self._lamps.values(), self._buzzer):
            if output.is_on:
                output.set(False)

    def _deliver(self, edge: Edge) -> None:
        with self._lock:
            on_edge = None if self._dead else self._on_edge
        if on_edge is not None:
            on_edge(edge)
