"""`companion journal`: check, carry away and restore the facts of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from companion.commands.saying import Sayings, lang_option
from companion.journal.checking import Finding, check
from companion.journal.errors import JournalDamaged
from companion.journal.export import Carried, export, restore

PROBLEM_FOUND = 1
PLACE = click.Path(path_type=Path)

MOST_NOTES = 5
"""Harmless findings of one kind that are told one by one: a game lets go of hundreds of pictures."""


@click.group(name="journal")
def command() -> None:
    """Verify, export or restore the journal of a table.

    Exit code 0 means that all is well, 1 that something does not hold, 2 that the job could not be done.
    """


@command.command(short_help="Prove the chain and the pictures.")
@click.argument("place", metavar="DIR", type=PLACE)
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as one JSON object.")
@lang_option
@click.pass_context
def verify(ctx: click.Context, place: Path, as_json: bool, lang: str) -> None:
    """Prove the chain and the pictures of DIR: a state folder, an export, or a file of lines.

    A table may be running on it. What is found of a secret length is said in the language of the terminal; the details
    behind it are in English.
    """
    say = Sayings("verify", lang)
    try:
        verdict = check(place)
    except JournalDamaged as damage:
        click.echo(f"problem: {damage}", err=True)
        ctx.exit(PROBLEM_FOUND)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(verdict).decode())
    else:
        name = f"table {verdict.table}: " if verdict.table else ""
        click.echo(f"{name}{verdict.records} records hold, head {verdict.head.hash}, {verdict.pictures} pictures whole")
        for note in _notes(verdict.findings, say):
            click.echo(f"note: {note}")
    for finding in verdict.findings:
        if finding.is_problem:
            click.echo(f"problem: {place}: {_told(finding, say)}", err=True)
    ctx.exit(0 if verdict.holds else PROBLEM_FOUND)


def _told(finding: Finding, say: Sayings) -> str:
    return f"{say(finding.code)} ({finding.message})" if say.knows(finding.code) else finding.message


def _notes(findings: Iterable[Finding], say: Sayings) -> Iterator[str]:
    """What is harmless, in the order in which it was found; of many of one kind some and how many more."""
    told: Counter[str] = Counter()
    for finding in findings:
        if not finding.is_problem:
            told[finding.code] += 1
            if told[finding.code] <= MOST_NOTES:
                yield _told(finding, say)
    for code, count in told.items():
        if count > MOST_NOTES:
            yield f"and {count - MOST_NOTES} more: {code}"


@command.command("export", short_help="Copy facts and pictures into a new folder.")
@click.argument("state", metavar="DIR", type=PLACE)
@click.argument("target", metavar="NEW_DIR", type=PLACE)
@click.option("--with-names", is_flag=True, help="Take names and contacts along; they stay behind otherwise.")
def export_command(state: Path, target: Path, with_names: bool) -> None:
    """Copy the facts and pictures of the state folder DIR into NEW_DIR; the table may be running."""
    _tell(export(state, target, with_names=with_names), f"exported to {target}")


@command.command("restore", short_help="Make a state folder from an export.")
@click.argument("source", metavar="EXPORT", type=PLACE)
@click.argument("state", metavar="NEW_DIR", type=PLACE)
@click.option("--table", "table_id", metavar="ID", help="Whose journal it is, for a bare file of lines.")
def restore_command(source: Path, state: Path, table_id: str | None) -> None:
    """Make a state folder NEW_DIR from an export, or from a file of lines that the hub handed out."""
    _tell(restore(source, state, table_id=table_id), f"restored to {state}")


def _tell(carried: Carried, where: str) -> None:
    click.echo(f"table {carried.table}: {carried.head.seq} records and {carried.pictures} pictures {where}")
    if carried.missing:
        click.echo(f"note: {len(carried.missing)} pictures were not there any more")
