"""`companion table`: the service that owns one table."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click


@click.command("table", short_help="run the service of one table")
@click.option(
    "--config",
    "config_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The table's configuration file (default: its usual place).",
)
@click.option(
    "--socket-group",
    default="",
    metavar="GROUP",
    help="The screen's: its members may open the socket.",
)
@click.option("--choose-pin", is_flag=True, help="Ask for the referee's first PIN, keep it, and end.")
def command(config_path: Path | None, socket_group: str, choose_pin: bool) -> None:
    """Own the camera, the panel, the clock and the journal of one table, until it is told to stop."""
    from companion.config import load_table
    from companion.table.pins import referee_pin

    if choose_pin:
        pin = referee_pin(load_table(config_path).state_dir)
        pin.choose(click.prompt("The referee's PIN, 4 to 8 digits", hide_input=True, confirmation_prompt=True))
        click.echo("the referee's PIN is chosen")
        return
    from companion.hw.process import close_memory
    from companion.table.serving import serve

    close_memory()
    asyncio.run(serve(load_table(config_path), socket_group=socket_group))
