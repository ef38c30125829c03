"""A disk after the plug was pulled keeps what was flushed, and nothing else."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from tests.machine import flushed

SECTOR = 512


def entry(sector: int, flags: int, data: bytes = b"") -> bytes:
    """One line of the log."""
    head = flushed._ENTRY.pack(sector, len(data) // SECTOR, flags, 0).ljust(SECTOR, b"\0")
    return head + data


def disk_after(tmp_path: Path, *entries: bytes) -> tuple[flushed.Replayed, bytes]:
    """What the log makes of an empty disk: a letter for each sector."""
    log, disk = tmp_path / "log", tmp_path / "disk"
    log.write_bytes(flushed._SUPER.pack(flushed.MAGIC, 1, 0, SECTOR).ljust(SECTOR, b"\0") + b"".join(entries))
    disk.write_bytes(b"-" * SECTOR * 4)
    done = flushed.replay(log, disk)
    return done, disk.read_bytes()[::SECTOR]


def test_only_what_was_flushed_is_kept(tmp_path: Path) -> None:
    """Two writes before the flush stay, the one behind it is gone."""
    a, b, c = (letter * SECTOR for letter in (b"a", b"b", b"c"))

    done, disk = disk_after(tmp_path, entry(0, 0, a), entry(2, 0, b), entry(0, flushed.FLUSH), entry(3, 0, c))

    assert (2, 1, 1, b"a-b-") == (done.kept, done.dropped, done.flushes, disk)


def test_a_write_through_is_a_flush_of_its_own(tmp_path: Path) -> None:
    """What the machine forced onto the disk is there; what it threw away is no write."""
    done, disk = disk_after(tmp_path, entry(1, flushed.FUA, b"a" * SECTOR), entry(3, flushed.DISCARD))

    assert (1, 0, b"-a--") == (done.kept, done.dropped, disk)


def test_the_log_s_own_torn_end_is_left_alone(tmp_path: Path) -> None:
    """An entry whose data did not get into the log was never finished."""
    done, disk = disk_after(tmp_path, entry(0, flushed.FUA, b"a" * SECTOR), entry(1, flushed.FUA, b"b" * SECTOR)[:-1])

    assert (1, b"a---") == (done.kept, disk)


def test_a_cut_at_an_earlier_moment(tmp_path: Path) -> None:
    """What came into the log later is not on the disk yet."""
    first = entry(0, flushed.FUA, b"a" * SECTOR)
    disk_after(tmp_path, first, entry(1, flushed.FUA, b"b" * SECTOR))
    (tmp_path / "disk").write_bytes(b"-" * SECTOR * 4)

    done = flushed.replay(tmp_path / "log", tmp_path / "disk", end=SECTOR + len(first))

    assert (1, b"a---") == (done.kept, (tmp_path / "disk").read_bytes()[::SECTOR])


def test_what_was_not_flushed_may_be_kept_in_any_part(tmp_path: Path) -> None:
    """Chance says which of three writes behind the last flush the disk had made already; the flushed one is there."""
    a, b = (letter * SECTOR for letter in (b"a", b"b"))
    disk_after(tmp_path, entry(0, flushed.FUA, a), *(entry(sector, 0, b) for sector in (1, 2, 3)))

    found = set()
    for seed in range(64):
        (tmp_path / "disk").write_bytes(b"-" * SECTOR * 4)
        done = flushed.replay(tmp_path / "log", tmp_path / "disk", some=random.Random(seed))
        found.add((tmp_path / "disk").read_bytes()[::SECTOR])
        assert (1, 3) == (done.kept, done.dropped)

    assert {bytes(letters) for letters in itertools.product(b"a", b"-b", b"-b", b"-b")} == found


def test_something_else_is_no_log(tmp_path: Path) -> None:
    """A file without the log's mark is refused."""
    (tmp_path / "log").write_bytes(b"x" * 4096)
    (tmp_path / "disk").write_bytes(b"")

    with pytest.raises(flushed.NoLog):
        flushed.replay(tmp_path / "log", tmp_path / "disk")
