"""What a power cut left in the write-ahead log, before SQLite tidies it away.

Theory: SQLite reads its log up to the first frame whose checksum fails and drops the rest without a word. After a
power cut that is right: the rest is the transaction that was being written, which nobody was told of. After a
damaged card it is a silent loss: whole transactions, synced and shown, lie behind the bad frame. The two differ in
how many *commits* lie behind the point where SQLite stops. Each commit waits for the disk before the next one
begins, so at most one transaction can have been under way: one commit behind that point is a torn tail, two or more
are damage, and damage stops the table.

Only frames of the present generation count: the log is written from its start again after each checkpoint, under
new salts, and what lies behind the newest frames then is old and long since in the database.

Source: https://www.sqlite.org/walformat.html (log header, frame header, and the count of valid frames in the index).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

_HEADER = 32
_FRAME_HEADER = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFrames:
    """The frames of the present generation in a write-ahead log.

    Attributes:
        commits: One entry per frame, True where the frame ends a transaction.
    """

    commits: tuple[bool, ...]

    def commits_behind(self, valid_frames: int) -> int:
        """How many transactions end behind the last frame that SQLite trusts."""
        return sum(self.commits[valid_frames:])

    def is_torn(self, valid_frames: int) -> bool:
        """Whether anything of the present generation lies behind the last frame that SQLite trusts."""
        return len(self.commits) > valid_frames


def read_log(log: bytes) -> LogFrames:
    """The frames of the newest generation in the bytes of a `-wal` file.

    A header whose salts fit neither the first frame nor the step that a fresh start makes (salt + 1) is damaged
    itself: the frames are then taken by the first frame's own salts, so that they show as lost.
    """
    if len(log) < _HEADER + _FRAME_HEADER:
        return LogFrames(commits=())
    page = int.from_bytes(log[8:12])
    if page < 512 or page > 65536:
        page = 4096
    salts = log[16:24]
    first = log[_HEADER + 8 : _HEADER + 16]
    if salts != first:
        began_anew = int.from_bytes(salts[:4]) == (int.from_bytes(first[:4]) + 1) % 2**32
        if began_anew:
            return LogFrames(commits=())
        salts = first
    commits = []
    for start in range(_HEADER, len(log) - _FRAME_HEADER + 1, _FRAME_HEADER + page):
        header = log[start : start + _FRAME_HEADER]
        # One salt of two: a frame of this generation whose header was hit. Older frames share neither.
        if header[8:12] == salts[:4] or header[12:16] == salts[4:]:
            commits.append(int.from_bytes(header[4:8]) != 0)
    return LogFrames(commits=tuple(commits))


def valid_frames(index: Path) -> int:
    """How many frames SQLite trusts, from the `-shm` file of a database that is open; 0 when there is none."""
    try:
        head = index.read_bytes()[:20]
    except FileNotFoundError:
        return 0
    return int.from_bytes(head[16:20], sys.byteorder) if len(head) == 20 else 0
