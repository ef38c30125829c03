"""Events of a secret length: sealed, armed, lost, revealed. The signal itself is in `ending`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from companion.session.events.base import Event

SealWhy = Literal["start", "pause", "late", "extra_time", "power", "claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TijdSealed(Event):
    """A secret length was fixed; only its hash is known.

    Attributes:
        seal: SHA-256 over length and salt, as docs/clock.md says.
        phase: Phase of the tournament, which gives the range.
        least_min: Shortest length that the rules allow, minutes.
        most_min: Longest length that the rules allow, minutes.
        source: Whether the table drew it, or the hub gave it.
        hall: Name under which the hub keeps it for several tables, or None.
        why: What made it necessary: the start, or what took the table out of the hall's time.
    """

    wire: ClassVar[str] = "tijd.sealed"

    seal: str
    phase: str
    least_min: int
    most_min: int
    source: Literal["table", "hub"]
    hall: str | None
    why: SealWhy


@dataclass(frozen=True, slots=True, kw_only=True)
class TijdArmed(Event):
    """From here on the sealed length is waited for.

    Attributes:
        seal: Which one.
        by: Whether the table's own clock gives the signal, or the organiser for all tables.
        why: The start, or what happened in between.
    """

    wire: ClassVar[str] = "tijd.armed"

    seal: str
    by: Literal["clock", "organiser"]
    why: SealWhy


@dataclass(frozen=True, slots=True, kw_only=True)
class TijdLost(Event):
    """The sealed length can't be vouched for any more: people give the signal.

    Attributes:
        seal: Which one.
        why: Its file is not there, was altered, or could be read by others.
    """

    wire: ClassVar[str] = "tijd.lost"

    seal: str
    why: Literal["missing", "altered", "exposed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TijdRevealed(Event):
    """The length that had been sealed, for everybody to check.

    Attributes:
        seal: Which one.
        minutes: The length.
        salt: What was hashed with it.
    """

    wire: ClassVar[str] = "tijd.revealed"

    seal: str
    minutes: int
    salt: str
