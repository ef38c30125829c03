"""The whole window: the line at the top, the warnings, and the three areas of blocks.

Only what changed is drawn anew: a block that stays the same kind in the same place keeps its widget, and with it the
finger that may be on it. When another screen comes, presses are ignored for a moment, because a finger that is already
on its way was meant for the screen before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from kivy.graphics import Color, Rectangle
from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import Screen
from companion.ui.theme import Theme
from companion.ui.widgets.evidence import Pictures
from companion.ui.widgets.lines import BAR_UNITS, HEAD_UNITS, BarLine, HeadLine
from companion.ui.widgets.press import Pressed
from companion.ui.widgets.stack import Stack, two_heights

GUARD_S = 0.35
"""Seconds after a change of screen in which presses are ignored."""

FLASH_S = 0.5
"""Seconds between two changes of the flashing ground: one full flash a second, well below what may do harm."""


class Frame(Widget):
    """The window's one child.

    Args:
        pressed: Called with what a pressed block does.
        pictures: Gives the texture of a picture by its hash.
        width: Of the window, px.
        height: Of the window, px.
        monotonic: Monotonic seconds; tests give their own.
    """

    def __init__(
        self,
        pressed: Pressed,
        pictures: Pictures,
        *,
        width: float,
        height: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(size=(width, height), size_hint=(None, None))
        self._monotonic = monotonic
        self._theme = Theme(width=width, height=height)
        self._pressed = pressed
        self._screen: Screen | None = None
        self._changed_s = 0.0
        self._lit = False
        self._head = HeadLine(self._theme, pressed)
        self._bars: list[BarLine] = []
        self._areas = {name: Stack(self._theme, pressed, pictures) for name in ("top", "main", "side", "foot")}
        self.add_widget(self._head)
        for area in self._areas.values():
            self.add_widget(area)

    def show(self, screen: Screen, *, again: bool = False) -> None:
        """Show a screen; with `again`, even if it is the same as before."""
        if screen == self._screen and not again:
            return
        is_other = self._screen is None or screen.name != self._screen.name
        self._screen = screen
        self._head.show(screen.head)
        while len(self._bars) > len(screen.bars):
            self.remove_widget(self._bars.pop())
        while len(self._bars) < len(screen.bars):
            bar = BarLine(self._theme, self._pressed)
            self._bars.append(bar)
            self.add_widget(bar)
        for widget, bar_shown in zip(self._bars, screen.bars, strict=True):
            widget.show(bar_shown)
        for name, area in self._areas.items():
            area.show(getattr(screen, name), again=again)
        self._place(screen)
        self._lit = self._lit and screen.flash
        self._draw_ground()
        if is_other:
            # Only now: laying out takes its time, and a finger can't answer what is not there yet.
            self._changed_s = self._monotonic()

    def flash(self) -> None:
        """Change the ground once, where the screen flashes."""
        self._lit = not self._lit and self._screen is not None and self._screen.flash
        self._draw_ground()

    def on_touch_down(self, touch: Any) -> bool:
        """Presses right after a change of screen were meant for the one before."""
        if self._monotonic() - self._changed_s < GUARD_S:
            return True
        return bool(super().on_touch_down(touch))

    def _draw_ground(self) -> None:
        self.canvas.before.clear()
        with self.canvas.before:
            is_alarm = self._screen is not None and self._screen.alarm
            Color(*(t.FLASH if self._lit else t.ALARM if is_alarm else t.BACKGROUND))
            Rectangle(pos=(0, 0), size=self.size)

    def _place(self, screen: Screen) -> None:
        theme = self._theme
        margin, gap = theme.px(8), theme.px(t.GAP)
        top = self.height - theme.px(HEAD_UNITS)
        self._head.pos, self._head.size = (0, top), (self.width, theme.px(HEAD_UNITS))
        for bar in self._bars:
            top -= theme.px(BAR_UNITS) + gap / 2
            bar.pos, bar.size = (margin / 2, top), (self.width - margin, theme.px(BAR_UNITS))
        top -= gap
        left, width = margin, self.width - 2 * margin
        foot = self._areas["foot"]
        foot_px = foot.wanted_px(width) if screen.foot else 0.0
        foot.pos, foot.size = (left, margin), (width, foot_px)
        low = margin + (foot_px + gap if screen.foot else 0.0)
        over = self._areas["top"]
        over_px = over.wanted_px(width) if screen.top else 0.0
        over.pos, over.size = (left, top - over_px), (width, over_px)
        top -= over_px + gap if screen.top else 0.0
        main, side = self._areas["main"], self._areas["side"]
        height = top - low
        if not screen.side:
            main.pos, main.size = (left, low), (width, height)
            side.pos, side.size = (left, low), (0, 0)
        elif theme.is_portrait:
            main_px, side_px = two_heights(main.soft_and_firm_px(width), side.soft_and_firm_px(width), height - gap)
            side_low, main_low = (low + main_px + gap, low) if screen.side_first else (low, low + side_px + gap)
            side.pos, side.size = (left, side_low), (width, side_px)
            main.pos, main.size = (left, main_low), (width, main_px)
        else:
            side_px = width * screen.side_share
            main.pos, main.size = (left, low), (width - side_px - 2 * gap, height)
            side.pos, side.size = (left + width - side_px, low), (side_px, height)
