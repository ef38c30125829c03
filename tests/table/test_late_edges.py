"""A panel whose reader is late: presses are what the finger did, by the edges' own stamps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from companion.hw.clock import NS_PER_MS, NS_PER_S, boot_ns
from companion.hw.ports import Edge, RigError
from companion.hw.screen import ScreenPanel
from companion.sim.clock import ManualClock
from companion.sim.panel import SimPanel
from companion.table.panel import TablePanel


class LateClock(ManualClock):
    """Time that goes on while the thread that hands the edges over stands still."""

    late = True

    def advance_to(self, at_ns: int) -> None:
        """Wind on, and run what has fallen due only when the thread is no longer late."""
        if self.late:
            self._now_ns = at_ns
        else:
            super().advance_to(at_ns)


@dataclass
class Told:
    """All that a table's panel told."""

    presses: list[tuple[str, str]] = field(default_factory=list)
    faults: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Late:
    """A table's panel over one that is late."""

    panel: TablePanel
    driver: SimPanel
    clock: LateClock
    told: Told

    def at(self, ms: float, *, late: bool) -> None:
        """What the panel tells up to a time, looking twice."""
        self.clock.late = late
        self.clock.advance_to(NS_PER_S + int(ms * NS_PER_MS))
        self.panel._tick()
        self.panel._tick()


def listened(driver: Any, told: Told) -> TablePanel:
    """A table's panel that tells it all."""
    return TablePanel(
        driver,
        on_press=lambda press: told.presses.append((press.button, press.kind)),
        on_fault=lambda part, code: told.faults.append((part, code)),
        on_note=lambda code, _values: told.notes.append(code),
    )


@pytest.fixture
def table() -> Iterator[Late]:
    """Two seats and the referee's key, and a reader that has not begun to be late."""
    clock, told = LateClock(), Told()
    driver = SimPanel(clock, ("seat1", "seat2", "referee"), 5)
    panel = listened(driver, told)
    yield Late(panel, driver, clock, told)
    panel.close()


@pytest.mark.parametrize("woken_ms", [1_000, 16_000])
def test_a_short_press_stays_short_however_late_its_release_comes_in(table: Late, woken_ms: int) -> None:
    """The referee's key, held long, may end a game: 120 ms are not long, and no button is stuck, whoever was late."""
    table.driver.button("referee").press(ms=120)
    table.at(50, late=False)
    table.at(woken_ms, late=True)
    told_while_late = list(table.told.presses)
    table.at(woken_ms + 100, late=False)

    assert [("referee", "down")] == told_while_late
    assert [("referee", "down"), ("referee", "short")] == table.told.presses
    assert [] == table.told.faults + table.told.notes


def test_a_long_press_is_told_late_and_once(table: Late) -> None:
    """Its very first edge was late: it is long by its stamps, and no short one."""
    table.driver.button("referee").press(ms=900)
    table.at(3_000, late=True)
    assert [] == table.told.presses
    table.at(3_100, late=False)

    assert [("referee", "down"), ("referee", "long")] == table.told.presses


def test_a_bounce_whose_closing_is_late_is_no_short_press(table: Late) -> None:
    """A contact that opened by bouncing is not let go: a press that is to be long begins no turn on its way."""
    driver, told = table.driver, table.told
    first = driver.button("seat1")
    first.press(ms=900)
    table.at(0.0, late=False)
    bounces = sorted(first._on_its_way)
    table.clock.late = False
    table.clock.advance_to(bounces[0])
    table.at(500, late=True)
    assert bounces[0] < NS_PER_S + 7 * NS_PER_MS
    assert [("seat1", "down")] == told.presses
    table.at(1_000, late=False)

    assert [("seat1", "down"), ("seat1", "long")] == told.presses


def test_a_press_that_is_over_is_not_held_with_another(table: Late) -> None:
    """Both came in at once when the reader woke: the short one was over long before the other became long."""
    table.driver.button("seat1").press(ms=900)
    table.driver.button("seat2").press(ms=120, in_ms=100)
    table.at(2_000, late=True)
    table.at(2_100, late=False)

    assert ["down", "down", "long", "short"] == [kind for _button, kind in table.told.presses]
    assert [] == table.told.notes


def test_a_line_that_cant_be_read_is_said_once_and_its_edges_still_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long press while it is held, but when it is let go; and the part is back when the line is."""
    told = Told()
    driver = ScreenPanel()

    def deaf(_button: str) -> int:
        raise RigError("button", "no-contact", "the referee's key can't be read")

    monkeypatch.setattr(driver, "heard_until_ns", deaf)
    panel = listened(driver, told)
    down_ns = boot_ns() - NS_PER_S
    panel._edge(Edge(button="referee", pressed=True, at_ns=down_ns))
    panel._tick()
    panel._tick()
    panel._edge(Edge(button="referee", pressed=False, at_ns=down_ns + 900 * NS_PER_MS))
    failed = (list(told.presses), panel.faults)
    monkeypatch.undo()
    panel._tick()
    panel.close()

    assert ([("referee", "down"), ("referee", "long")], (("referee", "no-contact"),)) == failed
    assert [("referee", "no-contact"), ("referee", "part-back")] == told.faults
    assert () == panel.faults
