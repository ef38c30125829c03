"""Events and commands survive the way to JSON and back; strangers are refused by name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.session import commands as c
from companion.session import events as e
from companion.session import wire
from companion.session.state import _FOLD, fold
from tests.session.play import Game
from tests.session.test_ending import board_of_three


def _played() -> Game:
    game = Game().playing()
    game.press("seat1")
    game.see(attack=(6, 4, "cocked"))
    game.see(attack=(6, 4, 3), defence=(2,))
    game.lift()
    game.press("seat2", is_long=True)
    game.tijd()
    game.do(board_of_three())
    game.do(c.SignResult(player="anna"))
    game.do(c.CloseTable(), "referee")
    return game


def test_a_journal_folds_to_the_live_state() -> None:
    """Replay through JSON gives the same table, field by field."""
    game = _played()
    lines = [json.dumps({"t": x.wire, "v": x.version, "at": x.at_ns, "d": wire.to_data(x)}) for x in game.events]

    replayed = fold(
        wire.from_record(record["t"], record["v"], record["at"], record["d"]) for record in map(json.loads, lines)
    )

    assert game.state == replayed


def test_every_event_has_its_own_name_and_a_row_in_the_fold() -> None:
    """Wire names are unique, in lower case, and nothing is forgotten by the fold."""
    names = [kind.wire for kind in e.ALL_EVENTS]

    assert len(names) == len(set(names))
    assert all(name == name.lower() and "." in name for name in names)
    assert set(e.ALL_EVENTS) == set(_FOLD)


@pytest.mark.parametrize(
    ("kind", "version", "data", "said"),
    [
        ("dice.eaten", 1, {}, "dice.eaten"),
        ("turn.started", 99, {"number": 1, "player": "anna"}, "99"),
        ("turn.started", 0, {"number": 1, "player": "anna"}, "0"),
        ("turn.started", 1, {"number": 1, "player": "anna", "mood": "bad"}, "mood"),
        ("turn.started", 1, {"number": "one", "player": "anna"}, "turn.started"),
    ],
)
def test_a_record_that_is_not_understood_is_refused(kind: str, version: int, data: dict[str, Any], said: str) -> None:
    """A newer or damaged record is never guessed at."""
    with pytest.raises(wire.UnknownRecord) as refusal:
        wire.from_record(kind, version, 1, data)

    assert said in str(refusal.value)


def test_a_pause_of_an_older_journal_is_the_tables_own() -> None:
    """It does not say whose it was; then people at the table end it."""
    lifted = wire.from_record("clock.paused", 1, 5, {"elapsed_ms": 60_000, "reason": "fire alarm"})

    assert e.ClockPaused(at_ns=5, elapsed_ms=60_000, reason="fire alarm", by_hall=False) == lifted


@pytest.mark.parametrize(
    ("name", "args"),
    [("eat_dice", {}), ("end_turn", {"whose": "mine"}), ("correct_die", {"side": "left"}), ("choose_colour", {})],
)
def test_a_malformed_command_is_refused(name: str, args: dict[str, Any]) -> None:
    """Unknown names, strange or missing arguments and wrong types are the asker's fault, and named."""
    with pytest.raises(wire.MalformedCommand) as refusal:
        wire.command_from(name, args)

    assert name in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "args", "strange"),
    [
        (
            "confirm_board",
            {"players": [{"id": "anna", "territories": [], "armies": 3, "hand": None, "unplaced_army": 2}]},
            "unplaced_army",
        ),
        ("amend_outs", {"outs": [{"player": "anna", "bye": "bert"}], "reason": "forgotten"}, "bye"),
    ],
)
def test_a_strange_key_inside_a_list_is_refused(name: str, args: dict[str, Any], strange: str) -> None:
    """A misspelt field would be taken for one that nobody said, and the wrong result for the right one."""
    with pytest.raises(wire.MalformedCommand) as refusal:
        wire.command_from(name, args)

    assert f"{name} does not take ['{strange}']" == str(refusal.value)


def test_a_command_from_json() -> None:
    """Lists become tuples, nested objects facts."""
    command = wire.command_from(
        "confirm_board",
        {"players": [{"id": "anna", "territories": ["alaska"], "armies": 3, "hand": {"joker": 1}}]},
    )

    assert (
        c.ConfirmBoard(players=(e.HoldingsFact(id="anna", territories=("alaska",), armies=3, hand={"joker": 1}),))
        == command
    )
