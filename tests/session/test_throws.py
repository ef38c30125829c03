"""Dice that settle, faults, fixed sides, corrections."""

from __future__ import annotations

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import Refused
from companion.session.transitions import ThrowStep
from tests.session.play import Game, a_die


def test_clean_throw_needs_one_press_and_no_touch() -> None:
    """Called, thrown by both sides, lifted: the throw counts with its losses and nobody touched the screen."""
    game = Game().playing()
    game.press("seat1")
    game.see(attack=(6, 4, 2))
    game.see(attack=(6, 4, 2), defence=(5, 4), still=("attack",))

    made = game.lift()

    assert [("throw.accepted", 1, 1)] == [
        (m.wire, m.attacker_loses, m.defender_loses) for m in made if isinstance(m, e.ThrowAccepted)
    ]
    assert game.state.throw is not None
    assert ThrowStep.ACCEPTED == game.state.throw.step


def test_throw_without_a_press_is_recorded_as_uncalled() -> None:
    """A throw that nobody called is read, ruled and marked."""
    game = Game().playing()

    made = game.see(attack=(3, 3, 1), defence=(2, 2))

    assert [False, False] == [m.called for m in made if isinstance(m, e.DiceSettled)]
    assert 1 == game.state.totals.uncalled


def test_attack_stands_when_later_dice_knock_it() -> None:
    """The attack is fixed at its own rest: a knocked die that now shows something else changes nothing."""
    game = Game().playing()
    game.see(attack=(6, 6, 6))

    game.see(attack=(1, 1, 1), defence=(5, 5), rolled=False)

    assert game.state.throw is not None
    assert game.state.throw.attack is not None
    assert game.state.throw.attack.ruled is not None
    assert (6, 6, 6) == game.state.throw.attack.ruled.counted


def test_cocked_die_alone_is_thrown_again_and_the_others_stand() -> None:
    """After the reroll the standing dice keep their values beside the new one."""
    game = Game().playing()
    game.press("seat1")
    game.see(attack=(6, 4, "cocked"))
    first = game.state.throw
    assert first is not None and first.attack is not None and first.attack.ruled is not None
    assert ("reroll_some", 1, (6, 4)) == (
        first.attack.ruled.action,
        first.attack.ruled.reroll,
        first.attack.ruled.standing,
    )

    game.press("seat1")
    game.see(attack=(1, 4, 5))

    throw = game.state.throw
    assert throw is not None and throw.attack is not None and throw.attack.ruled is not None
    assert (first.id, (6, 5, 4)) == (throw.id, throw.attack.ruled.counted)


def test_rerolled_die_alone_in_the_box_joins_the_standing_ones() -> None:
    """Players may take the standing dice out while one is thrown again."""
    game = Game().playing()
    game.see(attack=(6, 4, "cocked"))
    game.lift()

    game.see(attack=(2,))

    throw = game.state.throw
    assert throw is not None and throw.attack is not None and throw.attack.ruled is not None
    assert (6, 4, 2) == throw.attack.ruled.counted


def test_off_box_die_falls_away_with_its_clause() -> None:
    """Clause 4.8.1: a die beside the box does not count and is not thrown again."""
    game = Game().playing()

    made = game.see(attack=(6, 4, "off_box"))

    assert [("off_box", 2, "4.8.1")] == [(m.reason, m.position, m.clause) for m in made if isinstance(m, e.DieVoided)]
    ruled = next(m for m in made if isinstance(m, e.ThrowRuled))
    assert ("accept", (6, 4)) == (ruled.action, ruled.counted)


def test_fresh_throw_without_lifting_closes_the_one_before() -> None:
    """Dice that are grabbed and thrown in one motion are a new throw, and the old one counts."""
    game = Game().playing()
    game.see(attack=(6, 6, 6), defence=(1, 1))

    made = game.see(attack=(2, 2, 2), defence=(3,), rolled=True)

    assert "next_throw" == next(m.how for m in made if isinstance(m, e.ThrowAccepted))
    assert 2 == game.state.throws


def test_unreadable_die_waits_for_people_and_is_corrected_with_a_reason() -> None:
    """Nobody's guess: the referee says what lies there, the old reading stays in the journal."""
    game = Game().playing()
    game.see(attack=(6, "unreadable", 2))
    assert game.state.throw is not None and game.state.throw.attack is not None
    assert game.state.throw.attack.ruled is not None
    assert "referee" == game.state.throw.attack.ruled.action

    made = game.do(c.CorrectDie(side="attack", position=1, value=5, reason="glare"), "referee")

    correction = next(m for m in made if isinstance(m, e.CorrectionMade))
    assert ({"value": None, "verdict": "unreadable"}, 5) == (dict(correction.before), correction.after["value"])
    assert (6, 5, 2) == game.state.throw.attack.ruled.counted


def test_correction_without_a_reason_is_refused() -> None:
    """A referee's act says why."""
    game = Game().playing()
    game.see(attack=(6, 5, 2))

    with pytest.raises(Refused) as refusal:
        game.do(c.CorrectDie(side="attack", position=0, value=1, reason=" "), "referee")

    assert "reason-missing" == refusal.value.problem


def test_dice_by_hand_where_the_camera_is_gone() -> None:
    """A rig without a camera plays the same game."""
    game = Game().playing()
    game.do(c.EnterDice(side="attack", values=(6, 5, 1)))
    game.do(c.EnterDice(side="defence", values=(6, 2)))

    made = game.do(c.AcceptThrow())

    assert [(1, 1)] == [(m.attacker_loses, m.defender_loses) for m in made if isinstance(m, e.ThrowAccepted)]


@pytest.mark.parametrize("values", [(), (0,), (7,), (3, 9)])
def test_impossible_dice_by_hand_are_refused(values: tuple[int, ...]) -> None:
    """A die shows 1 to 6, and a throw has dice."""
    game = Game().playing()

    with pytest.raises(Refused):
        game.do(c.EnterDice(side="attack", values=values))

    assert game.state.throw is None


def test_four_attack_dice_drop_the_highest() -> None:
    """Clause 4.8.4 with the dice that the attacker may throw at the most."""
    game = Game().playing()

    game.see(attack=(6, 5, 3, 1))

    throw = game.state.throw
    assert throw is not None and throw.attack is not None and throw.attack.ruled is not None
    assert ((5, 3, 1), (6,)) == (throw.attack.ruled.counted, throw.attack.ruled.dropped)


def test_allowed_dice_said_afterwards_rule_the_open_throw_anew() -> None:
    """One tap tells the context, before or after the throw."""
    game = Game().playing()
    game.see(attack=(6, 5, 3))

    game.do(c.SetAllowed(attack=2, defence=None))

    throw = game.state.throw
    assert throw is not None and throw.attack is not None and throw.attack.ruled is not None
    assert (5, 3) == throw.attack.ruled.counted


def test_dice_outside_a_game_are_noted_and_change_nothing() -> None:
    """A late throw after the close is kept in the journal as such."""
    game = Game().frozen()

    made = game.see(attack=(6, 6, 6))

    assert [("service.noted", "throw-too-late")] == [(m.wire, m.code) for m in made if isinstance(m, e.ServiceNoted)]


def test_still_dice_are_no_new_throw() -> None:
    """A reading in which nothing moved says nothing new."""
    game = Game().playing()
    game.see(attack=(6, 5, 4))

    made = game.see(attack=(6, 5, 4), still=("attack", "defence"))

    assert () == made


def test_dice_without_colours_take_sides_by_turn() -> None:
    """With dice of one colour the first to settle are the attack's, the next the defence's."""
    game = Game().playing()
    faces = (6, 5, 4, 3, 2)
    for lying, thrown in ((0, 3), (3, 5)):
        dice = tuple(a_die(value, place=place) for place, value in enumerate(faces[:thrown]))
        game.do(
            c.SeeDice(
                dice=dice,
                sides=(None,) * thrown,
                moved=tuple(place >= lying for place in range(thrown)),
                started_ns=game.now_ns,
                settled_ns=game.now_ns,
                evidence=None,
            ),
            "rig",
        )

    throw = game.state.throw
    assert throw is not None and throw.attack is not None and throw.defence is not None
    assert ((6, 5, 4), (3, 2)) == tuple(
        tuple(die.value for die in side.settled.dice) for side in (throw.attack, throw.defence)
    )
