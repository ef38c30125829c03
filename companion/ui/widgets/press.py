"""Things to press.

What a press does is what the button said when the finger came down, not what it says when the finger lifts: the state
may move on in between, and nobody means a text that they have not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.graphics import Color, Line, RoundedRectangle
from kivy.uix.behaviors import ButtonBehavior
from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import Button, Do, Mark, Send
from companion.ui.theme import Theme
from companion.ui.widgets.text import FitLabel

TALL_UNITS = 84.0
"""Height from which a button's letters are large."""

Pressed = Callable[[Do | Send], None]


class Badge(Widget):
    """A player's mark: the colour they play, with the colour's own shape in it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._mark: Mark | None = None
        self._shape = FitLabel(font_px=theme.px(24), halign="center")
        self.add_widget(self._shape)
        self.bind(pos=self._draw, size=self._draw)

    def show(self, mark: Mark | None) -> None:
        """Show another mark, or none."""
        if mark != self._mark:
            self._mark = mark
            self._draw()

    def _draw(self, *_: Any) -> None:
        self.canvas.before.clear()
        side = min(self.size)
        if self._mark is None or side <= 1:
            self._shape.say("")
            return
        ground, ink = t.PLAYER.get(self._mark.colour, t.PLAYER[None])
        left, low = self.center_x - side / 2, self.center_y - side / 2
        with self.canvas.before:
            Color(*ground)
            RoundedRectangle(pos=(left, low), size=(side, side), radius=[self._theme.px(5)])
            Color(*t.INK["strong"])
            Line(rounded_rectangle=(left, low, side, side, self._theme.px(5)), width=self._theme.px(1.2))
        self._shape.color = ink
        self._shape.pos, self._shape.size = (left, low), (side, side)
        self._shape.say(self._mark.shape, side * 0.66)


class Held(ButtonBehavior, Widget):
    """Something that a finger can press; what it does is kept while the finger is down."""

    def __init__(self, pressed: Pressed) -> None:
        super().__init__()
        self._pressed = pressed
        self._held: Do | Send | None = None

    def does(self) -> Do | Send | None:
        """What a press does now, or None."""
        raise NotImplementedError

    def on_press(self) -> None:
        """Keep what it says now, for when the finger lifts."""
        self._held = self.does()

    def on_release(self) -> None:
        """Do what it said when the finger came down."""
        held, self._held = self._held, None
        if held is not None:
            self._pressed(held)


class TouchButton(Held):
    """One button: badge, sign, words and a smaller note; greyed where a press would do nothing."""

    def __init__(self, theme: Theme, pressed: Pressed, *, font_units: float = t.TEXT["body"]) -> None:
        super().__init__(pressed)
        self._theme = theme
        self._font_units = font_units
        self._button: Button | None = None
        self._badge = Badge(theme)
        self._words = FitLabel(font_px=theme.px(font_units), bold=True, halign="center")
        self._note = FitLabel(font_px=theme.px(t.TEXT["small"]), halign="center")
        for part in (self._badge, self._words, self._note):
            self.add_widget(part)
        self.bind(pos=self._draw, size=self._draw, state=self._draw)

    def show(self, button: Button) -> None:
        """Show another button in the same place."""
        if button != self._button:
            self._button = button
            self._draw()

    def does(self) -> Do | Send | None:
        """What the button says."""
        return self._button.does if self._button is not None else None

    def _draw(self, *_: Any) -> None:
        self.canvas.before.clear()
        button, theme = self._button, self._theme
        if button is None or self.width <= 1:
            return
        is_dead = button.does is None
        ground = t.BUTTON[button.tone]
        if is_dead and button.tone not in {"good", "dim"}:
            ground = t.PANEL
        if self.state == "down" and not is_dead:
            ground = t.PRESSED
        with self.canvas.before:
            Color(*ground)
            RoundedRectangle(pos=self.pos, size=self.size, radius=[theme.px(8)])
            if button.chosen:
                Color(*t.CHOSEN)
                inset = theme.px(2)
                Line(
                    rounded_rectangle=(
                        self.x + inset, self.y + inset, self.width - 2 * inset, self.height - 2 * inset, theme.px(7)
                    ),
                    width=theme.px(2.2),
                )  # fmt: skip
        ink = t.OFF_INK if is_dead and button.tone != "good" else t.INK["strong"]
        self._words.color = self._note.color = ink
        self._place(button)

    def _place(self, button: Button) -> None:
        theme = self._theme
        margin = theme.px(5)
        left, width = self.x + margin, self.width - 2 * margin
        self._badge.show(button.mark)
        if button.mark is not None:
            side = min(theme.px(34), self.height - 2 * margin)
            self._badge.pos, self._badge.size = (left, self.center_y - side / 2), (side, side)
            left, width = left + side + margin, width - side - margin
        note_height = min(theme.px(18), self.height * 0.36) if button.note.strip() else 0.0
        self._note.pos, self._note.size = (left, self.y + margin * 0.6), (width, note_height)
        self._note.say(button.note if note_height else "")
        low = self.y + note_height + margin * 0.4
        self._words.pos, self._words.size = (left, low), (width, self.top - low - margin * 0.4)
        units = self._font_units if self.height < theme.px(TALL_UNITS) else max(self._font_units, t.TEXT["large"])
        self._words.say(f"{button.symbol} {button.text}".strip(), theme.px(units))
