"""Slips that are undone while nothing has moved, and what takes their place."""

from __future__ import annotations

from typing import Any

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.transitions import Phase, ThrowStep
from companion.session.undoing import undo_point, undone
from companion.session.wire import MalformedCommand
from tests.session.play import Game, a_throw_of_anna, problem_of


def test_turn_that_was_passed_by_mistake_is_taken_back_with_what_it_closed() -> None:
    """The wrong thumb: the throw is open again, the turn and its clock are as they were."""
    game = Game().playing()
    game.press("seat1")
    game.see((6, 2))
    before = game.state
    game.do(c.EndTurn())
    point = undo_point(game.state)
    assert ("turn.started", ["throw.accepted"]) == (
        point.event.wire if point else "",
        [fact.wire for fact in point.closed] if point else [],
    )

    made = game.do(c.Undo(what="turn.started"))

    assert [("turn.started", ("throw.accepted",))] == [
        (m.what, m.closes_too) for m in made if isinstance(m, e.FactUndone)
    ]
    assert before == game.state


def test_what_is_undone_is_told_otherwise_in_one_go() -> None:
    """It was Cees who should have had the turn."""
    game = Game().playing()
    game.do(c.EndTurn())

    made = game.do(c.Undo(what="turn.started", instead={"command": "end_turn", "args": {"player": "cees"}}))

    assert ["fact.undone", "turn.started"] == game.kinds(made)
    assert ("cees", 2) == (game.state.turn_player, game.state.turn)


@pytest.mark.parametrize(
    ("told", "what"),
    [
        (c.DeclareOut(player="bert", by="anna"), "player.knocked_out"),
        (c.SetAllowed(attack=1, defence=1), "allowed.set"),
        (c.CallThrow(), "throw.called"),
        (c.AskSilence(player="cees"), "silence.asked"),
        (c.StopAttack(), "attack.stopped"),
    ],
)
def test_each_told_fact_can_be_undone_while_nothing_has_moved(told: c.Command, what: str) -> None:
    """Notes and calls move nothing, and stay."""
    game = a_throw_of_anna()
    before = game.state
    game.do(told)
    game.do(c.Note(code="box-bumped", values={}), "rig")
    game.do(c.CallReferee())

    game.do(c.Undo(what=what))

    assert (before.players, before.throw, before.attack, before.silence) == (
        game.state.players,
        game.state.throw,
        game.state.attack,
        game.state.silence,
    )
    assert game.state.referee_called_ns is not None


def test_context_tap_is_undone_with_the_ruling_that_followed() -> None:
    """Two dice allowed where three lie: the whole throw again; and then not."""
    game = Game("classic").playing()
    game.see((6, 4, 2))
    game.do(c.SetAllowed(attack=2, defence=None))

    game.do(c.Undo(what="allowed.set"))

    attack = game.state.newest_throw().attack
    assert (6, 4, 2) == (attack.ruled.counted if attack and attack.ruled else ())


def test_throw_taken_on_the_screen_is_open_again() -> None:
    """Accepted too soon."""
    game = Game().playing()
    game.see((6, 2), (4,))
    game.do(c.AcceptThrow())

    game.do(c.Undo(what="throw.accepted"))

    assert (ThrowStep.RULED, 0) == (game.state.newest_throw().step, game.state.totals.ruled)


@pytest.mark.parametrize("by_referee", [False, True])
def test_throw_that_a_correction_took_anew_is_not_opened_by_undo(by_referee: bool) -> None:
    """Half of a correction is nothing to undo: the losses stand as they were reckoned anew."""
    game = Game().playing()
    game.see((6, 2), (4,))
    game.do(c.AcceptThrow())
    if by_referee:
        game.do(c.CorrectDie(side="attack", position=0, value=3, reason="a three"), "referee")
    else:
        game.do(c.ProposeCorrection(side="attack", position=0, value=3))
        game.press("seat1")
        game.press("seat2")

    refused = problem_of(game, c.Undo(what="throw.accepted"))

    throw = game.state.newest_throw()
    assert (None, "nothing-to-undo", ThrowStep.ACCEPTED) == (undo_point(game.state), refused, throw.step)
    assert (1, 0) == (throw.accepted.attacker_loses, throw.accepted.defender_loses)  # type: ignore[union-attr]


def test_journal_in_which_half_a_correction_was_undone_still_folds() -> None:
    """The version that offered this wrote it, and a record is never refused for what it was allowed to be."""
    game = Game().playing()
    game.see((6, 2), (4,))
    game.do(c.AcceptThrow())
    game.do(c.CorrectDie(side="attack", position=0, value=3, reason="a three"), "referee")

    state = undone(game.state, e.FactUndone(at_ns=game.now_ns, what="throw.accepted", closes_too=()))

    assert ThrowStep.RULED == state.newest_throw().step


def test_what_has_been_built_upon_is_not_undone() -> None:
    """Dice fell since: it can be amended, not undone. And what was never told can't be either."""
    moved, lifted, fresh = Game().playing(), a_throw_of_anna(), Game().playing()
    moved.do(c.EndTurn())
    moved.see((6,))
    fresh.see((6, 2))
    fresh.see((1, 1), still=())

    for game in (moved, lifted, fresh):
        assert "nothing-to-undo" == problem_of(game, c.Undo(what="turn.started"))


def test_undo_names_what_it_undoes() -> None:
    """Something else was told since somebody looked."""
    game = Game().playing()
    game.do(c.EndTurn())
    game.do(c.AskSilence(player="cees"))

    assert "undo-moved-on" == problem_of(game, c.Undo(what="turn.started"))


@pytest.mark.parametrize(
    "instead",
    [
        {},
        {"command": 3},
        {"command": "fly"},
        {"command": "undo", "args": {}},
        {"command": "end_turn", "args": []},
        {"command": "sound_tijd", "args": {"source": "clock", "signal_ns": 1}},
    ],
)
def test_replacement_is_one_other_command(instead: dict[str, Any]) -> None:
    """No undo in an undo, and no signal by the back door; nothing is undone then."""
    game = Game().playing()
    game.do(c.EndTurn())

    assert "bad-replacement" == problem_of(game, c.Undo(what="turn.started", instead=instead))
    with pytest.raises(MalformedCommand):
        game.do(c.Undo(what="turn.started", instead={"command": "end_turn", "args": {"seat": 1}}))
    assert "bert" == game.state.turn_player


def test_end_of_a_game_is_not_undone_but_taken_back_by_the_referee() -> None:
    """A frozen board has ways of its own."""
    game = Game().playing()
    game.do(c.DeclareOut(player="cees", by="anna"))
    game.do(c.DeclareOut(player="bert", by="anna"))

    assert (Phase.FROZEN, None) == (game.state.phase, game.state.undo)


def test_turn_that_followed_from_something_else_is_not_undone_alone() -> None:
    """The first one from START; the one after a player was put back from the referee's word."""
    started, amended = Game().playing(), Game().playing()
    amended.do(c.AmendOuts(outs=(e.OutFact(player="anna", by="bert"),), reason="told late"), "referee")

    assert ["nothing-to-undo"] * 2 == [problem_of(game, c.Undo(what="turn.started")) for game in (started, amended)]
    started.do(c.EndTurn())
    started.do(c.Undo(what="turn.started", instead={"command": "end_turn", "args": {"player": "cees"}}))
    assert "turn.started" == (undo_point(started.state).event.wire if undo_point(started.state) else "")  # type: ignore[union-attr]


@pytest.mark.parametrize("same_boot", [True, False])
def test_undo_outlives_a_restart_with_the_clock_of_now(same_boot: bool) -> None:
    """The wrong thumb, then the plug: the turn is taken back, and the clock stands where it stood after the cut."""
    game = Game().playing()
    game.press("seat1")
    game.see((6, 2), (4,))
    game.do(c.EndTurn())
    game.do(c.Recover(events=9, same_boot=same_boot, away_ms=None, elapsed_ms=600_000), "rig")
    paused = game.state.running_clock().paused
    if not same_boot:
        game.do(c.ResumeClock(), "referee")
    clock = game.state.clock

    game.do(c.Undo(what="turn.started"))

    assert (None if same_boot else "power") == paused
    assert ("anna", ThrowStep.RULED) == (game.state.turn_player, game.state.newest_throw().step)
    assert clock == game.state.clock
    assert game.state.recovered is not None


def test_pause_and_the_clock_that_runs_on_undo_nothing_that_was_told() -> None:
    """The referee stopped the clock to look at it; the length that follows from that is kept too."""
    game = Game().playing()
    game.do(c.EndTurn())
    game.do(c.PauseClock(reason="a question"), "referee")
    game.do(c.ResumeClock(), "referee")
    clock = game.state.clock

    game.do(c.Undo(what="turn.started"))

    assert ("anna", clock) == (game.state.turn_player, game.state.clock)


def test_what_cannot_be_undone_cannot_be_after_a_restart_either() -> None:
    """A restart makes nothing that is there to be taken back."""
    game = Game().playing()
    game.do(c.EndTurn())
    game.see((6,))
    game.do(c.Recover(events=9, same_boot=True, away_ms=None, elapsed_ms=600_000), "rig")

    assert "nothing-to-undo" == problem_of(game, c.Undo(what="turn.started"))
