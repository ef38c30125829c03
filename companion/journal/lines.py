"""Records as JSON lines: the form in which they travel on a stick, in an export and over the LAN."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from companion.journal.errors import ExportRefused, RecordRefused
from companion.journal.records import Record, parse_record


def line_of(record: Record) -> str:
    """One record as its line, without the line's end."""
    return json.dumps(record.as_json(), ensure_ascii=False, separators=(",", ":"))


def write_lines(file: BinaryIO, records: Iterable[Record]) -> int:
    """Write records as lines; tells how many."""
    count = 0
    for record in records:
        file.write(line_of(record).encode() + b"\n")
        count += 1
    return count


def read_lines(path: Path) -> Iterator[Record]:
    """The records of a file of lines, fields checked, chain not yet.

    Raises:
        ExportRefused: The file cannot be read, or a line is no record; the message names the line.
    """
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                yield _record(path, number, raw)
    except OSError as error:
        raise ExportRefused(
            f"{path} cannot be read ({error.strerror}): check the name and its rights", path=str(path)
        ) from error


def _record(path: Path, number: int, raw: bytes) -> Record:
    if not raw.endswith(b"\n"):
        raise ExportRefused(
            f"{path}, line {number} is cut off: the copy was not finished, copy it again; or go without it: "
            f"head -n {number - 1} keeps the whole lines before it",
            path=str(path),
            line=number,
        )
    try:
        return parse_record(json.loads(raw))
    except (RecordRefused, ValueError, RecursionError) as error:
        raise ExportRefused(
            f"{path}, line {number} is no record ({error}): use another copy", path=str(path), line=number
        ) from error


def pictures_of(data: Any) -> Iterator[str]:
    """Hashes of the pictures that a fact speaks of: whatever stands under a key `evidence`, at any depth."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "evidence" and isinstance(value, str):
                yield value
            else:
                yield from pictures_of(value)
    elif isinstance(data, list):
        for value in data:
            yield from pictures_of(value)
