"""How a table changes by turns and throws: that part of the fold."""

from __future__ import annotations

from companion.session import events as e
from companion.session.changed import replace
from companion.session.snapshot import Attack, BrokenFold, SideState, TableState, ThrowState
from companion.session.transitions import ThrowStep


def turn(state: TableState, event: e.TurnStarted) -> TableState:
    """A turn begins, and with it everything that holds for one turn."""
    return replace(
        state,
        turn=event.number,
        turn_player=event.player,
        turn_began_ns=event.at_ns,
        attack_started_ms=None,
        attack_time_over=False,
        allowed_attack=None,
        allowed_defence=None,
        against="armies",
        fallen_attack=0,
        fallen_defence=0,
        attack=Attack(),
        proposed=None,
        agreed=(),
        turn_started_ms=state.running_clock().elapsed_at(event.at_ns),
    )


def called(state: TableState, event: e.ThrowCalled) -> TableState:
    """A throw that waits for dice."""
    throw = ThrowState(
        id=event.throw,
        player=event.player,
        called=True,
        called_ns=event.at_ns,
        step=ThrowStep.CALLED,
        against=state.against,
        allowed_attack=state.allowed_attack,
        allowed_defence=state.allowed_defence,
    )
    return replace(state, throws=event.throw, throw=throw, fallen_attack=0, fallen_defence=0, proposed=None, agreed=())


def settled(state: TableState, event: e.DiceSettled) -> TableState:
    """Dice of one side lie; the first of them make the throw."""
    throw = state.throw
    if throw is None or throw.id != event.throw:
        throw = ThrowState(
            id=event.throw,
            player=event.player,
            called=event.called,
            called_ns=None,
            step=ThrowStep.RULED,
            against=state.against,
            allowed_attack=state.allowed_attack,
            allowed_defence=state.allowed_defence,
        )
        totals = replace(state.totals, uncalled=state.totals.uncalled + (not event.called))
        state = replace(state, throws=event.throw, totals=totals, proposed=None, agreed=())
    if throw.attack is None and throw.defence is None:
        state = replace(state, attack=replace(state.attack, ended=None))
    side = SideState(settled=event)
    if event.side == "attack":
        state, throw = replace(state, fallen_attack=0), replace(throw, attack=side)
    else:
        state, throw = replace(state, fallen_defence=0), replace(throw, defence=side)
    return replace(state, throw=replace(throw, step=ThrowStep.RULED, is_lifted=False))


def die_voided(state: TableState, _event: e.DieVoided) -> TableState:
    """One die more that did not count."""
    return replace(state, totals=replace(state.totals, voided_dice=state.totals.voided_dice + 1))


def ruled(state: TableState, event: e.ThrowRuled) -> TableState:
    """The rules said what a side counts."""
    throw = state.newest_throw()
    side = throw.side(event.side)
    if side is None:
        raise BrokenFold(f"throw {event.throw} was ruled before its dice settled")
    ruled = replace(side, ruled=event)
    throw = replace(throw, attack=ruled) if event.side == "attack" else replace(throw, defence=ruled)
    return replace(state, throw=throw)


def box_emptied(state: TableState, _event: e.BoxEmptied) -> TableState:
    """The box is empty before the throw is complete."""
    return replace(state, throw=replace(state.newest_throw(), is_lifted=True))


def accepted(state: TableState, event: e.ThrowAccepted) -> TableState:
    """A throw that counts; one that was corrected after it was lifted is accepted again and is one all the same."""
    before = state.newest_throw()
    more = before.accepted is None
    throw = replace(before, step=ThrowStep.ACCEPTED, accepted=event, annulled=None, rebels=None)
    return _counted(replace(state, throw=throw), int(more))


def _counted(state: TableState, more: int) -> TableState:
    """The table with so many throws more that count, in the game and in this combat."""
    totals = replace(state.totals, ruled=state.totals.ruled + more)
    return replace(state, totals=totals, attack=replace(state.attack, throws=max(0, state.attack.throws + more)))


def annulled(state: TableState, event: e.ThrowAnnulled) -> TableState:
    """A throw that counts for nothing."""
    before = state.newest_throw()
    throw = replace(before, step=ThrowStep.ANNULLED, annulled=event)
    return _counted(replace(state, throw=throw), -(before.accepted is not None))


def rebels_came(state: TableState, event: e.RebelsCame) -> TableState:
    """A throw that made rebels."""
    return replace(state, throw=replace(state.newest_throw(), rebels=event))


def rebels_told(state: TableState, event: e.RebelsTold) -> TableState:
    """How many rebels a triple makes, as people looked it up."""
    throw = state.newest_throw()
    if throw.rebels is None:
        raise BrokenFold("the journal counts rebels of a throw that made none")
    throw = replace(throw, rebels=replace(throw.rebels, rebels=event.rebels))
    return replace(state, throw=throw, rebels_told=(*state.rebels_told, event))


def allowed(state: TableState, event: e.AllowedSet) -> TableState:
    """How many dice each side may throw, in the open throw and from now on."""
    state = replace(state, allowed_attack=event.attack, allowed_defence=event.defence)
    if state.throw is None or not state.throw.is_open:
        return state
    throw = replace(state.throw, allowed_attack=event.attack, allowed_defence=event.defence)
    return replace(state, throw=throw)


def against(state: TableState, event: e.ContextSet) -> TableState:
    """What the attack goes against, in the open throw and from now on."""
    state = replace(state, against=event.against)
    if state.throw is None or not state.throw.is_open:
        return state
    return replace(state, throw=replace(state.throw, against=event.against))


def fallen(state: TableState, event: e.FallTold) -> TableState:
    """Dice that fell from the throw to come."""
    if event.side == "attack":
        return replace(state, fallen_attack=event.count)
    return replace(state, fallen_defence=event.count)
