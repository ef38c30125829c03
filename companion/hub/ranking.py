"""The order of the players of a tournament, with the step that decided each place.

Source:
    nl1996, clause 3.3: fewest points; then most pluses; then most ones; then the latest result that differs, where 1+
    is better than 1, 1 better than 2, 2 better than 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

RANKED_SYSTEMS = frozenset({"nl1996"})
"""Systems whose tournament ranking is known here; results of others are listed without an order."""

_POINTS = {"1+": 1, "1": 1, "2": 2, "3": 3}
_QUALITY = {"1+": 0, "1": 1, "2": 2, "3": 3}

STEPS = ("games", "points", "pluses", "ones", "latest")
"""The steps in their order. `games` comes first while rounds are still being played: two results add up to fewer
points than three, and nobody may lead by having played less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """One player's place.

    Attributes:
        player: The player's key.
        place: From 1; players who cannot be separated share one.
        points: Sum of the points.
        pluses: How many times 1+.
        decided_by: Step that put this player behind the one above (the first: before the one below); `shared` when
            no step did, `alone` when there is nobody to compare with.
    """

    player: str
    place: int
    points: int
    pluses: int
    decided_by: str


def is_result(system: str, result: str) -> bool:
    """Whether a result can be ranked in that system."""
    return system in RANKED_SYSTEMS and result in _POINTS


def rank(results: Mapping[str, Sequence[str | None]]) -> tuple[Rank, ...]:
    """The players in order, best first.

    Args:
        results: Player key to results in round order, None for a round without one; all sequences equally long.
    """
    keys = {player: _key(row) for player, row in results.items()}
    order = sorted(keys, key=lambda player: (keys[player], player))
    ranks: list[Rank] = []
    for index, player in enumerate(order):
        neighbour = order[index - 1] if index else (order[1] if len(order) > 1 else None)
        decided = "alone" if neighbour is None else _deciding(keys[player], keys[neighbour])
        is_shared = index > 0 and keys[player] == keys[order[index - 1]]
        _, points, pluses, *_ = keys[player]
        place = ranks[-1].place if is_shared else index + 1
        ranks.append(Rank(player=player, place=place, points=points, pluses=-pluses, decided_by=decided))
    return tuple(ranks)


Key = tuple[int, int, int, int, tuple[int, ...]]


def _key(row: Sequence[str | None]) -> Key:
    played = [result for result in row if result is not None]
    latest = tuple(_QUALITY[result] if result is not None else len(_QUALITY) for result in reversed(row))
    ones = sum(_POINTS[result] == 1 for result in played)
    return (-len(played), sum(_POINTS[result] for result in played), -played.count("1+"), -ones, latest)


def _deciding(mine: Key, other: Key) -> str:
    return next((step for step, a, b in zip(STEPS, mine, other, strict=True) if a != b), "shared")
