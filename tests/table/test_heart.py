"""What is known after an absence: boot, heartbeat and the journal's newest record, each for what it is worth."""

from __future__ import annotations

from companion.session import commands as c
from companion.session.snapshot import TableState
from companion.table.heart import Absence, Beat, absence
from tests.session.play import Game, S


def _playing() -> Game:
    game = Game().playing()
    game.now_ns += 300 * S
    game.do(c.Note(code="x"), "rig")
    return game


def _found(game: Game, last: Beat | None, *, boot: str = "new") -> Absence:
    return absence(
        game.state,
        last,
        journal_boot="old",
        newest_ns=game.now_ns,
        opened_seq=10,
        boot=boot,
        now_ns=7 * S,
        now_wall_ms=1_000_000,
    )


def test_heartbeat_tells_more_than_the_newest_fact() -> None:
    """A second or two are lost, not the minutes since the last throw."""
    beat = Beat(boot="old", at_ns=1, wall_ms=940_000, elapsed_ms=420_000, seq=30)

    assert Absence(same_boot=False, away_ms=60_000, elapsed_ms=420_000) == _found(_playing(), beat)


def test_newest_fact_tells_more_than_nothing() -> None:
    """Without a heartbeat the clock does not begin anew: so much of the game had gone at least."""
    found = _found(_playing(), None)

    assert (False, None) == (found.same_boot, found.away_ms)
    assert 300_000 <= found.elapsed_ms < 301_000


def test_heartbeat_of_another_game_tells_nothing_of_this_one() -> None:
    """A beat that could not be written leaves the last game's; it must not end this one at once."""
    older = Beat(boot="old", at_ns=1, wall_ms=940_000, elapsed_ms=5_400_000, seq=9)
    other_boot = Beat(boot="older", at_ns=1, wall_ms=940_000, elapsed_ms=5_400_000, seq=30)

    for beat in (older, other_boot):
        found = _found(_playing(), beat)
        assert (None, True) == (found.away_ms, found.elapsed_ms < 301_000)


def test_wall_clock_that_went_back_knows_no_absence() -> None:
    """A Pi without a battery wakes up in the past."""
    beat = Beat(boot="old", at_ns=1, wall_ms=2_000_000, elapsed_ms=420_000, seq=30)

    assert (None, 420_000) == (_found(_playing(), beat).away_ms, _found(_playing(), beat).elapsed_ms)


def test_table_without_a_clock_has_no_time_to_lose() -> None:
    """Nothing was opened yet."""
    found = absence(
        TableState(), None, journal_boot="old", newest_ns=1, opened_seq=0, boot="new", now_ns=1, now_wall_ms=1
    )

    assert Absence(same_boot=False, away_ms=None, elapsed_ms=0) == found
