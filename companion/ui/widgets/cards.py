"""Players as cards, one below the other."""

from __future__ import annotations

from typing import Any

from kivy.graphics import Color, Line, RoundedRectangle
from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import PlayerCard, Players
from companion.ui.theme import Theme
from companion.ui.widgets.press import Badge
from companion.ui.widgets.text import FitLabel


class Card(Widget):
    """One player: badge, name, and a line for each thing that matters now."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._card: PlayerCard | None = None
        self._badge = Badge(theme)
        self._name = FitLabel(font_px=theme.px(t.TEXT["large"]), bold=True)
        self._lines = FitLabel(font_px=theme.px(t.TEXT["body"]))
        for part in (self._badge, self._name, self._lines):
            self.add_widget(part)
        self.bind(pos=self._draw, size=self._draw)

    def show(self, card: PlayerCard) -> None:
        """Show another player."""
        if card != self._card:
            self._card = card
            self._draw()

    def _draw(self, *_: Any) -> None:
        self.canvas.before.clear()
        card, theme = self._card, self._theme
        if card is None:
            return
        with self.canvas.before:
            Color(*t.PANEL)
            RoundedRectangle(pos=self.pos, size=self.size, radius=[theme.px(8)])
            if card.active:
                Color(*t.CHOSEN)
                Line(rounded_rectangle=(*self.pos, *self.size, theme.px(8)), width=theme.px(2.2))
        margin = theme.px(8)
        side = min(theme.px(40), self.height - 2 * margin)
        self._badge.pos, self._badge.size = (self.x + margin, self.center_y - side / 2), (side, side)
        self._badge.show(card.mark)
        left = self.x + side + 2 * margin
        width = (self.width - side - 3 * margin) / 2
        self._name.pos, self._name.size = (left, self.y), (width, self.height)
        self._name.say(card.name)
        self._lines.pos, self._lines.size = (left + width, self.y + margin / 2), (width, self.height - margin)
        self._lines.say("\n".join(card.lines), theme.px(t.TEXT["large" if len(card.lines) == 1 else "body"]))
        self._name.color = self._lines.color = t.INK["dim" if card.out else "plain"]


class Cards(Widget):
    """Players one below the other."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._cards: list[Card] = []
        self.bind(pos=self._place, size=self._place)

    def show(self, players: Players) -> None:
        """Show other players."""
        while len(self._cards) > len(players.cards):
            self.remove_widget(self._cards.pop())
        while len(self._cards) < len(players.cards):
            made = Card(self._theme)
            self._cards.append(made)
            self.add_widget(made)
        for widget, card in zip(self._cards, players.cards, strict=True):
            widget.show(card)
        self._place()

    def wanted_px(self, width_px: float) -> float:
        """Height of all cards where there is room."""
        del width_px
        return self._theme.px(72 * len(self._cards))

    def _place(self, *_: Any) -> None:
        if not self._cards:
            return
        gap = self._theme.px(t.GAP)
        height = min((self.height - gap * (len(self._cards) - 1)) / len(self._cards), self._theme.px(130))
        for at, card in enumerate(self._cards):
            card.size = (self.width, height)
            card.pos = (self.x, self.top - (at + 1) * height - at * gap)
