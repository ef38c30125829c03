"""The line on which each key of a TOML text stands.

Theory: `tomllib` forgets where a value stood, and a message without a line sends the reader searching. A TOML
statement ends at a newline unless it is inside brackets or a long string, and an unfinished statement is not
valid TOML. So statements are found by adding lines until `tomllib` accepts them, and each one, parsed alone,
says which keys it sets. Only a text that parses as a whole may be asked about.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

Key = tuple[str, ...]


def key_lines(text: str) -> dict[Key, int]:
    """Line numbers of all keys and tables.

    Args:
        text: A valid TOML document.

    Returns:
        The path of each key, from the outermost table, with its line counted from 1. A key of an inline table
        has the line on which its statement begins.
    """
    lines: dict[Key, int] = {}
    table: Key = ()
    for number, statement in _statements(text):
        parsed = tomllib.loads(statement)
        paths = list(_paths(parsed))
        if statement.lstrip().startswith("["):
            table = max(paths, key=len)
            paths = [table]
        else:
            paths = [table + path for path in paths]
        for path in paths:
            lines.setdefault(path, number)
    return lines


def line_of(key: Key, lines: dict[Key, int]) -> int | None:
    """The line of a key, or of the nearest table around it; None when neither is written down."""
    for length in range(len(key), 0, -1):
        if key[:length] in lines:
            return lines[key[:length]]
    return None


def _statements(text: str) -> Iterator[tuple[int, str]]:
    begun, pending = 1, ""
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if not pending:
            begun = number
        pending += line
        try:
            parsed = tomllib.loads(pending)
        except tomllib.TOMLDecodeError:
            continue
        if parsed:
            yield begun, pending
        pending = ""


def _paths(parsed: dict[str, Any]) -> Iterator[Key]:
    for name, value in parsed.items():
        yield (name,)
        inner = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else value
        if isinstance(inner, dict):
            yield from ((name, *path) for path in _paths(inner))
