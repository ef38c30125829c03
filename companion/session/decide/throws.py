"""Dice that settle, how the rules judge them, and how a throw ends.

Theory. A throw has two sides, each judged for itself. The attack may lie for a minute while the defence is thrown into
the same box, so the values of a side are fixed the moment that it is accepted: dice that are knocked later keep what
they showed. Only a side with a fault (a die to throw again, a die that nobody could read, a die that came late) is
judged anew, and of such a side the standing dice keep their value and place. Which dice of a reading are meant is
told in `reading.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from companion.rules import combat, dice
from companion.rules.reason import Reason
from companion.rules.systems import rebels
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import seating, service
from companion.session.decide.moment import Moment
from companion.session.decide.reading import ToJudge, by_side, is_accepted, is_fresh_throw, to_judge
from companion.session.finish import may_throw_now
from companion.session.snapshot import SideState, TableState, ThrowState
from companion.session.state import fold
from companion.session.transitions import PLAYED, Phase

_STATES: dict[str, tuple[dice.Where, dice.State]] = {
    "valid": ("box", "flat"),
    "cocked": ("box", "cocked"),
    "stacked": ("box", "stacked"),
    "off_box": ("outside", "flat"),
    "moving": ("box", "moving"),
    "unreadable": ("box", "unreadable"),
    "fallen": ("floor", "flat"),
}
FALLEN = e.DieFact(value=None, verdict="fallen")
"""A die that fell where no camera looks: people said so."""

_NS_PER_MS = 1_000_000


def see_dice(state: TableState, command: c.SeeDice, moment: Moment) -> tuple[e.Event, ...]:
    """Dice came to rest in view of the camera; a reading that changes nothing is noted with its picture."""
    if not any(command.moved):
        return ()
    if state.phase is Phase.SEATING:
        return seating.see_dice(state, command, moment) or _noted(state, "throw-outside-game", command, moment)
    if state.phase is Phase.FROZEN and state.tijd is not None:
        return _noted(state, "throw-too-late", command, moment)
    if state.phase not in PLAYED:
        return _noted(state, "throw-outside-game", command, moment)
    seen = by_side(state, command)
    is_fresh = is_fresh_throw(state.throw, seen)
    opens_throw = is_fresh or state.throw is None or not state.throw.is_open
    if opens_throw and not may_throw_now(state):
        return _noted(state, "throw-too-late", command, moment)
    paused_ns = state.running_clock().paused_ns
    if opens_throw and paused_ns is not None and command.started_ns >= paused_ns:
        return _noted(state, "throw-in-pause", command, moment)
    facts: list[e.Event] = closing_events(state, moment) if is_fresh else []
    for side in e.SIDES:
        now = fold(facts, state)
        found = to_judge(now.throw, side, seen[side])
        if found is not None:
            facts += _settle_seen(now, side, found, command, moment)
    return tuple(facts) or _noted(state, "dice-ignored", command, moment)


def _noted(state: TableState, code: str, command: c.SeeDice, moment: Moment) -> tuple[e.Event, ...]:
    values = {"phase": state.phase.value, "settled_ns": command.settled_ns, "evidence": command.evidence}
    return service.note(state, c.Note(code=code, values=values), moment)


def _settle_seen(state: TableState, side: e.Side, found: ToJudge, command: c.SeeDice, moment: Moment) -> list[e.Event]:
    started_ns, apart_ms = command.started_ns, None
    before = state.throw.side(side) if state.throw is not None and state.throw.is_open else None
    if found.is_late and before is not None and before.settled.started_ns is not None:
        apart_ms = (started_ns - before.settled.started_ns) // _NS_PER_MS
        started_ns = before.settled.started_ns
    return settle(
        state,
        side,
        found.dice,
        moment,
        started_ns=started_ns,
        settled_ns=command.settled_ns,
        evidence=command.evidence,
        pictures=command.pictures,
        source="camera",
        apart_ms=apart_ms,
    )


def settle(
    state: TableState,
    side: e.Side,
    seen: tuple[e.DieFact, ...],
    moment: Moment,
    *,
    started_ns: int | None,
    settled_ns: int | None,
    evidence: str | None,
    source: Literal["camera", "hand"],
    apart_ms: int | None = None,
    pictures: tuple[e.PictureFact, ...] = (),
) -> list[e.Event]:
    """The events of one side that came to rest: the dice, the ruling, and each die that does not count."""
    throw = state.throw if state.throw is not None and state.throw.is_open else None
    number = throw.id if throw is not None else state.throws + 1
    seen = (*seen, *[FALLEN] * (state.fallen_attack if side == "attack" else state.fallen_defence))
    facts: list[e.Event] = []
    if state.attack_started_ms is None:
        began_ns = started_ns if started_ns is not None else moment.now_ns
        facts.append(e.AttackStarted(at_ns=moment.now_ns, elapsed_ms=state.running_clock().elapsed_at(began_ns)))
    settled = e.DiceSettled(
        at_ns=moment.now_ns,
        throw=number,
        player=state.turn_player or "",
        called=throw.called if throw is not None else False,
        side=side,
        dice=seen,
        started_ns=started_ns,
        settled_ns=settled_ns,
        evidence=evidence,
        source=source,
        apart_ms=apart_ms,
        pictures=pictures,
    )
    facts.append(settled)
    facts += judged(fold(facts, state), settled, moment, before=throw.side(side) if throw is not None else None)
    return facts


def judged(state: TableState, settled: e.DiceSettled, moment: Moment, *, before: SideState | None) -> list[e.Event]:
    """What the rules say of one side, with each die that does not count.

    Args:
        state: Tells how many dice the side of the newest throw may throw, and against what.
        settled: The dice.
        moment: Tells the rules.
        before: The side as it was judged before: a die that was void already is not voided twice.
    """
    rules = moment.rules()
    throw = state.newest_throw()
    said = throw.allowed_attack if settled.side == "attack" else throw.allowed_defence
    if throw.against == "rebels":
        limits = rebels.dice_limits(ruleset=rules)
        said = limits.attack if settled.side == "attack" else limits.defence
    ruling = dice.judge(
        [_seen(die) for die in settled.dice],
        allowed=said,
        ruleset=rules,
        thrown_apart_ms=settled.apart_ms,
        side=settled.side,
    )
    facts: list[e.Event] = [
        e.ThrowRuled(
            at_ns=moment.now_ns,
            throw=settled.throw,
            side=settled.side,
            action=ruling.action,
            fates=ruling.fates,
            counted=ruling.counted,
            dropped=ruling.dropped,
            standing=ruling.standing,
            reroll=ruling.reroll,
            reasons=ruling.reasons,
        )
    ]
    known = _judged_dice(before)
    for position, (die, fate) in enumerate(zip(settled.dice, ruling.fates, strict=True)):
        if fate not in ("counted", "standing") and (position, die, fate) not in known:
            facts.append(
                e.DieVoided(
                    at_ns=moment.now_ns,
                    throw=settled.throw,
                    side=settled.side,
                    position=position,
                    reason=_why_void(die, ruling.reasons, position),
                    clause=_clause(ruling.reasons, position),
                )
            )
    return facts


def _judged_dice(before: SideState | None) -> list[tuple[int, e.DieFact, str]]:
    if before is None or before.ruled is None:
        return []
    return [(at, die, fate) for at, (die, fate) in enumerate(zip(before.settled.dice, before.ruled.fates, strict=True))]


def _seen(die: e.DieFact) -> dice.DieSeen:
    where, lies = _STATES[die.verdict]
    return dice.DieSeen(value=die.value, where=where, state=lies, rolled=die.rolled)


def _why_void(die: e.DieFact, reasons: Sequence[Reason], position: int) -> str:
    if die.verdict != "valid":
        return die.verdict
    about = _about(reasons, position)
    return about.code if about is not None else "throw-void"


def _clause(reasons: Sequence[Reason], position: int) -> str:
    about = _about(reasons, position) or (reasons[0] if reasons else None)
    return about.clause if about is not None else ""


def _about(reasons: Sequence[Reason], position: int) -> Reason | None:
    """The reason that names the die at `position`, if one does."""
    return next((r for r in reasons if position in tuple(r.values.get("dice", ()))), None)


def closing_events(state: TableState, moment: Moment) -> list[e.Event]:
    """What ends the open throw when the next one is called or the turn passes on.

    A throw counts once its attack stands; the defence may have been thrown where no camera looks. Without an attack
    there was no throw.
    """
    throw = state.throw
    if throw is None or not throw.is_open:
        return []
    if is_decided(throw):
        return taken(throw, "next_throw", moment)
    is_empty = throw.attack is None and throw.defence is None
    return [e.ThrowAnnulled(at_ns=moment.now_ns, throw=throw.id, why="no_dice" if is_empty else "unresolved")]


def is_decided(throw: ThrowState) -> bool:
    """Whether the attack stands, and the defence too if there was one."""
    return is_accepted(throw.attack) and (throw.defence is None or is_accepted(throw.defence))


def taken(
    throw: ThrowState,
    how: Literal["lifted", "screen", "next_throw", "tijd"],
    moment: Moment,
    *,
    at_ns: int | None = None,
) -> list[e.Event]:
    """The fact that a throw counts, with its losses where both sides are known, and the rebels that it makes.

    Args:
        throw: The throw, its sides judged.
        how: What took it.
        moment: Tells the rules.
        at_ns: When its losses were taken; now, unless told otherwise.
    """
    rules = moment.rules()
    at_ns = moment.now_ns if at_ns is None else at_ns
    attack = throw.attack.ruled.counted if throw.attack and throw.attack.ruled else ()
    defence = throw.defence.ruled.counted if throw.defence and throw.defence.ruled else ()
    loses = None
    if attack and defence:
        cost = rebels.losses if throw.against == "rebels" else combat.losses
        loses = cost(attack, defence, ruleset=rules)
    facts: list[e.Event] = [
        e.ThrowAccepted(
            at_ns=at_ns,
            throw=throw.id,
            how=how,
            attacker_loses=loses.attacker if loses else None,
            defender_loses=loses.defender if loses else None,
        )
    ]
    if rules.system == "rebels" and throw.against == "armies":
        came = rebels.rebels_created(attack, defence, attack_from="", ruleset=rules)
        if came.face is not None:
            facts.append(e.RebelsCame(at_ns=at_ns, throw=throw.id, face=came.face, rebels=came.rebels))
    return facts


def see_lift(state: TableState, command: c.SeeLift, moment: Moment) -> tuple[e.Event, ...]:
    """Dice were taken out: once the box is empty a throw with both sides accepted counts.

    So it does while a claim is looked at, because the game may go on. That an unfinished throw was taken out is a fact
    too: attack dice that come after it are no knocked ones.
    """
    throw = state.throw
    is_claimed = state.phase is Phase.FROZEN and state.claim is not None and state.tijd is None
    may_go_on = state.phase in PLAYED or is_claimed
    if not may_go_on or throw is None or not throw.is_open or command.left > 0:
        return ()
    if is_accepted(throw.attack) and is_accepted(throw.defence):
        return tuple(taken(throw, "lifted", moment, at_ns=command.lifted_ns))
    if throw.is_lifted or (throw.attack is None and throw.defence is None):
        return ()
    return (e.BoxEmptied(at_ns=command.lifted_ns, throw=throw.id),)
