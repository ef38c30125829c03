"""Events of turns and throws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from companion.rules.reason import Reason
from companion.session.events.base import Event, Side
from companion.session.events.facts import DieFact


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """A player's turn began."""

    wire: ClassVar[str] = "turn.started"

    number: int
    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackStarted(Event):
    """The first attack of a turn, from which the last phase's limit counts."""

    wire: ClassVar[str] = "attack.started"

    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackTimeEnded(Event):
    """The time to attack in this turn ran out."""

    wire: ClassVar[str] = "attack.time_ended"

    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowCalled(Event):
    """The attacker said: I throw."""

    wire: ClassVar[str] = "throw.called"

    throw: int
    player: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedSet(Event):
    """Somebody said how many dice each side may throw; it holds until it is said anew or the turn is over."""

    wire: ClassVar[str] = "allowed.set"

    attack: int | None
    defence: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceSettled(Event):
    """Dice of one side came to rest, or were entered by hand.

    Attributes:
        throw: Number of the throw in this game.
        player: Whose turn it was.
        called: Whether the throw had been called.
        side: Attack or defence.
        dice: All dice of that side, left to right as they lie.
        started_ns: First motion, or None for dice entered by hand.
        settled_ns: From when nothing moved, or None for dice entered by hand.
        evidence: SHA-256 of the picture, or None.
        source: Camera or hand.
        apart_ms: Time between the first and the last die to arrive, where some came after the others had been read.
    """

    wire: ClassVar[str] = "dice.settled"

    throw: int
    player: str
    called: bool
    side: Side
    dice: tuple[DieFact, ...]
    started_ns: int | None
    settled_ns: int | None
    evidence: str | None
    source: Literal["camera", "hand"]
    apart_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DieVoided(Event):
    """One die does not count."""

    wire: ClassVar[str] = "die.voided"

    throw: int
    side: Side
    position: int
    reason: str
    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowRuled(Event):
    """The rules judged one side of a throw."""

    wire: ClassVar[str] = "throw.ruled"

    throw: int
    side: Side
    action: str
    fates: tuple[str, ...]
    counted: tuple[int, ...]
    dropped: tuple[int, ...]
    standing: tuple[int, ...]
    reroll: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxEmptied(Event):
    """All dice were taken out of the box before the throw was complete; what had been read of it stands."""

    wire: ClassVar[str] = "box.emptied"

    throw: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowAccepted(Event):
    """The throw counts and its losses are taken.

    Attributes:
        throw: Its number.
        how: The dice were lifted, somebody said so on the screen, the next throw began, or the signal found it done.
        attacker_loses: Armies, or None where one side was not seen.
        defender_loses: Armies, or None where one side was not seen.
    """

    wire: ClassVar[str] = "throw.accepted"

    throw: int
    how: Literal["lifted", "screen", "next_throw", "tijd"]
    attacker_loses: int | None
    defender_loses: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowAnnulled(Event):
    """The throw counts for nothing."""

    wire: ClassVar[str] = "throw.annulled"

    throw: int
    why: Literal["tijd", "referee", "unresolved", "no_dice"]
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionMade(Event):
    """A recorded fact was put right, with a reason; the old one stays in the journal."""

    wire: ClassVar[str] = "correction.made"

    subject: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    reason: str
