"""Each row of the table of presses, played in each system: what the page and the sheet say is what happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from companion.rules.ruleset import SYSTEMS
from companion.session import commands as c
from companion.session import events as e
from companion.session.presses import PRESSES, Press
from tests.session.play import PLAYERS, Game, S

Made = Sequence[e.Event]


def _ordered(system: str) -> Game:
    """Start dice are thrown, nobody has a button."""
    game = Game(system).opened()
    for player, value in zip(PLAYERS, (6, 5, 4), strict=True):
        game.do(c.EnterStartDie(player=player, value=value))
    return game


def _bound(system: str) -> Game:
    game = _ordered(system)
    game.press("seat1")
    return game


def _called(system: str) -> Game:
    game = Game(system).playing()
    game.press("seat1")
    return game


def _defence_awaited(system: str) -> Game:
    game = _called(system)
    game.see((6, 5))
    return game


def _before_turn(system: str) -> Made:
    """A finger that went down before the turn began is let go."""
    game = Game(system).seated()
    pressed_ns = game.now_ns
    game.do(c.StartGame())
    return game.do(c.PressButton(button="seat2", kind="short", pressed_ns=pressed_ns), "rig")


def _out(system: str) -> Game:
    game = Game(system).playing()
    game.do(c.DeclareOut(player="bert", by="anna"))
    return game


def _proposed(system: str) -> Game:
    game = Game(system).playing()
    game.throw((6, 2), (4,))
    game.do(c.ProposeCorrection(side="attack", position=0, value=5))
    return game


def _paused(system: str) -> Game:
    game = Game(system).playing()
    game.do(c.PauseClock(reason="coffee"), "referee")
    return game


def _finishing(system: str) -> Game:
    """After the signal: in RisiKo! a combat, elsewhere a throw; in the Netherlands nothing is finished."""
    game = Game(system).playing()
    game.throw((6, 2), (4,))
    game.see((6, 5))
    game.tijd()
    return game


def _combat(system: str) -> Game:
    game = Game(system).playing()
    game.throw((6, 2), (4,))
    game.tijd()
    return game


def _frozen(system: str) -> Game:
    game = Game(system).playing()
    game.tijd()
    return game


def _closed(system: str) -> Game:
    game = Game(system).playing()
    game.do(c.DeclareOut(player="cees", by="anna"))
    game.do(c.DeclareOut(player="bert", by="anna"))
    rows: tuple[e.HoldingsFact, ...] = ()
    if system == "risiko":
        lands = tuple(game_lands())
        hand = {"infantry": 0, "artillery": 0, "cavalry": 0, "joker": 0}
        rows = (e.HoldingsFact(id="anna", territories=lands, armies=60, hand=hand, objective="letto"),)
    game.do(c.ConfirmBoard(players=rows))
    return game


def game_lands() -> list[str]:
    """Every territory of the RisiKo! board."""
    from companion.rules.board import load_board

    return sorted(load_board("risiko").territories)


def _referee_called(system: str) -> Game:
    game = Game(system).playing()
    game.press("seat3", is_long=True)
    return game


PLAYED: dict[tuple[str, str], Callable[[str], Made]] = {
    ("start-dice", "anybody"): lambda s: Game(s).opened().press("seat1"),
    ("order-known", "unbound"): lambda s: _ordered(s).press("seat2"),
    ("order-known", "somebodys"): lambda s: _bound(s).press("seat1"),
    ("ready", "seat"): lambda s: Game(s).seated().press("seat1"),
    ("ready", "key"): lambda s: Game(s).seated().press("referee"),
    ("playing", "turn"): lambda s: Game(s).playing().press("seat1"),
    ("dice-awaited", "turn"): lambda s: _called(s).press("seat1"),
    ("playing", "other"): lambda s: Game(s).playing().press("seat3"),
    ("defence-awaited", "other"): lambda s: _defence_awaited(s).press("seat2"),
    ("before-turn", "other"): _before_turn,
    ("playing", "out"): lambda s: _out(s).press("seat2"),
    ("correction", "seat"): lambda s: _proposed(s).press("seat1"),
    ("correction", "held"): lambda s: _proposed(s).press("seat2", is_long=True),
    ("paused", "seat"): lambda s: _paused(s).press("seat1"),
    ("combat", "turn"): lambda s: _combat(s).press("seat1"),
    ("finishing", "other"): lambda s: _finishing(s).press("seat2"),
    ("frozen", "seat"): lambda s: _frozen(s).press("seat1"),
    ("closed", "seat"): lambda s: _closed(s).press("seat1"),
    ("any", "held"): lambda s: Game(s).playing().press("seat2", is_long=True),
    ("called", "key"): lambda s: _referee_called(s).press("referee"),
    ("organiser", "key-held"): lambda s: Game(s).playing().press("referee", is_long=True),
    ("otherwise", "key"): lambda s: _frozen(s).press("referee"),
}

MEANS: dict[str, tuple[str, ...]] = {
    "bound": ("button.bound",),
    "start": ("game.started", "turn.started"),
    "throw": ("throw.called",),
    "throw-on": ("throw.called",),
    "my-turn": ("turn.started",),
    "agree": ("correction.agreed",),
    "refuse": ("correction.refused", "referee.called"),
    "referee": ("referee.called",),
    "answered": ("referee.dismissed",),
}
"""What is written where a press means something; all other rows write their note, or nothing."""

TESTED_ELSEWHERE = {"tijd"}
"""The service turns the key that is held into the signal, because the buzzer must not wait for a decision."""


def test_every_row_is_played() -> None:
    """A row without a game would be a promise."""
    assert {(row.when, row.whose) for row in PRESSES} == set(PLAYED)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("row", PRESSES, ids=lambda row: f"{row.when}-{row.whose}")
def test_a_press_means_what_the_table_says(row: Press, system: str) -> None:
    """Each row in each system that has it."""
    if row.system not in (None, system):
        assert "combat" == row.when
        return
    made = PLAYED[row.when, row.whose](system)

    notes = [event.code for event in made if isinstance(event, e.ServiceNoted)]
    written = tuple(event.wire for event in made if not isinstance(event, e.ServiceNoted | e.TijdSealed | e.TijdArmed))
    if row.means not in TESTED_ELSEWHERE:
        assert ([row.noted] if row.noted else [], MEANS.get(row.means, ())) == (notes, written)


@pytest.mark.parametrize("system", SYSTEMS)
def test_ten_minutes_of_presses_of_everybody_never_refuse(system: str) -> None:
    """Whatever people press, nothing is refused: it means something, is noted, or changes nothing."""
    game = Game(system).playing()

    for number in range(60):
        game.now_ns += 10 * S
        game.press(("seat1", "seat2", "seat3", "referee")[number % 4], is_long=number % 7 == 0)

    assert game.state.turn >= 1
