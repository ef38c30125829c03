"""Standings and results as CSV, for a spreadsheet.

UTF-8 with a byte-order mark, because without it spreadsheets on Windows take a "Zoë" apart; and a text that a
spreadsheet would run as a formula gets an apostrophe before it, because names are typed by strangers.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def standings_csv(view: Mapping[str, Any] | None) -> str:
    """The standings: one line per player, one column per round; `companion print standings` reads them."""
    rounds = view["rounds"] if view else []
    has_scores = view is not None and view.get("system") == "risiko"
    counted = ("weight", "score", "won a table") if has_scores else ("points", "pluses")
    header = ["place", "name", *(f"round {number}" for number in rounds), *counted, "decided by"]
    rows = (
        [
            one["place"],
            one["name"],
            *(result or "" for result in one["results"]),
            one["points"],
            *([one["score"], int(one["pluses"] > 0)] if has_scores else [one["pluses"]]),
            one["decided_by"]["code"],
        ]
        for one in (view["standings"] if view else ())
    )
    return _csv(header, rows)


def results_csv(view: Mapping[str, Any] | None) -> str:
    """All results of a tournament: one line per player and game."""
    header = [
        "round", "table", "game", "name", "result", "score", "counts", "set by referee", "changed after closing",
        "closed",
    ]  # fmt: skip
    rows = (
        [one["round"], one["table"], one["game"], one["name"], one["result"],
         "" if one["score"] is None else one["score"], "yes" if one["counts"] else "no",
         "yes" if one["ruled"] else "no", one["changed"] or "", one["closed_wall"]]
        for one in (view["results"] if view else ())
    )  # fmt: skip
    return _csv(header, rows)


def _csv(header: list[str], rows: Iterable[list[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return "\ufeff" + text.getvalue()


def _safe(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
