"""Facts to fill a journal with."""

from __future__ import annotations

from companion.journal.records import NewRecord, Record
from companion.journal.sqlite import Journal

WALL = "2026-11-29T20:15:00.000Z"


def fact(number: int, **data: object) -> NewRecord:
    """One ruled throw, told apart by its number."""
    return NewRecord(type="throw.ruled", v=1, by="camera", at_ns=number * 1000, data={"throw": number, **data})


def write(journal: Journal, *numbers: int, command_id: str | None = None) -> tuple[Record, ...]:
    """Append one batch of throws."""
    return journal.append([fact(number) for number in numbers], boot="b1", wall=WALL, command_id=command_id)
