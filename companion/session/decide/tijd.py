"""The secret length: sealed at the start, armed, sealed anew where a table leaves the hall's time, lost, revealed.

Theory. One length for a whole hall holds only as long as a table plays in step with the others. A table that stood
still while the hall played on would know, at the neighbours' signal, to the minute how much it has left. So whatever
takes a table out of step (a pause of its own, extra time of its own, a power cut, a claim that was refused) makes it
leave: by the director's choice, made beforehand as option `late_table`, it takes a fresh secret of its own or ends with
the hall. What the organiser does to all tables at once takes nobody out of step but a table that it reaches late, which
stood for another time than its hall.

A fresh secret is drawn by whoever has chance to draw with; here only its seal is known.
"""

from __future__ import annotations

from companion.rules.clock import length_range, secret_length, signal_comes_from
from companion.rules.ruleset import Ruleset
from companion.session import commands as c
from companion.session import events as e
from companion.session.decide import service
from companion.session.decide.moment import Moment
from companion.session.errors import Refused
from companion.session.seal import SALT, SEAL, seal_of
from companion.session.snapshot import SealState, TableState
from companion.session.state import fold
from companion.session.transitions import Phase

_MS_PER_MIN = 60_000


def table_draws(ruleset: Ruleset) -> bool:
    """Whether a table to which nobody gives a length draws one of its own."""
    secret = secret_length(ruleset)
    if secret is None:
        return False
    return ruleset.option("late_table") == "own" if secret.one_for_all else secret.chosen_by == "random"


def started(state: TableState, command: c.StartGame, moment: Moment) -> tuple[e.Event, ...]:
    """The length is sealed and armed, where it is a secret; nothing where it is not, or where the organiser keeps it.

    Raises:
        Refused: A length was given to a game that has none, by somebody who may not, or in a strange form.
    """
    rules = moment.rules()
    if command.seal is None:
        return _own(state, moment, "start") if table_draws(rules) else ()
    if secret_length(rules) is None:
        raise Refused("no-secret-here", f"the length of a game of {rules.system} is no secret: start it without a seal")
    if moment.asker != "hub":
        raise Refused("seal-from-hub", "only the organiser's hub gives a length: start without a seal")
    if SEAL.fullmatch(command.seal) is None:
        raise Refused("bad-seal", "a seal has 64 digits 0-9 and a-f", seal=command.seal[:80])
    rings = command.box is not None and signal_comes_from(rules) == "clock"
    return (
        _sealed(state, moment, command.seal, source="hub", hall=command.hall, why="start"),
        e.TijdArmed(at_ns=moment.now_ns, seal=command.seal, by="clock" if rings else "organiser", why="start"),
    )


def _own(state: TableState, moment: Moment, why: e.SealWhy) -> tuple[e.Event, ...]:
    seal = moment.fresh_seal()
    return (
        _sealed(state, moment, seal, source="table", hall=None, why=why),
        e.TijdArmed(at_ns=moment.now_ns, seal=seal, by="clock", why=why),
    )


def _sealed(
    state: TableState, moment: Moment, seal: str, *, source: str, hall: str | None, why: e.SealWhy
) -> e.TijdSealed:
    phase = state.opened.phase if state.opened else ""
    least, most = length_range(phase, ruleset=moment.rules())
    return e.TijdSealed(
        at_ns=moment.now_ns,
        seal=seal,
        phase=phase,
        least_min=least,
        most_min=most,
        source="hub" if source == "hub" else "table",
        hall=hall,
        why=why,
    )


def out_of_step(state: TableState, facts: tuple[e.Event, ...], moment: Moment, *, late: bool) -> tuple[e.Event, ...]:
    """What follows for the secret length from `facts` about to happen to `state`: nothing, mostly.

    Args:
        state: The table.
        facts: What is about to happen.
        moment: When and by whom.
        late: Whether what the hub does to all tables reaches this one clearly later than the others.
    """
    sealed = state.sealed
    if sealed is None or sealed.source != "hub" or state.tijd is not None or (moment.asker == "hub" and not late):
        return ()
    if not facts or fold(facts, state).phase is not Phase.PLAYING:
        return ()
    why = next((why for fact in facts if (why := _why_out(state, fact, late=late)) is not None), None)
    if why is None:
        return ()
    if moment.rules().option("late_table") == "own" and moment.seal is not None:
        return _own(state, moment, why)
    if sealed.armed_by == "clock":
        return (e.TijdArmed(at_ns=moment.now_ns, seal=sealed.seal, by="organiser", why=why),)
    return ()


def _why_out(state: TableState, fact: e.Event, *, late: bool) -> e.SealWhy | None:
    if state.phase is Phase.FROZEN:
        return "claim"
    match fact:
        case e.ClockPaused() | e.ClockResumed():
            return "late" if late else "pause"
        case e.TimeAdded():
            return "extra_time"
        case e.ServiceRecovered() if not fact.same_boot and state.running_clock().paused is None:
            return "power"
    return None


def given_by_key(state: TableState, command: c.PressButton, *, clock_rings: bool) -> bool:
    """Whether the referee's key, held, gives the signal: only where no clock of the table's own does.

    A key that was turned to start the game, or to answer a call, and was held too long is neither.
    """
    return (
        command.button == "referee"
        and command.kind == "long"
        and not clock_rings
        and state.phase is Phase.PLAYING
        and state.tijd is None
        and state.referee_called_ns is None
        and command.pressed_ns > max(state.game_began_ns, state.referee_came_ns)
    )


def lose_tijd(state: TableState, command: c.LoseTijd, moment: Moment) -> tuple[e.Event, ...]:
    """The secret is not to be trusted any more: the referee is called, and people give the signal."""
    lost = e.TijdLost(at_ns=moment.now_ns, seal=command.seal, why=command.why)
    return (lost, *service.referee_called(state, moment, by="clock", how="rules", about="length"))


def reveal_tijd(state: TableState, command: c.RevealTijd, moment: Moment) -> tuple[e.Event, ...]:
    """The length is shown once it can't help anybody any more, if it is the one that was sealed.

    Raises:
        Refused: There is no such seal, the length does not fit it, or somebody may still be playing by it.
    """
    current = state.sealed
    seal = command.seal if command.seal is not None else current.seal if current else ""
    found = next((one for one in state.seals if one.seal == seal), None)
    if found is None:
        raise Refused("no-such-seal", "nothing was sealed here that could be revealed", seal=seal[:80])
    if found.revealed is not None:
        return ()
    is_over = state.tijd is not None or state.phase is Phase.CLOSED
    # Whoever left the hall's time may hear it from the hub, which has waited for all others; at the table nobody has.
    if not (is_over or found.is_past or (moment.asker == "hub" and found is not current)):
        raise Refused("game-runs", "the game is still played by this length: it is revealed after the signal")
    if moment.asker != "hub":
        wait_for_hall(state, found, now_ns=moment.now_ns)
    minutes, salt = command.minutes, command.salt
    if minutes is None or salt is None:
        raise Refused("length-not-here", "this table does not hold the length itself: the organiser's hub reveals it")
    if SALT.fullmatch(salt) is None or seal_of(minutes, salt) != seal:
        raise Refused("seal-does-not-fit", "this length and salt do not give the hash that was sealed", seal=seal)
    return (e.TijdRevealed(at_ns=moment.now_ns, seal=seal, minutes=minutes, salt=salt),)


def wait_for_hall(state: TableState, sealed: SealState, *, now_ns: int, hub_gone_in_ms: int = 0) -> None:
    """Pass where nobody can play by a length any more, as far as this table knows.

    Args:
        state: A table that plays by it no more.
        sealed: The length's seal.
        now_ns: Boot clock.
        hub_gone_in_ms: Real time until the hub, which alone knows how long a hall stood, is taken to be gone.

    Raises:
        Refused: It is a hall's, and other tables may.
    """
    wait_ms = max(_hall_may_run_ms(state, sealed, now_ns), hub_gone_in_ms)
    if sealed.source == "hub" and wait_ms > 0:
        wait_min = -(-wait_ms // _MS_PER_MIN)
        raise Refused(
            "hall-may-run",
            f"other tables may still play by this length: the hub reveals it, or this table in {wait_min} minutes",
            wait_min=wait_min,
        )


def _hall_may_run_ms(state: TableState, sealed: SealState, now_ns: int) -> int:
    """Real time until the longest game that the range allows is over at a table that stood as long as this one; ms."""
    clock = state.running_clock()
    began_ns = state.game_began_ns or (state.opened.at_ns if state.opened else now_ns)
    last = state.tijd or state.frozen
    ended_ns = now_ns if last is None else min(last.at_ns, now_ns)
    stood_ms = 0.0 if sealed.is_past else (ended_ns - began_ns) * clock.scale / 1e6 - clock.elapsed_at(ended_ns)
    most_ms = (sealed.most_min * _MS_PER_MIN + clock.added_ms + max(0.0, stood_ms)) / clock.scale
    return round(most_ms - (now_ns - began_ns) / 1e6)
