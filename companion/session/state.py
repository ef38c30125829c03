"""The table as its events leave it: a fold, and nothing that the events do not say.

`apply(state, event)` is total: each event that `decide` can make has its row in `_FOLD`, and an event without a
visible effect has one too, so that a new event that nobody thought of fails a test instead of being forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from companion.session import events as e
from companion.session import looked, mended, thrown, undoing
from companion.session.changed import replace
from companion.session.snapshot import (
    Attack,
    BrokenFold,
    ClockState,
    PlayerState,
    SealState,
    SideState,
    TableState,
    ThrowState,
    Totals,
)
from companion.session.transitions import Phase

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


def _opened(state: TableState, event: e.TableOpened) -> TableState:
    # The hub tells a hall's length when its last table has ended, which may be after this one was set up anew.
    waiting = tuple(replace(s, is_past=True) for s in state.seals if s.source == "hub" and s.revealed is None)
    return TableState(
        seals=waiting,
        phase=Phase.SEATING,
        opened=event,
        rig=state.rig,
        players=tuple(PlayerState(id=p) for p in event.players),
        clock=ClockState(length_ms=event.length_ms, scale=event.scale),
    )


def _start_die(state: TableState, event: e.StartDieRead) -> TableState:
    dice = (*state.player(event.player).start_dice, event.value)
    return state.with_player(event.player, start_dice=dice)


def _seats(state: TableState, event: e.SeatsAssigned) -> TableState:
    for seat in event.seats:
        state = state.with_player(seat.player, seat=seat.seat, order=seat.order)
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
    clock = replace(state.running_clock(), anchor_ns=event.at_ns)
    return replace(state, phase=Phase.PLAYING, clock=clock, game_began_ns=event.at_ns)


def _paused(state: TableState, event: e.ClockPaused) -> TableState:
    clock = replace(state.running_clock(), elapsed_ms=event.elapsed_ms, anchor_ns=None)
    clock = replace(clock, paused=event.reason, paused_ns=event.at_ns, paused_by_hall=event.by_hall)
    return replace(state, clock=clock)


def _resumed(state: TableState, event: e.ClockResumed) -> TableState:
    clock = replace(state.running_clock(), elapsed_ms=event.elapsed_ms, anchor_ns=event.at_ns)
    return replace(state, clock=replace(clock, paused=None, paused_ns=None, paused_by_hall=False))


def _time_added(state: TableState, event: e.TimeAdded) -> TableState:
    clock = state.running_clock()
    # The last phase begins later with it, so whether this turn's attacking is over must be found anew.
    length_ms = None if clock.length_ms is None else clock.length_ms + event.ms
    clock = replace(clock, length_ms=length_ms, added_ms=clock.added_ms + event.ms)
    return replace(state, clock=clock, attack_time_over=False)


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
    it were lifted after the signal, nor a turn that began then as if it began tomorrow. A correction that waited to be
    agreed, and a wish for silence, are over.
    """
    throw, clock, ended = state.throw, state.clock, state.attack.ended
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
    attack = state.attack if ended is None else replace(state.attack, ended=replace(ended, at_ns=at_ns))
    return replace(
        state, throw=throw, clock=clock, turn_began_ns=at_ns, referee_called_ns=called_ns, referee_came_ns=at_ns,
        game_began_ns=at_ns, attack=attack, proposed=None, agreed=(), silence=None,
    )  # fmt: skip


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
    return mended.thawed(replace(state, claim=None, played_on=None), event.at_ns)


def _signal_ruled(state: TableState, event: e.SignalRuled) -> TableState:
    state = replace(state, signal=event)
    if event.finishing is None or state.phase is not Phase.PLAYING or state.tijd is None:
        return state
    # The game's time is over; what is finished now takes none of it.
    clock = state.running_clock()
    clock = replace(clock, elapsed_ms=clock.elapsed_at(state.tijd.at_ns), anchor_ns=None)
    throw = state.throw
    is_newest = throw is not None and (throw.is_open or throw.id == event.throw)
    return replace(
        state,
        phase=Phase.FINISHING,
        clock=clock,
        attack=replace(state.attack, ended=None),
        finishes_throw=state.throws if is_newest else state.throws + 1,
    )


def _knocked_out(state: TableState, event: e.PlayerKnockedOut) -> TableState:
    state = state.with_player(event.player, out_by=event.by, left_before=event.players_left_before)
    if event.by is None or event.by != state.turn_player:
        return state
    # Whoever takes the last territory has conquered it.
    return replace(state, attack=Attack(ended=e.AttackStopped(at_ns=event.at_ns, why="conquered")))


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
    return replace(state.with_player(event.player, signed=True), dispute=None if is_theirs else state.dispute)


def _sealed(state: TableState, event: e.TijdSealed) -> TableState:
    new = SealState(
        seal=event.seal, source=event.source, hall=event.hall, least_min=event.least_min, most_min=event.most_min
    )
    return replace(state, seals=(*state.seals, new))


def _with_seal(state: TableState, seal: str, **changes: Any) -> TableState:
    return replace(state, seals=tuple(replace(s, **changes) if s.seal == seal else s for s in state.seals))


def _referee_called(state: TableState, event: e.RefereeCalled) -> TableState:
    return replace(
        state,
        referee_called_ns=event.at_ns,
        referee_called_by=event.by,
        referee_called_how=event.how,
        referee_called_about=event.about,
    )


def _referee_dismissed(state: TableState, event: e.RefereeDismissed) -> TableState:
    return replace(
        state,
        referee_called_ns=None,
        referee_called_by=None,
        referee_called_how=None,
        referee_called_about="",
        referee_came_ns=event.at_ns,
    )


def _same(state: TableState, _event: e.Event) -> TableState:
    return state


_FOLD: dict[type[e.Event], Callable[[TableState, Any], TableState]] = {
    e.TableOpened: _opened,
    e.RigOpened: lambda s, v: _ready_if_bound(replace(s, rig=v)),
    e.StartDieRead: _start_die,
    e.StartDieVoided: _same,
    e.SeatsAssigned: _seats,
    e.ColourChosen: lambda s, v: _ready_if_bound(s.with_player(v.player, colour=v.colour)),
    e.ButtonBound: lambda s, v: _ready_if_bound(s.with_player(v.player, button=v.button)),
    e.TijdSealed: _sealed,
    e.TijdArmed: lambda s, v: _with_seal(s, v.seal, armed_by=v.by),
    e.GameStarted: _started,
    e.ClockPaused: _paused,
    e.ClockResumed: _resumed,
    e.TimeAdded: _time_added,
    e.ClockStepped: _same,
    e.ServiceRecovered: _recovered,
    e.ServiceNoted: _same,
    e.AbsenceTold: lambda s, v: replace(s, recovered=s.recovered and replace(s.recovered, away_ms=v.away_ms)),
    e.RefereeCalled: _referee_called,
    e.RefereeDismissed: _referee_dismissed,
    e.TurnStarted: thrown.turn,
    e.AttackStarted: lambda s, v: replace(s, attack_started_ms=v.elapsed_ms),
    e.AttackTimeEnded: lambda s, _v: replace(s, attack_time_over=True),
    e.ThrowCalled: thrown.called,
    e.AllowedSet: thrown.allowed,
    e.DiceSettled: thrown.settled,
    e.DieVoided: thrown.die_voided,
    e.ThrowRuled: thrown.ruled,
    e.BoxEmptied: thrown.box_emptied,
    e.ThrowAccepted: thrown.accepted,
    e.ThrowAnnulled: thrown.annulled,
    e.AttackStopped: lambda s, v: replace(s, attack=Attack(ended=v)),
    e.ContextSet: thrown.against,
    e.FallTold: thrown.fallen,
    e.SilenceAsked: lambda s, v: replace(s, silence=v),
    e.RebelsCame: thrown.rebels_came,
    e.RebelsTold: thrown.rebels_told,
    e.PlayerReturned: lambda s, v: mended.back_in(s, v.player, v.at_ns),
    e.CorrectionProposed: mended.correction_proposed,
    e.CorrectionAgreed: mended.correction_agreed,
    e.CorrectionRefused: mended.proposal_dropped,
    e.CorrectionMade: mended.proposal_dropped,
    e.FactUndone: undoing.undone,
    e.ThrowAmended: mended.throw_amended,
    e.TurnAmended: mended.turn_amended,
    e.OutsAmended: lambda s, v: mended.with_outs(s, v.outs, v.at_ns),
    e.ClaimAmended: mended.claim_amended,
    e.SignalOverruled: mended.signal_overruled,
    e.PlayedOnRuled: lambda s, v: replace(s, played_on=v.how),
    e.RulingMade: mended.ruling_made,
    e.RulingAppealed: mended.ruling_appealed,
    e.AppealDecided: mended.appeal_decided,
    e.ResultChanged: mended.result_changed,
    e.MissionClaimed: lambda s, v: replace(s, claim=v),
    e.ClaimWithdrawn: _claim_withdrawn,
    e.PlayerKnockedOut: _knocked_out,
    e.PlayerReinstated: lambda s, v: mended.back_in(s, v.player, v.at_ns),
    e.TijdSounded: lambda s, v: replace(s, tijd=v),
    e.TijdLost: lambda s, v: _with_seal(s, v.seal, lost=v.why),
    e.TijdRevealed: lambda s, v: _with_seal(s, v.seal, revealed=v),
    e.SignalRuled: _signal_ruled,
    e.BoardFrozen: _frozen,
    e.BoardRecorded: lambda s, v: replace(s, board=v),
    e.BoardReopened: _reopened,
    e.ScoreComputed: _scored,
    e.ResultSigned: _signed,
    e.ResultDisputed: lambda s, v: replace(s.with_player(v.player, signed=False), dispute=v),
    e.ResultRuled: _result_ruled,
    e.CameraCalibrated: _same,
    e.FramesKept: _same,
    e.ThrowDisputed: _same,
    e.ThrowReadAgain: _same,
    e.DisputeSettled: _same,
    e.TableClosed: lambda s, v: replace(s, phase=Phase.CLOSED, results=dict(v.results), closed=True),
}


def apply(state: TableState, event: e.Event) -> TableState:
    """The state after `event`.

    Raises:
        KeyError: The event has no row in the fold; a test keeps this from happening.
    """
    return looked.after(state, undoing.remembered(state, event, _FOLD[type(event)]), event)


def fold(facts: Iterable[e.Event], state: TableState | None = None) -> TableState:
    """The state after all of `facts`, from an idle table or from `state`."""
    state = state or TableState()
    for event in facts:
        state = apply(state, event)
    return state
