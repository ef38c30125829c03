"""The clock's pauses, the call for a referee, and what the service itself has to tell."""

from __future__ import annotations

from companion.session import commands as c
from companion.session import events as e
from companion.session.decide.moment import Moment
from companion.session.errors import Refused
from companion.session.snapshot import TableState


def pause_clock(state: TableState, command: c.PauseClock, moment: Moment) -> tuple[e.Event, ...]:
    """The clock stands, with a reason."""
    clock = state.running_clock()
    if clock.paused is not None:
        raise Refused("already-paused", "the clock stands already", reason=clock.paused)
    _reason(command.reason)
    return (e.ClockPaused(at_ns=moment.now_ns, elapsed_ms=clock.elapsed_at(moment.now_ns), reason=command.reason),)


def resume_clock(state: TableState, _command: c.ResumeClock, moment: Moment) -> tuple[e.Event, ...]:
    """The clock runs on from where it stood."""
    clock = state.running_clock()
    if clock.paused is None:
        raise Refused("not-paused", "the clock runs already")
    return (e.ClockResumed(at_ns=moment.now_ns, elapsed_ms=clock.elapsed_ms),)


def add_time(_state: TableState, command: c.AddTime, moment: Moment) -> tuple[e.Event, ...]:
    """The game gets longer."""
    _reason(command.reason)
    if not 1_000 <= command.ms <= 3_600_000:
        raise Refused("bad-time", "time added must lie in 1 second to 60 minutes", ms=command.ms)
    return (e.TimeAdded(at_ns=moment.now_ns, ms=command.ms, reason=command.reason),)


def _reason(reason: str) -> None:
    if not reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")


def call_referee(state: TableState, command: c.CallReferee, moment: Moment) -> tuple[e.Event, ...]:
    """The beacon is lit and the hub hears of it; a second call changes nothing."""
    if state.referee_called_ns is not None:
        return ()
    return (e.RefereeCalled(at_ns=moment.now_ns, by=command.by),)


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


def step_clock(_state: TableState, command: c.StepClock, moment: Moment) -> tuple[e.Event, ...]:
    """The wall clock jumped."""
    return (e.ClockStepped(at_ns=moment.now_ns, by_ms=command.by_ms),)
