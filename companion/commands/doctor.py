"""`companion doctor`: this machine and this rig, part by part, before the players come."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib import util
from pathlib import Path

import click

from companion.commands.checkup import machine as of_machine
from companion.commands.checkup import rig as of_rig
from companion.commands.checkup.finding import Finding, Machine
from companion.commands.saying import Sayings, lang_option
from companion.config import load_hub, load_table, load_ui

SOMETHING_FAILS = 1


def examine(named: Path | None, machine: Machine, *, lang: str = "en") -> Iterator[Finding]:
    """Every check, in the order in which a person would mend things.

    Args:
        named: The table's configuration file, or None for the usual one.
        machine: Where to look.
        lang: Language of what a running service says of its parts.
    """
    yield from of_machine.versions()
    yield from of_machine.packages()
    yield from of_machine.typeface(_typeface_file())
    yield from of_machine.groups(of_machine.own_groups(), is_root=os.geteuid() == 0)
    yield from of_machine.wall_clock(machine)
    yield from of_machine.network(machine)
    yield from of_rig.power(machine)
    table, told = of_rig.configuration("table", load_table, named)
    yield from told
    yield from of_rig.configuration("ui", load_ui, None)[1]
    hub, told = of_rig.configuration("hub", load_hub, None)
    yield from told
    if hub is not None:
        yield from of_machine.disk("hub", hub.state_dir)
    if table is not None:
        yield from of_machine.disk("table", table.state_dir)
        yield from of_machine.card(table.state_dir, machine)
        yield from of_rig.camera(table.hw.camera, machine)
        yield from of_rig.panel(table.hw.panel, machine)
        yield from of_rig.service(table.network.socket, lang)
        yield from of_rig.journal(table)


def _typeface_file() -> Path | None:
    # The doctor must run on a machine that lacks the very packages that it reports as missing.
    if not util.find_spec("reportlab"):
        return None
    from companion.paper.fonts import face_file

    return face_file()


@click.command(name="doctor")
@click.option(
    "--config",
    "named",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The table's configuration file; by default the one in its usual place.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per finding.")
@lang_option
@click.pass_context
def command(ctx: click.Context, named: Path | None, as_json: bool, lang: str) -> None:
    """Check this machine and this rig, part by part, and say what to do.

    Each line begins with ok, warn or fail; of a table that is running, the lines of its health page come along. Exit
    code 1 when anything fails.
    """
    say = Sayings("doctor", lang)
    fails = False
    for finding in examine(named, Machine(), lang=lang):
        fails = fails or finding.state == "fail"
        said = finding.said or say(f"{finding.part}.{finding.code}", **finding.values)
        part = finding.part if finding.said else say(f"part.{finding.part}")
        if as_json:
            line = {
                "part": finding.part,
                "state": finding.state,
                "code": finding.code,
                "values": dict(finding.values),
                "said": said,
            }
            click.echo(json.dumps(line, ensure_ascii=False))
        else:
            click.echo(f"{finding.state:4}  {part}: {said}")
    ctx.exit(SOMETHING_FAILS if fails else 0)
