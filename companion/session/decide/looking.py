"""Calibration, disputes about throws, and second readings: what they make happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import service
from companion.session.decide.moment import Moment, seated
from companion.session.errors import NotYours, Refused
from companion.session.looked import dispute_of, thrown
from companion.session.snapshot import TableState, ThrowState


def calibrate(_state: TableState, command: c.Calibrate, moment: Moment) -> tuple[e.Event, ...]:
    """The rig was measured; it is ready only when nothing stands in the way."""
    if command.measured is None:
        raise Refused("nothing-measured", "the camera measured nothing: see the health page")
    return (
        e.CameraCalibrated(
            at_ns=moment.now_ns,
            ready=not command.problems,
            problems=command.problems,
            measured=command.measured,
            evidence=command.evidence,
        ),
    )


def keep_frames(_state: TableState, command: c.KeepFrames, moment: Moment) -> tuple[e.Event, ...]:
    """The pictures around the signal are on the disk."""
    return (e.FramesKept(at_ns=moment.now_ns, why=command.why, around_ns=command.around_ns, pictures=command.pictures),)


def dispute_throw(state: TableState, command: c.DisputeThrow, moment: Moment) -> tuple[e.Event, ...]:
    """A player does not believe a throw: its pictures are kept, and the referee is called.

    Until the next turn any seat may; earlier throws are the referee's.
    """
    player = seated(state, command.player).id
    turn, throw = _found(state, command.throw)
    if turn != state.turn and moment.asker != "referee":
        raise NotYours(
            f"throw {throw.id} belongs to an earlier turn: only the referee may take it up again",
            command=command.name,
            throw=throw.id,
        )
    before = dispute_of(state, throw.id)
    if before is not None and before.settled is None and player in before.players:
        return ()
    facts: list[e.Event] = [
        e.ThrowDisputed(at_ns=moment.now_ns, throw=throw.id, player=player, pictures=command.pictures)
    ]
    if moment.asker != "referee":
        facts += service.referee_called(state, moment, by=player, how="screen", about="dispute")
    return tuple(facts)


def read_again(state: TableState, command: c.ReadAgain, moment: Moment) -> tuple[e.Event, ...]:
    """Each stored picture of a throw as it is read now, beside what was read then."""
    _turn, throw = _found(state, command.throw)
    if not command.readings:
        raise Refused(
            "no-frames", f"no whole picture of throw {throw.id} is stored any more: look at its sheet", throw=throw.id
        )
    return tuple(
        e.ThrowReadAgain(
            at_ns=moment.now_ns,
            throw=throw.id,
            side=reading.side,
            evidence=reading.evidence,
            dice=reading.dice,
            same=_is_same(throw, reading),
            software=command.software,
        )
        for reading in command.readings
    )


def settle_dispute(state: TableState, command: c.SettleDispute, moment: Moment) -> tuple[e.Event, ...]:
    """The referee ends a dispute, with a reason."""
    found = dispute_of(state, command.throw)
    if found is None or found.settled is not None:
        raise Refused("no-dispute", f"nobody disputes throw {command.throw}", throw=command.throw)
    if not command.reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")
    return (e.DisputeSettled(at_ns=moment.now_ns, throw=command.throw, reason=command.reason),)


def _found(state: TableState, number: int) -> tuple[int, ThrowState]:
    found = thrown(state, number)
    if found is None:
        raise Refused("no-such-throw", f"no throw of this game is number {number}", throw=number)
    return found


def _is_same(throw: ThrowState, reading: c.SecondReading) -> bool:
    """Whether the second reading holds each die of the side as it was read at first, and no other of that side."""
    side = throw.side(reading.side)
    return side is not None and _shown(side.settled.dice) == _shown(reading.dice)


def _shown(dice: Iterable[e.DieFact]) -> Counter[tuple[int | None, str]]:
    return Counter((die.value, die.verdict) for die in dice)
