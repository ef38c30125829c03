"""The referee's PIN: kept as argon2, asked for each act that only a referee may do.

Wrong answers slow down: after the third in a row each further try waits, so that ten thousand PINs can't be tried in a
break. The wait is in memory only; a restart forgives, and takes longer than the wait.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from companion.hw.clock import NS_PER_S
from companion.journal.schema import refusal

_FREE_TRIES = 3
_MAX_WAIT_S = 60


class PinError(Exception):
    """The PIN was not accepted.

    Attributes:
        code: Stable word for docs and translations.
        values: Offenders by name, for the sentence on the screen.
    """

    code: ClassVar[str] = "pin"

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message)
        self.values = values


class PinNotSet(PinError):
    """No PIN has been chosen at this table yet."""

    code = "pin-not-set"


class PinWrong(PinError):
    """That is not the PIN."""

    code = "pin-wrong"


class PinTooSoon(PinError):
    """Too many wrong tries: wait."""

    code = "pin-too-soon"


class PinUnfit(PinError, ValueError):
    """A PIN that can't be chosen."""

    code = "pin-unfit"


class PinTooLate(PinError):
    """No first PIN is chosen while a game is played."""

    code = "pin-too-late"


class RefereePin:
    """The PIN of one table.

    Args:
        path: Where the hash is kept, readable by the service alone.
        hasher: Argon2 with its costs.
    """

    def __init__(self, path: Path, *, hasher: PasswordHasher | None = None) -> None:
        self._path = path
        self._hasher = hasher or PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._wrong = 0
        self._not_before_ns = 0

    @property
    def is_set(self) -> bool:
        """Whether somebody chose one."""
        return self._path.exists()

    def choose(self, pin: str) -> None:
        """Keep a first PIN.

        Raises:
            PinUnfit: It is not 4 to 8 digits, or one was chosen before (change it by the service's owner alone).
            JournalError: The disk refuses.
        """
        if self.is_set:
            raise PinUnfit("a PIN was chosen before: only the organiser can change it")
        if not (pin.isascii() and pin.isdigit() and 4 <= len(pin) <= 8):
            raise PinUnfit("a PIN has 4 to 8 digits")
        try:
            self._keep(self._hasher.hash(pin))
        except OSError as error:
            raise refusal(error, self._path) from error

    def _keep(self, hashed: str) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(hashed)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
        # Without this a power cut could bring back a table without a PIN, and whoever is first would choose it.
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def check(self, pin: str, now_ns: int) -> None:
        """Pass if `pin` is the PIN.

        Raises:
            PinNotSet: None was chosen.
            PinTooSoon: Too many wrong tries.
            PinWrong: It is not.
        """
        if not self.is_set:
            raise PinNotSet("choose a referee's PIN for this table first")
        if now_ns < self._not_before_ns:
            wait_s = (self._not_before_ns - now_ns) // NS_PER_S + 1
            raise PinTooSoon(f"wait {wait_s} s before the next try", wait_s=wait_s)
        try:
            self._hasher.verify(self._path.read_text(encoding="ascii"), pin)
        except (VerifyMismatchError, InvalidHashError) as error:
            self._wrong += 1
            if self._wrong >= _FREE_TRIES:
                wait_s = min(_MAX_WAIT_S, 2 ** (self._wrong - _FREE_TRIES + 1))
                self._not_before_ns = now_ns + wait_s * NS_PER_S
            raise PinWrong("that is not the referee's PIN") from error
        self._wrong = 0


def referee_pin(state_dir: Path) -> RefereePin:
    """The PIN of the table whose state folder this is."""
    return RefereePin(state_dir / "referee.pin")
