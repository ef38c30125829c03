"""Standings as CSV, from the hub or from `companion standings --csv`, read back for the printer.

Columns are known by their heads: place, name, then what the system counts (`round N`, points, pluses; or weight, score
and a table won), and last the code of the step that decided. A file with other columns is refused, not printed half.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

from companion.paper.page import MARGIN_MM, WIDTH_MM, Say, text_width
from companion.paper.standings import CELL_PT, PADDING_MM, Column, StandingsList

FIRST = ("place", "name")
LAST = "decided by"
COUNTED = ("points", "pluses", "weight", "score", "won a table")
STEPS = ("points", "pluses", "ones", "twos", "round", "weight", "score", "shared", "lot", "first", "games", "won")
_ROUND = re.compile(r"round (\d+)")


class NotStandings(ValueError):
    """A file that holds no standings as CSV.

    Attributes:
        code: Stable word for docs and translations.
    """

    code = "not-standings"


def standings_of(file: Path, title: str, say: Say) -> StandingsList:
    """The list to print.

    Args:
        file: What the hub or `companion standings --csv` wrote.
        title: Name of the tournament; without one the list is just called the standings.
        say: The words of paper.

    Raises:
        NotStandings: The file has other columns, a row of another length, or is no text.
        OSError: The file cannot be read.
    """
    head, rows = _read(file)
    rounds = [match[1] for name in head if (match := _ROUND.fullmatch(name))]
    heads = [_head(name, say) for name in head]
    told = [tuple(_cell(name, cell, say) for name, cell in zip(head, row, strict=True)) for row in rows]
    return StandingsList(
        title=title or say("paper.standings.title"),
        note=say("paper.standings.note" if rounds else "paper.standings.players", n=len(rows), rounds=len(rounds)),
        columns=_columns(heads, told),
        rows=tuple(told),
    )


def _head(name: str, say: Say) -> str:
    number = _ROUND.fullmatch(name)
    return say("paper.standings.round", round=number[1]) if number else say(f"paper.standings.{name.replace(' ', '-')}")


def _cell(name: str, text: str, say: Say) -> str:
    if name == LAST:
        return say(f"paper.standings.rank-{text.removeprefix('rank-')}")
    if name == "won a table":
        # A dot, because every typeface has it.
        return "•" if text == "1" else ""
    return text


def _read(file: Path) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    try:
        lines = list(csv.reader(file.read_text(encoding="utf-8-sig").splitlines()))
    except UnicodeDecodeError as error:
        raise NotStandings(f"{file}: is not UTF-8 text; export the standings again") from error
    if not lines:
        raise NotStandings(f"{file}: is empty; export the standings again")
    head, *rows = [tuple(line) for line in lines if line]
    middle = [name for name in head[2:-1] if not _ROUND.fullmatch(name) and name not in COUNTED]
    if head[:2] != FIRST or head[-1] != LAST or middle or len(set(head)) < len(head):
        raise NotStandings(
            f"{file}: these are no standings: the first line must begin with 'place,name' and end with 'decided by', "
            f"got {','.join(head)!r}; export them again from the hub's page, or with companion standings --csv"
        )
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
    name = FIRST.index("name")
    widths[name] = max(30.0, WIDTH_MM - 2 * MARGIN_MM - (sum(widths) - widths[name]))
    return tuple(Column(head=head, width_mm=width) for head, width in zip(heads, widths, strict=True))
