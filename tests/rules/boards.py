"""Recorded boards for the tests: whole continents and the rest dealt out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.rules.board import load_board
from companion.rules.cards import Hand
from companion.rules.position import PlayerPosition, Position

BOARD = load_board("classic")


def position(
    owned: Mapping[str, Sequence[str]],
    armies: Mapping[str, int] | None = None,
    hands: Mapping[str, Hand] | None = None,
    board: str = "classic",
) -> Position:
    """A whole board: each player's continents, every other territory to the last player.

    Args:
        owned: Player to continents or territories.
        armies: Player to armies; 40 where none are given.
        hands: Player to hand; empty where none is given.
        board: Which board.
    """
    chosen = load_board(board)
    lands: dict[str, list[str]] = {}
    taken: set[str] = set()
    for player, names in owned.items():
        lands[player] = []
        for name in names:
            inside = chosen.continents[name].territories if name in chosen.continents else {name}
            lands[player] += sorted(inside)
            taken |= set(inside)
    last = list(owned)[-1]
    lands[last] += [territory for territory in chosen.territories if territory not in taken]
    return Position(
        players=tuple(
            PlayerPosition(
                player=player,
                territories=tuple(territories),
                armies=(armies or {}).get(player, 42),
                hand=(hands or {}).get(player, Hand()),
            )
            for player, territories in lands.items()
        )
    )
