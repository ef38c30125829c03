"""A place for a journal, and a way to open it again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.journal.sqlite import Journal


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the journal of the test lies; nothing is there yet."""
    return tmp_path / "state" / "journal.sqlite"


@pytest.fixture
def opened(place: Path) -> Iterator[Callable[[], Journal]]:
    """Opens the journal of table 7 as often as asked; all are closed afterwards."""
    journals: list[Journal] = []

    def open_it() -> Journal:
        journals.append(Journal.open(place, table_id="7"))
        return journals[-1]

    yield open_it
    for journal in journals:
        journal.close()
