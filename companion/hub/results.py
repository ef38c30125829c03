"""One player's result of one closed game."""

from __future__ import annotations

from dataclasses import dataclass

from companion.hub.people import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One player's result of one closed game.

    Attributes:
        person: Who.
        round: Which round.
        table: The table as it was called in that round.
        game: The game's id.
        result: Such as `1+`.
        ruled: Whether the referee set it.
        changed: Why it was changed after the table was closed, or None.
        score: Points at that table, in a system that has a Score.
        counts: False while something contradicts it.
        scale: How much faster than life the clock ran.
        closed_wall: When, wall time of the table.
        phase: Phase of the tournament, where the rules know phases; else empty.
    """

    person: Person
    round: int
    table: str
    game: str
    result: str
    ruled: bool
    counts: bool
    changed: str | None
    score: float | None
    phase: str
    scale: float
    closed_wall: str
