"""The boards as the screen shows them: territories by continent, and where each lies on a grid of tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from companion.rules.board import load_board
from companion.rules.errors import RulesError
from companion.rules.ruleset import load_ruleset
from companion.ui.draft import Atlas


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a territory lies on the grid.

    Attributes:
        territory: Its id.
        group: Number of its continent, so that neighbours on the grid can be told apart.
        column: From the left, 0 first.
        row: From above, 0 first.
    """

    territory: str
    group: int
    column: int
    row: int


@cache
def atlas(name: str = "classic") -> Atlas:
    """Territories by continent of a shipped board, both in the board's own order."""
    found = load_board(name)
    return {
        continent: tuple(t.id for t in found.territories.values() if t.continent == continent)
        for continent in found.continents
    }


@cache
def places(name: str = "classic") -> tuple[Place, ...]:
    """Every territory with its place on the grid, by continent."""
    board = load_board(name)
    groups = list(board.continents)
    return tuple(
        Place(
            territory=t,
            group=groups.index(continent),
            column=board.territories[t].tile[0],
            row=board.territories[t].tile[1],
        )
        for continent, territories in atlas(name).items()
        for t in territories
    )


def board_of(state: Mapping[str, Any]) -> str:
    """Name of the shipped board that a table plays on; the classic one where nobody says."""
    told = (state.get("board") or {}).get("id")
    if not told and state.get("system"):
        try:
            told = load_ruleset(str(state["system"])).board
        except RulesError:
            told = None
    try:
        return load_board(str(told)).id if told else "classic"
    except RulesError:
        return "classic"
