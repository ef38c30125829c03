"""What can be undone: the newest thing that people told, as long as nothing has moved since.

Theory. Most slips are seen at once: the wrong seat, the wrong tap. To take such a thing back the table needs no theory
of inverses: it remembers how it stood before, and stands so again. That is right only while nothing else has happened,
so every event that moves the table forgets the point; notes and calls move nothing. What a told fact closed on its way
(a throw, by the next turn) was written in the same decision and is undone with it, and so is what followed from it in
that decision. A clock that stands and runs on, or a service that was away, undoes nothing that people told: it befalls
the remembered table as well, which so comes back with the clock of now. The facts themselves stay in the journal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.session import events as e
from companion.session.changed import replace
from companion.session.snapshot import BrokenFold, TableState, UndoPoint
from companion.session.transitions import PLAYED

_TOLD = (
    e.TurnStarted, e.PlayerKnockedOut, e.AttackStopped, e.AllowedSet, e.ContextSet, e.FallTold, e.ThrowCalled,
    e.SilenceAsked, e.RebelsTold, e.PlayerReturned,
)  # fmt: skip

_NEUTRAL = (
    e.ServiceNoted, e.RefereeCalled, e.RefereeDismissed, e.RigOpened, e.ClockStepped, e.AbsenceTold, e.TijdSealed,
    e.TijdArmed, e.TijdLost, e.TijdRevealed, e.CameraCalibrated, e.FramesKept, e.ThrowDisputed, e.ThrowReadAgain,
    e.DisputeSettled,
)  # fmt: skip

_OF_THE_CLOCK = (e.ClockPaused, e.ClockResumed, e.ServiceRecovered)

_KEPT = (
    "rig", "referee_called_ns", "referee_called_by", "referee_called_how", "referee_called_about", "referee_came_ns",
    "recovered", "seals",
)  # fmt: skip
"""What neutral events change: it stays when the rest goes back."""


def remembered(before: TableState, event: e.Event, befall: Callable[[TableState, Any], TableState]) -> TableState:
    """The table after `event`, with what can be undone then.

    Args:
        before: The table without it.
        event: What happened.
        befall: What it does to a table.
    """
    now, point = befall(before, event), before.undo
    if isinstance(event, _NEUTRAL):
        return replace(now, undo=point)
    if isinstance(event, _OF_THE_CLOCK):
        return replace(now, undo=point and replace(point, before=befall(point.before, event)))
    if isinstance(event, e.FactUndone):
        return now
    return replace(now, undo=_point(before, event, now), moved_ns=event.at_ns)


def _point(before: TableState, event: e.Event, now: TableState) -> UndoPoint | None:
    point = before.undo
    if now.phase not in PLAYED or before.phase not in PLAYED:
        # A frozen board has ways of its own.
        return None
    is_same_decision = before.moved_ns == event.at_ns
    if not is_same_decision:
        is_first = _is_told(event) or _is_closing(event)
        return UndoPoint(event=event, closed=(), before=replace(before, undo=None)) if is_first else None
    if point is None or not _is_closing(point.event) or not (_is_told(event) or _is_closing(event)):
        # It follows from what began this decision, and is undone with it or not at all.
        return point
    return UndoPoint(event=event, closed=(*point.closed, point.event), before=point.before)


def _is_told(event: e.Event) -> bool:
    return isinstance(event, _TOLD) or (isinstance(event, e.ThrowAccepted) and event.how == "screen")


def _is_closing(event: e.Event) -> bool:
    """Whether it only makes way for what was told."""
    if isinstance(event, e.ThrowAccepted):
        return event.how == "next_throw"
    return isinstance(event, e.ThrowAnnulled) and event.why in ("unresolved", "no_dice")


def undo_point(state: TableState) -> UndoPoint | None:
    """What would be undone now, or None."""
    point = state.undo
    return None if point is None or _is_closing(point.event) or _is_taken_again(point) else point


def _is_taken_again(point: UndoPoint) -> bool:
    """Whether a correction took a throw anew: to open it would undo half of the correction."""
    throw = point.before.throw
    return isinstance(point.event, e.ThrowAccepted) and throw is not None and throw.accepted is not None


def undone(state: TableState, event: e.FactUndone) -> TableState:
    """The table as it was before the newest told fact."""
    point = state.undo
    if point is None or point.event.wire != event.what:
        raise BrokenFold(f"the journal undoes {event.what!r}, which was not the newest that was told")
    return replace(point.before, **{name: getattr(state, name) for name in _KEPT}, undo=None)
