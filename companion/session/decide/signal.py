"""The signal: what it does to the throw and the combat under way, what may be finished, and when the board freezes.

Theory. Where a game ends at once the board is frozen with the signal. Where the rules let the throw, or the combat, be
finished, the table goes through one more phase in which nothing else is possible. It ends by itself as soon as that
throw is taken, or as soon as people say that the attacker stopped, conquered or has no armies left: no camera sees any
of the three. Where the stamps are too close for one answer nothing is annulled, the board is frozen, and the referee
says what the signal did.
"""

from __future__ import annotations

from typing import Literal

from companion.rules.clock import SignalRuling
from companion.session import commands as c
from companion.session import events as e
from companion.session import judging
from companion.session.decide import service
from companion.session.decide.moment import Moment, with_reason
from companion.session.decide.throws import is_decided, taken
from companion.session.errors import Refused
from companion.session.finish import ThrowAtSignal, is_finished, throw_at
from companion.session.snapshot import TableState, ThrowState
from companion.session.state import fold
from companion.session.transitions import Phase, ThrowStep


def sound_tijd(state: TableState, command: c.SoundTijd, moment: Moment) -> tuple[e.Event, ...]:
    """The signal: the rules say what it does, and the board is frozen or only what is under way is finished.

    While a claim is being looked at the board is frozen already; the signal is kept for the case that the claim is
    refused.
    """
    if state.frozen is not None and (state.claim is None or state.tijd is not None):
        raise Refused("game-over", "the board is frozen already: there is nothing left to end")
    signal_ns = command.signal_ns
    at_signal, ruling, is_unsure = _ruled_signal(state, command, moment)
    finishing = None if is_unsure else _finishing(ruling)
    facts: list[e.Event] = [
        e.TijdSounded(at_ns=signal_ns, source=command.source, elapsed_ms=state.running_clock().elapsed_at(signal_ns)),
        e.SignalRuled(
            at_ns=moment.now_ns,
            throw=at_signal.throw,
            attack=at_signal.attack,
            defence=at_signal.defence,
            losses_taken=at_signal.losses_taken,
            uncertain=is_unsure,
            verdict=ruling.throw,
            board=ruling.board,
            reasons=(ruling.reason,),
            finishing=finishing,
            may_move_in=ruling.may_move_in and not is_unsure,
        ),
    ]
    throw = state.throw
    if is_unsure:
        facts += service.referee_called(state, moment, by="clock", how="rules", about="signal")
    elif throw is not None and throw.is_open and finishing != "combat":
        if ruling.throw != "stands" or _is_empty(throw):
            facts.append(e.ThrowAnnulled(at_ns=moment.now_ns, throw=throw.id, why="tijd"))
        elif throw.defence is not None and is_decided(throw) and ruling.losses_due:
            facts += taken(throw, "tijd", moment)
    if state.frozen is None and finishing is None:
        facts.append(e.BoardFrozen(at_ns=signal_ns, why="tijd"))
    return tuple(facts)


def _finishing(ruling: SignalRuling) -> Literal["throw", "combat"] | None:
    if ruling.combat_in_progress:
        return "combat"
    return "throw" if ruling.may_throw else None


def _is_empty(throw: ThrowState) -> bool:
    """Whether it was called and nothing was thrown: what comes now comes after the signal."""
    return throw.attack is None and throw.defence is None


def _ruled_signal(state: TableState, command: c.SoundTijd, moment: Moment) -> tuple[ThrowAtSignal, SignalRuling, bool]:
    """Where the throw stood, what the rules say, and whether one frame sooner or later they would say otherwise."""

    def at(signal_ns: int) -> ThrowAtSignal:
        return throw_at(
            signal_ns,
            state.throw,
            rolling_since_ns=command.rolling_since_ns,
            frame_ns=command.frame_ns,
            attack=state.attack,
        )

    found = at(command.signal_ns)
    ruling = judging.signal(found, ruleset=moment.rules())
    around = [
        judging.signal(at(command.signal_ns + shift_ns), ruleset=moment.rules())
        for shift_ns in (-command.frame_ns, command.frame_ns)
    ]
    is_unsure = any(_verdict(other) != _verdict(ruling) for other in around)
    return found, ruling, found.is_uncertain and is_unsure


def _verdict(ruling: SignalRuling) -> tuple[str, str, bool]:
    return ruling.throw, ruling.board, ruling.combat_in_progress


def frozen_when_finished(state: TableState, facts: tuple[e.Event, ...], moment: Moment) -> tuple[e.Event, ...]:
    """The board is frozen once `facts` have finished what was under way at the signal; nothing otherwise."""
    if not facts or state.phase not in (Phase.PLAYING, Phase.FINISHING, Phase.FROZEN):
        return ()
    now = fold(facts, state)
    if now.phase is not Phase.FINISHING or not is_finished(now):
        return ()
    return (e.BoardFrozen(at_ns=moment.now_ns, why="tijd"),)


def rule_signal(state: TableState, command: c.RuleSignal, moment: Moment) -> tuple[e.Event, ...]:
    """The referee says what the signal did: to the throw, and whether the combat may be finished.

    Raises:
        Refused: No signal has ended this game, or these rules let no combat be finished.
    """
    signal, throw = state.signal, state.throw
    if signal is None or (state.frozen is not None and state.frozen.why != "tijd"):
        raise Refused("no-signal", "no signal has ended this game: there is nothing to rule")
    with_reason(command.reason)
    if command.combat and moment.rules().at("signal.mode") != "finish_combat":
        raise Refused("no-combat-to-finish", f"the rules of {moment.rules().system} let no combat be finished")
    facts: list[e.Event] = [
        e.SignalOverruled(
            at_ns=moment.now_ns,
            throw=command.throw,
            combat=command.combat,
            before=signal.verdict,
            reason=command.reason,
        )
    ]
    if throw is None or (signal.throw != throw.id and not throw.is_open):
        return tuple(facts)
    if command.throw == "void" and throw.step is not ThrowStep.ANNULLED:
        facts.append(e.ThrowAnnulled(at_ns=moment.now_ns, throw=throw.id, why="referee", reason=command.reason))
    elif command.throw == "stands" and throw.step is not ThrowStep.ACCEPTED and not command.combat:
        facts += taken(throw, "tijd", moment) if is_decided(throw) else []
    return tuple(facts)
