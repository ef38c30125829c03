"""Events of the end: signal, claims, the frozen board, the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from companion.rules.reason import Reason
from companion.session.events.base import Event
from companion.session.events.facts import HoldingsFact, PlaceFact


@dataclass(frozen=True, slots=True, kw_only=True)
class MissionClaimed(Event):
    """A player showed a mission completed."""

    wire: ClassVar[str] = "mission.claimed"

    player: str
    mission: str | None
    destroyed: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimWithdrawn(Event):
    """The referee refused the claim; play goes on where it stopped."""

    wire: ClassVar[str] = "mission.claim_withdrawn"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerKnockedOut(Event):
    """A player lost the last territory, or left the table (`by` is None)."""

    wire: ClassVar[str] = "player.knocked_out"

    player: str
    by: str | None
    players_left_before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerReinstated(Event):
    """A knock-out was recorded by mistake: the player is in the game as before."""

    wire: ClassVar[str] = "player.reinstated"

    player: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TijdSounded(Event):
    """The signal was given."""

    wire: ClassVar[str] = "tijd.sounded"

    source: Literal["clock", "organiser", "referee"]
    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRuled(Event):
    """What the signal did to the throw that was under way.

    Attributes:
        throw: The throw's number, or None if there was none.
        attack: not_thrown, rolling or at_rest, at the moment of the signal.
        defence: The same for the other side.
        losses_taken: Whether the dice had been lifted before the signal.
        uncertain: Whether the time stamps are too close to call: people rule.
        verdict: void, stands or none.
        board: before_throw or as_it_is.
        reasons: Why.
        finishing: What may still be finished before the board is frozen: the throw, the combat, or nothing.
        may_move_in: Whether the armies that a conquest makes compulsory still move.
    """

    wire: ClassVar[str] = "signal.ruled"

    throw: int | None
    attack: str
    defence: str
    losses_taken: bool
    uncertain: bool
    verdict: str
    board: str
    reasons: tuple[Reason, ...]
    finishing: Literal["throw", "combat"] | None = None
    may_move_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFrozen(Event):
    """Play stopped; the board stays as it is and is recorded."""

    wire: ClassVar[str] = "board.frozen"

    why: Literal["tijd", "mission", "last_player"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRecorded(Event):
    """The players confirmed what lies on the frozen board.

    Attributes:
        players: What each of them owns.
        vacant: Territories that nobody owns.
        lot: Published number that parts equal players, where the rules let the lot do so.
    """

    wire: ClassVar[str] = "board.recorded"

    players: tuple[HoldingsFact, ...]
    vacant: tuple[str, ...]
    lot: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardReopened(Event):
    """The referee sent the board back to be recorded anew."""

    wire: ClassVar[str] = "board.reopened"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreComputed(Event):
    """The rules gave each player a place.

    Attributes:
        places: Best first, without those who are still equal.
        unresolved: Groups of equal players; people rule.
        at_stake: The results among them.
        scores: Points of everybody, in a system that has a Score.
    """

    wire: ClassVar[str] = "score.computed"

    places: tuple[PlaceFact, ...]
    unresolved: tuple[tuple[str, ...], ...]
    at_stake: tuple[str, ...]
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSigned(Event):
    """A player agreed with the result."""

    wire: ClassVar[str] = "result.signed"

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultDisputed(Event):
    """A player does not agree with the result."""

    wire: ClassVar[str] = "result.disputed"

    player: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRuled(Event):
    """The referee set the result, with a reason."""

    wire: ClassVar[str] = "result.ruled"

    results: Mapping[str, str]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableClosed(Event):
    """The referee checked and closed: this is the table's result."""

    wire: ClassVar[str] = "table.closed"

    results: Mapping[str, str]
