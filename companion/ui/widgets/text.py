"""Text that always fits: words in four languages, in boxes of two displays, never cut off.

Roboto has every letter of the four languages but none of the signs; DejaVu Sans, which Kivy brings along, has them.
So signs are set in the one and letters in the other, and a text that is too large for its box becomes smaller until it
is not, without ever breaking a word.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from kivy import kivy_data_dir
from kivy.core.text import Label as CoreLabel
from kivy.core.text import LabelBase
from kivy.core.text.markup import MarkupLabel
from kivy.uix.label import Label
from kivy.utils import escape_markup

SIGNS = "Signs"
_LETTERLIKE = set("–—‘’“”„…•€⟨⟩")
_STEPS = (1.0, 0.92, 0.84, 0.76, 0.69, 0.62, 0.56, 0.5, 0.44)
_SIGN_FONTS = (
    Path(kivy_data_dir) / "fonts" / "DejaVuSans.ttf",
    Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"),
)


class SignsMissing(RuntimeError):
    """No font with the dice and ticks is installed.

    Attributes:
        code: Stable word for docs.
    """

    code = "signs-missing"


def register_signs() -> None:
    """Make the font with the signs known; twice is fine.

    Raises:
        SignsMissing: It is neither in Kivy nor in the system.
    """
    for path in _SIGN_FONTS:
        if path.exists():
            LabelBase.register(name=SIGNS, fn_regular=str(path))
            return
    raise SignsMissing("the font DejaVuSans.ttf is not there: install the package fonts-dejavu-core")


def _is_sign(letter: str) -> bool:
    return ord(letter) >= 0x2000 and letter not in _LETTERLIKE


def marked(text: str) -> str:
    """The text as Kivy markup, its signs in the font that has them."""
    out, run, run_is_sign = [], "", False
    for letter in text + "\0":
        is_sign = _is_sign(letter)
        if run and (is_sign != run_is_sign or letter == "\0"):
            safe = escape_markup(run)
            out.append(f"[font={SIGNS}]{safe}[/font]" if run_is_sign else safe)
            run = ""
        if letter != "\0":
            run, run_is_sign = run + letter, is_sign
    return "".join(out)


@lru_cache(maxsize=4096)
def wrapped_height_px(text: str, font_px: float, width_px: int, *, bold: bool) -> float:
    """Height of a text whose lines are broken at `width_px`."""
    label = MarkupLabel(text=marked(text), font_size=font_px, text_size=(width_px, None), bold=bold)
    return float(label.render()[1])


@lru_cache(maxsize=4096)
def fitting_px(text: str, full_px: float, size_px: tuple[int, int], *, bold: bool) -> float:
    """The largest size of letters, up to `full_px`, at which a text fits a box without breaking a word.

    Measuring is what costs a screen its time, and the same words come again and again: so the answers are kept.
    """
    sizes = (full_px * step for step in _STEPS)
    return next((px for px in sizes if fits(text, px, size_px, bold=bold)), full_px * _STEPS[-1])


def fits(text: str, font_px: float, size_px: tuple[int, int], *, bold: bool) -> bool:
    """Whether a text fits a box at that size of letters without breaking a word."""
    width_px, height_px = size_px
    # Kivy breaks a word that is a hair too wide, so the widest keeps a little room.
    label = CoreLabel(font_size=font_px, bold=bold)
    if any(label.get_extents(word)[0] > width_px - 2 for word in text.split()):
        return False
    # A line that is a hair too low for its box is not drawn at all.
    return wrapped_height_px(text, font_px, width_px, bold=bold) <= height_px


class FitLabel(Label):
    """A label whose letters shrink until the text fits its box.

    Args:
        font_px: Size of its letters where there is room.
        bold: Whether the letters are heavy.
        halign: left, center or right.
    """

    def __init__(self, *, font_px: float, bold: bool = False, halign: str = "left", valign: str = "middle") -> None:
        super().__init__(markup=True, bold=bold, halign=halign, valign=valign)
        self._full_px = font_px
        self._plain = ""
        self.bind(size=self._fit)

    def say(self, text: str, font_px: float | None = None) -> None:
        """Show another text, perhaps at another size."""
        if font_px is not None and font_px != self._full_px:
            self._full_px = font_px
        elif text == self._plain:
            return
        self._plain = text
        self.text = marked(text)
        self._fit()

    @property
    def plain(self) -> str:
        """The text as it was given."""
        return self._plain

    def is_whole(self) -> bool:
        """Whether all of the text is seen: nothing smaller was to be had where it is not."""
        return fits(self._plain, self.font_size, (int(self.width), int(self.height)), bold=self.bold)

    def wanted_px(self, width_px: float) -> float:
        """Height that the text takes at its full size in that width."""
        if not self._plain or width_px <= 1:
            return 0.0
        return wrapped_height_px(self._plain, self._full_px, int(width_px), bold=self.bold)

    def _fit(self, *_: Any) -> None:
        if self.width <= 1 or self.height <= 1:
            return
        self.text_size = self.size
        self.font_size = fitting_px(self._plain, self._full_px, (int(self.width), int(self.height)), bold=self.bold)
