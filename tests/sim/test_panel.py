"""The simulated panel: a finger's presses, bounce included, and lamps that remember."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from companion.hw.clock import NS_PER_MS, NS_PER_S, boot_ns
from companion.hw.edges import Debounce, HeldLong, Pressed, Released, Stuck
from companion.hw.ports import Edge, Panel, RigError
from companion.sim.clock import BootClock, ManualClock
from companion.sim.drivers import SimRig
from companion.sim.panel import SimPanel
from companion.sim.settings import SimSettings
from tests.hw.contract import PanelContract


class TestSimPanel(PanelContract):
    """The simulated panel keeps the panel's laws, on the real clock."""

    @pytest.fixture
    def opened(self) -> Iterator[Panel]:
        """A panel of its own."""
        clock = BootClock()
        self.panel = SimPanel(clock, ("seat1", "seat2", "referee"), 1)
        yield self.panel
        self.panel.close()
        clock.close()

    def press(self, panel: Panel, button: str) -> None:
        """Press as a finger does."""
        self.panel.button(button).press(ms=20)


@pytest.fixture
def rig() -> SimRig:
    """A rig whose time is wound on by hand."""
    return SimRig(SimSettings(), ManualClock())


def wind(rig: SimRig, ms: float) -> None:
    """Let time pass."""
    assert isinstance(rig.clock, ManualClock)
    rig.clock.advance_to(rig.clock.now_ns() + int(ms * NS_PER_MS))


def test_fifty_presses_bounce_and_are_fifty_presses(rig: SimRig) -> None:
    """The contact chatters, and the debounce still hears each press once, at its first edge."""
    heard: list[Edge] = []
    rig.panel.listen(heard.append)
    pressed_ns = []
    for _ in range(50):
        pressed_ns.append(rig.button("seat3").press(ms=90))
        wind(rig, 200)
    debounce = Debounce()
    results = [result for edge in heard for result in debounce.feed(edge)]
    results += debounce.advance("seat3", rig.clock.now_ns())

    assert len(heard) > 150
    assert pressed_ns == [result.at_ns for result in results if isinstance(result, Pressed)]
    assert 50 == sum(isinstance(result, Released) for result in results)


def test_a_long_press_is_long(rig: SimRig) -> None:
    """Held for a second, the button says so before it is let go."""
    heard: list[Edge] = []
    rig.panel.listen(heard.append)
    rig.button("seat1").press(ms=1000, in_ms=50)
    wind(rig, 1200)
    debounce = Debounce()
    kinds = [type(result) for edge in heard for result in debounce.feed(edge)]
    kinds += [type(result) for result in debounce.advance("seat1", rig.clock.now_ns())]

    assert [Pressed, HeldLong, Released] == kinds


def test_a_stuck_button_is_heard_until_it_is_loosened(rig: SimRig) -> None:
    """It closes and stays closed; pressing it changes nothing; loosened it opens."""
    heard: list[Edge] = []
    rig.panel.listen(heard.append)
    rig.button("seat2").stick()
    wind(rig, 20_000)
    assert heard[-1].pressed
    debounce = Debounce()
    results = [result for edge in heard for result in debounce.feed(edge)]
    results += debounce.advance("seat2", rig.clock.now_ns())
    rig.button("seat2").loosen()
    wind(rig, 100)

    assert 1 == sum(isinstance(result, Stuck) for result in results)
    assert not heard[-1].pressed


def test_a_torn_off_button_is_silent(rig: SimRig) -> None:
    """Nothing comes from a button whose wire is off."""
    heard: list[Edge] = []
    rig.panel.listen(heard.append)
    rig.button("seat2").tear_off()
    rig.button("seat2").press()
    wind(rig, 500)

    assert [] == heard


def test_lamps_and_buzzer_remember_each_change_and_when(rig: SimRig) -> None:
    """What a lamp did can be looked up: when, and to what; setting it to what it is already is no change."""
    lamp = rig.panel.lamp("beacon")
    begin_ns = rig.clock.now_ns()
    lamp.set(True)
    lamp.set(True)
    wind(rig, 500)
    lamp.set(False)

    assert ((begin_ns, True), (begin_ns + NS_PER_S // 2, False)) == rig.panel.lamps["beacon"].history
    assert not rig.panel.sound.is_on


def test_a_torn_off_lamp_and_buzzer_fail_by_name(rig: SimRig) -> None:
    """Driving a part whose wire is off is a fault of that part."""
    rig.panel.lamps["seat1"].tear_off()
    rig.panel.sound.tear_off()
    for part, drive in (("lamp", rig.panel.lamp("seat1")), ("buzzer", rig.panel.buzzer())):
        with pytest.raises(RigError) as told:
            drive.set(True)

        assert (part, "no-contact") == (told.value.part, told.value.code)


def test_a_cut_of_power_leaves_everything_dark_and_deaf(rig: SimRig) -> None:
    """No lamp, no edge, no frame while the plug is out; whoever asked is told; afterwards all works again."""
    heard: list[Edge] = []
    told: list[str] = []
    rig.power.on_cut(lambda: told.append("cut"))
    rig.panel.listen(heard.append)
    rig.panel.lamp("seat1").set(True)
    rig.power.cut()
    rig.button("seat1").press()
    wind(rig, 300)

    assert (["cut"], [], False) == (told, heard, rig.panel.lamps["seat1"].is_on)
    with pytest.raises(RigError) as dark:
        rig.camera.read(10)
    assert "no-power" == dark.value.code
    rig.power.restore()
    rig.button("seat1").press()
    wind(rig, 300)
    assert heard
    assert rig.camera.read(100) is not None


def test_an_unknown_button_and_a_press_too_short_are_refused(rig: SimRig) -> None:
    """A name that is not on the panel is told, with those that are."""
    with pytest.raises(RigError) as unknown:
        rig.button("seat9")
    with pytest.raises(RigError) as short:
        rig.button("seat1").press(ms=0)

    assert ("no-such-button", "bad-press") == (unknown.value.code, short.value.code)
    assert "seat6" in str(unknown.value)


def test_the_real_clock_runs_actions_in_order_of_time() -> None:
    """Actions asked for in any order run in the order of their times, and none before its time."""
    clock = BootClock()
    ran: list[tuple[int, int]] = []
    begin_ns = boot_ns()
    for after_ms in (30, 10, 20):
        clock.call_at(begin_ns + after_ms * NS_PER_MS, lambda ms=after_ms: ran.append((ms, boot_ns())))  # type: ignore[misc]
    until_ns = begin_ns + 3 * NS_PER_S
    while len(ran) < 3 and boot_ns() < until_ns:
        time.sleep(0.005)
    clock.close()
    clock.close()
    clock.call_at(begin_ns, lambda: ran.append((0, 0)))

    assert [10, 20, 30] == [ms for ms, _ in ran]
    assert all(at_ns >= begin_ns + ms * NS_PER_MS for ms, at_ns in ran)
