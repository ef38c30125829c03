"""The clock's pauses, the call for a referee, and what the service itself has to tell."""

from __future__ import annotations

from typing import Literal

from companion.session import commands as c
from companion.session import events as e
from companion.session.decide.moment import Moment, seated, with_reason
from companion.session.errors import Refused
from companion.session.snapshot import TableState
from companion.session.state import fold


def pause_clock(state: TableState, command: c.PauseClock, moment: Moment) -> tuple[e.Event, ...]:
    """The clock stands, with a reason."""
    clock = state.running_clock()
    if clock.paused is not None:
        raise Refused("already-paused", "the clock stands already", reason=clock.paused)
    with_reason(command.reason)
    return (
        e.ClockPaused(
            at_ns=moment.now_ns,
            elapsed_ms=clock.elapsed_at(moment.now_ns),
            reason=command.reason,
            by_hall=moment.asker == "hub",
        ),
    )


def resume_clock(state: TableState, command: c.ResumeClock, moment: Moment) -> tuple[e.Event, ...]:
    """The clock runs on from where it stood; after a power cut people may say that the time away counts as played.

    Raises:
        Refused: It runs, it stands for a reason that is not the asker's to end, or nobody knows the time away.
    """
    clock = state.running_clock()
    if clock.paused is None:
        raise Refused("not-paused", "the clock runs already")
    if moment.asker == "hub" and not clock.paused_by_hall:
        raise Refused(
            "paused-here",
            "the clock stands for a reason of this table's own: its referee lets it run on",
            reason=clock.paused,
        )
    if not command.away_counts:
        return (e.ClockResumed(at_ns=moment.now_ns, elapsed_ms=clock.elapsed_ms),)
    away_ms = state.recovered.away_ms if state.recovered is not None and clock.paused == "power" else None
    if away_ms is None:
        raise Refused("away-unknown", "nothing tells how long the table was away: let the clock run on as it stood")
    elapsed_ms = clock.elapsed_ms + round(away_ms * clock.scale)
    return (e.ClockResumed(at_ns=moment.now_ns, elapsed_ms=elapsed_ms),)


def add_time(_state: TableState, command: c.AddTime, moment: Moment) -> tuple[e.Event, ...]:
    """The game gets longer."""
    with_reason(command.reason)
    if not 1_000 <= command.ms <= 3_600_000:
        raise Refused("bad-time", "time added must lie in 1 second to 60 minutes", ms=command.ms)
    return (e.TimeAdded(at_ns=moment.now_ns, ms=command.ms, reason=command.reason),)


def call_referee(state: TableState, command: c.CallReferee, moment: Moment) -> tuple[e.Event, ...]:
    """Somebody asks on the screen; who they say they are is taken down, and that it was only said."""
    by = "screen" if command.player is None else seated(state, command.player).id
    return referee_called(state, moment, by=by, how="screen")


def referee_called(
    state: TableState,
    moment: Moment,
    *,
    by: str,
    how: Literal["button", "screen", "rules"],
    about: e.CallAbout = "",
) -> tuple[e.Event, ...]:
    """The beacon is lit and the hub hears of it; a second call changes nothing."""
    if state.referee_called_ns is not None:
        return ()
    return (e.RefereeCalled(at_ns=moment.now_ns, by=by, how=how, about=about),)


_ANSWERS: dict[str, tuple[type[e.Event], ...]] = {
    "dispute": (e.DisputeSettled,),
    "result": (e.ResultRuled, e.ResultSigned, e.BoardReopened),
    "appeal": (e.AppealDecided,),
    "correction": (e.CorrectionMade, e.ThrowAnnulled),
    "signal": (e.SignalOverruled,),
    "length": (e.TijdSounded,),
}
"""What a call is about -> what answers it, beside the closing of the table."""


def answered(state: TableState, facts: tuple[e.Event, ...], moment: Moment) -> tuple[e.Event, ...]:
    """The call goes out with `facts` that decide what it was about, unless the referee is waited for elsewhere.

    A call by somebody who wants the referee to come is answered by nothing but the referee's coming.
    """
    answers = _ANSWERS.get(state.referee_called_about, ())
    if not any(isinstance(fact, (*answers, e.TableClosed)) for fact in facts if answers):
        return ()
    now = fold(facts, state)
    is_waited_for = (
        now.dispute is not None
        or any(ruling.appealed_by is not None and ruling.decided is None for ruling in now.rulings)
        or any(dispute.settled is None for dispute in now.looked.disputes if not now.closed)
    )
    return () if is_waited_for else (e.RefereeDismissed(at_ns=moment.now_ns),)


def dismiss_referee(state: TableState, _command: c.DismissReferee, moment: Moment) -> tuple[e.Event, ...]:
    """The call is answered."""
    if state.referee_called_ns is None:
        return ()
    return (e.RefereeDismissed(at_ns=moment.now_ns),)


def note(_state: TableState, command: c.Note, moment: Moment) -> tuple[e.Event, ...]:
    """Something to remember."""
    return (e.ServiceNoted(at_ns=moment.now_ns, code=command.code, values=command.values),)


def open_rig(state: TableState, command: c.OpenRig, moment: Moment) -> tuple[e.Event, ...]:
    """Camera and panel as they were found; the same rig as before needs no new event."""
    rig = e.RigOpened(
        at_ns=moment.now_ns,
        camera=command.camera,
        panel=command.panel,
        buttons=command.buttons,
        software=command.software,
    )
    before = state.rig
    known = before and (before.camera, before.panel, before.buttons, before.software)
    return () if known == (rig.camera, rig.panel, rig.buttons, rig.software) else (rig,)


def recover(_state: TableState, command: c.Recover, moment: Moment) -> tuple[e.Event, ...]:
    """The service is back in a game that it left."""
    return (
        e.ServiceRecovered(
            at_ns=moment.now_ns,
            events=command.events,
            same_boot=command.same_boot,
            away_ms=command.away_ms,
            elapsed_ms=command.elapsed_ms,
        ),
    )


def tell_absence(state: TableState, command: c.TellAbsence, moment: Moment) -> tuple[e.Event, ...]:
    """How long the table was away, as long as people still have to say whether that counts."""
    found = state.recovered
    if found is None or found.away_ms is not None or state.running_clock().paused != "power":
        return ()
    return (e.AbsenceTold(at_ns=moment.now_ns, away_ms=command.away_ms),)


def step_clock(_state: TableState, command: c.StepClock, moment: Moment) -> tuple[e.Event, ...]:
    """The wall clock jumped."""
    return (e.ClockStepped(at_ns=moment.now_ns, by_ms=command.by_ms),)
