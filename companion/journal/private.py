"""Names and contacts beside the chain, so that people can be forgotten and the facts still hold.

Facts name players by id. Who that is stands here, in a file of its own that only its owner can read. The chain may
carry a *fingerprint* of a person: a hash over a random salt and what was noted. As long as the entry is there anyone
who may read it can show that it is the one that was meant; once it is erased the salt is gone too, and the
fingerprint says nothing to nobody.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from companion.journal.errors import RecordRefused
from companion.journal.records import canonical
from companion.journal.schema import meaning

_SCHEMA = """CREATE TABLE IF NOT EXISTS people (
    player TEXT PRIMARY KEY, name TEXT NOT NULL, contact TEXT NOT NULL, salt TEXT NOT NULL) STRICT, WITHOUT ROWID"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """What is known of one player.

    Attributes:
        name: As it is shown on the screens.
        contact: How the organiser reaches them; may be empty.
    """

    name: str
    contact: str = ""


class PrivateNotes:
    """Names and contacts by player id, in a file with mode 0600.

    Args:
        path: The SQLite file; made if need be.

    Raises:
        JournalForeign: The file is something else.
        JournalUnwritable: The disk refuses.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            path.chmod(0o600)
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        except OSError as error:
            raise meaning(sqlite3.OperationalError(error.strerror or str(error)), path) from error
        try:
            # Erased names must not live on in free pages or in a log.
            self._db.execute("PRAGMA journal_mode = DELETE")
            self._db.execute("PRAGMA secure_delete = ON")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute(_SCHEMA)
        except sqlite3.Error as error:
            self._db.close()
            raise meaning(error, path) from error

    def put(self, people: Mapping[str, Person]) -> None:
        """Note who the players are; all or none. A player noted before gets the new entry and a new salt.

        Raises:
            RecordRefused: A player or a name is empty or no text.
            JournalError: The disk refuses.
        """
        for player, person in people.items():
            canonical([player, person.name, person.contact])
            if not player or not person.name.strip():
                raise RecordRefused(f"player {player!r} needs an id and a name, got {person.name!r}", player=player)
        with self._asked() as db:
            db.execute("BEGIN IMMEDIATE")
            db.executemany(
                "INSERT OR REPLACE INTO people VALUES (?, ?, ?, ?)",
                [(player, one.name, one.contact, secrets.token_hex(16)) for player, one in people.items()],
            )
            db.execute("COMMIT")

    def person(self, player: str) -> Person | None:
        """Who a player is; None when nobody was noted or the entry was erased."""
        with self._asked() as db:
            row = db.execute("SELECT name, contact FROM people WHERE player = ?", (player,)).fetchone()
        return None if row is None else Person(name=row[0], contact=row[1])

    def names(self) -> dict[str, str]:
        """All names by player id."""
        with self._asked() as db:
            return dict(db.execute("SELECT player, name FROM people ORDER BY player").fetchall())

    def fingerprint(self, player: str) -> str | None:
        """SHA-256 over salt, id, name and contact in canonical JSON; None when nobody is noted."""
        with self._asked() as db:
            row = db.execute("SELECT salt, player, name, contact FROM people WHERE player = ?", (player,)).fetchone()
        return None if row is None else hashlib.sha256(canonical(list(row)).encode()).hexdigest()

    def erase(self, player: str) -> bool:
        """Forget a player; tells whether there was anything to forget.

        Raises:
            JournalError: The disk refuses.
        """
        with self._asked() as db:
            return db.execute("DELETE FROM people WHERE player = ?", (player,)).rowcount == 1

    def close(self) -> None:
        """Let go of the file; twice is fine."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _asked(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise meaning(error, self._path) from error
