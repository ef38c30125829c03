"""How a game ends without the signal: a claim, the last player; then the frozen board, the score, the signatures."""

from __future__ import annotations

from companion.session import commands as c
from companion.session import events as e
from companion.session import judging
from companion.session.decide import service
from companion.session.decide.moment import Moment, next_player, seated, still_in, with_reason
from companion.session.decide.throws import closing_events
from companion.session.errors import NotNow, NotYours, Refused
from companion.session.snapshot import TableState
from companion.session.state import fold
from companion.session.transitions import Phase


def claim_mission(state: TableState, command: c.ClaimMission, moment: Moment) -> tuple[e.Event, ...]:
    """A player shows a mission completed: the board is frozen until the referee says otherwise."""
    player = judging.check_claim(
        still_in(state, command.player).id, command.mission, command.destroyed, state, ruleset=moment.rules()
    )
    claimed = e.MissionClaimed(at_ns=moment.now_ns, player=player, mission=command.mission, destroyed=command.destroyed)
    if state.frozen is None:
        return (claimed, e.BoardFrozen(at_ns=moment.now_ns, why="mission"))
    if moment.asker != "referee" and not judging.may_claim_late(moment.rules()):
        raise NotNow(
            "the signal came first: a mission that nobody had shown is not shown after it; the referee may see it else",
            command=command.name,
            phase=state.phase.value,
        )
    if state.frozen.why != "tijd" or state.claim is not None:
        raise Refused("game-over", "the board is frozen already, and not by the signal: there is nothing left to claim")
    # What was completed with the last throw may be shown when the board lies still.
    return (claimed,)


def withdraw_claim(state: TableState, command: c.WithdrawClaim, moment: Moment) -> tuple[e.Event, ...]:
    """The claim was wrong: play goes on from where the clock stood, unless the signal came meanwhile."""
    if state.claim is None:
        raise Refused("no-claim", "nobody claimed a mission: the board is frozen for another reason")
    with_reason(command.reason)
    return (e.ClaimWithdrawn(at_ns=moment.now_ns, reason=command.reason),)


def declare_out(state: TableState, command: c.DeclareOut, moment: Moment) -> tuple[e.Event, ...]:
    """A player lost the last territory, or left; with one player left the game is over.

    On a frozen board it is what everybody had forgotten to tell.

    Raises:
        NotYours: Only a referee sends somebody away whom nobody knocked out.
    """
    player = still_in(state, command.player).id
    if command.by is None and moment.asker != "referee":
        raise NotYours(
            "a player who leaves without having been knocked out is taken out by the referee", command=command.name
        )
    by = None if command.by is None else still_in(state, command.by).id
    if player == by:
        raise Refused("out-by-oneself", f"{player!r} can't knock out themselves", player=player)
    if state.claim is not None and state.claim.player == player:
        raise Refused("claimant-out", f"{player!r} claims to have won: amend the claim first", player=player)
    left = len(state.in_order())
    if left == 1:
        raise Refused("nobody-left", f"{player!r} is the last one in the game: nobody is left to be out", player=player)
    # Whoever lost the last territory lost it by a throw that was taken.
    facts = closing_events(state, moment) if state.frozen is None else []
    facts.append(e.PlayerKnockedOut(at_ns=moment.now_ns, player=player, by=by, players_left_before=left))
    if state.frozen is not None:
        return tuple(facts)
    if left == 2:
        facts.append(e.BoardFrozen(at_ns=moment.now_ns, why="last_player"))
    elif player == state.turn_player and state.phase is Phase.PLAYING:
        facts.append(e.TurnStarted(at_ns=moment.now_ns, number=state.turn + 1, player=next_player(state)))
    return tuple(facts)


def reinstate_player(state: TableState, command: c.ReinstatePlayer, moment: Moment) -> tuple[e.Event, ...]:
    """A knock-out is taken back; a game that it had ended goes on from where the clock stood."""
    player = seated(state, command.player)
    if not player.is_out:
        raise Refused("not-out", f"{player.id!r} is in the game: nobody knocked them out", player=player.id)
    with_reason(command.reason)
    reinstated = e.PlayerReinstated(at_ns=moment.now_ns, player=player.id, reason=command.reason)
    now = fold([reinstated], state)
    if now.phase is Phase.PLAYING and now.player(now.turn_player or "").is_out:
        # The game had ended with the fall of whoever's turn it was.
        return (reinstated, e.TurnStarted(at_ns=moment.now_ns, number=state.turn + 1, player=next_player(now)))
    return (reinstated,)


def confirm_board(state: TableState, command: c.ConfirmBoard, moment: Moment) -> tuple[e.Event, ...]:
    """The board as the players say it lies, checked, and the score that follows."""
    recorded = e.BoardRecorded(at_ns=moment.now_ns, players=command.players, vacant=command.vacant, lot=command.lot)
    scored = judging.score(state, recorded, ruleset=moment.rules(), at_ns=moment.now_ns)
    return (recorded, scored)


def reopen_board(_state: TableState, command: c.ReopenBoard, moment: Moment) -> tuple[e.Event, ...]:
    """The board goes back to be recorded anew; signatures fall."""
    with_reason(command.reason)
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
    facts = [e.ResultDisputed(at_ns=moment.now_ns, player=player, reason=command.reason.strip() or "-")]
    return (*facts, *service.referee_called(state, moment, by=player, how="screen", about="result"))


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
