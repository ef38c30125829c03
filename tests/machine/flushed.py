"""The disk as a power cut leaves it: only what was flushed.

QEMU's `blklogwrites` writes down every write and every flush of the machine's disk, in order. Killing QEMU loses
nothing by itself, since the host's page cache lives on; so the disk is made anew from a copy of before the boot and the
log up to its last flush. Writes behind it, finished or not, are dropped. A real disk may keep some of them, in any
order; `some` keeps each by chance.

Source: Linux, Documentation/admin-guide/device-mapper/log-writes.rst (the log's format), QEMU, block/blklogwrites.c.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD = 1, 2, 4
_SUPER = struct.Struct("<QQQI")
_ENTRY = struct.Struct("<QQQQ")


class NoLog(Exception):
    """The file is not a log of writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What was done.

    Attributes:
        kept: Writes up to the last flush.
        dropped: Writes behind it, of which chance may have kept some.
        flushes: Flushes in all.
    """

    kept: int
    dropped: int
    flushes: int


def replay(log: Path, disk: Path, *, end: int | None = None, some: random.Random | None = None) -> Replayed:
    """Write what was flushed to the disk.

    Args:
        log: As `blklogwrites` left it.
        disk: The disk as it was when the log began.
        end: Size of the log at the moment of the cut, bytes; its end unless told.
        some: Keeps each write behind the last flush as the throw of a coin says; none unless told.

    Raises:
        NoLog: It is something else.
    """
    with log.open("rb") as source, disk.open("r+b") as target:
        magic, _version, _count, sector = _SUPER.unpack(source.read(_SUPER.size))
        if magic != MAGIC:
            raise NoLog(f"{log} is no log of writes")
        size = log.stat().st_size if end is None else end
        waiting: list[tuple[int, int, int]] = []
        kept = flushes = 0
        at = sector
        while at + sector <= size:
            source.seek(at)
            start, sectors, flags, _told = _ENTRY.unpack(source.read(_ENTRY.size))
            length = 0 if flags & DISCARD else sectors * sector
            if (start, sectors, flags) == (0, 0, 0) or at + sector + length > size:
                break
            if length:
                waiting.append((start * sector, at + sector, length))
            if flags & (FLUSH | FUA):
                flushes += 1
                kept += len(waiting)
                _write(source, target, waiting)
                waiting.clear()
            at += sector + length
        if some is not None:
            _write(source, target, [write for write in waiting if some.random() < 0.5])
    return Replayed(kept=kept, dropped=len(waiting), flushes=flushes)


def _write(source: BinaryIO, target: BinaryIO, writes: list[tuple[int, int, int]]) -> None:
    for where, found, many in writes:
        source.seek(found)
        target.seek(where)
        target.write(source.read(many))
