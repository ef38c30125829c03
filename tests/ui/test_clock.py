"""The clock between two answers."""

from __future__ import annotations

import pytest

from companion.ui.clock import Link, reading
from tests.ui import states


def link(heard_s: float = 100.0, **clock: object) -> Link:
    """A table heard at 100 s."""
    return Link(heard_s=heard_s, clock=states.clock(**clock), clock_s=100.0)


@pytest.mark.parametrize(
    ("more", "gone_s", "expected"),
    [
        ({}, 1.0, 5_338_000),
        ({"running": False}, 1.0, 5_339_000),
        ({"scale": 60.0}, 1.0, 5_279_000),
        ({"remaining_ms": 500}, 1.0, 0),
        ({"public": False}, 1.0, None),
    ],
)
def test_remaining_time(more: dict[str, object], gone_s: float, expected: int | None) -> None:
    """It counts by its scale, stands in a pause, ends at zero and hides where it is secret."""
    clock = reading(link(**more), 100.0 + gone_s)

    assert clock is not None
    assert expected == clock.remaining_ms


def test_the_clock_stops_with_the_link() -> None:
    """A table that says nothing for a minute has not promised that minute."""
    clock = reading(link(), 160.0)

    assert clock is not None
    assert 5_339_000 - 1_600 == clock.remaining_ms


def test_elapsed_time_ends_at_the_length() -> None:
    """The game is never longer than it is."""
    clock = reading(link(elapsed_ms=5_399_900), 101.0)

    assert clock is not None
    assert 5_400_000 == clock.elapsed_ms


def test_no_clock_no_reading() -> None:
    """A table without a game shows no time."""
    assert None is reading(Link(heard_s=1.0), 1.0)


@pytest.mark.parametrize(("heard_s", "silent_s"), [(None, float("inf")), (99.0, None), (98.0, 2.0)])
def test_silence(heard_s: float | None, silent_s: float | None) -> None:
    """Silence counts from the last word, and is endless before the first."""
    assert silent_s == Link(heard_s=heard_s).silent_s(100.0)
