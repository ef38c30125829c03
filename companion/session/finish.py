"""The photo finish: where a throw stood when the signal sounded.

Theory. Signal and frames are stamped by one clock, so "before" and "after" can be read off; but a camera looks only
once per frame. A rest stamped at `t` means that something still moved in the frame before, so the true moment lies in
`(t - frame, t]`. Where the signal falls into that gap, or within one frame of a first motion, the stamps do not decide,
and the answer says so instead of choosing: people rule, with the frames on both sides in front of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from companion.session.snapshot import Attack, SideState, TableState, ThrowState
from companion.session.transitions import Phase, ThrowStep

_NO_ATTACK = Attack()

Motion = Literal["not_thrown", "rolling", "at_rest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowAtSignal:
    """The newest throw as it was at the moment of the signal.

    Attributes:
        throw: Its number, or None if nothing was under way.
        attack: State of the attack dice.
        defence: State of the defence dice.
        declared: Whether the throw had been called.
        losses_taken: Whether the dice had been lifted before the signal.
        at_rest_before_signal_ms: How long the last dice had lain, or None if some moved or nothing was thrown.
        is_uncertain: Whether a stamp lies within one frame of the signal.
        throws_before: Throws of the same combat whose losses had been taken.
        attacker_stopped: Whether people had said that the combat was over.
        territory_conquered: Whether they had said that the land had fallen.
    """

    throw: int | None
    attack: Motion
    defence: Motion
    declared: bool
    losses_taken: bool
    at_rest_before_signal_ms: int | None
    is_uncertain: bool
    throws_before: int = 0
    attacker_stopped: bool = False
    territory_conquered: bool = False


def throw_at(
    signal_ns: int,
    throw: ThrowState | None,
    *,
    rolling_since_ns: int | None,
    frame_ns: int,
    attack: Attack = _NO_ATTACK,
) -> ThrowAtSignal:
    """Where `throw` stood at `signal_ns`.

    Args:
        signal_ns: Stamp of the signal, boot-clock ns.
        throw: The newest throw of the game, or None.
        rolling_since_ns: First motion of dice that had not come to rest when the question was put, or None.
        frame_ns: Time between two frames.
        attack: The combat, as far as people told of it.

    Returns:
        The facts that the rules ask for.

    Source:
        Clause 2.3 of the 1996 rules asks whether dice were thrown; clause 19 of the Italian ones the same.
    """
    accepted = throw.accepted if throw is not None and throw.step is ThrowStep.ACCEPTED else None
    losses_taken = accepted is not None and accepted.at_ns <= signal_ns
    under_way = throw if throw and (throw.is_open or (accepted is not None and not losses_taken)) else None
    sides = (under_way.attack, under_way.defence) if under_way else (None, None)
    states = [_motion(side, signal_ns) for side in sides]
    stamps = [s for side in sides for s in _stamps(side)]
    if rolling_since_ns is not None:
        stamps.append(rolling_since_ns)
        awaited = _awaited(states, sides)
        if rolling_since_ns <= signal_ns and awaited is not None:
            # Dice that have not been read yet belong to the first side that is still awaited. Where no throw is under
            # way they are a new one, and that the losses of the one before were taken says nothing about it.
            states[awaited] = "rolling"
            losses_taken = False
    if accepted is not None:
        stamps.append(accepted.at_ns)
    resting = [s.settled.settled_ns for s in sides if s is not None and s.settled.settled_ns is not None]
    is_rolling = "rolling" in states
    over = attack.ended if attack.ended is not None and attack.ended.at_ns <= signal_ns else None
    # A throw that was lifted after the signal has been counted meanwhile, and is the one under way.
    is_counted = accepted is not None and accepted.at_ns > signal_ns
    return ThrowAtSignal(
        throw=throw.id if throw is not None and (under_way is not None or losses_taken) else None,
        attack=states[0],
        defence=states[1],
        declared=under_way is not None and under_way.called,
        losses_taken=losses_taken,
        at_rest_before_signal_ms=None if is_rolling or not resting else max(0, (signal_ns - max(resting)) // 1_000_000),
        is_uncertain=any(abs(stamp - signal_ns) <= frame_ns for stamp in stamps),
        throws_before=max(0, attack.throws - is_counted),
        attacker_stopped=over is not None and over.why != "conquered",
        territory_conquered=over is not None and over.why == "conquered",
    )


def _awaited(states: Sequence[Motion], sides: tuple[SideState | None, ...]) -> int | None:
    """Which side the dice that move belong to; None if both lie and were taken: then it is a hand that moves."""
    for at, (state, side) in enumerate(zip(states, sides, strict=True)):
        if state == "not_thrown" or side is None or not side.is_accepted:
            return at
    return None


def _motion(side: SideState | None, signal_ns: int) -> Motion:
    if side is None:
        return "not_thrown"
    settled = side.settled
    if settled.settled_ns is None or settled.started_ns is None:
        # Entered by hand: somebody read dice that lay there when the button was touched.
        return "at_rest" if settled.at_ns <= signal_ns else "not_thrown"
    if settled.settled_ns <= signal_ns:
        return "at_rest"
    return "rolling" if settled.started_ns <= signal_ns else "not_thrown"


def _stamps(side: SideState | None) -> list[int]:
    if side is None or side.settled.settled_ns is None or side.settled.started_ns is None:
        return []
    return [side.settled.started_ns, side.settled.settled_ns]


def is_finished(state: TableState) -> bool:
    """Whether nothing is left to be finished after the signal."""
    throw, signal = state.throw, state.signal
    if signal is None or signal.finishing is None:
        return True
    if throw is not None and throw.is_open:
        return False
    return state.attack.ended is not None or (signal.finishing == "throw" and state.throws >= state.finishes_throw)


def may_throw_now(state: TableState) -> bool:
    """Whether a throw may begin now: after the signal only one of the combat in progress, or the throw under way."""
    if state.phase is not Phase.FINISHING or state.signal is None:
        return state.phase is Phase.PLAYING
    return state.signal.finishing == "combat" or state.throws < state.finishes_throw
