"""The typeface of all sheets: one that has the letters of every language we print.

Theory: the fourteen fonts that every PDF reader has lack most Czech letters, and would print a name with holes in
it, silently. So a TrueType face is looked for where this machine may have one, and embedded. Where there is
none, the built-in face serves as long as it has all the letters; a sheet that needs more is refused.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

FACE = "DejaVuSans"
BUILT_IN = "Helvetica"
SYSTEM_FOLDERS = (Path("/usr/share/fonts/truetype/dejavu"), Path("/usr/share/fonts/dejavu"))


class FontMissing(LookupError):
    """The sheet needs letters that no typeface on this machine has.

    Attributes:
        code: Stable word for docs and translations.
        letters: The letters that are missing.
    """

    code = "font-missing"

    def __init__(self, letters: str) -> None:
        super().__init__(
            f"no typeface here has the letters {letters!r}; install one: sudo apt-get install fonts-dejavu-core"
        )
        self.letters = letters


@cache
def face_file() -> Path | None:
    """The file of the typeface on this machine, or None when there is none."""
    # Kivy ships the face too; it is found as a folder, without importing Kivy.
    kivy = importlib.util.find_spec("kivy")
    shipped = [Path(place) / "data/fonts" for place in (kivy.submodule_search_locations or [])] if kivy else []
    for folder in (*SYSTEM_FOLDERS, *shipped):
        if (folder / f"{FACE}.ttf").is_file():
            return folder / f"{FACE}.ttf"
    return None


def face_for(text: str) -> str:
    """The name of a registered typeface that has every letter of the text.

    Args:
        text: What is to be printed.

    Raises:
        FontMissing: The text has letters that no typeface here has.
    """
    file = face_file()
    if file is None:
        missing = "".join(sorted({letter for letter in text if not _in_built_in(letter)}))
        if missing:
            raise FontMissing(missing)
        return BUILT_IN
    font = _registered(file)
    missing = "".join(sorted({letter for letter in text if ord(letter) not in font.face.charToGlyph}))
    if missing:
        raise FontMissing(missing)
    return FACE


@cache
def _registered(file: Path) -> TTFont:
    font = TTFont(FACE, str(file))
    pdfmetrics.registerFont(font)
    return font


def _in_built_in(letter: str) -> bool:
    return bool(letter.encode("cp1252", errors="ignore"))
