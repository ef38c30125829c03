"""Dice that lie in the box when the camera begins to look: after a restart, or when its reader began anew.

Theory. Nobody saw them come, so they open no throw: whatever lay there before may lie there still, and to count it
twice would be a wrong value shown as sure. But where a throw was under way and dice were awaited (called, to be thrown
again, the defence), those that came meanwhile are the awaited ones, and the box is not asked to move once more before
somebody reads them. Which came is told by place: each die that the throw had fixed must lie where it was read, and what
lies where a faulty die lay is that die, not thrown again. Where anything does not fit, people look. Whether a die that
nobody saw come has rolled, nobody can say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import service, throws
from companion.session.decide.moment import Moment
from companion.session.decide.reading import by_side, is_accepted, lies_at
from companion.session.snapshot import SideState, TableState, ThrowState
from companion.session.transitions import PLAYED, Phase

_FIXED = ("counted", "standing")
_OUTSIDE = ("off_box", "fallen")

_NOTED_IN = (Phase.SEATING, Phase.READY, *PLAYED, Phase.FROZEN)


def find_dice(state: TableState, command: c.FindDice, moment: Moment) -> tuple[e.Event, ...]:
    """The camera begins to look: what lies there belongs to the throw under way, or is noted with its picture."""
    throw = state.throw if state.phase in PLAYED else None
    if not command.dice:
        was_seen = throw is not None and throw.is_open and any(_fixed(throw))
        return throws.see_lift(state, c.SeeLift(left=0, lifted_ns=command.found_ns), moment) if was_seen else ()
    moved = None if throw is None else _came(state, throw, command)
    if moved is None:
        return _noted(state, command, moment)
    dice = tuple(
        replace(die, rolled=None) if has_moved else die for die, has_moved in zip(command.dice, moved, strict=True)
    )
    return throws.see_dice(state, _seen(command, dice, moved), moment)


def _seen(command: c.FindDice, dice: tuple[e.DieFact, ...], moved: tuple[bool, ...]) -> c.SeeDice:
    return c.SeeDice(
        dice=dice,
        sides=command.sides,
        moved=moved,
        started_ns=command.found_ns,
        settled_ns=command.found_ns,
        evidence=command.evidence,
        pictures=command.pictures,
    )


def _noted(state: TableState, command: c.FindDice, moment: Moment) -> tuple[e.Event, ...]:
    if state.phase not in _NOTED_IN:
        return ()
    values = {"n": len(command.dice), "evidence": command.evidence}
    return service.note(state, c.Note(code="dice-found-lying", values=values), moment)


def _came(state: TableState, throw: ThrowState, command: c.FindDice) -> tuple[bool, ...] | None:
    """For each die whether it came since the throw was last read; None where nobody can say."""
    known = () if throw.is_open and throw.is_lifted else _lay(throw)
    if not known and not throw.is_lifted:
        return _came_after(state, throw, command)
    still = [next((old for old in known if lies_at(old, die)), None) for die in command.dice]
    if any(old is not None and _shows_another(old, die) for old, die in zip(still, command.dice, strict=True)):
        return None
    if throw.is_open and known and any(die not in still for die in _fixed(throw)):
        return None
    moved = tuple(old is None for old in still)
    return moved if _are_awaited(state, throw, command, moved) else None


def _came_after(state: TableState, throw: ThrowState, command: c.FindDice) -> tuple[bool, ...] | None:
    """As `_came`, where nothing was read of the throw: what lay there before is told by the throw before it alone."""
    old = _lay(state.looked.past[-1].throw) if state.looked.past else ()
    may_lie_on = any(lies_at(one, die) for one in old for die in command.dice) or _shown(old) == _shown(command.dice)
    if not old or may_lie_on:
        return None
    moved = (True,) * len(command.dice)
    return moved if _are_awaited(state, throw, command, moved) else None


def _are_awaited(state: TableState, throw: ThrowState, command: c.FindDice, moved: tuple[bool, ...]) -> bool:
    """Whether no die came that would belong to a side that stands, or to no throw."""
    if not any(moved):
        return True
    seen = by_side(state, _seen(command, command.dice, moved))
    return throw.is_open and not any(seen[side].moved and is_accepted(throw.side(side)) for side in e.SIDES)


def _halves(throw: ThrowState) -> Iterator[SideState]:
    """The sides of a throw that the camera read."""
    return (half for half in (throw.attack, throw.defence) if half is not None and half.settled.source == "camera")


def _lay(throw: ThrowState) -> tuple[e.DieFact, ...]:
    """The dice of a throw that were read in the box."""
    return tuple(die for half in _halves(throw) for die in half.settled.dice if die.verdict not in _OUTSIDE)


def _fixed(throw: ThrowState) -> Iterator[e.DieFact]:
    """Those of them that keep value and place until the box is emptied."""
    for half in _halves(throw):
        if half.ruled is not None and half.ruled.action != "rethrow_all":
            dice = zip(half.settled.dice, half.ruled.fates, strict=True)
            yield from (die for die, fate in dice if fate in _FIXED and die.verdict not in _OUTSIDE)


def _shows_another(old: e.DieFact, die: e.DieFact) -> bool:
    return old.colour != die.colour or (None not in (old.value, die.value) and old.value != die.value)


def _shown(dice: tuple[e.DieFact, ...]) -> list[tuple[str, int]]:
    return sorted((die.colour or "", die.value or 0) for die in dice)
