"""Slips, misread dice and forgotten facts: proposed and agreed, undone, or amended by the referee.

Theory. Whoever misreads a die should not need a referee, and nobody should be able to change one alone. So a correction
is proposed on the screen and made when the thrower and one opponent have both pressed within the window; a long press,
or a word on the screen, refuses it and calls the referee. All else that was recorded wrongly is amended by the referee:
each amendment holds what was there before, what holds now, and why.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Literal

from companion.rules.combat import targets
from companion.rules.position import KnockedOut, check_knocked_out
from companion.session import commands as c
from companion.session import events as e
from companion.session import judging
from companion.session.decide import service
from companion.session.decide.moment import Moment, next_player, seated, still_in, with_reason
from companion.session.decide.sayings import with_fallen
from companion.session.decide.throws import is_decided, judged, taken
from companion.session.errors import Refused
from companion.session.snapshot import SideState, TableState, ThrowState
from companion.session.state import fold
from companion.session.transitions import Phase, ThrowStep
from companion.session.undoing import undo_point

LEAST_WINDOW_MS = 1_000
MOST_WINDOW_MS = 120_000
_NS_PER_MS = 1_000_000


def newest_that_counts(state: TableState) -> ThrowState:
    """The newest throw, open or lifted.

    Raises:
        Refused: There is none, or it counts for nothing.
    """
    if state.throw is None or state.throw.step is ThrowStep.ANNULLED:
        raise Refused("no-open-throw", "there is no throw to correct")
    return state.throw


def _half_with_die(throw: ThrowState, command: c.CorrectDie | c.ProposeCorrection | e.CorrectionProposed) -> SideState:
    """The side whose die is put right.

    Raises:
        Refused: There is no such die, or it can't be so.
    """
    half = throw.side(command.side)
    if half is None or not 0 <= command.position < len(half.settled.dice):
        raise Refused("no-such-die", f"there is no {command.side} die {command.position + 1} in this throw")
    value = command.value
    if command.verdict == "valid" and (value is None or not 1 <= value <= 6):
        raise Refused("bad-die", "a die shows 1 to 6", values=[value])
    if command.verdict != "valid" and value is not None:
        raise Refused("bad-die", f"a die that is {command.verdict} shows nothing that counts", values=[value])
    return half


def correct_die(state: TableState, command: c.CorrectDie, moment: Moment) -> tuple[e.Event, ...]:
    """The referee puts a misread die right."""
    throw = newest_that_counts(state)
    with_reason(command.reason)
    return _corrected(state, throw, command, moment, reason=command.reason, agreed_by=())


def _corrected(
    state: TableState,
    throw: ThrowState,
    said: c.CorrectDie | e.CorrectionProposed,
    moment: Moment,
    *,
    reason: str,
    agreed_by: tuple[str, ...],
) -> tuple[e.Event, ...]:
    """The old reading stays in the journal, the throw is judged anew.

    The newest throw may have been lifted already, because the misreading shows when somebody looks up; its losses are
    then reckoned anew, from the moment at which they were taken.
    """
    half = _half_with_die(throw, said)
    old = half.settled.dice[said.position]
    new = replace(
        old, value=said.value, verdict=said.verdict, confidence=1.0, why="agreed" if agreed_by else "corrected"
    )
    seen = tuple(new if at == said.position else die for at, die in enumerate(half.settled.dice))
    # People who say what a die shows have seen how the dice came; when they arrived is no question any more.
    settled = replace(half.settled, at_ns=moment.now_ns, dice=seen, apart_ms=None)
    facts: list[e.Event] = [
        e.CorrectionMade(
            at_ns=moment.now_ns,
            subject=f"throw {throw.id} {said.side} {said.position}",
            before={"value": old.value, "verdict": old.verdict},
            after={"value": new.value, "verdict": new.verdict},
            reason=reason,
            agreed_by=agreed_by,
        ),
        settled,
    ]
    facts += judged(fold(facts, state), settled, moment, before=half)
    return (*facts, *_taken_again(state, facts, moment))


def _taken_again(state: TableState, facts: list[e.Event], moment: Moment) -> list[e.Event]:
    """The losses reckoned anew, where the throw had been taken before `facts` changed it and is decided still."""
    before, now = state.newest_throw().accepted, fold(facts, state).newest_throw()
    if before is None or not is_decided(now):
        return []
    return taken(now, before.how, moment, at_ns=before.at_ns)


def propose_correction(state: TableState, command: c.ProposeCorrection, moment: Moment) -> tuple[e.Event, ...]:
    """Somebody says that a die was misread: the thrower and one opponent are asked to press."""
    throw = newest_that_counts(state)
    _half_with_die(throw, command)
    if not LEAST_WINDOW_MS <= command.window_ms <= MOST_WINDOW_MS:
        raise Refused(
            "bad-window",
            f"people have {LEAST_WINDOW_MS} to {MOST_WINDOW_MS} ms to agree, not {command.window_ms}",
            window_ms=command.window_ms,
        )
    return (
        e.CorrectionProposed(
            at_ns=moment.now_ns,
            throw=throw.id,
            side=command.side,
            position=command.position,
            value=command.value,
            verdict=command.verdict,
            window_ms=command.window_ms,
        ),
    )


def proposal_at(state: TableState, now_ns: int) -> e.CorrectionProposed | None:
    """The correction that may still be agreed at `now_ns`, or None."""
    proposed = state.proposed
    if proposed is None or now_ns > proposed.at_ns + proposed.window_ms * _NS_PER_MS:
        return None
    return proposed


def _proposal(state: TableState, moment: Moment) -> e.CorrectionProposed:
    proposed = proposal_at(state, moment.now_ns)
    if proposed is None:
        raise Refused("nothing-proposed", "no correction waits to be agreed: propose it first, then press in time")
    return proposed


def agree_correction(state: TableState, command: c.AgreeCorrection, moment: Moment) -> tuple[e.Event, ...]:
    """One agrees; once the thrower and one opponent have, the die is corrected."""
    proposed, throw = _proposal(state, moment), newest_that_counts(state)
    player = still_in(state, command.player).id
    if player in state.agreed:
        return ()
    fact = e.CorrectionAgreed(at_ns=moment.now_ns, player=player)
    agreed = (*state.agreed, player)
    opponent = next((one for one in agreed if one != throw.player), None)
    if throw.player not in agreed or opponent is None:
        return (fact,)
    by = (throw.player, opponent)
    now = fold([fact], state)
    return (fact, *_corrected(now, throw, proposed, moment, reason="agreed", agreed_by=by))


def refuse_correction(state: TableState, command: c.RefuseCorrection, moment: Moment) -> tuple[e.Event, ...]:
    """Somebody does not agree: the proposal is dropped and the referee is called."""
    _proposal(state, moment)
    player = seated(state, command.player).id
    return _refused(state, player, moment, by_button=False)


def _refused(state: TableState, player: str, moment: Moment, *, by_button: bool) -> tuple[e.Event, ...]:
    how: Literal["button", "screen"] = "button" if by_button else "screen"
    called = service.referee_called(state, moment, by=player, how=how, about="correction")
    return (e.CorrectionRefused(at_ns=moment.now_ns, player=player), *called)


def pressed(state: TableState, player: str, command: c.PressButton, moment: Moment) -> tuple[e.Event, ...]:
    """A press while a correction waits: let go soon it agrees, held it refuses.

    It counts when it is let go, whoever presses, because a long press must not agree on its way.
    """
    proposed = _proposal(state, moment)
    if command.kind == "long":
        return _refused(state, player, moment, by_button=True)
    if command.kind == "down" or command.pressed_ns < proposed.at_ns:
        return ()
    return agree_correction(state, c.AgreeCorrection(player=player), moment)


def undone(state: TableState, command: c.Undo, moment: Moment) -> e.FactUndone:
    """The newest thing that was told is taken back.

    Raises:
        Refused: Nothing can be undone, or another thing than the one meant.
    """
    point = undo_point(state)
    if point is None:
        raise Refused("nothing-to-undo", "the table has moved on since: there is nothing to undo, it can be amended")
    if point.event.wire != command.what:
        raise Refused(
            "undo-moved-on",
            f"the newest that can be undone is {point.event.wire}, not {command.what}: look again",
            what=command.what,
            newest=point.event.wire,
        )
    return e.FactUndone(
        at_ns=moment.now_ns, what=point.event.wire, closes_too=tuple(fact.wire for fact in point.closed)
    )


def amend_throw(state: TableState, command: c.AmendThrow, moment: Moment) -> tuple[e.Event, ...]:
    """Whose the newest throw was, against what, with how many dice; it is judged anew, lifted or not."""
    throw, rules = newest_that_counts(state), moment.rules()
    with_reason(command.reason)
    against = command.against or throw.against
    if against not in targets(rules):
        raise Refused("no-such-target", f"{rules.system} knows no attack against {against}", against=against)
    after: dict[str, Any] = {
        "player": throw.player if command.player is None else still_in(state, command.player).id,
        "against": against,
        "attack": throw.allowed_attack if command.attack is None else command.attack,
        "defence": throw.allowed_defence if command.defence is None else command.defence,
    }
    fallen = {"attack": command.fallen_attack, "defence": command.fallen_defence}
    _check_numbers({"attack": after["attack"], "defence": after["defence"]}, least=1, moment=moment)
    _check_numbers(fallen, least=0, moment=moment)
    before = {
        "player": throw.player,
        "against": throw.against,
        "attack": throw.allowed_attack,
        "defence": throw.allowed_defence,
    }
    facts: list[e.Event] = [
        e.ThrowAmended(at_ns=moment.now_ns, throw=throw.id, before=before, reason=command.reason, **after)
    ]
    for side in e.SIDES:
        half = throw.side(side)
        if half is None:
            continue
        settled, count = half.settled, fallen[side]
        if count is not None:
            settled = with_fallen(settled, count, moment)
            facts.append(settled)
        facts += judged(fold(facts, state), settled, moment, before=half)
    return (*facts, *_taken_again(state, facts, moment))


def _check_numbers(told: dict[str, int | None], *, least: int, moment: Moment) -> None:
    for side, number in told.items():
        most = moment.rules().number(f"dice.{side}_max")
        if number is not None and not least <= number <= most:
            raise Refused("bad-allowed", f"{side}: {least} to {most} dice, not {number}", side=side, most=most)


def amend_turn(state: TableState, command: c.AmendTurn, moment: Moment) -> tuple[e.Event, ...]:
    """The running turn is another player's, or its first attack was at another time."""
    with_reason(command.reason)
    player = still_in(state, command.player).id
    started_ms = state.attack_started_ms if command.attack_started_ms is None else command.attack_started_ms
    elapsed_ms = state.running_clock().elapsed_at(moment.now_ns)
    if started_ms is not None and not 0 <= started_ms <= elapsed_ms:
        raise Refused("bad-time", f"the first attack lies in 0 to {elapsed_ms} ms of the game", ms=started_ms)
    before = {"player": state.turn_player, "attack_started_ms": state.attack_started_ms}
    return (
        e.TurnAmended(
            at_ns=moment.now_ns, player=player, attack_started_ms=started_ms, before=before, reason=command.reason
        ),
    )


def amend_outs(state: TableState, command: c.AmendOuts, moment: Moment) -> tuple[e.Event, ...]:
    """Who left the game, to whom and in which order, as a whole; a game that had ended by it goes on, or ends by it.

    Raises:
        Refused: Nobody would be left, or the claimant would be out.
        PositionError: It can't have been so.
    """
    with_reason(command.reason)
    players = tuple(p.id for p in state.players)
    fallen = tuple(
        KnockedOut(player=out.player, players_left_before=len(players) - at, by=out.by)
        for at, out in enumerate(command.outs)
    )
    check_knocked_out(fallen, players)
    if len(fallen) >= len(players):
        raise Refused("nobody-left", "somebody must be left in the game")
    if state.claim is not None and state.claim.player in [out.player for out in command.outs]:
        raise Refused("claimant-out", f"{state.claim.player!r} claims to have won: amend the claim first")
    earlier = sorted((p for p in state.players if p.is_out), key=lambda p: -(p.left_before or 0))
    amended = e.OutsAmended(
        at_ns=moment.now_ns,
        outs=command.outs,
        before=tuple(e.OutFact(player=p.id, by=p.out_by) for p in earlier),
        reason=command.reason,
    )
    now = fold([amended], state)
    if now.frozen is None and len(now.in_order()) == 1:
        return (amended, e.BoardFrozen(at_ns=moment.now_ns, why="last_player"))
    if now.phase is Phase.PLAYING and now.player(now.turn_player or "").is_out:
        return (amended, e.TurnStarted(at_ns=moment.now_ns, number=state.turn + 1, player=next_player(now)))
    return (amended,)


def amend_claim(state: TableState, command: c.AmendClaim, moment: Moment) -> tuple[e.Event, ...]:
    """What was claimed, and by whom."""
    claim = state.claim
    if claim is None:
        raise Refused("no-claim", "nobody claimed a mission: the board is frozen for another reason")
    with_reason(command.reason)
    player = judging.check_claim(
        still_in(state, command.player).id, command.mission, command.destroyed, state, ruleset=moment.rules()
    )
    before = {name: value for name, value in asdict(claim).items() if name != "at_ns"}
    return (
        e.ClaimAmended(
            at_ns=moment.now_ns,
            player=player,
            mission=command.mission,
            destroyed=command.destroyed,
            before=before,
            reason=command.reason,
        ),
    )
