"""The whole window: the line at the top, the warnings, and the three areas of blocks.

Only what changed is drawn anew: a block that stays the same kind in the same place keeps its widget, and with it the
finger that may be on it. When another screen comes, presses are ignored for a moment, because a finger that is already
on its way was meant for the screen before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from kivy.graphics import Color, Rectangle, RoundedRectangle
from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import (
    Bar,
    Block,
    Button,
    Buttons,
    DiceRow,
    Head,
    Picture,
    Players,
    Screen,
    Space,
    Stepper,
    Text,
)
from companion.ui.theme import Theme
from companion.ui.widgets.cards import Cards
from companion.ui.widgets.dice import Dice
from companion.ui.widgets.evidence import Evidence, Pictures
from companion.ui.widgets.parts import ButtonGrid, StepLine, TextLine
from companion.ui.widgets.press import Pressed, TouchButton
from companion.ui.widgets.text import FitLabel

GUARD_S = 0.35
"""Seconds after a change of screen in which presses are ignored."""

FLASH_S = 0.5
"""Seconds between two changes of the flashing ground: one full flash a second, well below what may do harm."""

HEAD_UNITS = 50.0
BAR_UNITS = 50.0


class Room(Widget):
    """Nothing, of a certain size."""

    def show(self, space: Space) -> None:
        """Room has nothing to show."""

    def wanted_px(self, width_px: float) -> float:
        """Room wants nothing of its own."""
        del width_px
        return 0.0


class Stack(Widget):
    """Blocks one below the other.

    Each gets the height that it wants; what is left over goes to those that grow, by their share; what is missing is
    taken from all but the buttons first, because a finger does not shrink.
    """

    def __init__(self, theme: Theme, pressed: Pressed, pictures: Pictures) -> None:
        super().__init__()
        self._theme = theme
        self._pressed = pressed
        self._pictures = pictures
        self._blocks: tuple[Block, ...] = ()
        self._parts: list[Any] = []
        self.bind(pos=self._place, size=self._place)

    def show(self, blocks: Sequence[Block], *, again: bool = False) -> None:
        """Show other blocks; with `again`, even if they are the same (a picture may have come)."""
        blocks = tuple(block for block in blocks if not (isinstance(block, Text) and not block.text))
        if blocks == self._blocks and not again:
            return
        if [type(block) for block in blocks] != [type(block) for block in self._blocks]:
            self.clear_widgets()
            self._parts = [self._made(block) for block in blocks]
            for part in self._parts:
                self.add_widget(part)
        for part, block in zip(self._parts, blocks, strict=True):
            part.show(block)
        self._blocks = blocks
        self._place()

    def _made(self, block: Block) -> Any:
        theme, pressed = self._theme, self._pressed
        match block:
            case Text():
                return TextLine(theme)
            case Buttons():
                return ButtonGrid(theme, pressed)
            case DiceRow():
                return Dice(theme, pressed)
            case Picture():
                return Evidence(theme, self._pictures)
            case Players():
                return Cards(theme)
            case Stepper():
                return StepLine(theme, pressed)
            case Space():
                return Room()

    def wanted_px(self, width_px: float) -> float:
        """Height that all blocks want together."""
        gaps = self._theme.px(t.GAP) * max(0, len(self._parts) - 1)
        return sum(part.wanted_px(width_px) for part in self._parts) + gaps

    def soft_and_firm_px(self, width_px: float) -> tuple[float, float]:
        """Height that gives way when there is too little room, and height that does not."""
        firm = sum(
            part.wanted_px(width_px) for part, block in zip(self._parts, self._blocks, strict=True) if _is_firm(block)
        )
        gaps = self._theme.px(t.GAP) * max(0, len(self._parts) - 1)
        return self.wanted_px(width_px) - firm - gaps, firm + gaps

    def _place(self, *_: Any) -> None:
        if not self._parts or self.width <= 1 or self.height <= 1:
            return
        gap = self._theme.px(t.GAP)
        room = self.height - gap * (len(self._parts) - 1)
        wanted = [float(part.wanted_px(self.width)) for part in self._parts]
        heights = shared(wanted, [_grow(b) for b in self._blocks], [_is_firm(b) for b in self._blocks], room)
        top = self.top
        for part, height in zip(self._parts, heights, strict=True):
            part.size = (self.width, height)
            part.pos = (self.x, top - height)
            top -= height + gap


def _grow(block: Block) -> float:
    return 0.0 if isinstance(block, Stepper) else block.grow


def _is_firm(block: Block) -> bool:
    return isinstance(block, Buttons | Stepper)


def shared(wanted: Sequence[float], grow: Sequence[float], firm: Sequence[bool], room: float) -> list[float]:
    """Heights for blocks one below the other, so that they fill the room and never exceed it.

    Args:
        wanted: Height that each block wants, px.
        grow: Share of what is left over that each takes.
        firm: Whether a block gives way only when nothing else can.
        room: Height for all, px.
    """
    over = room - sum(wanted)
    if over >= 0:
        shares = sum(grow) or 1.0
        return [height + over * share / shares for height, share in zip(wanted, grow, strict=True)]
    soft = sum(height for height, is_firm in zip(wanted, firm, strict=True) if not is_firm)
    hard = sum(wanted) - soft
    if soft > 0 and room > hard:
        return [h if is_firm else h * (room - hard) / soft for h, is_firm in zip(wanted, firm, strict=True)]
    return [height * room / sum(wanted) for height in wanted]


def _two_heights(upper: tuple[float, float], lower: tuple[float, float], room: float) -> tuple[float, float]:
    """Heights for two stacks that share a room: both lose of what is soft in the same measure."""
    soft, firm = upper[0] + lower[0], upper[1] + lower[1]
    if soft + firm <= room:
        spare = (room - soft - firm) / 2
        return sum(upper) + spare, sum(lower) + spare
    left = max(0.0, room - firm) / soft if soft else 0.0
    scale = min(1.0, room / firm) if firm else 1.0
    return upper[0] * left + upper[1] * scale, lower[0] * left + lower[1] * scale


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
            Color(*(t.FLASH if self._lit else t.BACKGROUND))
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
            main_px, side_px = _two_heights(main.soft_and_firm_px(width), side.soft_and_firm_px(width), height - gap)
            side_low, main_low = (low + main_px + gap, low) if screen.side_first else (low, low + side_px + gap)
            side.pos, side.size = (left, side_low), (width, side_px)
            main.pos, main.size = (left, main_low), (width, main_px)
        else:
            side_px = width * screen.side_share
            main.pos, main.size = (left, low), (width - side_px - 2 * gap, height)
            side.pos, side.size = (left + width - side_px, low), (side_px, height)
