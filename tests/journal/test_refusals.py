"""Journals that a start refuses or survives: newer, foreign, on a disk that fails, under a killed writer."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.journal.errors import (
    JournalForeign,
    JournalFull,
    JournalTooNew,
    JournalUnwritable,
)
from companion.journal.reading import open_to_read
from companion.journal.schema import meaning
from companion.journal.sqlite import Journal

from .facts import write
from .test_opening import crashed_copy, folder_bytes

Opened = Callable[[], Journal]


def test_a_newer_journal_is_refused_untouched(opened: Opened, place: Path) -> None:
    """A file of a later layout is neither read nor changed."""
    opened().close()
    with closing(sqlite3.connect(place)) as db:
        db.execute("PRAGMA user_version = 99")
    before = place.read_bytes()
    with pytest.raises(JournalTooNew) as caught:
        opened()

    assert (99, before) == (caught.value.values["version"], place.read_bytes())


def test_another_tables_journal_is_refused(opened: Opened, place: Path) -> None:
    """A journal never changes hands by a mistyped folder."""
    opened().close()
    with pytest.raises(JournalForeign) as caught:
        Journal.open(place, table_id="8")

    assert ("7", "8") == (caught.value.values["owner"], caught.value.values["table"])


def test_other_files_are_refused(tmp_path: Path) -> None:
    """A text file and somebody else's database are told apart from a journal."""
    text, database = tmp_path / "notes.txt", tmp_path / "other.sqlite"
    text.write_text("not a database, but long enough to be looked at as one " * 100)
    with closing(sqlite3.connect(database)) as db:
        db.execute("CREATE TABLE t (x)")
        db.commit()
    codes = []
    for path in (text, database):
        with pytest.raises(JournalForeign) as caught:
            Journal.open(path, table_id="7")
        codes.append(caught.value.code)

    assert ["journal-foreign"] * 2 == codes


def test_a_missing_journal_cannot_be_read(place: Path) -> None:
    """Reading makes no file."""
    with pytest.raises(JournalUnwritable) as caught:
        open_to_read(place)

    assert (str(place), False) == (caught.value.values["path"], place.exists())


def test_an_empty_file_becomes_a_journal(opened: Opened, place: Path) -> None:
    """A first start that was cut off right after making the file does not block the second."""
    place.parent.mkdir()
    place.touch()

    assert 0 == opened().opening.records


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file where the state folder should be gives one clear error."""
    (tmp_path / "state").write_text("in the way")
    with pytest.raises(JournalUnwritable) as caught:
        Journal.open(tmp_path / "state" / "journal.sqlite", table_id="7")

    assert "journal-unwritable" == caught.value.code


def test_a_disk_that_fails_is_told_and_survived(opened: Opened, place: Path) -> None:
    """A read error is no crash: facts are refused, and go on once the disk answers again."""
    journal = opened()
    write(journal, 1)
    journal._db.execute("PRAGMA query_only = ON")
    with pytest.raises(JournalUnwritable) as caught:
        write(journal, 2)
    journal._db.execute("PRAGMA query_only = OFF")
    write(journal, 3)

    assert (str(place), [1, 3]) == (caught.value.values["path"], [r.data["throw"] for r in journal.after(0)])


def test_a_closed_journal_refuses(opened: Opened) -> None:
    """Writing after the close is an error in words, not a traceback of the database."""
    journal = opened()
    journal.close()
    with pytest.raises(JournalUnwritable) as caught:
        write(journal, 1)

    assert "journal-unwritable" == caught.value.code


WRITER = """
import sys
from pathlib import Path
from companion.journal.records import NewRecord
from companion.journal.sqlite import Journal
journal = Journal.open(Path(sys.argv[1]), table_id="7")
while True:
    seq = journal.head().seq
    rows = [NewRecord(type="a.b", v=1, by="x", at_ns=1, data={"n": seq + i}) for i in range(seq % 3 + 1)]
    print(journal.append(rows, boot="b", wall="w")[-1].seq, flush=True)
"""


def test_killed_writers_lose_nothing_that_was_told(place: Path) -> None:
    """Whatever number a writer printed before it was killed is in the journal, and the chain holds."""
    told, found = [], []
    for round_number in range(6):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(place)], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            first = writer.stdout.readline()
            time.sleep(0.02 + 0.013 * round_number)
            writer.send_signal(signal.SIGKILL)
            lines = [first, *writer.stdout.read().splitlines()]
        told.append(int(lines[-1]))
        with Journal.open(place, table_id="7") as journal:
            found.append((journal.opening.records >= told[-1], journal.verify().fault))

    assert [(True, None)] * 6 == found


def test_a_start_on_a_full_disk_is_told(opened: Opened, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the lock can be written: the start says so, names the journal, and the next one is free."""
    journal = opened()
    write(journal, 1)
    journal.close()

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(JournalFull, match="free some space") as caught:
        patch.setattr(os, "pwrite", full)
        opened()

    assert (str(place), 1) == (caught.value.values["path"], opened().opening.records)


def test_a_torn_tail_that_finds_no_room_is_not_half_kept(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk refuses the start, and leaves the folder as it was for one that has room."""
    journal = opened()
    write(journal, 1)
    copy = crashed_copy(journal, tmp_path / "copy")
    log = copy.with_name(copy.name + "-wal")
    log.write_bytes(log.read_bytes()[:-100])
    before = folder_bytes(copy.parent)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(JournalFull):
        patch.setattr(os, "fsync", full)
        Journal.open(copy, table_id=journal.table_id)

    assert before == folder_bytes(copy.parent)


def test_a_card_that_cannot_be_written_is_read(opened: Opened, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The card of a dead table, put into another machine, is read without a single file being made on it."""
    journal = opened()
    write(journal, 1)
    journal.close()
    before = sorted(place.parent.iterdir())
    monkeypatch.setattr(os, "access", lambda *_: False)

    with open_to_read(place) as reader:
        records = [record.seq for record in reader.all()]
        beside = sorted(place.parent.iterdir())

    assert ([1], before) == (records, beside)


def test_a_log_without_room_is_a_full_disk(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite tells of an index that finds no room as of a broken disk; people are told to make room."""
    failure = sqlite3.OperationalError("disk I/O error")
    failure.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    place.parent.mkdir()
    with_room = meaning(failure, place)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=0))

    assert ("journal-unwritable", "journal-full") == (with_room.code, meaning(failure, place).code)
