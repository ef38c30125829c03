"""The order of the players while the tournament is still going on.

Theory: the rules rank players who have played equally often; a tournament on its way has players with two results and
players with three, and fewer points would put whoever has played less at the top. So players are grouped by the
number of results that they have, the fullest group first, and the rules rank each group. When all rounds are played
there is one group, and the order is the rules' own.

RisiKo! has no such order of all: who wins a table goes on at once, and the others are ranked for the repechage by the
points of their places, summed over what they played. So the winners stand first, by Score, and then that ranking.

Source:
    nl1996, clause 3.3, by way of `companion.rules.standings`; risiko, clauses 2, 3b and 25.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.rules.reason import Reason
from companion.rules.ruleset import Ruleset
from companion.rules.standings import RESULTS, tournament_rank
from companion.rules.systems.risiko_phases import Game, general_ranking

RANKED_SYSTEMS = frozenset({"nl1996", "risiko"})
"""Systems whose rules rank players over several games; results of others are listed without an order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """One player's place.

    Attributes:
        player: The player's key.
        place: From 1; players who cannot be separated share one.
        points: Sum of the points; in RisiKo! of the places, towards the repechage.
        pluses: How many times 1+; in RisiKo! how many tables were won.
        score: Sum of the Scores, as the rules count them; None in a system without.
        reason: The step that put this player behind the one above (the first: before the one below). Its code is one
            of the rules', or `games`: the other has more results.
    """

    player: str
    place: int
    points: int
    pluses: int
    reason: Reason
    score: float | None = None


def is_result(result: str, *, ruleset: Ruleset) -> bool:
    """Whether a result can be ranked."""
    if ruleset.system != "risiko":
        return result in RESULTS
    points = {str(value) for row in ruleset.table("repechage_points").values() for value in row}
    return result == "win" or result in points


def rank_by_score(games: Mapping[str, Sequence[Game]], *, ruleset: Ruleset) -> tuple[Rank, ...]:
    """The players of RisiKo! in order: who has won a table, by Score, then the general ranking of the others.

    Args:
        games: Player key to the games played, in order.
        ruleset: The rules that rank.
    """
    rows = general_ranking(games, ruleset=ruleset)
    winners = sorted((row for row in rows if row.won_a_table), key=lambda row: (-row.score, row.player))
    others = {player: own for player, own in games.items() if player not in {row.player for row in winners}}
    ranks = [
        Rank(
            player=row.player,
            place=1 + sum(other.score > row.score for other in winners),
            points=row.weight,
            pluses=sum(game.points is None for game in games[row.player]),
            reason=Reason(code="won", clause="2"),
            score=row.score,
        )
        for row in winners
    ]
    for row in general_ranking(others, ruleset=ruleset):
        place = len(winners) + row.place
        ranks.append(
            Rank(player=row.player, place=place, points=row.weight, pluses=0, reason=row.reason, score=row.score)
        )
    return tuple(ranks)


def rank(results: Mapping[str, Sequence[str | None]], *, ruleset: Ruleset) -> tuple[Rank, ...]:
    """The players in order, best first.

    Args:
        results: Player key to results in round order, None where there is none yet.
        ruleset: The rules that rank.
    """
    played = {player: [result for result in row if result is not None] for player, row in results.items()}
    sizes = sorted({len(row) for row in played.values()}, reverse=True)
    ranks: list[Rank] = []
    for index, size in enumerate(sizes):
        group = {player: row for player, row in played.items() if len(row) == size}
        ahead = len(ranks)
        for number, standing in enumerate(tournament_rank(group, ruleset=ruleset)):
            reason = standing.reason
            if number == 0 and index:
                reason = _more_games(size, sizes[index - 1])
            elif len(group) == 1 and len(sizes) > 1:
                reason = _more_games(size, sizes[1])
            ranks.append(
                Rank(
                    player=standing.player,
                    place=ahead + standing.place,
                    points=standing.points,
                    pluses=standing.pluses,
                    reason=reason,
                )
            )
    return tuple(ranks)


def _more_games(own: int, other: int) -> Reason:
    return Reason(code="games", clause="", values={"own": own, "other": other})
