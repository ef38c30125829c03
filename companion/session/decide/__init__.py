"""From a command to its events: `decide(state, command) -> events`, or a refusal.

Nothing here looks at a clock, a file or chance: the moment and the ruleset are arguments, and the same state and
command always give the same events. The permission to ask at all is `transitions.MAY`; each handler below only says
what the command makes happen, or what is wrong with what it asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.session import commands as c
from companion.session.decide import (
    ending,
    found,
    looking,
    mending,
    play,
    refereeing,
    sayings,
    seating,
    service,
    signal,
    throws,
    tijd,
)
from companion.session.decide.moment import Moment
from companion.session.errors import ONLY_FINISHING, NotNow, NotYours, OnlyFinishing, Refused
from companion.session.events import Event
from companion.session.snapshot import TableState
from companion.session.state import fold
from companion.session.transitions import MAY, Phase
from companion.session.wire import command_from

__all__ = ["Moment", "decide"]

_HANDLERS: dict[type[c.Command], Callable[[TableState, Any, Moment], tuple[Event, ...]]] = {
    c.SetUpTable: seating.set_up_table,
    c.EnterStartDie: seating.enter_start_die,
    c.ChooseColour: seating.choose_colour,
    c.BindButton: seating.bind_button,
    c.StartGame: play.start_game,
    c.PauseClock: service.pause_clock,
    c.ResumeClock: service.resume_clock,
    c.AddTime: service.add_time,
    c.CallThrow: play.call_throw,
    c.EnterDice: sayings.enter_dice,
    c.SetAllowed: sayings.set_allowed,
    c.AcceptThrow: sayings.accept_throw,
    c.AnnulThrow: sayings.annul_throw,
    c.CorrectDie: mending.correct_die,
    c.EndTurn: play.end_turn,
    c.ClaimMission: ending.claim_mission,
    c.WithdrawClaim: ending.withdraw_claim,
    c.DeclareOut: ending.declare_out,
    c.ReinstatePlayer: ending.reinstate_player,
    c.SoundTijd: signal.sound_tijd,
    c.CallReferee: service.call_referee,
    c.DismissReferee: service.dismiss_referee,
    c.ConfirmBoard: ending.confirm_board,
    c.ReopenBoard: ending.reopen_board,
    c.SignResult: ending.sign_result,
    c.DisputeResult: ending.dispute_result,
    c.RuleResult: refereeing.rule_result,
    c.CloseTable: ending.close_table,
    c.PressButton: play.press_button,
    c.SeeDice: throws.see_dice,
    c.SeeLift: throws.see_lift,
    c.FindDice: found.find_dice,
    c.EndAttackTime: play.end_attack_time,
    c.Note: service.note,
    c.OpenRig: service.open_rig,
    c.Recover: service.recover,
    c.StepClock: service.step_clock,
    c.TellAbsence: service.tell_absence,
    c.SetContext: sayings.set_context,
    c.SayFallen: sayings.say_fallen,
    c.StopAttack: sayings.stop_attack,
    c.AskSilence: sayings.ask_silence,
    c.TellRebels: sayings.tell_rebels,
    c.ReturnPlayer: sayings.return_player,
    c.ProposeCorrection: mending.propose_correction,
    c.AgreeCorrection: mending.agree_correction,
    c.RefuseCorrection: mending.refuse_correction,
    c.AmendThrow: mending.amend_throw,
    c.AmendTurn: mending.amend_turn,
    c.AmendOuts: mending.amend_outs,
    c.AmendClaim: mending.amend_claim,
    c.RuleSignal: signal.rule_signal,
    c.RulePlayedOn: refereeing.rule_played_on,
    c.MakeRuling: refereeing.make_ruling,
    c.AppealRuling: refereeing.appeal_ruling,
    c.DecideAppeal: refereeing.decide_appeal,
    c.ChangeResult: refereeing.change_result,
    c.RevealTijd: tijd.reveal_tijd,
    c.LoseTijd: tijd.lose_tijd,
    c.Calibrate: looking.calibrate,
    c.KeepFrames: looking.keep_frames,
    c.DisputeThrow: looking.dispute_throw,
    c.ReadAgain: looking.read_again,
    c.SettleDispute: looking.settle_dispute,
}


_TOLD_IN_PLAY: tuple[type[c.Command], ...] = (
    c.CallThrow, c.EndTurn, c.AcceptThrow, c.EnterDice, c.DeclareOut, c.SetAllowed, *c.TELLING,
)  # fmt: skip
_INSTEAD = frozenset(kind.name for kind in _TOLD_IN_PLAY)
"""What may stand in the place of something undone: what people tell in play, and nothing that others vouch for."""


def _undo(state: TableState, command: c.Undo, moment: Moment) -> tuple[Event, ...]:
    """The newest told thing is taken back, and what should have been told is told in its place."""
    undone = mending.undone(state, command, moment)
    if command.instead is None:
        return (undone,)
    name, args = command.instead.get("command"), command.instead.get("args", {})
    if name not in _INSTEAD or not isinstance(args, dict):
        raise Refused(
            "bad-replacement",
            f"in place of what is undone stands one of: {', '.join(sorted(_INSTEAD))}, with its args",
            command=str(name)[:40],
        )
    return (undone, *decide(fold([undone], state), command_from(str(name), args), moment))


_HANDLERS[c.Undo] = _undo


def decide(state: TableState, command: c.Command, moment: Moment) -> tuple[Event, ...]:
    """The events that `command` makes happen; none at all if it changes nothing.

    Args:
        state: The table as it stands.
        command: What is wanted.
        moment: When, by whom, and under which rules.

    Raises:
        NotNow: The command is not possible in this phase.
        NotYours: The asker may not send it.
        Refused: What it asks for is wrong; the refusal names the offender and the way out.
    """
    row = MAY[command.name]
    if state.phase not in row.phases:
        phases = [phase.value for phase in Phase if phase in row.phases]
        if state.phase is Phase.FINISHING and Phase.PLAYING in row.phases:
            raise OnlyFinishing(ONLY_FINISHING, command=command.name, phase=state.phase.value, phases=phases)
        raise NotNow(
            f"{command.name} is not possible while the table is {state.phase.value}; it is in: {', '.join(phases)}",
            command=command.name,
            phase=state.phase.value,
            phases=phases,
        )
    if moment.asker not in row.askers:
        askers = sorted(row.askers)
        raise NotYours(
            f"{command.name} is for: {', '.join(askers)}, not for: {moment.asker}",
            command=command.name,
            asker=moment.asker,
            askers=askers,
        )
    facts = _HANDLERS[type(command)](state, command, moment)
    facts = (*facts, *signal.frozen_when_finished(state, facts, moment))
    facts = (*facts, *service.answered(state, facts, moment))
    late = isinstance(command, c.PauseClock | c.ResumeClock) and command.late
    return (*facts, *tijd.out_of_step(state, facts, moment, late=late))
