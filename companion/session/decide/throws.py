"""Dice that settle, how the rules judge them, and how a throw ends.

Theory. A throw has two sides, each judged for itself. The attack may lie for a minute while the defence is thrown into
the same box, so the values of a side are fixed the moment that it is accepted: dice that are knocked later keep what
they showed. Only a side with a fault (a die to throw again, a die that nobody could read) is read anew, and of such a
side the standing dice keep their value and place.

A side is taken as a fresh throw, not as a knock, only if every die of it turned over a face: knocked dice slide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from companion.rules import combat, dice
from companion.rules.reason import Reason
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import seating, service
from companion.session.decide.moment import Moment
from companion.session.errors import Refused
from companion.session.state import SideState, TableState, ThrowState, fold
from companion.session.transitions import Phase, ThrowStep

_STATES: dict[str, tuple[dice.Where, dice.State]] = {
    "valid": ("box", "flat"),
    "cocked": ("box", "cocked"),
    "stacked": ("box", "stacked"),
    "off_box": ("outside", "flat"),
    "moving": ("box", "moving"),
    "unreadable": ("box", "unreadable"),
}


def see_dice(state: TableState, command: c.SeeDice, moment: Moment) -> tuple[e.Event, ...]:
    """Dice came to rest in view of the camera."""
    if not any(command.moved):
        return ()
    if state.phase is Phase.SEATING:
        return seating.see_dice(state, command, moment)
    if state.phase is not Phase.PLAYING:
        values = {"phase": state.phase.value, "settled_ns": command.settled_ns, "evidence": command.evidence}
        return service.note(state, c.Note(code="throw-outside-game", values=values), moment)
    facts: list[e.Event] = []
    sides = _by_side(state, command)
    if _is_fresh_throw(state, sides):
        facts += closing_events(state, moment)
    for side, found in sides.items():
        now = fold(facts, state)
        seen = _dice_to_settle(now, side, found)
        if seen is not None:
            facts += _settle(
                now,
                side,
                seen,
                moment,
                started_ns=command.started_ns,
                settled_ns=command.settled_ns,
                evidence=command.evidence,
                source="camera",
            )
    return tuple(facts)


_Found = list[tuple[e.DieFact, bool]]


def _by_side(state: TableState, command: c.SeeDice) -> dict[e.Side, _Found]:
    """The dice in view split into sides: by colour where they have one, else by who is still awaited."""
    awaited: e.Side = "attack"
    if state.throw is not None and state.throw.is_open and is_accepted(state.throw.attack):
        awaited = "defence"
    sides: dict[e.Side, _Found] = {"attack": [], "defence": []}
    for die, side, moved in zip(command.dice, command.sides, command.moved, strict=True):
        # Dice without colours that did not move lay there before: they are the attack's, whoever is awaited now.
        sides[side or (awaited if moved else "attack")].append((die, moved))
    return {side: found for side, found in sides.items() if found}


def is_accepted(side: SideState | None) -> bool:
    """Whether the rules took this side as it lies: its values are fixed."""
    return side is not None and side.ruled is not None and side.ruled.action == "accept"


def _is_fresh_throw(state: TableState, sides: dict[e.Side, _Found]) -> bool:
    """Whether the attack was thrown anew though the throw before was never lifted off."""
    throw = state.throw
    attack = sides.get("attack", [])
    if throw is None or not throw.is_open or not is_accepted(throw.attack) or not attack:
        return False
    return all(moved and die.rolled for die, moved in attack)


def _dice_to_settle(state: TableState, side: e.Side, found: _Found) -> tuple[e.DieFact, ...] | None:
    """The dice of a side that must be judged now, or None if this side stands as it is."""
    if not any(moved for _die, moved in found):
        return None
    throw = state.throw
    before = throw.side(side) if throw is not None and throw.is_open else None
    if is_accepted(before):
        return None
    seen = [die for die, _moved in found]
    if before is None or before.ruled is None or before.ruled.action != "reroll_some":
        return tuple(seen)
    return _keep_standing(before.settled.dice, before.ruled.fates, seen)


def _keep_standing(
    before: Sequence[e.DieFact], fates: Sequence[str], seen: Sequence[e.DieFact]
) -> tuple[e.DieFact, ...]:
    """The dice in view, with those that stood from the first throw keeping what they showed then.

    A standing die is found again as the nearest one; standing dice that were taken out of the box count all the same.
    """
    left = list(seen)
    kept: list[e.DieFact] = []
    for old in (die for die, fate in zip(before, fates, strict=True) if fate == "standing"):
        kept.append(old)
        if len(left) > sum(fate == "reroll" for fate in fates) and old.center_px is not None:
            here = old.center_px
            left.remove(min(left, key=lambda die: math.dist(here, die.center_px or here)))
    return (*kept, *left)


def _settle(
    state: TableState,
    side: e.Side,
    seen: tuple[e.DieFact, ...],
    moment: Moment,
    *,
    started_ns: int | None,
    settled_ns: int | None,
    evidence: str | None,
    source: str,
) -> list[e.Event]:
    """The events of one side that came to rest: the dice, the ruling, and each die that does not count."""
    throw = state.throw if state.throw is not None and state.throw.is_open else None
    number = throw.id if throw is not None else state.throws + 1
    called = throw.called if throw is not None else False
    facts: list[e.Event] = []
    if state.attack_started_ms is None:
        began_ns = started_ns if started_ns is not None else moment.now_ns
        facts.append(e.AttackStarted(at_ns=moment.now_ns, elapsed_ms=state.running_clock().elapsed_at(began_ns)))
    facts.append(
        e.DiceSettled(
            at_ns=moment.now_ns,
            throw=number,
            player=state.turn_player or "",
            called=called,
            side=side,
            dice=seen,
            started_ns=started_ns,
            settled_ns=settled_ns,
            evidence=evidence,
            source="hand" if source == "hand" else "camera",
        )
    )
    facts += judged(state, number, side, seen, moment)
    return facts


def judged(state: TableState, throw: int, side: e.Side, seen: Sequence[e.DieFact], moment: Moment) -> list[e.Event]:
    """What the rules say of one side, with each die that does not count."""
    rules = moment.rules()
    said = state.allowed_attack if side == "attack" else state.allowed_defence
    ruling = dice.judge([_seen(die) for die in seen], allowed=said, ruleset=rules, side=side)
    facts: list[e.Event] = [
        e.ThrowRuled(
            at_ns=moment.now_ns,
            throw=throw,
            side=side,
            action=ruling.action,
            fates=ruling.fates,
            counted=ruling.counted,
            dropped=ruling.dropped,
            standing=ruling.standing,
            reroll=ruling.reroll,
            reasons=ruling.reasons,
        )
    ]
    for position, (die, fate) in enumerate(zip(seen, ruling.fates, strict=True)):
        if fate not in ("counted", "standing"):
            facts.append(
                e.DieVoided(
                    at_ns=moment.now_ns,
                    throw=throw,
                    side=side,
                    position=position,
                    reason=_why_void(die, ruling.reasons, position),
                    clause=_clause(ruling.reasons, position),
                )
            )
    return facts


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
    """What ends the open throw when the next one is called or the turn passes on."""
    throw = state.throw
    if throw is None or not throw.is_open:
        return []
    sides = [side for side in (throw.attack, throw.defence) if side is not None]
    if sides and all(is_accepted(side) for side in sides):
        return [_accepted(throw, "next_throw", moment)]
    return [e.ThrowAnnulled(at_ns=moment.now_ns, throw=throw.id, why="unresolved" if sides else "no_dice")]


def _accepted(throw: ThrowState, how: str, moment: Moment) -> e.ThrowAccepted:
    attack = throw.attack.ruled if throw.attack else None
    defence = throw.defence.ruled if throw.defence else None
    loses = None
    if attack is not None and defence is not None and attack.counted and defence.counted:
        loses = combat.losses(attack.counted, defence.counted, ruleset=moment.rules())
    return e.ThrowAccepted(
        at_ns=moment.now_ns,
        throw=throw.id,
        how="lifted" if how == "lifted" else "screen" if how == "screen" else "next_throw",
        attacker_loses=loses.attacker if loses else None,
        defender_loses=loses.defender if loses else None,
    )


def see_lift(state: TableState, command: c.SeeLift, moment: Moment) -> tuple[e.Event, ...]:
    """Dice were taken out: a throw with both sides accepted counts, once the box is empty."""
    throw = state.throw
    if state.phase is not Phase.PLAYING or throw is None or not throw.is_open or command.left > 0:
        return ()
    if is_accepted(throw.attack) and is_accepted(throw.defence):
        return (replace(_accepted(throw, "lifted", moment), at_ns=command.lifted_ns),)
    return ()


def open_throw(state: TableState) -> ThrowState:
    """The throw that is still open.

    Raises:
        Refused: None is.
    """
    if state.throw is None or not state.throw.is_open:
        raise Refused("no-open-throw", "no throw is open: the last one was accepted or annulled")
    return state.throw


def accept_throw(state: TableState, _command: c.AcceptThrow, moment: Moment) -> tuple[e.Event, ...]:
    """Take the throw as it was ruled, without waiting for the dice to be lifted."""
    throw = open_throw(state)
    sides = [side for side in (throw.attack, throw.defence) if side is not None]
    if not sides or not all(is_accepted(side) for side in sides):
        raise Refused("throw-not-decided", "a die has still to be thrown again or read", throw=throw.id)
    return (_accepted(throw, "screen", moment),)


def annul_throw(state: TableState, command: c.AnnulThrow, moment: Moment) -> tuple[e.Event, ...]:
    """The referee makes the newest throw count for nothing, accepted or not."""
    throw = state.throw
    if throw is None or throw.step is ThrowStep.ANNULLED:
        raise Refused("no-open-throw", "there is no throw to annul")
    if not command.reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")
    return (e.ThrowAnnulled(at_ns=moment.now_ns, throw=throw.id, why="referee", reason=command.reason),)


def set_allowed(state: TableState, command: c.SetAllowed, moment: Moment) -> tuple[e.Event, ...]:
    """How many dice each side may throw; an open throw is judged anew with it."""
    rules = moment.rules()
    for side, number in (("attack", command.attack), ("defence", command.defence)):
        most = rules.number(f"dice.{side}_max")
        if number is not None and not 1 <= number <= most:
            raise Refused("bad-allowed", f"{side} may throw 1 to {most} dice, not {number}", side=side, most=most)
    fact = e.AllowedSet(at_ns=moment.now_ns, attack=command.attack, defence=command.defence)
    now = fold([fact], state)
    facts: list[e.Event] = [fact]
    if state.throw is not None and state.throw.is_open:
        for side in e.SIDES:
            half = state.throw.side(side)
            if half is not None:
                facts += judged(now, state.throw.id, side, half.settled.dice, moment)
    return tuple(facts)


def enter_dice(state: TableState, command: c.EnterDice, moment: Moment) -> tuple[e.Event, ...]:
    """Dice said by the people at the table, where the camera can't see or can't read."""
    if not command.values:
        raise Refused("no-dice-entered", "say at least one die")
    if any(not 1 <= value <= 6 for value in command.values):
        raise Refused("bad-die", "a die shows 1 to 6", values=list(command.values))
    throw = state.throw
    facts: list[e.Event] = []
    if throw is not None and throw.is_open and command.side == "attack" and is_accepted(throw.attack):
        facts += closing_events(state, moment)
    elif throw is not None and throw.is_open and is_accepted(throw.side(command.side)):
        raise Refused("side-is-fixed", f"the {command.side} dice of this throw stand already", side=command.side)
    seen = tuple(e.DieFact(value=value, verdict="valid") for value in command.values)
    now = fold(facts, state)
    facts += _settle(now, command.side, seen, moment, started_ns=None, settled_ns=None, evidence=None, source="hand")
    return tuple(facts)


def correct_die(state: TableState, command: c.CorrectDie, moment: Moment) -> tuple[e.Event, ...]:
    """A misread die is put right: the old reading stays in the journal, the throw is judged anew."""
    throw = open_throw(state)
    half = throw.side(command.side)
    if half is None or not 0 <= command.position < len(half.settled.dice):
        raise Refused("no-such-die", f"there is no {command.side} die {command.position + 1} in this throw")
    if not 1 <= command.value <= 6:
        raise Refused("bad-die", "a die shows 1 to 6", values=[command.value])
    if not command.reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")
    old = half.settled.dice[command.position]
    new = replace(old, value=command.value, verdict="valid", confidence=1.0, why="corrected")
    seen = tuple(new if i == command.position else die for i, die in enumerate(half.settled.dice))
    settled = replace(half.settled, at_ns=moment.now_ns, dice=seen)
    return (
        e.CorrectionMade(
            at_ns=moment.now_ns,
            subject=f"throw {throw.id} {command.side} {command.position}",
            before={"value": old.value, "verdict": old.verdict},
            after={"value": new.value, "verdict": new.verdict},
            reason=command.reason,
        ),
        settled,
        *judged(fold([settled], state), throw.id, command.side, seen, moment),
    )
