"""Turns, presses, the clock and its pauses, recovery."""

from __future__ import annotations

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.decide.play import next_player
from companion.session.errors import Refused, SessionError
from companion.session.state import BrokenFold, TableState, fold
from companion.session.transitions import Phase, ThrowStep
from tests.session.play import Game, S


def test_first_press_of_another_seat_starts_their_turn() -> None:
    """No touch is needed to pass the turn on, and a finished throw is closed by it."""
    game = Game().playing()
    game.see(attack=(6, 5), defence=(4,))

    made = game.press("seat2")

    assert ["throw.accepted", "turn.started"] == game.kinds(made)
    assert ("bert", 2) == (game.state.turn_player, game.state.turn)


def test_release_of_a_press_from_before_the_turn_starts_none() -> None:
    """Who was still holding the button when the turn began did not ask for the next one."""
    game = Game().seated()
    pressed_ns = game.now_ns
    game.do(c.StartGame())

    made = game.do(c.PressButton(button="seat2", kind="short", pressed_ns=pressed_ns), "rig")

    assert ((), "anna") == (made, game.state.turn_player)


def test_turn_passes_on_around_the_table_and_skips_who_is_out() -> None:
    """After the last comes the first."""
    game = Game().playing()
    game.do(c.EndTurn())
    game.do(c.DeclareOut(player="cees", by="bert"))

    assert "anna" == next_player(game.state)
    with pytest.raises(Refused) as refusal:
        game.do(c.EndTurn(player="bert"))
    assert "turn-runs" == refusal.value.problem


def test_second_press_while_dice_are_awaited_is_the_same_throw() -> None:
    """An impatient thumb makes no second throw."""
    game = Game().playing()
    game.press("seat1")

    assert () == game.press("seat1")
    assert 1 == game.state.throws


def test_call_on_the_screen_is_for_whose_turn_it_is() -> None:
    """Somebody else's call names whose turn it is."""
    game = Game().playing()

    with pytest.raises(Refused) as refusal:
        game.do(c.CallThrow(player="cees"))

    assert ("not-your-turn", "anna") == (refusal.value.problem, refusal.value.values["turn"])
    assert ["throw.called"] == game.kinds(game.do(c.CallThrow()))


def test_call_over_an_unresolved_throw_annuls_it() -> None:
    """Nobody said what the unreadable die shows: the throw counts for nothing, and the journal says why."""
    game = Game().playing()
    game.press("seat1")
    made = game.press("seat2")
    assert ["no_dice"] == [m.why for m in made if isinstance(m, e.ThrowAnnulled)]
    game.see(attack=(6, "unreadable"))

    made = game.press("seat1")

    assert ["unresolved"] == [m.why for m in made if isinstance(m, e.ThrowAnnulled)]


def test_unresolved_throw_holds_the_box_for_its_thrower() -> None:
    """The thrower's own press is the rethrow of what could not be read."""
    game = Game().playing()
    game.see(attack=(6, "unreadable"))

    assert () == game.press("seat1")
    with pytest.raises(Refused):
        game.do(c.AcceptThrow())


def test_long_press_calls_the_referee_once_and_the_key_answers() -> None:
    """The beacon burns from the first long press until the referee's key."""
    game = Game().playing()

    made = game.press("seat3", is_long=True)

    assert ["cees"] == [m.by for m in made if isinstance(m, e.RefereeCalled)]
    assert () == game.press("seat2", is_long=True)
    assert ["referee.dismissed"] == game.kinds(game.press("referee"))
    assert () == game.do(c.DismissReferee())


def test_referee_key_starts_a_game_that_is_ready() -> None:
    """START by key."""
    game = Game().seated()

    game.press("referee")

    assert (Phase.PLAYING, "anna") == (game.state.phase, game.state.turn_player)
    assert ["press-meant-nothing"] == [m.code for m in game.press("referee") if isinstance(m, e.ServiceNoted)]


def test_press_of_a_player_who_is_out_is_noted() -> None:
    """Nothing moves by a button whose player has left."""
    game = Game().playing()
    game.do(c.DeclareOut(player="bert", by="anna"))

    made = game.press("seat2")

    assert ["press-without-player"] == [m.code for m in made if isinstance(m, e.ServiceNoted)]


def test_press_after_the_end_is_noted() -> None:
    """A late press after the close is refused and kept in the log."""
    game = Game().frozen()

    assert ["press-too-late"] == [m.code for m in game.press("seat1") if isinstance(m, e.ServiceNoted)]


def test_pause_stops_the_clock_and_resuming_goes_on_from_there() -> None:
    """A pause costs no game time."""
    game = Game().playing()
    game.now_ns += 600 * S
    game.do(c.PauseClock(reason="fire alarm"), "referee")
    stood = game.state.running_clock().elapsed_ms
    game.now_ns += 900 * S
    assert game.state.running_clock().due_ns(1) is None
    with pytest.raises(Refused):
        game.do(c.PauseClock(reason="again"), "referee")

    game.do(c.ResumeClock(), "referee")

    assert stood == game.state.running_clock().elapsed_at(game.now_ns)
    with pytest.raises(Refused):
        game.do(c.ResumeClock(), "referee")


def test_added_time_moves_the_end() -> None:
    """Five minutes more, with a reason; nonsense is refused."""
    game = Game().playing()

    game.do(c.AddTime(ms=300_000, reason="late start"), "referee")

    assert 95 * 60_000 == game.state.running_clock().length_ms
    for ms, reason in ((0, "x"), (10**9, "x"), (60_000, "")):
        with pytest.raises(Refused):
            game.do(c.AddTime(ms=ms, reason=reason), "referee")


def test_clock_scaled_for_a_demonstration_runs_faster() -> None:
    """One real second is a minute of the game."""
    game = Game().playing(scale=60.0)

    game.now_ns += 10 * S

    assert 600_000 == game.state.running_clock().elapsed_at(game.now_ns)


def test_first_throw_of_a_turn_starts_the_attack() -> None:
    """The last phase's limit counts from the first attack, not from placing armies; the next turn begins anew."""
    game = Game().playing()
    game.now_ns += 60 * S

    game.see(attack=(6,), defence=(5,))

    assert game.state.attack_started_ms is not None
    assert 60_000 <= game.state.attack_started_ms < 62_000
    game.do(c.EndAttackTime(), "rig")
    assert () == game.do(c.EndAttackTime(), "rig")
    game.press("seat2")
    assert (None, False) == (game.state.attack_started_ms, game.state.attack_time_over)


def test_power_cut_pauses_the_clock_where_it_stood() -> None:
    """A new boot means that the old stamps mean nothing: the clock stands until people say how it goes on."""
    game = Game().playing()

    game.do(c.Recover(events=20, same_boot=False, away_ms=None, elapsed_ms=1_234_000), "rig")

    clock = game.state.running_clock()
    assert ("power", 1_234_000) == (clock.paused, clock.elapsed_at(game.now_ns + 10**12))


def test_service_crash_costs_no_game_time() -> None:
    """On the same boot the clock goes on as if nothing had been."""
    game = Game().playing()
    before = game.state.clock

    game.do(c.Recover(events=20, same_boot=True, away_ms=900, elapsed_ms=5), "rig")

    assert before == game.state.clock


def test_a_wall_clock_that_jumps_changes_nothing_but_the_journal() -> None:
    """Intervals come from the boot clock."""
    game = Game().playing()
    before = game.state

    made = game.do(c.StepClock(by_ms=86_400_000), "rig")

    assert ["clock.stepped"] == game.kinds(made)
    assert before == game.state


def test_the_same_rig_is_recorded_once() -> None:
    """Only a change of camera or panel is a fact."""
    game = Game().opened()

    same = c.OpenRig(camera="sim", panel="sim", buttons=("seat1", "seat2", "seat3", "referee"), software="test")

    assert () == game.do(same, "rig")


def test_notes_and_annulments() -> None:
    """A referee annuls the newest throw with a reason, once."""
    game = Game().playing()
    with pytest.raises(Refused):
        game.do(c.AnnulThrow(reason="x"), "referee")
    game.see(attack=(6,), defence=(5,))
    game.lift()
    with pytest.raises(Refused):
        game.do(c.AnnulThrow(reason=""), "referee")

    game.do(c.AnnulThrow(reason="hand on the box"), "referee")

    assert game.state.throw is not None
    assert ThrowStep.ANNULLED is game.state.throw.step
    assert ["service.noted"] == game.kinds(game.do(c.Note(code="camera-failed"), "rig"))


def test_allowed_dice_lie_within_the_rules() -> None:
    """Three attack dice and two defence dice at the most."""
    game = Game().playing()

    for attack, defence in ((4, None), (None, 3), (0, None)):
        with pytest.raises(Refused):
            game.do(c.SetAllowed(attack=attack, defence=defence))

    assert game.state.allowed_attack is None


def test_a_side_that_stands_cannot_be_entered_again() -> None:
    """The defence of this throw is fixed; a new attack by hand is a new throw."""
    game = Game().playing()
    game.see(attack=(6,), defence=(5,))
    with pytest.raises(Refused) as refusal:
        game.do(c.EnterDice(side="defence", values=(6,)))
    assert "side-is-fixed" == refusal.value.problem

    made = game.do(c.EnterDice(side="attack", values=(4,)))

    assert "throw.accepted" in game.kinds(made)
    assert 2 == game.state.throws


def test_corrections_name_a_die_that_is_there() -> None:
    """No open throw, no such die, no such face: each has its own refusal."""
    game = Game().playing()
    with pytest.raises(Refused) as refusal:
        game.do(c.CorrectDie(side="attack", position=0, value=1, reason="x"), "referee")
    assert "no-open-throw" == refusal.value.problem
    game.see(attack=(6, 5))

    for side, position, value, problem in (
        ("attack", 2, 1, "no-such-die"),
        ("defence", 0, 1, "no-such-die"),
        ("attack", 0, 8, "bad-die"),
    ):
        with pytest.raises(Refused) as refusal:
            game.do(c.CorrectDie(side=side, position=position, value=value, reason="x"), "referee")  # type: ignore[arg-type]
        assert problem == refusal.value.problem


def test_events_that_do_not_follow_are_refused() -> None:
    """A journal that this program did not write is said to be one, and not folded into nonsense."""
    ruled = e.ThrowRuled(
        at_ns=1,
        throw=1,
        side="attack",
        action="accept",
        fates=(),
        counted=(),
        dropped=(),
        standing=(),
        reroll=0,
        reasons=(),
    )
    called = e.ThrowCalled(at_ns=1, throw=1, player="anna", by="seat1")

    for facts in ([ruled], [called, ruled], [e.GameStarted(at_ns=1)]):
        with pytest.raises(BrokenFold):
            fold(facts)
    with pytest.raises(BrokenFold):
        TableState().player("nobody")


def test_without_rules_nothing_of_a_game_is_decided() -> None:
    """The service must hand over the ruleset of the game."""
    game = Game().opened()
    game.ruleset = None  # type: ignore[assignment]

    with pytest.raises(SessionError):
        game.do(c.EnterStartDie(player="anna", value=3))

    assert () == game.state.player("anna").start_dice
