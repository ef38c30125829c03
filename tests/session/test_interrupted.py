"""Power cuts, signals at awkward moments, claims, knock-outs and second thoughts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import NotNow, Refused
from companion.session.transitions import Phase, ThrowStep
from tests.session.play import MS, Game, S
from tests.session.test_ending import board_of_three

FRAME_NS = 33 * MS


def power_cut(game: Game, *, elapsed_ms: int = 600_000) -> None:
    """The plug is pulled and the machine starts anew: its boot clock begins again near zero."""
    game.now_ns = 20 * S
    game.do(c.Recover(events=9, same_boot=False, away_ms=None, elapsed_ms=elapsed_ms), "rig")


def tijd_ruled(game: Game, **more: Any) -> e.SignalRuled:
    """The signal sounds now; what it does."""
    return next(m for m in game.tijd(**more) if isinstance(m, e.SignalRuled))


def test_throw_lifted_before_a_power_cut_is_not_voided_by_the_signal_after_it() -> None:
    """The old boot's stamps are larger than the new boot's: they must not look like the future."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    game.lift()
    power_cut(game)
    game.do(c.ResumeClock(), "referee")

    found = tijd_ruled(game)

    assert ("stands", True) == (found.verdict, found.losses_taken)


def test_throw_that_lay_there_at_a_power_cut_is_still_pending_after_it() -> None:
    """Dice at rest, losses not taken: the signal voids the throw, cut or no cut."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    power_cut(game)
    game.do(c.ResumeClock(), "referee")

    found = tijd_ruled(game)

    assert ("void", "at_rest", "at_rest") == (found.verdict, found.attack, found.defence)


def test_next_seat_takes_the_turn_after_a_power_cut_too() -> None:
    """The turn began on a clock that is gone: a press on the new one is later, whatever the numbers say."""
    game = Game().playing()
    game.press("seat3", is_long=True)
    power_cut(game)
    game.do(c.ResumeClock(), "referee")

    game.press("seat2")

    assert "bert" == game.state.turn_player
    assert game.state.referee_called_ns is not None
    assert game.now_ns > game.state.referee_called_ns


@pytest.mark.parametrize("is_cut", [False, True])
def test_a_pause_of_the_halls_ends_with_the_halls(is_cut: bool) -> None:
    """A power cut meanwhile is no other reason to stand; the referee may end it, too."""
    game = Game().playing()
    game.do(c.PauseClock(reason="fire alarm"), "hub")
    if is_cut:
        power_cut(game)
    stands = game.state.running_clock()
    game.do(c.ResumeClock(), "hub")
    runs = game.state.running_clock()

    assert ("fire alarm", True, None, False) == (
        stands.paused, stands.paused_by_hall, runs.paused, runs.paused_by_hall
    )  # fmt: skip


@pytest.mark.parametrize("why", ["a glass fell over", "power"])
def test_a_pause_of_the_tables_own_does_not_end_with_the_halls(why: str) -> None:
    """Whoever stopped it lets it run on; also where the hall had stopped it once before."""
    game = Game().playing()
    game.do(c.PauseClock(reason="fire alarm"), "hub")
    game.do(c.ResumeClock(), "referee")
    if why == "power":
        power_cut(game)
    else:
        game.do(c.PauseClock(reason=why), "referee")
    with pytest.raises(Refused) as refused:
        game.do(c.ResumeClock(), "hub")
    stands = game.state.running_clock().paused
    game.do(c.ResumeClock(), "referee")

    assert ("paused-here", why, None) == (refused.value.problem, stands, game.state.running_clock().paused)


def test_called_throw_survives_a_power_cut_and_a_pause_from_before_it_too() -> None:
    """What was waited for is waited for; a clock that stood for a reason stands for that reason."""
    game = Game().playing()
    game.press("seat1")
    game.do(c.EnterDice(side="attack", values=(6,)))
    game.do(c.PauseClock(reason="fire alarm"), "referee")

    power_cut(game)

    clock = game.state.running_clock()
    assert ("fire alarm", game.now_ns) == (clock.paused, clock.paused_ns)
    assert game.state.throw is not None
    assert (game.now_ns, ThrowStep.RULED) == (game.state.throw.called_ns, game.state.throw.step)


@pytest.mark.parametrize("phase", [Phase.SEATING, Phase.READY, Phase.PLAYING, Phase.FROZEN, Phase.SCORED])
def test_a_power_cut_leaves_every_phase_where_it_was(phase: Phase) -> None:
    """The table goes on where it stopped, whatever it was doing."""
    game = Game()
    {
        Phase.SEATING: game.opened,
        Phase.READY: game.seated,
        Phase.PLAYING: game.playing,
        Phase.FROZEN: game.frozen,
        Phase.SCORED: game.frozen,
    }[phase]()
    if phase is Phase.SCORED:
        game.do(board_of_three())
    before = game.state

    power_cut(game)

    assert (phase, before.players, before.results) == (game.state.phase, game.state.players, game.state.results)


def test_an_idle_table_has_nothing_to_recover_and_a_closed_one_its_facts() -> None:
    """What was recovered in the game is not what is there after it."""
    idle, closed = Game(), Game().frozen()
    with pytest.raises(NotNow):
        power_cut(idle)
    power_cut(closed)
    closed.do(board_of_three())
    closed.do(c.CloseTable(), "referee")
    before = closed.state

    closed.do(c.Recover(events=40, same_boot=True, away_ms=None, elapsed_ms=0), "rig")

    assert idle.state.recovered is None
    assert closed.state.recovered is not None
    assert (40, Phase.CLOSED) == (closed.state.recovered.events, closed.state.phase)
    assert before == replace(closed.state, recovered=before.recovered, moved_ns=before.moved_ns)


def test_combat_that_had_ended_before_a_power_cut_is_over_at_the_signal_after_it() -> None:
    """The attacker had stopped: nothing of it is in progress, whatever the old boot's stamps say."""
    game = Game("risiko").playing()
    game.throw((6, 2), (4,))
    game.do(c.StopAttack())
    power_cut(game)
    game.do(c.ResumeClock(), "referee")

    found = tijd_ruled(game)

    assert (None, Phase.FROZEN) == (found.finishing, game.state.phase)


def test_correction_and_silence_do_not_outlive_a_power_cut() -> None:
    """Their times lie on a clock that is gone: they would hold the buttons, and the screen, for hours."""
    game = Game().playing()
    game.see((6, 2), (4,))
    game.do(c.ProposeCorrection(side="attack", position=0, value=1))
    game.do(c.AgreeCorrection(player="anna"))
    game.do(c.AskSilence(player="cees"))
    power_cut(game)
    game.do(c.ResumeClock(), "referee")

    game.press("seat2")

    assert (None, (), None) == (game.state.proposed, game.state.agreed, game.state.silence)
    assert "bert" == game.state.turn_player


def test_pause_outlives_a_claim_that_is_refused() -> None:
    """The referee stopped the clock; a refused claim does not start it."""
    game = Game().playing()
    game.do(c.PauseClock(reason="dispute"), "referee")
    game.do(c.ClaimMission(player="anna", mission="africa_asia"))

    game.do(c.WithdrawClaim(reason="not done"), "referee")

    clock = game.state.running_clock()
    assert ("dispute", None) == (clock.paused, clock.anchor_ns)


def test_signal_while_a_claim_is_looked_at_ends_the_game_if_the_claim_falls() -> None:
    """The hall's signal is for all tables; this one does not play on because its referee was busy."""
    game = Game().playing()
    game.do(c.ClaimMission(player="anna", mission="africa_asia"))

    made = game.do(c.SoundTijd(source="organiser", signal_ns=game.now_ns), "hub")
    frozen = game.state.frozen
    after = game.do(c.WithdrawClaim(reason="not done"), "referee")

    assert ["tijd.sounded", "signal.ruled"] == game.kinds(made)
    assert "mission" == (frozen.why if frozen else None)
    assert ["mission.claim_withdrawn", "board.frozen"] == game.kinds(after)
    assert (Phase.FROZEN, "tijd") == (game.state.phase, game.state.frozen.why if game.state.frozen else None)


@pytest.mark.parametrize("ended", ["tijd", "last player", "claim and tijd"])
def test_a_second_end_is_refused(ended: str) -> None:
    """What is over can't be ended again."""
    game = Game().playing()
    if ended == "tijd":
        game.tijd()
    elif ended == "last player":
        game.do(c.DeclareOut(player="cees", by="anna"))
        game.do(c.DeclareOut(player="bert", by="anna"))
    else:
        game.do(c.ClaimMission(player="anna"))
        game.tijd()

    with pytest.raises(Refused) as refusal:
        game.tijd()

    assert "game-over" == refusal.value.problem


def test_signal_during_a_pause_ends_the_game_at_the_time_that_stood() -> None:
    """The organiser's signal counts while the clock stands."""
    game = Game().playing()
    game.now_ns += 600 * S
    game.do(c.PauseClock(reason="break"), "referee")
    stood_ms = game.state.running_clock().elapsed_ms
    game.now_ns += 300 * S

    game.do(c.SoundTijd(source="organiser", signal_ns=game.now_ns), "hub")

    assert game.state.tijd is not None
    assert (stood_ms, Phase.FROZEN) == (game.state.tijd.elapsed_ms, game.state.phase)


def test_dice_that_roll_at_the_signal_after_a_finished_throw_are_void() -> None:
    """That the last throw's losses were taken says nothing of the dice in the air."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    game.lift()
    rolling_ns = game.now_ns + 500 * MS
    game.now_ns += 800 * MS

    found = tijd_ruled(game, rolling_since_ns=rolling_ns)

    assert (None, "rolling", "void", False) == (found.throw, found.attack, found.verdict, found.losses_taken)


def test_throw_that_the_referee_annulled_is_none_at_the_signal() -> None:
    """Its losses were taken back with it."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    game.lift()
    game.do(c.AnnulThrow(reason="wrong dice"), "referee")

    found = tijd_ruled(game)

    assert (None, "none", "as_it_is") == (found.throw, found.verdict, found.board)


def _settled_counts() -> Game:
    game = Game(options={"pending_throw": "settled_counts"}).playing()
    game.see(attack=(6, 5), defence=(4,))
    return game


def test_throw_that_stands_at_the_signal_has_its_losses() -> None:
    """With the option that settled dice count, the throw is taken as it lies."""
    game = _settled_counts()

    game.tijd()

    assert game.state.throw is not None and game.state.throw.accepted is not None
    assert ("tijd", 0, 1) == (
        game.state.throw.accepted.how,
        game.state.throw.accepted.attacker_loses,
        game.state.throw.accepted.defender_loses,
    )


def test_hand_that_lifts_the_dice_at_the_signal_does_not_unsettle_them() -> None:
    """Something moves in the box, but both sides lay there: it is no throw."""
    game = _settled_counts()
    game.now_ns += 500 * MS

    found = tijd_ruled(game, rolling_since_ns=game.now_ns)

    assert ("at_rest", "at_rest", "stands") == (found.attack, found.defence, found.verdict)


def test_reroll_under_way_at_the_signal_is_rolling() -> None:
    """The cocked die of the attack is in the air: the attack does not lie."""
    game = Game().playing()
    game.see(attack=(6, "cocked"), defence=(4,))
    game.now_ns += 500 * MS

    found = tijd_ruled(game, rolling_since_ns=game.now_ns)

    assert ("rolling", "void") == (found.attack, found.verdict)


@pytest.mark.parametrize(("offset_ms", "is_unsure"), [(-20, True), (20, True), (200, False), (-200, False)])
def test_lift_within_a_frame_of_the_signal_is_for_people(offset_ms: int, is_unsure: bool) -> None:
    """Sooner the losses were taken, later the throw is void: nothing is annulled, and the referee is called."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    game.lift()
    assert game.state.throw is not None and game.state.throw.accepted is not None
    signal_ns = game.state.throw.accepted.at_ns + offset_ms * MS

    made = game.do(c.SoundTijd(source="clock", signal_ns=signal_ns, frame_ns=FRAME_NS), "rig")

    assert [is_unsure] == [m.uncertain for m in made if isinstance(m, e.SignalRuled)]
    assert is_unsure is (game.state.referee_called_ns is not None)
    assert "throw.annulled" not in game.kinds(made)


def test_rest_within_a_frame_of_the_signal_changes_nothing_and_is_sure() -> None:
    """Rolling or at rest, the throw is void before its losses are taken: there is no doubt to tell of."""
    game = Game().playing()
    game.see(attack=(6, 5, 4), defence=(1,))
    settled = next(m for m in game.events if isinstance(m, e.DiceSettled))
    assert settled.settled_ns is not None

    made = game.do(c.SoundTijd(source="clock", signal_ns=settled.settled_ns, frame_ns=FRAME_NS), "rig")

    assert [(False, "void")] == [(m.uncertain, m.verdict) for m in made if isinstance(m, e.SignalRuled)]


def test_doubtful_throw_is_annulled_by_the_referee_on_the_frozen_board() -> None:
    """People rule it: void with a reason, or left as it is."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))
    game.lift()
    assert game.state.throw is not None and game.state.throw.accepted is not None
    game.do(c.SoundTijd(source="clock", signal_ns=game.state.throw.accepted.at_ns, frame_ns=FRAME_NS), "rig")

    game.do(c.AnnulThrow(reason="the hand was later"), "referee")

    assert ThrowStep.ANNULLED is game.state.throw.step


def test_knock_out_closes_the_throw_that_did_it() -> None:
    """The next player's dice must not join the throw of one who is out."""
    game = Game().playing()
    game.see(attack=(6,), defence=(5,))

    made = game.do(c.DeclareOut(player="anna", by="bert"))

    assert ["throw.accepted", "player.knocked_out", "turn.started"] == game.kinds(made)


def test_button_of_a_player_who_is_out_still_calls_the_referee() -> None:
    """Out of the game is not out of the room."""
    game = Game().playing()
    game.do(c.DeclareOut(player="bert", by="anna"))

    made = game.press("seat2", is_long=True)

    assert ["bert"] == [m.by for m in made if isinstance(m, e.RefereeCalled)]
