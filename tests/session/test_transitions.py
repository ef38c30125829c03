"""The table of permissions: every command has its row, every cell holds."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

import pytest

from companion.session import commands as c
from companion.session.decide import _HANDLERS, Moment, decide
from companion.session.errors import NotNow, NotYours
from companion.session.state import TableState
from companion.session.transitions import MAY, Asker, Phase, allowed
from tests.session.play import Game

EVERY = (*c.PEOPLE, *c.SENSES)


def test_every_command_has_a_row_and_a_handler() -> None:
    """No command can be sent that the table of permissions does not know, and no row stands for nothing."""
    names = {kind.name for kind in EVERY}

    assert names == set(MAY)
    assert set(EVERY) == set(_HANDLERS)


def _any_command(kind: type[c.Command]) -> c.Command:
    """A command of that kind; what it asks for does not matter to the permission."""
    blank: dict[str, Any] = {
        "str": "x",
        "int": 1,
        "bool": False,
        "float": 1.0,
        "tuple[str, ...]": (),
        "tuple[int, ...]": (),
    }
    given = {}
    for field in fields(kind):
        name = str(field.type)
        given[field.name] = blank.get(name, () if name.startswith("tuple") else None)
    return kind(**given)


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.name)
@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("asker", get_args(Asker))
def test_a_command_outside_its_cells_is_refused(kind: type[c.Command], phase: Phase, asker: Asker) -> None:
    """Wherever the table says no, `decide` says no, and says whether the time or the asker is wrong."""
    row = MAY[kind.name]
    if phase in row.phases and asker in row.askers:
        assert kind.name in allowed(phase, asker)
        return
    wrong = NotNow if phase not in row.phases else NotYours

    with pytest.raises(wrong) as refusal:
        decide(TableState(phase=phase), _any_command(kind), Moment(now_ns=1, asker=asker))

    assert kind.name == refusal.value.values["command"]


def test_nothing_moves_after_a_refusal() -> None:
    """An illegal command leaves the state as it was."""
    game = Game().playing()
    before = game.state

    with pytest.raises(NotNow):
        game.do(c.SignResult(player="anna"))

    assert before == game.state


def test_a_player_can_never_close_a_table() -> None:
    """Closing, ruling and correcting are a referee's, whatever the phase."""
    referees = {name for name, row in MAY.items() if row.askers == frozenset({"referee"})}

    assert {
        "annul_throw", "correct_die", "withdraw_claim", "reinstate_player", "reopen_board", "rule_result",
        "close_table", "amend_throw", "amend_turn", "amend_outs", "amend_claim", "rule_signal", "rule_played_on",
        "settle_dispute",
    } == referees  # fmt: skip
