"""What was looked at, as a part of the table's view: calibration, the throws that may be disputed, disputes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from companion.session import events as e
from companion.session.snapshot import Disputed, TableState, ThrowState

RECENT = 24
"""Throws that the screen lists; earlier ones are in the journal."""

DISPUTES = 8


def looked_view(state: TableState) -> dict[str, Any]:
    """The three entries of the view."""
    looked = state.looked
    thrown = [(past.turn, past.throw) for past in looked.past[-RECENT:]]
    if state.throw is not None:
        thrown.append((looked.throw_turn, state.throw))
    return {
        "calibration": _calibration(looked.calibration),
        "recent": [_recent(turn, throw, state) for turn, throw in reversed(thrown[-RECENT:]) if _has_dice(throw)],
        "disputes": [_dispute(state, found) for found in looked.disputes[-DISPUTES:]],
    }


def _calibration(event: e.CameraCalibrated | None) -> dict[str, Any] | None:
    if event is None:
        return None
    return {
        "ready": event.ready,
        "problems": list(event.problems),
        "measured": msgspec.to_builtins(event.measured),
        "evidence": event.evidence,
        "at_ns": event.at_ns,
    }


def _has_dice(throw: ThrowState) -> bool:
    return throw.attack is not None or throw.defence is not None


def _recent(turn: int, throw: ThrowState, state: TableState) -> dict[str, Any]:
    """One throw, short: who threw what, and whether any seat may still dispute it."""
    return {
        "id": throw.id,
        "player": throw.player,
        "turn": turn,
        "for_all": turn == state.turn,
        "state": throw.step.value,
        "sides": {name: _short(half.settled.dice) for name, half in _halves(throw)},
        "pictures": [picture for _, half in _halves(throw) for picture in _stored(half.settled)],
    }


def _halves(throw: ThrowState) -> Iterable[tuple[e.Side, Any]]:
    return ((name, half) for name in e.SIDES if (half := throw.side(name)) is not None)


def _short(dice: Iterable[e.DieFact]) -> list[dict[str, Any]]:
    return [{"value": die.value, "verdict": die.verdict, "colour": die.colour, "why": die.why} for die in dice]


def _stored(settled: e.DiceSettled) -> Iterable[dict[str, Any]]:
    if settled.evidence is not None:
        yield {"evidence": settled.evidence, "kind": "sheet", "at_ns": settled.settled_ns, "side": settled.side}


def _dispute(state: TableState, found: Disputed) -> dict[str, Any]:
    """A dispute with its pictures and both readings."""
    throws = [past.throw for past in state.looked.past] + ([state.throw] if state.throw is not None else [])
    throw = next((one for one in throws if one.id == found.throw), None)
    readings = [reading for reading in state.looked.readings if reading.throw == found.throw]
    return {
        "throw": found.throw,
        "players": list(found.players),
        "since_ns": found.since_ns,
        "settled": None if found.settled is None else {"reason": found.settled.reason},
        "pictures": [msgspec.to_builtins(picture) for picture in found.pictures],
        "first": {name: _short(half.settled.dice) for name, half in _halves(throw)} if throw is not None else {},
        "again": [
            {
                "side": reading.side,
                "evidence": reading.evidence,
                "same": reading.same,
                "software": reading.software,
                "dice": _short(reading.dice),
            }
            for reading in readings
        ],
    }
