"""The journal of one table: an append-only SQLite file that only one process may write."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from companion.journal.errors import CommandKnown, JournalUnwritable, RecordRefused
from companion.journal.opening import Opening, open_to_write, take_lock
from companion.journal.reading import JournalReader
from companion.journal.records import Head, NewRecord, Record, canonical, canonical_data, chained
from companion.journal.schema import meaning

MAX_DRAFT_BYTES = 64 * 1024
"""Most that a draft may hold, in UTF-8."""


class Journal(JournalReader):
    """A journal opened by its one writer.

    What `append` returned is on the disk: the log is synced before it returns. When it raises, none of the facts
    was written and the journal goes on from the same head.
    """

    def __init__(self, db: sqlite3.Connection, path: Path, table_id: str, opening: Opening, lock: int) -> None:
        super().__init__(db, path, table_id)
        self._opening = opening
        self._head = opening.head
        self._lock_handle: int | None = lock

    @classmethod
    def open(cls, path: Path, *, table_id: str) -> Self:
        """The journal at `path`, made if there is none, locked against every other writer.

        Args:
            path: The SQLite file; its folder is made if need be.
            table_id: Whose journal it is; a journal never changes hands.

        Raises:
            JournalBusy: A table is already running on it.
            JournalDamaged: Facts in the middle do not hold; nothing was changed.
            JournalForeign: It is no journal, or another table's.
            JournalTooNew: A later version wrote it; nothing was changed.
            JournalFull: There is no room.
            JournalUnwritable: The disk refuses.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise JournalUnwritable(
                f"{path.parent} cannot be made ({error.strerror}): check the path and its rights", path=str(path)
            ) from error
        lock = take_lock(path)
        try:
            db, opening = open_to_write(path, table_id)
        except BaseException:
            os.close(lock)
            raise
        return cls(db, path, table_id, opening, lock)

    @property
    def opening(self) -> Opening:
        """What was found and recovered when the journal was opened."""
        return self._opening

    def head(self) -> Head:
        """The newest place."""
        return self._head

    def append(
        self,
        rows: Sequence[NewRecord],
        *,
        boot: str,
        wall: str,
        command_id: str | None = None,
        clears_draft: bool = False,
    ) -> tuple[Record, ...]:
        """Write facts, all or none, and return them as they now stand for ever.

        Args:
            rows: The facts in their order; none is fine (a command that changed nothing is remembered too).
            boot: Which run of the machine the stamps count in.
            wall: Wall time now, ISO 8601 in UTC.
            command_id: The command that caused them; remembered in the same transaction.
            clears_draft: Whether these facts are what the draft was for.

        Raises:
            RecordRefused: A fact cannot be kept.
            CommandKnown: This command was carried out before; ask `seqs_of`.
            JournalFull: There is no room.
            JournalUnwritable: The disk refuses.
        """
        with self._lock:
            head = self._head
            records: list[Record] = []
            texts: list[str] = []
            for new in rows:
                record, text = chained(new, head, boot=boot, wall=wall)
                records.append(record)
                texts.append(text)
                head = Head(seq=record.seq, hash=record.hash)
            first = self._head.seq + 1
            with self._transaction() as db:
                if command_id is not None:
                    self._remember(db, command_id, first, head.seq)
                db.executemany(
                    "INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        (r.seq, r.at_ns, r.boot, r.wall, r.type, r.v, r.by, text, r.prev, r.hash, first)
                        for r, text in zip(records, texts, strict=True)
                    ],
                )
                if clears_draft:
                    db.execute("DELETE FROM draft")
            self._head = head
            return tuple(records)

    def seqs_of(self, command_id: str) -> tuple[int, ...] | None:
        """The records that a command caused, perhaps none; None when the command was never carried out."""
        with self._asked() as db:
            row = db.execute("SELECT first, last FROM command_ids WHERE id = ?", (command_id,)).fetchone()
        return None if row is None else tuple(range(row[0], row[1] + 1))

    def draft(self) -> dict[str, Any] | None:
        """The half-typed board as it was put, or None."""
        with self._asked() as db:
            row = db.execute("SELECT body FROM draft").fetchone()
        return None if row is None else json.loads(row[0])

    def put_draft(self, draft: dict[str, Any] | None) -> None:
        """Keep a half-typed board durably; None throws it away.

        Raises:
            RecordRefused: It is no plain JSON, or larger than `MAX_DRAFT_BYTES`.
            JournalFull: There is no room; the draft before stays.
            JournalUnwritable: The disk refuses.
        """
        body = None if draft is None else canonical_data(draft)
        size = 0 if body is None else len(body.encode())
        if size > MAX_DRAFT_BYTES:
            raise RecordRefused(
                f"a draft holds at most {MAX_DRAFT_BYTES} bytes, got {size}", limit=MAX_DRAFT_BYTES, size=size
            )
        with self._lock, self._transaction() as db:
            if body is None:
                db.execute("DELETE FROM draft")
            else:
                db.execute("INSERT OR REPLACE INTO draft VALUES (1, ?)", (body,))

    def close(self) -> None:
        """Let go of the file and of the lock; twice is fine."""
        with self._lock:
            super().close()
            if self._lock_handle is not None:
                os.close(self._lock_handle)
                self._lock_handle = None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        db = self._db
        try:
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise meaning(error, self._path) from error
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        # On a disk that fails, the rollback may fail too: the first error is the one to tell, and the next
        # transaction cannot begin before this one is gone.
        with contextlib.suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def _remember(self, db: sqlite3.Connection, command_id: str, first: int, last: int) -> None:
        canonical(command_id)
        try:
            db.execute("INSERT INTO command_ids VALUES (?, ?, ?)", (command_id, first, last))
        except sqlite3.IntegrityError as error:
            raise CommandKnown(
                f"command {command_id!r} was carried out before: its records are in the journal", id=command_id
            ) from error
