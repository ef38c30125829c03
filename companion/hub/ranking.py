"""The order of the players while the tournament is still going on.

Theory: the rules rank players who have played equally often; a tournament on its way has players with two results and
players with three, and fewer points would put whoever has played less at the top. So players are grouped by the
number of results that they have, the fullest group first, and the rules rank each group. When all rounds are played
there is one group, and the order is the rules' own.

Source:
    nl1996, clause 3.3, by way of `companion.rules.standings`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.rules.reason import Reason
from companion.rules.ruleset import Ruleset
from companion.rules.standings import RESULTS, tournament_rank

RANKED_SYSTEMS = frozenset({"nl1996"})
"""Systems whose whole tournament is one ranking; results of others are listed without an order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """One player's place.

    Attributes:
        player: The player's key.
        place: From 1; players who cannot be separated share one.
        points: Sum of the points.
        pluses: How many times 1+.
        reason: The step that put this player behind the one above (the first: before the one below). Its code is one
            of the rules', or `games`: the other has more results.
    """

    player: str
    place: int
    points: int
    pluses: int
    reason: Reason


def is_result(result: str) -> bool:
    """Whether a result can be ranked."""
    return result in RESULTS


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
