"""The picture of a throw, cut to the dice that it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.graphics import Color, Rectangle
from kivy.graphics.texture import Texture
from kivy.uix.widget import Widget

from companion.ui import theme as t
from companion.ui.blocks import Picture
from companion.ui.theme import Theme
from companion.ui.widgets.text import FitLabel

Pictures = Callable[[str], Texture | None]
"""The texture of a picture by its hash; None while it is not there."""


class Evidence(Widget):
    """The picture of a throw, cut to the dice that it shows."""

    def __init__(self, theme: Theme, pictures: Pictures) -> None:
        super().__init__()
        self._pictures = pictures
        self._picture: Picture | None = None
        self._missing = FitLabel(font_px=theme.px(t.TEXT["small"]), halign="center")
        self._missing.color = t.INK["dim"]
        self.add_widget(self._missing)
        self.bind(pos=self._draw, size=self._draw)

    def show(self, picture: Picture) -> None:
        """Show another picture; asked again until it is there."""
        self._picture = picture
        self._draw()

    def wanted_px(self, width_px: float) -> float:
        """Height that the picture takes where there is room."""
        return width_px * 0.22

    def _draw(self, *_: Any) -> None:
        self.canvas.before.clear()
        self._missing.pos, self._missing.size = self.pos, self.size
        picture = self._picture
        if picture is None or min(self.size) <= 1:
            return
        texture = self._pictures(picture.evidence)
        self._missing.say(picture.missing)
        self._missing.opacity = 1.0 if texture is None else 0.0
        if texture is None:
            return
        cut = texture.get_region(*crop(texture.size, picture.around_px, self.width / self.height))
        scale = min(self.width / cut.width, self.height / cut.height)
        size = (cut.width * scale, cut.height * scale)
        with self.canvas.before:
            Color(1, 1, 1, 1)
            Rectangle(texture=cut, pos=(self.center_x - size[0] / 2, self.center_y - size[1] / 2), size=size)


def crop(
    size_px: tuple[int, int], around_px: tuple[tuple[float, float, float, float], ...], shape: float
) -> tuple[int, int, int, int]:
    """The part of a picture to show: all dice with room around them, near the shape of its frame.

    Args:
        size_px: Width and height of the picture.
        around_px: (x, y, w, h) of each die, from the top left; without any, the whole picture is shown.
        shape: Width by height of the frame on the screen.

    Returns:
        (x, y, w, h), y from the bottom, within the picture.
    """
    wide, high = size_px
    inside = [
        box for box in around_px if box[0] >= 0 and box[0] + box[2] <= wide and box[1] >= 0 and box[1] + box[3] <= high
    ]
    if not inside or len(inside) < len(around_px):
        return 0, 0, wide, high
    left, top = min(b[0] for b in inside), min(b[1] for b in inside)
    right, low = max(b[0] + b[2] for b in inside), max(b[1] + b[3] for b in inside)
    room = max(b[2] for b in inside) * 0.8
    width, height = right - left + 2 * room, low - top + 2 * room
    width, height = max(width, height * shape), max(height, width / shape)
    width, height = min(width, wide), min(height, high)
    x = min(max(0.0, (left + right - width) / 2), wide - width)
    y = min(max(0.0, (top + low - height) / 2), high - height)
    return int(x), int(high - y - height), int(width), int(height)
