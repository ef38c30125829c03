"""The signal in each system: what ends at once, what is finished first, and what people rule."""

from __future__ import annotations

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import NotNow, OnlyFinishing, Refused
from companion.session.transitions import Phase
from tests.session.play import MS, Game, S

FRAME = 33 * MS
THROW_ONLY = ("classic", "apoikia", "rebels")


def verdict(game: Game) -> e.SignalRuled:
    """What the signal did."""
    assert game.state.signal is not None
    return game.state.signal


def in_combat(system: str = "risiko") -> Game:
    """A game in which a throw of the running combat has been taken."""
    game = Game(system).playing()
    game.throw((6, 5), (4, 3))
    return game


def test_combat_in_progress_is_finished_and_nothing_else() -> None:
    """Clause 19: the throw in the air is read and ruled, a cocked die is thrown again, then the combat goes on."""
    game = in_combat()
    game.press("seat1")
    game.tijd(rolling_since_ns=game.now_ns, frame_ns=FRAME)
    assert (Phase.FINISHING, "combat", "stands") == (game.state.phase, verdict(game).finishing, verdict(game).verdict)

    game.see((6, "cocked", 2), (5, 4))
    game.see((6, 3, 2), still=("attack",))
    again = game.see((6, 3, 2), (5, 4), still=("defence",))
    game.lift()

    assert "throw.ruled" in game.kinds(again)
    assert Phase.FINISHING is game.state.phase
    assert 2 == game.state.attack.throws


@pytest.mark.parametrize("why", ["stopped", "conquered", "no_armies"])
def test_board_freezes_when_the_combat_is_over(why: str) -> None:
    """The attacker stops, conquers, or has nothing left to attack with."""
    game = in_combat()
    game.tijd()
    game.throw((6, 1), (3,))

    made = game.do(c.StopAttack(why=why))  # type: ignore[arg-type]

    assert ["attack.stopped", "board.frozen"] == game.kinds(made)
    assert (Phase.FROZEN, "tijd") == (game.state.phase, game.state.frozen.why if game.state.frozen else None)


def test_nothing_new_begins_after_the_signal() -> None:
    """No turn, no time, no armies moved up; the refusal says why."""
    game = in_combat()
    game.tijd()

    for command, asker in ((c.EndTurn(), "screen"), (c.AddTime(ms=60_000, reason="x"), "referee")):
        with pytest.raises(OnlyFinishing) as refusal:
            game.do(command, asker)  # type: ignore[arg-type]
        assert ("only-finishing", "finishing") == (refusal.value.code, refusal.value.values["phase"])
    assert ["press-too-late"] == game.notes(game.press("seat2"))
    assert "anna" == game.state.turn_player


def test_clock_stands_while_something_is_finished() -> None:
    """The game's time is over: what is finished takes none of it."""
    game = in_combat()
    game.tijd()
    at_signal = game.state.running_clock().elapsed_at(game.now_ns)
    game.now_ns += 300 * S

    assert at_signal == game.state.running_clock().elapsed_at(game.now_ns)


def test_called_throw_of_a_running_combat_may_still_be_thrown() -> None:
    """Armies on the attacking territory may be used."""
    game = in_combat()
    game.press("seat1")

    made = game.tijd()

    assert "throw.annulled" not in game.kinds(made)
    game.see((6, 2), (1, 1))
    game.lift()
    assert (2, Phase.FINISHING) == (game.state.attack.throws, game.state.phase)


def test_declared_attack_that_was_not_thrown_is_none() -> None:
    """Between two combats there is nothing to finish."""
    game = Game("risiko").playing()
    game.press("seat1")

    game.tijd()

    assert (Phase.FROZEN, ["signal-no-combat"]) == (game.state.phase, [r.code for r in verdict(game).reasons])


def test_combat_that_was_over_before_the_signal_stays_over() -> None:
    """Stopped is stopped; after a conquest the compulsory armies still move in."""
    stopped, conquered = in_combat(), in_combat()
    stopped.do(c.StopAttack())
    conquered.do(c.StopAttack(why="conquered"))

    stopped.tijd()
    conquered.tijd()

    assert (Phase.FROZEN, False) == (stopped.state.phase, verdict(stopped).may_move_in)
    assert (Phase.FROZEN, True) == (conquered.state.phase, verdict(conquered).may_move_in)


def test_conquest_before_the_signal_moves_in_under_the_dutch_rules_too() -> None:
    """Clause 2.3: the conquest stands and the compulsory move is completed."""
    game = in_combat("nl1996")
    game.do(c.StopAttack(why="conquered"))

    game.tijd()

    assert (Phase.FROZEN, True) == (game.state.phase, verdict(game).may_move_in)


@pytest.mark.parametrize("system", THROW_ONLY)
def test_throw_under_way_is_finished_where_the_rules_are_silent(system: str) -> None:
    """The attack lies there, the defence is still thrown; with the lift the board freezes."""
    game = Game(system).playing()
    game.press("seat1")
    game.see((6, 5, 1))

    game.tijd(frame_ns=FRAME)
    assert (Phase.FINISHING, "throw") == (game.state.phase, verdict(game).finishing)
    game.see(defence=(4, 2))
    made = game.lift()

    assert ["throw.accepted", "board.frozen"] == game.kinds(made)
    assert (2, 0) == (made[0].defender_loses, made[0].attacker_loses)  # type: ignore[attr-defined]


@pytest.mark.parametrize("system", THROW_ONLY)
def test_another_throw_than_the_one_under_way_is_too_late(system: str) -> None:
    """Neither by camera nor by hand nor by a press."""
    game = Game(system).playing()
    game.see((6, 5, 1))
    game.tijd()
    game.see(defence=(4, 2))

    assert () == game.press("seat1")
    with pytest.raises(Refused) as refusal:
        game.do(c.EnterDice(side="attack", values=(1, 1)))
    assert "only-finishing" == refusal.value.problem
    assert ["throw-too-late"] == game.notes(game.do(_anew(game), "rig"))
    assert 1 == game.state.throws


def _anew(game: Game) -> c.SeeDice:
    """Three attack dice more, thrown after the box had been emptied of all dice but nobody had seen it."""
    dice = tuple(
        e.DieFact(
            value=3, verdict="valid", colour="red", rolled=True, center_px=(900.0, 90.0 * at), box_px=(0, 0, 40, 40)
        )
        for at in range(3)
    )
    return c.SeeDice(
        dice=dice,
        sides=("attack",) * 3,
        moved=(True,) * 3,
        started_ns=game.now_ns,
        settled_ns=game.now_ns + 500 * MS,
        evidence=None,
    )


@pytest.mark.parametrize("system", THROW_ONLY)
def test_dice_in_the_air_at_the_signal_are_awaited(system: str) -> None:
    """Nobody had called them, and they have not been read yet: the throw is finished all the same."""
    game = Game(system).playing()
    game.throw((6, 5), (4,))

    game.tijd(rolling_since_ns=game.now_ns, frame_ns=0)
    assert Phase.FINISHING is game.state.phase
    game.see((6, 1), (6, 2))
    game.lift()

    assert (Phase.FROZEN, 2) == (game.state.phase, game.state.throws)


@pytest.mark.parametrize("system", THROW_ONLY)
def test_dice_that_never_come_do_not_hold_the_board_up(system: str) -> None:
    """It was a hand and no throw: people say that the attack is over."""
    game = Game(system).playing()
    game.tijd(rolling_since_ns=game.now_ns, frame_ns=0)

    game.do(c.StopAttack())

    assert Phase.FROZEN is game.state.phase


@pytest.mark.parametrize("system", THROW_ONLY)
def test_finished_throw_that_nobody_lifted_is_taken_by_the_signal(system: str) -> None:
    """Both sides lie: nothing is left to throw."""
    game = Game(system).playing()
    game.see((6, 5, 1), (4, 2))
    game.now_ns += 2 * S

    made = game.tijd(frame_ns=FRAME)

    assert ["tijd.sounded", "signal.ruled", "throw.accepted", "board.frozen"] == game.kinds(made)


def test_throw_that_began_after_the_signal_counts_for_nothing() -> None:
    """The ruling waits for the camera, which meanwhile read a throw that came too late."""
    game = Game("risiko").playing()
    signal_ns = game.now_ns + 10 * MS
    game.now_ns += 200 * MS
    game.see((6, 6, 6))

    made = game.do(c.SoundTijd(source="clock", signal_ns=signal_ns, frame_ns=FRAME), "rig")

    assert ["tijd"] == [m.why for m in made if isinstance(m, e.ThrowAnnulled)]
    assert Phase.FROZEN is game.state.phase


def test_lift_after_the_signal_leaves_the_throw_in_the_combat() -> None:
    """Taken off a moment after: the throw was under way, and with it the combat."""
    game = Game("risiko").playing()
    game.see((6, 5), (4, 3))
    signal_ns = game.now_ns + 10 * MS
    game.now_ns += 400 * MS
    game.lift()

    game.do(c.SoundTijd(source="clock", signal_ns=signal_ns, frame_ns=FRAME), "rig")

    assert (Phase.FINISHING, 1) == (game.state.phase, verdict(game).throw)


def test_objective_won_by_the_last_combat_is_claimed_on_the_frozen_board() -> None:
    """The combat ended with the conquest that completed it."""
    game = in_combat()
    game.tijd()
    game.do(c.StopAttack(why="conquered"))

    made = game.do(c.ClaimMission(player="anna", mission="letto"))

    assert ["mission.claimed"] == game.kinds(made)
    with pytest.raises(Refused) as refusal:
        game.do(c.ClaimMission(player="bert", mission="elefante"))
    assert "game-over" == refusal.value.problem
    game.do(c.WithdrawClaim(reason="Congo is yellow"), "referee")
    assert (Phase.FROZEN, None) == (game.state.phase, game.state.claim)


def test_claim_after_the_signal_is_the_referees_where_time_is_time() -> None:
    """Under the Dutch rules players are too late; what was forgotten the referee may enter."""
    game = Game().frozen()

    with pytest.raises(NotNow):
        game.do(c.ClaimMission(player="anna", mission="africa_asia"))
    game.do(c.ClaimMission(player="anna", mission="africa_asia"), "referee")

    assert "anna" == (game.state.claim.player if game.state.claim else None)


def test_refused_claim_goes_back_to_the_combat_that_the_signal_found() -> None:
    """The signal came while a claim was looked at: the combat in progress is finished, then the board freezes."""
    game = in_combat()
    game.do(c.ClaimMission(player="anna", mission="letto"))
    game.tijd()
    assert Phase.FROZEN is game.state.phase

    game.do(c.WithdrawClaim(reason="one land is missing"), "referee")

    assert Phase.FINISHING is game.state.phase
    game.do(c.StopAttack())
    assert Phase.FROZEN is game.state.phase


def test_knock_out_in_the_last_combat_ends_it() -> None:
    """Whoever takes the last territory has conquered it."""
    game = in_combat()
    game.tijd()

    made = game.do(c.DeclareOut(player="cees", by="anna"))

    assert ["player.knocked_out", "board.frozen"] == game.kinds(made)
    assert "tijd" == (game.state.frozen.why if game.state.frozen else None)


def test_reinstated_player_leaves_the_board_to_the_signal() -> None:
    """They had a land left, but the combat ended with that conquest all the same."""
    game = in_combat()
    game.do(c.DeclareOut(player="cees", by="anna"))
    game.throw((6, 5), (4, 3))
    game.tijd()
    game.do(c.DeclareOut(player="bert", by="anna"))
    assert "last_player" == (game.state.frozen.why if game.state.frozen else None)

    game.do(c.ReinstatePlayer(player="bert", reason="Madagascar"), "referee")

    assert ("tijd", None) == (game.state.frozen.why if game.state.frozen else None, game.state.player("bert").out_by)


def test_call_of_a_second_throw_is_refused_when_only_one_is_finished() -> None:
    """The throw under way has been annulled meanwhile, so the board is frozen; while it is open a call is the same."""
    game = Game("classic").playing()
    game.see((6, 5, 1))
    game.tijd()

    assert () == game.do(c.CallThrow())
    game.do(c.AnnulThrow(reason="a die was missing"), "referee")

    assert Phase.FROZEN is game.state.phase


def test_call_while_dice_are_awaited_is_refused() -> None:
    """Dice were in the air and are being read: nobody throws others."""
    game = Game("classic").playing()
    game.throw((6, 5), (4,))
    game.tijd(rolling_since_ns=game.now_ns, frame_ns=0)
    game.see((6, "cocked"))

    assert ((), 2) == (game.do(c.CallThrow()), game.state.throws)
