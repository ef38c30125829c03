"""From a journal to the table as it stands: replayed whole, or refused with the place and the way out."""

from __future__ import annotations

import gc
from typing import ClassVar

from companion.journal import Journal
from companion.rules.errors import RulesError
from companion.rules.ruleset import load_ruleset
from companion.session.errors import SessionError
from companion.session.events import TableOpened
from companion.session.snapshot import TableState
from companion.session.state import apply
from companion.session.transitions import Phase
from companion.session.wire import from_record


class UnreadableGame(Exception):
    """The journal holds, but this program can't take up the game that it tells of."""

    code: ClassVar[str] = "unreadable-game"


def taken_up(journal: Journal) -> tuple[TableState, int]:
    """The table as the journal leaves it, and the number of the record that opened its newest game (0 for none).

    Raises:
        UnreadableGame: A record is not understood, or the rules of a running game are not to be had.
        JournalError: The file cannot be read.
    """
    # What is made here stays, or goes at once: looking for rubbish in between takes longer than all the rest.
    gc.disable()
    try:
        return _folded(journal)
    finally:
        gc.enable()


def _folded(journal: Journal) -> tuple[TableState, int]:
    state, opened_seq = TableState(), 0
    for record in journal.all():
        try:
            fact = from_record(record.type, record.v, record.at_ns, record.data)
            state = apply(state, fact)
        except (SessionError, KeyError) as error:
            raise UnreadableGame(
                f"record {record.seq} of {journal.path} is not understood ({error}); nothing was changed: "
                "install the version that wrote it, or give this table a new state_dir"
            ) from error
        if isinstance(fact, TableOpened):
            opened_seq = record.seq
    _check_rules(state, journal)
    return state, opened_seq


def _check_rules(state: TableState, journal: Journal) -> None:
    opened = state.opened
    if opened is None or state.phase is Phase.CLOSED:
        return
    try:
        load_ruleset(opened.ruleset_name, opened.options)
    except RulesError as error:
        raise UnreadableGame(
            f"the game in {journal.path} was set up with rules that this version does not have ({error}): "
            "install the version that set it up, or give this table a new state_dir"
        ) from error
