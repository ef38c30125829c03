"""How a game ends: the signal, a claim, the last player; then the frozen board, the score, the signatures."""

from __future__ import annotations

from companion.rules.clock import SignalRuling
from companion.session import commands as c
from companion.session import events as e
from companion.session import judging
from companion.session.decide import service
from companion.session.decide.moment import Moment, seated, still_in
from companion.session.decide.play import next_player
from companion.session.decide.throws import accepted, closing_events, is_decided
from companion.session.errors import Refused
from companion.session.finish import ThrowAtSignal, throw_at
from companion.session.snapshot import TableState, ThrowState
from companion.session.state import fold
from companion.session.transitions import Phase


def sound_tijd(state: TableState, command: c.SoundTijd, moment: Moment) -> tuple[e.Event, ...]:
    """The signal: the rules say what it does to the throw under way, and the board is frozen.

    While a claim is being looked at the board is frozen already; the signal is kept for the case that the claim is
    refused. Where the stamps are too close for one answer, nothing is annulled and the referee is called.
    """
    if state.frozen is not None and (state.claim is None or state.tijd is not None):
        raise Refused("game-over", "the board is frozen already: there is nothing left to end")
    signal_ns = command.signal_ns
    at_signal, ruling, is_unsure = _ruled_signal(state, command, moment)
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
        ),
    ]
    throw = state.throw
    if is_unsure:
        facts += service.call_referee(state, c.CallReferee(by="clock"), moment)
    elif throw is not None and throw.is_open and (ruling.throw == "void" or _is_empty(throw)):
        facts.append(e.ThrowAnnulled(at_ns=moment.now_ns, throw=throw.id, why="tijd"))
    elif throw is not None and throw.defence is not None and throw.is_open and is_decided(throw) and ruling.losses_due:
        facts.append(accepted(throw, "tijd", moment))
    if state.frozen is None:
        facts.append(e.BoardFrozen(at_ns=signal_ns, why="tijd"))
    return tuple(facts)


def _is_empty(throw: ThrowState) -> bool:
    """Whether it was called and nothing was thrown: what comes now comes after the signal."""
    return throw.attack is None and throw.defence is None


def _ruled_signal(state: TableState, command: c.SoundTijd, moment: Moment) -> tuple[ThrowAtSignal, SignalRuling, bool]:
    """Where the throw stood, what the rules say, and whether one frame sooner or later they would say otherwise."""

    def at(signal_ns: int) -> ThrowAtSignal:
        return throw_at(signal_ns, state.throw, rolling_since_ns=command.rolling_since_ns, frame_ns=command.frame_ns)

    found = at(command.signal_ns)
    ruling = judging.signal(found, ruleset=moment.rules())
    around = [
        judging.signal(at(command.signal_ns + shift_ns), ruleset=moment.rules())
        for shift_ns in (-command.frame_ns, command.frame_ns)
    ]
    is_unsure = any((other.throw, other.board) != (ruling.throw, ruling.board) for other in around)
    return found, ruling, found.is_uncertain and is_unsure


def claim_mission(state: TableState, command: c.ClaimMission, moment: Moment) -> tuple[e.Event, ...]:
    """A player shows a mission completed: the board is frozen until the referee says otherwise."""
    player = still_in(state, command.player).id
    destroyed = seated(state, command.destroyed) if command.destroyed is not None else None
    if destroyed is not None and destroyed.out_by is None:
        raise Refused(
            "not-destroyed",
            f"{destroyed.id!r} is still in the game: record first who knocked them out",
            player=destroyed.id,
        )
    if command.mission is not None:
        judging.check_mission(command.mission, state, ruleset=moment.rules())
    return (
        e.MissionClaimed(at_ns=moment.now_ns, player=player, mission=command.mission, destroyed=command.destroyed),
        e.BoardFrozen(at_ns=moment.now_ns, why="mission"),
    )


def withdraw_claim(state: TableState, command: c.WithdrawClaim, moment: Moment) -> tuple[e.Event, ...]:
    """The claim was wrong: play goes on from where the clock stood, unless the signal came meanwhile."""
    if state.claim is None:
        raise Refused("no-claim", "nobody claimed a mission: the board is frozen for another reason")
    if not command.reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")
    withdrawn = e.ClaimWithdrawn(at_ns=moment.now_ns, reason=command.reason)
    if state.tijd is not None:
        # The signal came while the claim was looked at: the game is over all the same.
        return (withdrawn, e.BoardFrozen(at_ns=moment.now_ns, why="tijd"))
    return (withdrawn,)


def declare_out(state: TableState, command: c.DeclareOut, moment: Moment) -> tuple[e.Event, ...]:
    """A player lost the last territory; with one player left the game is over."""
    player, by = still_in(state, command.player).id, still_in(state, command.by).id
    if player == by:
        raise Refused("out-by-oneself", f"{player!r} can't knock out themselves", player=player)
    left = len(state.in_order())
    # Whoever lost the last territory lost it by a throw that was taken.
    facts = closing_events(state, moment)
    facts.append(e.PlayerKnockedOut(at_ns=moment.now_ns, player=player, by=by, players_left_before=left))
    if left == 2:
        facts.append(e.BoardFrozen(at_ns=moment.now_ns, why="last_player"))
    elif player == state.turn_player:
        facts.append(e.TurnStarted(at_ns=moment.now_ns, number=state.turn + 1, player=next_player(state)))
    return tuple(facts)


def reinstate_player(state: TableState, command: c.ReinstatePlayer, moment: Moment) -> tuple[e.Event, ...]:
    """A knock-out is taken back; a game that it had ended goes on from where the clock stood."""
    player = seated(state, command.player)
    if player.out_by is None:
        raise Refused("not-out", f"{player.id!r} is in the game: nobody knocked them out", player=player.id)
    if not command.reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")
    reinstated = e.PlayerReinstated(at_ns=moment.now_ns, player=player.id, reason=command.reason)
    now = fold([reinstated], state)
    if now.phase is Phase.PLAYING and now.player(now.turn_player or "").out_by is not None:
        # The game had ended with the fall of whoever's turn it was.
        return (reinstated, e.TurnStarted(at_ns=moment.now_ns, number=state.turn + 1, player=next_player(now)))
    return (reinstated,)


def confirm_board(state: TableState, command: c.ConfirmBoard, moment: Moment) -> tuple[e.Event, ...]:
    """The board as the players say it lies, checked, and the score that follows."""
    scored = judging.score(state, command.players, command.vacant, ruleset=moment.rules(), at_ns=moment.now_ns)
    recorded = e.BoardRecorded(at_ns=moment.now_ns, players=command.players, vacant=command.vacant)
    return (recorded, scored)


def reopen_board(_state: TableState, command: c.ReopenBoard, moment: Moment) -> tuple[e.Event, ...]:
    """The board goes back to be recorded anew; signatures fall."""
    if not command.reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")
    return (e.BoardReopened(at_ns=moment.now_ns, reason=command.reason),)


def sign_result(state: TableState, command: c.SignResult, moment: Moment) -> tuple[e.Event, ...]:
    """A player agrees; signing twice changes nothing."""
    player = seated(state, command.player)
    if _is_open(state):
        raise Refused("result-open", "the result is not decided yet: the referee rules first")
    if player.signed:
        return ()
    return (e.ResultSigned(at_ns=moment.now_ns, player=player.id),)


def _is_open(state: TableState) -> bool:
    return state.score is not None and bool(state.score.unresolved) and state.ruling is None


def dispute_result(state: TableState, command: c.DisputeResult, moment: Moment) -> tuple[e.Event, ...]:
    """A player does not agree: the referee is called."""
    player = seated(state, command.player).id
    facts: list[e.Event] = [e.ResultDisputed(at_ns=moment.now_ns, player=player, reason=command.reason.strip() or "-")]
    if state.referee_called_ns is None:
        facts.append(e.RefereeCalled(at_ns=moment.now_ns, by=player))
    return tuple(facts)


def rule_result(state: TableState, command: c.RuleResult, moment: Moment) -> tuple[e.Event, ...]:
    """The referee sets the result of every player."""
    if not command.reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")
    players = {p.id for p in state.players}
    if command.results.keys() != players:
        raise Refused("results-incomplete", "give a result for each player of the table", players=sorted(players))
    judging.check_results(command.results, ruleset=moment.rules())
    return (e.ResultRuled(at_ns=moment.now_ns, results=dict(command.results), reason=command.reason),)


def close_table(state: TableState, _command: c.CloseTable, moment: Moment) -> tuple[e.Event, ...]:
    """The referee checked: the result stands. Whoever has not signed is named in it by that."""
    if _is_open(state):
        raise Refused("result-open", "players are still equal: rule the result first")
    if state.dispute is not None:
        raise Refused(
            "result-disputed",
            f"{state.dispute.player!r} disputes the result: rule it first",
            player=state.dispute.player,
        )
    return (e.TableClosed(at_ns=moment.now_ns, results=dict(state.results or {})),)
