"""Beside the secret length: the time that a table was away, the referee's key, records of before."""

from __future__ import annotations

from typing import Any

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.decide.tijd import given_by_key
from companion.session.errors import Refused
from companion.session.wire import from_record
from tests.session.play import MS, Game

from .secret_game import OWN, STOOD, SecretGame


def away(game: Game, away_ms: int | None) -> Game:
    """A power cut after a minute."""
    game.do(c.Recover(events=9, same_boot=False, away_ms=away_ms, elapsed_ms=60_000), "rig")
    return game


@pytest.mark.parametrize(("counts", "elapsed_ms"), [(False, 60_000), (True, 360_000)])
def test_people_say_whether_the_time_away_counts(counts: bool, elapsed_ms: int) -> None:
    """The default is a pause, for a known length and for a secret one."""
    for game in (Game().playing(), SecretGame(**OWN).playing()):
        away(game, 300_000).do(c.ResumeClock(away_counts=counts), "referee")

        assert elapsed_ms == game.state.running_clock().elapsed_ms


def test_time_away_that_nobody_knows_cannot_count() -> None:
    """Nor can the time of a pause that people made."""
    unknown = away(Game().playing(), None)
    paused = Game().playing()
    paused.do(STOOD, "referee")
    for game in (unknown, paused):
        with pytest.raises(Refused) as refusal:
            game.do(c.ResumeClock(away_counts=True), "referee")

        assert "away-unknown" == refusal.value.problem


def test_old_record_of_a_set_up_is_read() -> None:
    """Journals of before the secret lengths open for ever."""
    data = {
        "system": "nl1996", "ruleset_name": "nl1996", "ruleset_hash": "0" * 64, "options": {}, "tournament": "",
        "round": 1, "table": "1", "game": "r1-t1", "players": ["a", "b", "c"], "length_ms": 5_400_000, "scale": 1.0,
    }  # fmt: skip
    opened = from_record("table.opened", 1, 5, data)

    assert isinstance(opened, e.TableOpened)
    assert ("", 5_400_000) == (opened.phase, opened.length_ms)


# ------------------------------------------------------------ the referee's key


def held(game: Game, **other: Any) -> c.PressButton:
    """The key, held for long enough, since just now."""
    return c.PressButton(**{"button": "referee", "kind": "long", "pressed_ns": game.now_ns + MS, **other})


def test_held_key_gives_the_signal_where_no_clock_does() -> None:
    """It is the organiser's game; where the table's own clock rings the key ends nothing."""
    game = SecretGame().playing()

    assert [True, False] == [given_by_key(game.state, held(game), clock_rings=rings) for rings in (False, True)]
    assert [False] * 3 == [
        given_by_key(game.state, held(game, **other), clock_rings=False)
        for other in ({"kind": "down"}, {"kind": "short"}, {"button": "seat1"})
    ]


def test_key_that_started_the_game_or_answered_a_call_ends_nothing() -> None:
    """However long it is held."""
    game = SecretGame().seated()
    turned_ns = game.now_ns
    game.press("referee")
    started = held(game, pressed_ns=turned_ns)
    answers = [given_by_key(game.state, started, clock_rings=False)]
    game.do(c.CallReferee())
    answers.append(given_by_key(game.state, held(game), clock_rings=False))
    turned_ns = game.now_ns
    game.press("referee")
    answers.append(given_by_key(game.state, held(game, pressed_ns=turned_ns), clock_rings=False))
    later = given_by_key(game.state, held(game), clock_rings=False)
    game.tijd()
    answers.append(given_by_key(game.state, held(game), clock_rings=False))

    assert ([False] * 4, True) == (answers, later)


def test_clock_that_is_right_tells_the_time_away_once() -> None:
    """Then people can let it count; what is said later, or when nothing is open, changes nothing."""
    game = away(SecretGame(**OWN).playing(), None)
    made = game.do(c.TellAbsence(away_ms=300_000), "rig")
    again = game.do(c.TellAbsence(away_ms=9_000_000), "rig")
    game.do(c.ResumeClock(away_counts=True), "referee")

    assert (["absence.told"], ()) == (game.kinds(made), again)
    assert 360_000 == game.state.running_clock().elapsed_ms


@pytest.mark.parametrize("is_resumed", [True, False])
def test_time_away_is_not_told_where_nobody_waits_for_it(is_resumed: bool) -> None:
    """The clock runs already, or the table was never away."""
    game = SecretGame(**OWN).playing()
    if is_resumed:
        away(game, None).do(c.ResumeClock(), "referee")

    assert () == game.do(c.TellAbsence(away_ms=300_000), "rig")
