"""What people say about a throw: dice by hand, corrections, how many may be thrown, accepted or annulled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from companion.session import commands as c
from companion.session import events as e
from companion.session.decide.moment import Moment
from companion.session.decide.reading import is_accepted
from companion.session.decide.throws import accepted, closing_events, is_decided, judged, settle
from companion.session.errors import Refused
from companion.session.snapshot import TableState, ThrowState
from companion.session.state import fold
from companion.session.transitions import ThrowStep

MOST_DICE = 6
"""More than anybody throws by mistake; what is above is a slip of the finger."""


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
    if not is_decided(throw):
        raise Refused("throw-not-decided", "a die has still to be thrown, thrown again or read", throw=throw.id)
    return (accepted(throw, "screen", moment),)


def annul_throw(state: TableState, command: c.AnnulThrow, moment: Moment) -> tuple[e.Event, ...]:
    """The referee makes the newest throw count for nothing, accepted or not."""
    throw = state.throw
    if throw is None or throw.step is ThrowStep.ANNULLED:
        raise Refused("no-open-throw", "there is no throw to annul")
    _with_reason(command.reason)
    return (e.ThrowAnnulled(at_ns=moment.now_ns, throw=throw.id, why="referee", reason=command.reason),)


def _with_reason(reason: str) -> None:
    if not reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")


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
                facts += judged(now, half.settled, moment, before=half)
    return tuple(facts)


def enter_dice(state: TableState, command: c.EnterDice, moment: Moment) -> tuple[e.Event, ...]:
    """Dice said by the people at the table, where the camera can't see or can't read: all of that side."""
    if not command.values:
        raise Refused("no-dice-entered", "say at least one die")
    if len(command.values) > MOST_DICE:
        raise Refused("too-many-dice", f"say at most {MOST_DICE} dice", most=MOST_DICE)
    if any(not 1 <= value <= 6 for value in command.values):
        raise Refused("bad-die", "a die shows 1 to 6", values=list(command.values))
    throw = state.throw if state.throw is not None and state.throw.is_open else None
    half = throw.side(command.side) if throw is not None else None
    facts: list[e.Event] = []
    if is_accepted(half):
        if command.side == "defence":
            raise Refused("side-is-fixed", "the defence dice of this throw stand already", side=command.side)
        facts += closing_events(state, moment)
    elif half is not None and half.ruled is not None and half.ruled.action == "reroll_some":
        _with_standing(command, half.ruled)
    if (throw is None or facts) and state.running_clock().paused is not None:
        raise Refused("clock-stands", "the clock stands: let it run on before the next throw")
    seen = tuple(e.DieFact(value=value, verdict="valid") for value in command.values)
    now = fold(facts, state)
    facts += settle(now, command.side, seen, moment, started_ns=None, settled_ns=None, evidence=None, source="hand")
    return tuple(facts)


def _with_standing(command: c.EnterDice, ruled: e.ThrowRuled) -> None:
    """Refuse dice that leave out one that stands: only what was thrown again may differ.

    Raises:
        Refused: A standing die is missing.
    """
    missing = Counter(ruled.standing) - Counter(command.values)
    if missing:
        standing = list(ruled.standing)
        raise Refused(
            "standing-dice-missing",
            f"{standing} stand: say them together with what was thrown again, all {command.side} dice at once",
            side=command.side,
            standing=standing,
        )


def correct_die(state: TableState, command: c.CorrectDie, moment: Moment) -> tuple[e.Event, ...]:
    """A misread die is put right: the old reading stays in the journal, the throw is judged anew.

    The newest throw may have been lifted already, because the misreading shows when somebody looks up; its losses are
    then reckoned anew, from the moment at which they were taken.
    """
    throw = state.throw
    if throw is None or throw.step is ThrowStep.ANNULLED:
        raise Refused("no-open-throw", "there is no throw to correct")
    half = throw.side(command.side)
    if half is None or not 0 <= command.position < len(half.settled.dice):
        raise Refused("no-such-die", f"there is no {command.side} die {command.position + 1} in this throw")
    if not 1 <= command.value <= 6:
        raise Refused("bad-die", "a die shows 1 to 6", values=[command.value])
    _with_reason(command.reason)
    old = half.settled.dice[command.position]
    new = replace(old, value=command.value, verdict="valid", confidence=1.0, why="corrected")
    seen = tuple(new if i == command.position else die for i, die in enumerate(half.settled.dice))
    # A referee who says what a die shows has seen how the dice came; when they arrived is no question any more.
    settled = replace(half.settled, at_ns=moment.now_ns, dice=seen, apart_ms=None)
    facts: list[e.Event] = [
        e.CorrectionMade(
            at_ns=moment.now_ns,
            subject=f"throw {throw.id} {command.side} {command.position}",
            before={"value": old.value, "verdict": old.verdict},
            after={"value": new.value, "verdict": new.verdict},
            reason=command.reason,
        ),
        settled,
        *judged(state, settled, moment, before=half),
    ]
    corrected = fold(facts, state).newest_throw()
    if throw.accepted is not None and is_decided(corrected):
        taken = accepted(corrected, throw.accepted.how, moment)
        facts.append(replace(taken, at_ns=throw.accepted.at_ns))
    return tuple(facts)
