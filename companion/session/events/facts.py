"""The parts of which events are made: a die, a seat, a player's holdings, a place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.rules.reason import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class DieFact:
    """One die as it was seen or said.

    Attributes:
        value: Pips on top, or None where nobody vouches for them.
        verdict: How it lies: valid, cocked, stacked, off_box, moving, unreadable, or fallen where people said so.
        colour: Colour of its body, or None.
        lean_deg: Lean of the top face against the box floor.
        height_mm: Highest point above the floor.
        confidence: 0 to 1.
        why: Code of what stood in the way, or None.
        rolled: Whether it turned over a face; None when nobody saw it come.
        center_px: Middle of the die in the evidence picture, or None for dice entered by hand.
        box_px: x, y, width and height in the same picture, or None.
    """

    value: int | None
    verdict: str
    colour: str | None = None
    lean_deg: float | None = None
    height_mm: float | None = None
    confidence: float = 1.0
    why: str | None = None
    rolled: bool | None = None
    center_px: tuple[float, float] | None = None
    box_px: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFact:
    """Where a player sits and when they play."""

    player: str
    seat: int
    order: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldingsFact:
    """What one player owns on the frozen board.

    Attributes:
        id: The player's id.
        territories: Ids of the owned territories.
        armies: Armies on the board, or None where nobody needed them.
        hand: Cards by symbol (infantry, artillery, cavalry, joker), or None where nobody needed them.
        armies_on: Armies by territory, where a mission asks for them one by one.
        unplaced_armies: Armies received and not placed, where an option counts them.
        owned_cards: Those of the cards whose land the player owns, where an option counts them.
        objective: Id of the objective, in a system that has them.
    """

    id: str
    territories: tuple[str, ...]
    armies: int | None
    hand: Mapping[str, int] | None
    armies_on: Mapping[str, int] | None = None
    unplaced_armies: int = 0
    owned_cards: Mapping[str, int] | None = None
    objective: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceFact:
    """One player's result with the step that decided it; `score` in points where a system has one."""

    player: str
    place: int
    result: str
    reason: Reason
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutFact:
    """Who left the game, and who knocked them out; None for who left by themselves."""

    player: str
    by: str | None = None
