"""The panel as the table uses it: presses in, lamps and buzzer out.

Lamps answer by pattern, never by colour alone: the seat whose turn it is burns steadily, a called throw blinks slowly,
the beacon burns while a referee is wanted, and at "tijd" everything flashes together with the buzzer, at 2 Hz.
A lamp or buzzer that fails is noted once and does not stop the rest.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import structlog

from companion.hw.clock import NS_PER_MS, boot_ns
from companion.hw.edges import Debounce, Healed, HeldLong, Noisy, Pressed, Released, Result, Stuck
from companion.hw.ports import Edge, Panel, RigError
from companion.session import commands as c

FLASH_MS = 500
"""Half a flash on, half off: 2 Hz, the most that is safe for people who react to flashing."""

TIJD_FLASHES = 12
"""Flashes at the signal: six seconds."""

_TICK_S = 0.05
"""Twenty looks a second: enough for long presses and for lamps that blink twice."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lights:
    """Which lamps burn, by the panel's lamp names."""

    steady: frozenset[str] = frozenset()
    blinking: frozenset[str] = frozenset()


class TablePanel:
    """Debounced presses and patterned lamps over a `Panel` of any driver.

    Args:
        panel: The driver.
        on_press: Called from a thread of the panel's with each press.
        on_fault: Called with a part that failed or came back, and the code of what happened.
    """

    def __init__(
        self, panel: Panel, *, on_press: Callable[[c.PressButton], None], on_fault: Callable[[str, str], None]
    ) -> None:
        self._panel = panel
        self._on_press = on_press
        self._on_fault = on_fault
        self._edges = threading.Lock()
        self._debounce = Debounce()
        self._down_ns: dict[str, int] = {}
        self._lamp_faults: dict[str, str] = {}
        self._button_faults: dict[str, str] = {}
        self._wake = threading.Condition()
        self._lights = Lights()
        self._tijd_from_ns = 0
        self._tijd_until_ns = 0
        self._changed = False
        self._closing = False
        self._on: dict[str, bool] = {}
        panel.listen(self._edge)
        self._thread = threading.Thread(target=self._run, name="panel", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """The driver's name."""
        return self._panel.name

    def buttons(self) -> tuple[str, ...]:
        """The panel's buttons."""
        return self._panel.buttons()

    @property
    def faults(self) -> tuple[tuple[str, str], ...]:
        """Parts that failed, each with its code: lamps and buzzer first, then buttons that are stuck or noisy."""
        return (*sorted(self._lamp_faults.copy().items()), *sorted(self._button_faults.copy().items()))

    def show(self, lights: Lights) -> None:
        """Burn these lamps from now on."""
        with self._wake:
            if lights != self._lights:
                self._lights = lights
                self._nudge()

    def tijd(self) -> None:
        """Sound the signal now: the buzzer and all lamps; safe from any thread, returns at once."""
        self._buzz(True)
        with self._wake:
            self._tijd_from_ns = boot_ns()
            self._tijd_until_ns = self._tijd_from_ns + TIJD_FLASHES * FLASH_MS * NS_PER_MS
            self._nudge()

    def close(self) -> None:
        """Everything off; twice is fine."""
        with self._wake:
            self._closing = True
            self._nudge()
        if self._thread is not threading.current_thread():
            self._thread.join()
        self._panel.close()

    def _nudge(self) -> None:
        self._changed = True
        self._wake.notify()

    def _edge(self, edge: Edge) -> None:
        with self._edges:
            self._mean(self._debounce.feed(edge))

    def _mean(self, results: tuple[Result, ...]) -> None:
        for result in results:
            match result:
                case Pressed(button=button, at_ns=at_ns):
                    self._down_ns[button] = at_ns
                    self._press(button, "down")
                case HeldLong(button=button):
                    self._press(button, "long")
                case Released(button=button, long=was_long):
                    if not was_long:
                        self._press(button, "short")
                case Stuck(button=button) | Noisy(button=button):
                    # A lamp may have the same name, and burns on while its button is stuck.
                    code = "button-stuck" if isinstance(result, Stuck) else "button-noisy"
                    self._button_faults[button] = code
                    self._say_fault(button, code)
                case Healed(button=button):
                    self._button_faults.pop(button, None)
                    self._on_fault(button, "button-healed")

    def _press(self, button: str, kind: Literal["down", "short", "long"]) -> None:
        self._on_press(c.PressButton(button=button, kind=kind, pressed_ns=self._down_ns.get(button, boot_ns())))

    def _run(self) -> None:
        while self._tick(boot_ns()):
            with self._wake:
                self._wake.wait_for(lambda: self._changed, _TICK_S)
        self._drive(Lights(), is_tijd=False, is_lit=False)

    def _tick(self, now_ns: int) -> bool:
        """One look at buttons and lamps; False when the panel is closing."""
        with self._wake:
            self._changed = False
            is_closing, lights = self._closing, self._lights
            is_tijd, since_ns = now_ns < self._tijd_until_ns, self._tijd_from_ns
        with self._edges:
            self._mean(self._debounce.advance(now_ns))
        # At the signal the first flash is on from the signal's own moment, whatever the lamps were doing.
        is_lit = (now_ns - (since_ns if is_tijd else 0)) // (FLASH_MS * NS_PER_MS // 2) % 2 == 0
        self._drive(lights, is_tijd=is_tijd, is_lit=is_lit)
        return not is_closing

    def _drive(self, lights: Lights, *, is_tijd: bool, is_lit: bool) -> None:
        for name in self._lamp_names():
            on = is_lit if is_tijd else name in lights.steady or (name in lights.blinking and is_lit)
            self._lamp(name, on)
        self._buzz(is_tijd and is_lit)

    def _lamp_names(self) -> tuple[str, ...]:
        seats = tuple(name for name in self._panel.buttons() if name.startswith("seat"))
        return (*seats, "beacon") if seats else ()

    def _lamp(self, name: str, on: bool) -> None:
        if self._on.get(name) == on or name in self._lamp_faults:
            return
        try:
            self._panel.lamp(name).set(on)
            self._on[name] = on
        except RigError as error:
            if error.code == "no-such-lamp":
                # A seat without a lamp is a legal rig: nothing to drive, nothing to complain of.
                self._on[name] = on
            else:
                self._fault(name, error.code)

    def _buzz(self, on: bool) -> None:
        if self._on.get("buzzer", False) == on or "buzzer" in self._lamp_faults:
            return
        try:
            buzzer = self._panel.buzzer()
            if buzzer is not None:
                buzzer.set(on)
            self._on["buzzer"] = on
        except RigError as error:
            self._fault("buzzer", error.code)

    def _fault(self, part: str, code: str) -> None:
        self._lamp_faults[part] = code
        self._say_fault(part, code)

    def _say_fault(self, part: str, code: str) -> None:
        _log.warning("panel part failed", part=part, code=code)
        self._on_fault(part, code)
