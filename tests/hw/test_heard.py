"""Up to when edges have come in: a late thread delays what time decides, and makes nothing up."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hw.clock import NS_PER_MS as MS
from companion.hw.edges import Debounce, HeldLong, Pressed, Released, Result
from companion.hw.heard import GRACE_NS, LOST_NS, Heard
from companion.hw.ports import Edge

LOOK_MS = 10


def looked(heard: Heard, at_ms: int, *, pressed: bool) -> int:
    """One look, in ms."""
    return heard.looked(pressed=pressed, at_ns=at_ms * MS, edges=heard.edges) // MS


def after(*edges_ms: tuple[int, bool]) -> Heard:
    """A line of which these edges came in."""
    heard = Heard()
    for at_ms, pressed in edges_ms:
        heard.came_in(pressed=pressed, at_ns=at_ms * MS)
    return heard


def test_a_look_is_believed_when_nothing_spoke_against_it_for_a_while() -> None:
    """The line is as its last edge left it: the first look counts once the grace is over, and not a moment before."""
    heard = after((90, True))
    grace_ms = GRACE_NS // MS

    assert [0, 0, 100] == [looked(heard, at_ms, pressed=True) for at_ms in (100, 99 + grace_ms, 100 + grace_ms)]


def test_a_line_that_owes_an_edge_stands_still_until_it_came_in() -> None:
    """It opened and closed again; of the two edges the first does not tell what came after it, the second does."""
    heard = after((90, True))
    owing = [looked(heard, at_ms, pressed=not 200 <= at_ms < 300) for at_ms in range(100, 1000, LOOK_MS)]
    heard.came_in(pressed=False, at_ns=195 * MS)
    first = [looked(heard, at_ms, pressed=True) for at_ms in (1000, 1050, 1100)]
    heard.came_in(pressed=True, at_ns=295 * MS)
    second = [looked(heard, at_ms, pressed=True) for at_ms in (1150, 1200)]

    assert max(owing) < 195
    assert [max(owing)] * 4 + [1150] == [*first, *second]


def test_one_edge_of_two_does_not_pay_for_both() -> None:
    """It was let go, pressed and let go again: the first letting go came in, and the line is as that left it."""
    heard = after((90, True))
    owing = [
        looked(heard, at_ms, pressed=not (200 <= at_ms < 300 or at_ms >= 400)) for at_ms in range(100, 1000, LOOK_MS)
    ]
    heard.came_in(pressed=False, at_ns=195 * MS)

    assert {max(owing)} == {looked(heard, at_ms, pressed=False) for at_ms in range(1000, 2000, LOOK_MS)}


def test_an_edge_that_never_comes_is_lost_and_holds_nothing_up_for_ever() -> None:
    """After two seconds in which the line looked right it is what it looks like."""
    heard = after((90, True))
    looked(heard, 100, pressed=False)
    lost_ms = LOST_NS // MS

    assert [0, 0, 110] == [looked(heard, at_ms, pressed=True) for at_ms in (110, 109 + lost_ms, 110 + lost_ms)]


def test_an_edge_that_comes_in_while_the_line_is_looked_at_makes_the_look_worthless() -> None:
    """Whether the line was read before the edge or after it nobody knows."""
    heard = after((90, True))
    edges = heard.edges
    heard.came_in(pressed=False, at_ns=95 * MS)

    assert 0 == heard.looked(pressed=True, at_ns=100 * MS, edges=edges)
    assert [0, 110] == [looked(heard, at_ms, pressed=False) for at_ms in (110, 160)]


def test_a_line_without_edges_owes_none() -> None:
    """Held at the start or not: time goes on."""
    heard = Heard()

    assert [0, 100] == [looked(heard, at_ms, pressed=True) for at_ms in (100, 150)]


@st.composite
def presses(draw: st.DrawFn) -> list[tuple[int, int]]:
    """One to four presses, each as down and up in ms, some long; let go for 60 ms or more in between."""
    found, at_ms = [], 100
    for _ in range(draw(st.integers(1, 4))):
        held_ms = draw(st.one_of(st.integers(30, 700), st.integers(900, 1500)))
        found.append((at_ms, at_ms + held_ms))
        at_ms += held_ms + draw(st.integers(60, 800))
    return found


def heard_late(moves: list[tuple[int, bool]], late_ms: list[int], looks_ms: Iterable[int]) -> list[Result]:
    """What is told of a line whose edges come in late, each by its own measure but in their order."""
    heard, debounce, told = Heard(), Debounce(), []
    queue: list[tuple[int, Edge]] = []
    for (at_ms, pressed), late in zip(moves, late_ms, strict=False):
        arrives_ms = max(at_ms + late, queue[-1][0] if queue else 0)
        queue.append((arrives_ms, Edge(button="seat1", pressed=pressed, at_ns=at_ms * MS)))
    for look_ms in looks_ms:
        while queue and queue[0][0] <= look_ms:
            edge = queue.pop(0)[1]
            told += list(debounce.feed(edge))
            heard.came_in(pressed=edge.pressed, at_ns=edge.at_ns)
        is_down = next((pressed for at_ms, pressed in reversed(moves) if at_ms <= look_ms), False)
        told += debounce.advance("seat1", looked(heard, look_ms, pressed=is_down) * MS)
    return told


@settings(deadline=None)
@given(presses(), st.lists(st.integers(0, 1900), min_size=8, max_size=8))
def test_however_late_edges_come_each_press_is_what_the_finger_did(
    fingers: list[tuple[int, int]], late_ms: list[int]
) -> None:
    """Presses, releases, and which of them were long: all as if the machine had been idle, nothing made up."""
    moves = [move for down_ms, up_ms in fingers for move in ((down_ms, True), (up_ms, False))]
    told = heard_late(moves, late_ms, range(0, moves[-1][0] + 4100, LOOK_MS))

    assert [down_ms * MS for down_ms, _ in fingers] == [one.at_ns for one in told if isinstance(one, Pressed)]
    assert [up_ms * MS for _, up_ms in fingers] == [one.at_ns for one in told if isinstance(one, Released)]
    assert [(down_ms + 800) * MS for down_ms, up_ms in fingers if up_ms - down_ms >= 800] == [
        one.at_ns for one in told if isinstance(one, HeldLong)
    ]


def test_a_machine_that_stood_still_makes_no_long_press_of_two_short_ones() -> None:
    """Nothing ran while a button was let go and pressed again: its line looks held, but the queue comes first."""
    moves = [(100, True), (220, False), (600, True), (1100, False)]
    told = heard_late(moves, [0, 750, 370, 0], [*range(100, 150, LOOK_MS), *range(950, 2000, LOOK_MS)])

    assert [Pressed, Released, Pressed, Released] == [type(one) for one in told]
