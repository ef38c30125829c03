"""Objectives of RisiKo!: lists of territories, shipped or an organiser's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from companion.rules.board import Board
from companion.rules.errors import BoardError


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """One objective card.

    Attributes:
        id: Stable id, such as 'guerra_fredda'.
        name: Name on the card.
        territories: Ids of the territories to hold.
    """

    id: str
    name: str
    territories: frozenset[str]


@cache
def load_objectives() -> Mapping[str, Objective]:
    """The shipped objectives by id; public sources give them, so the organiser confirms them against the cards.

    Source:
        risiko 11.
    """
    text = (files("companion.rules") / "data" / "objectives-risiko.toml").read_text(encoding="utf-8")
    return _built(tomllib.loads(text))


def read_objectives(text: str, *, board: Board) -> Mapping[str, Objective]:
    """An organiser's own objectives from the text of their TOML file.

    Args:
        text: `[[objective]]` tables with id, name and territories; with `expected_points` every objective must have
            that sum of coefficients.
        board: The board that they are for.

    Raises:
        BoardError: The text is no TOML, lacks a field, or names what the board has not.
    """
    try:
        data = tomllib.loads(text)
        objectives = _built(data)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise BoardError(
            "board-unreadable",
            f"this is not a file of objectives: {error}; see docs/rules.md#objectives",
            why=str(error),
        ) from error
    for objective in objectives.values():
        for territory in sorted(objective.territories):
            if territory not in board.territories:
                raise BoardError(
                    "board-stranger",
                    f"objective {objective.id!r} names {territory!r}, which is no territory of this board",
                    territory=objective.id,
                    neighbour=territory,
                )
        points = sum(board.territories[territory].coefficient for territory in objective.territories)
        wanted = data.get("expected_points", points)
        if points != wanted:
            raise BoardError(
                "board-count",
                f"objective {objective.id!r} is worth {points}, but the file promises {wanted}; check its territories",
                what=f"points of {objective.id}",
                count=points,
                wanted=wanted,
            )
    return objectives


def _built(data: Mapping[str, Any]) -> Mapping[str, Objective]:
    rows = data["objective"]
    for row in rows:
        if not (isinstance(row["id"], str) and isinstance(row["name"], str) and row["territories"]):
            raise TypeError(f"objective {row['id']!r} needs an id and a name in words, and territories")
    by_id = {
        row["id"]: Objective(id=row["id"], name=row["name"], territories=frozenset(row["territories"])) for row in rows
    }
    if len(by_id) != len(rows):
        raise BoardError(
            "board-count",
            f"two objectives have the same id; {len(rows)} objectives need as many ids",
            what="ids of objectives",
            count=len(by_id),
            wanted=len(rows),
        )
    return MappingProxyType(by_id)
