"""What a reading of the box means for the throw that lies there.

Theory. The camera says of each die whether it moved since the last rest. Only dice that moved were thrown: what lay
there before (a die of the last throw that nobody lifted, spare dice beside the box) is no part of a new throw, however
valid it looks. A side that the rules took is fixed. So a die that moved is one of four things: part of a side that was
still awaited, a standing die that was knocked, a die that came late, or the first of a new throw. Which one is told
from counts, from places and from whether the box was emptied in between. Where that does not tell them apart, the dice
are handed on as unreadable and people say what lies there: a guess would be a wrong value shown as sure.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from companion.session import commands as c
from companion.session.events import SIDES, DieFact, Side
from companion.session.snapshot import SideState, TableState, ThrowState

_SAME_PLACE = 0.5
"""In widths of a die: closer than that, it is the same die where it lay."""

_KNOCKED_REACH = 3.0
"""In widths of a die: a knock pushes no further, a throw lands anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideSeen:
    """The dice of one side in view.

    Attributes:
        moved: Those that moved since the last rest.
        still: Those that lie as they lay; dice without colours are counted on both sides.
    """

    moved: tuple[DieFact, ...]
    still: tuple[DieFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToJudge:
    """The dice of a side that must be judged now.

    Attributes:
        dice: All dice of the side, those that stand included.
        is_late: Whether some of them came after the others had been taken.
    """

    dice: tuple[DieFact, ...]
    is_late: bool = False


def is_accepted(side: SideState | None) -> bool:
    """Whether the rules took this side as it lies: its values are fixed."""
    return side is not None and side.is_accepted


def awaits_defence(throw: ThrowState | None) -> bool:
    """Whether the attack lies in the box, read and taken, and the defence has still to be thrown beside it."""
    return (
        throw is not None
        and throw.is_open
        and throw.defence is None
        and not throw.is_lifted
        and throw.attack is not None
        and throw.attack.is_accepted
        and throw.attack.settled.source == "camera"
    )


def by_side(state: TableState, command: c.SeeDice) -> dict[Side, SideSeen]:
    """The dice in view split into sides: by colour where they have one, else by who is still awaited."""
    throw = state.throw
    awaited: Side = "defence" if throw is not None and throw.is_open and is_accepted(throw.attack) else "attack"
    moved: dict[Side, list[DieFact]] = {"attack": [], "defence": []}
    still: dict[Side, list[DieFact]] = {"attack": [], "defence": []}
    for die, side, has_moved in zip(command.dice, command.sides, command.moved, strict=True):
        if has_moved:
            moved[side or awaited].append(die)
        else:
            for owner in SIDES if side is None else (side,):
                still[owner].append(die)
    return {side: SideSeen(moved=tuple(moved[side]), still=tuple(still[side])) for side in SIDES}


def is_fresh_throw(throw: ThrowState | None, seen: dict[Side, SideSeen]) -> bool:
    """Whether the attack was thrown anew though the throw before it was never closed.

    Dice that a hand laid down are no throw. While the defence is awaited, its dice knock the attack that lies in their
    way: attack dice that moved together with them are knocked, unless the box had been emptied first.
    """
    attack, defence = seen["attack"], seen["defence"]
    if throw is None or not throw.is_open or not is_accepted(throw.attack) or not attack.moved:
        return False
    if any(die.rolled is False for die in attack.moved):
        return False
    if throw.is_lifted:
        return True
    lies_on = any(die.verdict != "off_box" for die in attack.still)
    if is_accepted(throw.defence):
        return not defence.moved or not lies_on
    return not defence.moved and not lies_on


def to_judge(throw: ThrowState | None, side: Side, seen: SideSeen) -> ToJudge | None:
    """The dice of a side that must be judged now, or None if this side stands as it is."""
    if not seen.moved:
        return None
    before = throw.side(side) if throw is not None and throw.is_open else None
    if before is None or before.ruled is None:
        return ToJudge(dice=seen.moved)
    old, fates = before.settled.dice, before.ruled.fates
    if before.ruled.action == "accept":
        return _with_late(before, seen)
    if before.ruled.action == "rethrow_all":
        return ToJudge(dice=seen.moved)
    if before.ruled.action == "referee" and len(seen.moved) >= len(old):
        return ToJudge(dice=seen.moved)
    fate = "reroll" if before.ruled.action == "reroll_some" else "void"
    again = [at for at, was in enumerate(fates) if was == fate]
    is_emptied = throw is not None and throw.is_lifted
    return ToJudge(dice=_joined(old, seen, again=again, expected=len(again), is_emptied=is_emptied))


def _with_late(before: SideState, seen: SideSeen) -> ToJudge | None:
    """The side with dice that came after it had been taken, or None where the dice that moved were only knocked."""
    if before.settled.source == "hand" or any(die.rolled is False for die in seen.moved):
        return None
    old = before.settled.dice
    gone = sum(not _lies_among(die, seen.still) for die in old if die.verdict != "fallen")
    late = len(seen.moved) - gone
    return ToJudge(dice=_joined(old, seen, again=(), expected=late), is_late=True) if late > 0 else None


def _joined(
    old: Sequence[DieFact], seen: SideSeen, *, again: Collection[int], expected: int, is_emptied: bool = False
) -> tuple[DieFact, ...]:
    """The dice of a side after some were thrown again or came late; standing dice keep value and place.

    Args:
        old: The dice as they were judged.
        seen: What lies there now.
        again: Places in `old` of dice that are thrown again; those not thrown yet stay as they were.
        expected: How many of the moved dice are new. Where there are more that were not plainly knocked, nobody can
            say which are the new ones.
        is_emptied: Whether the box was emptied after `old` was read: then nothing of it lies there to be knocked.
    """
    fresh = list(seen.moved)
    for die in (one for at, one in enumerate(old) if at not in again and not is_emptied):
        pushed = [one for one in fresh if _is_pushed(one, die)]
        if pushed and len(fresh) > expected and not _lies_among(die, seen.still):
            fresh.remove(min(pushed, key=partial(_widths_apart, die)))
    if len(fresh) > expected:
        fresh = [replace(die, value=None, verdict="unreadable", why="which-die") for die in fresh]
    coming = iter(fresh)
    placed = [next(coming, die) if at in again else die for at, die in enumerate(old)]
    return (*placed, *coming)


def _lies_among(die: DieFact, still: Sequence[DieFact]) -> bool:
    return any(lies_at(one, die) for one in still)


def lies_at(one: DieFact, die: DieFact) -> bool:
    """Whether `one` lies where `die` lay."""
    return _widths_apart(one, die) < _SAME_PLACE


def _is_pushed(now: DieFact, die: DieFact) -> bool:
    """Whether `now` is plainly `die` after a knock: where it lay, whatever it shows, or near by with the same pips."""
    apart = _widths_apart(die, now)
    return apart < _SAME_PLACE or (apart < _KNOCKED_REACH and now.value is not None and now.value == die.value)


def _widths_apart(one: DieFact, other: DieFact) -> float:
    """Distance in widths of a die; infinite for dice that were entered by hand and lie nowhere."""
    if one.center_px is None or other.center_px is None or other.box_px is None:
        return math.inf
    return math.dist(one.center_px, other.center_px) / max(1.0, *other.box_px[2:])
