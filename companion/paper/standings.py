"""Standings as a list to hang on the wall: as many A4 pages as the players need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.paper.page import HEIGHT_MM, MARGIN_MM, WIDTH_MM, Page, Say

ROW_MM = 7.0
CELL_PT = 9.5
PADDING_MM = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of the list.

    Attributes:
        head: What stands above it.
        width_mm: Its width.
    """

    head: str
    width_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsList:
    """What the list says.

    Attributes:
        title: Name of the tournament or of the list.
        note: One line below the title, such as after which round; may be empty.
        columns: The columns, together at most 180 mm wide.
        rows: One per player, a text per column, best first.
    """

    title: str
    note: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def standings_sheet(say: Say, standings: StandingsList) -> bytes:
    """The list as a PDF.

    Args:
        say: The words.
        standings: What it says.

    Raises:
        FontMissing: No typeface on this machine has all the letters of a name or of this language.
    """
    page = Page(standings.title)
    first_row = 42.0
    per_page = int((HEIGHT_MM - MARGIN_MM - 8 - first_row) / ROW_MM)
    pages = max(1, -(-len(standings.rows) // per_page))
    for number in range(pages):
        if number:
            page.turn()
        page.fitted(MARGIN_MM, 22, WIDTH_MM - 2 * MARGIN_MM, standings.title, size=16)
        page.fitted(MARGIN_MM, 29, WIDTH_MM - 2 * MARGIN_MM, standings.note, size=10)
        _row(page, first_row - 4, standings.columns, [column.head for column in standings.columns])
        page.line(MARGIN_MM, first_row - 2.5, WIDTH_MM - MARGIN_MM, first_row - 2.5, width_pt=1)
        for place, row in enumerate(standings.rows[number * per_page : (number + 1) * per_page]):
            y = first_row + (place + 1) * ROW_MM
            if place % 2:
                page.box(MARGIN_MM, y - 5.2, WIDTH_MM - 2 * MARGIN_MM, ROW_MM, fill_grey=0.94, outline=False)
            _row(page, y, standings.columns, row)
        footer = say("paper.standings.page", number=number + 1, pages=pages)
        page.text(WIDTH_MM - MARGIN_MM, HEIGHT_MM - 10, footer, size=8, align="right", grey=0.4)
    return page.finish()


def _row(page: Page, y: float, columns: Sequence[Column], cells: Sequence[str]) -> None:
    x = MARGIN_MM
    for column, cell in zip(columns, cells, strict=True):
        page.fitted(x + PADDING_MM, y, column.width_mm - 2 * PADDING_MM, cell, size=CELL_PT)
        x += column.width_mm
