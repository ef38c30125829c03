"""Buttons, lamps and buzzers on the GPIO header, through gpiozero.

Wiring (docs/hardware.md has the drawings): each button between its line and ground, closed when pressed, the line held
up by the Pi's own resistor; lamps and buzzers through a driver board, on when their line is high.

gpiozero's own button class debounces by going deaf after an edge, and then swallows the second of two quick presses.
So only its lines are used: every edge is passed on raw, with the kernel's stamp, and `companion.hw.edges` says what it
means. The factory of lines is named, never searched for: gpiozero would fall back to another one with a warning, and
its slower ones miss edges.

An edge goes through lgpio's two threads, which may be late: up to when all edges have come in is known by looking
at the line itself (`companion.hw.heard`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import gpiozero

from companion.hw.clock import NS_PER_S, boot_ns, monotonic_to_boot_offset_ns, recent_to_boot_ns
from companion.hw.heard import Heard
from companion.hw.ports import Buzzer, Edge, Lamp, RigError
from companion.hw.settings import PanelSettings

_OLDEST_MS = 600_000
"""How old an edge may be when it comes in: as long as anything can be held up. Its stamp stays its own."""


def open_panel(settings: PanelSettings) -> GpioPanel:
    """The panel on this Pi's header.

    Raises:
        RigError: lgpio is not installed, this is no Pi, or a line is in use.
    """
    try:
        from gpiozero.pins.lgpio import LGPIOFactory
    except ImportError as missing:
        raise RigError(
            "panel",
            "driver-missing",
            "the driver 'gpio' needs the package python3-lgpio: sudo apt install python3-lgpio",
            driver="gpio",
        ) from missing
    try:
        factory = LGPIOFactory()
    except Exception as refused:  # lgpio raises its own error, a plain Exception by ancestry
        raise RigError(
            "panel",
            "no-gpio",
            "the GPIO header can't be opened: is this a Raspberry Pi, and may this user use it (group 'gpio')? "
            f"{refused}",
            driver="gpio",
        ) from refused
    return GpioPanel(settings, factory)


class GpioPanel:
    """Buttons, lamps and buzzers on lines; a `companion.hw.ports.Panel`.

    Args:
        settings: Which line is what.
        factory: gpiozero's factory of lines.

    Raises:
        RigError: A line is in use or can't do what it should.
    """

    def __init__(self, settings: PanelSettings, factory: Any) -> None:
        self._factory = factory
        self._offset_ns = monotonic_to_boot_offset_ns()
        self._on_edge: Callable[[Edge], None] | None = None
        self._lock = threading.Lock()
        self._inputs: dict[str, Any] = {}
        self._heard: dict[str, Heard] = {name: Heard() for name in settings.buttons}
        # gpiozero keeps only a weak reference to a handler, so the handlers are kept here.
        self._handlers: list[Callable[[float, int], None]] = []
        self._lamps: dict[str, GpioOutput] = {}
        self._sound: GpioOutput | None = None
        try:
            for name, line in settings.buttons.items():
                self._inputs[name] = self._listened(name, line)
            for name, line in settings.lamps.items():
                self._lamps[name] = GpioOutput("lamp", name, [self._output(line)])
            if settings.buzzers:
                self._sound = GpioOutput("buzzer", "buzzer", [self._output(line) for line in settings.buzzers])
        except gpiozero.GPIOZeroError as refused:
            self.close()
            raise RigError("panel", "line-refused", f"a GPIO line can't be used: {refused}", driver="gpio") from refused

    @property
    def name(self) -> str:
        """'gpio'."""
        return "gpio"

    def buttons(self) -> tuple[str, ...]:
        """Names of the buttons."""
        return tuple(self._inputs)

    def lamp(self, name: str) -> Lamp:
        """One lamp.

        Raises:
            RigError: There is no such lamp.
        """
        if name not in self._lamps:
            known = ", ".join(self._lamps) or "none"
            raise RigError("lamp", "no-such-lamp", f"no lamp {name!r} in [hw.panel.pins]; there: {known}", name=name)
        return self._lamps[name]

    def buzzer(self) -> Buzzer | None:
        """All buzzers as one, or None when there are none."""
        return self._sound

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        """Call `on_edge` for each raw edge, in the kernel's order, from lgpio's thread."""
        with self._lock:
            self._on_edge = on_edge

    def heard_until_ns(self, button: str) -> int:
        """Up to when every edge of a button has been handed over, boot-clock ns: a look at its line tells.

        Raises:
            RigError: The line can't be read.
        """
        heard = self._heard[button]
        with self._lock:
            edges = heard.edges
        now_ns = boot_ns()
        try:
            pressed = not self._inputs[button].pin.state
        except Exception as refused:  # lgpio raises its own error, a plain Exception by ancestry
            raise RigError("button", "no-contact", f"{button} can't be read: {refused}", name=button) from refused
        with self._lock:
            return heard.looked(pressed=pressed, at_ns=now_ns, edges=edges)

    def close(self) -> None:
        """Let go of all lines, lamps and buzzers off; twice is fine."""
        with self._lock:
            self._on_edge = None
        for output in (*self._lamps.values(), *([self._sound] if self._sound else [])):
            output.close()
        for device in self._inputs.values():
            if not device.closed:
                device.pin.when_changed = None
                device.close()
        self._factory.close()

    def _listened(self, name: str, line: int) -> Any:
        device = gpiozero.InputDevice(line, pull_up=True, pin_factory=self._factory)
        handler = partial(self._changed, name)
        self._handlers.append(handler)
        device.pin.bounce = None
        device.pin.edges = "both"
        device.pin.when_changed = handler
        return device

    def _output(self, line: int) -> Any:
        return gpiozero.DigitalOutputDevice(line, initial_value=False, pin_factory=self._factory)

    def _changed(self, name: str, ticks: float, state: int) -> None:
        """On lgpio's thread: one edge; `ticks` are seconds of the kernel's clock, a low line is a pressed button."""
        now_ns = boot_ns()
        stamp = recent_to_boot_ns(
            int(ticks * NS_PER_S), now_boot_ns=now_ns, monotonic_offset_ns=self._offset_ns, oldest_ms=_OLDEST_MS
        )
        edge = Edge(button=name, pressed=not state, at_ns=now_ns if stamp is None else stamp)
        with self._lock:
            on_edge = self._on_edge
        if on_edge is not None:
            on_edge(edge)
        with self._lock:
            self._heard[name].came_in(pressed=edge.pressed, at_ns=edge.at_ns)


class GpioOutput:
    """A lamp, or all buzzers together.

    Args:
        part: 'lamp' or 'buzzer'.
        name: Its name.
        devices: gpiozero's outputs.
    """

    def __init__(self, part: str, name: str, devices: list[Any]) -> None:
        self._part = part
        self._name = name
        self._devices = devices

    def set(self, on: bool) -> None:
        """Switch it; returns at once.

        Raises:
            RigError: The line can't be driven.
        """
        try:
            for device in self._devices:
                device.value = int(on)
        except gpiozero.GPIOZeroError as refused:
            raise RigError(
                self._part, "no-contact", f"{self._name} does not answer: {refused}", name=self._name
            ) from refused

    def close(self) -> None:
        """Off, and let go of the line; twice is fine."""
        for device in self._devices:
            if not device.closed:
                device.value = 0
                device.close()
