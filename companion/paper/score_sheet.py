"""The score sheet of one table, for a table without a companion or a result that is disputed on paper.

Its lines stand in the order in which nl1996 separates the players, so that the first line on which two differ is
the line that decides.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.paper.page import MARGIN_MM, WIDTH_MM, Page, Say

LABEL_MM = 62.0
ROW_MM = 8.6
CARDS = ("infantry", "artillery", "cavalry", "joker")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreForm:
    """What is already known when the sheet is printed; everything else stays blank.

    Attributes:
        continents: Name and points of each continent in the scheme, in the order of the sheet.
        territories: Number of territories on the board, to check the sum.
        tournament: Name of the tournament, or empty.
        round: Number of the round, or empty.
        table: The table, or empty.
        players: Names in the order of play; at most `seats`.
        seats: Columns on the sheet.
    """

    continents: tuple[tuple[str, int], ...]
    territories: int
    tournament: str = ""
    round: str = ""
    table: str = ""
    players: tuple[str, ...] = ()
    seats: int = 4


def score_sheet(say: Say, form: ScoreForm) -> bytes:
    """The sheet as a PDF of one A4 page.

    Args:
        say: The words.
        form: What is known already.

    Raises:
        FontMissing: No typeface on this machine has all the letters of a name or of this language.
    """
    page = Page(say("paper.score.title"))
    page.text(MARGIN_MM, 20, say("paper.score.title"), size=16)
    page.text(WIDTH_MM - MARGIN_MM, 20, "nl1996", size=10, align="right", grey=0.4)
    y = _heading(page, 30, say, form)
    grid = _Grid(page, y, form.seats)
    grid.row(say("paper.score.player"), form.players)
    grid.row(say("paper.score.colour"))
    grid.row(say("paper.score.out"))
    grid.row(say("paper.score.mission"))
    for name, points in form.continents:
        grid.row(say("paper.score.continent", continent=name, points=points), tick=str(points))
    grid.row(say("paper.score.points"), strong=True)
    grid.row(say("paper.score.territories", n=form.territories), strong=True)
    grid.row(say("paper.score.armies"), strong=True)
    for card in CARDS:
        grid.row(say(f"paper.score.{card}"))
    grid.row(say("paper.score.card_armies"), strong=True)
    grid.row(say("paper.score.cards"), strong=True)
    grid.row(say("paper.score.result"), strong=True)
    grid.row(say("paper.score.signature"), height_mm=13)
    y = page.paragraph(MARGIN_MM, grid.y + 6, WIDTH_MM - 2 * MARGIN_MM, say("paper.score.how"), size=8.5)
    _ruling(page, y + 3, say)
    return page.finish()


def _heading(page: Page, y: float, say: Say, form: ScoreForm) -> float:
    fields = (
        ("tournament", form.tournament, 80.0),
        ("round", form.round, 26.0),
        ("table", form.table, 26.0),
        ("date", "", 42.0),
    )
    x = MARGIN_MM
    for name, value, width in fields:
        page.text(x, y, say(f"paper.score.{name}"), size=7.5, grey=0.4)
        page.fitted(x + 1, y + 6.5, width - 2, value, size=11)
        page.line(x, y + 8, x + width, y + 8)
        x += width + 2
    return y + 12


class _Grid:
    """Rows of one label and a cell per player."""

    def __init__(self, page: Page, y: float, seats: int) -> None:
        self.y = y
        self._page = page
        self._seats = seats
        self._cell_mm = (WIDTH_MM - 2 * MARGIN_MM - LABEL_MM) / seats

    def row(
        self,
        label: str,
        values: tuple[str, ...] = (),
        *,
        strong: bool = False,
        tick: str = "",
        height_mm: float = ROW_MM,
    ) -> None:
        """Draw one row and go below it."""
        baseline = self.y + height_mm / 2 + 1.3
        shade = 0.9 if strong else None
        self._page.box(MARGIN_MM, self.y, LABEL_MM, height_mm, fill_grey=shade)
        # `fitted` writes in black on whatever shade the box has.
        self._page.fitted(MARGIN_MM + 1.5, baseline, LABEL_MM - 3, label, size=9.5)
        for seat in range(self._seats):
            x = MARGIN_MM + LABEL_MM + seat * self._cell_mm
            self._page.box(x, self.y, self._cell_mm, height_mm)
            if tick:
                self._page.box(x + self._cell_mm / 2 - 5, self.y + height_mm / 2 - 2, 4, 4)
                self._page.text(x + self._cell_mm / 2 + 1.5, baseline, tick, size=9, grey=0.4)
            if seat < len(values):
                self._page.fitted(x + 1.5, baseline, self._cell_mm - 3, values[seat], size=10)
        self.y += height_mm


def _ruling(page: Page, y: float, say: Say) -> None:
    page.text(MARGIN_MM, y + 2, say("paper.score.ruling"), size=9)
    for number in range(2):
        line = y + 11 + number * 9
        page.line(MARGIN_MM, line, WIDTH_MM - MARGIN_MM, line)
    page.text(MARGIN_MM, y + 28, say("paper.score.referee"), size=9)
    page.line(MARGIN_MM + 40, y + 29, MARGIN_MM + 110, y + 29)
