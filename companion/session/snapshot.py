"""The table at one moment: what `state.py` folds the events into.

Plain frozen values without any way to change: whoever wants another state makes another event. Stamps that end in `_ns`
count on the boot clock of the run that wrote the newest event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.session import events as e
from companion.session.errors import SessionError
from companion.session.transitions import THROW_OPEN, Phase, ThrowStep


class BrokenFold(SessionError, ValueError):
    """The events do not follow from one another: the journal is not one that this program wrote."""

    code = "broken-fold"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerState:
    """One player: start dice so far, seat, colour, button, and whether they are out or signed."""

    id: str
    start_dice: tuple[int, ...] = ()
    seat: int | None = None
    order: int | None = None
    colour: str | None = None
    button: str | None = None
    out_by: str | None = None
    left_before: int | None = None
    signed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SideState:
    """One side of a throw: what lay there and what the rules said of it."""

    settled: e.DiceSettled
    ruled: e.ThrowRuled | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the rules took this side as it lies: its values are fixed."""
        return self.ruled is not None and self.ruled.action == "accept"


@dataclass(frozen=True, slots=True, kw_only=True)
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

    def side(self, side: e.Side) -> SideState | None:
        """The attack's or the defence's half."""
        return self.attack if side == "attack" else self.defence

    @property
    def is_open(self) -> bool:
        """Whether dice, people or lifting are still awaited."""
        return self.step in THROW_OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockState:
    """Game time: `elapsed_ms` at `anchor_ns`; it runs unless paused.

    Attributes:
        length_ms: Length of the game with time added.
        elapsed_ms: Game time gone at the anchor.
        anchor_ns: Boot-clock stamp of the anchor, or None while it stands.
        paused: Reason of a pause, or None; a frozen board keeps it for the game that may go on.
        paused_ns: Since when, or None.
        scale: Game seconds per real second; other than 1 only in a demo, where the screen says so.
    """

    length_ms: int
    elapsed_ms: int = 0
    anchor_ns: int | None = None
    paused: str | None = None
    paused_ns: int | None = None
    scale: float = 1.0

    def elapsed_at(self, now_ns: int) -> int:
        """Game time gone at `now_ns`, ms, never more than the length."""
        if self.anchor_ns is None:
            return self.elapsed_ms
        gone = self.elapsed_ms + int((now_ns - self.anchor_ns) * self.scale / 1e6)
        return max(0, min(gone, self.length_ms))

    def due_ns(self, at_ms: int) -> int | None:
        """Boot-clock stamp at which `at_ms` of game time will have gone, or None while the clock stands."""
        if self.anchor_ns is None:
            return None
        return self.anchor_ns + int((at_ms - self.elapsed_ms) * 1e6 / self.scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Throws of this game so far."""

    ruled: int = 0
    uncalled: int = 0
    voided_dice: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
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
    recovered: e.ServiceRecovered | None = None

    def player(self, player: str) -> PlayerState:
        """The player with that id.

        Raises:
            KeyError: Nobody with that id sits here.
        """
        for found in self.players:
            if found.id == player:
                return found
        raise KeyError(player)

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
        return tuple(sorted((p for p in self.players if p.out_by is None), key=lambda p: p.order or 0))
