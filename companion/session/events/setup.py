"""Events before the first turn: the table, its rig, start dice, seats, colours and buttons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.session.events.base import Event
from companion.session.events.facts import SeatFact


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened(Event):
    """A game was set up: who plays under which rules, and for how long.

    Attributes:
        phase: Phase of the tournament, where the rules give each its range of secret lengths; else empty.
        length_ms: How long it lasts, or None where that is a secret or nobody's but the organiser's.
        prize: What victory brings, where the rules want it said beforehand.
    """

    wire: ClassVar[str] = "table.opened"
    version: ClassVar[int] = 2

    system: str
    ruleset_name: str
    ruleset_hash: str
    options: Mapping[str, Any]
    tournament: str
    round: int
    table: str
    game: str
    players: tuple[str, ...]
    phase: str
    length_ms: int | None
    scale: float
    prize: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RigOpened(Event):
    """The service opened its camera and panel; what they are is part of the record."""

    wire: ClassVar[str] = "rig.opened"

    camera: str
    panel: str
    buttons: tuple[str, ...]
    software: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StartDieRead(Event):
    """A player's start die was read or entered."""

    wire: ClassVar[str] = "start_die.read"

    player: str
    value: int
    source: Literal["camera", "hand"]
    evidence: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartDieVoided(Event):
    """What came to rest was not one valid die; the same player throws again."""

    wire: ClassVar[str] = "start_die.voided"

    player: str
    reason: str
    evidence: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsAssigned(Event):
    """Seats and order followed from the start dice."""

    wire: ClassVar[str] = "seats.assigned"

    seats: tuple[SeatFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColourChosen(Event):
    """A player took a colour."""

    wire: ClassVar[str] = "colour.chosen"

    player: str
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonBound(Event):
    """A player pressed the button at their place: it is theirs."""

    wire: ClassVar[str] = "button.bound"

    player: str
    button: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStarted(Event):
    """Missions are out and the clock runs."""

    wire: ClassVar[str] = "game.started"
