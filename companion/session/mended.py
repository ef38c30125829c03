"""How a table changes when facts are put right: the part of the fold that belongs to corrections and rulings."""

from __future__ import annotations

from companion.session import events as e
from companion.session.changed import replace
from companion.session.snapshot import BrokenFold, RulingState, TableState
from companion.session.transitions import Phase


def thawed(state: TableState, at_ns: int) -> TableState:
    """The table back in play from where the clock stood; after the signal only what may be finished is played."""
    if state.tijd is not None:
        return replace(state, phase=Phase.FINISHING, frozen=None)
    clock = state.running_clock()
    if clock.paused is None:
        clock = replace(clock, anchor_ns=at_ns)
    return replace(state, phase=Phase.PLAYING, frozen=None, clock=clock)


def back_in(state: TableState, player: str, at_ns: int) -> TableState:
    """The table with a player in the game again; whoever fell after them fell at a table of one more."""
    others = sorted((p for p in state.players if p.left_before and p.id != player), key=lambda p: -(p.left_before or 0))
    outs = tuple(e.OutFact(player=p.id, by=p.out_by) for p in others)
    return with_outs(state, outs, at_ns)


def with_outs(state: TableState, outs: tuple[e.OutFact, ...], at_ns: int) -> TableState:
    """The table with exactly these players out, in the order in which they left; a game that had ended goes on."""
    for player in state.players:
        state = state.with_player(player.id, out_by=None, left_before=None)
    for number, out in enumerate(outs):
        state = state.with_player(out.player, out_by=out.by, left_before=len(state.players) - number)
    if state.frozen is None or state.frozen.why != "last_player" or len(state.in_order()) < 2:
        return state
    return thawed(state, at_ns)


def correction_proposed(state: TableState, event: e.CorrectionProposed) -> TableState:
    """A proposal; the one before it is dropped."""
    return replace(state, proposed=event, agreed=())


def correction_agreed(state: TableState, event: e.CorrectionAgreed) -> TableState:
    """One more agrees."""
    return replace(state, agreed=(*state.agreed, event.player))


def proposal_dropped(state: TableState, _event: e.Event) -> TableState:
    """Nothing is proposed any more."""
    return replace(state, proposed=None, agreed=())


def throw_amended(state: TableState, event: e.ThrowAmended) -> TableState:
    """The newest throw in other circumstances; while it is open they are the table's too."""
    throw = replace(
        state.newest_throw(),
        player=event.player,
        against=event.against,
        allowed_attack=event.attack,
        allowed_defence=event.defence,
    )
    state = replace(state, throw=throw)
    if not throw.is_open:
        return state
    return replace(state, against=event.against, allowed_attack=event.attack, allowed_defence=event.defence)


def turn_amended(state: TableState, event: e.TurnAmended) -> TableState:
    """The running turn is somebody else's."""
    return replace(state, turn_player=event.player, attack_started_ms=event.attack_started_ms, attack_time_over=False)


def claim_amended(state: TableState, event: e.ClaimAmended) -> TableState:
    """Another claim froze the board."""
    if state.claim is None:
        raise BrokenFold("the journal amends a claim that nobody made")
    claim = replace(state.claim, player=event.player, mission=event.mission, destroyed=event.destroyed)
    return replace(state, claim=claim)


def signal_overruled(state: TableState, event: e.SignalOverruled) -> TableState:
    """The signal does what the referee says."""
    if state.signal is None:
        raise BrokenFold("the journal overrules a signal that nobody gave")
    signal = replace(
        state.signal,
        uncertain=False,
        verdict=event.throw,
        board="before_throw" if event.throw == "void" else "as_it_is",
        finishing="combat" if event.combat else None,
        may_move_in=event.combat,
    )
    state = replace(state, signal=signal, attack=replace(state.attack, ended=None))
    return thawed(state, event.at_ns) if event.combat and state.phase is Phase.FROZEN else state


def result_changed(state: TableState, event: e.ResultChanged) -> TableState:
    """A closed table with another result."""
    return replace(state, results=dict(event.results), changed=event)


def ruling_made(state: TableState, event: e.RulingMade) -> TableState:
    """One ruling more."""
    return replace(state, rulings=(*state.rulings, RulingState(made=event)))


def ruling_appealed(state: TableState, event: e.RulingAppealed) -> TableState:
    """A ruling is taken to the director."""
    return _with_ruling(state, event.number, appealed_by=event.player, decided=None)


def appeal_decided(state: TableState, event: e.AppealDecided) -> TableState:
    """The director's word stands."""
    return _with_ruling(state, event.number, decided=event)


def _with_ruling(state: TableState, number: int, **changes: object) -> TableState:
    rulings = tuple(replace(one, **changes) if one.made.number == number else one for one in state.rulings)
    return replace(state, rulings=rulings)
