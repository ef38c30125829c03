"""What lies in the box and what of it was thrown: knocks, late dice, dice of the throw before, spare dice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import Refused
from tests.session.play import MS, Game, a_die

Lying = tuple[e.Side, int | str, int, bool]
"""Side, face, place and whether it moved."""


def look(game: Game, *lying: Lying, rolled: bool | None = True, evidence: str = "e" * 64) -> tuple[e.Event, ...]:
    """The camera reads these dice."""
    dice = [replace(a_die(face, place=place, side=side), rolled=rolled and moved) for side, face, place, moved in lying]
    command = c.SeeDice(
        dice=tuple(dice),
        sides=tuple(side for side, *_ in lying),
        moved=tuple(moved for *_, moved in lying),
        started_ns=game.now_ns,
        settled_ns=game.now_ns + 500 * MS,
        evidence=evidence,
    )
    return game.do(command, "rig", after_ms=700)


def thrown(side: e.Side, *faces: int | str, at: int = 0) -> list[Lying]:
    """Dice of a side that moved, next to one another."""
    return [(side, face, at + place, True) for place, face in enumerate(faces)]


def lying(side: e.Side, *faces: int | str, at: int = 0) -> list[Lying]:
    """Dice of a side that did not move."""
    return [(side, face, at + place, False) for place, face in enumerate(faces)]


def ruled(game: Game, side: e.Side) -> e.ThrowRuled:
    """The newest ruling on a side."""
    assert game.state.throw is not None
    half = game.state.throw.side(side)
    assert half is not None and half.ruled is not None
    return half.ruled


def notes(made: Sequence[e.Event]) -> list[str]:
    """Codes of what was noted."""
    return [m.code for m in made if isinstance(m, e.ServiceNoted)]


def test_defence_that_knocks_every_attack_die_changes_no_value() -> None:
    """One attack die lies there, the defence pushes it over: the attack stands as it was read."""
    game = Game().playing()
    look(game, *thrown("attack", 6))

    look(game, *thrown("attack", 1, at=2), *thrown("defence", 5))

    assert (1, (6,), (5,)) == (game.state.throws, ruled(game, "attack").counted, ruled(game, "defence").counted)


def test_attack_thrown_after_the_box_was_emptied_is_a_new_throw() -> None:
    """Nobody threw a defence; the dice were taken out, and attack and defence are thrown together."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 5))
    assert ["box.emptied"] == game.kinds(game.lift())
    assert () == game.lift()

    look(game, *thrown("attack", 1, 2), *thrown("defence", 4))

    assert (2, (2, 1), (4,)) == (game.state.throws, ruled(game, "attack").counted, ruled(game, "defence").counted)


def test_attack_without_defence_thrown_again_is_a_new_throw() -> None:
    """All attack dice taken and thrown in one motion, no defence in sight."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 5))

    made = look(game, *thrown("attack", 3, 2))

    assert [("next_throw", None)] == [(m.how, m.attacker_loses) for m in made if isinstance(m, e.ThrowAccepted)]
    assert (2, (3, 2)) == (game.state.throws, ruled(game, "attack").counted)


def test_defence_die_of_the_throw_before_is_no_part_of_the_next() -> None:
    """Nobody lifted the old defence; the defender now throws one die beside it."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 5), *thrown("defence", 4, 4))
    look(game, *thrown("attack", 3, 2, at=3), *lying("defence", 4, 4))

    look(game, *lying("attack", 3, 2, at=3), *lying("defence", 4), *thrown("defence", 1, at=5))

    assert (2, (1,)) == (game.state.throws, ruled(game, "defence").counted)


def test_one_attack_die_left_lying_is_no_part_of_the_next_throw() -> None:
    """Part of the dice was taken and thrown again; the third still lies from the throw before."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 5, 4), *thrown("defence", 3))

    look(game, *thrown("attack", 2, 1, at=4), *lying("attack", 4, at=2), *lying("defence", 3))

    assert (2, (2, 1)) == (game.state.throws, ruled(game, "attack").counted)


def test_spare_dice_beside_the_box_take_no_part() -> None:
    """They lie in view all evening, and are neither thrown nor dropped."""
    game = Game().playing()
    spare = lying("attack", "off_box", "off_box", at=8)

    look(game, *thrown("attack", 6, 4), *spare)
    made = look(game, *lying("attack", 6, 4), *thrown("defence", 2), *spare)
    again = look(game, *thrown("attack", 1, 1), *lying("defence", 2), *spare)

    assert ["dice.settled", "throw.ruled"] == game.kinds(made)
    assert [2] == [len(m.dice) for m in again if isinstance(m, e.DiceSettled)]
    assert (2, (1, 1)) == (game.state.throws, ruled(game, "attack").counted)


def test_die_that_rolls_on_a_little_longer_is_one_throw_with_the_others() -> None:
    """Clause 4.8.1 allows a second and a half between the first die and the last."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4))

    look(game, *lying("attack", 6, 4), *thrown("attack", 5, at=3))

    assert (1, "accept", (6, 5, 4)) == (game.state.throws, ruled(game, "attack").action, ruled(game, "attack").counted)


def test_die_thrown_later_is_no_part_of_one_throw_and_goes_to_people() -> None:
    """Two dice, a look at them, then the third: the rules ask for one throw."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4))
    game.now_ns += 4_000 * MS

    look(game, *lying("attack", 6, 4), *thrown("attack", 5, at=3))

    now = ruled(game, "attack")
    assert ("referee", "not-one-throw") == (now.action, now.reasons[0].code)
    game.do(c.SetAllowed(attack=3, defence=None))
    assert "referee" == ruled(game, "attack").action


def test_what_the_referee_says_of_a_late_die_counts() -> None:
    """A correction is the referee's word on the throw as a whole."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4))
    game.now_ns += 4_000 * MS
    look(game, *lying("attack", 6, 4), *thrown("attack", 5, at=3))

    game.do(c.CorrectDie(side="attack", position=2, value=5, reason="it hung on the rim"), "referee")

    assert ("accept", (6, 5, 4)) == (ruled(game, "attack").action, ruled(game, "attack").counted)


def test_late_defence_die_counts_too() -> None:
    """The same for the other side, once its first die was taken."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4), *thrown("defence", 3))

    look(game, *lying("attack", 6, 4), *lying("defence", 3), *thrown("defence", 5, at=4))

    assert (1, (5, 3)) == (game.state.throws, ruled(game, "defence").counted)


def test_late_die_that_knocks_another_is_told_from_it() -> None:
    """The knocked die lies near by with its pips; the other one is new."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4))

    look(game, *lying("attack", 6), *thrown("attack", 4, at=2), *thrown("attack", 5, at=7))

    assert (6, 5, 4) == ruled(game, "attack").counted


def test_dice_that_cannot_be_told_apart_are_nobody_s_guess() -> None:
    """One die was to be thrown again and three were thrown: people say which counts."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4, "cocked"))

    look(game, *thrown("attack", 1, 2, 3, at=12))

    now = ruled(game, "attack")
    assert ("referee", (6, 4), ()) == (now.action, now.standing, now.counted)
    assert game.state.throw is not None and game.state.throw.attack is not None
    assert ["which-die"] * 3 == [die.why for die in game.state.throw.attack.settled.dice if die.why]


def test_reroll_beside_one_standing_die_takes_the_die_that_moved() -> None:
    """One standing die was lifted, one lies: the value of the die thrown again is its own, wherever it comes to lie."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4, "cocked"))

    look(game, *lying("attack", 4, at=1), *thrown("attack", 2, at=0))

    assert (6, 4, 2) == ruled(game, "attack").counted


def test_two_dice_thrown_again_one_after_the_other() -> None:
    """The first leaves one to be thrown, whether the other still lies cocked or is in the hand."""
    for left in (lying("attack", "cocked", at=2), []):
        game = Game().playing()
        look(game, *thrown("attack", 6, "cocked", "cocked"))

        look(game, *lying("attack", 6), *thrown("attack", 3, at=5), *left)
        first = ruled(game, "attack")
        look(game, *lying("attack", 6), *lying("attack", 3, at=5), *thrown("attack", 2, at=7))

        assert ("reroll_some", 1, (6, 3)) == (first.action, first.reroll, first.standing)
        assert (6, 3, 2) == ruled(game, "attack").counted


def test_die_that_is_cocked_again_is_thrown_again_again() -> None:
    """The standing dice stand however often it takes, and each void die is counted once."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4, "cocked", "off_box"))
    for at in (8, 9):
        look(game, *lying("attack", 6, 4), *lying("attack", "off_box", at=3), *thrown("attack", "cocked", at=at))

    look(game, *lying("attack", 6, 4), *lying("attack", "off_box", at=3), *thrown("attack", 1, at=6))

    assert ("accept", (6, 4, 1)) == (ruled(game, "attack").action, ruled(game, "attack").counted)
    assert 4 == game.state.totals.voided_dice


def test_unreadable_die_that_is_pushed_into_view_was_not_rolled() -> None:
    """A hand that turns a die makes no throw of it: all is thrown again (clause 4.8.2)."""
    game = Game().playing()
    look(game, *thrown("attack", 6, "unreadable", 2))

    look(game, *lying("attack", 6), *lying("attack", 2, at=2), *thrown("attack", 5, at=1), rolled=False)

    assert "rethrow_all" == ruled(game, "attack").action


def test_unreadable_die_thrown_again_by_itself_joins_the_others() -> None:
    """The dice that were read keep their values."""
    game = Game().playing()
    look(game, *thrown("attack", 6, "unreadable", 2))

    look(game, *lying("attack", 6), *lying("attack", 2, at=2), *thrown("attack", 5, at=5))

    assert (6, 5, 2) == ruled(game, "attack").counted


@pytest.mark.parametrize("rolled", [True, False])
def test_after_an_unreadable_or_void_throw_all_dice_thrown_anew_count(rolled: bool) -> None:
    """Everything in the hand and once more: nothing of the first throw stands."""
    game = Game().playing()
    first = (6, "unreadable") if rolled else (6, 6)
    look(game, *thrown("attack", *first), rolled=rolled)

    look(game, *thrown("attack", 3, 1, at=6))

    assert (1, (3, 1)) == (game.state.throws, ruled(game, "attack").counted)


def test_dice_laid_down_by_hand_beside_a_fixed_attack_change_nothing_and_are_noted() -> None:
    """A spare die put back into the box is no late die, and dice shown again are no new throw."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4))

    spare = look(game, *lying("attack", 6, 4), *thrown("attack", 5, at=6), rolled=False)
    shown = look(game, *thrown("attack", 1, 1, at=4), rolled=False)

    assert (["dice-ignored"], ["dice-ignored"]) == (notes(spare), notes(shown))
    assert (6, 4) == ruled(game, "attack").counted


def test_throw_that_nobody_saw_roll_counts_as_unseen() -> None:
    """The view was lost for a moment: no one can say that the dice did not roll."""
    game = Game().playing()

    look(game, *thrown("attack", 6, 4), rolled=None)

    assert ("accept", (6, 4)) == (ruled(game, "attack").action, ruled(game, "attack").counted)


def test_defence_thrown_first_waits_for_its_attack() -> None:
    """Out of order, but one throw; without an attack it is none."""
    game = Game().playing()
    look(game, *thrown("defence", 5, 3))
    with pytest.raises(Refused):
        game.do(c.AcceptThrow())

    look(game, *lying("defence", 5, 3), *thrown("attack", 6, at=4))

    assert (1, (6,), (5, 3)) == (game.state.throws, ruled(game, "attack").counted, ruled(game, "defence").counted)


def test_defence_without_attack_is_annulled_by_the_next_call() -> None:
    """Blue dice that somebody let fall before the attacker pressed are nobody's throw."""
    game = Game().playing()
    look(game, *thrown("defence", 5))

    made = game.press("seat1")

    assert ["throw.annulled", "throw.called"] == game.kinds(made)
    assert 0 == game.state.totals.ruled


def test_two_dice_for_one_in_an_emptied_box_are_not_taken_for_a_knock() -> None:
    """All were lifted: what lands where a standing die had lain is a new die, and which counts nobody can say."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4, "cocked"))
    game.lift()

    look(game, ("attack", 3, 0, True), ("attack", 5, 6, True))

    assert "referee" == ruled(game, "attack").action
