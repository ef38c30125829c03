"""The table as its events leave it: a fold, and nothing that the events do not say.

`apply(state, event)` is total: each event that `decide` can make has its row in `_FOLD`, and an event without a
visible effect has one too, so that a new event that nobody thought of fails a test instead of being forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowState:
    """The newest throw of the game."""

    id: int
    player: str
    called: bool
    called_ns: int | None
    step: ThrowStep
    attack: SideState | None = None
    defence: SideState | None = None
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
        paused: Reason of a pause, or None.
        scale: Game seconds per real second; other than 1 only in a demo, where the screen says so.
    """

    length_ms: int
    elapsed_ms: int = 0
    anchor_ns: int | None = None
    paused: str | None = None
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


def _with_player(state: TableState, player: str, **changes: Any) -> TableState:
    return replace(state, players=tuple(replace(p, **changes) if p.id == player else p for p in state.players))


def _opened(state: TableState, event: e.TableOpened) -> TableState:
    return TableState(
        phase=Phase.SEATING,
        opened=event,
        rig=state.rig,
        players=tuple(PlayerState(id=p) for p in event.players),
        clock=ClockState(length_ms=event.length_ms, scale=event.scale),
    )


def _start_die(state: TableState, event: e.StartDieRead) -> TableState:
    dice = (*state.player(event.player).start_dice, event.value)
    return _with_player(state, event.player, start_dice=dice)


def _seats(state: TableState, event: e.SeatsAssigned) -> TableState:
    for seat in event.seats:
        state = _with_player(state, seat.player, seat=seat.seat, order=seat.order)
    return state


def _ready_if_bound(state: TableState) -> TableState:
    """READY once each player has a colour and, on a panel with buttons, a button."""
    buttons = seat_buttons(state.rig)
    bound = all(p.colour and (p.button or not buttons) for p in state.players)
    return replace(state, phase=Phase.READY) if bound else state


def seat_buttons(rig: e.RigOpened | None) -> tuple[str, ...]:
    """Names of the seats' own buttons on the rig, without the referee's key."""
    return tuple(b for b in rig.buttons if b.startswith("seat")) if rig else ()


def _started(state: TableState, event: e.GameStarted) -> TableState:
    return replace(state, phase=Phase.PLAYING, clock=replace(state.running_clock(), anchor_ns=event.at_ns))


def _paused(state: TableState, event: e.ClockPaused) -> TableState:
    clock = replace(state.running_clock(), elapsed_ms=event.elapsed_ms, anchor_ns=None, paused=event.reason)
    return replace(state, clock=clock)


def _resumed(state: TableState, event: e.ClockResumed) -> TableState:
    clock = replace(state.running_clock(), elapsed_ms=event.elapsed_ms, anchor_ns=event.at_ns, paused=None)
    return replace(state, clock=clock)


def _time_added(state: TableState, event: e.TimeAdded) -> TableState:
    return replace(state, clock=replace(state.running_clock(), length_ms=state.running_clock().length_ms + event.ms))


def _turn(state: TableState, event: e.TurnStarted) -> TableState:
    return replace(
        state,
        turn=event.number,
        turn_player=event.player,
        turn_began_ns=event.at_ns,
        attack_started_ms=None,
        attack_time_over=False,
        turn_started_ms=state.running_clock().elapsed_at(event.at_ns),
    )


def _called(state: TableState, event: e.ThrowCalled) -> TableState:
    throw = ThrowState(id=event.throw, player=event.player, called=True, called_ns=event.at_ns, step=ThrowStep.CALLED)
    return replace(state, throws=event.throw, throw=throw)


def _settled(state: TableState, event: e.DiceSettled) -> TableState:
    throw = state.throw
    if throw is None or throw.id != event.throw:
        throw = ThrowState(
            id=event.throw, player=event.player, called=event.called, called_ns=None, step=ThrowStep.RULED
        )
        totals = replace(state.totals, uncalled=state.totals.uncalled + (not event.called))
        state = replace(state, throws=event.throw, totals=totals)
    side = SideState(settled=event)
    throw = replace(throw, attack=side) if event.side == "attack" else replace(throw, defence=side)
    return replace(state, throw=replace(throw, step=ThrowStep.RULED))


def _die_voided(state: TableState, _event: e.DieVoided) -> TableState:
    return replace(state, totals=replace(state.totals, voided_dice=state.totals.voided_dice + 1))


def _ruled(state: TableState, event: e.ThrowRuled) -> TableState:
    throw = state.newest_throw()
    side = throw.side(event.side)
    if side is None:
        raise BrokenFold(f"throw {event.throw} was ruled before its dice settled")
    ruled = replace(side, ruled=event)
    throw = replace(throw, attack=ruled) if event.side == "attack" else replace(throw, defence=ruled)
    return replace(state, throw=throw)


def _accepted(state: TableState, event: e.ThrowAccepted) -> TableState:
    throw = replace(state.newest_throw(), step=ThrowStep.ACCEPTED, accepted=event)
    return replace(state, throw=throw, totals=replace(state.totals, ruled=state.totals.ruled + 1))


def _annulled(state: TableState, event: e.ThrowAnnulled) -> TableState:
    return replace(state, throw=replace(state.newest_throw(), step=ThrowStep.ANNULLED, annulled=event))


def _recovered(state: TableState, event: e.ServiceRecovered) -> TableState:
    state = replace(state, recovered=event)
    if event.same_boot or state.clock is None or state.phase is not Phase.PLAYING or state.running_clock().paused:
        return state
    # The boot clock began anew: the old anchor means nothing, so the clock stands until people say how it goes on.
    clock = replace(state.running_clock(), elapsed_ms=event.elapsed_ms, anchor_ns=None, paused="power")
    return replace(state, clock=clock)


def _frozen(state: TableState, event: e.BoardFrozen) -> TableState:
    clock = replace(
        state.running_clock(), elapsed_ms=state.running_clock().elapsed_at(event.at_ns), anchor_ns=None, paused=None
    )
    return replace(state, phase=Phase.FROZEN, frozen=event, clock=clock)


def _claim_withdrawn(state: TableState, event: e.ClaimWithdrawn) -> TableState:
    clock = replace(state.running_clock(), anchor_ns=event.at_ns)
    return replace(state, phase=Phase.PLAYING, frozen=None, claim=None, clock=clock)


def _knocked_out(state: TableState, event: e.PlayerKnockedOut) -> TableState:
    return _with_player(state, event.player, out_by=event.by, left_before=event.players_left_before)


def _scored(state: TableState, event: e.ScoreComputed) -> TableState:
    results = {place.player: place.result for place in event.places}
    players = tuple(replace(p, signed=False) for p in state.players)
    return replace(state, phase=Phase.SCORED, score=event, results=results, players=players, dispute=None, ruling=None)


def _reopened(state: TableState, _event: e.BoardReopened) -> TableState:
    players = tuple(replace(p, signed=False) for p in state.players)
    return replace(state, phase=Phase.FROZEN, score=None, results=None, players=players, dispute=None, ruling=None)


def _result_ruled(state: TableState, event: e.ResultRuled) -> TableState:
    players = tuple(replace(p, signed=False) for p in state.players)
    return replace(state, results=dict(event.results), ruling=event, dispute=None, players=players)


def _same(state: TableState, _event: e.Event) -> TableState:
    return state


_FOLD: dict[type[e.Event], Callable[[TableState, Any], TableState]] = {
    e.TableOpened: _opened,
    e.RigOpened: lambda s, v: replace(s, rig=v),
    e.StartDieRead: _start_die,
    e.StartDieVoided: _same,
    e.SeatsAssigned: _seats,
    e.ColourChosen: lambda s, v: _ready_if_bound(_with_player(s, v.player, colour=v.colour)),
    e.ButtonBound: lambda s, v: _ready_if_bound(_with_player(s, v.player, button=v.button)),
    e.GameStarted: _started,
    e.ClockPaused: _paused,
    e.ClockResumed: _resumed,
    e.TimeAdded: _time_added,
    e.ClockStepped: _same,
    e.ServiceRecovered: _recovered,
    e.ServiceNoted: _same,
    e.RefereeCalled: lambda s, v: replace(s, referee_called_ns=v.at_ns, referee_called_by=v.by),
    e.RefereeDismissed: lambda s, _v: replace(s, referee_called_ns=None, referee_called_by=None),
    e.TurnStarted: _turn,
    e.AttackStarted: lambda s, v: replace(s, attack_started_ms=v.elapsed_ms),
    e.AttackTimeEnded: lambda s, _v: replace(s, attack_time_over=True),
    e.ThrowCalled: _called,
    e.AllowedSet: lambda s, v: replace(s, allowed_attack=v.attack, allowed_defence=v.defence),
    e.DiceSettled: _settled,
    e.DieVoided: _die_voided,
    e.ThrowRuled: _ruled,
    e.ThrowAccepted: _accepted,
    e.ThrowAnnulled: _annulled,
    e.CorrectionMade: _same,
    e.MissionClaimed: lambda s, v: replace(s, claim=v),
    e.ClaimWithdrawn: _claim_withdrawn,
    e.PlayerKnockedOut: _knocked_out,
    e.TijdSounded: lambda s, v: replace(s, tijd=v),
    e.SignalRuled: lambda s, v: replace(s, signal=v),
    e.BoardFrozen: _frozen,
    e.BoardRecorded: lambda s, v: replace(s, board=v),
    e.BoardReopened: _reopened,
    e.ScoreComputed: _scored,
    e.ResultSigned: lambda s, v: _with_player(s, v.player, signed=True),
    e.ResultDisputed: lambda s, v: replace(s, dispute=v),
    e.ResultRuled: _result_ruled,
    e.TableClosed: lambda s, v: replace(s, phase=Phase.CLOSED, results=dict(v.results), closed=True),
}


def apply(state: TableState, event: e.Event) -> TableState:
    """The state after `event`.

    Raises:
        KeyError: The event has no row in the fold; a test keeps this from happening.
    """
    return _FOLD[type(event)](state, event)


def fold(facts: Iterable[e.Event], state: TableState | None = None) -> TableState:
    """The state after all of `facts`, from an idle table or from `state`."""
    state = state or TableState()
    for event in facts:
        state = apply(state, event)
    return state
