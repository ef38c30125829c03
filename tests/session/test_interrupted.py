"""Power cuts, signals at awkward moments, claims, knock-outs and second thoughts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from companion.rules.ruleset import load_ruleset
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import Moment, decide
from companion.session.errors import NotNow, Refused
from companion.session.state import TableState, fold
from companion.session.transitions import Phase, ThrowStep
from tests.session.play import BUTTONS, MS, PLAYERS, Game, S
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


def test_a_closed_or_idle_table_has_nothing_to_recover() -> None:
    """No game runs, so nothing was interrupted."""
    game = Game().frozen()
    game.do(board_of_three())
    game.do(c.CloseTable(), "referee")

    with pytest.raises(NotNow):
        power_cut(game)

    assert game.state.recovered is None


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


# ---------------------------------------------------------------- the last phase


def _in_last_phase() -> Game:
    game = Game().playing()
    game.now_ns += 71 * 60 * S
    game.do(c.EnterDice(side="attack", values=(6,)))
    return game


def test_attack_time_ends_five_minutes_after_the_first_attack() -> None:
    """Clause 2.2: an alarm that comes too early ends nothing."""
    game = _in_last_phase()

    assert () == game.do(c.EndAttackTime(), "rig", after_ms=299_000)
    assert ["attack.time_ended"] == game.kinds(game.do(c.EndAttackTime(), "rig", after_ms=1_000))
    assert () == game.do(c.EndAttackTime(), "rig")


def test_alarm_of_the_turn_before_does_not_end_the_next_one_s_attack() -> None:
    """It rang for Anna, and Bert's turn began before it was heard."""
    game = _in_last_phase()
    game.now_ns += 300 * S
    game.press("seat2")
    game.do(c.EnterDice(side="attack", values=(5,)))

    assert () == game.do(c.EndAttackTime(), "rig")
    assert not game.state.attack_time_over


def test_time_added_in_the_last_phase_opens_the_attack_again() -> None:
    """The last twenty minutes begin later with it."""
    game = _in_last_phase()
    game.do(c.EndAttackTime(), "rig", after_ms=300_000)
    assert game.state.attack_time_over

    game.do(c.AddTime(ms=15 * 60_000, reason="late start"), "referee")

    assert not game.state.attack_time_over
    assert () == game.do(c.EndAttackTime(), "rig")


# ---------------------------------------------------------------- before the clock runs


def test_wrong_set_up_is_set_up_anew_before_the_clock_runs() -> None:
    """Wrong names on the screen are no reason to play the game to its end; once it runs it runs."""
    game = Game().seated()

    game.do(c.SetUpTable(system="nl1996", players=("dirk", "eva", "frits")))

    assert (Phase.SEATING, ["dirk", "eva", "frits"]) == (game.state.phase, [p.id for p in game.state.players])
    with pytest.raises(NotNow):
        Game().playing().do(c.SetUpTable(system="nl1996", players=PLAYERS))


def test_colours_and_buttons_can_be_put_right_until_the_start() -> None:
    """Two who pressed each other's button change places even where every button is taken."""
    game = Game().seated()

    game.do(c.ChooseColour(player="anna", colour="white"))
    made = game.do(c.BindButton(player="anna", button="seat2"))

    assert ["button.bound", "button.bound"] == game.kinds(made)
    assert {"anna": "seat2", "bert": "seat1", "cees": "seat3"} == {p.id: p.button for p in game.state.players}
    assert () == game.do(c.BindButton(player="anna", button="seat2"))
    assert Phase.READY is game.state.phase


def test_table_of_four_with_three_buttons_is_ready() -> None:
    """A rig with fewer buttons than players is a legal rig: the fourth uses the screen."""
    players = (*PLAYERS, "dirk")

    game = Game().seated(players)

    assert Phase.READY is game.state.phase
    game.do(c.StartGame())
    assert ["anna", "bert", "cees", "dirk"] == [p.id for p in game.state.in_order()]


def test_table_of_four_with_four_buttons_waits_for_the_fourth() -> None:
    """Where there is a button for each, each has one."""
    game = Game()
    game.do(c.OpenRig(camera="sim", panel="sim", buttons=(*BUTTONS, "seat4"), software="test"), "rig")
    game.do(c.SetUpTable(system="nl1996", players=(*PLAYERS, "dirk")))
    for player, value in zip((*PLAYERS, "dirk"), (6, 5, 4, 3), strict=True):
        game.do(c.EnterStartDie(player=player, value=value))
    for player, colour in zip((*PLAYERS, "dirk"), ("red", "blue", "black", "green"), strict=True):
        game.do(c.ChooseColour(player=player, colour=colour))
    for button in ("seat1", "seat2", "seat3"):
        game.press(button)
    assert Phase.SEATING is game.state.phase

    game.press("seat4")

    assert Phase.READY is game.state.phase


def test_panel_that_is_gone_at_a_restart_does_not_hold_up_the_table() -> None:
    """The buttons were waited for; now there are none."""
    game = Game().opened()
    for player, value in zip(PLAYERS, (6, 5, 4), strict=True):
        game.do(c.EnterStartDie(player=player, value=value))
    for player, colour in zip(PLAYERS, ("red", "blue", "black"), strict=True):
        game.do(c.ChooseColour(player=player, colour=colour))
    assert Phase.SEATING is game.state.phase

    game.do(c.OpenRig(camera="none", panel="screen", buttons=(), software="test"), "rig")

    assert Phase.READY is game.state.phase
    assert Phase.IDLE is fold([e.RigOpened(at_ns=1, camera="sim", panel="sim", buttons=(), software="x")]).phase


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"table": "x" * 81}, "bad-text"),
        ({"tournament": "one\ntwo"}, "bad-text"),
        ({"players": ("anna", "bert", "c" * 81)}, "bad-text"),
        ({"players": ("anna", "bert", "ce\x07es")}, "bad-text"),
        ({"round": 0}, "bad-round"),
    ],
)
def test_texts_that_fit_no_screen_are_refused(more: Mapping[str, Any], problem: str) -> None:
    """Too long, or with signs that nobody can read."""
    game = Game()

    with pytest.raises(Refused) as refusal:
        game.do(c.SetUpTable(**{"system": "nl1996", "players": PLAYERS, **more}))

    assert (problem, Phase.IDLE) == (refusal.value.problem, game.state.phase)


def test_names_of_all_scripts_are_names() -> None:
    """Players from anywhere."""
    players = ("Žofie", "Đặng", "李雷")

    game = Game().opened(players)

    assert list(players) == [p.id for p in game.state.players]


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
    game.do(c.CallReferee(by="bert"))

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
