"""Whatever is asked in whatever order: a refusal or facts, never a crash, and the journal folds to the live table."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.rules.errors import RulesError
from companion.session import commands as c
from companion.session import wire
from companion.session.errors import SessionError
from companion.session.state import fold
from companion.session.transitions import Phase, ThrowStep
from tests.session.play import BUTTONS, MS, PLAYERS, Game, a_die
from tests.session.test_ending import board_of_three

players = st.sampled_from([*PLAYERS, "nobody"])
reasons = st.sampled_from(["because", " "])
faces = st.one_of(st.integers(1, 6), st.sampled_from(["cocked", "stacked", "off_box", "moving", "unreadable"]))


@st.composite
def readings(draw: st.DrawFn) -> c.SeeDice:
    """Anything that a camera may say."""
    count = draw(st.integers(1, 6))
    sides = draw(st.lists(st.sampled_from(["attack", "defence", None]), min_size=count, max_size=count))
    moved = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    rolled = draw(st.sampled_from([True, True, True, False]))
    dice = tuple(
        a_die(draw(faces), place=draw(st.integers(0, 8)), side=side or "attack", rolled=rolled) for side in sides
    )
    started = draw(st.integers(0, 2_000)) * MS
    return c.SeeDice(
        dice=dice,
        sides=tuple(sides),
        moved=tuple(moved),
        started_ns=started,
        settled_ns=started + 500 * MS,
        evidence=None,
    )


def anything() -> st.SearchStrategy[tuple[c.Command, Any]]:
    """A command with somebody who may send it."""
    values = st.lists(st.integers(0, 7), max_size=4).map(tuple)
    sides = st.sampled_from(["attack", "defence"])
    by_people: list[st.SearchStrategy[c.Command]] = [
        st.just(c.CallThrow()),
        st.builds(c.EnterDice, side=sides, values=values),
        st.builds(c.SetAllowed, attack=st.sampled_from([None, 1, 3, 4]), defence=st.sampled_from([None, 1, 2])),
        st.just(c.AcceptThrow()),
        st.builds(c.AnnulThrow, reason=reasons),
        st.builds(c.CorrectDie, side=sides, position=st.integers(-1, 3), value=st.integers(0, 7), reason=reasons),
        st.builds(c.EndTurn, player=st.one_of(st.none(), players)),
        st.builds(c.ClaimMission, player=players, mission=st.sampled_from([None, "africa_asia", "destroy_blue"])),
        st.builds(c.WithdrawClaim, reason=reasons),
        st.builds(c.DeclareOut, player=players, by=players),
        st.builds(c.ReinstatePlayer, player=players, reason=reasons),
        st.builds(c.PauseClock, reason=reasons),
        st.just(c.ResumeClock()),
        st.builds(c.AddTime, ms=st.sampled_from([0, 60_000]), reason=reasons),
        st.just(c.CallReferee()),
        st.just(board_of_three()),
        st.builds(c.ReopenBoard, reason=reasons),
        st.builds(c.SignResult, player=players),
        st.builds(c.DisputeResult, player=players, reason=reasons),
        st.just(c.RuleResult(results={"anna": "1", "bert": "2", "cees": "3"}, reason="lots")),
        st.just(c.CloseTable()),
    ]
    by_rig: list[st.SearchStrategy[c.Command]] = [
        readings(),
        st.builds(c.SeeLift, left=st.integers(0, 2), lifted_ns=st.integers(0, 10**15)),
        st.builds(
            c.PressButton,
            button=st.sampled_from([*BUTTONS, "seat9"]),
            kind=st.sampled_from(["down", "short", "long"]),
            pressed_ns=st.integers(0, 10**15),
        ),
        st.builds(
            c.SoundTijd,
            source=st.just("clock"),
            signal_ns=st.integers(10**12, 2 * 10**12),
            rolling_since_ns=st.one_of(st.none(), st.integers(10**12, 2 * 10**12)),
            frame_ns=st.just(33 * MS),
        ),
        st.just(c.EndAttackTime()),
        st.builds(c.Recover, events=st.just(9), same_boot=st.booleans(), away_ms=st.none(), elapsed_ms=st.just(5_000)),
    ]
    return st.one_of(
        *(one.map(lambda command: (command, "referee")) for one in by_people),
        *(one.map(lambda command: (command, "rig")) for one in (*by_rig, *by_rig, readings())),
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(anything(), max_size=40))
def test_whatever_is_asked(asked: list[tuple[c.Command, Any]]) -> None:
    """No command in any order breaks a table, and what it wrote tells the same table to whoever reads it."""
    game = Game().playing()
    for command, asker in asked:
        before = game.state
        try:
            game.do(command, asker)
        except (SessionError, RulesError):
            assert before == game.state
        _hold(game)

    lines = [json.dumps([x.wire, x.version, x.at_ns, wire.to_data(x)]) for x in game.events]
    assert game.state == fold(wire.from_record(*json.loads(line)) for line in lines)


def _hold(game: Game) -> None:
    """What must be so at any moment of any game."""
    state = game.state
    clock, throw = state.running_clock(), state.throw
    assert 0 <= clock.elapsed_at(game.now_ns) <= clock.length_ms
    assert (clock.anchor_ns is None) or state.phase is Phase.PLAYING
    assert throw is None or throw.id == state.throws
    assert state.totals.ruled >= 0
    if state.phase is Phase.PLAYING:
        assert state.turn_player in [p.id for p in state.in_order()]
        assert state.frozen is None
        assert (clock.anchor_ns is None) is (clock.paused is not None)
    if throw is not None and throw.step is ThrowStep.ACCEPTED and throw.attack is not None:
        assert throw.attack.is_accepted
    for side in (throw.attack, throw.defence) if throw is not None else ():
        if side is not None and side.ruled is not None:
            lying = [die.value for die in side.settled.dice if die.value is not None]
            assert all(side.ruled.counted.count(value) <= lying.count(value) for value in side.ruled.counted)
            assert not side.ruled.counted or side.ruled.action == "accept"
