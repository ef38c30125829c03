"""Blocks one below the other, and who gives way when there is too little room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import Block, Buttons, DiceRow, Picture, Players, Space, Stepper, Text, TileMap
from companion.ui.theme import Theme
from companion.ui.widgets.cards import Cards
from companion.ui.widgets.dice import Dice
from companion.ui.widgets.evidence import Evidence, Pictures
from companion.ui.widgets.parts import ButtonGrid, StepLine, TextLine
from companion.ui.widgets.press import Pressed
from companion.ui.widgets.tiles import Tiles


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
            case TileMap():
                return Tiles(theme, pressed)
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
    return isinstance(block, Buttons | Stepper | TileMap)


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


def two_heights(upper: tuple[float, float], lower: tuple[float, float], room: float) -> tuple[float, float]:
    """Heights for two stacks that share a room: both lose of what is soft in the same measure."""
    soft, firm = upper[0] + lower[0], upper[1] + lower[1]
    if soft + firm <= room:
        spare = (room - soft - firm) / 2
        return sum(upper) + spare, sum(lower) + spare
    left = max(0.0, room - firm) / soft if soft else 0.0
    scale = min(1.0, room / firm) if firm else 1.0
    return upper[0] * left + upper[1] * scale, lower[0] * left + lower[1] * scale
