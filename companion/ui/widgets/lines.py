"""The line at the top of the window, and the warnings below it."""

from __future__ import annotations

from typing import Any

from kivy.graphics import Color, Rectangle, RoundedRectangle
from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import Bar, Button, Head
from companion.ui.theme import Theme
from companion.ui.widgets.press import Pressed, TouchButton
from companion.ui.widgets.text import FitLabel

HEAD_UNITS = 50.0
BAR_UNITS = 50.0


class HeadLine(Widget):
    """Table, phase, clock, link and menu."""

    def __init__(self, theme: Theme, pressed: Pressed) -> None:
        super().__init__()
        self._theme = theme
        self._head: Head | None = None
        self._place_label = FitLabel(font_px=theme.px(19), bold=True)
        self._phase = FitLabel(font_px=theme.px(19), halign="center")
        self._clock = FitLabel(font_px=theme.px(24), bold=True, halign="center")
        self._link = FitLabel(font_px=theme.px(16), bold=True, halign="right")
        self._menu = TouchButton(theme, pressed)
        for part in (self._place_label, self._phase, self._clock, self._link, self._menu):
            self.add_widget(part)
        self.bind(pos=self._draw, size=self._draw)

    def show(self, head: Head) -> None:
        """Show another line."""
        if head != self._head:
            self._head = head
            self._draw()

    def _draw(self, *_: Any) -> None:
        self.canvas.before.clear()
        head, theme = self._head, self._theme
        if head is None or self.width <= 1:
            return
        alert = head.alert
        with self.canvas.before:
            Color(*(t.PANEL if alert is None else t.BAR[alert.tone]))
            Rectangle(pos=self.pos, size=self.size)
        margin = theme.px(8)
        menu_px = theme.px(92) if head.menu is not None else 0.0
        width = self.width - menu_px - 2 * margin
        shares = (0.34, 0.2, 0.2, 0.26) if head.clock else (0.4, 0.26, 0.0, 0.34)
        left = self.x + margin
        labels = (self._place_label, self._phase, self._clock, self._link)
        texts = (head.place, head.phase, head.clock, f"{'●' if head.link_tone == 'good' else '✗'} {head.link}")
        for label, share, text in zip(labels, shares, texts, strict=True):
            label.pos, label.size = (left, self.y), (max(1.0, width * share - margin), self.height)
            label.say(text)
            left += width * share
        if alert is not None:
            # The warning takes the room of place, phase and clock; whether the table answers stays beside it.
            self._place_label.size = (width * sum(shares[:3]) - margin, self.height)
            self._place_label.say(f"⚠ {alert.text}")
            self._phase.say("")
            self._clock.say("")
        self._link.color = t.INK[head.link_tone]
        self._phase.color = t.INK["dim"]
        self._menu.opacity = 1.0 if head.menu is not None else 0.0
        self._menu.pos, self._menu.size = (self.right - menu_px, self.y), (max(1.0, menu_px), self.height)
        self._menu.show(Button(text=head.menu_text, symbol="☰", does=head.menu))


class BarLine(Widget):
    """One warning across the window, with the press that answers it."""

    def __init__(self, theme: Theme, pressed: Pressed) -> None:
        super().__init__()
        self._theme = theme
        self._bar: Bar | None = None
        self._label = FitLabel(font_px=theme.px(17), bold=True)
        self._button = TouchButton(theme, pressed)
        self.add_widget(self._label)
        self.bind(pos=self._draw, size=self._draw)

    def show(self, bar: Bar) -> None:
        """Show another warning."""
        if bar != self._bar:
            self._bar = bar
            self._draw()

    def _draw(self, *_: Any) -> None:
        self.canvas.before.clear()
        bar, theme = self._bar, self._theme
        if bar is None or self.width <= 1:
            return
        with self.canvas.before:
            Color(*t.BAR[bar.tone])
            RoundedRectangle(pos=self.pos, size=self.size, radius=[theme.px(4)])
        button_px = theme.px(128) if bar.does is not None else 0.0
        self.remove_widget(self._button)
        if bar.does is not None:
            self.add_widget(self._button)
            self._button.pos, self._button.size = (self.right - button_px, self.y), (button_px, self.height)
            self._button.show(Button(text=bar.label, does=bar.does))
        margin = theme.px(8)
        self._label.pos, self._label.size = (
            (self.x + margin, self.y),
            (self.width - button_px - 2 * margin, self.height),
        )
        self._label.say(("⚠ " if bar.tone in {"bad", "warn"} else "") + bar.text)
