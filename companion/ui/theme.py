"""Colours and sizes: one unit for all of them, so that both touch displays get the same layout at their own scale.

A unit is 1/480 of the shorter side: 1 px on the 800x480 display, 1.5 px on the 720x1280 one. A touch target of 64 units
is then 12.4 mm on the one (0.194 mm a pixel) and 11.7 mm on the other (0.122 mm a pixel), above the 9 mm that a
hurried finger needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.ui.blocks import Size, Tone

Colour = tuple[float, float, float, float]

TOUCH = 64.0
"""Least side of a touch target, units."""

GAP = 6.0
TEXT: Mapping[Size, float] = {"small": 15.0, "body": 19.0, "large": 25.0, "huge": 56.0, "clock": 88.0, "signal": 190.0}
"""Height of a letter's box, units."""


def rgb(hexadecimal: str, alpha: float = 1.0) -> Colour:
    """A colour from six hexadecimal digits."""
    red, green, blue = (int(hexadecimal[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return (red, green, blue, alpha)


BACKGROUND = rgb("12171c")
PANEL = rgb("1e262e")
FLASH = rgb("b3261e")
ALARM = rgb("4a0f0b")
"""Ground while only the combat in progress may be finished: dark, so that the inks keep their contrast."""

INK: Mapping[Tone, Colour] = {
    "plain": rgb("f2f4f5"),
    "strong": rgb("ffffff"),
    "good": rgb("7fe0a0"),
    "warn": rgb("ffd166"),
    "bad": rgb("ff8a80"),
    "dim": rgb("aeb8c0"),
}
"""Text on the background; each is 7:1 or more against it."""

BUTTON: Mapping[Tone, Colour] = {
    "plain": rgb("34414d"),
    "strong": rgb("1565c0"),
    "good": rgb("1d5a37"),
    "warn": rgb("6d4c00"),
    "bad": rgb("7a1f1a"),
    "dim": rgb("1e262e"),
}
PRESSED = rgb("8fa3b3")
CHOSEN = rgb("ffd166")
OFF_INK = rgb("8a959e")
BAR: Mapping[Tone, Colour] = {**BUTTON, "bad": rgb("8e1f18"), "warn": rgb("6d4c00")}

DIE: Mapping[str | None, tuple[Colour, Colour]] = {
    "red": (rgb("c62828"), rgb("ffffff")),
    "blue": (rgb("1f4fbf"), rgb("ffffff")),
    "green": (rgb("2e7d32"), rgb("ffffff")),
    "black": (rgb("2b2b2b"), rgb("ffffff")),
    "white": (rgb("f5f2e8"), rgb("1a1a1a")),
    "yellow": (rgb("f0c419"), rgb("1a1a1a")),
    None: (rgb("e7e1d3"), rgb("1a1a1a")),
}
"""Body and pips of a die by the colour of its body."""

PLAYER: Mapping[str | None, tuple[Colour, Colour]] = {
    "black": (rgb("0a0a0a"), rgb("ffffff")),
    "blue": (rgb("2f6fe4"), rgb("ffffff")),
    "green": (rgb("2e8b3d"), rgb("ffffff")),
    "red": (rgb("d32f2f"), rgb("ffffff")),
    "white": (rgb("fafafa"), rgb("1a1a1a")),
    "yellow": (rgb("f4c20d"), rgb("1a1a1a")),
    None: (rgb("55626d"), rgb("ffffff")),
}
"""Ground and shape of a player's badge by the colour played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Sizes for one window.

    Attributes:
        width: Of the window, px.
        height: Of the window, px.
    """

    width: float
    height: float

    @property
    def unit(self) -> float:
        """Pixels per unit."""
        return min(self.width, self.height) / 480

    @property
    def is_portrait(self) -> bool:
        """Whether the window stands."""
        return self.height > self.width

    def px(self, units: float) -> float:
        """Units as pixels."""
        return units * self.unit
