"""Events of turns and throws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from companion.rules.combat import Target
from companion.rules.reason import Reason
from companion.session.events.base import Event, Side
from companion.session.events.facts import DieFact
from companion.session.events.looking import PictureFact


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
        pictures: Whole pictures of the camera that were read, as long as they are stored.
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
    pictures: tuple[PictureFact, ...] = ()


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
class ContextSet(Event):
    """Somebody said what the attack goes against; it holds until it is said anew or the turn is over."""

    wire: ClassVar[str] = "context.set"

    against: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class FallTold(Event):
    """Dice fell where no camera looks: so many of this side's throw, the one that lies there or the next."""

    wire: ClassVar[str] = "fall.told"

    side: Side
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackStopped(Event):
    """The combat is over: the attacker stopped, conquered the land, or has no armies left to attack with."""

    wire: ClassVar[str] = "attack.stopped"

    why: Literal["stopped", "conquered", "no_armies"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceAsked(Event):
    """A player asked the others to be silent."""

    wire: ClassVar[str] = "silence.asked"

    player: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RebelsCame(Event):
    """A triple made rebels in the land that the attack started from.

    Attributes:
        throw: The throw's number.
        face: Face of the triple.
        rebels: How many by the organiser's table; None where people must say.
    """

    wire: ClassVar[str] = "rebels.came"

    throw: int
    face: int
    rebels: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RebelsTold(Event):
    """People looked the number of rebels up."""

    wire: ClassVar[str] = "rebels.told"

    throw: int
    face: int
    rebels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerReturned(Event):
    """An eliminated player came back with the rebels.

    Attributes:
        player: Who.
        armies: Armies to start with.
        cards: Cards to start with.
        may_attack_now: Whether an attack may begin in this turn.
    """

    wire: ClassVar[str] = "player.returned"

    player: str
    armies: int
    cards: int
    may_attack_now: bool
