"""`companion bundle`: what somebody needs to find a fault at a table, without secrets and without names.

One archive: what the doctor says, the configuration, the facts and the logs as far as they may leave (`scrub.py`), and
a list of the files in the state folder. Never in it: the referee's PIN, the secret length and its salt, keys, names,
contacts, texts that people typed, pictures.
"""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import subprocess
import tarfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import msgspec

from companion.commands.checkup.finding import Machine
from companion.commands.doctor import examine
from companion.commands.saying import Sayings
from companion.commands.scrub import Scrubber
from companion.config import ConfigError, TableConfig, load_hub, load_table, load_ui
from companion.journal import JournalError, StateFolder, open_to_read
from companion.journal.checking import check

UNITS = ("companion-table", "companion-ui", "companion-hub")
LINES = 5000
"""Newest lines of each log."""

ABOUT = """\
What is in this archive, and what is not.

doctor.jsonl   what `companion doctor` says of the machine and the rig
config.json    the configuration of each program, as it was read
journal.jsonl  the facts of the table: numbers and words of the program; players are player-1, player-2 ...
journal.json   whether journal and pictures hold
state.txt      the files in the state folder with their sizes and rights
log/           the newest lines of the services' logs

Not in it: names, contacts, texts that people typed, the referee's PIN, secret lengths and their salts, keys, pictures.
"""


class NoRoomForBundle(click.ClickException):
    """The archive can't be written there."""


def members(config: TableConfig, named: Path | None, logs: tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    """Name and text of each file of the archive.

    Args:
        config: The table's configuration.
        named: The file that it was read from, or None for the usual one.
        logs: Log files to take along, besides those of the system's journal.
    """
    folder = StateFolder(config.state_dir)
    records = _records(folder)
    scrubber = Scrubber(_people(folder.private), _players(records))
    yield "about.txt", ABOUT
    yield "doctor.jsonl", "".join(f"{line}\n" for line in _doctor(named, scrubber))
    yield "config.json", json.dumps(_config(config), indent=1) + "\n"
    yield "journal.jsonl", "".join(json.dumps(scrubber.record(record)) + "\n" for record in records)
    yield "journal.json", _verdict(folder, scrubber)
    yield "state.txt", _listing(folder.root)
    for name, text in _logs(logs):
        yield f"log/{name}", scrubber.log(text)


def _records(folder: StateFolder) -> list[dict[str, Any]]:
    try:
        with open_to_read(folder.journal) as journal:
            return [record.as_json() for record in journal.all()]
    except JournalError:
        # What can't be read is told by the doctor's line and by journal.json.
        return []


def _players(records: list[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        if record["type"] == "table.opened":
            yield from (str(player) for player in record["data"].get("players", ()))


def _people(private: Path) -> list[str]:
    """Names and contacts that the table knows, read without changing the file."""
    if not private.exists():
        return []
    with closing(sqlite3.connect(f"{private.absolute().as_uri()}?mode=ro", uri=True)) as db:
        return [text for row in db.execute("SELECT name, contact FROM people") for text in row if text]


def _doctor(named: Path | None, scrubber: Scrubber) -> Iterator[str]:
    say = Sayings("doctor", "en")
    for finding in examine(named, Machine(), lang="en"):
        said = finding.said or say(f"{finding.part}.{finding.code}", **finding.values)
        told = {"part": finding.part, "state": finding.state, "code": finding.code, "said": scrubber.log(said)}
        yield json.dumps(told, ensure_ascii=False)


def _config(table: TableConfig) -> dict[str, Any]:
    told: dict[str, Any] = {"table": msgspec.to_builtins(table, enc_hook=str)}
    for program, load in (("ui", load_ui), ("hub", load_hub)):
        try:
            told[program] = msgspec.to_builtins(load(None), enc_hook=str)
        except (ConfigError, OSError) as error:
            told[program] = type(error).__name__
    # A database's address may hold a password.
    if isinstance(told["hub"], dict):
        told["hub"]["database"] = told["hub"]["database"].partition("://")[0]
    return told


def _verdict(folder: StateFolder, scrubber: Scrubber) -> str:
    try:
        verdict: Mapping[str, Any] = msgspec.to_builtins(check(folder.root))
    except JournalError as error:
        verdict = {"problem": scrubber.log(str(error))}
    return json.dumps(verdict, indent=1) + "\n"


def _listing(root: Path) -> str:
    lines = []
    for path in sorted(root.rglob("*")) if root.is_dir() else []:
        told = path.lstat()
        # Pictures are named by their content, which is nobody's business here.
        name = str(path.relative_to(root)) if path.suffix != ".jpg" else f"{path.parent.name}/{path.stem[:12]}….jpg"
        lines.append(f"{told.st_mode:o} {told.st_size:>10} {int(told.st_mtime)} {name}\n")
    return "".join(lines)


def _logs(files: tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    if shutil.which("journalctl"):
        for unit in UNITS:
            words = ["journalctl", "--no-pager", "--output", "short-iso", "--lines", str(LINES), "--unit", unit]
            told = subprocess.run(words, check=False, capture_output=True, text=True, errors="replace", timeout=60)
            yield f"{unit}.txt", told.stdout + told.stderr
    for number, file in enumerate(files, 1):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        yield f"{number}-{file.name}.txt", "".join(lines[-LINES:])


@click.command(name="bundle")
@click.argument("target", metavar="[FILE]", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--config",
    "named",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The table's configuration file; by default the one in its usual place.",
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A log file to take along, where the system keeps no journal; repeat it.",
)
def command(target: Path | None, named: Path | None, logs: tuple[Path, ...]) -> None:
    """Collect logs, facts and settings into FILE, without secrets or names, to find a fault with.

    FILE is a tar.gz archive; by default companion-bundle-TABLE-DATE.tar.gz in this folder.
    """
    config = load_table(named)
    file = target or Path(time.strftime(f"companion-bundle-{config.table}-%Y%m%d-%H%M%S.tar.gz"))
    if file.exists():
        raise NoRoomForBundle(f"{file} is there already: name another file")
    unfinished = file.with_name(file.name + ".unfinished")
    try:
        with tarfile.open(unfinished, "w:gz") as archive:
            for name, text in members(config, named, logs):
                content = text.encode()
                entry = tarfile.TarInfo(f"companion-bundle/{name}")
                entry.size, entry.mtime = len(content), int(time.time())
                archive.addfile(entry, io.BytesIO(content))
        unfinished.rename(file)
    finally:
        unfinished.unlink(missing_ok=True)
    click.echo(f"{file}: no names, no secrets, no pictures; what is in it stands in its about.txt")
