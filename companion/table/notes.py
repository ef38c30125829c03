"""The newest notes of the game, for the screen: what failed, what a press meant nothing for, what was put aside.

A note changes nothing and is no part of the state; but people who look at the screen must be able to see that it was
made. The newest few are kept here, read from the journal at the start.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from companion.journal import JournalReader, Record

SHOWN = 10
"""Notes that the screen is told of."""

_LOOK_BACK = 200
"""Records at the journal's end among which they are looked for at the start."""

_TYPES = frozenset({"service.noted", "clock.stepped"})


class RecentNotes:
    """The newest notes of one game.

    Args:
        journal: Where the notes of before the start are.
        opened_seq: Number of the record that opened the game.
    """

    def __init__(self, journal: JournalReader, opened_seq: int) -> None:
        self._newest: deque[Record] = deque(maxlen=SHOWN)
        self.saw(journal.after(max(opened_seq, journal.head().seq - _LOOK_BACK), _LOOK_BACK))

    def saw(self, records: Iterable[Record]) -> None:
        """Remember the notes among these records; a new game forgets those of the last."""
        for record in records:
            if record.type == "table.opened":
                self._newest.clear()
            elif record.type in _TYPES:
                self._newest.append(record)

    def newest(self) -> tuple[Mapping[str, Any], ...]:
        """The notes, newest first, with type and data as `companion.words` needs them."""
        return tuple(
            {"seq": record.seq, "at_ns": record.at_ns, "type": record.type, "data": record.data}
            for record in reversed(self._newest)
        )
