"""What can go wrong between two machines, with a stable code and the offenders."""

from __future__ import annotations

from typing import Any


class PeerError(Exception):
    """The other machine, or the way to it, is at fault.

    Attributes:
        code: Stable word for docs and translations.
        values: Offenders by name.
    """

    code = "peer"

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message)
        self.values = values


class Unreachable(PeerError, ConnectionError):
    """Nobody answers at the address, or not in time."""

    code = "unreachable"


class NotATable(PeerError, ValueError):
    """Somebody answers, but not as a table does."""

    code = "not-a-table"


class BadAddress(PeerError, ValueError):
    """An address is not one of the two forms that a table can have."""

    code = "bad-address"
