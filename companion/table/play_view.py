"""The part of the view that tells of the attack, of what the signal leaves to be finished, and of what is put right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.rules.clock import Wish
from companion.rules.combat import targets
from companion.rules.objectives import load_objectives
from companion.rules.reason import Reason
from companion.rules.ruleset import Ruleset
from companion.rules.systems.rebels import proposed
from companion.session import judging
from companion.session.decide.mending import proposal_at
from companion.session.snapshot import RulingState, SideState, TableState, ThrowState
from companion.session.transitions import Phase
from companion.session.undoing import undo_point
from companion.session.wire import to_data

Say = Callable[[Reason], str]

_NS_PER_MS = 1_000_000


def reason_view(reason: Reason) -> dict[str, Any]:
    """A reason as JSON."""
    return {"code": reason.code, "clause": reason.clause, "values": dict(reason.values)}


def said(reasons: Sequence[Reason], say: Say) -> dict[str, Any]:
    """Reasons with their sentences."""
    return {"reasons": [reason_view(reason) for reason in reasons], "said": [say(reason) for reason in reasons]}


def play_view(state: TableState, *, now_ns: int, ruleset: Ruleset | None, say: Say) -> dict[str, Any]:
    """The fields of the state that this page is about."""
    return {
        "prize": state.opened.prize if state.opened else "",
        "board": {"id": ruleset.board, "edition": ruleset.edition()} if ruleset else None,
        "remember": {"borders": [list(line) for line in judging.borders_to_remember(ruleset)] if ruleset else []},
        "objectives": _objectives(ruleset),
        "context": {"against": state.against, "choices": list(targets(ruleset)) if ruleset else []},
        "fallen": {
            "attack": _fallen(state.throw, "attack", state.fallen_attack),
            "defence": _fallen(state.throw, "defence", state.fallen_defence),
        },
        "attack": {
            "throws": state.attack.throws,
            "ended": state.attack.ended.why if state.attack.ended is not None else None,
        },
        "finish": _finish(state, say),
        "agreement": _agreement(state, now_ns),
        "undo": _undo(state),
        "silence": {
            "by": state.silence.player,
            "asked_ms": max(0, now_ns - state.silence.at_ns) // _NS_PER_MS,
        }
        if state.silence
        else None,
        "rulings": [_ruling(one) for one in state.rulings],
    }


def _objectives(ruleset: Ruleset | None) -> list[dict[str, str]]:
    if ruleset is None or ruleset.system != "risiko":
        return []
    return [{"id": one.id, "name": one.name} for one in load_objectives().values()]


def _fallen(throw: ThrowState | None, side: str, told: int) -> int:
    half: SideState | None = None
    if throw is not None and throw.is_open:
        half = throw.attack if side == "attack" else throw.defence
    return told if half is None else sum(die.verdict == "fallen" for die in half.settled.dice)


def _finish(state: TableState, say: Say) -> dict[str, Any] | None:
    """What may be done between the signal and the freeze; None where nothing is left to be finished."""
    signal = state.signal
    if signal is None or (state.phase is not Phase.FINISHING and not signal.may_move_in):
        return None
    may: dict[Wish, bool] = {
        "continue_combat": state.phase is Phase.FINISHING and signal.finishing == "combat",
        "move_in": signal.may_move_in,
        "move_to_reinforce": False,
        "new_combat": False,
    }
    return {"what": signal.finishing, "may": may, **said(signal.reasons, say)}


def _agreement(state: TableState, now_ns: int) -> dict[str, Any] | None:
    found, throw = proposal_at(state, now_ns), state.throw
    half = throw.side(found.side) if found is not None and throw is not None else None
    if found is None or throw is None or half is None:
        return None
    old = half.settled.dice[found.position]
    opponents = [player for player in state.agreed if player != throw.player]
    waiting = [] if throw.player in state.agreed else ["thrower"]
    return {
        "throw": found.throw,
        "side": found.side,
        "position": found.position,
        "before": {"value": old.value, "verdict": old.verdict},
        "after": {"value": found.value, "verdict": found.verdict},
        "thrower": throw.player,
        "agreed": list(state.agreed),
        "waiting_for": waiting if opponents else [*waiting, "opponent"],
        "left_ms": max(0, found.window_ms - (now_ns - found.at_ns) // _NS_PER_MS),
    }


def _undo(state: TableState) -> dict[str, Any] | None:
    point = undo_point(state)
    if point is None:
        return None
    return {
        "what": point.event.wire,
        "event": {"type": point.event.wire, "data": to_data(point.event)},
        "closes_too": [fact.wire for fact in point.closed],
    }


def _ruling(one: RulingState) -> dict[str, Any]:
    appeal = None if one.appealed_by is None else "open"
    if one.decided is not None:
        appeal = "upheld" if one.decided.upheld else "changed"
    return {
        "number": one.made.number,
        "about": one.made.about,
        "player": one.made.player,
        "armies": one.made.armies,
        "reason": one.made.reason,
        "appealed_by": one.appealed_by,
        "appeal": appeal,
        "why": one.decided.reason if one.decided is not None else None,
    }


def throw_extras(throw: ThrowState, state: TableState, *, ruleset: Ruleset | None, say: Say) -> Mapping[str, Any]:
    """What the view of a throw says beyond its dice."""
    wrong = judging.warnings(throw, ruleset=ruleset) if ruleset else ()
    came = throw.rebels
    answers = [(told.face, told.rebels) for told in state.rebels_told]
    return {
        "against": throw.against,
        "allowed": {"attack": throw.allowed_attack, "defence": throw.allowed_defence},
        "warnings": [reason_view(reason) for reason in wrong],
        "warned": [say(reason) for reason in wrong],
        "rebels": None
        if came is None
        else {
            "face": came.face,
            "rebels": came.rebels,
            "ask": came.rebels is None,
            "proposed": proposed(came.face, answers),
        },
    }
