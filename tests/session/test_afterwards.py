"""After the end: signatures, disputes, knock-outs taken back, dice that are lifted too late."""

from __future__ import annotations

import pytest

from companion.rules.ruleset import load_ruleset
from companion.session import commands as c
from companion.session.decide import Moment, decide
from companion.session.errors import NotNow, Refused
from companion.session.state import TableState
from companion.session.transitions import Phase, ThrowStep
from tests.session.play import MS, Game, S
from tests.session.test_ending import board_of_three
from tests.session.test_interrupted import tijd_ruled

FRAME_NS = 33 * MS


# ---------------------------------------------------------------- the end


def test_signing_takes_ones_own_dispute_back_and_a_dispute_the_signature() -> None:
    """Nobody agrees and disagrees at once."""
    game = Game().frozen()
    game.do(board_of_three())
    game.do(c.SignResult(player="anna"))
    game.do(c.DisputeResult(player="anna", reason="Peru"))
    assert not game.state.player("anna").signed
    game.do(c.SignResult(player="bert"))
    assert game.state.dispute is not None

    game.do(c.SignResult(player="anna"))

    assert (True, None) == (game.state.player("anna").signed, game.state.dispute)


def test_dispute_while_the_referee_is_on_the_way_calls_nobody_twice() -> None:
    """The beacon burns already."""
    game = Game().frozen()
    game.do(board_of_three())
    game.do(c.CallReferee(player="bert"))

    made = game.do(c.DisputeResult(player="anna", reason=" "))

    assert ["result.disputed"] == game.kinds(made)


def test_claim_without_a_named_mission_needs_no_check_of_it() -> None:
    """The referee looks at the card; the board decides later."""
    game = Game().playing()

    game.do(c.ClaimMission(player="anna"))

    assert game.state.claim is not None
    assert (Phase.FROZEN, None) == (game.state.phase, game.state.claim.mission)


def test_knock_out_of_somebody_whose_turn_it_is_not_leaves_the_turn() -> None:
    """Anna plays on."""
    game = Game().playing()

    game.do(c.DeclareOut(player="bert", by="anna"))

    assert ("anna", 1) == (game.state.turn_player, game.state.turn)


def test_signal_needs_a_game() -> None:
    """Nothing to end on an idle table."""
    moment = Moment(now_ns=1, asker="rig", ruleset=load_ruleset("nl1996"))

    with pytest.raises(NotNow) as refusal:
        decide(TableState(), c.SoundTijd(source="clock", signal_ns=1), moment)

    assert "sound_tijd" == refusal.value.values["command"]


def test_a_clock_that_stands_is_due_at_no_time() -> None:
    """While it stands nothing is armed."""
    game = Game().playing()
    game.do(c.PauseClock(reason="break"), "referee")

    clock = game.state.running_clock()

    assert clock.due_ns(clock.length_ms) is None
    assert clock.elapsed_ms == clock.elapsed_at(game.now_ns + S)


def test_a_clock_that_runs_is_due_when_its_length_has_gone() -> None:
    """The alarm is armed for the moment at which nothing is left, at the clock's own pace."""
    game = Game().playing(scale=60.0)
    clock = game.state.running_clock()

    due_ns = clock.due_ns(clock.length_ms)

    assert due_ns is not None
    assert (clock.length_ms - 60, clock.length_ms) == (clock.elapsed_at(due_ns - MS), clock.elapsed_at(due_ns))


def test_knock_out_by_mistake_is_taken_back() -> None:
    """A slip of the finger ends nobody's evening: the game goes on, and who fell later fell at a larger table."""
    game = Game().playing()
    game.do(c.DeclareOut(player="cees", by="anna"))
    game.do(c.DeclareOut(player="bert", by="anna"))
    stood_ms = game.state.running_clock().elapsed_ms
    game.now_ns += 60 * S

    game.do(c.ReinstatePlayer(player="cees", reason="pressed by mistake"), "referee")

    assert (Phase.PLAYING, None) == (game.state.phase, game.state.frozen)
    assert stood_ms == game.state.running_clock().elapsed_at(game.now_ns)
    assert {"anna": None, "bert": 3, "cees": None} == {p.id: p.left_before for p in game.state.players}
    game.do(c.DeclareOut(player="cees", by="anna"))
    assert 2 == game.state.player("cees").left_before


def test_knock_out_taken_back_in_a_pause_or_after_the_signal_starts_no_clock() -> None:
    """A clock that stood stands, and a game that the signal ended has ended."""
    paused = Game().playing()
    paused.do(c.DeclareOut(player="cees", by="anna"))
    paused.do(c.PauseClock(reason="dispute"), "referee")
    paused.do(c.DeclareOut(player="bert", by="anna"))
    ended = Game().playing()
    ended.do(c.DeclareOut(player="cees", by="anna"))
    ended.tijd()

    paused.do(c.ReinstatePlayer(player="bert", reason="mistake"), "referee")
    ended.do(c.ReinstatePlayer(player="cees", reason="mistake"), "referee")

    assert (Phase.PLAYING, None) == (paused.state.phase, paused.state.running_clock().anchor_ns)
    assert Phase.FROZEN is ended.state.phase


def test_nobody_is_taken_back_who_never_left_or_without_a_reason() -> None:
    """Offenders are named."""
    game = Game().playing()
    game.do(c.DeclareOut(player="cees", by="anna"))

    for player, reason, problem in (("bert", "x", "not-out"), ("cees", " ", "reason-missing")):
        with pytest.raises(Refused) as refusal:
            game.do(c.ReinstatePlayer(player=player, reason=reason), "referee")
        assert problem == refusal.value.problem


def test_call_without_dice_ends_with_the_signal() -> None:
    """The thumb was in time and the dice were not: nothing waits for them on a frozen board."""
    game = Game().playing()
    game.press("seat1")

    found = tijd_ruled(game)

    assert game.state.throw is not None
    assert ("none", ThrowStep.ANNULLED) == (found.verdict, game.state.throw.step)


@pytest.mark.parametrize("defence", [(), (4,)])
def test_dice_lifted_while_a_claim_is_looked_at_are_lifted(defence: tuple[int, ...]) -> None:
    """The claim falls and the game goes on: the box is known to be empty."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=defence)
    game.do(c.ClaimMission(player="anna", mission="africa_asia"))

    made = game.lift()

    assert ["throw.accepted" if defence else "box.emptied"] == game.kinds(made)
    game.do(c.WithdrawClaim(reason="not done"), "referee")
    assert "throw.called" in game.kinds(game.press("seat1"))


def test_dice_lifted_after_the_signal_change_nothing() -> None:
    """Losses taken after it are taken too late."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    game.tijd()

    assert () == game.lift()


def test_game_that_goes_on_after_a_knock_out_by_mistake_is_somebody_s_turn() -> None:
    """It had ended in the turn of one who fell; another one comes back."""
    game = Game().playing()
    game.do(c.DeclareOut(player="cees", by="anna"))
    game.do(c.DeclareOut(player="anna", by="bert"))

    made = game.do(c.ReinstatePlayer(player="cees", reason="pressed by mistake"), "referee")

    assert (["player.reinstated", "turn.started"], "bert") == (game.kinds(made), game.state.turn_player)
