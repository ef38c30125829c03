"""What belongs to an export, so that a copy which lost its last lines is found out."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from companion.journal.errors import ExportRefused
from companion.journal.lines import read_lines
from companion.journal.places import ExportFolder
from companion.journal.records import START

FORMAT = 1
"""Version of the layout of an export."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What belongs to an export.

    Attributes:
        format: Version of the layout.
        table: Whose journal it is.
        records: How many lines.
        head: Hash of the last record.
        missing: Pictures that facts speak of and that were no longer there.
    """

    format: int
    table: str
    records: int
    head: str
    missing: tuple[str, ...]


_TYPES = {"format": int, "table": str, "records": int, "head": str, "missing": list}


def write_manifest(folder: ExportFolder, manifest: Manifest) -> None:
    """Write the manifest durably."""
    write_json(folder.manifest, asdict(manifest))


def read_manifest(folder: ExportFolder) -> Manifest:
    """The manifest of an export.

    Raises:
        ExportRefused: There is none, or it is not one that this version can read.
    """
    raw = read_json(folder.manifest)
    if set(raw) != set(_TYPES) or any(type(raw[name]) is not kind for name, kind in _TYPES.items()):
        raise ExportRefused(f"{folder.manifest} is not the manifest of an export", path=str(folder.root))
    if raw["format"] != FORMAT:
        raise ExportRefused(
            f"{folder.root} has format {raw['format']}, this companion reads {FORMAT}: install the one that wrote it",
            path=str(folder.root),
            format=raw["format"],
        )
    return Manifest(**raw | {"missing": tuple(str(name) for name in raw["missing"])})


def check_head(folder: ExportFolder, manifest: Manifest) -> None:
    """Make sure that the lines go up to the head that the manifest names.

    Raises:
        ExportRefused: They end before it, or go on behind it.
    """
    count, last = 0, START.hash
    for record in read_lines(folder.lines):
        count, last = count + 1, record.hash
    if (count, last) != (manifest.records, manifest.head):
        raise ExportRefused(
            f"{folder.lines} holds {count} records ending in {last[:12]}, its manifest says {manifest.records} "
            f"ending in {manifest.head[:12]}: the copy is not whole, copy it again",
            path=str(folder.root),
            found=count,
            expected=manifest.records,
        )


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file of an export.

    Raises:
        ExportRefused: It cannot be read or is no JSON object.
    """
    try:
        raw = json.loads(path.read_bytes())
    except OSError as error:
        raise ExportRefused(
            f"{path.parent} is no whole export: {path.name} cannot be read ({error.strerror})", path=str(path)
        ) from error
    except (ValueError, RecursionError) as error:
        raise ExportRefused(f"{path} is no JSON ({error}): use another copy", path=str(path)) from error
    if not isinstance(raw, dict):
        raise ExportRefused(f"{path} is no JSON object: use another copy", path=str(path))
    return raw


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a JSON object durably."""
    write_durably(path, json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n")


def write_durably(path: Path, content: bytes) -> None:
    """Write a file and wait until its bytes are on the disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
