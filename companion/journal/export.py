"""A table's facts in a folder of plain files: to carry away, to check anywhere, to begin again from.

An export holds `journal.jsonl` (one record a line), `evidence/` (the pictures) and `manifest.json`, which names table
and head: so a copy that lost its last lines is found, which the chain alone could not show. Names stay behind unless
they are asked for.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from companion.journal.copying import write_copy
from companion.journal.errors import EvidenceError, ExportRefused
from companion.journal.evidence import Evidence, Pictures
from companion.journal.lines import pictures_of, read_lines, write_lines
from companion.journal.manifest import (
    FORMAT,
    Manifest,
    check_head,
    read_json,
    read_manifest,
    write_durably,
    write_json,
    write_manifest,
)
from companion.journal.opening import sync_folder
from companion.journal.places import ExportFolder, StateFolder
from companion.journal.private import Person, PrivateNotes
from companion.journal.reading import JournalReader, open_to_read
from companion.journal.records import START, Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What an export or a restore carried over.

    Attributes:
        table: Whose journal it is.
        head: The newest record.
        pictures: How many pictures.
        missing: Hashes of the pictures that facts speak of and that could not be carried.
    """

    table: str
    head: Head
    pictures: int
    missing: tuple[str, ...]


def export(state: Path, target: Path, *, with_names: bool = False) -> Carried:
    """Copy a table's facts and pictures into a new folder; the table may be running.

    Args:
        state: The table's state folder.
        target: A folder that does not exist yet; it appears when everything is in it.
        with_names: Whether names and contacts go along.

    Raises:
        ExportRefused: The target exists, or cannot be written.
        JournalError: The state cannot be read.
    """
    source = StateFolder(state)
    if target.exists():
        raise ExportRefused(f"{target} exists already: name a new folder", path=str(target))
    unfinished = ExportFolder(target.with_name(target.name + ".unfinished"))
    with open_to_read(source.journal) as journal:
        try:
            if unfinished.root.exists():
                shutil.rmtree(unfinished.root)
            unfinished.evidence.mkdir(parents=True)
            head, wanted = _write_records(journal, unfinished)
            missing = _copy_pictures(Pictures(source.evidence), unfinished, wanted)
            if with_names and source.private.exists():
                _write_names(source, unfinished)
            write_manifest(
                unfinished,
                Manifest(format=FORMAT, table=journal.table_id, records=head.seq, head=head.hash, missing=missing),
            )
            unfinished.root.rename(target)
            sync_folder(target.parent)
        except OSError as error:
            raise ExportRefused(
                f"{target} cannot be written ({error.strerror or error}): check the disk and its rights",
                path=str(target),
            ) from error
        pictures = len(wanted) - len(missing)
        return Carried(table=journal.table_id, head=head, pictures=pictures, missing=missing)


def restore(source: Path, state: Path, *, table_id: str | None = None) -> Carried:
    """Make a table's state anew from an export, or from a bare file of lines.

    Args:
        source: A folder made by `export`, or a `.jsonl` file such as the hub hands out.
        state: The state folder; it may exist, but hold no journal.
        table_id: Whose journal it is; needed for a bare file, which does not say.

    Raises:
        ExportRefused: The export is not whole, or a journal is there already; nothing was written.
        JournalError: The disk refuses.
    """
    target = StateFolder(state)
    if not source.is_dir():
        if not table_id:
            raise ExportRefused(
                f"{source} is no export folder: for a bare file of lines say whose it is with --table",
                path=str(source),
            )
        head = write_copy(target.journal, table_id, read_lines(source))
        return Carried(table=table_id, head=head, pictures=0, missing=())
    folder = ExportFolder(source)
    manifest = read_manifest(folder)
    if table_id not in (None, manifest.table):
        raise ExportRefused(
            f"{source} is the export of table {manifest.table!r}, not of {table_id!r}", table=manifest.table
        )
    check_head(folder, manifest)
    people = _read_names(folder)
    head = write_copy(target.journal, manifest.table, read_lines(folder.lines))
    pictures, missing = _restore_pictures(folder, target)
    if people:
        notes = PrivateNotes(target.private)
        notes.put(people)
        notes.close()
    return Carried(table=manifest.table, head=head, pictures=pictures, missing=(*manifest.missing, *missing))


def _write_records(journal: JournalReader, target: ExportFolder) -> tuple[Head, dict[str, None]]:
    head, wanted = START, dict[str, None]()
    with target.lines.open("wb") as file:
        for record in journal.all():
            write_lines(file, (record,))
            wanted.update(dict.fromkeys(pictures_of(record.data)))
            head = Head(seq=record.seq, hash=record.hash)
        file.flush()
        os.fsync(file.fileno())
    return head, wanted


def _copy_pictures(source: Pictures, target: ExportFolder, wanted: Iterable[str]) -> tuple[str, ...]:
    missing = []
    for name in wanted:
        try:
            content = source.get(name)
        except EvidenceError:
            missing.append(name)
            continue
        write_durably(target.evidence / f"{name}.jpg", content)
    return tuple(missing)


def _restore_pictures(folder: ExportFolder, target: StateFolder) -> tuple[int, tuple[str, ...]]:
    carried = Pictures(folder.evidence)
    names = sorted(carried.names())
    if not names:
        return 0, ()
    kept, damaged = Evidence(target.evidence), []
    for name in names:
        try:
            content = carried.get(name)
        except EvidenceError:
            damaged.append(name)
            continue
        kept.put(content)
    return len(names) - len(damaged), tuple(damaged)


def _write_names(source: StateFolder, target: ExportFolder) -> None:
    notes = PrivateNotes(source.private)
    try:
        people = {player: notes.person(player) for player in notes.names()}
    finally:
        notes.close()
    target.names.touch(mode=0o600)
    write_json(target.names, {player: [one.name, one.contact] for player, one in people.items() if one is not None})


def _read_names(folder: ExportFolder) -> dict[str, Person]:
    if not folder.names.exists():
        return {}
    people = {}
    for player, entry in read_json(folder.names).items():
        match entry:
            case [str(name), str(contact)]:
                people[player] = Person(name=name, contact=contact)
            case _:
                raise ExportRefused(
                    f"{folder.names}: {player!r} must be [name, contact], got {entry!r}", path=str(folder.names)
                )
    return people
