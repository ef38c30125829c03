"""Opening a journal for writing: one writer, a file that is whole, and a word on what was recovered.

Theory: the file is first read through a connection that can change nothing. Only when layout, pages, log and chain
have been judged may the writing connection come near, because SQLite tidies the log away when a file is closed, and
with it what people would need to repair it. Three findings are possible:

* whole: nothing to say but how many records are there;
* a torn tail: the last transaction is not whole. It is kept aside as a file of its own and cut off;
* damage further up: the journal is refused and left exactly as it was.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from companion.journal.errors import JournalBusy, JournalDamaged, JournalError, JournalForeign, JournalUnwritable
from companion.journal.reading import Report, stored_table_id, walk_chain
from companion.journal.records import START, Head
from companion.journal.schema import (
    FORBID,
    ROW,
    SCHEMA,
    check_layout,
    connect_to_read,
    damaged,
    is_blank,
    meaning,
    refusal,
    text_of,
)
from companion.journal.wal import read_log, valid_frames


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What was found when the journal was opened.

    Attributes:
        records: How many records were recovered.
        head: The newest of them.
        cut: How many damaged records at the very end were cut off.
        kept_aside: Where the torn tail was put, or None when there was none.
    """

    records: int
    head: Head
    cut: int
    kept_aside: Path | None


def take_lock(path: Path) -> int:
    """The descriptor that keeps every other process off this journal until it is closed or the process ends.

    Raises:
        JournalBusy: A table is already running on it.
        JournalFull: There is no room for the lock file.
        JournalUnwritable: The lock file cannot be made.
    """
    lock = _lock_of(path)
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise JournalUnwritable(
            f"{lock} cannot be made ({error.strerror}): check the folder and its rights", path=str(path)
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.read(handle, 32).decode(errors="replace").strip() or "unknown"
        os.close(handle)
        raise JournalBusy(
            f"a table is already running on {path} (process {holder}): stop that one, or give this one a state "
            "folder of its own",
            path=str(path),
            process=holder,
        ) from error
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        os.close(handle)
        raise refusal(error, path) from error
    return handle


def is_in_use(path: Path) -> bool:
    """Whether a table is running on this journal at the moment."""
    try:
        handle = os.open(_lock_of(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def has_torn_tail(path: Path) -> bool:
    """Whether the next start will have a torn tail to cut off; changes nothing.

    A journal that a table is writing has no tail to judge: the answer is then no.

    Raises:
        JournalDamaged: More than a tail is lost.
        JournalError: The file cannot be read.
    """
    if is_in_use(path):
        return False
    log = _bytes_of(path.with_name(path.name + "-wal"))
    try:
        with closing(connect_to_read(path)) as db:
            is_torn = _judge_file(db, path, log)
    except sqlite3.Error as error:
        raise meaning(error, path) from error
    except JournalDamaged:
        # A table that has started meanwhile has tidied the log that was read before.
        if is_in_use(path):
            return False
        raise
    return is_torn


def open_to_write(path: Path, table_id: str) -> tuple[sqlite3.Connection, Opening]:
    """The writing connection to a journal that was judged whole, made new if there is none.

    Raises:
        JournalDamaged: Facts in the middle do not hold; the file is as it was.
        JournalForeign: It is no journal, or another table's.
        JournalTooNew: A later version wrote it.
        JournalUnwritable: The disk refuses.
        JournalFull: There is no room.
    """
    try:
        findings = _inspect(path, table_id)
        db = _connect_to_write(path)
        try:
            if findings is None:
                _make(db, table_id)
                sync_folder(path.parent)
                findings = _Findings(report=Report(records=0, head=START, fault=None), kept_aside=None)
            cut = 0
            kept_aside, report = findings.kept_aside, findings.report
            if report.fault is not None:
                kept_aside, cut = _cut_tail(db, path)
                report = walk_chain(db)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except BaseException:
            db.close()
            raise
    except sqlite3.Error as error:
        raise meaning(error, path) from error
    except JournalError:
        raise
    except OSError as error:
        raise refusal(error, path) from error
    return db, Opening(records=report.records, head=report.head, cut=cut, kept_aside=kept_aside)


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, not only the files' contents."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Findings:
    report: Report
    kept_aside: Path | None


def _inspect(path: Path, table_id: str) -> _Findings | None:
    """What the file holds, or None when it holds nothing yet."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    log = _bytes_of(path.with_name(path.name + "-wal"))
    with closing(connect_to_read(path)) as db:
        if is_blank(db):
            return None
        check_layout(db, path)
        _check_owner(db, path, table_id)
        is_torn = _judge_file(db, path, log)
        report = walk_chain(db)
        if report.fault is not None and report.fault.seq < _last_batch(db):
            raise damaged(path, report.fault.message, report.fault.seq)
    kept_aside = _keep_aside(path, "wal", log) if is_torn else None
    return _Findings(report=report, kept_aside=kept_aside)


def _judge_file(db: sqlite3.Connection, path: Path, log: bytes) -> bool:
    """Whether the log ends in a transaction that is not whole; refuses when more than that is lost."""
    pages: str = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if pages != "ok":
        raise damaged(path, pages)
    frames = read_log(log)
    trusted = valid_frames(path.with_name(path.name + "-shm"))
    lost = frames.commits_behind(trusted)
    if lost > 1:
        raise damaged(path, f"{lost} finished transactions in its log cannot be read")
    return frames.is_torn(trusted)


def _check_owner(db: sqlite3.Connection, path: Path, table_id: str) -> None:
    owner = stored_table_id(db)
    if owner != table_id:
        raise JournalForeign(
            f"{path} is the journal of table {owner!r}, not of {table_id!r}: give this table its own state folder, "
            "or its old name back",
            path=str(path),
            owner=owner,
            table=table_id,
        )


def _last_batch(db: sqlite3.Connection) -> int:
    """First seq of the last transaction; beyond all records when the numbers of it do not agree with each other."""
    seq, batch = db.execute("SELECT seq, batch FROM records ORDER BY seq DESC LIMIT 1").fetchone()
    members, first = db.execute("SELECT count(*), min(seq) FROM records WHERE batch = ?", (batch,)).fetchone()
    agrees = first == batch and members == seq - batch + 1
    return int(batch) if agrees else int(seq) + 1


def _connect_to_write(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.text_factory = text_of
    try:
        db.execute("PRAGMA busy_timeout = 2000")
        mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA wal_autocheckpoint = 250")
    except BaseException:
        db.close()
        raise
    if mode != "wal":
        db.close()
        raise JournalUnwritable(
            f"{path} lies where no write-ahead log can be kept (SQLite answers {mode!r}): use a local disk",
            path=str(path),
        )
    return db


def _make(db: sqlite3.Connection, table_id: str) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in SCHEMA:
            db.execute(statement)
        db.execute("INSERT INTO about VALUES ('table_id', ?)", (table_id,))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _cut_tail(db: sqlite3.Connection, path: Path) -> tuple[Path, int]:
    batch = _last_batch(db)
    rows = db.execute(f"SELECT {ROW} FROM records WHERE seq >= ?", (batch,)).fetchall()  # noqa: S608 - ROW is ours
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    kept_aside = _keep_aside(path, "tail.jsonl", lines.encode(errors="surrogatepass"))
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("DROP TRIGGER records_last")
        db.execute("DELETE FROM records WHERE seq >= ?", (batch,))
        db.execute("DELETE FROM command_ids WHERE last >= ?", (batch,))
        db.execute(FORBID[1])
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return kept_aside, len(rows)


def _keep_aside(path: Path, kind: str, content: bytes) -> Path:
    number = 1
    while (target := path.with_name(f"{path.name}.torn-{number}.{kind}")).exists():
        number += 1
    try:
        with target.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        # A full disk: half a tail beside the whole one would only mislead.
        target.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return target


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise JournalUnwritable(f"{path} cannot be read ({error.strerror})", path=str(path)) from error
