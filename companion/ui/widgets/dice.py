"""Dice as they lie: pips on a body, the verdict as a sign in the corner, a frame and a word."""

from __future__ import annotations

from typing import Any

from kivy.graphics import Color, Ellipse, Line, RoundedRectangle
from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import DiceRow, DieFace, Do, Send
from companion.ui.theme import Theme
from companion.ui.widgets.press import Held, Pressed
from companion.ui.widgets.text import FitLabel

_L, _M, _H = 0.25, 0.5, 0.75
PIPS = {
    1: ((_M, _M),),
    2: ((_L, _H), (_H, _L)),
    3: ((_L, _H), (_M, _M), (_H, _L)),
    4: ((_L, _L), (_L, _H), (_H, _L), (_H, _H)),
    5: ((_L, _L), (_L, _H), (_H, _L), (_H, _H), (_M, _M)),
    6: ((_L, _L), (_L, _M), (_L, _H), (_H, _L), (_H, _M), (_H, _H)),
}
"""Where the pips of each face lie, in shares of the side."""

LABEL_UNITS = 24.0
WORD_UNITS = 22.0
MOST_SIDE_UNITS = 110.0


class Die(Held):
    """One die; what does not count is drawn pale and struck through, so that it is never read as counting."""

    def __init__(self, theme: Theme, pressed: Pressed) -> None:
        super().__init__(pressed)
        self._theme = theme
        self._face: DieFace | None = None
        self._unknown = FitLabel(font_px=theme.px(50), bold=True, halign="center")
        self._sign = FitLabel(font_px=theme.px(24), bold=True, halign="center")
        self._word = FitLabel(font_px=theme.px(t.TEXT["body"]), bold=True, halign="center")
        for part in (self._unknown, self._sign, self._word):
            self.add_widget(part)
        self.bind(pos=self._draw, size=self._draw)

    def show(self, face: DieFace) -> None:
        """Show another die in the same place."""
        if face != self._face:
            self._face = face
            self._draw()

    def does(self) -> Do | Send | None:
        """What the die stands for."""
        return self._face.does if self._face is not None else None

    def _draw(self, *_: Any) -> None:
        self.canvas.before.clear()
        self.canvas.after.clear()
        face, theme = self._face, self._theme
        if face is None or self.width <= 1:
            return
        word_px = theme.px(WORD_UNITS)
        side = max(1.0, min(self.width - theme.px(18), self.height - word_px - theme.px(8), theme.px(MOST_SIDE_UNITS)))
        left = self.center_x - side / 2
        low = self.y + word_px + (self.height - word_px - side) / 2
        pale = 0.45 if face.tone == "dim" else 1.0
        body, ink = t.DIE.get(face.colour, t.DIE[None])
        if face.ghost:
            body, ink = t.PANEL, t.INK["dim"]
        with self.canvas.before:
            Color(*body[:3], pale)
            RoundedRectangle(pos=(left, low), size=(side, side), radius=[side * 0.18])
            self._frame(face, left, low, side)
            if face.value is not None:
                Color(*ink[:3], pale)
                pip = side * 0.19
                for x, y in PIPS[face.value]:
                    Ellipse(pos=(left + x * side - pip / 2, low + y * side - pip / 2), size=(pip, pip))
        self._unknown.color = ink
        self._unknown.pos, self._unknown.size = (left, low), (side, side)
        self._unknown.say(face.ghost or ("?" if face.value is None else ""), side * 0.6)
        self._draw_verdict(face, left, low, side, word_px)

    def _frame(self, face: DieFace, left: float, low: float, side: float) -> None:
        theme = self._theme
        Color(*(t.CHOSEN if face.chosen else t.INK[face.tone]))
        width = theme.px(3.5 if face.chosen or face.tone in {"warn", "bad"} else 1.6)
        Line(rounded_rectangle=(left, low, side, side, side * 0.18), width=width)

    def _draw_verdict(self, face: DieFace, left: float, low: float, side: float, word_px: float) -> None:
        theme = self._theme
        if face.sign:
            radius = side * 0.2
            x, y = left + side - radius * 0.3, low + side - radius * 0.3
            with self.canvas.after:
                if face.sign == "✗":
                    Color(*t.INK["bad"])
                    Line(points=(left, low, left + side, low + side), width=theme.px(2.5))
            with self.canvas.before:
                Color(*t.BACKGROUND)
                Ellipse(pos=(x - radius, y - radius), size=(radius * 2, radius * 2))
                Color(*t.INK[face.tone])
                Line(circle=(x, y, radius), width=theme.px(1.4))
            self._sign.pos, self._sign.size = (x - radius, y - radius), (radius * 2, radius * 2)
        self._sign.color = t.INK[face.tone]
        self._sign.say(face.sign, side * 0.26)
        self._word.color = t.INK[face.tone]
        self._word.pos, self._word.size = (self.x, low - word_px - theme.px(2)), (self.width, word_px)
        self._word.say(face.word)


class Dice(Widget):
    """A row of dice with its label at the left."""

    def __init__(self, theme: Theme, pressed: Pressed) -> None:
        super().__init__()
        self._theme = theme
        self._pressed = pressed
        self._row: DiceRow | None = None
        self._dice: list[Die] = []
        self._label = FitLabel(font_px=theme.px(t.TEXT["body"]), bold=True)
        self.add_widget(self._label)
        self.bind(pos=self._place, size=self._place)

    def show(self, row: DiceRow) -> None:
        """Show other dice."""
        self._row = row
        self._label.say(row.label)
        while len(self._dice) > len(row.dice):
            self.remove_widget(self._dice.pop())
        while len(self._dice) < len(row.dice):
            die = Die(self._theme, self._pressed)
            self._dice.append(die)
            self.add_widget(die)
        for die, face in zip(self._dice, row.dice, strict=True):
            die.show(face)
        self._place()

    def wanted_px(self, width_px: float) -> float:
        """Height that the row takes where there is room."""
        del width_px
        return self._theme.px(96)

    def _place(self, *_: Any) -> None:
        label = self._theme.px(96)
        self._label.pos, self._label.size = (self.x, self.y), (label, self.height)
        room = self.width - label
        each = min(room / max(1, len(self._dice)), self._theme.px(MOST_SIDE_UNITS + 24))
        for at, die in enumerate(self._dice):
            die.pos, die.size = (self.x + label + at * each, self.y), (each, self.height)
