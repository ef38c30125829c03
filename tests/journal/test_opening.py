"""What a start makes of the file that it finds: whole, torn, damaged, foreign, or in use."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from companion.journal.errors import (
    JournalBusy,
    JournalDamaged,
)
from companion.journal.sqlite import Journal

from .facts import WALL, fact, write

Opened = Callable[[], Journal]
FRAME = 24 + 4096


def tamper(place: Path, statement: str) -> None:
    """Change a closed journal as only a broken card or a forger would."""
    with closing(sqlite3.connect(place, isolation_level=None)) as db:
        for trigger in ("records_stay", "records_last"):
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute(statement)
        for name, verb in (("records_stay", "UPDATE"), ("records_last", "DELETE")):
            db.execute(f"CREATE TRIGGER {name} BEFORE {verb} ON records BEGIN SELECT RAISE(ABORT, 'no'); END")


def crashed_copy(journal: Journal, target: Path) -> Path:
    """What is on the disk at this moment, as after a cut of the power."""
    target.mkdir()
    for name in (journal.path.name, journal.path.name + "-wal"):
        shutil.copy(journal.path.with_name(name), target / name)
    return target / journal.path.name


def folder_bytes(folder: Path) -> dict[str, bytes]:
    """Every file that holds anything, but the lock and SQLite's index, which are made anew at each start."""
    files = [file for file in folder.iterdir() if file.suffix != ".lock" and not file.name.endswith("-shm")]
    return {file.name: file.read_bytes() for file in files if file.stat().st_size}


def test_a_second_table_is_refused(opened: Opened, place: Path) -> None:
    """One journal has one writer, and the second is told where and who."""
    opened()
    with pytest.raises(JournalBusy) as caught:
        Journal.open(place, table_id="7")

    assert (str(place), str(os.getpid())) == (caught.value.values["path"], caught.value.values["process"])


def test_the_lock_goes_with_the_journal(opened: Opened) -> None:
    """Closing twice is fine and lets the next writer in."""
    journal = opened()
    journal.close()
    journal.close()

    assert 0 == opened().opening.records


def test_recovery_says_how_much(opened: Opened) -> None:
    """A start tells how many facts it found, and that nothing was torn."""
    journal = opened()
    write(journal, 1, 2, 3)
    journal.close()
    opening = opened().opening

    assert (3, 0, None) == (opening.records, opening.cut, opening.kept_aside)


def test_a_crash_loses_nothing(opened: Opened, tmp_path: Path) -> None:
    """All that append returned is there when the power is cut right after."""
    journal = opened()
    written = write(journal, 1, 2) + write(journal, 3)
    with Journal.open(crashed_copy(journal, tmp_path / "crash"), table_id="7") as again:
        assert written == again.after(0)


def test_a_torn_tail_is_cut_and_kept_aside(opened: Opened, tmp_path: Path) -> None:
    """A last transaction that is only half on the disk goes as a whole; the bytes stay for people to see."""
    journal = opened()
    for number in range(1, 6):
        write(journal, number)
    copy = crashed_copy(journal, tmp_path / "crash")
    log = copy.with_name(copy.name + "-wal")
    damaged = bytearray(log.read_bytes())
    damaged[-100] ^= 0xFF
    log.write_bytes(damaged)
    with Journal.open(copy, table_id="7") as again:
        opening = again.opening
        write(again, 6)

        assert opening.kept_aside is not None
        assert (4, bytes(damaged), [1, 2, 3, 4, 6]) == (
            opening.records,
            opening.kept_aside.read_bytes(),
            [record.data["throw"] for record in again.after(0)],
        )


def test_a_torn_tail_is_reported_once(opened: Opened, tmp_path: Path) -> None:
    """After the cut the journal is whole: the next start has nothing to say."""
    journal = opened()
    for number in range(1, 4):
        write(journal, number)
    copy = crashed_copy(journal, tmp_path / "crash")
    log = copy.with_name(copy.name + "-wal")
    log.write_bytes(log.read_bytes()[:-10] + b"\0" * 10)
    Journal.open(copy, table_id="7").close()
    with Journal.open(copy, table_id="7") as again:
        assert (2, None) == (again.opening.records, again.opening.kept_aside)


@pytest.mark.parametrize("frame", [0, 4])
def test_a_log_damaged_in_its_middle_stops_the_table(opened: Opened, tmp_path: Path, frame: int) -> None:
    """Finished transactions behind a bad frame would vanish without a word: refuse, and touch nothing."""
    journal = opened()
    for number in range(1, 12):
        write(journal, number)
    copy = crashed_copy(journal, tmp_path / "crash")
    log = copy.with_name(copy.name + "-wal")
    damaged = bytearray(log.read_bytes())
    damaged[32 + frame * FRAME + 200] ^= 0xFF
    log.write_bytes(damaged)
    before = folder_bytes(copy.parent)
    with pytest.raises(JournalDamaged) as caught:
        Journal.open(copy, table_id="7")

    assert ("journal-damaged", before) == (caught.value.code, folder_bytes(copy.parent))


@pytest.fixture(scope="module")
def crash(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[int, ...]]:
    """What a cut of the power leaves of seven transactions, and how many records are there after each."""
    folder = tmp_path_factory.mktemp("crash")
    with Journal.open(folder / "state" / "journal.sqlite", table_id="7") as journal:
        heads = [write(journal, *range(size))[-1].seq for size in (1, 3, 1, 2, 1, 1, 2)]
        return crashed_copy(journal, folder / "copy"), tuple(heads)


def outcome(crash: Path, folder: Path, log: bytes) -> tuple[int, bool] | str:
    """Records and whether something was kept aside when a start finds this log; or the code of its refusal."""
    folder.mkdir()
    shutil.copy(crash, folder / crash.name)
    (folder / f"{crash.name}-wal").write_bytes(log)
    try:
        with Journal.open(folder / crash.name, table_id="7") as journal:
            assert journal.verify().fault is None
            return journal.opening.records, journal.opening.kept_aside is not None
    except JournalDamaged as damage:
        return damage.code


def test_one_flipped_bit_never_loses_more_than_it_says(crash: tuple[Path, tuple[int, ...]], tmp_path: Path) -> None:
    """Wherever a bit of the log flips: all is there, or the last transaction is aside, or the table is stopped."""
    place, heads = crash
    log = place.with_name(place.name + "-wal").read_bytes()
    fair = {(heads[-1], False), (heads[-1], True), (heads[-2], True), "journal-damaged"}
    chance = random.Random(7)
    seen = []
    headers = [32 + frame * FRAME + byte for frame in range((len(log) - 32) // FRAME) for byte in range(24)]
    for number, at in enumerate([*range(0, 32, 3), *chance.sample(headers, 60), *chance.sample(range(len(log)), 40)]):
        flipped = bytearray(log)
        flipped[at] ^= 1 << chance.randrange(8)
        seen.append(outcome(place, tmp_path / str(number), bytes(flipped)))

    assert (set(), True) == (set(seen) - fair, {(heads[-2], True), "journal-damaged"} <= set(seen))


def test_a_log_that_ends_anywhere_gives_whole_transactions(crash: tuple[Path, tuple[int, ...]], tmp_path: Path) -> None:
    """However much of the log reached the disk, a start finds transactions whole and in order."""
    place, heads = crash
    log = place.with_name(place.name + "-wal").read_bytes()
    chance = random.Random(8)
    seen = [
        outcome(place, tmp_path / str(number), log[:size])
        for number, size in enumerate(chance.sample(range(len(log)), 60))
    ]
    counts = {found[0] for found in seen if not isinstance(found, str)}

    assert (set(), 60) == (counts - {0, *heads}, len(seen))


def test_a_log_with_a_damaged_header_stops_the_table(opened: Opened, tmp_path: Path) -> None:
    """A log whose first bytes are gone is not taken for an empty one."""
    journal = opened()
    for number in range(1, 6):
        write(journal, number)
    copy = crashed_copy(journal, tmp_path / "crash")
    log = copy.with_name(copy.name + "-wal")
    log.write_bytes(b"\0" * 32 + log.read_bytes()[32:])
    with pytest.raises(JournalDamaged) as caught:
        Journal.open(copy, table_id="7")

    assert "journal-damaged" == caught.value.code


def test_a_damaged_middle_stops_the_table(opened: Opened, place: Path) -> None:
    """A fact that was changed under its hash is named, and nothing is guessed."""
    journal = opened()
    for number in range(1, 6):
        write(journal, number)
    journal.close()
    tamper(place, "UPDATE records SET data = '{\"throw\":99}' WHERE seq = 3")
    before = folder_bytes(place.parent)
    with pytest.raises(JournalDamaged) as caught:
        opened()

    assert (3, before) == (caught.value.values["seq"], folder_bytes(place.parent))


def test_bytes_that_are_no_text_stop_the_table(opened: Opened, place: Path) -> None:
    """A flipped bit that breaks a letter is found like any other change."""
    journal = opened()
    for number in range(1, 6):
        write(journal, number)
    journal.close()
    tamper(place, "UPDATE records SET data = CAST(X'7BFF7D' AS TEXT) WHERE seq = 2")
    with pytest.raises(JournalDamaged) as caught:
        opened()

    assert 2 == caught.value.values["seq"]


def test_a_missing_record_stops_the_table(opened: Opened, place: Path) -> None:
    """A gap in the middle is damage."""
    journal = opened()
    for number in range(1, 6):
        write(journal, number)
    journal.close()
    tamper(place, "DELETE FROM records WHERE seq = 2")
    with pytest.raises(JournalDamaged) as caught:
        opened()

    assert 2 == caught.value.values["seq"]


def test_a_damaged_last_batch_is_cut_whole(opened: Opened, place: Path) -> None:
    """If only the last transaction does not hold, all of it goes aside, its command with it."""
    journal = opened()
    write(journal, 1, 2)
    write(journal, 3, 4, command_id="c1")
    journal.close()
    tamper(place, "UPDATE records SET wall = 'never' WHERE seq = 4")
    again = opened()
    write(again, 5)

    assert again.opening.kept_aside is not None
    assert (2, 2, 2, None, None, [1, 2, 5]) == (
        again.opening.records,
        again.opening.cut,
        len(again.opening.kept_aside.read_text().splitlines()),
        again.seqs_of("c1"),
        again.verify().fault,
        [record.data["throw"] for record in again.after(0)],
    )


def test_a_wrong_batch_number_cuts_nothing(opened: Opened, place: Path) -> None:
    """Where even the extent of the last transaction is in doubt, people decide."""
    journal = opened()
    for number in range(1, 6):
        write(journal, number)
    journal.close()
    tamper(place, "UPDATE records SET batch = 2, wall = 'never' WHERE seq = 5")
    with pytest.raises(JournalDamaged) as caught:
        opened()

    assert 5 == caught.value.values["seq"]


def test_damaged_pages_stop_the_table(opened: Opened, place: Path) -> None:
    """Pages that SQLite itself cannot read are damage, told without a traceback."""
    journal = opened()
    for number in range(1, 200):
        journal.append([fact(number, text="x" * 100)], boot="b1", wall=WALL)
    journal.close()
    content = bytearray(place.read_bytes())
    content[4096 * 8 : 4096 * 11] = b"\xaa" * (4096 * 3)
    place.write_bytes(content)
    with pytest.raises(JournalDamaged) as caught:
        opened()

    assert "journal-damaged" == caught.value.code
