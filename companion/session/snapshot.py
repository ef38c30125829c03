"""The table at one moment: what `state.py` folds the events into.

Plain frozen values without any way to change: whoever wants another state makes another event. Stamps that end in `_ns`
count on the boot clock of the run that wrote the newest event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from companion.rules.combat import Target
from companion.session import events as e
from companion.session.changed import replace
from companion.session.errors import SessionError
from companion.session.transitions import THROW_OPEN, Phase, ThrowStep


class BrokenFold(SessionError, ValueError):
    """The events do not follow from one another: the journal is not one that this program wrote."""

    code = "broken-fold"


@dataclass(frozen=True, kw_only=True)
class PlayerState:
    """One player: start dice so far, seat, colour, button, and whether they are out or signed.

    Attributes:
        left_before: Players in the game when they left it, themselves included; None while they are in it.
        out_by: Who knocked them out; None while they are in the game, and for who left it by themselves.
    """

    id: str
    start_dice: tuple[int, ...] = ()
    seat: int | None = None
    order: int | None = None
    colour: str | None = None
    button: str | None = None
    out_by: str | None = None
    left_before: int | None = None
    signed: bool = False

    @property
    def is_out(self) -> bool:
        """Whether they have left the game, knocked out or by themselves."""
        return self.left_before is not None


@dataclass(frozen=True, kw_only=True)
class SideState:
    """One side of a throw: what lay there and what the rules said of it."""

    settled: e.DiceSettled
    ruled: e.ThrowRuled | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the rules took this side as it lies: its values are fixed."""
        return self.ruled is not None and self.ruled.action == "accept"


@dataclass(frozen=True, kw_only=True)
class ThrowState:
    """The newest throw of the game; `is_lifted` once the box was emptied after its dice were last read."""

    id: int
    player: str
    called: bool
    called_ns: int | None
    step: ThrowStep
    attack: SideState | None = None
    defence: SideState | None = None
    is_lifted: bool = False
    accepted: e.ThrowAccepted | None = None
    annulled: e.ThrowAnnulled | None = None
    against: Target = "armies"
    allowed_attack: int | None = None
    allowed_defence: int | None = None
    rebels: e.RebelsCame | None = None

    def side(self, side: e.Side) -> SideState | None:
        """The attack's or the defence's half."""
        return self.attack if side == "attack" else self.defence

    @property
    def is_open(self) -> bool:
        """Whether dice, people or lifting are still awaited."""
        return self.step in THROW_OPEN


@dataclass(frozen=True, kw_only=True)
class ClockState:
    """Game time: `elapsed_ms` at `anchor_ns`; it runs unless paused.

    Attributes:
        length_ms: Length of the game with time added, or None where it is a secret.
        elapsed_ms: Game time gone at the anchor.
        anchor_ns: Boot-clock stamp of the anchor, or None while it stands.
        paused: Reason of a pause, or None; a frozen board keeps it for the game that may go on.
        paused_ns: Since when, or None.
        paused_by_hall: Whether it stands because the whole hall does; only such a pause ends with the hall's.
        scale: Game seconds per real second; other than 1 only in a demo, where the screen says so.
        added_ms: Time that was added, which comes on top of a secret length too.
    """

    length_ms: int | None
    elapsed_ms: int = 0
    anchor_ns: int | None = None
    paused: str | None = None
    paused_ns: int | None = None
    paused_by_hall: bool = False
    scale: float = 1.0
    added_ms: int = 0

    def elapsed_at(self, now_ns: int) -> int:
        """Game time gone at `now_ns`, ms, never more than the length where everybody knows it."""
        if self.anchor_ns is None:
            return self.elapsed_ms
        gone = self.elapsed_ms + int((now_ns - self.anchor_ns) * self.scale / 1e6)
        return max(0, gone if self.length_ms is None else min(gone, self.length_ms))

    def due_ns(self, at_ms: int) -> int | None:
        """Boot-clock stamp at which `at_ms` of game time will have gone, or None while the clock stands."""
        if self.anchor_ns is None:
            return None
        return self.anchor_ns + int((at_ms - self.elapsed_ms) * 1e6 / self.scale)


@dataclass(frozen=True, kw_only=True)
class SealState:
    """A secret length that was sealed at this table.

    Attributes:
        seal: Its hash.
        source: Whether the table drew it, or the hub gave it.
        hall: Name under which the hub keeps it, or None.
        least_min: Shortest length that it can be.
        most_min: Longest length that it can be.
        armed_by: Who gives the signal by it, once that is known.
        is_past: An earlier game's, of which the hub has not yet told the length.
        lost: Why it can't be vouched for any more, or None.
        revealed: What it was, once everybody may know.
    """

    seal: str
    source: str
    hall: str | None
    least_min: int
    most_min: int
    armed_by: str | None = None
    is_past: bool = False
    lost: str | None = None
    revealed: e.TijdRevealed | None = None


@dataclass(frozen=True, kw_only=True)
class Totals:
    """Throws of this game so far."""

    ruled: int = 0
    uncalled: int = 0
    voided_dice: int = 0


@dataclass(frozen=True, kw_only=True)
class Attack:
    """The combat that runs: throws between the same two lands, as far as people told where it ended.

    Attributes:
        throws: Throws of it that count.
        ended: How the combat before it ended, until the next throw begins one.
    """

    throws: int = 0
    ended: e.AttackStopped | None = None


@dataclass(frozen=True, kw_only=True)
class UndoPoint:
    """The newest thing that people told, as long as nothing has moved since.

    Attributes:
        event: What they told.
        closed: What it closed on its way, and what is undone with it.
        before: The table as it was.
    """

    event: e.Event
    closed: tuple[e.Event, ...]
    before: TableState


@dataclass(frozen=True, kw_only=True)
class RulingState:
    """A ruling of the leader or referee, and whether somebody appealed."""

    made: e.RulingMade
    appealed_by: str | None = None
    decided: e.AppealDecided | None = None


@dataclass(frozen=True, kw_only=True)
class PastThrow:
    """A throw before the newest, with the number of the turn in which it was thrown."""

    turn: int
    throw: ThrowState


@dataclass(frozen=True, kw_only=True)
class Disputed:
    """A throw that somebody does not believe.

    Attributes:
        throw: Its number.
        players: Who disputes it, in order.
        since_ns: When the first did.
        pictures: All pictures of it that were kept.
        settled: How the referee ended it, or None while it is open.
    """

    throw: int
    players: tuple[str, ...]
    since_ns: int
    pictures: tuple[e.PictureFact, ...]
    settled: e.DisputeSettled | None = None


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What was looked at: see `looked.py`.

    Attributes:
        calibration: The newest calibration of the camera, of whatever game.
        past: Throws of this game before the newest, oldest first.
        throw_turn: Number of the turn of the newest throw.
        disputes: Throws that were disputed, each once.
        readings: Stored pictures that were read again, oldest first.
    """

    calibration: e.CameraCalibrated | None = None
    past: tuple[PastThrow, ...] = ()
    throw_turn: int = 0
    disputes: tuple[Disputed, ...] = ()
    readings: tuple[e.ThrowReadAgain, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TableState:
    """Everything that the events of the running game say."""

    phase: Phase = Phase.IDLE
    opened: e.TableOpened | None = None
    rig: e.RigOpened | None = None
    players: tuple[PlayerState, ...] = ()
    clock: ClockState | None = None
    turn: int = 0
    turn_player: str | None = None
    turn_began_ns: int = 0
    attack_started_ms: int | None = None
    turn_started_ms: int | None = None
    attack_time_over: bool = False
    allowed_attack: int | None = None
    allowed_defence: int | None = None
    throws: int = 0
    throw: ThrowState | None = None
    totals: Totals = field(default_factory=Totals)
    seals: tuple[SealState, ...] = ()
    tijd: e.TijdSounded | None = None
    signal: e.SignalRuled | None = None
    frozen: e.BoardFrozen | None = None
    claim: e.MissionClaimed | None = None
    board: e.BoardRecorded | None = None
    score: e.ScoreComputed | None = None
    results: Mapping[str, str] | None = None
    ruling: e.ResultRuled | None = None
    dispute: e.ResultDisputed | None = None
    closed: bool = False
    referee_called_ns: int | None = None
    referee_called_by: str | None = None
    referee_called_how: str | None = None
    referee_called_about: e.CallAbout = ""
    referee_came_ns: int = 0
    game_began_ns: int = 0
    recovered: e.ServiceRecovered | None = None
    looked: Looked = field(default_factory=Looked)
    against: Target = "armies"
    fallen_attack: int = 0
    fallen_defence: int = 0
    attack: Attack = field(default_factory=Attack)
    rebels_told: tuple[e.RebelsTold, ...] = ()
    silence: e.SilenceAsked | None = None
    rulings: tuple[RulingState, ...] = ()
    proposed: e.CorrectionProposed | None = None
    agreed: tuple[str, ...] = ()
    played_on: Literal["accident", "purpose"] | None = None
    changed: e.ResultChanged | None = None
    finishes_throw: int = 0
    undo: UndoPoint | None = None
    moved_ns: int = 0

    def with_player(self, player: str, **changes: Any) -> TableState:
        """The same table with something changed about one player."""
        return replace(self, players=tuple(replace(p, **changes) if p.id == player else p for p in self.players))

    def player(self, player: str) -> PlayerState:
        """The player with that id.

        Raises:
            BrokenFold: Nobody with that id sits here.
        """
        for found in self.players:
            if found.id == player:
                return found
        raise BrokenFold(f"the journal tells of {player!r}, who does not sit at this table", player=player)

    @property
    def sealed(self) -> SealState | None:
        """The secret length by which this game is played; None where there is none, or only the organiser knows it."""
        return self.seals[-1] if self.seals and not self.seals[-1].is_past else None

    def running_clock(self) -> ClockState:
        """The game's clock.

        Raises:
            BrokenFold: No game was opened.
        """
        if self.clock is None:
            raise BrokenFold("the journal tells of a game that was never opened")
        return self.clock

    def newest_throw(self) -> ThrowState:
        """The newest throw.

        Raises:
            BrokenFold: Nothing was thrown yet.
        """
        if self.throw is None:
            raise BrokenFold("the journal rules a throw that was never made")
        return self.throw

    def in_order(self) -> tuple[PlayerState, ...]:
        """Players still in the game, in playing order."""
        return tuple(sorted((p for p in self.players if not p.is_out), key=lambda p: p.order or 0))
