"""The second copy on a stick: it follows, survives whatever the stick does, and makes a journal again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.journal import Journal, NewRecord, open_to_read, second
from companion.journal.checking import check
from companion.journal.export import restore
from companion.journal.second import SecondCopy

WALL = "2026-11-29T20:00:00.000Z"


def write(journal: Journal, count: int) -> None:
    """Some facts."""
    rows = [
        NewRecord(type="service.noted", v=1, by="rig", at_ns=at, data={"code": "x", "values": {}})
        for at in range(count)
    ]
    journal.append(rows, boot="b", wall=WALL)


def until(is_so: Callable[[], bool]) -> None:
    """Look until it is so."""
    end = time.monotonic() + 10
    while not is_so() and time.monotonic() < end:
        time.sleep(0.01)
    assert is_so()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A journal with three facts."""
    with Journal.open(tmp_path / "state" / "journal.sqlite", table_id="7") as opened:
        write(opened, 3)
        yield opened


@pytest.fixture
def stick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stick that is looked for often."""
    monkeypatch.setattr(second, "LOOK_AGAIN_S", 0.05)
    (tmp_path / "stick").mkdir()
    return tmp_path / "stick"


def test_a_copy_follows_and_makes_a_journal_again(journal: Journal, stick: Path, tmp_path: Path) -> None:
    """What lies on the stick is checked and restored with the commands for files of lines."""
    copy = SecondCopy(journal, stick, is_stick=Path.is_dir)
    write(journal, 600)
    until(lambda: copy.state.copied == 603)
    copy.close()
    lines = stick / "journal-7.jsonl"

    verdict = check(lines)
    restore(lines, tmp_path / "new", table_id="7")

    assert (603, True, journal.head()) == (verdict.records, verdict.holds, verdict.head)
    with open_to_read(tmp_path / "new" / "journal.sqlite") as again:
        assert again.head() == journal.head()


def test_a_stick_that_is_pulled_out_and_put_in_again(journal: Journal, stick: Path) -> None:
    """Gone is said; put in again the copy goes on, a line that was torn is cut off first."""
    is_in = {"now": True}
    copy = SecondCopy(journal, stick, is_stick=lambda _folder: is_in["now"])
    until(lambda: copy.state.copied == 3)
    is_in["now"] = False
    until(lambda: not copy.state.is_there)
    lines = stick / "journal-7.jsonl"
    with lines.open("ab") as file:
        file.write(b'{"seq": 4, "at')
    write(journal, 2)
    is_in["now"] = True
    until(lambda: copy.state.copied == 5)
    copy.close()

    assert (5, True) == (check(lines).records, check(lines).holds)
    assert [lines] == list(stick.iterdir())


def test_a_stick_that_fails_is_told_and_tried_again(
    journal: Journal, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full, then free again: said, and then everything is there."""
    full = {"now": True}
    fsync = second.os.fsync

    def refusing(handle: int) -> None:
        if full["now"]:
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(second.os, "fsync", refusing)
    copy = SecondCopy(journal, stick, is_stick=Path.is_dir)
    until(lambda: copy.state.why == "No space left on device")
    assert copy.state.is_there
    full["now"] = False
    until(lambda: copy.state.copied == 3 and copy.state.why is None)
    copy.close()

    assert 3 == check(stick / "journal-7.jsonl").records


@pytest.mark.parametrize(
    "there", [b'{"seq": 2, "hash": "00"}\n', b"holiday pictures\n", b'{"seq": 0, "hash": "0"}\n', b"[]\n"]
)
def test_the_lines_of_another_past_stay_where_they_are(journal: Journal, stick: Path, there: bytes) -> None:
    """A stick from another evening: its file is left alone and a new one begun."""
    (stick / "journal-7.jsonl").write_bytes(there)

    copy = SecondCopy(journal, stick, is_stick=Path.is_dir)
    until(lambda: copy.state.copied == 3)
    copy.close()

    assert there == (stick / "journal-7.jsonl").read_bytes()
    assert 3 == check(stick / "journal-7-2.jsonl").records


def test_a_folder_of_the_same_disk_is_no_stick(journal: Journal, stick: Path) -> None:
    """An empty mount point would only fill the card a second time."""
    copy = SecondCopy(journal, stick)
    time.sleep(0.2)
    copy.close()

    assert (False, []) == (copy.state.is_there, list(stick.iterdir()))


def test_a_stick_whose_folder_cannot_be_looked_at(journal: Journal, stick: Path) -> None:
    """A mount that answers with an error is no stick."""

    def broken(_folder: Path) -> bool:
        raise OSError(5, "Input/output error")

    copy = SecondCopy(journal, stick, is_stick=broken)
    time.sleep(0.1)
    copy.close()

    assert not copy.state.is_there


def test_a_journal_that_cannot_be_read_is_told(journal: Journal, stick: Path) -> None:
    """The copy waits, and does not pretend."""
    copy = SecondCopy(journal, stick, is_stick=Path.is_dir)
    until(lambda: copy.state.copied == 3)
    journal.close()
    until(lambda: copy.state.why is not None)
    copy.close()

    assert copy.state.copied == 3
