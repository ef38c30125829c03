"""From set-up to a table that is ready: start dice, ties, colours, buttons."""

from __future__ import annotations

from typing import Any

import pytest

from companion.rules.errors import RulesError
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide.seating import to_throw
from companion.session.errors import Refused
from companion.session.transitions import Phase
from companion.words import Words
from tests.session.play import PLAYERS, Game, a_die


def _throw(game: Game, *faces: int | str) -> tuple[e.Event, ...]:
    dice = tuple(a_die(face, place=place) for place, face in enumerate(faces))
    command = c.SeeDice(
        dice=dice,
        sides=("attack",) * len(dice),
        moved=(True,) * len(dice),
        started_ns=game.now_ns,
        settled_ns=game.now_ns,
        evidence="e" * 64,
    )
    return game.do(command, "rig")


def test_length_and_rules_are_part_of_the_set_up() -> None:
    """Ninety minutes unless told otherwise, and the ruleset's hash stands on the game."""
    game = Game().opened()

    assert game.state.opened is not None
    assert (90 * 60_000, game.ruleset.hash) == (game.state.opened.length_ms, game.state.opened.ruleset_hash)


@pytest.mark.parametrize(
    "wrong",
    [
        {"players": ("anna", "bert")},
        {"players": ("anna", "bert", "cees", "dirk", "eva")},
        {"players": ("anna", "bert", "anna")},
        {"players": ("anna", "bert", " ")},
        {"players": PLAYERS, "length_ms": 1},
        {"players": PLAYERS, "scale": 0.0},
    ],
)
def test_set_up_that_cannot_be_played_is_refused(wrong: dict[str, Any]) -> None:
    """Too few, too many, the same player twice, no time: named and refused."""
    game = Game()

    with pytest.raises((Refused, RulesError)):
        game.do(c.SetUpTable(system="nl1996", **wrong))

    assert Phase.IDLE is game.state.phase


def test_camera_reads_the_start_dice_one_after_the_other() -> None:
    """Highest begins, then the next highest; seats go around in that order."""
    game = Game().opened()

    for value in (2, 6, 4):
        _throw(game, value)

    assert ["bert", "cees", "anna"] == [p.id for p in game.state.in_order()]
    assert [1, 2, 3] == [p.seat for p in game.state.in_order()]


def test_a_void_start_die_is_thrown_again_by_the_same_player() -> None:
    """Cocked, or two dice at once: the player who was to throw still is."""
    game = Game().opened()

    made = (*_throw(game, "cocked"), *_throw(game, 3, 4))

    assert ["cocked", "not-one-die"] == [m.reason for m in made if isinstance(m, e.StartDieVoided)]
    assert PLAYERS == to_throw(game.state, game.ruleset)


def test_tied_players_throw_again_among_themselves() -> None:
    """The third player's place is clear and they throw no more."""
    game = Game().opened()
    for value in (5, 5, 2):
        _throw(game, value)
    assert ("anna", "bert") == to_throw(game.state, game.ruleset)

    _throw(game, 1)
    _throw(game, 4)

    assert ["bert", "anna", "cees"] == [p.id for p in game.state.in_order()]
    assert () == to_throw(game.state, game.ruleset)
    assert ["throw-outside-game"] == [m.code for m in _throw(game, 6) if isinstance(m, e.ServiceNoted)]


def test_start_die_by_hand_is_for_who_has_to_throw() -> None:
    """A second die of a player who is done is refused, and so is a seven."""
    game = Game().opened()
    game.do(c.EnterStartDie(player="anna", value=6))

    for player, value, problem in (
        ("anna", 5, "not-to-throw"),
        ("bert", 7, "bad-die"),
        ("dirk", 5, "unknown-player"),
    ):
        with pytest.raises(Refused) as refusal:
            game.do(c.EnterStartDie(player=player, value=value))
        assert problem == refusal.value.problem


def test_colours_come_after_the_dice_and_belong_to_one_player() -> None:
    """No colour before the order, none twice, none that the box has not."""
    game = Game().opened()
    with pytest.raises(Refused) as refusal:
        game.do(c.ChooseColour(player="anna", colour="red"))
    assert "start-dice-first" == refusal.value.problem
    for value in (6, 5, 4):
        _throw(game, value)
    game.do(c.ChooseColour(player="anna", colour="red"))

    for player, colour, problem in (("bert", "red", "colour-taken"), ("bert", "purple", "unknown-colour")):
        with pytest.raises(Refused) as refusal:
            game.do(c.ChooseColour(player=player, colour=colour))
        assert problem == refusal.value.problem
    told = Words("nl").problem({"problem": refusal.value.problem, "values": refusal.value.values})
    assert "Er is geen leger in die kleur: purple. Wel in zwart, blauw, groen, rood, wit en geel." == told
    assert () == game.do(c.ChooseColour(player="anna", colour="red"))
    game.do(c.ChooseColour(player="anna", colour="blue"))
    assert "blue" == game.state.player("anna").colour


def test_each_press_binds_the_next_player_in_order() -> None:
    """Button, player and colour are one; a second press of the same button changes nothing."""
    game = Game().opened()
    game.press("seat2")
    for value in (6, 5, 4):
        _throw(game, value)

    game.press("seat3")
    game.press("seat3")
    game.press("seat1")

    assert ["seat3", "seat1", None] == [p.button for p in game.state.in_order()]


def test_button_by_hand_is_one_of_the_rig_and_of_one_player() -> None:
    """A button that is not there, or that is somebody's, is refused."""
    game = Game().opened()
    for value in (6, 5, 4):
        _throw(game, value)
    game.do(c.BindButton(player="anna", button="seat1"))

    for button, problem in (("seat9", "unknown-button"), ("seat1", "button-taken")):
        with pytest.raises(Refused) as refusal:
            game.do(c.BindButton(player="bert", button=button))
        assert problem == refusal.value.problem


def test_table_is_ready_when_colours_and_buttons_are_settled() -> None:
    """Not before the last of them."""
    game = Game().seated()

    assert Phase.READY is game.state.phase


def test_rig_without_buttons_is_ready_with_the_colours() -> None:
    """A rig whose buttons are on the screen is a legal rig."""
    game = Game()
    game.do(c.OpenRig(camera="none", panel="screen", buttons=(), software="test"), "rig")
    game.do(c.SetUpTable(system="nl1996", players=PLAYERS))
    for player, value in zip(PLAYERS, (6, 5, 4), strict=True):
        game.do(c.EnterStartDie(player=player, value=value))
    for player, colour in zip(PLAYERS, ("red", "blue", "black"), strict=True):
        game.do(c.ChooseColour(player=player, colour=colour))

    assert Phase.READY is game.state.phase
    with pytest.raises(Refused):
        fresh = Game()
        fresh.do(c.SetUpTable(system="nl1996", players=PLAYERS))
        for player, value in zip(PLAYERS, (6, 5, 4), strict=True):
            fresh.do(c.EnterStartDie(player=player, value=value))
        fresh.do(c.BindButton(player="anna", button="seat1"))


def test_press_that_fits_nothing_is_noted() -> None:
    """All buttons are given and a fourth is pressed: it is written down and nothing moves."""
    game = Game().opened(players=("anna", "bert", "cees"))
    for value in (6, 5, 4):
        _throw(game, value)
    for button in ("seat1", "seat2", "seat3"):
        game.press(button)

    made = game.press("seat4")

    assert ["press-meant-nothing"] == [m.code for m in made if isinstance(m, e.ServiceNoted)]


def test_length_must_be_said_where_the_rules_fix_none() -> None:
    """The classic box rules give no length."""
    game = Game()
    from companion.rules.ruleset import load_ruleset

    game.ruleset = load_ruleset("classic")

    with pytest.raises(Refused) as refusal:
        game.do(c.SetUpTable(system="classic", players=PLAYERS))

    assert "length-missing" == refusal.value.problem
