"""What the rule commands read and print: sheets, results and lists of players, each refused with its file's name."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from companion.commands.saying import Sayings
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
        BadFile: It is no JSON, says something twice in one place, or has an unknown or wrong field.
        OSError: It can't be read.
    """
    text = read_text(path)
    try:
        return msgspec.convert(json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_number), type=shape)
    except (ValueError, msgspec.ValidationError) as error:
        raise BadFile(f"{path}: {error}; docs/{_page(shape)}.md shows what it must look like") from error
    except RecursionError as error:
        raise BadFile(f"{path}: is nested too deep; docs/{_page(shape)}.md shows what it must look like") from error


def _once_each(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object with each key once; most readers keep the last of two, but which is meant only people know."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        name = _one_form(key)
        if name in found:
            raise ValueError(f"{name!r} stands twice in one place, keep one of them")
        found[name] = _one_form(value)
    return found


def _one_form(value: Any) -> Any:
    """Letters with accents in one piece: a name typed on two machines must not become two players."""
    if isinstance(value, list):
        return [_one_form(item) for item in value]
    if not isinstance(value, str):
        return value
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{value!r} holds half a letter, write it out")
    return unicodedata.normalize("NFC", value)


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number")


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
    """The players of a CSV file: its column 'player'.

    Raises:
        BadFile: No such column or two of them, an empty cell, no players, or quotes that don't close.
        OSError: The file can't be read.
    """
    text = _one_form(read_text(path))
    first = next((line for line in text.splitlines() if line.strip()), "")[:1000]
    # Spreadsheets of half of Europe write semicolons.
    between = next((mark for mark in ",;\t" if "player" in _head(next(csv.reader([first], delimiter=mark), []))), ",")
    rows = _rows(path, text, between)
    if not rows:
        raise BadFile(f"{path}: is empty; give a line 'player' and below it one player a line")
    head = _head(rows[0][1])
    if head.count("player") != 1:
        raise BadFile(
            f"{path}:1: one column must be called 'player', there is {', '.join(head)}; correct the first line"
        )
    column = head.index("player")
    players = []
    for number, row in rows[1:]:
        name = " ".join(row[column].split()) if column < len(row) else ""
        if not name:
            raise BadFile(f"{path}: line {number} names no player; fill in the cell or take the line out")
        players.append(name)
    if not players:
        raise BadFile(f"{path}: has a head but no players; add one player a line")
    return players


def _rows(path: Path, text: str, between: str) -> list[tuple[int, list[str]]]:
    """The lines with anything in them, each with its number."""
    reader = csv.reader(io.StringIO(text, newline=None), delimiter=between, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise BadFile(f"{path}: line {reader.line_num} can't be read ({error}); look at its quotes") from error


def _head(cells: Iterable[str]) -> list[str]:
    return [cell.strip().lower() for cell in cells]


def check_round(path: Path, number: int, rules: Ruleset) -> None:
    """Refuse a round that these rules don't play.

    Raises:
        BadFile: It counts from 0, or there are not so many rounds.
    """
    rounds = rules.at("pools.rounds")
    if number < 1:
        raise BadFile(f"{path}: rounds count from 1, got {number}")
    if rounds is not None and number > rounds:
        raise BadFile(
            f"{path}: {rules.name} plays {rounds} rounds, got round {number}; correct it, "
            "or give a ruleset with [pools] rounds of its own"
        )


def chosen_rules(system: str | None, ruleset: Path | None, options: Mapping[str, object]) -> Ruleset:
    """The ruleset of a club's file, or the shipped one, with options.

    Args:
        system: What the sheet, or the person at the keyboard, says; None when nobody said, which means nl1996 where
            there is no file.
        ruleset: A club's own file.
        options: Options by name.

    Raises:
        BadFile: The club's file is refused, or is of another system.
        RulesError: Unknown system, option or value.
        OSError: The file can't be read.
    """
    if ruleset is None:
        return load_ruleset(system or "nl1996", options)
    text = read_text(ruleset)
    try:
        rules = read_ruleset(text, options)
    except RulesError as error:
        raise BadFile(f"{ruleset}: {error}") from error
    if system not in (None, rules.system):
        raise BadFile(f"{ruleset}: is a ruleset of {rules.system}, but {system} is to be judged; give one of {system}")
    return rules


def tell_unchosen(rules: Ruleset, chosen: Collection[str], *, lang: str) -> None:
    """Name on stderr each doubtful choice that nobody made, with what holds for it and what else there is.

    Boxes and clubs differ in these, so a director must hear of them; a club's own file is a director's choice already.

    Args:
        rules: The shipped rules that judge.
        chosen: Names of the options that the sheet or the command line gave.
        lang: The reader's language.
    """
    say = Sayings("rulesets", lang)
    for option in rules.doubtful():
        if option.name not in chosen:
            value = rules.options[option.name]
            others = ", ".join(str(other) for other in option.values if other != value)
            click.echo(say("not-chosen", option=option.name, value=value, others=others), err=True)


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
