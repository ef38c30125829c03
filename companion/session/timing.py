"""Commands of the clock: start, pause, extra time, and what becomes of a secret length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from companion.session.command import Command


@dataclass(frozen=True, slots=True, kw_only=True)
class StartGame(Command):
    """Start the clock.

    Attributes:
        seal: Seal of a length that the hub gives, or None.
        hall: Name of that length at the hub.
        box: The length itself, encrypted to this table's key; None where only the organiser gives the signal.
    """

    name: ClassVar[str] = "start_game"

    seal: str | None = None
    hall: str | None = None
    box: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseClock(Command):
    """Stop the clock for a while.

    Attributes:
        late: Whether the hub's order reaches this table clearly later than the others of its hall.
        turn: What the table gave out a moment before it, so that an order that was held up on its way is not taken.
    """

    name: ClassVar[str] = "pause_clock"

    reason: str
    late: bool = False
    turn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeClock(Command):
    """Let the clock run on.

    Attributes:
        away_counts: Whether the time that the table was away after a power cut counts as played.
        late: Whether the hub's order reaches this table clearly later than the others of its hall.
        turn: As of a pause.
    """

    name: ClassVar[str] = "resume_clock"

    away_counts: bool = False
    late: bool = False
    turn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddTime(Command):
    """Lengthen the game."""

    name: ClassVar[str] = "add_time"

    ms: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealTijd(Command):
    """Show the length that had been sealed.

    Attributes:
        seal: Which one; the current one unless told.
        minutes: The length; the table's own record of it unless told.
        salt: What was hashed with it; likewise.
        box: Both, from the hub, encrypted to this table's key.
    """

    name: ClassVar[str] = "reveal_tijd"

    seal: str | None = None
    minutes: int | None = None
    salt: str | None = None
    box: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseTijd(Command):
    """The service could not find the sealed length as it had been kept."""

    name: ClassVar[str] = "lose_tijd"

    seal: str
    why: Literal["missing", "altered", "exposed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TellAbsence(Command):
    """A clock that is right tells how long the table was away."""

    name: ClassVar[str] = "tell_absence"

    away_ms: int
