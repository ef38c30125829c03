"""Reading a journal and proving its chain, without the right to change it."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from companion.journal.records import START, Head, Record, fault_of_text
from companion.journal.schema import ROW, check_layout, connect_to_read, meaning

MAX_PAGE = 10_000
"""Most records that one call hands out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The first record that breaks the chain.

    Attributes:
        seq: Its number, or the number that is missing.
        code: `gap`, `unchained` or `altered`.
        message: What is wrong, in English.
    """

    seq: int
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a check of the whole chain found.

    Attributes:
        records: How many records hold, counted from the first.
        head: The last one that holds.
        fault: The first that does not, or None.
    """

    records: int
    head: Head
    fault: Fault | None


_MEANINGS = {
    "gap": "record {seq} is missing: the next one is {found}",
    "unchained": "record {seq} does not follow from record {before}",
    "altered": "record {seq} was changed after it was written",
}


def fault(code: str, *, head: Head, found: int) -> Fault:
    """The fault of the record `found` that should have followed `head`."""
    seq = head.seq + 1 if code == "gap" else found
    text = _MEANINGS[code].format(seq=seq, found=found, before=head.seq)
    return Fault(seq=seq, code=code, message=text)


class JournalReader:
    """A journal opened to be read; also beside a table that is writing it."""

    def __init__(self, db: sqlite3.Connection, path: Path, table_id: str) -> None:
        self._db = db
        self._path = path
        self._table_id = table_id
        self._lock = threading.RLock()

    @property
    def path(self) -> Path:
        """Where the journal lies."""
        return self._path

    @property
    def table_id(self) -> str:
        """Whose journal it is."""
        return self._table_id

    def head(self) -> Head:
        """The newest place."""
        with self._asked() as db:
            row = db.execute("SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1").fetchone()
        return START if row is None else Head(seq=row[0], hash=row[1])

    def after(self, seq: int, limit: int = 1000) -> tuple[Record, ...]:
        """The records behind `seq`, oldest first.

        Args:
            seq: The last one that the caller has; 0 for none.
            limit: At most so many, 1..`MAX_PAGE`; larger wishes are cut down to it.

        Raises:
            JournalError: The file cannot be read.
        """
        with self._asked() as db:
            rows = db.execute(
                f"SELECT {ROW} FROM records WHERE seq > ? ORDER BY seq LIMIT ?",  # noqa: S608 - ROW is ours
                (seq, max(1, min(limit, MAX_PAGE))),
            ).fetchall()
        return tuple(_record(row, json.loads(row[7])) for row in rows)

    def all(self) -> Iterator[Record]:
        """Every record from the first, a page at a time, so that a long journal never fills the memory."""
        seq = 0
        while page := self.after(seq, MAX_PAGE):
            yield from page
            seq = page[-1].seq

    def verify(self) -> Report:
        """Check every record against its hash and its place in the chain; stops at the first that fails.

        Raises:
            JournalError: The file cannot be read.
        """
        with self._asked() as db:
            return walk_chain(db)

    def close(self) -> None:
        """Let go of the file; twice is fine."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _asked(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                raise meaning(error, self._path) from error


def open_to_read(path: Path) -> JournalReader:
    """The journal at `path`, to be read only.

    Raises:
        JournalForeign: It is no journal, or an empty one.
        JournalTooNew: A later version wrote it.
        JournalUnwritable: It is not there or cannot be read.
    """
    db = connect_to_read(path)
    try:
        check_layout(db, path)
        return JournalReader(db, path, stored_table_id(db))
    except sqlite3.Error as error:
        db.close()
        raise meaning(error, path) from error
    except BaseException:
        db.close()
        raise


def _record(row: tuple[Any, ...], data: Any) -> Record:
    """A row of `ROW` with its data, parsed or as it stands; spelt out, since a start does it for every record."""
    return Record(
        seq=row[0], at_ns=row[1], boot=row[2], wall=row[3], type=row[4], v=row[5], by=row[6], data=data, prev=row[8],
        hash=row[9],
    )  # fmt: skip


def stored_table_id(db: sqlite3.Connection) -> str:
    """Whose journal the file says that it is."""
    row = db.execute("SELECT value FROM about WHERE name = 'table_id'").fetchone()
    return str(row[0]) if row else ""


def walk_chain(db: sqlite3.Connection) -> Report:
    """The report on all records of an open file."""
    head = START
    for row in db.execute(f"SELECT {ROW} FROM records ORDER BY seq"):  # noqa: S608 - ROW is ours
        record = _record(row, row[7])
        code = fault_of_text(head, record, row[7])
        if code is None:
            head = Head(seq=record.seq, hash=record.hash)
            continue
        return Report(records=head.seq, head=head, fault=fault(code, head=head, found=record.seq))
    return Report(records=head.seq, head=head, fault=None)
