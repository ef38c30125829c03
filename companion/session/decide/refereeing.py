"""What the leader, the referee and the director rule: interpretations and penalties, appeals, playing on, results."""

from __future__ import annotations

from companion.session import commands as c
from companion.session import events as e
from companion.session import judging
from companion.session.decide import service
from companion.session.decide.moment import Moment, seated, with_reason
from companion.session.errors import Refused
from companion.session.snapshot import RulingState, TableState

MOST_ARMIES = 500


def make_ruling(state: TableState, command: c.MakeRuling, moment: Moment) -> tuple[e.Event, ...]:
    """A ruling in the referee's own words; nothing at the table changes by itself."""
    with_reason(command.reason)
    player = None if command.player is None else seated(state, command.player).id
    if not 0 <= command.armies <= MOST_ARMIES:
        raise Refused("bad-armies", f"0 to {MOST_ARMIES} armies can be taken off", most=MOST_ARMIES)
    return (
        e.RulingMade(
            at_ns=moment.now_ns,
            number=len(state.rulings) + 1,
            about=command.about,
            player=player,
            armies=command.armies,
            reason=command.reason,
        ),
    )


def _ruling(state: TableState, number: int) -> RulingState:
    if not 1 <= number <= len(state.rulings):
        raise Refused("no-such-ruling", f"there is no ruling {number} in this game", ruling=number)
    return state.rulings[number - 1]


def appeal_ruling(state: TableState, command: c.AppealRuling, moment: Moment) -> tuple[e.Event, ...]:
    """A player takes a ruling to the director, whose word is final: so it is done once."""
    player, ruling = seated(state, command.player).id, _ruling(state, command.ruling)
    if ruling.appealed_by is not None:
        raise Refused("appealed-already", f"{ruling.appealed_by!r} has appealed already", player=ruling.appealed_by)
    appealed = e.RulingAppealed(at_ns=moment.now_ns, number=command.ruling, player=player)
    return (appealed, *service.referee_called(state, moment, by=player, how="screen", about="appeal"))


def decide_appeal(state: TableState, command: c.DecideAppeal, moment: Moment) -> tuple[e.Event, ...]:
    """The director's word."""
    ruling = _ruling(state, command.ruling)
    if ruling.appealed_by is None or ruling.decided is not None:
        raise Refused("no-appeal", f"no appeal against ruling {command.ruling} is open", ruling=command.ruling)
    with_reason(command.reason)
    return (e.AppealDecided(at_ns=moment.now_ns, number=command.ruling, upheld=command.upheld, reason=command.reason),)


def rule_played_on(state: TableState, command: c.RulePlayedOn, moment: Moment) -> tuple[e.Event, ...]:
    """Whether somebody went on after the mission; the board to record is then the one that the players restored."""
    if state.claim is None:
        raise Refused("no-claim", "nobody claimed a mission: the board is frozen for another reason")
    if moment.rules().system != "nl1996":
        raise Refused("no-playing-on-here", f"{moment.rules().system} says nothing of playing on after the end")
    with_reason(command.reason)
    if command.how == state.played_on:
        return ()
    return (e.PlayedOnRuled(at_ns=moment.now_ns, how=command.how, reason=command.reason),)


def check_results(state: TableState, command: c.RuleResult | c.ChangeResult, moment: Moment) -> dict[str, str]:
    """The results that a referee gives: one for each player, in words that the system has.

    Raises:
        Refused: A reason or a player is missing.
        PositionError: A word that is no result.
    """
    with_reason(command.reason)
    players = {p.id for p in state.players}
    if command.results.keys() != players:
        raise Refused("results-incomplete", "give a result for each player of the table", players=sorted(players))
    judging.check_results(command.results, ruleset=moment.rules())
    return dict(command.results)


def rule_result(state: TableState, command: c.RuleResult, moment: Moment) -> tuple[e.Event, ...]:
    """The referee sets the result of every player."""
    results = check_results(state, command, moment)
    return (e.ResultRuled(at_ns=moment.now_ns, results=results, reason=command.reason),)


def change_result(state: TableState, command: c.ChangeResult, moment: Moment) -> tuple[e.Event, ...]:
    """The result of a closed table is changed, for everybody to see that it was."""
    results = check_results(state, command, moment)
    before = dict(state.results or {})
    if results == before:
        raise Refused("nothing-changed", "that is the result already")
    return (e.ResultChanged(at_ns=moment.now_ns, results=results, before=before, reason=command.reason),)
