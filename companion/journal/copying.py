"""A journal written again elsewhere, record by record, with the hashes that it has."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from companion.journal.errors import ExportRefused, JournalUnwritable
from companion.journal.opening import open_to_write, sync_folder, take_lock
from companion.journal.reading import fault
from companion.journal.records import START, Head, Record, canonical, fault_after
from companion.journal.schema import meaning

_AT_ONCE = 1000


def write_copy(path: Path, table_id: str, records: Iterable[Record]) -> Head:
    """Make the journal of a table at `path` out of records that another one held.

    The file appears under its name only when all records are in it and their chain held.

    Args:
        path: Where the journal is to be; nothing may lie there.
        table_id: Whose journal it is.
        records: From the first, in order.

    Returns:
        The head of the new journal.

    Raises:
        ExportRefused: There is a journal already, or the chain of the records does not hold.
        JournalBusy: A table is running on that place.
        JournalFull: There is no room.
        JournalUnwritable: The disk refuses.
    """
    if path.exists():
        raise ExportRefused(
            f"there is a journal at {path} already: name an empty folder, journals are never written over",
            path=str(path),
        )
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left_over in path.parent.glob(unfinished.name + "*"):
            left_over.unlink()
    except OSError as error:
        raise JournalUnwritable(
            f"{path.parent} cannot be written ({error.strerror}): check the path and its rights", path=str(path)
        ) from error
    lock = take_lock(path)
    try:
        db, _ = open_to_write(unfinished, table_id)
        with closing(db):
            head = _fill(db, path, iter(records))
        unfinished.rename(path)
        sync_folder(path.parent)
    except sqlite3.Error as error:
        raise meaning(error, path) from error
    finally:
        os.close(lock)
    return head


def _fill(db: sqlite3.Connection, path: Path, records: Iterator[Record]) -> Head:
    head = START
    while page := list(islice(records, _AT_ONCE)):
        rows = []
        for record in page:
            code = fault_after(head, record)
            if code is not None:
                found = fault(code, head=head, found=record.seq)
                raise ExportRefused(
                    f"{found.message}: nothing was written to {path}; use another copy", seq=found.seq, why=code
                )
            head = Head(seq=record.seq, hash=record.hash)
            rows.append(
                (record.seq, record.at_ns, record.boot, record.wall, record.type, record.v, record.by,
                 canonical(record.data), record.prev, record.hash, record.seq)
            )  # fmt: skip
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        db.execute("COMMIT")
    return head
