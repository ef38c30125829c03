"""Events of the clock, the service itself and the call for a referee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from companion.session.events.base import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockPaused(Event):
    """The clock stands; `elapsed_ms` of the game had gone.

    Attributes:
        elapsed_ms: Game time gone.
        reason: Why.
        by_hall: Whether it stands because the whole hall does, and not for a reason of the table's own.
    """

    wire: ClassVar[str] = "clock.paused"
    version: ClassVar[int] = 2

    elapsed_ms: int
    reason: str
    by_hall: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockResumed(Event):
    """The clock runs again from `elapsed_ms`."""

    wire: ClassVar[str] = "clock.resumed"

    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAdded(Event):
    """The referee lengthened the game."""

    wire: ClassVar[str] = "time.added"

    ms: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStepped(Event):
    """The wall clock jumped; the game's time did not."""

    wire: ClassVar[str] = "clock.stepped"

    by_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRecovered(Event):
    """The service came back after it had stopped.

    Attributes:
        events: Facts found in the journal.
        same_boot: Whether only the service had stopped, so that the boot clock still tells the time.
        away_ms: How long it was away, or None if nothing could tell.
        elapsed_ms: Game time from which the clock goes on.
    """

    wire: ClassVar[str] = "service.recovered"

    events: int
    same_boot: bool
    away_ms: int | None
    elapsed_ms: int


NOTE_CODES: tuple[str, ...] = (
    "camera-failed",
    "camera-back",
    "view-lost",
    "view-back",
    "box-bumped",
    "evidence-lost",
    "dice-found-lying",
    "dice-ignored",
    "throw-outside-game",
    "throw-in-pause",
    "press-without-player",
    "press-in-pause",
    "press-during-throw",
    "press-meant-nothing",
    "press-too-late",
    "throw-too-late",
    "signal-false",
    "ruleset-changed",
    "button-stuck",
    "button-noisy",
    "button-healed",
    "part-failed",
    "rig-drifted",
    "part-back",
    "presses-close",
    "buttons-together",
    "buzzer-heard",
    "buzzer-not-heard",
    "silent-on",
    "silent-off",
    "reserve-used",
    "journal-tail-cut",
)
"""Every code of a note; each has its sentence in `companion.words` as `code.CODE`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsenceTold(Event):
    """A clock that is right told how long the table had been away, which nothing could tell when it came back.

    Attributes:
        away_ms: How long it was away.
    """

    wire: ClassVar[str] = "absence.told"

    away_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceNoted(Event):
    """Something worth remembering that changes nothing: a part failed, a press meant nothing, a throw came too late.

    Attributes:
        code: One of `NOTE_CODES`.
        values: Details by name.
    """

    wire: ClassVar[str] = "service.noted"

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


CallAbout = Literal["", "dispute", "result", "appeal", "correction", "signal", "length"]
"""What a call for the referee is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeCalled(Event):
    """Somebody asked for the referee.

    Attributes:
        by: A player, `screen` where nobody said who, or `clock`.
        how: By their own button, on the screen (where anybody may touch any name), or the rules want people to look.
        about: What waits for the referee's word, and answers the call when it is decided; empty where people want the
            referee to come.
    """

    wire: ClassVar[str] = "referee.called"

    by: str
    how: Literal["button", "screen", "rules"] = "screen"
    about: CallAbout = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeDismissed(Event):
    """The referee came, or is no longer needed."""

    wire: ClassVar[str] = "referee.dismissed"
