"""Misread dice on which the thrower and one opponent agree with two presses."""

from __future__ import annotations

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.transitions import ThrowStep
from tests.session.play import MS, Game, S, a_throw_of_anna, problem_of

FIVE = c.ProposeCorrection(side="attack", position=0, value=5)


def values(game: Game) -> list[int | None]:
    """What the attack dice of the newest throw show."""
    attack = game.state.newest_throw().attack
    assert attack is not None
    return [die.value for die in attack.settled.dice]


@pytest.mark.parametrize("order", [("seat1", "seat2"), ("seat3", "seat1")])
def test_thrower_and_one_opponent_correct_a_die_with_two_presses(order: tuple[str, str]) -> None:
    """No PIN, no referee, in either order; the old reading stays in the journal with who agreed."""
    game = a_throw_of_anna()
    game.do(FIVE)

    first, second = game.press(order[0]), game.press(order[1])

    opponent = "bert" if "seat2" in order else "cees"
    assert ["correction.agreed"] == game.kinds(first)
    made = [m for m in second if isinstance(m, e.CorrectionMade)]
    assert [({"value": 6, "verdict": "valid"}, {"value": 5, "verdict": "valid"}, ("anna", opponent))] == [
        (dict(m.before), dict(m.after), m.agreed_by) for m in made
    ]
    assert ([5, 2], None) == (values(game), game.state.proposed)


def test_losses_of_a_lifted_throw_are_reckoned_anew() -> None:
    """From the moment at which they had been taken."""
    game = a_throw_of_anna()
    taken_ns = game.state.newest_throw().accepted.at_ns  # type: ignore[union-attr]
    game.do(c.ProposeCorrection(side="attack", position=0, value=3))
    game.press("seat1")

    made = game.press("seat2")

    assert [(1, 0, taken_ns)] == [
        (m.attacker_loses, m.defender_loses, m.at_ns) for m in made if isinstance(m, e.ThrowAccepted)
    ]
    assert 1 == game.state.totals.ruled


def test_press_means_neither_throw_nor_turn_while_a_correction_waits() -> None:
    """And a second press of the same hand agrees once."""
    game = a_throw_of_anna()
    game.do(FIVE)

    game.press("seat1")
    again = game.press("seat1")

    assert ((), 1, "anna") == (again, game.state.throws, game.state.turn_player)


def test_two_opponents_are_not_enough() -> None:
    """The thrower must agree."""
    game = a_throw_of_anna()
    game.do(FIVE)

    game.press("seat2")
    game.press("seat3")

    assert [6, 2] == values(game)


def test_finger_that_lay_there_before_does_not_agree() -> None:
    """It went down before anything was proposed."""
    game = a_throw_of_anna()
    pressed_ns = game.now_ns
    game.do(FIVE)

    assert () == game.do(c.PressButton(button="seat1", kind="short", pressed_ns=pressed_ns), "rig")


def test_after_the_window_a_press_is_a_press_again() -> None:
    """The window is an argument; what comes later calls a throw."""
    game = a_throw_of_anna()
    game.do(c.ProposeCorrection(side="attack", position=0, value=5, window_ms=2_000))
    game.press("seat2")
    game.now_ns += 3 * S

    made = game.press("seat1")

    assert ["throw.called"] == game.kinds(made)
    assert [6] == [die.value for die in _first_attack(game).dice[:1]]


def _first_attack(game: Game) -> e.DiceSettled:
    return next(event for event in game.events if isinstance(event, e.DiceSettled))


def test_long_press_refuses_and_calls_the_referee() -> None:
    """Where they disagree the referee is needed; by button it is sure who called."""
    game = a_throw_of_anna()
    game.do(FIVE)

    made = game.press("seat3", is_long=True)

    assert ["correction.refused", "referee.called"] == game.kinds(made)
    assert [("cees", "button")] == [(m.by, m.how) for m in made if isinstance(m, e.RefereeCalled)]
    assert "nothing-proposed" == problem_of(game, c.AgreeCorrection(player="anna"))


def test_screen_is_the_twin_of_the_buttons() -> None:
    """A table without buttons agrees and refuses by touch; there it is only said who it was."""
    game = a_throw_of_anna()
    game.do(FIVE)
    game.do(c.AgreeCorrection(player="bert"))
    assert () == game.do(c.AgreeCorrection(player="bert"))
    game.do(c.AgreeCorrection(player="anna"))
    assert [5, 2] == values(game)
    game.do(c.ProposeCorrection(side="attack", position=1, value=1))

    made = game.do(c.RefuseCorrection(player="cees"))

    assert [("cees", "screen")] == [(m.by, m.how) for m in made if isinstance(m, e.RefereeCalled)]


def test_proposal_falls_with_the_next_throw_and_the_next_turn() -> None:
    """It was about the newest throw."""
    called, seen, turned = a_throw_of_anna(), a_throw_of_anna(), a_throw_of_anna()
    for game in (called, seen, turned):
        game.do(FIVE)

    called.do(c.CallThrow())
    seen.see((1, 1))
    turned.do(c.EndTurn())

    assert [None] * 3 == [game.state.proposed for game in (called, seen, turned)]


def test_die_that_was_cocked_and_read_as_lying_is_thrown_again() -> None:
    """Two agree that it leant: the lifted throw is open again for that die."""
    game = a_throw_of_anna()
    game.do(c.ProposeCorrection(side="attack", position=0, verdict="cocked"))
    game.press("seat2")

    game.press("seat1")

    assert ("reroll_some", ThrowStep.RULED) == (
        game.state.newest_throw().attack.ruled.action,  # type: ignore[union-attr]
        game.state.newest_throw().step,
    )
    game.see_one_more(4, beside=(2,))
    assert 1 == game.state.throws


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (c.ProposeCorrection(side="attack", position=7, value=5), "no-such-die"),
        (c.ProposeCorrection(side="attack", position=0, value=7), "bad-die"),
        (c.ProposeCorrection(side="attack", position=0), "bad-die"),
        (c.ProposeCorrection(side="attack", position=0, value=5, verdict="cocked"), "bad-die"),
        (c.ProposeCorrection(side="attack", position=0, value=5, window_ms=0), "bad-window"),
    ],
)
def test_proposal_that_can_not_be(command: c.Command, problem: str) -> None:
    """A die that is not there, pips that no die has, no time to press."""
    assert problem == problem_of(a_throw_of_anna(), command)


def test_nothing_is_corrected_before_a_throw_or_after_it_was_annulled() -> None:
    """There is no throw, or none that counts."""
    before, annulled = Game().playing(), a_throw_of_anna()
    annulled.do(c.AnnulThrow(reason="wrong dice"), "referee")

    assert ["no-open-throw"] * 2 == [problem_of(game, FIVE) for game in (before, annulled)]


def test_window_counts_in_milliseconds() -> None:
    """At its last moment it is open."""
    game = a_throw_of_anna()
    game.do(c.ProposeCorrection(side="attack", position=0, value=5, window_ms=1_000))
    proposed_ns = game.state.proposed.at_ns if game.state.proposed else 0

    game.now_ns = proposed_ns + 900 * MS

    assert ["correction.agreed"] == game.kinds(game.do(c.AgreeCorrection(player="anna"), after_ms=100))
