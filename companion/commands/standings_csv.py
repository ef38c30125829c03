"""The hub's standings.csv, read back for the printer.

Columns are known by their heads, as the hub writes them: place, name, one `round N` per round, points, pluses and the
code of the step that decided. A file with other columns is refused and not printed half.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

from companion.paper.page import MARGIN_MM, WIDTH_MM, Say, text_width
from companion.paper.standings import CELL_PT, PADDING_MM, Column, StandingsList

BEFORE = ("place", "name")
AFTER = ("points", "pluses", "decided by")
STEPS = ("points", "pluses", "ones", "twos", "round", "shared", "lot", "first")
_ROUND = re.compile(r"round (\d+)")


class NotStandings(ValueError):
    """A file that is not the hub's standings.csv.

    Attributes:
        code: Stable word for docs and translations.
    """

    code = "not-standings"


def standings_of(file: Path, title: str, say: Say) -> StandingsList:
    """The list to print.

    Args:
        file: The hub's standings.csv.
        title: Name of the tournament; without one the list is just called the standings.
        say: The words of paper.

    Raises:
        NotStandings: The file has other columns, a row of another length, or is no text.
        OSError: The file cannot be read.
    """
    head, rows = _read(file)
    rounds = [match[1] for name in head if (match := _ROUND.fullmatch(name))]
    wanted = (*BEFORE, *(f"round {number}" for number in rounds), *AFTER)
    if head != wanted:
        raise NotStandings(
            f"{file}: these are not the hub's standings: the first line must be {','.join(wanted)!r}, "
            f"got {','.join(head)!r}; export them again from the hub's page"
        )
    heads = [
        *(say(f"paper.standings.{name}") for name in BEFORE),
        *(say("paper.standings.round", round=number) for number in rounds),
        *(say(f"paper.standings.{name.replace(' ', '-')}") for name in AFTER),
    ]
    told = [(*row[:-1], say(f"paper.standings.rank-{row[-1].removeprefix('rank-')}")) for row in rows]
    return StandingsList(
        title=title or say("paper.standings.title"),
        note=say("paper.standings.note", n=len(rows), rounds=len(rounds)),
        columns=_columns(heads, told),
        rows=tuple(told),
    )


def _read(file: Path) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    try:
        lines = list(csv.reader(file.read_text(encoding="utf-8-sig").splitlines()))
    except UnicodeDecodeError as error:
        raise NotStandings(f"{file}: is not UTF-8 text; export the standings again from the hub's page") from error
    if not lines:
        raise NotStandings(f"{file}: is empty; export the standings again from the hub's page")
    head, *rows = [tuple(line) for line in lines if line]
    for number, row in enumerate(rows, start=2):
        if len(row) != len(head):
            raise NotStandings(f"{file}:{number}: has {len(row)} columns and the first line {len(head)}")
        if row[-1].removeprefix("rank-") not in STEPS:
            raise NotStandings(f"{file}:{number}: 'decided by' must be a step such as 'rank-points', got {row[-1]!r}")
    # The hub guards texts that a spreadsheet would run as a formula with an apostrophe.
    return head, [tuple(cell.removeprefix("'") for cell in row) for row in rows]


def _columns(heads: list[str], rows: list[tuple[str, ...]]) -> tuple[Column, ...]:
    """Every column as wide as its longest text, the name taking what is left."""
    widths = [
        max(text_width(text, size=CELL_PT) for text in (head, *(row[number] for row in rows))) + 2 * PADDING_MM
        for number, head in enumerate(heads)
    ]
    name = BEFORE.index("name")
    widths[name] = max(30.0, WIDTH_MM - 2 * MARGIN_MM - (sum(widths) - widths[name]))
    return tuple(Column(head=head, width_mm=width) for head, width in zip(heads, widths, strict=True))
