"""The journal's file: its tables, its triggers, and what SQLite's complaints mean for a table."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from companion.journal.errors import (
    JournalBusy,
    JournalDamaged,
    JournalError,
    JournalForeign,
    JournalFull,
    JournalTooNew,
    JournalUnwritable,
)

APPLICATION_ID = 0x54434A31
"""'TCJ1': tells a journal from any other SQLite file."""

VERSION = 1
"""Layout of the file; a file with a higher one is refused, never read half."""

FORBID = (
    "CREATE TRIGGER records_stay BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'a journal is append-only'); END",
    "CREATE TRIGGER records_last BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'a journal is append-only'); END",
)
"""Nothing is edited and nothing leaves: corrections are new records."""

SCHEMA = (
    """CREATE TABLE records (
        seq INTEGER PRIMARY KEY, at_ns INTEGER NOT NULL, boot TEXT NOT NULL, wall TEXT NOT NULL, type TEXT NOT NULL,
        v INTEGER NOT NULL, "by" TEXT NOT NULL, data TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL,
        batch INTEGER NOT NULL) STRICT""",
    """CREATE TABLE command_ids (
        id TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT, WITHOUT ROWID""",
    "CREATE TABLE draft (one INTEGER PRIMARY KEY CHECK (one = 1), body TEXT NOT NULL) STRICT",
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    *FORBID,
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {VERSION}",
)

ROW = 'seq, at_ns, boot, wall, type, v, "by", data, prev, hash'
"""The columns of a record, in the order of its fields."""


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that can change nothing, not even tidy the log when it closes.

    Raises:
        JournalUnwritable: There is no such file, or it cannot be read.
    """
    if not path.is_file():
        raise JournalUnwritable(
            f"there is no journal at {path}: name the state folder of a table, an export, or a file of lines",
            path=str(path),
        )
    # SQLite reads a journal only where it may make an index of the log beside it; on a card that cannot be written it
    # takes our word that nobody else writes either. Where there is a log, that word would hide what the log holds.
    beside = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    still = not os.access(path.parent, os.W_OK) and not any(file.exists() for file in beside)
    mode = "mode=ro&immutable=1" if still else "mode=ro"
    try:
        db = sqlite3.connect(
            f"{path.resolve().as_uri()}?{mode}", uri=True, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise meaning(error, path) from error
    db.text_factory = text_of
    return db


def text_of(stored: bytes) -> str:
    """A stored text; bytes that are no UTF-8 stay recognisable, so that the hash finds them and not a crash."""
    return stored.decode(errors="surrogateescape")


def is_blank(db: sqlite3.Connection) -> bool:
    """Whether the file holds nothing yet: new, or left by a first start that was cut off."""
    tables: int = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    return tables == 0 and version == 0


def check_layout(db: sqlite3.Connection, path: Path) -> None:
    """Make sure that this is a journal that this version can read.

    Raises:
        JournalForeign: It is another kind of file.
        JournalTooNew: It is a journal of a later version.
    """
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise JournalForeign(f"{path} is a database but no journal of a table: name the right file", path=str(path))
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise JournalTooNew(
            f"{path} has layout {version}, this companion knows up to {VERSION}: install the newer companion "
            "that wrote it; nothing was changed",
            path=str(path),
            version=version,
            known=VERSION,
        )


def meaning(error: sqlite3.Error, path: Path) -> JournalError:
    """What an SQLite error means for the people at the table."""
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    where = {"path": str(path), "why": str(error)}
    # A log's index that finds no room is told as a failure of the disk.
    if primary == sqlite3.SQLITE_FULL or (primary == sqlite3.SQLITE_IOERR and not _has_room(path.parent)):
        return JournalFull(
            f"no room left for {path}: the last facts were not written; free some space and try again", **where
        )
    if primary == sqlite3.SQLITE_NOTADB:
        return JournalForeign(f"{path} is no journal of a table: name the right file", **where)
    if primary == sqlite3.SQLITE_CORRUPT:
        return damaged(path, str(error))
    if primary == sqlite3.SQLITE_CANTOPEN:
        return JournalUnwritable(
            f"{path} cannot be opened ({error}): check its rights; of a disk that cannot be written, copy the whole "
            "folder to one that can",
            **where,
        )
    if primary == sqlite3.SQLITE_BUSY:
        return JournalBusy(f"{path} is held by another program: stop it first", **where)
    return JournalUnwritable(f"{path} cannot be read or written ({error}): check the disk and its rights", **where)


def _has_room(folder: Path) -> bool:
    return os.statvfs(folder).f_bavail > 0


def refusal(error: OSError, path: Path) -> JournalError:
    """What a refusal of the system itself means for the people at the table."""
    why = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return JournalFull(
            f"no room left for {path}: free some space and try again; nothing was changed", path=str(path), why=why
        )
    return JournalUnwritable(
        f"{path} cannot be written ({why}): check the disk and its rights", path=str(path), why=why
    )


def damaged(path: Path, why: str, seq: int | None = None) -> JournalDamaged:
    """The refusal for a journal whose middle is damaged, with the way out."""
    place = "" if seq is None else f" at record {seq}"
    return JournalDamaged(
        f"{path} is damaged{place} ({why}): the table does not start, because it would have to guess. Keep the whole "
        "folder, take the hub's copy or the newest export, and `companion journal restore` it into a new folder",
        path=str(path),
        why=why,
        seq=seq,
    )
