"""From raw edges to presses: nothing invented, nothing swallowed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hw.edges import Debounce, Healed, HeldLong, Limits, Noisy, Pressed, Released, Result, Stuck
from companion.hw.ports import Edge

MS = 1_000_000


def edges(button: str, *moves: tuple[float, bool]) -> list[Edge]:
    """Edges of one button from (milliseconds, pressed) pairs."""
    return [Edge(button=button, pressed=pressed, at_ns=int(at_ms * MS)) for at_ms, pressed in moves]


def meaning(raw: list[Edge], until_ms: float, debounce: Debounce | None = None) -> list[Result]:
    """What edges mean, with a look every 50 ms as the table does it, until a time."""
    debounce = debounce or Debounce()
    results: list[Result] = []
    looks = [(at_ms * MS, None) for at_ms in range(0, int(until_ms) + 1, 50)]
    story = sorted([*((edge.at_ns, edge) for edge in raw), *looks], key=lambda moment: moment[0])
    for at_ns, edge in story:
        results += debounce.advance("seat1", at_ns) if edge is None else debounce.feed(edge)
    return results


def bounce_us(longest: float) -> st.SearchStrategy[list[float]]:
    """Chatter after an edge: an even number of moments, so that the line ends where the finger put it.

    Ganssle (A Guide to Debouncing, 2004) measured 18 kinds of switch: mean 1.6 ms, longest 6.2 ms.
    """
    moments = st.lists(st.floats(1, longest), max_size=12, unique=True).map(sorted)
    return moments.map(lambda found: found[: len(found) // 2 * 2])


@st.composite
def fingers(draw: st.DrawFn) -> tuple[list[Edge], list[int]]:
    """A trace of real presses of one button with bounce, and the moments at which the finger pressed."""
    at_us = draw(st.floats(0, 1e6))
    raw: list[Edge] = []
    pressed_ns = []
    for _ in range(draw(st.integers(1, 8))):
        held_ms = draw(st.floats(8, 500))
        open_ms = draw(st.floats(20, 500))
        pressed_ns.append(int(at_us * 1000))
        for start_us, closing in ((at_us, True), (at_us + held_ms * 1000, False)):
            for count, after_us in enumerate([0.0, *draw(bounce_us(6200))]):
                raw.append(
                    Edge(button="seat1", pressed=closing ^ (count % 2 == 1), at_ns=int((start_us + after_us) * 1000))
                )
        at_us += (held_ms + 6.2 + open_ms) * 1000
    return raw, pressed_ns


@settings(deadline=None)
@given(fingers())
def test_every_real_press_counts_once_with_its_first_edge(trace: tuple[list[Edge], list[int]]) -> None:
    """Whatever the bounce, each press of the finger is one press with the stamp of the first closing."""
    raw, pressed_ns = trace
    calm = Debounce(Limits(noisy_presses=1000))

    heard = [result.at_ns for edge in raw for result in calm.feed(edge) if isinstance(result, Pressed)]

    assert pressed_ns == heard


@settings(deadline=None)
@given(fingers())
def test_presses_and_releases_alternate(trace: tuple[list[Edge], list[int]]) -> None:
    """A press is let go exactly once, later than it began, and nothing stays down."""
    raw, pressed_ns = trace
    debounce = Debounce(Limits(noisy_presses=1000))
    results = [result for edge in raw for result in debounce.feed(edge)] + list(debounce.advance("seat1", 10**15))
    kinds = [type(result) for result in results if isinstance(result, Pressed | Released)]

    assert [Pressed, Released] * len(pressed_ns) == kinds
    assert frozenset() == debounce.down()


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3 * 10**9)), max_size=60))
def test_no_trace_is_too_strange(moves: list[tuple[bool, int]]) -> None:
    """Any order of edges is taken: presses never outnumber edges, and at most one release follows each."""
    debounce = Debounce()
    results: list[Result] = []
    for pressed, at_ns in sorted(moves, key=lambda move: move[1]):
        results += debounce.feed(Edge(button="seat1", pressed=pressed, at_ns=at_ns))
    results += debounce.advance("seat1", 10**12)
    presses = sum(isinstance(result, Pressed) for result in results)
    releases = sum(isinstance(result, Released) for result in results)

    assert presses <= len(moves)
    assert releases <= presses


def test_a_press_counts_at_its_first_edge() -> None:
    """The very edge that closes the contact is the press: no waiting for the line to settle."""
    (result,) = Debounce().feed(Edge(button="seat1", pressed=True, at_ns=7 * MS))

    assert Pressed(button="seat1", at_ns=7 * MS, gap_ns=None) == result


def test_short_and_long_presses_are_told_apart() -> None:
    """A press of 120 ms is short; one of a second is called long while it is still held."""
    short = meaning(edges("seat1", (100, True), (220, False)), 400)
    long = meaning(edges("seat1", (100, True), (1100, False)), 1300)

    assert [("Pressed", None), ("Released", False)] == [(type(r).__name__, getattr(r, "long", None)) for r in short]
    assert [
        Pressed(button="seat1", at_ns=100 * MS, gap_ns=None),
        HeldLong(button="seat1", at_ns=900 * MS),
        Released(button="seat1", at_ns=1100 * MS, held_ms=1000.0, long=True),
    ] == long


def test_two_players_two_milliseconds_apart_keep_their_order_and_gap() -> None:
    """A race is decided by the stamps, and the gap is known."""
    raw = sorted(
        [*edges("seat2", (52, True), (150, False)), *edges("seat1", (50, True), (160, False))], key=lambda e: e.at_ns
    )
    first, second = (result for result in meaning(raw, 300) if isinstance(result, Pressed))

    assert ("seat1", None) == (first.button, first.gap_ns)
    assert ("seat2", 2 * MS) == (second.button, second.gap_ns)


def test_a_lost_opening_hides_no_press() -> None:
    """Two closings a second apart are two presses although the kernel lost the opening between them."""
    results = meaning(edges("seat1", (100, True), (1100, True), (1200, False)), 1500)

    assert [100 * MS, 1100 * MS] == [result.at_ns for result in results if isinstance(result, Pressed)]


def test_a_bounce_of_letting_go_that_was_told_as_a_closing_is_no_press() -> None:
    """The kernel looks at the line late: the first opening was over by then, and was told as what followed it."""
    letting_go = edges("seat1", (100, True), (150, True), (152, False), (154, True), (156, False))
    results = meaning(letting_go, 400)

    assert [100 * MS] == [result.at_ns for result in results if isinstance(result, Pressed)]
    assert [156 * MS] == [result.at_ns for result in results if isinstance(result, Released)]


@pytest.mark.parametrize(("held_ms", "told"), [(120, [Pressed, Released]), (900, [Pressed, Released, HeldLong])])
def test_a_bounce_that_is_told_after_time_was_looked_at_is_the_same_press(held_ms: float, told: list[type]) -> None:
    """A busy machine hands the edges over late, with their own stamps: one press, one release, and long if held."""
    debounce = Debounce()
    first, opened, closed = edges("seat1", (0, True), (1, False), (2, True))
    late = [*debounce.feed(first), *debounce.feed(opened), *debounce.advance("seat1", 20 * MS), *debounce.feed(closed)]

    after = meaning(edges("seat1", (held_ms, False)), held_ms + 100, debounce)
    again = meaning(edges("seat1", (held_ms + 200, True)), held_ms + 210, debounce)

    assert (told, [Pressed]) == ([type(one) for one in [*late, *after]], [type(one) for one in again])


def test_a_lost_closing_is_a_press_that_says_so() -> None:
    """An opening of an open line means a press whose closing was lost: its stamp is not exact."""
    results = meaning(edges("seat1", (100, True), (200, False), (900, False)), 1200)

    assert [True, False] == [result.exact for result in results if isinstance(result, Pressed)]


def test_a_stuck_button_is_noticed_and_its_healing_too() -> None:
    """Held for fifteen seconds it is stuck; let go it is well."""
    results = meaning(edges("seat1", (0, True), (20_000, False)), 20_200)

    assert [15_000 * MS] == [result.at_ns for result in results if isinstance(result, Stuck)]
    assert [20_000 * MS] == [result.at_ns for result in results if isinstance(result, Healed)]


def test_a_loose_wire_is_called_noisy_and_presses_nothing_until_it_is_quiet() -> None:
    """Forty presses a second are no finger's; after two quiet seconds the button counts again."""
    chatter = [(25.0 * n + (12.5 if not down else 0), down) for n in range(80) for down in (True, False)]
    raw = edges("seat1", *chatter, (6000, True), (6100, False))
    results = meaning(raw, 6300, Debounce(Limits(settle_ms=10)))
    presses = [result.at_ns for result in results if isinstance(result, Pressed)]

    assert Limits().noisy_presses + 1 == len(presses)
    assert 6000 * MS == presses[-1]
    assert 1 == sum(isinstance(result, Noisy) for result in results)
    assert 1 == sum(isinstance(result, Healed) for result in results)


def test_a_button_held_at_the_start_is_no_press() -> None:
    """The first edge ever seen being an opening tells of a press before we looked: it is not ours."""
    assert () == Debounce().feed(Edge(button="seat1", pressed=False, at_ns=5 * MS))


@pytest.mark.parametrize(
    "wrong", [{"settle_ms": 0.5}, {"settle_ms": 41}, {"long_ms": 5}, {"noisy_presses": 1}, {"quiet_ms": 0}]
)
def test_limits_without_sense_are_refused(wrong: dict[str, float]) -> None:
    """Limits that would invent or swallow presses can't be made."""
    with pytest.raises(ValueError, match="must"):
        Limits(**wrong)  # type: ignore[arg-type]


@settings(deadline=None)
@given(fingers(), st.data())
def test_how_late_edges_come_in_changes_nothing_that_is_told(
    trace: tuple[list[Edge], list[int]], data: st.DataObject
) -> None:
    """Looks at any moment, each up to the last edge that came in by then, tell what one look at the end tells."""
    raw, _ = trace
    told: list[Result] = []
    late, prompt = (Debounce(Limits(noisy_presses=1000)) for _ in range(2))
    for before, edge in zip([None, *raw], raw, strict=False):
        told += late.feed(edge)
        if before is not None:
            told += late.advance("seat1", data.draw(st.integers(before.at_ns, edge.at_ns)))

    at_end = [result for edge in raw for result in prompt.feed(edge)]
    until_ns = raw[-1].at_ns + 10**9

    assert [*at_end, *prompt.advance("seat1", until_ns)] == [*told, *late.advance("seat1", until_ns)]


def test_only_buttons_that_are_down_or_noisy_wait_for_time() -> None:
    """A button that was let go waits no more; one that nobody pressed never did."""
    debounce = Debounce()
    down, up = edges("seat1", (0, True), (100, False))
    debounce.feed(down)
    held = (debounce.waiting(), debounce.down())
    debounce.feed(up)
    opened = (debounce.waiting(), debounce.down())
    debounce.advance("seat1", 200 * MS)

    assert (("seat1",), {"seat1"}) == held
    assert (("seat1",), frozenset()) == opened
    assert () == debounce.waiting() == debounce.advance("seat2", 10**12)
