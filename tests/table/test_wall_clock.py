"""When the wall clock has jumped, and when it was only set right, or looked at too slowly."""

from __future__ import annotations

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.table.heart import WallClock

DAY_MS = 86_400_000


class Clocks:
    """A wall clock and a boot clock that the test turns."""

    def __init__(self) -> None:
        self.wall_ms = 1_000_000_000_000
        self.boot_ns = 5 * NS_PER_S
        self.glance_ns = 0
        self.clock = WallClock(lambda: self.wall_ms, self._boot)

    def _boot(self) -> int:
        self.boot_ns += self.glance_ns
        return self.boot_ns

    def look(self, *, passed_ms: int = 1000, wall_ms: int | None = None) -> int | None:
        """Look after that much time, of which the wall clock shows `wall_ms`."""
        self.boot_ns += passed_ms * NS_PER_MS
        self.wall_ms += passed_ms if wall_ms is None else wall_ms
        return self.clock.stepped_ms()


def test_first_look_and_a_clock_that_runs_tell_nothing() -> None:
    """However long it was not looked at."""
    clocks = Clocks()

    assert [None, None, None] == [clocks.look(), clocks.look(), clocks.look(passed_ms=DAY_MS)]


def test_jump_is_told_until_it_is_noted() -> None:
    """Forward and back; a disk that refused the record is asked again."""
    clocks = Clocks()
    clocks.look()
    jumped = [clocks.look(wall_ms=DAY_MS + 1000), clocks.look()]
    clocks.clock.note()
    back = [clocks.look(), clocks.look(wall_ms=1000 - DAY_MS)]

    assert ([DAY_MS, DAY_MS], [None, -DAY_MS]) == (jumped, back)


def test_slow_putting_right_never_adds_up() -> None:
    """Half a second each second for a minute is no jump."""
    clocks = Clocks()

    assert {None} == {clocks.look(wall_ms=1500) for _ in range(60)}


def test_look_that_took_long_proves_nothing() -> None:
    """The process was held up between the two clocks."""
    clocks = Clocks()
    clocks.look()
    clocks.glance_ns = 2 * NS_PER_S
    slow = clocks.look()
    clocks.glance_ns = 0

    assert (None, None) == (slow, clocks.look(wall_ms=1000 + 4000))
