"""The sheet that lies beside the box: what a press means, what the screen is for, what closes a throw.

It has the same rows and words as docs/buttons.md, so that a referee and a player never read two truths.
"""

from __future__ import annotations

from companion.paper.page import MARGIN_MM, WIDTH_MM, Page, Say, line_height
from companion.session.presses import CLOSES, ON_SCREEN, PRESSES, Press

TABLE_PT = 7.2
LIST_PT = 8.0
_COLUMNS_MM = (50.0, 38.0, 92.0)
_GAP_MM = 3.0


def press_rows(system: str | None = None) -> tuple[Press, ...]:
    """The rows that one system has, or all of them."""
    return tuple(row for row in PRESSES if system is None or row.system in (None, system))


def told(say: Say, row: Press) -> tuple[str, str, str]:
    """One row in words: when, whose, what it means."""
    return (
        say(f"paper.press.when.{row.when}"),
        say(f"paper.press.whose.{row.whose}"),
        say(f"paper.press.means.{row.means}"),
    )


def on_screen(system: str | None = None) -> tuple[str, ...]:
    """What is two taps away on the screen in a system, or in any."""
    several = system in (None, "apoikia", "rebels")
    return tuple(word for word in ON_SCREEN if several or word != "against")


def press_sheet(say: Say, system: str) -> bytes:
    """The sheet as a PDF of one A4 page.

    Args:
        say: The words.
        system: The rules of the table.

    Raises:
        FontMissing: No typeface on this machine has the letters of this language.
    """
    page = Page(say("paper.press.title"))
    draw(page, say, system)
    return page.finish()


def draw(page: Page, say: Say, system: str) -> float:
    """Draw everything on a page; the baseline below it, in mm from the top."""
    page.text(MARGIN_MM, 20, say("paper.press.title"), size=16)
    page.text(WIDTH_MM - MARGIN_MM, 20, system, size=10, align="right", grey=0.4)
    y = page.paragraph(MARGIN_MM, 28, WIDTH_MM - 2 * MARGIN_MM, say("paper.press.intro"), size=9)
    y = _table(page, y + 2, [told(say, row) for row in press_rows(system)])
    parts = (
        ("screen", [say(f"paper.press.screen.{word}") for word in on_screen(system)]),
        ("closes", [say(f"paper.press.closes.{word}") for word in CLOSES]),
        ("signal", [say(f"paper.press.system.{system}")]),
    )
    for heading, texts in parts:
        y = _list(page, y + 3, say(f"paper.press.heading.{heading}"), texts)
    return y


def _table(page: Page, y: float, rows: list[tuple[str, str, str]]) -> float:
    before = ""
    for row in rows:
        page.line(MARGIN_MM, y - line_height(TABLE_PT), WIDTH_MM - MARGIN_MM, y - line_height(TABLE_PT), width_pt=0.25)
        # A situation that goes on is named once, as on the page.
        shown = ("" if row[0] == before else row[0], *row[1:])
        before, x, lowest = row[0], MARGIN_MM, y
        for text, width in zip(shown, _COLUMNS_MM, strict=True):
            lowest = max(lowest, page.paragraph(x, y, width - _GAP_MM, text, size=TABLE_PT))
            x += width
        y = lowest + 0.8
    return y


def _list(page: Page, y: float, heading: str, texts: list[str]) -> float:
    page.text(MARGIN_MM, y, heading, size=11)
    y += line_height(11)
    for text in texts:
        page.text(MARGIN_MM, y, "·", size=LIST_PT)
        y = page.paragraph(MARGIN_MM + 3, y, WIDTH_MM - 2 * MARGIN_MM - 3, text, size=LIST_PT)
    return y
