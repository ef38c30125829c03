"""Room for a whole game's facts, kept while there is any to keep.

Theory: a disk fills up from many sides (logs, pictures, somebody's films), and "there was room at the start" helps
nobody when the next fact finds none. So a file of the size that a game's facts need at the most is laid down while the
table is well, with its blocks really taken. When a fact finds no room the file is given up, the fact is written, and
everybody is told: from then on the disk is full, and the game can still be played to its end.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

RESERVE_BYTES = 32 * 1024 * 1024
"""Ten times what the facts of a long game have ever needed (300 throws: about 3 MB)."""


class Reserve:
    """A file that holds room.

    Args:
        path: The file, on the disk of the journal.
        size_bytes: How much room.
    """

    def __init__(self, path: Path, *, size_bytes: int = RESERVE_BYTES) -> None:
        self._path = path
        self._size_bytes = size_bytes

    @property
    def is_kept(self) -> bool:
        """Whether the room is there."""
        with contextlib.suppress(OSError):
            return self._path.stat().st_size >= self._size_bytes
        return False

    def keep(self) -> bool:
        """Take the room, if the disk can spare it twice; whether it is kept."""
        if self.is_kept:
            return True
        try:
            if shutil.disk_usage(self._path.parent).free < 2 * self._size_bytes:
                return False
            with self._path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, self._size_bytes)
        except OSError:
            # A disk that refuses has no room to keep; the health page tells how much there is.
            self.give_up()
            return False
        return True

    def give_up(self) -> bool:
        """Give the room to the facts; whether there was any to give."""
        was_kept = self.is_kept
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
        return was_kept
