"""Events that put facts right: what was proposed and agreed, undone, or amended by the referee; and rulings.

Nothing here edits anything. Each amendment carries what was recorded before, what holds now and why; who made it stands
on the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.rules.combat import Target
from companion.session.events.base import Event, Side
from companion.session.events.facts import OutFact


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionMade(Event):
    """A misread die was put right; the old reading stays in the journal.

    Attributes:
        subject: Throw, side and place of the die.
        before: What it was read as.
        after: What it is.
        reason: Why.
        agreed_by: The thrower and the opponent who both pressed; empty where the referee did it.
    """

    wire: ClassVar[str] = "correction.made"

    subject: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    reason: str
    agreed_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionProposed(Event):
    """Somebody says that a die was misread; the thrower and one opponent may agree.

    Attributes:
        throw: Number of the throw.
        side: Attack or defence.
        position: Place of the die, from 0.
        value: What it shows, or None where it lies so that it shows nothing.
        verdict: How it lies.
        window_ms: For how long they may press.
    """

    wire: ClassVar[str] = "correction.proposed"

    throw: int
    side: Side
    position: int
    value: int | None
    verdict: str
    window_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionAgreed(Event):
    """One of the two agrees with the proposal."""

    wire: ClassVar[str] = "correction.agreed"

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRefused(Event):
    """Somebody does not agree: the proposal is dropped and the referee decides."""

    wire: ClassVar[str] = "correction.refused"

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FactUndone(Event):
    """The newest thing that people had told was a slip: the table is as it was before it.

    Attributes:
        what: Wire name of the event that was taken back.
        closes_too: Wire names of what it had closed, and what is open again.
    """

    wire: ClassVar[str] = "fact.undone"

    what: str
    closes_too: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowAmended(Event):
    """The circumstances of the newest throw were put right.

    Attributes:
        throw: Its number.
        player: Whose throw it was.
        against: What it went against.
        attack: Attack dice allowed, or None for the rules' most.
        defence: Defence dice allowed, or None for the rules' most.
        before: The same four, as they were recorded.
        reason: Why.
    """

    wire: ClassVar[str] = "throw.amended"

    throw: int
    player: str
    against: Target
    attack: int | None
    defence: int | None
    before: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAmended(Event):
    """The running turn is another player's, or its first attack came at another time.

    Attributes:
        player: Whose turn it is.
        attack_started_ms: Game time of its first attack, or None if there was none.
        before: The same two, as they were recorded.
        reason: Why.
    """

    wire: ClassVar[str] = "turn.amended"

    player: str
    attack_started_ms: int | None
    before: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsAmended(Event):
    """Who fell, to whom and in which order, was put right as a whole.

    Attributes:
        outs: In the order in which they left the game.
        before: As they were recorded.
        reason: Why.
    """

    wire: ClassVar[str] = "outs.amended"

    outs: tuple[OutFact, ...]
    before: tuple[OutFact, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimAmended(Event):
    """The claim that froze the board was put right.

    Attributes:
        player: Who claims.
        mission: Which mission or objective, or None.
        destroyed: Whose destruction it was, or None.
        before: The same three, as they were recorded.
        reason: Why.
    """

    wire: ClassVar[str] = "claim.amended"

    player: str
    mission: str | None
    destroyed: str | None
    before: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalOverruled(Event):
    """The referee says what the signal did to the throw.

    Attributes:
        throw: void or stands.
        combat: Whether the combat in progress may be finished.
        before: Verdict as it was computed.
        reason: Why.
    """

    wire: ClassVar[str] = "signal.overruled"

    throw: Literal["void", "stands"]
    combat: bool
    before: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedOnRuled(Event):
    """The leader says whether somebody went on after a mission, and whether by mistake.

    Attributes:
        how: accident or purpose; None takes it back.
        reason: Why.
    """

    wire: ClassVar[str] = "played_on.ruled"

    how: Literal["accident", "purpose"] | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultChanged(Event):
    """The result of a closed table was changed.

    Attributes:
        results: Result of every player.
        before: As it was.
        reason: Why.
    """

    wire: ClassVar[str] = "result.changed"

    results: Mapping[str, str]
    before: Mapping[str, str]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingMade(Event):
    """The leader or referee ruled on something that no button knows.

    Attributes:
        number: Counts from 1 in this game.
        about: interpretation, penalty, undeclared_attack or other.
        player: Whom it concerns, or None.
        armies: Armies taken off the board; 0 for none.
        reason: The ruling in their own words.
    """

    wire: ClassVar[str] = "ruling.made"

    number: int
    about: str
    player: str | None
    armies: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingAppealed(Event):
    """A player takes a ruling to the director."""

    wire: ClassVar[str] = "ruling.appealed"

    number: int
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppealDecided(Event):
    """The director's word on an appeal, which is final.

    Attributes:
        number: Number of the ruling.
        upheld: Whether the ruling stands.
        reason: Why.
    """

    wire: ClassVar[str] = "appeal.decided"

    number: int
    upheld: bool
    reason: str
