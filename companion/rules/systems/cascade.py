"""Ranking by one level after another, with only as much data as the ties ask for.

Theory. Players are ordered by the first level; only those who are equal there are compared at the next. A value may
be unknown (nobody has counted yet): a group that depends on it stays whole and is reported, with the level, as what
is missing. A group in which every player would get the same result depends on nothing and is left alone. So one walk
gives both the ranking and the answer to "what must still be counted?".

`restart` is the other, literal reading of the text ("if the foregoing gives no winner"): as soon as the best is not
alone at a level, everybody who is left is ranked anew at the next level, and the levels before are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Value = Callable[[str, int], int | None]
"""What a player has at a level; None when it is not known yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Groups from best to worst.

    Attributes:
        groups: A group of several is equal at every level, or waits for a value that is missing.
        levels: The level that parts group i from group i + 1.
        missing: (level, players) for each group that waits.
    """

    groups: tuple[tuple[str, ...], ...]
    levels: tuple[int, ...]
    missing: tuple[tuple[int, tuple[str, ...]], ...]


def rank(
    players: Sequence[str], value: Value, *, levels: int, results: Sequence[str], restart: bool = False
) -> Ranking:
    """Players ranked by their values, level by level.

    Args:
        players: Whom to rank.
        value: What a player has at a level, counted from 0.
        levels: Number of levels.
        results: Result of each place, best first, as many as players; equal results are not worth a comparison
            that lacks data.
        restart: The literal reading.
    """
    walk = _Walk(value, levels, results)
    (walk.restart if restart else walk.lexicographic)(tuple(players), 0)
    return Ranking(groups=tuple(walk.groups), levels=tuple(walk.parted_by), missing=tuple(walk.missing))


class _Walk:
    def __init__(self, value: Value, levels: int, results: Sequence[str]) -> None:
        self.value = value
        self.last = levels - 1
        self.results = results
        self.groups: list[tuple[str, ...]] = []
        self.parted_by: list[int] = []
        self.missing: list[tuple[int, tuple[str, ...]]] = []
        self.placed = 0

    def lexicographic(self, players: tuple[str, ...], level: int) -> None:
        if self._ends(players, level):
            return
        for at, group in enumerate(self._by_value(players, level)):
            if at:
                self.parted_by.append(level)
            self.lexicographic(group, level + 1)

    def restart(self, players: tuple[str, ...], level: int) -> None:
        if self._ends(players, level):
            return
        best, *others = self._by_value(players, level)
        if len(best) > 1 and level < self.last:
            self.restart(players, level + 1)
            return
        self._place(best)
        if others:
            self.parted_by.append(level)
            self.restart(tuple(player for group in others for player in group), level)

    def _ends(self, players: tuple[str, ...], level: int) -> bool:
        unknown = level <= self.last and any(self.value(player, level) is None for player in players)
        if len(players) > 1 and level <= self.last and not unknown:
            return False
        stake = set(self.results[self.placed : self.placed + len(players)])
        if len(players) > 1 and unknown and len(stake) > 1:
            self.missing.append((level, players))
        self._place(players)
        return True

    def _place(self, players: tuple[str, ...]) -> None:
        self.groups.append(players)
        self.placed += len(players)

    def _by_value(self, players: tuple[str, ...], level: int) -> list[tuple[str, ...]]:
        found: dict[int, list[str]] = {}
        for player in players:
            found.setdefault(self.value(player, level) or 0, []).append(player)
        return [tuple(found[value]) for value in sorted(found, reverse=True)]
