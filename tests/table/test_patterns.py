"""Lamps differ by pattern, and nothing flashes faster than people bear."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.table.patterns import BLINK_MS, FLASH_MS, TIJD_FLASHES, Lights, Scene

MS = 1_000_000


def changes(scene: Scene, name: str, *, over_ms: int = 10_000) -> list[tuple[int, bool]]:
    """When a lamp, or the buzzer, changes, in ms, to what."""
    seen = [scene.buzzer(ms * MS) if name == "buzzer" else scene.lamp(name, ms * MS) for ms in range(0, over_ms, 10)]
    return [(10 * (at + 1), now) for at, (before, now) in enumerate(pairwise(seen)) if before != now]


def per_second(times_ms: list[int]) -> int:
    """The most flashes (risings) within any second."""
    return max((sum(begin <= other < begin + 1000 for other in times_ms) for begin in times_ms), default=0)


@pytest.mark.parametrize("name", ["seat1", "seat2", "beacon", "buzzer"])
@given(began_ms=st.integers(0, 2000), lights_ms=st.integers(0, 2000))
def test_nothing_flashes_faster_than_twice_a_second(name: str, began_ms: int, lights_ms: int) -> None:
    """Whatever the lamps did when the signal came: at most two flashes in any second."""
    scene = Scene(
        lights=Lights(steady=frozenset({"beacon"}), blinking=frozenset({"seat1"})),
        lights_ns=lights_ms * MS,
        show="tijd",
        show_ns=began_ms * MS,
    )

    rising = [at for at, on in changes(scene, name) if on]

    assert per_second(rising) <= 2


def test_the_signal_is_lamps_and_buzzer_together_for_six_seconds() -> None:
    """Every lamp and the buzzer change at the same moments, twelve times, from the signal's own moment."""
    scene = Scene(lights=Lights(steady=frozenset({"seat1"})), show="tijd", show_ns=0)
    end_ms = TIJD_FLASHES * FLASH_MS

    seat2, buzzer = changes(scene, "seat2"), changes(scene, "buzzer")

    assert (True, True) == (scene.lamp("seat2", 0), scene.buzzer(0))
    assert seat2 == buzzer
    assert TIJD_FLASHES == 1 + sum(on for _at, on in buzzer)
    assert (True, False) == (scene.lamp("seat1", end_ms * MS), scene.lamp("seat2", end_ms * MS))


def test_each_meaning_has_a_pattern_of_its_own() -> None:
    """Turn, called throw, signal and trial differ without any colour."""
    told = {
        "turn": changes(Scene(lights=Lights(steady=frozenset({"a"}))), "a"),
        "called": changes(Scene(lights=Lights(blinking=frozenset({"a"}))), "a"),
        "tijd": changes(Scene(show="tijd"), "a"),
        "trial": changes(Scene(show="lamps"), "a"),
    }
    periods = {
        name: {later - at for (at, _), (later, _) in pairwise(times) if later <= 5000} for name, times in told.items()
    }

    assert {"turn": set(), "called": {BLINK_MS // 2}, "tijd": {FLASH_MS // 2}, "trial": {1000}} == periods


def test_a_call_is_answered_at_once() -> None:
    """The lamp was lit for the turn: it goes dark the moment that the throw is called."""
    scene = Scene(lights=Lights(blinking=frozenset({"a"})), lights_ns=7 * MS)

    assert (False, False, True) == (scene.lamp("a", 7 * MS), scene.lamp("a", 506 * MS), scene.lamp("a", 507 * MS))


def test_a_beep_is_no_signal() -> None:
    """Trying the buzzer out leaves the lamps alone, and lasts three beeps."""
    scene = Scene(lights=Lights(steady=frozenset({"a"})), show="buzzer")

    assert ([], 3) == (changes(scene, "a"), 1 + sum(on for _at, on in changes(scene, "buzzer")))
