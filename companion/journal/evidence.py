"""Pictures that prove what was read, each under the SHA-256 of its bytes.

Theory: a picture is on the disk, name and all, before `put` returns; only then may a fact speak of it. So a crash
leaves at worst a picture that no fact names, never a fact whose picture was still on its way. Pictures give way to
facts: they have a cap, they stop while the disk still has a reserve for the journal, and the oldest go first, except
those that were marked to be kept. What was given up is written down, so that a missing picture can be told from a
picture that somebody removed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import threading
from pathlib import Path

from companion.journal.errors import EvidenceError
from companion.journal.opening import sync_folder

_NAME = re.compile(r"[0-9a-f]{64}")
_SUFFIX = ".jpg"
_UNFINISHED = ".unfinished"


class Pictures:
    """A folder of pictures to look at; changes nothing, so that it may be used beside a running table.

    Args:
        folder: Where they lie; a folder that is not there holds none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept = folder / "kept"

    def get(self, name: str) -> bytes:
        """The picture with that hash.

        Raises:
            EvidenceError: There is none, or its bytes are no longer those that the hash names.
        """
        path = self._find(name) if _NAME.fullmatch(name) else None
        if path is None:
            raise EvidenceError(f"there is no picture {name!r}", hash=name, why="missing")
        try:
            picture = path.read_bytes()
        except OSError as error:
            raise _world(path, error) from error
        if hashlib.sha256(picture).hexdigest() != name:
            raise EvidenceError(f"picture {name} was changed after it was kept", hash=name, why="altered")
        return picture

    def names(self) -> frozenset[str]:
        """Hashes of all pictures that are there."""
        kept = (path.stem for path in self._kept.glob(f"*{_SUFFIX}"))
        return frozenset((*kept, *(path.stem for path in self._folder.glob(f"*{_SUFFIX}"))))

    def given_up(self) -> frozenset[str]:
        """Hashes of the pictures that had to make room."""
        try:
            return frozenset(self._farewells.read_text(encoding="ascii").split())
        except FileNotFoundError:
            return frozenset()

    @property
    def _farewells(self) -> Path:
        return self._folder / "given-up.txt"

    def _find(self, name: str) -> Path | None:
        for folder in (self._folder, self._kept):
            path = folder / f"{name}{_SUFFIX}"
            if path.exists():
                return path
        return None


class Evidence(Pictures):
    """A folder of pictures that takes in new ones; one process at a time.

    Args:
        folder: Where they lie; made if need be.
        cap_bytes: Most that all pictures together may take.
        reserve_bytes: Free space that pictures leave to the journal.

    Raises:
        EvidenceError: The folder cannot be made or read.
    """

    def __init__(self, folder: Path, *, cap_bytes: int = 2 * 1024**3, reserve_bytes: int = 64 * 1024**2) -> None:
        super().__init__(folder)
        self._cap_bytes = cap_bytes
        self._reserve_bytes = reserve_bytes
        self._lock = threading.Lock()
        try:
            self._kept.mkdir(parents=True, exist_ok=True)
            for left_over in folder.glob(f"*{_UNFINISHED}"):
                left_over.unlink()
            by_age = sorted(folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
            self._sizes = {path.stem: path.stat().st_size for path in by_age}
            self._kept_bytes = sum(path.stat().st_size for path in self._kept.glob(f"*{_SUFFIX}"))
        except OSError as error:
            raise _world(folder, error) from error

    def put(self, picture: bytes) -> str:
        """The hash of a picture that is now durable.

        The same picture twice is one picture.

        Raises:
            EvidenceError: There is no room left for pictures (facts still have theirs), or the disk refuses.
        """
        name = hashlib.sha256(picture).hexdigest()
        with self._lock:
            if self._find(name) is not None:
                return name
            self._make_room(len(picture))
            while True:
                try:
                    self._write(name, picture)
                    break
                except OSError as error:
                    if error.errno not in (errno.ENOSPC, errno.EDQUOT) or not self._give_up_oldest():
                        raise _world(self._folder, error) from error
            self._sizes[name] = len(picture)
        return name

    def keep(self, name: str) -> None:
        """Never give this picture up: it belongs to a dispute or to the signal.

        Raises:
            EvidenceError: There is no such picture.
        """
        with self._lock:
            path = self._find(name) if _NAME.fullmatch(name) else None
            if path is None:
                raise EvidenceError(f"there is no picture {name!r} to keep", hash=name, why="missing")
            if path.parent == self._kept:
                return
            try:
                path.rename(self._kept / path.name)
                sync_folder(self._kept)
                sync_folder(self._folder)
            except OSError as error:
                raise _world(path, error) from error
            self._kept_bytes += self._sizes.pop(name, 0)

    def give_up(self, name: str) -> None:
        """Let a picture go that has had its time; one that is kept, or not there, stays as it is.

        Raises:
            EvidenceError: The disk refuses.
        """
        with self._lock:
            if name in self._sizes:
                self._let_go(name)

    def _write(self, name: str, picture: bytes) -> None:
        unfinished = self._folder / f"{name}{_UNFINISHED}"
        try:
            with unfinished.open("wb") as file:
                file.write(picture)
                file.flush()
                os.fsync(file.fileno())
            unfinished.rename(self._folder / f"{name}{_SUFFIX}")
        except OSError:
            with contextlib.suppress(FileNotFoundError):
                unfinished.unlink()
            raise
        sync_folder(self._folder)

    def _make_room(self, size: int) -> None:
        while (why := self._too_tight(size)) is not None:
            if not self._give_up_oldest():
                raise EvidenceError(
                    f"no room for pictures in {self._folder} ({why}): free some space; facts are still written",
                    why=why,
                    path=str(self._folder),
                )

    def _too_tight(self, size: int) -> str | None:
        if self._kept_bytes + sum(self._sizes.values()) + size > self._cap_bytes:
            return "cap"
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError as error:
            raise _world(self._folder, error) from error
        return "reserve" if free - size < self._reserve_bytes else None

    def _give_up_oldest(self) -> bool:
        if not self._sizes:
            return False
        self._let_go(next(iter(self._sizes)))
        return True

    def _let_go(self, name: str) -> None:
        try:
            with self._farewells.open("a", encoding="ascii") as file:
                file.write(f"{name}\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            # On a disk without a single free block the note itself has no room: the picture must go all the same.
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise _world(self._farewells, error) from error
        with contextlib.suppress(FileNotFoundError):
            (self._folder / f"{name}{_SUFFIX}").unlink()
        del self._sizes[name]


def _world(path: Path, error: OSError) -> EvidenceError:
    return EvidenceError(
        f"{path} cannot be read or written ({error.strerror}): check the disk and its rights",
        path=str(path),
        why=error.strerror or str(error),
    )
