"""Who meets whom: how many tables of which size, and the lot that fills them.

The lot itself is `lot.shuffled`: anybody can replay it from the published number. Two options change what follows
the shuffle. `spread_fours` seats those at the tables of four who sat there least; `avoid_rematch` then swaps players
between tables while that lowers the number of pairs who have met before. Both look at nothing but the lot's order
and the earlier rounds, so they can be replayed too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from companion.rules.errors import DrawError
from companion.rules.lot import shuffled
from companion.rules.ruleset import Ruleset

Tables: TypeAlias = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSplit:
    """Tables of one round by size."""

    threes: int
    fours: int

    @property
    def pools(self) -> int:
        """All tables."""
        return self.threes + self.fours


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """The tables of one round.

    Attributes:
        round: Counted from 1.
        number: The published number that it follows from.
        tables: Player ids by table.
        rematches: Pairs at one table who have met in an earlier round.
    """

    round: int
    number: str
    tables: tuple[tuple[str, ...], ...]
    rematches: int


def pool_split(players: int) -> PoolSplit:
    """As many tables of three as possible, and as few of four as needed.

    Raises:
        DrawError: The number can't be made of threes and fours (1, 2 and 5).

    Source:
        nl1996 2.1 and 4.3.
    """
    fours = players % 3
    threes, rest = divmod(players - 4 * fours, 3)
    if players < 3 or threes < 0 or rest:
        raise DrawError(
            "cannot-split",
            f"{players} players can't be split into tables of 3 and 4; let the organiser decide who plays",
            players=players,
            sizes=[3, 4],
        )
    return PoolSplit(threes=threes, fours=fours)


def table_sizes(players: int, *, ruleset: Ruleset) -> tuple[int, ...]:
    """Sizes of the tables of one round, in the order in which they are filled.

    Raises:
        DrawError: The number can't be split, the organiser must choose, or the system knows no tournament.

    Source:
        nl1996 2.1; risiko 4, option `table_split`.
    """
    if ruleset.system == "nl1996":
        split = pool_split(players)
        return (3,) * split.threes + (4,) * split.fours
    if ruleset.system != "risiko":
        raise DrawError(
            "no-tournament",
            f"the rules of {ruleset.system} know no tournament; draw by nl1996 or risiko, or give the table sizes",
            system=ruleset.system,
        )
    if ruleset.option("table_split") == "organiser":
        raise DrawError(
            "sizes-missing",
            "the organiser chooses the table sizes; give them, or set option 'table_split' to 'prefer_4'",
            players=players,
        )
    fours, rest = divmod(players, 4)
    if players < 3 or (rest == 1 and fours == 0):
        raise DrawError(
            "cannot-split",
            f"{players} players can't be split into tables of 3 to 6; let the organiser decide who plays",
            players=players,
            sizes=[3, 4, 5, 6],
        )
    if rest in (1, 2):
        return (4,) * (fours - 1) + ((5,) if rest == 1 else (3, 3))
    return (4,) * fours + (3,) * (rest // 3)


def may_enter(player: str, entered: Collection[str], *, started: bool, ruleset: Ruleset) -> bool:
    """Whether somebody may play who wants to: in nl1996 only who entered before the start.

    Args:
        player: Who wants to play.
        entered: Who entered before the start.
        started: The first round is drawn.
        ruleset: The rules of the tournament.

    Source:
        nl1996 4.2.
    """
    return not started or player in entered or ruleset.system != "nl1996"


def draw_round(
    players: Iterable[str],
    *,
    number: str,
    round_: int,
    ruleset: Ruleset,
    earlier: Sequence[Tables] = (),
    sizes: Sequence[int] | None = None,
) -> Draw:
    """The tables of one round by lot.

    Args:
        players: Each once, in any order.
        number: The published number.
        round_: Counted from 1; each round is another draw from the same number.
        ruleset: The rules; options `avoid_rematch` and `spread_fours` of nl1996.
        earlier: The tables of the rounds before.
        sizes: Table sizes that the organiser chose; None for the rules' own.

    Raises:
        DrawError: A player twice, sizes that don't fit or that the rules don't know, or a number that can't be
            split.

    Source:
        nl1996 4.3; risiko 4 and 8.
    """
    names = list(players)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DrawError("name-twice", f"{twice[0]!r} is in the list twice; keep one of them", player=twice[0])
    wanted = tuple(sizes) if sizes is not None else table_sizes(len(names), ruleset=ruleset)
    _check_sizes(wanted, ruleset)
    if sum(wanted) != len(names):
        raise DrawError(
            "cannot-split",
            f"tables of {', '.join(map(str, wanted))} seat {sum(wanted)}, but there are {len(names)} players",
            players=len(names),
            sizes=list(wanted),
        )
    order = list(shuffled(names, number=number, purpose=f"round {round_}"))
    spread = ruleset.options.get("spread_fours") is True
    fours = Counter(name for tables in earlier for table in tables if len(table) == 4 for name in table)
    if spread:
        seats = 4 * wanted.count(4)
        least = sorted(order, key=lambda name: fours[name])[:seats]
        chosen = set(least)
        order = [name for name in order if name not in chosen] + least
    tables: list[list[str]] = []
    for size in wanted:
        tables.append(order[:size])
        order = order[size:]
    met = Counter(pair for old in earlier for table in old for pair in _pairs(table))
    if ruleset.options.get("avoid_rematch") is True:
        _part(tables, met, fours if spread else None)
    rematches = sum(met[pair] > 0 for table in tables for pair in _pairs(table))
    return Draw(round=round_, number=number, tables=tuple(map(tuple, tables)), rematches=rematches)


def _check_sizes(sizes: Iterable[int], ruleset: Ruleset) -> None:
    least, most = ruleset.number("players.least"), ruleset.number("players.most")
    for size in sizes:
        if not least <= size <= most:
            raise DrawError(
                "table-size",
                f"{ruleset.name} is played at tables of {least} to {most}, not of {size}; choose other sizes",
                size=size,
                allowed=list(range(least, most + 1)),
            )


def _pairs(table: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(sorted(pair)) for pair in combinations(table, 2)]


def _part(tables: list[list[str]], met: Counter[tuple[str, ...]], fours: Counter[str] | None) -> None:
    """Swap players between tables, always the first swap that helps, until none does.

    Each swap lowers the number of meetings, so it ends; it need not find the fewest possible.
    """

    def meetings(name: str, table: Sequence[str], without: str) -> int:
        return sum(met[tuple(sorted((name, other)))] for other in table if other not in (name, without))

    def swap_that_helps() -> bool:
        for here, table in enumerate(tables):
            for seat, name in enumerate(table):
                own = meetings(name, table, name)
                if own and _swap(here, seat, own):
                    return True
        return False

    def _swap(here: int, seat: int, own: int) -> bool:
        name = tables[here][seat]
        for there, table in enumerate(tables):
            if there == here:
                continue
            for place, other in enumerate(table):
                if fours is not None and len(table) != len(tables[here]) and fours[name] != fours[other]:
                    continue
                before = own + meetings(other, table, other)
                after = meetings(name, table, other) + meetings(other, tables[here], name)
                if after < before:
                    tables[here][seat], table[place] = other, name
                    return True
        return False

    while swap_that_helps():
        pass
