"""The last phase of the clock, and a set-up that is put right before the clock runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session.errors import NotNow, Refused
from companion.session.state import fold
from companion.session.transitions import Phase
from tests.session.play import BUTTONS, MS, PLAYERS, Game, S

FRAME_NS = 33 * MS


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
