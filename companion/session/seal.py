"""A secret that can be proven: what is hashed when a length is sealed, and what is looked at when it is revealed.

Theory. A hash over the length alone would be broken in a second, because there are some sixty lengths. So the length
is hashed together with 128 bits of chance, the salt: who sees the hash can neither read the length nor try lengths
out, and who made the hash can't find another length for it. The text that is hashed is a line that a person can type;
docs/clock.md shows it with `sha256sum`. Nothing here draws: length and salt are arguments.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

SALT = re.compile(r"[0-9a-f]{32}")
"""A salt: 128 bits in hexadecimal."""

SEAL = re.compile(r"[0-9a-f]{64}")
"""A seal: a SHA-256 in hexadecimal."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A length that nobody may know yet; neither a log nor a traceback shows what is in it.

    Attributes:
        minutes: Whole minutes of game time.
        salt: 32 hexadecimal digits of chance.
    """

    minutes: int = field(repr=False)
    salt: str = field(repr=False)

    @property
    def seal(self) -> str:
        """The hash that may be shown before the end."""
        return seal_of(self.minutes, self.salt)


def seal_text(minutes: int, salt: str) -> str:
    """The line that is hashed, without an end of line."""
    return f"tijd {minutes} minutes {salt}"


def seal_of(minutes: int, salt: str) -> str:
    """SHA-256 of the line, 64 hexadecimal digits."""
    return hashlib.sha256(seal_text(minutes, salt).encode("ascii", "backslashreplace")).hexdigest()
