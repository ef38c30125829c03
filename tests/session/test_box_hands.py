"""Hands around the box: presses, lifts, pauses and dice said by people."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import Refused
from companion.session.transitions import ThrowStep
from tests.session.play import Game, a_die
from tests.session.test_box import look, lying, notes, ruled, thrown

Lying = tuple[e.Side, int | str, int, bool]
"""Side, face, place and whether it moved."""


def test_press_while_the_defence_is_awaited_is_no_second_throw() -> None:
    """The attack lies in the box: an impatient thumb must not part it from its defence."""
    game = Game().playing()
    game.press("seat1")
    look(game, *thrown("attack", 6, 5))

    assert () == game.press("seat1")
    look(game, *lying("attack", 6, 5), *thrown("defence", 4))

    assert (1, (6, 5), (4,)) == (game.state.throws, ruled(game, "attack").counted, ruled(game, "defence").counted)


def test_defender_s_press_does_not_end_the_attacker_s_turn() -> None:
    """Who presses before throwing the defence means the throw; once the dice are lifted it is a turn again."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 5))

    made = game.press("seat2")
    still = game.state.turn_player
    game.lift()
    game.press("seat2")

    assert (["press-during-throw"], "anna", "bert") == (notes(made), still, game.state.turn_player)


def test_after_dice_by_hand_another_seat_s_press_begins_the_turn() -> None:
    """Nobody sees them lifted, so nothing else could end that throw by a button."""
    game = Game().playing()
    game.do(c.EnterDice(side="attack", values=(6, 5)))

    made = game.press("seat2")

    assert (["throw.accepted", "turn.started"], "bert") == (game.kinds(made), game.state.turn_player)


def test_lift_of_part_of_the_dice_takes_no_losses() -> None:
    """The armies are taken off when the box is empty."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 5), *thrown("defence", 4))

    assert () == game.lift(left=2)
    assert ["throw.accepted"] == game.kinds(game.lift())


def test_dice_of_the_last_throw_lifted_after_the_next_call_change_nothing() -> None:
    """A call over lying dice: they are taken out, then thrown."""
    game = Game().playing()
    look(game, *thrown("attack", 6), *thrown("defence", 4))
    game.press("seat1")

    assert () == game.lift()
    assert game.state.throw is not None
    assert (2, ThrowStep.CALLED) == (game.state.throw.id, game.state.throw.step)


def test_throw_in_a_pause_is_noted_and_counts_for_nothing() -> None:
    """The clock stands, so nobody plays; a throw that was under way when it stopped is finished."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 5))
    game.do(c.PauseClock(reason="dispute"), "referee")

    look(game, *lying("attack", 6, 5), *thrown("defence", 4))
    game.lift()
    made = look(game, *thrown("attack", 1, 1))

    assert (["throw-in-pause"], 1, 1) == (notes(made), game.state.throws, game.state.totals.ruled)


def test_presses_and_calls_in_a_pause_move_nothing() -> None:
    """Button and screen say so, each in its own way; the referee can still be called."""
    game = Game().playing()
    game.do(c.PauseClock(reason="dispute"), "referee")

    assert (["press-in-pause"], ["press-in-pause"]) == (notes(game.press("seat1")), notes(game.press("seat2")))
    for command in (c.CallThrow(), c.EndTurn(), c.EnterDice(side="attack", values=(6,))):
        with pytest.raises(Refused) as refusal:
            game.do(command)
        assert "clock-stands" == refusal.value.problem
    assert "referee.called" in game.kinds(game.press("seat3", is_long=True))
    assert ("anna", 0) == (game.state.turn_player, game.state.throws)


def test_dice_by_hand_include_those_that_stand() -> None:
    """Only the die that was thrown again may be new; the others are not forgotten by a short list."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4, "cocked"))

    with pytest.raises(Refused) as refusal:
        game.do(c.EnterDice(side="attack", values=(3,)))
    game.do(c.EnterDice(side="attack", values=(4, 3, 6)))

    assert ("standing-dice-missing", [6, 4]) == (refusal.value.problem, refusal.value.values["standing"])
    assert (6, 4, 3) == ruled(game, "attack").counted


def test_more_dice_by_hand_than_anybody_throws_are_a_slip() -> None:
    """Seven dice are refused before they are ruled."""
    game = Game().playing()

    with pytest.raises(Refused) as refusal:
        game.do(c.EnterDice(side="attack", values=(1,) * 7))

    assert "too-many-dice" == refusal.value.problem


def test_die_put_right_after_the_dice_were_lifted_changes_the_losses() -> None:
    """The misreading shows when somebody looks up: one throw, its losses reckoned anew."""
    game = Game().playing()
    look(game, *thrown("attack", 6), *thrown("defence", 5))
    game.lift()
    assert game.state.throw is not None and game.state.throw.accepted is not None
    lifted_ns = game.state.throw.accepted.at_ns

    game.do(c.CorrectDie(side="attack", position=0, value=4, reason="misread"), "referee")

    throw = game.state.throw
    assert throw is not None and throw.accepted is not None
    assert (ThrowStep.ACCEPTED, 1, 0) == (throw.step, throw.accepted.attacker_loses, throw.accepted.defender_loses)
    assert (lifted_ns, 1) == (throw.accepted.at_ns, game.state.totals.ruled)


def test_annulled_throw_is_no_longer_counted_among_the_ruled() -> None:
    """The statistics of the evening hold throws that counted."""
    game = Game().playing()
    look(game, *thrown("attack", 6), *thrown("defence", 5))
    game.lift()

    game.do(c.AnnulThrow(reason="hand on the box"), "referee")

    assert 0 == game.state.totals.ruled
    with pytest.raises(Refused) as refusal:
        game.do(c.CorrectDie(side="attack", position=0, value=4, reason="misread"), "referee")
    assert "no-open-throw" == refusal.value.problem


def test_number_of_dice_said_in_one_turn_does_not_bind_the_next() -> None:
    """Two dice allowed to Anna must not cost Bert his third."""
    game = Game().playing()
    game.do(c.SetAllowed(attack=2, defence=1))
    game.press("seat2")

    look(game, *thrown("attack", 6, 5, 4))

    assert (6, 5, 4) == ruled(game, "attack").counted


def _nobody_s(game: Game, **more: Any) -> tuple[e.Event, ...]:
    die = replace(a_die("unreadable"), colour="green", why="colour-unknown")
    command = c.SeeDice(
        dice=(die,), sides=(None,), moved=(True,), started_ns=game.now_ns, settled_ns=game.now_ns, evidence=None
    )
    return game.do(command, "rig", **more)


def test_die_of_another_colour_goes_to_people() -> None:
    """A green die in the box belongs to nobody: it is not counted and not forgotten."""
    game = Game().playing()
    _nobody_s(game)

    assert "referee" == ruled(game, "attack").action
    other = Game().playing()
    look(other, *thrown("attack", 6))
    _nobody_s(other)
    assert ("accept", "referee") == (ruled(other, "attack").action, ruled(other, "defence").action)


def test_dice_entered_by_hand_are_never_late() -> None:
    """Where people said what lies there, a die that moves later is no news."""
    game = Game().playing()
    game.do(c.EnterDice(side="attack", values=(6, 5)))
    game.do(c.EnterDice(side="defence", values=(4,)))

    made = look(game, *thrown("defence", 1, 1))

    assert (["dice-ignored"], (4,)) == (notes(made), ruled(game, "defence").counted)


def test_standing_dice_without_a_place_are_taken_for_lifted() -> None:
    """A camera that gave no places (an older journal): the die that moved is the one that was thrown again."""
    game = Game().playing()
    dice = tuple(replace(a_die(face), center_px=None, box_px=None) for face in (6, "cocked"))
    seen = c.SeeDice(
        dice=dice, sides=("attack",) * 2, moved=(True,) * 2, started_ns=1, settled_ns=game.now_ns, evidence=None
    )
    game.do(seen, "rig")

    look(game, *lying("attack", 6), *thrown("attack", 6, 2, at=5))

    assert "referee" == ruled(game, "attack").action
