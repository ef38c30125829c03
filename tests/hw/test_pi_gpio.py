"""Buttons, lamps and buzzers over gpiozero's own mock of the lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion.hw.clock import NS_PER_MS, NS_PER_S, boot_ns
from companion.hw.edges import Debounce, Pressed
from companion.hw.pi import gpio
from companion.hw.pi.gpio import GpioPanel
from companion.hw.ports import Edge, Panel, RigError
from companion.hw.settings import PanelSettings
from tests.hw.contract import PanelContract

SETTINGS = PanelSettings(
    driver="gpio", buttons={"seat1": 17, "seat2": 27, "referee": 4}, lamps={"seat1": 5, "beacon": 20}, buzzers=(26, 21)
)


@pytest.fixture
def lines() -> Iterator[MockFactory]:
    """Lines that are not there."""
    factory = MockFactory()
    yield factory
    factory.reset()


class TestGpioPanel(PanelContract):
    """The driver keeps the panel's laws."""

    @pytest.fixture
    def opened(self, lines: MockFactory) -> Iterator[Panel]:
        """A panel on mock lines."""
        self.lines = lines
        panel = GpioPanel(SETTINGS, lines)
        yield panel
        panel.close()

    def press(self, panel: Panel, button: str) -> None:
        """Pull the button's line to ground and let it rise."""
        line = self.lines.pin(SETTINGS.buttons[button])
        line.drive_low()
        line.drive_high()


def test_a_second_press_within_a_bounce_time_is_not_swallowed(lines: MockFactory) -> None:
    """Every edge arrives raw: bounce is judged by the project's own debounce, which keeps real presses."""
    panel = GpioPanel(SETTINGS, lines)
    heard: list[Edge] = []
    panel.listen(heard.append)
    line = lines.pin(17)
    for _ in range(2):
        line.drive_low()
        time.sleep(0.002)
        line.drive_high()
        time.sleep(0.03)
    panel.close()
    debounce = Debounce()
    presses = [result for edge in heard for result in debounce.feed(edge) if isinstance(result, Pressed)]

    assert [True, False, True, False] == [edge.pressed for edge in heard]
    assert 2 == len(presses)
    assert presses[1].at_ns - presses[0].at_ns >= 30 * NS_PER_MS


def test_lamps_and_buzzers_drive_their_lines(lines: MockFactory) -> None:
    """A lamp drives its own line, the buzzer all buzzer lines together, and closing leaves all dark."""
    panel = GpioPanel(SETTINGS, lines)
    panel.lamp("beacon").set(True)
    buzzer = panel.buzzer()
    assert buzzer is not None
    buzzer.set(True)

    assert [0, 1, 1, 1] == [lines.pin(line).state for line in (5, 20, 26, 21)]
    panel.close()
    assert {"input"} == {lines.pin(line).function for line in (5, 20, 26, 21)}


def test_a_panel_without_buzzers_has_none(lines: MockFactory) -> None:
    """No buzzer in the settings is a legal rig."""
    panel = GpioPanel(PanelSettings(driver="gpio", buttons={"seat1": 17}), lines)

    assert panel.buzzer() is None
    panel.close()


def test_a_line_in_use_is_refused_and_the_others_are_let_go_of(lines: MockFactory) -> None:
    """A line that something else has taken stops the start, and holds no other line."""
    taken = gpiozero.LED(20, pin_factory=lines)
    with pytest.raises(RigError) as told:
        GpioPanel(SETTINGS, lines)
    taken.close()

    assert ("panel", "line-refused") == (told.value.part, told.value.code)
    GpioPanel(SETTINGS, lines).close()


def test_a_closed_lamp_says_that_it_does_not_answer(lines: MockFactory) -> None:
    """Driving a line that was let go of is a fault of that lamp by name."""
    panel = GpioPanel(SETTINGS, lines)
    lamp = panel.lamp("seat1")
    panel.close()
    with pytest.raises(RigError) as told:
        lamp.set(True)

    assert ("lamp", "no-contact", "seat1") == (told.value.part, told.value.code, told.value.values["name"])


def test_the_driver_opens_lgpios_lines_by_name(monkeypatch: pytest.MonkeyPatch, lines: MockFactory) -> None:
    """The factory of lines is lgpio's, asked for by name."""
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", SimpleNamespace(LGPIOFactory=lambda: lines))
    panel = gpio.open_panel(SETTINGS)

    assert ("gpio", ("seat1", "seat2", "referee")) == (panel.name, panel.buttons())
    panel.close()


@pytest.mark.parametrize("without", ["library", "header"])
def test_a_machine_without_library_or_header_says_which(monkeypatch: pytest.MonkeyPatch, without: str) -> None:
    """A missing package and a missing header are different faults with different ways out."""

    def refuse() -> None:
        raise gpiozero.PinUnknownPi("no such revision")

    module = None if without == "library" else SimpleNamespace(LGPIOFactory=refuse)
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", module)
    with pytest.raises(RigError) as told:
        gpio.open_panel(SETTINGS)

    assert {"library": "driver-missing", "header": "no-gpio"}[without] == told.value.code


def test_an_edge_keeps_its_stamp_however_long_it_waited(lines: MockFactory) -> None:
    """A reader that was held up for five seconds makes no long press: both edges have the kernel's time."""
    panel = GpioPanel(SETTINGS, lines)
    heard: list[Edge] = []
    panel.listen(heard.append)
    down_s = time.monotonic() - 5
    panel._changed("referee", down_s, 0)
    panel._changed("referee", down_s + 0.12, 1)
    panel.close()

    assert [120, True] == [
        round((heard[1].at_ns - heard[0].at_ns) / NS_PER_MS), boot_ns() - heard[1].at_ns > 4 * NS_PER_S,
    ]  # fmt: skip


def test_a_line_whose_opening_is_on_its_way_is_not_held(lines: MockFactory) -> None:
    """The line is open, but lgpio's thread has not said so: nothing is certain until it has."""
    panel = GpioPanel(SETTINGS, lines)
    line = lines.pin(4)
    line.drive_low()
    panel.heard_until_ns("referee")
    time.sleep(0.04)
    held_ns = panel.heard_until_ns("referee")
    line._change_state(True)
    late = []
    for _ in range(3):
        time.sleep(0.04)
        late.append(panel.heard_until_ns("referee"))
    opened_ns = boot_ns()
    panel._changed("referee", time.monotonic(), 1)
    panel.heard_until_ns("referee")
    time.sleep(0.04)
    caught_up_ns = panel.heard_until_ns("referee")
    panel.close()

    assert [held_ns] * 3 == late
    assert 0 < held_ns < opened_ns < caught_up_ns


def test_a_line_that_cant_be_read_says_which(lines: MockFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's own error becomes the button's fault by name."""
    panel = GpioPanel(SETTINGS, lines)

    def refuse(_pin: object) -> bool:
        raise gpiozero.PinUnsupported("bad handle")

    monkeypatch.setattr(type(lines.pin(4)), "_get_state", refuse)
    with pytest.raises(RigError) as told:
        panel.heard_until_ns("referee")
    monkeypatch.undo()
    panel.close()

    assert ("button", "no-contact", "referee") == (told.value.part, told.value.code, told.value.values["name"])
