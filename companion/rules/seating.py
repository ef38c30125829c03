"""Who starts, who sits where, who places first: what one die of each player decides.

A player's dice are a list, because equal players throw again among themselves: the first die decides, then the
next among those who tied. So the dice of a player compare like words in a dictionary, and somebody must throw
again exactly when their dice are the beginning of somebody else's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.rules.errors import ThrowError
from companion.rules.reason import Reason, because
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOrder:
    """The order of play, or who must throw for it.

    Attributes:
        order: Player ids, first to play first; None while dice are missing.
        to_throw: Players who must throw a die now.
        tied: Groups that throw again among themselves.
        seats: How the order sits around the table: 'clockwise' or 'to_the_right'.
        reasons: One per place, or one per tie.
    """

    order: tuple[str, ...] | None
    to_throw: tuple[str, ...]
    tied: tuple[tuple[str, ...], ...]
    seats: str
    reasons: tuple[Reason, ...]


def start_order(throws: Mapping[str, Sequence[int]], *, ruleset: Ruleset) -> StartOrder:
    """The order of play from one die each, ties thrown again among the tied only.

    Args:
        throws: Player id to the dice thrown so far, first throw first; empty before the first.
        ruleset: The rules of the table.

    Raises:
        ThrowError: A value outside 1..6.

    Source:
        nl1996 4.4; risiko 9; apoikia, start; the reroll of ties is chosen.
    """
    for value in (value for dice in throws.values() for value in dice):
        if value not in range(1, 7):
            raise ThrowError("bad-die", f"a die shows 1 to 6, not {value!r}; read it again", value=value)
    dice = {player: tuple(values) for player, values in throws.items()}
    clause = ruleset.word("seats.clause")
    to_throw = tuple(
        player
        for player, own in dice.items()
        if not own or any(other[: len(own)] == own for rival, other in dice.items() if rival != player)
    )
    groups: dict[tuple[int, ...], list[str]] = {}
    for player, own in dice.items():
        groups.setdefault(own, []).append(player)
    tied = {own: tuple(players) for own, players in groups.items() if own and len(players) > 1}
    if to_throw:
        order = None
        reasons = [because("start-tie", clause, players=list(group), die=own[-1]) for own, group in tied.items()]
    else:
        order = tuple(sorted(dice, key=lambda player: dice[player], reverse=True))
        reasons = [because("start-order", clause, dice=list(dice[player])) for player in order]
    return StartOrder(
        order=order,
        to_throw=to_throw,
        tied=tuple(tied.values()),
        seats=ruleset.word("seats.direction"),
        reasons=tuple(reasons),
    )


def turn_order(order: Sequence[str], seats: Mapping[str, int], *, ruleset: Ruleset) -> tuple[str, ...]:
    """Who plays after whom, when seats were not taken side by side.

    Args:
        order: Players by their dice, highest first.
        seats: Player to seat number, counted clockwise.
        ruleset: The rules; `turn_order` decides in nl1996.

    Source:
        nl1996 4.4.
    """
    if ruleset.options.get("turn_order") != "clockwise_from_starter":
        return tuple(order)
    first = seats[order[0]]
    around = max(seats.values()) + 1
    return tuple(sorted(order, key=lambda player: (seats[player] - first) % around))


def dealing_order(order: Sequence[str], seats: Mapping[str, int]) -> tuple[str, ...]:
    """Who gets the first territory card and who the next: the left neighbour of the highest, then clockwise.

    Args:
        order: Players by their dice, highest first; the first deals.
        seats: Player to seat number, counted clockwise.

    Source:
        nl1996 4.7.
    """
    first = seats[order[0]] + 1
    around = max(seats.values()) + 1
    return tuple(sorted(order, key=lambda player: (seats[player] - first) % around))


def territories_each(receiving: Sequence[str], territories: int = 42) -> dict[str, int]:
    """How many territories each player gets when they go round one by one.

    Args:
        receiving: Players in the order in which they get them.
        territories: How many there are.

    Source:
        nl1996 4.7; risiko 10B.
    """
    whole, over = divmod(territories, len(receiving))
    return {player: whole + (at < over) for at, player in enumerate(receiving)}


def pick_order(order: Sequence[str]) -> tuple[str, ...]:
    """Who picks and places first when play starts from the last but one.

    Args:
        order: The order of play.

    Source:
        risiko 10B and 12 ("penultimo di mano").
    """
    start = max(0, len(order) - 2)
    return (*order[start:], *order[:start])
