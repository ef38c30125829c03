"""What lies in the box when the camera begins to look, in the middle of a game and of a throw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.transitions import Phase, ThrowStep
from tests.session.play import Game, a_die
from tests.session.test_box import look, lying, notes, ruled, thrown
from tests.session.test_ending import board_of_three

Lies = tuple[e.Side, int | str, int]
"""Side, face and place."""


def find(game: Game, *dice: Lies, colours: bool = True) -> tuple[e.Event, ...]:
    """The camera begins to look and sees these dice."""
    found = tuple(a_die(face, place=place, side=side) for side, face, place in dice)
    if not colours:
        found = tuple(replace(die, colour=None) for die in found)
    command = c.FindDice(
        dice=found,
        sides=tuple(side if colours else None for side, *_ in dice),
        found_ns=game.now_ns,
        evidence="f" * 64,
    )
    return game.do(command, "rig", after_ms=700)


def cocked() -> Game:
    """A six and a four that stand, and one die to throw again (4.8.3)."""
    game = Game().playing()
    game.press("seat1")
    look(game, *thrown("attack", 6, 4, "cocked"))
    return game


def test_die_that_was_thrown_again_while_nobody_looked_is_read() -> None:
    """It lies elsewhere, and the others where they lay; whether it rolled nobody can say."""
    game = cocked()

    find(game, ("attack", 6, 0), ("attack", 4, 1), ("attack", 2, 5))

    assert ("accept", (6, 4, 2)) == (ruled(game, "attack").action, ruled(game, "attack").counted)
    attack = game.state.newest_throw().attack
    assert attack is not None
    assert [True, True, None] == [die.rolled for die in attack.settled.dice]
    assert ("camera", "f" * 64) == (attack.settled.source, attack.settled.evidence)


def test_die_that_still_lies_as_it_lay_was_not_thrown_again() -> None:
    """The table waits for it as before."""
    game = cocked()

    made = find(game, ("attack", 6, 0), ("attack", 4, 1), ("attack", "cocked", 2))

    assert ((), 1) == (made, ruled(game, "attack").reroll)


def test_defence_that_came_while_nobody_looked_is_read() -> None:
    """Beside the attack, which lies where it lay."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 4))

    find(game, ("attack", 6, 0), ("attack", 4, 1), ("defence", 5, 0))

    assert (5,) == ruled(game, "defence").counted


def test_throw_that_was_called_and_fell_while_nobody_looked_is_read() -> None:
    """The dice of the throw before were lifted, and none lies where they lay."""
    game = Game().playing()
    game.throw((6, 2), (4,))
    game.press("seat1")

    find(game, ("attack", 3, 6), ("attack", 3, 7))

    assert (2, True, (3, 3)) == (
        game.state.throws,
        game.state.newest_throw().called,
        ruled(game, "attack").counted,
    )


def test_box_that_was_emptied_while_nobody_looked() -> None:
    """A throw that stands is taken; one that waits for its defence is not, and its attack is known to be gone."""
    whole, half, hand = Game().playing(), Game().playing(), Game().playing()
    whole.see((6, 2), (4,))
    half.see((6, 2))
    hand.do(c.EnterDice(side="attack", values=(6,)))
    hand.do(c.EnterDice(side="defence", values=(4,)))

    made = [find(game) for game in (whole, half, hand)]

    assert [["throw.accepted"], ["box.emptied"], []] == [Game().kinds(one) for one in made]
    assert ThrowStep.ACCEPTED is whole.state.newest_throw().step
    find(half, ("defence", 4, 0))
    assert (4,) == ruled(half, "defence").counted


def test_dice_that_were_counted_are_not_counted_twice() -> None:
    """The throw that lies there is the one that was read, taken or not."""
    for is_taken in (False, True):
        game = Game().playing()
        look(game, *thrown("attack", 6, 4), *thrown("defence", 5))
        if is_taken:
            game.do(c.AcceptThrow())

        assert () == find(game, ("attack", 6, 0), ("attack", 4, 1), ("defence", 5, 0))
        assert 1 == game.state.throws


@pytest.mark.parametrize(
    "dice",
    [
        [("attack", 6, 0), ("attack", 2, 5)],  # A die that stood is gone.
        [("attack", 6, 0), ("attack", 3, 1), ("attack", 2, 5)],  # Another die lies in its place.
        [("attack", 6, 3), ("attack", 4, 4), ("attack", 2, 5)],  # All lie elsewhere.
    ],
)
def test_what_does_not_fit_is_left_to_people(dice: list[Lies]) -> None:
    """Nothing is guessed: the picture is kept and the table says that dice lay there."""
    game = cocked()

    made = find(game, *dice)

    assert ["dice-found-lying"] == notes(made)
    assert "reroll_some" == ruled(game, "attack").action


def test_die_of_the_other_colour_in_the_place_of_one_is_left_to_people() -> None:
    """It shows what that one showed, and is another all the same."""
    game = cocked()
    command = c.FindDice(
        dice=(a_die(6), replace(a_die(4, place=1), colour="blue"), a_die(2, place=5)),
        sides=("attack", "defence", "attack"),
        found_ns=game.now_ns,
    )

    assert ["dice-found-lying"] == notes(game.do(command, "rig"))


def test_two_dice_where_one_is_awaited_are_read_by_people() -> None:
    """Which of them was thrown again nobody can say."""
    game = cocked()

    find(game, ("attack", 6, 0), ("attack", 4, 1), ("attack", 2, 5), ("attack", 1, 6))

    assert "referee" == ruled(game, "attack").action


def test_dice_of_a_side_that_stands_are_no_new_throw() -> None:
    """Attack dice that lie elsewhere than the attack was read, with nothing called: nobody saw them fall."""
    stands, open_, empty = Game().playing(), Game().playing(), Game().playing()
    look(stands, *thrown("attack", 6, 4), *thrown("defence", 5))
    look(open_, *thrown("attack", 6, 4))
    open_.lift()
    for game in (stands, open_):
        assert ["dice-found-lying"] == notes(find(game, ("attack", 1, 6), ("attack", 1, 7)))
    assert ["dice-found-lying"] == notes(find(empty, ("attack", 1, 6)))


def test_what_lay_there_before_a_first_throw_is_nobody_s() -> None:
    """The last start die may lie there still; and so may dice of a throw that people read."""
    first, after_hand = Game().playing(), Game().playing()
    after_hand.do(c.EnterDice(side="attack", values=(6,)))
    after_hand.do(c.AcceptThrow())
    for game in (first, after_hand):
        game.press("seat1")

        assert ["dice-found-lying"] == notes(find(game, ("attack", 6, 0)))


@pytest.mark.parametrize("places", [(0, 5), (6, 7)])
def test_dice_of_the_throw_before_are_not_the_called_one(places: tuple[int, int]) -> None:
    """One lies where it lay; or they were pushed, and show what they showed."""
    game = Game().playing()
    look(game, *thrown("attack", 6, 2))
    game.do(c.AcceptThrow())
    game.press("seat1")

    made = find(game, *(("attack", face, place) for face, place in zip((6, 2), places, strict=True)))

    assert ["dice-found-lying"] == notes(made)


def test_dice_without_colours_belong_to_whom_is_awaited() -> None:
    """The attack lies there and stands: the one that came is the defence."""
    game = Game().playing()
    dice = tuple(replace(a_die(face, place=place), colour=None) for place, face in enumerate((6, 4)))
    game.do(
        c.SeeDice(
            dice=dice, sides=(None, None), moved=(True, True), started_ns=game.now_ns, settled_ns=game.now_ns,
            evidence=None,
        ),
        "rig",
    )  # fmt: skip

    find(game, ("attack", 6, 0), ("attack", 4, 1), ("attack", 5, 6), colours=False)

    assert (5,) == ruled(game, "defence").counted


def test_dice_in_a_box_where_nobody_plays() -> None:
    """Before the start and on a frozen board they are noted; at an idle or a closed table they are nothing."""
    seating, frozen, idle, closed = Game().opened(), Game().frozen(), Game(), Game().frozen()
    closed.do(board_of_three())
    closed.do(c.CloseTable(), "referee")

    made = [notes(find(game, ("attack", 3, 0))) for game in (seating, frozen, idle, closed)]

    assert [["dice-found-lying"], ["dice-found-lying"], [], []] == made
    assert Phase.CLOSED is closed.state.phase
    assert () == find(frozen)


def test_die_that_fell_beside_the_box_need_not_lie_in_it() -> None:
    """It was read outside; only what lay in the box is looked for there."""
    game = Game("risiko").playing()
    look(game, *thrown("attack", 6, 4, "off_box"))

    find(game, ("attack", 6, 0), ("attack", 4, 1), ("attack", 1, 6))

    assert (6, 4, 1) == ruled(game, "attack").counted


def test_throw_to_be_thrown_again_whole_is_read_wherever_it_lies() -> None:
    """No die of it is fixed; the dice that did not roll are the ones that still lie there."""
    game = Game("classic").playing()
    game.do(c.SetAllowed(attack=2, defence=None))
    look(game, *thrown("attack", 6, 4, 2))
    action = ruled(game, "attack").action

    assert () == find(game, *((side, face, place) for side, face, place, _ in lying("attack", 6, 4, 2)))
    find(game, ("attack", 5, 6), ("attack", 1, 7))

    assert ("rethrow_all", (5, 1)) == (action, ruled(game, "attack").counted)
