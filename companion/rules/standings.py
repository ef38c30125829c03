"""Standings of a nl1996 tournament, and how they came about.

Theory. Fewest points wins; then most pluses, most ones, most twos "and so on"; then whoever had the better results
last. The source's example fixes the reading: a (2, 1+, 1, 1+) and b (2, 1, 1+, 1+) are equal in points, pluses and
ones; compared from the last round backwards they are equal in round 4, and in round 3 b has the better result, so b
wins. So a player's standing is one key, compared from left to right, and the first place where two keys differ is
the tie-break that decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companion.rules.errors import ResultsError
from companion.rules.lot import shuffled
from companion.rules.reason import Reason, because
from companion.rules.ruleset import Ruleset

RESULTS: Final = ("1+", "1", "2", "3")
"""What a score sheet can say, best first."""

Key = tuple[int, ...]
_FIXED: Final = ("rank-points", "rank-pluses", "rank-ones", "rank-twos")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One player's place in the tournament.

    Attributes:
        player: Player id.
        place: 1 for the first; shared places have the same number.
        points: Sum of points, fewer being better.
        pluses: Missions achieved.
        results: Results in round order, missed games filled in.
        reason: The tie-break that decided: against the next player for the first, else against the one above.
    """

    player: str
    place: int
    points: int
    pluses: int
    results: tuple[str, ...]
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One result as it comes from a table."""

    player: str
    round: int
    result: str


def gather(entries: Iterable[Entry], *, rounds: int | None = None) -> dict[str, tuple[str | None, ...]]:
    """Results by player in round order; None for a game that was missed.

    Args:
        entries: Results in any order.
        rounds: Rounds played; None for the highest that occurs.

    Raises:
        ResultsError: An unknown result, or two different results of one player in one round.
    """
    found: dict[str, dict[int, str]] = {}
    for entry in entries:
        _check_result(entry.player, entry.result)
        own = found.setdefault(entry.player, {})
        if entry.round in own:
            raise ResultsError(
                "round-twice",
                f"{entry.player!r} has two results in round {entry.round}: {own[entry.round]} and {entry.result}; "
                "keep one sheet",
                player=entry.player,
                round=entry.round,
                first=own[entry.round],
                second=entry.result,
            )
        own[entry.round] = entry.result
    last = rounds if rounds is not None else max((number for own in found.values() for number in own), default=0)
    return {player: tuple(own.get(number) for number in range(1, last + 1)) for player, own in found.items()}


def tournament_rank(
    results: Mapping[str, Sequence[str | None]], *, ruleset: Ruleset, lot: str | None = None
) -> tuple[Standing, ...]:
    """Everybody's standing, best first.

    Args:
        results: Player to results in round order; None for a game that was missed.
        ruleset: The rules; options `cascade_all_places`, `identical`, `absent_result`.
        lot: Published number that parts identical players, where the option lets the lot do so.

    Raises:
        ResultsError: No results, an unknown one, different numbers of rounds, or a missed game that the leader must
            rule on.

    Source:
        nl1996 3.3 and 4.2.
    """
    filled = _filled(results, ruleset)
    keys = {player: _key(own) for player, own in filled.items()}
    order = sorted(filled, key=lambda player: (keys[player], player))
    if ruleset.option("identical") == "lot" and lot is not None:
        drawn = {player: at for at, player in enumerate(shuffled(filled, number=lot, purpose="identical players"))}
        order.sort(key=lambda player: (keys[player], drawn[player]))
        keys = {player: (*key, drawn[player]) for player, key in keys.items()}
    full = keys
    if ruleset.option("cascade_all_places") == "points_then_pluses_only":
        first = keys[order[0]]
        keys = {player: key if key == first else key[:2] for player, key in keys.items()}
        order.sort(key=lambda player: (keys[player] != first, keys[player][:2], player))
    standings: list[Standing] = []
    for at, player in enumerate(order):
        above = order[at - 1] if at else None
        shared = above is not None and keys[above] == keys[player]
        own = filled[player]
        standings.append(
            Standing(
                player=player,
                place=standings[-1].place if shared else at + 1,
                points=sum(_points(result) for result in own),
                pluses=own.count("1+"),
                results=own,
                reason=_deciding(player, order, at, keys=keys, full=full, filled=filled, lot=lot),
            )
        )
    return tuple(standings)


def groups(standings: Sequence[Standing]) -> tuple[tuple[str, ...], ...]:
    """Players by place; a group of several shares it."""
    by_place: dict[int, list[str]] = {}
    for standing in standings:
        by_place.setdefault(standing.place, []).append(standing.player)
    return tuple(tuple(players) for players in by_place.values())


def _filled(results: Mapping[str, Sequence[str | None]], ruleset: Ruleset) -> dict[str, tuple[str, ...]]:
    if not results:
        raise ResultsError("no-results", "there are no results to rank; give at least one sheet")
    rounds = max(len(own) for own in results.values())
    absent = ruleset.option("absent_result")
    filled: dict[str, tuple[str, ...]] = {}
    for player, own in results.items():
        if len(own) != rounds:
            raise ResultsError(
                "rounds-differ",
                f"{player!r} has {len(own)} results, others have {rounds}; enter null for a game that was missed",
                player=player,
                rounds=len(own),
                wanted=rounds,
            )
        row = []
        for at, result in enumerate(own, start=1):
            if result is None and absent == "leader":
                raise ResultsError(
                    "result-missing",
                    f"{player!r} has no result in round {at}, and the leader decides on missed games; enter the ruling",
                    player=player,
                    round=at,
                )
            row.append(str(absent) if result is None else result)
            _check_result(player, row[-1])
        filled[player] = tuple(row)
    return filled


def _check_result(player: str, result: str) -> None:
    if result not in RESULTS:
        raise ResultsError(
            "unknown-result",
            f"{player!r} has result {result!r}; a result is one of {', '.join(RESULTS)}",
            player=player,
            result=result,
            known=list(RESULTS),
        )


def _points(result: str) -> int:
    return int(result[0])


def _key(own: Sequence[str]) -> Key:
    """Smaller is better: points, pluses, ones, twos, then the rounds from the last backwards."""
    count = Counter(own)
    points = sum(_points(result) for result in own)
    ones = count["1+"] + count["1"]
    return (points, -count["1+"], -ones, -count["2"], *(RESULTS.index(result) for result in reversed(own)))


def _deciding(
    player: str,
    order: Sequence[str],
    at: int,
    *,
    keys: Mapping[str, Key],
    full: Mapping[str, Key],
    filled: Mapping[str, tuple[str, ...]],
    lot: str | None,
) -> Reason:
    if len(order) == 1:
        return because("rank-first", "3.3")
    alike = [name for name in (order[max(0, at - 1)], *order[at + 1 : at + 2]) if keys[name] == keys[player]]
    other = order[at - 1] if at else order[1]
    if keys[other] == keys[player]:
        return because("rank-shared", "3.3", players=sorted({player, *alike}))
    own, theirs = full[player], full[other]
    step = next(step for step, (a, b) in enumerate(zip(own, theirs, strict=False)) if a != b)
    if step < len(_FIXED):
        values = {"own": abs(own[step]), "other": abs(theirs[step])}
        return Reason(code=_FIXED[step], clause="3.3", values=values)
    rounds = len(filled[player])
    back = step - len(_FIXED)
    if back >= rounds:
        return because("rank-lot", "3.3", number=lot)
    number = rounds - back
    mine, others = filled[player][number - 1], filled[other][number - 1]
    return because("rank-round", "3.3", round=number, own=mine, other=others)
