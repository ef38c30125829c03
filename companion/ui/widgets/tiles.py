"""A board of small tiles: a territory in its owner's colour, with the colour's own shape beside the owner's name.

Forty-two tiles must be on the display at once and none smaller than a finger, so the gaps between them are narrow, and
a hyphenated name may break at its hyphen.
"""

from __future__ import annotations

import math
from typing import Any

from kivy.graphics import Color, Line, RoundedRectangle
from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import Do, Tile, TileMap
from companion.ui.theme import Theme
from companion.ui.widgets.press import Held, Pressed
from companion.ui.widgets.text import FitLabel

GAP = 3.0
ROW_UNITS = 47.0
"""Least height of a tile, units: 9.1 mm on the smaller display."""

NAME_UNITS = 15.0
TALL_UNITS = 60.0
"""Height from which a tile's letters are those of a button."""

SHADES = (t.PANEL, t.rgb("2a3540"))
"""Grounds of tiles without an owner, continent by continent in turn."""

UNTOUCHED = (t.rgb("4d3d14"), t.rgb("614e1c"))
"""The same where somebody still has to be named: no player's colour, and far from the black of one."""


class TileButton(Held):
    """One tile."""

    def __init__(self, theme: Theme, pressed: Pressed) -> None:
        super().__init__(pressed)
        self._theme = theme
        self._tile: Tile | None = None
        self._name = FitLabel(font_px=theme.px(NAME_UNITS), bold=True, halign="center")
        self._note = FitLabel(font_px=theme.px(13), halign="center")
        for part in (self._name, self._note):
            self.add_widget(part)
        self.bind(pos=self._draw, size=self._draw, state=self._draw)

    @property
    def tile(self) -> Tile | None:
        """What it shows."""
        return self._tile

    def show(self, tile: Tile) -> None:
        """Show another tile in the same place."""
        if tile != self._tile:
            self._tile = tile
            self._draw()

    def does(self) -> Do | None:
        """What the tile stands for."""
        return self._tile.does if self._tile is not None else None

    def _draw(self, *_: Any) -> None:
        self.canvas.before.clear()
        tile, theme = self._tile, self._theme
        if tile is None or self.width <= 1:
            return
        ground, ink = self._colours(tile)
        with self.canvas.before:
            Color(*ground)
            RoundedRectangle(pos=self.pos, size=self.size, radius=[theme.px(5)])
            # An outline parts a black tile from the dark ground, and says where nobody has spoken yet.
            if tile.chosen or tile.mark is not None or tile.tone == "warn":
                Color(*(t.CHOSEN if tile.chosen else t.INK["dim" if tile.mark is not None else "warn"]))
                width = theme.px(2.6 if tile.chosen else 1.0)
                inset = theme.px(2 if tile.chosen else 1)
                box = (self.x + inset, self.y + inset, self.width - 2 * inset, self.height - 2 * inset, theme.px(4))
                Line(rounded_rectangle=box, width=width)
        self._name.color = self._note.color = ink
        margin = theme.px(3)
        # The owner is told by colour and shape; the words of a note want a line of their own.
        note_height = theme.px(17 if tile.note else 13 if tile.mark else 0)
        self._note.pos, self._note.size = (
            (self.x + margin, self.y + theme.px(2)),
            (self.width - 2 * margin, note_height),
        )
        shape = tile.mark.shape if tile.mark is not None else ""
        self._note.say(f"{shape} {tile.note}".strip() if note_height else "")
        low = self.y + note_height + theme.px(2)
        self._name.pos, self._name.size = (
            (self.x + margin, low),
            (self.width - 2 * margin, self.top - low - theme.px(2)),
        )
        units = NAME_UNITS if self.height < theme.px(TALL_UNITS) else t.TEXT["body"]
        self._name.say(tile.text.replace("-", "- "), theme.px(units))

    def _colours(self, tile: Tile) -> tuple[t.Colour, t.Colour]:
        if self.state == "down" and tile.does is not None:
            return t.PRESSED, t.INK["strong"]
        if tile.mark is not None:
            return t.PLAYER.get(tile.mark.colour, t.PLAYER[None])
        if tile.tone in {"strong", "good", "dim"}:
            return t.BUTTON[tile.tone], t.INK["strong"] if tile.does is not None else t.OFF_INK
        shades = UNTOUCHED if tile.tone == "warn" else SHADES
        return shades[tile.group % len(shades)], t.INK["strong"]


class Tiles(Widget):
    """All tiles of a board."""

    def __init__(self, theme: Theme, pressed: Pressed) -> None:
        super().__init__()
        self._theme = theme
        self._pressed = pressed
        self._map: TileMap | None = None
        self._tiles: list[TileButton] = []
        self.bind(pos=self._place, size=self._place)

    def show(self, shown: TileMap) -> None:
        """Show other tiles; those that stay in place keep a finger that is on them."""
        self._map = shown
        while len(self._tiles) > len(shown.tiles):
            self.remove_widget(self._tiles.pop())
        while len(self._tiles) < len(shown.tiles):
            made = TileButton(self._theme, self._pressed)
            self._tiles.append(made)
            self.add_widget(made)
        for widget, tile in zip(self._tiles, shown.tiles, strict=True):
            widget.show(tile)
        self._place()

    def wanted_px(self, width_px: float) -> float:
        """Height of all rows at the least height that a finger needs."""
        del width_px
        if self._map is None or not self._map.tiles:
            return 0.0
        _, rows = self._shape(self._map)
        row = t.TOUCH if self._theme.is_portrait else (ROW_UNITS if rows > 1 else 60.0)
        return self._theme.px(rows * row + (rows - 1) * GAP)

    def _shape(self, shown: TileMap) -> tuple[int, int]:
        if self._theme.is_portrait:
            across = max(1, min(shown.down_across, len(shown.tiles)))
            return across, math.ceil(len(shown.tiles) / across)
        return 1 + max(tile.column for tile in shown.tiles), 1 + max(tile.row for tile in shown.tiles)

    def _place(self, *_: Any) -> None:
        if self._map is None or not self._map.tiles or self.width <= 1:
            return
        across, rows = self._shape(self._map)
        gap = self._theme.px(GAP)
        width = (self.width - gap * (across - 1)) / across
        height = (self.height - gap * (rows - 1)) / rows
        for at, (button, tile) in enumerate(zip(self._tiles, self._map.tiles, strict=True)):
            row, column = divmod(at, across) if self._theme.is_portrait else (tile.row, tile.column)
            button.size = (width, height)
            button.pos = (self.x + column * (width + gap), self.top - (row + 1) * height - row * gap)
