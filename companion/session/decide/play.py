"""Start, turns, calls and presses."""

from __future__ import annotations

from companion.session import commands as c
from companion.session import events as e
from companion.session import judging
from companion.session.decide import mending, seating, service, tijd
from companion.session.decide.moment import Moment, next_player, still_in
from companion.session.decide.reading import awaits_defence, is_accepted
from companion.session.decide.throws import closing_events
from companion.session.errors import Refused
from companion.session.finish import may_throw_now
from companion.session.snapshot import PlayerState, TableState, ThrowState
from companion.session.transitions import PLAYED, Phase

_ALARM_TOLERANCE_MS = 5
"""Rounding between real and game time on the way of an alarm."""


def start_game(state: TableState, command: c.StartGame, moment: Moment) -> tuple[e.Event, ...]:
    """The length is sealed where it is a secret, the clock runs, and the first player's turn begins."""
    first = state.in_order()[0]
    return (
        *tijd.started(state, command, moment),
        e.GameStarted(at_ns=moment.now_ns),
        e.TurnStarted(at_ns=moment.now_ns, number=1, player=first.id),
    )


def end_turn(state: TableState, command: c.EndTurn, moment: Moment) -> tuple[e.Event, ...]:
    """The next player's turn begins, or that of the one named; an open throw is closed first."""
    player = still_in(state, command.player).id if command.player is not None else next_player(state)
    if player == state.turn_player and len(state.in_order()) > 1:
        raise Refused("turn-runs", f"it is {player!r}'s turn already", player=player)
    _clock_runs(state)
    return (
        *closing_events(state, moment),
        e.TurnStarted(at_ns=moment.now_ns, number=state.turn + 1, player=player),
    )


def _clock_runs(state: TableState) -> None:
    """Refuse what may not happen while the clock stands.

    Raises:
        Refused: It stands.
    """
    reason = state.running_clock().paused
    if reason is not None:
        raise Refused("clock-stands", "the clock stands: let it run on first", reason=reason)


def call_throw(state: TableState, command: c.CallThrow, moment: Moment) -> tuple[e.Event, ...]:
    """The attacker throws; a throw whose dice must be thrown again is the same throw and needs no second call."""
    player = command.player or state.turn_player
    if player is None or player != state.turn_player:
        raise Refused(
            "not-your-turn",
            f"it is {state.turn_player!r}'s turn, not {player!r}'s",
            player=player,
            turn=state.turn_player,
        )
    _clock_runs(state)
    return _call(state, player, moment, by=moment.asker)


def _call(state: TableState, player: str, moment: Moment, *, by: str) -> tuple[e.Event, ...]:
    throw = state.throw
    if throw is not None and throw.is_open and (_waits_for_dice(throw) or not may_throw_now(state)):
        return ()
    return (
        *closing_events(state, moment),
        e.ThrowCalled(at_ns=moment.now_ns, throw=state.throws + 1, player=player, by=by),
    )


def _waits_for_dice(throw: ThrowState) -> bool:
    """Whether the open throw still has dice to come: none seen yet, some to be thrown again, or the defence.

    A defence that lies there without an attack is nobody's throw: the call begins one.
    """
    if throw.attack is None:
        return throw.defence is None
    return (
        not is_accepted(throw.attack)
        or (throw.defence is not None and not is_accepted(throw.defence))
        or awaits_defence(throw)
    )


def press_button(state: TableState, command: c.PressButton, moment: Moment) -> tuple[e.Event, ...]:
    """What a press means: see docs/buttons.md.

    The thrower's press counts the moment that the button goes down. Everybody else's waits until it is let go, because
    a long press is a call for the referee and must not begin a turn on its way.
    """
    if command.button == "referee":
        return _referee_key(state, moment) if command.kind == "down" else ()
    owner = next((p for p in state.players if p.button == command.button), None)
    if owner is not None and not owner.is_out and mending.proposal_at(state, moment.now_ns) is not None:
        return mending.pressed(state, owner.id, command, moment)
    if command.kind == "long":
        by = owner.id if owner is not None else command.button
        return service.referee_called(state, moment, by=by, how="button")
    if state.phase in PLAYED:
        return _seat_pressed(state, owner, command, moment)
    if command.kind == "short":
        return ()
    if state.phase is Phase.SEATING:
        return seating.press(state, command, moment)
    if state.phase is Phase.FROZEN:
        return _too_late(state, command, moment)
    return _meant_nothing(state, command.button, moment)


def _too_late(state: TableState, command: c.PressButton, moment: Moment) -> tuple[e.Event, ...]:
    values = {"button": command.button, "phase": state.phase.value}
    return service.note(state, c.Note(code="press-too-late", values=values), moment)


def _seat_pressed(
    state: TableState, owner: PlayerState | None, command: c.PressButton, moment: Moment
) -> tuple[e.Event, ...]:
    if owner is None or owner.is_out:
        return _noted_once(state, command, "press-without-player", moment)
    if state.running_clock().paused is not None:
        return _noted_once(state, command, "press-in-pause", moment)
    if owner.id == state.turn_player:
        return _call(state, owner.id, moment, by=command.button) if command.kind == "down" else ()
    if state.phase is Phase.FINISHING:
        return _too_late(state, command, moment) if command.kind == "down" else ()
    if command.kind == "down" or command.pressed_ns < state.turn_began_ns:
        # A finger that went down before this turn began meant something else then.
        return ()
    if awaits_defence(state.throw):
        # A defender who presses before throwing means the throw, not the end of the attacker's turn.
        return service.note(state, c.Note(code="press-during-throw", values={"button": command.button}), moment)
    return (
        *closing_events(state, moment),
        e.TurnStarted(at_ns=moment.now_ns, number=state.turn + 1, player=owner.id),
    )


def _noted_once(state: TableState, command: c.PressButton, code: str, moment: Moment) -> tuple[e.Event, ...]:
    """A note at the press itself; its release adds nothing."""
    if command.kind != "down":
        return ()
    return service.note(state, c.Note(code=code, values={"button": command.button}), moment)


def _referee_key(state: TableState, moment: Moment) -> tuple[e.Event, ...]:
    if state.referee_called_ns is not None:
        return service.dismiss_referee(state, c.DismissReferee(), moment)
    if state.phase is Phase.READY:
        return start_game(state, c.StartGame(), moment)
    return _meant_nothing(state, "referee", moment)


def _meant_nothing(state: TableState, button: str, moment: Moment) -> tuple[e.Event, ...]:
    values = {"button": button, "phase": state.phase.value}
    return service.note(state, c.Note(code="press-meant-nothing", values=values), moment)


def end_attack_time(state: TableState, _command: c.EndAttackTime, moment: Moment) -> tuple[e.Event, ...]:
    """The last phase's limit on attacking is reached in this turn.

    The alarm that says so was armed a while ago: meanwhile the turn may have passed on, or time may have been added.
    """
    elapsed_ms = state.running_clock().elapsed_at(moment.now_ns)
    left_ms = judging.attack_remaining_ms(state, elapsed_ms, ruleset=moment.rules())
    if state.attack_time_over or left_ms is None or left_ms > _ALARM_TOLERANCE_MS:
        return ()
    return (e.AttackTimeEnded(at_ns=moment.now_ns, elapsed_ms=elapsed_ms),)
