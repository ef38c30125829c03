"""The plain blocks as widgets: a sentence, a grid of buttons, a number with steps."""

from __future__ import annotations

import math
from typing import Any

from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import Button, Buttons, Stepper, Text, Tone
from companion.ui.theme import Theme
from companion.ui.widgets.press import Badge, Pressed, TouchButton
from companion.ui.widgets.text import FitLabel


class TextLine(Widget):
    """A sentence, with a player's badge before it where it is about one."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._badge = Badge(theme)
        self._label = FitLabel(font_px=theme.px(t.TEXT["body"]))
        self._text: Text | None = None
        self.add_widget(self._badge)
        self.add_widget(self._label)
        self.bind(pos=self._place, size=self._place)

    def show(self, text: Text) -> None:
        """Show another sentence."""
        self._text = text
        self._label.color = t.INK[text.tone]
        self._label.bold = text.tone in {"strong", "bad"} or text.size in {"large", "huge"}
        self._label.halign = "center" if text.centre else "left"
        self._label.say(text.text, self._theme.px(t.TEXT[text.size]))
        self._badge.show(text.mark)
        self._place()

    def wanted_px(self, width_px: float) -> float:
        """Height that the sentence takes at its full size."""
        badge = self._badge_px() + self._theme.px(8) if self._text is not None and self._text.mark else 0.0
        return self._label.wanted_px(width_px - badge) + self._theme.px(4)

    def _badge_px(self) -> float:
        size = self._text.size if self._text is not None else "body"
        return self._theme.px(t.TEXT[size] * 1.25)

    def _place(self, *_: Any) -> None:
        left, width = self.x, self.width
        if self._text is not None and self._text.mark is not None:
            side = min(self._badge_px(), self.height)
            self._badge.pos, self._badge.size = (left, self.center_y - side / 2), (side, side)
            left, width = left + side + self._theme.px(8), width - side - self._theme.px(8)
        self._label.pos, self._label.size = (left, self.y), (max(1.0, width), self.height)


class ButtonGrid(Widget):
    """Buttons in rows and columns that fill their room."""

    def __init__(self, theme: Theme, pressed: Pressed) -> None:
        super().__init__()
        self._theme = theme
        self._pressed = pressed
        self._grid: Buttons | None = None
        self._buttons: list[TouchButton] = []
        self._label = FitLabel(font_px=theme.px(t.TEXT["small"]))
        self._label.color = t.INK["dim"]
        self.add_widget(self._label)
        self.bind(pos=self._place, size=self._place)

    def show(self, grid: Buttons) -> None:
        """Show other buttons; those that stay in place keep a finger that is on them."""
        self._grid = grid
        self._label.say(grid.label)
        while len(self._buttons) > len(grid.buttons):
            self.remove_widget(self._buttons.pop())
        while len(self._buttons) < len(grid.buttons):
            made = TouchButton(self._theme, self._pressed)
            self._buttons.append(made)
            self.add_widget(made)
        for widget, button in zip(self._buttons, grid.buttons, strict=True):
            widget.show(button)
        self._place()

    def wanted_px(self, width_px: float) -> float:
        """Height of all rows at the least height that a finger needs."""
        del width_px
        if self._grid is None or not self._grid.buttons:
            return 0.0
        _, rows = self._shape(self._grid)
        row = t.TOUCH * (1.4 if self._grid.tall else 1.0)
        return self._theme.px(rows * row + (rows - 1) * t.GAP) + self._label_px()

    def _label_px(self) -> float:
        return self._theme.px(20) if self._grid is not None and self._grid.label else 0.0

    def _shape(self, grid: Buttons) -> tuple[int, int]:
        across = grid.down_across if self._theme.is_portrait else grid.across
        across = max(1, min(across, len(grid.buttons)))
        return across, math.ceil(len(grid.buttons) / across)

    def _place(self, *_: Any) -> None:
        if self._grid is None or not self._grid.buttons or self.width <= 1:
            return
        across, rows = self._shape(self._grid)
        gap, label = self._theme.px(t.GAP), self._label_px()
        self._label.pos, self._label.size = (self.x, self.top - label), (self.width, label)
        height = (self.height - label - gap * (rows - 1)) / rows
        for at, button in enumerate(self._buttons):
            row, column = divmod(at, across)
            # A last row that is not full shares the whole width.
            in_row = min(across, len(self._buttons) - row * across) if rows > 1 and not self._grid.grow else across
            width = (self.width - gap * (in_row - 1)) / in_row
            button.size = (width, height)
            button.pos = (self.x + column * (width + gap), self.top - label - (row + 1) * height - row * gap)


class StepLine(Widget):
    """A number with a name before it and steps around it; in portrait the name stands above."""

    def __init__(self, theme: Theme, pressed: Pressed) -> None:
        super().__init__()
        self._theme = theme
        self._name = TextLine(theme)
        self._note = FitLabel(font_px=theme.px(t.TEXT["small"]))
        self._value = TouchButton(theme, pressed, font_units=t.TEXT["large"])
        self._steps: list[TouchButton] = []
        self._pressed = pressed
        for part in (self._name, self._note, self._value):
            self.add_widget(part)
        self.bind(pos=self._place, size=self._place)

    def show(self, stepper: Stepper) -> None:
        """Show another number."""
        self._name.show(Text(text=stepper.label, mark=stepper.mark, tone="strong"))
        self._note.color = t.INK[stepper.tone]
        self._note.say(stepper.note)
        value_tone: Tone = "dim" if stepper.does is None else "plain"
        self._value.show(Button(text=stepper.value, does=stepper.does, tone=value_tone, chosen=stepper.tone == "warn"))
        while len(self._steps) > len(stepper.steps):
            self.remove_widget(self._steps.pop())
        while len(self._steps) < len(stepper.steps):
            button = TouchButton(self._theme, self._pressed)
            self._steps.append(button)
            self.add_widget(button)
        for widget, (text, does) in zip(self._steps, stepper.steps, strict=True):
            widget.show(Button(text=text, does=does))
        self._place()

    def _two_lines(self) -> bool:
        return self._theme.is_portrait and len(self._steps) > 2

    def wanted_px(self, width_px: float) -> float:
        """One touch height, and in portrait a line for the name."""
        del width_px
        return self._theme.px(t.TOUCH + (34 if self._two_lines() else 0))

    def _place(self, *_: Any) -> None:
        theme, gap = self._theme, self._theme.px(t.GAP)
        two = self._two_lines()
        name_width = self.width if two else self.width * (0.26 if len(self._steps) > 2 else 0.4)
        name_height = theme.px(34) if two else self.height
        note_height = theme.px(20) if not two else name_height
        if two:
            self._name.pos, self._name.size = (self.x, self.top - name_height), (name_width * 0.55, name_height)
            self._note.pos, self._note.size = (
                (self.x + name_width * 0.57, self.top - name_height),
                (name_width * 0.43, name_height),
            )
            left, width, height = self.x, self.width, self.height - name_height
        else:
            self._name.pos = (self.x, self.y + note_height)
            self._name.size = (name_width, self.height - note_height)
            self._note.pos, self._note.size = (self.x, self.y), (name_width, note_height)
            left, width, height = self.x + name_width + gap, self.width - name_width - gap, self.height
        row = [*self._steps[: len(self._steps) // 2], self._value, *self._steps[len(self._steps) // 2 :]]
        each = (width - gap * (len(row) - 1)) / len(row)
        for at, button in enumerate(row):
            button.pos, button.size = (left + at * (each + gap), self.y), (each, height)
