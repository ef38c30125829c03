"""What the rule commands read and print: sheets, results and lists of players, each refused with its file's name."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from companion.rules.errors import RulesError
from companion.rules.reason import Reason
from companion.rules.ruleset import Ruleset, load_ruleset, read_ruleset
from companion.words import Words

Shape = TypeVar("Shape")


class BadFile(ValueError):
    """A file that the job can't be done with.

    Attributes:
        code: Stable word for docs and translations.
    """

    code = "bad-file"


def read_json(path: Path, shape: type[Shape]) -> Shape:
    """One JSON file in the shape that it must have.

    Raises:
        BadFile: It is no JSON, or has an unknown or wrong field.
        OSError: It can't be read.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=shape)
    except msgspec.MsgspecError as error:
        raise BadFile(f"{path}: {error}; docs/{_page(shape)}.md shows what it must look like") from error


def _page(shape: type[Any]) -> str:
    return {"SheetFile": "score", "ResultFile": "standings", "DrawFile": "draw"}[shape.__name__]


def read_text(path: Path) -> str:
    """One text file in UTF-8, with or without a byte-order mark.

    Raises:
        BadFile: It is no UTF-8 text.
        OSError: It can't be read.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(f"{path}: is not UTF-8 text; save it again as UTF-8") from error


def read_players(path: Path) -> list[str]:
    """The players of a CSV file: its column 'player', or its only column.

    Raises:
        BadFile: No such column, an empty cell, or no players.
        OSError: The file can't be read.
    """
    lines = read_text(path).splitlines()
    # Spreadsheets of half of Europe write semicolons.
    between = next((mark for mark in ";\t" if lines and mark in lines[0]), ",")
    rows = [row for row in csv.reader(lines, delimiter=between) if any(cell.strip() for cell in row)]
    if not rows:
        raise BadFile(f"{path}: is empty; give a line 'player' and below it one player a line")
    head = [cell.strip().lower() for cell in rows[0]]
    if "player" not in head:
        raise BadFile(f"{path}:1: no column is called 'player', there is {', '.join(head)}; name the column 'player'")
    column = head.index("player")
    players = []
    for number, row in enumerate(rows[1:], start=2):
        name = row[column].strip() if column < len(row) else ""
        if not name:
            raise BadFile(f"{path}: line {number} names no player; fill in the cell or take the line out")
        players.append(name)
    if not players:
        raise BadFile(f"{path}: has a head but no players; add one player a line")
    return players


def chosen_rules(system: str, ruleset: Path | None, options: Mapping[str, object]) -> Ruleset:
    """The ruleset of a club's file, or the shipped one, with options.

    Raises:
        BadFile: The club's file is refused.
        RulesError: Unknown system, option or value.
        OSError: The file can't be read.
    """
    if ruleset is None:
        return load_ruleset(system, options)
    text = read_text(ruleset)
    try:
        return read_ruleset(text, options)
    except RulesError as error:
        raise BadFile(f"{ruleset}: {error}") from error


def options_of(pairs: Iterable[str]) -> dict[str, object]:
    """Options from words such as 'unresolved=lot'.

    Raises:
        BadFile: A word without '='.
    """
    found: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadFile(f"option {pair!r} has no value; write it as name=value")
        found[name.strip()] = value.strip()
    return found


def rules_told(ruleset: Ruleset) -> dict[str, str]:
    """Name and hash of a ruleset, as they stand on every result."""
    return {"name": ruleset.name, "hash": ruleset.hash}


def reason_told(reason: Reason, words: Words) -> dict[str, Any]:
    """A reason as data, with its sentence."""
    data = {"code": reason.code, "clause": reason.clause, "values": dict(reason.values)}
    return {"reason": data, "said": words.reason(data)}


def json_text(answer: Mapping[str, Any]) -> str:
    """An answer as people and programs read it: indented, keys in the order given."""
    return json.dumps(answer, indent=2, ensure_ascii=False)


def guarded(cells: Sequence[object]) -> list[str]:
    """Cells that no spreadsheet takes for a formula."""
    texts = [str(cell) for cell in cells]
    return [f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text for text in texts]
