"""What was looked at of a game: the throws before the newest, disputes about them, and the camera's calibration.

The newest throw is the table's own business and lies in the state. When the next begins it comes here with the number
of its turn, because until that turn is over any seat may dispute it. Nothing here is ever undone with something else:
what people looked at they have looked at.
"""

from __future__ import annotations

from companion.session import events as e
from companion.session.changed import replace
from companion.session.snapshot import Disputed, Looked, PastThrow, TableState, ThrowState


def thrown(state: TableState, number: int) -> tuple[int, ThrowState] | None:
    """A throw of this game with the number of its turn, or None if there is none of that number."""
    if state.throw is not None and state.throw.id == number:
        return state.looked.throw_turn, state.throw
    return next(((past.turn, past.throw) for past in reversed(state.looked.past) if past.throw.id == number), None)


def dispute_of(state: TableState, throw: int) -> Disputed | None:
    """The dispute about a throw, open or settled, or None."""
    return next((found for found in state.looked.disputes if found.throw == throw), None)


def after(before: TableState, now: TableState, event: e.Event) -> TableState:
    """The state with what was looked at brought up to it.

    Args:
        before: The state before the event.
        now: The state after it, as far as the rest of the fold goes.
        event: What happened.
    """
    if isinstance(event, e.TableOpened):
        return replace(now, looked=Looked(calibration=before.looked.calibration))
    looked = _followed(before, now)
    if isinstance(event, e.CameraCalibrated):
        looked = replace(looked, calibration=event)
    elif isinstance(event, e.ThrowDisputed):
        looked = _disputed(looked, event)
    elif isinstance(event, e.ThrowReadAgain):
        looked = replace(looked, readings=(*looked.readings, event))
    elif isinstance(event, e.DisputeSettled):
        settled = (replace(d, settled=event) if d.throw == event.throw else d for d in looked.disputes)
        looked = replace(looked, disputes=tuple(settled))
    return now if looked is now.looked else replace(now, looked=looked)


def _followed(before: TableState, now: TableState) -> Looked:
    """The throws before the newest: one more when a throw began, one less when its beginning was undone."""
    looked, old, new = before.looked, before.throw, now.throw
    if new is None or (old is not None and old.id == new.id):
        return looked
    # Throws are numbered upwards: only an undone beginning leads back to one that is there.
    is_new = not looked.past or new.id > looked.past[-1].throw.id
    earlier = None if is_new else next((past for past in looked.past if past.throw.id == new.id), None)
    if earlier is not None:
        rest = tuple(past for past in looked.past if past.throw.id < new.id)
        return replace(looked, past=rest, throw_turn=earlier.turn)
    past = looked.past if old is None else (*looked.past, PastThrow(turn=looked.throw_turn, throw=old))
    return replace(looked, past=past, throw_turn=now.turn)


def _disputed(looked: Looked, event: e.ThrowDisputed) -> Looked:
    """One more player who disputes, or a settled dispute taken up anew."""
    open_ = next((d for d in looked.disputes if d.throw == event.throw and d.settled is None), None)
    found = Disputed(
        throw=event.throw,
        players=(*(open_.players if open_ is not None else ()), event.player),
        since_ns=open_.since_ns if open_ is not None else event.at_ns,
        pictures=event.pictures,
    )
    return replace(looked, disputes=(*(d for d in looked.disputes if d.throw != event.throw), found))
