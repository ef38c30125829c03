"""`companion draw`: the tables of one round by a lot that anybody can replay."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

import click
import msgspec

from companion.commands.rule_files import (
    BadFile,
    check_round,
    chosen_rules,
    guarded,
    json_text,
    options_of,
    read_json,
    read_players,
    rules_told,
    tell_unchosen,
)
from companion.commands.saying import spoken_language
from companion.rules.draw import Draw, draw_round
from companion.rules.errors import RulesError
from companion.rules.ruleset import SYSTEMS, Ruleset


class TableRow(msgspec.Struct):
    """One table of an earlier draw."""

    players: list[str]


class DrawFile(msgspec.Struct):
    """What this command printed for an earlier round; what else it printed is passed over."""

    round: int
    tables: list[TableRow]


def sizes_of(_ctx: click.Context, _option: click.Parameter, value: str | None) -> list[int] | None:
    """Table sizes from words such as '4,4,4'."""
    if value is None:
        return None
    try:
        return [int(size) for size in value.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{value[:40]!r} are no table sizes; write them as 4,4,4") from error


@click.command(name="draw")
@click.argument("players", metavar="PLAYERS.csv", type=click.Path(path_type=Path))
@click.option("--number", required=True, help="The published number that the lot follows from, such as thrown dice.")
@click.option("--round", "round_", type=click.IntRange(min=1), default=1, show_default=True, help="Which round.")
@click.option("--system", type=click.Choice(SYSTEMS), show_default="nl1996", help="Whose table sizes.")
@click.option("--sizes", callback=sizes_of, metavar="4,4,4", help="Table sizes that the organiser chose.")
@click.option("--earlier", multiple=True, type=click.Path(path_type=Path), help="An earlier draw; repeat it.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the rules; repeat it.")
@click.option("--ruleset", type=click.Path(path_type=Path), help="A club's own ruleset file.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a table for a spreadsheet.")
def command(
    players: Path,
    *,
    number: str,
    round_: int,
    system: str | None,
    sizes: list[int] | None,
    earlier: tuple[Path, ...],
    options: tuple[str, ...],
    ruleset: Path | None,
    as_csv: bool,
) -> None:
    """Draw players into tables.

    The same players, number, round and options give the same tables on every machine; docs/draw.md tells how to
    replay the lot by hand.
    """
    names = read_players(players)
    rules = chosen_rules(system, ruleset, options_of(options))
    check_round(players, round_, rules)
    before = [[table.players for table in read_json(path, DrawFile).tables] for path in earlier]
    try:
        found = draw_round(names, number=number, round_=round_, ruleset=rules, earlier=before, sizes=sizes)
    except RulesError as error:
        raise BadFile(f"{players}: {error}") from error
    if ruleset is None:
        tell_unchosen(rules, options_of(options), lang=spoken_language(os.environ))
    if as_csv:
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["table", "player"])
        writer.writerows(guarded([at, name]) for at, table in enumerate(found.tables, start=1) for name in table)
        click.echo(text.getvalue(), nl=False)
        return
    click.echo(json_text(_told(found, rules)))


def _told(found: Draw, rules: Ruleset) -> dict[str, Any]:
    return {
        "system": rules.system,
        "ruleset": rules_told(rules),
        "round": found.round,
        "number": found.number,
        "rematches": found.rematches,
        "tables": [{"table": at, "players": list(table)} for at, table in enumerate(found.tables, start=1)],
    }
