"""The panel as the table uses it: presses in, lamps and buzzer out.

What time decides of a button, a long press or a stuck one, is decided up to the moment up to which its edges have come
in, and no further. What burns when is `patterns.py`; this module drives it from a thread of its own. A lamp or buzzer
that fails is noted once, stops nothing else, and is tried again every few seconds and at each signal. A buzzer that was
silenced leaves the signal to the light; a rig without one always does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import structlog

from companion.hw.clock import NS_PER_MS, NS_PER_S, boot_ns
from companion.hw.edges import Debounce, Healed, HeldLong, Noisy, Pressed, Released, Result, Stuck
from companion.hw.ports import Edge, Panel, RigError
from companion.session import commands as c
from companion.table.patterns import Lights, Scene, Show

CLOSE_MS = 50
"""Two presses nearer than this are a race: who was first, and by how much, is written down."""

RETRY_NS = 10 * NS_PER_S
"""How often a lamp or buzzer that failed is tried again."""

_TICK_S = 0.025
"""Forty looks a second: a release is told some 50 ms after it was, and lamps that blink twice do so evenly."""

_log = structlog.get_logger()


class TablePanel:
    """Debounced presses and patterned lamps over a `Panel` of any driver.

    Args:
        panel: The driver.
        on_press: Called from a thread of the panel's with each press.
        on_fault: Called with a part that failed or came back, and the code of what happened.
        on_note: Called with what the buttons did that is no press of one of them: a code and its values.
    """

    def __init__(
        self,
        panel: Panel,
        *,
        on_press: Callable[[c.PressButton], None],
        on_fault: Callable[[str, str], None],
        on_note: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        self._panel = panel
        self._on_press = on_press
        self._on_fault = on_fault
        self._on_note = on_note
        self._edges = threading.Lock()
        self._debounce = Debounce()
        self._down_ns: dict[str, int] = {}
        self._last_down: str | None = None
        self._together: frozenset[str] = frozenset()
        self._pressed: dict[str, int] = dict.fromkeys(panel.buttons(), 0)
        self._output_faults: dict[str, tuple[str, int]] = {}
        self._button_faults: dict[str, str] = {}
        self._wake = threading.Condition()
        self._staging = threading.Lock()
        self._scene = Scene()
        self._changed = False
        self._closing = False
        self._on: dict[str, bool] = {}
        self.is_silent = False
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
    def pressed(self) -> Mapping[str, int]:
        """How often each button went down since the start: what was never pressed was never seen to work."""
        return self._pressed.copy()

    @property
    def has_buzzer(self) -> bool:
        """Whether this rig has a buzzer at all."""
        return self._panel.buzzer() is not None

    @property
    def faults(self) -> tuple[tuple[str, str], ...]:
        """Parts that failed, each with its code: lamps and buzzer first, then buttons that are stuck or noisy."""
        outputs = ((part, code) for part, (code, _again) in self._output_faults.copy().items())
        return (*sorted(outputs), *sorted(self._button_faults.copy().items()))

    def show(self, lights: Lights) -> None:
        """Burn these lamps from now on."""
        with self._staging:
            if lights == self._scene.lights:
                return
            self._scene = replace(self._scene, lights=lights, lights_ns=boot_ns())
        self._nudge()

    def tijd(self) -> None:
        """Give the signal now: the buzzer and all lamps; safe from any thread, returns at once."""
        self._take_over("tijd")

    def try_out(self, part: Literal["buzzer", "lamps"]) -> None:
        """Let people hear the buzzer, or see every lamp; a signal that is being given goes first."""
        if self._scene.showing(boot_ns()) != "tijd":
            self._take_over(part)

    def close(self) -> None:
        """Everything off; twice is fine."""
        self._closing = True
        self._nudge()
        if self._thread is not threading.current_thread():
            self._thread.join()
        self._panel.close()

    def _take_over(self, show: Show) -> None:
        now_ns = boot_ns()
        # A part that failed before gets its chance: a wire may have been put back.
        for part, (code, _again) in self._output_faults.copy().items():
            self._output_faults[part] = (code, now_ns)
        with self._staging:
            # Under one lock with the buzzer, so that the panel's own thread can't silence what has just begun.
            self._scene = replace(self._scene, show=show, show_ns=now_ns)
            self._buzz(self._scene.buzzer(now_ns))
        self._nudge()

    def _nudge(self) -> None:
        with self._wake:
            self._changed = True
            self._wake.notify()

    # ------------------------------------------------------------ buttons

    def _edge(self, edge: Edge) -> None:
        with self._edges:
            self._mean(self._debounce.feed(edge))

    def _mean(self, results: tuple[Result, ...]) -> None:
        for result in results:
            match result:
                case Pressed(button=button, at_ns=at_ns, gap_ns=gap_ns):
                    self._pressed[button] = self._pressed.get(button, 0) + 1
                    self._down_ns[button] = at_ns
                    self._press(button, "down")
                    self._raced(button, gap_ns)
                case HeldLong(button=button):
                    self._press(button, "long")
                    self._held_with_others(button)
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

    def _raced(self, button: str, gap_ns: int | None) -> None:
        """A press close behind another's: which was first is no longer a matter of opinion."""
        before, self._last_down = self._last_down, button
        if before in (None, button) or gap_ns is None or abs(gap_ns) > CLOSE_MS * NS_PER_MS:
            return
        first, second = (before, button) if gap_ns >= 0 else (button, before)
        self._on_note("presses-close", {"first": first, "second": second, "gap_us": abs(gap_ns) // 1000})

    def _held_with_others(self, button: str) -> None:
        """Several buttons held at once mean nothing that was agreed: noted once for as long as they are held."""
        down = self._debounce.down() - self._button_faults.keys() | {button}
        if len(down) > 1 and not down <= self._together:
            self._on_note("buttons-together", {"buttons": sorted(down)})
        self._together = down

    # ------------------------------------------------------------ lamps and buzzer

    def _run(self) -> None:
        while self._tick():
            with self._wake:
                self._wake.wait_for(lambda: self._changed, _TICK_S)
        with self._staging:
            self._scene = Scene()
        self._drive(boot_ns())

    def _tick(self) -> bool:
        """One look at buttons and lamps; False when the panel is closing."""
        with self._wake:
            self._changed = False
            is_closing = self._closing
        self._pass_time()
        self._drive(boot_ns())
        return not is_closing

    def _pass_time(self) -> None:
        """Tell what has become certain, up to the moment up to which each button's edges have come in."""
        with self._edges:
            waiting = self._debounce.waiting()
        for button in waiting:
            try:
                until_ns = self._panel.heard_until_ns(button)
            except RigError as error:
                # Its edges go on telling what they can: a long press is told when it is let go.
                if button not in self._button_faults:
                    self._button_faults[button] = error.code
                    self._say_fault(button, error.code)
                continue
            if self._button_faults.get(button) not in (None, "button-stuck", "button-noisy"):
                del self._button_faults[button]
                self._on_fault(button, "part-back")
            with self._edges:
                self._mean(self._debounce.advance(button, until_ns))

    def _drive(self, now_ns: int) -> None:
        for name in self._lamp_names():
            self._switch(name, self._scene.lamp(name, now_ns))
        with self._staging:
            self._buzz(self._scene.buzzer(boot_ns()))

    def _lamp_names(self) -> tuple[str, ...]:
        seats = tuple(name for name in self._panel.buttons() if name.startswith("seat"))
        return (*seats, "beacon") if seats else ()

    def _buzz(self, on: bool) -> None:
        if self.has_buzzer:
            self._switch("buzzer", on and not self.is_silent)

    def _switch(self, part: str, on: bool) -> None:
        fault = self._output_faults.get(part)
        if fault is not None:
            if boot_ns() < fault[1]:
                return
        elif self._on.get(part, False) == on:
            return
        try:
            output = self._panel.buzzer() if part == "buzzer" else self._panel.lamp(part)
            if output is not None:
                output.set(on)
        except RigError as error:
            if error.code == "no-such-lamp":
                # A seat without a lamp is a legal rig: nothing to drive, nothing to complain of.
                self._on[part] = on
                return
            self._output_faults[part] = (error.code, boot_ns() + RETRY_NS)
            if fault is None:
                self._say_fault(part, error.code)
        else:
            self._on[part] = on
            if self._output_faults.pop(part, None) is not None:
                self._on_fault(part, "part-back")

    def _say_fault(self, part: str, code: str) -> None:
        _log.warning("panel part failed", part=part, code=code)
        self._on_fault(part, code)
