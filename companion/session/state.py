"""The table as its events leave it: a fold, and nothing that the events do not say.

`apply(state, event)` is total: each event that `decide` can make has its row in `_FOLD`, and an event without a
visible effect has one too, so that a new event that nobody thought of fails a test instead of being forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from companion.session import events as e
from companion.session.snapshot import (
    BrokenFold,
    ClockState,
    PlayerState,
    SideState,
    TableState,
    ThrowState,
    Totals,
)
from companion.session.transitions import Phase, ThrowStep

__all__ = [
    "BrokenFold",
    "ClockState",
    "PlayerState",
    "SideState",
    "TableState",
    "ThrowState",
    "Totals",
    "apply",
    "fold",
    "seat_buttons",
]


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
    """READY once each player has a colour and a button, as far as the panel's buttons go."""
    if state.phase is not Phase.SEATING:
        return state
    wanted = min(len(seat_buttons(state.rig)), len(state.players))
    is_bound = all(p.colour for p in state.players) and sum(p.button is not None for p in state.players) >= wanted
    return replace(state, phase=Phase.READY) if is_bound else state


def seat_buttons(rig: e.RigOpened | None) -> tuple[str, ...]:
    """Names of the seats' own buttons on the rig, without the referee's key."""
    return tuple(b for b in rig.buttons if b.startswith("seat")) if rig else ()


def _started(state: TableState, event: e.GameStarted) -> TableState:
    return replace(state, phase=Phase.PLAYING, clock=replace(state.running_clock(), anchor_ns=event.at_ns))


def _paused(state: TableState, event: e.ClockPaused) -> TableState:
    clock = replace(state.running_clock(), elapsed_ms=event.elapsed_ms, anchor_ns=None)
    return replace(state, clock=replace(clock, paused=event.reason, paused_ns=event.at_ns))


def _resumed(state: TableState, event: e.ClockResumed) -> TableState:
    clock = replace(state.running_clock(), elapsed_ms=event.elapsed_ms, anchor_ns=event.at_ns)
    return replace(state, clock=replace(clock, paused=None, paused_ns=None))


def _time_added(state: TableState, event: e.TimeAdded) -> TableState:
    clock = state.running_clock()
    # The last phase begins later with it, so whether this turn's attacking is over must be found anew.
    return replace(state, clock=replace(clock, length_ms=clock.length_ms + event.ms), attack_time_over=False)


def _turn(state: TableState, event: e.TurnStarted) -> TableState:
    return replace(
        state,
        turn=event.number,
        turn_player=event.player,
        turn_began_ns=event.at_ns,
        attack_started_ms=None,
        attack_time_over=False,
        allowed_attack=None,
        allowed_defence=None,
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
    return replace(state, throw=replace(throw, step=ThrowStep.RULED, is_lifted=False))


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


def _box_emptied(state: TableState, _event: e.BoxEmptied) -> TableState:
    return replace(state, throw=replace(state.newest_throw(), is_lifted=True))


def _accepted(state: TableState, event: e.ThrowAccepted) -> TableState:
    before = state.newest_throw()
    # A throw that was corrected after it had been lifted is accepted twice and is one throw all the same.
    ruled = state.totals.ruled + (before.accepted is None)
    throw = replace(before, step=ThrowStep.ACCEPTED, accepted=event)
    return replace(state, throw=throw, totals=replace(state.totals, ruled=ruled))


def _annulled(state: TableState, event: e.ThrowAnnulled) -> TableState:
    before = state.newest_throw()
    ruled = state.totals.ruled - (before.accepted is not None)
    throw = replace(before, step=ThrowStep.ANNULLED, annulled=event)
    return replace(state, throw=throw, totals=replace(state.totals, ruled=ruled))


def _recovered(state: TableState, event: e.ServiceRecovered) -> TableState:
    state = replace(state, recovered=event)
    if event.same_boot:
        return state
    state = _on_new_boot(state, event.at_ns)
    if state.phase is not Phase.PLAYING or state.running_clock().paused is not None:
        return state
    # The boot clock began anew: the old anchor means nothing, so the clock stands until people say how it goes on.
    clock = replace(state.running_clock(), elapsed_ms=event.elapsed_ms, anchor_ns=None)
    return replace(state, clock=replace(clock, paused="power", paused_ns=event.at_ns))


def _on_new_boot(state: TableState, at_ns: int) -> TableState:
    """All stamps of the boot before, which would lie anywhere on the new boot's clock, moved to its beginning.

    What happened before the cut happened before everything that comes: a throw that was lifted then must not look as if
    it were lifted after the signal, nor a turn that began then as if it began tomorrow.
    """
    throw, clock = state.throw, state.clock
    if throw is not None:
        throw = replace(
            throw,
            called_ns=None if throw.called_ns is None else at_ns,
            attack=_side_on_new_boot(throw.attack, at_ns),
            defence=_side_on_new_boot(throw.defence, at_ns),
            accepted=None if throw.accepted is None else replace(throw.accepted, at_ns=at_ns),
        )
    if clock is not None and clock.paused_ns is not None:
        clock = replace(clock, paused_ns=at_ns)
    called_ns = None if state.referee_called_ns is None else at_ns
    return replace(state, throw=throw, clock=clock, turn_began_ns=at_ns, referee_called_ns=called_ns)


def _side_on_new_boot(side: SideState | None, at_ns: int) -> SideState | None:
    if side is None:
        return None
    was_seen = side.settled.settled_ns is not None
    stamp_ns = at_ns if was_seen else None
    return replace(side, settled=replace(side.settled, at_ns=at_ns, started_ns=stamp_ns, settled_ns=stamp_ns))


def _frozen(state: TableState, event: e.BoardFrozen) -> TableState:
    clock = state.running_clock()
    clock = replace(clock, elapsed_ms=clock.elapsed_at(event.at_ns), anchor_ns=None)
    return replace(state, phase=Phase.FROZEN, frozen=event, clock=clock)


def _claim_withdrawn(state: TableState, event: e.ClaimWithdrawn) -> TableState:
    clock = state.running_clock()
    if clock.paused is None:
        clock = replace(clock, anchor_ns=event.at_ns)
    return replace(state, phase=Phase.PLAYING, frozen=None, claim=None, clock=clock)


def _knocked_out(state: TableState, event: e.PlayerKnockedOut) -> TableState:
    return _with_player(state, event.player, out_by=event.by, left_before=event.players_left_before)


def _reinstated(state: TableState, event: e.PlayerReinstated) -> TableState:
    state = _with_player(state, event.player, out_by=None, left_before=None)
    # Whoever fell after them fell at a table of one more.
    fallen = sorted((p for p in state.players if p.left_before is not None), key=lambda p: -(p.left_before or 0))
    for number, player in enumerate(fallen):
        state = _with_player(state, player.id, left_before=len(state.players) - number)
    if state.frozen is None or state.frozen.why != "last_player":
        return state
    clock = state.running_clock()
    if clock.paused is None:
        clock = replace(clock, anchor_ns=event.at_ns)
    return replace(state, phase=Phase.PLAYING, frozen=None, clock=clock)


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


def _signed(state: TableState, event: e.ResultSigned) -> TableState:
    """Who signs agrees, and takes their own dispute back with it."""
    is_theirs = state.dispute is not None and state.dispute.player == event.player
    return replace(_with_player(state, event.player, signed=True), dispute=None if is_theirs else state.dispute)


def _same(state: TableState, _event: e.Event) -> TableState:
    return state


_FOLD: dict[type[e.Event], Callable[[TableState, Any], TableState]] = {
    e.TableOpened: _opened,
    e.RigOpened: lambda s, v: _ready_if_bound(replace(s, rig=v)),
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
    e.BoxEmptied: _box_emptied,
    e.ThrowAccepted: _accepted,
    e.ThrowAnnulled: _annulled,
    e.CorrectionMade: _same,
    e.MissionClaimed: lambda s, v: replace(s, claim=v),
    e.ClaimWithdrawn: _claim_withdrawn,
    e.PlayerKnockedOut: _knocked_out,
    e.PlayerReinstated: _reinstated,
    e.TijdSounded: lambda s, v: replace(s, tijd=v),
    e.SignalRuled: lambda s, v: replace(s, signal=v),
    e.BoardFrozen: _frozen,
    e.BoardRecorded: lambda s, v: replace(s, board=v),
    e.BoardReopened: _reopened,
    e.ScoreComputed: _scored,
    e.ResultSigned: _signed,
    e.ResultDisputed: lambda s, v: replace(_with_player(s, v.player, signed=False), dispute=v),
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
