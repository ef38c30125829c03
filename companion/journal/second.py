"""A second copy of the journal on a stick: the same lines that the hub pulls, written as they come.

Theory: the copy is a file of lines, so it can be checked and restored with the commands that are there for such files
(`companion journal verify FILE`, `restore FILE --table ID`). It is written behind the facts, from a thread of its own:
a stick that is slow, full, pulled out or hung is said, and stops nothing. When it is there again the copy goes on where
it stopped. What lies on a stick already is trusted only as far as it is a true beginning of this journal: a line that a
pulled plug tore is cut off, and the lines of another past stay where they are, under another name.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from companion.journal.errors import JournalError
from companion.journal.lines import write_lines
from companion.journal.reading import JournalReader

LOOK_AGAIN_S = 1.0
"""How far the copy is behind the facts at the most, and how often a stick is looked for."""

_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondState:
    """How the copy stands.

    Attributes:
        is_there: Whether a stick is in.
        copied: Newest record on it; 0 before the first.
        why: What the stick refused with, or None.
    """

    is_there: bool
    copied: int
    why: str | None


class SecondCopy:
    """Copies one journal to a stick, in a thread of its own.

    Args:
        journal: What is copied.
        folder: Where the stick is mounted; a folder on the journal's own disk is no stick.
        is_stick: Whether a stick is in that folder now.
    """

    def __init__(self, journal: JournalReader, folder: Path, *, is_stick: Callable[[Path], bool] | None = None) -> None:
        self._journal = journal
        self._folder = folder
        self._is_stick = is_stick or _on_another_disk_than(journal.path.parent)
        self._state = SecondState(is_there=False, copied=0, why=None)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="second copy", daemon=True)
        self._thread.start()

    @property
    def state(self) -> SecondState:
        """How the copy stands now."""
        return self._state

    def close(self) -> None:
        """Write what is still to be written, and stop; a stick that hangs is not waited for longer than two seconds."""
        self._ended.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._copy()
            except OSError as error:
                why = error.strerror or str(error)
                self._state = SecondState(is_there=self._is_there(), copied=self._state.copied, why=why)
            except JournalError as error:
                # The journal itself can't be read: that is told by its own line, and a copy of it can wait.
                self._state = SecondState(is_there=self._is_there(), copied=self._state.copied, why=error.code)
            self._ended.wait(LOOK_AGAIN_S)

    def _is_there(self) -> bool:
        with suppress(OSError):
            return self._is_stick(self._folder)
        return False

    def _copy(self) -> None:
        """Open the copy and write behind the facts until the stick is gone or the end has come."""
        if not self._is_there():
            self._state = SecondState(is_there=False, copied=0, why=None)
            return
        path, copied = self._place()
        with path.open("ab") as file:
            self._state = SecondState(is_there=True, copied=copied, why=None)
            while True:
                copied = self._written(file, copied)
                self._state = SecondState(is_there=True, copied=copied, why=None)
                if self._ended.wait(LOOK_AGAIN_S) and not self._journal.after(copied, 1):
                    return
                if not self._is_there():
                    return

    def _written(self, file: BinaryIO, copied: int) -> int:
        while page := self._journal.after(copied, _PAGE):
            write_lines(file, page)
            file.flush()
            os.fsync(file.fileno())
            copied = page[-1].seq
            self._state = SecondState(is_there=True, copied=copied, why=None)
        return copied

    def _place(self) -> tuple[Path, int]:
        """The file to go on with, its torn end cut off, and the newest record in it."""
        number = 1
        while True:
            suffix = "" if number == 1 else f"-{number}"
            path = self._folder / f"journal-{self._journal.table_id}{suffix}.jsonl"
            copied = self._beginning(path)
            if copied is not None:
                return path, copied
            number += 1

    def _beginning(self, path: Path) -> int | None:
        """How many records of this journal the file holds; None when it holds something else."""
        if not path.exists():
            return 0
        whole, last = 0, None
        with path.open("rb") as file:
            for raw in file:
                if not raw.endswith(b"\n"):
                    break
                whole, last = whole + len(raw), raw
        seq = 0 if last is None else self._seq_of(last)
        if seq is not None and whole < path.stat().st_size:
            os.truncate(path, whole)
        return seq

    def _seq_of(self, raw: bytes) -> int | None:
        """The number of the record in a line if this journal has the same record there."""
        try:
            told = json.loads(raw)
            seq, digest = int(told["seq"]), told["hash"]
        except (ValueError, KeyError, TypeError):
            return None
        here = self._journal.after(seq - 1, 1) if seq > 0 else ()
        return seq if here and here[0].seq == seq and here[0].hash == digest else None


def _on_another_disk_than(folder: Path) -> Callable[[Path], bool]:
    own = folder.stat().st_dev
    return lambda stick: stick.is_dir() and stick.stat().st_dev != own
