"""From a die as the reader saw it to a die as a fact: whose it is by its colour, and what is vouched for."""

from __future__ import annotations

from dataclasses import dataclass

from companion.session.events import DieFact, Side
from companion.vision.types import DieReading


@dataclass(frozen=True, slots=True, kw_only=True)
class SideColours:
    """Which colours throw for which side; empty sets where the dice have no colours of their own."""

    attack: frozenset[str]
    defence: frozenset[str]

    def side(self, die: DieReading) -> Side | None:
        """The side of a die by its colour, or None if colours don't tell at this table."""
        if die.colour in self.attack:
            return "attack"
        return "defence" if die.colour in self.defence else None

    @property
    def tell(self) -> bool:
        """Whether the table's dice have colours at all."""
        return bool(self.attack or self.defence)


def die_fact(die: DieReading, colours: SideColours) -> DieFact:
    """A die as a fact.

    A die whose colour should tell its side and does not is nobody's: it becomes unreadable, and people look at it.
    """
    is_nobodys = colours.tell and colours.side(die) is None and die.verdict == "valid"
    return DieFact(
        value=None if is_nobodys else die.value,
        verdict="unreadable" if is_nobodys else die.verdict,
        colour=die.colour,
        lean_deg=_short(die.lean_deg, 1),
        height_mm=_short(die.height_mm, 1),
        confidence=round(die.confidence, 3),
        why="colour-unknown" if is_nobodys else die.why,
        rolled=die.rolled,
        center_px=(round(die.center_px[0], 1), round(die.center_px[1], 1)),
        box_px=(
            round(die.box_px[0], 1),
            round(die.box_px[1], 1),
            round(die.box_px[2], 1),
            round(die.box_px[3], 1),
        ),
    )


def _short(value: float | None, digits: int) -> float | None:
    return None if value is None else round(float(value), digits)
