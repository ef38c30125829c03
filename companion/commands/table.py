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
def command(config_path: Path | None) -> None:
    """Own the camera, the panel, the clock and the journal of one table, until it is told to stop."""
    from companion.config import load_table
    from companion.hw.process import close_memory
    from companion.table.serving import serve

    close_memory()
    asyncio.run(serve(load_table(config_path)))
