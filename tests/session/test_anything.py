"""Whatever is asked in whatever order: a refusal or facts, never a crash, and the journal folds to the live table."""

from __future__ import annotations

import json
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.rules.errors import RulesError
from companion.session import commands as c
from companion.session import events as e
from companion.session import wire
from companion.session.errors import SessionError
from companion.session.state import BrokenFold, fold
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
        st.builds(c.SetContext, against=st.sampled_from(["armies", "rebels", "fleet"])),
        st.builds(c.SayFallen, side=sides, count=st.integers(-1, 4)),
        st.builds(c.StopAttack, why=st.sampled_from(["stopped", "conquered", "no_armies"])),
        st.builds(c.AskSilence, player=players),
        st.builds(c.TellRebels, throw=st.integers(0, 3), rebels=st.integers(-1, 100)),
        st.builds(c.ReturnPlayer, player=players, occupier=st.booleans()),
        st.builds(
            c.ProposeCorrection,
            side=sides,
            position=st.integers(-1, 3),
            value=st.one_of(st.none(), st.integers(0, 7)),
            verdict=st.sampled_from(["valid", "cocked"]),
        ),
        st.builds(c.AgreeCorrection, player=players),
        st.builds(c.RefuseCorrection, player=players),
        st.builds(
            c.Undo,
            what=st.sampled_from(["turn.started", "allowed.set", "player.knocked_out", "throw.called", "context.set"]),
            instead=st.sampled_from([None, {"command": "end_turn", "args": {}}, {"command": "call_throw"}]),
        ),
        st.builds(
            c.AmendThrow,
            reason=reasons,
            player=st.one_of(st.none(), players),
            attack=st.sampled_from([None, 1, 4]),
            fallen_attack=st.sampled_from([None, 0, 2]),
        ),
        st.builds(c.AmendTurn, player=players, reason=reasons),
        st.builds(
            c.AmendOuts,
            outs=st.lists(st.builds(e.OutFact, player=players, by=st.one_of(st.none(), players)), max_size=3).map(
                tuple
            ),
            reason=reasons,
        ),
        st.builds(c.AmendClaim, player=players, reason=reasons),
        st.builds(c.RuleSignal, throw=st.sampled_from(["void", "stands"]), combat=st.booleans(), reason=reasons),
        st.builds(c.RulePlayedOn, how=st.sampled_from(["accident", "purpose", None]), reason=reasons),
        st.builds(c.MakeRuling, about=st.just("other"), reason=reasons, armies=st.integers(-1, 3)),
        st.builds(c.AppealRuling, ruling=st.integers(0, 2), player=players),
        st.builds(c.DecideAppeal, ruling=st.integers(0, 2), upheld=st.booleans(), reason=reasons),
        st.just(c.ChangeResult(results={"anna": "2", "bert": "1", "cees": "3"}, reason="lots")),
    ]
    by_rig: list[st.SearchStrategy[c.Command]] = [
        readings(),
        readings().map(
            lambda seen: c.FindDice(
                dice=seen.dice, sides=seen.sides, found_ns=seen.settled_ns, evidence=None, pictures=seen.pictures
            )
        ),
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


SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@pytest.mark.parametrize("system", ["nl1996", "risiko", "classic", "apoikia", "rebels"])
@SETTINGS
@given(st.lists(anything(), max_size=40))
def test_whatever_is_asked(system: str, asked: list[tuple[c.Command, Any]]) -> None:
    """No command in any order breaks a table, and what it wrote tells the same table to whoever reads it."""
    game = Game(system).playing()
    for command, asker in asked:
        before = game.state
        try:
            game.do(command, asker)
        except (SessionError, RulesError):
            assert before == game.state
        _hold(game)

    lines = [json.dumps([x.wire, x.version, x.at_ns, wire.to_data(x)]) for x in game.events]
    assert game.state == fold(wire.from_record(*json.loads(line)) for line in lines)


@SETTINGS
@given(st.lists(anything(), min_size=5, max_size=40), st.randoms(use_true_random=False))
def test_facts_in_any_order_are_a_table_or_no_journal(asked: list[tuple[c.Command, Any]], chance: Random) -> None:
    """Facts that were shuffled, doubled or left out fold to some table, or are refused as a broken journal."""
    game = Game("risiko").playing()
    for command, asker in asked:
        with suppress(SessionError, RulesError):
            game.do(command, asker)
    facts = chance.choices(game.events, k=len(game.events))

    try:
        folded = fold(facts)
    except BrokenFold:
        return

    assert folded == fold(facts)


def _hold(game: Game) -> None:
    """What must be so at any moment of any game."""
    state = game.state
    clock, throw = state.running_clock(), state.throw
    assert 0 <= clock.elapsed_at(game.now_ns)
    assert clock.length_ms is None or clock.elapsed_at(game.now_ns) <= clock.length_ms
    assert (clock.anchor_ns is None) or state.phase is Phase.PLAYING
    assert throw is None or throw.id == state.throws
    assert state.totals.ruled >= 0
    assert state.attack.throws >= 0
    assert state.undo is None or state.undo.before.undo is None
    if state.phase is Phase.FINISHING:
        assert (state.tijd is not None) and (clock.anchor_ns is None)
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
