"""`companion clock`: what a director does to a whole hall: one start, one signal, one secret length."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click


@click.group("clock")
@click.option("--state", type=click.Path(path_type=Path, file_okay=False), help="Folder of the hub's store.")
@click.option(
    "--config", "config_path", type=click.Path(path_type=Path), help="Configuration file instead of hub.toml."
)
@click.pass_context
def command(ctx: click.Context, state: Path | None, config_path: Path | None) -> None:
    """Start, stop and end the games of a whole hall, through the hub that runs on this machine.

    A secret length is drawn, or asked for without showing it; it is no option, since options can be read by others.
    """
    from companion.config.reading import load_hub
    from companion.hw.process import close_memory

    close_memory()
    ctx.obj = state if state is not None else load_hub(config_path).state_dir


HALL = click.option("--hall", help="Which hall; the one that runs unless named.")
REASON = click.option("--reason", required=True, help="Why; it is recorded at every table.")


@command.command(short_help="Seal one length and start all tables that are ready.")
@click.argument("tables", nargs=-1)
@click.option("--choose", is_flag=True, help="Ask for the length instead of drawing it.")
@click.option("--trust-new", is_flag=True, help="Take keys that were never seen as they are, without comparing them.")
@click.pass_obj
def start(folder: Path, tables: tuple[str, ...], choose: bool, trust_new: bool) -> None:
    """Seal one length and start TABLES at once, or all that are ready and whose keys were confirmed."""
    order: dict[str, Any] = {"verb": "start", "tables": tables, "trust_new": trust_new}
    if choose:
        order["minutes"] = click.prompt("minutes", hide_input=True, confirmation_prompt=True, type=int)
    told = _order(folder, order)
    click.echo(f"{told['hall']}: seal {told['seal']}")
    click.echo(f"started: {', '.join(told['tables']) or 'none'}")
    for table, why in told["late"].items():
        click.echo(f"not started: table {table}: {why}", err=True)
    _end(told["late"])


@command.command(short_help="Show all halls, their tables and the tables' keys.")
@click.pass_obj
def show(folder: Path) -> None:
    """Show all halls, their tables and the tables' keys; never a length."""
    told = asyncio.run(_asked(folder, None))
    for hall in told["halls"]:
        stands = f", stands: {hall['paused']}" if hall["paused"] else ", signal given" if hall["sounded"] else ""
        stands += f", length {hall['lost']}: give the signal yourself" if hall["lost"] else ""
        click.echo(f"{hall['hall']} ({hall['phase']}): seal {hall['seal']}, {hall['elapsed_ms'] // 60_000} min{stands}")
        for table, how in hall["tables"].items():
            click.echo(f"  table {table}: {how}")
            for trouble in hall["out_of_step"].get(table, ()):
                click.echo(f"    {trouble}")
    for table, fingerprint in told["keys"].items():
        click.echo(f"key of table {table}: {fingerprint}")


@command.command(short_help="Give the signal to a hall now.")
@HALL
@click.confirmation_option(prompt="End the game at all tables of the hall now?")
@click.pass_obj
def signal(folder: Path, hall: str | None) -> None:
    """Give the signal to all tables of a hall now."""
    _say(_order(folder, {"verb": "signal", "hall": hall}))


@command.command(short_help="Stop the clocks of a hall.")
@HALL
@REASON
@click.pass_obj
def pause(folder: Path, hall: str | None, reason: str) -> None:
    """Stop the clocks of all tables of a hall; they stay in step."""
    _say(_order(folder, {"verb": "pause", "hall": hall, "reason": reason}))


@command.command(short_help="Let the clocks of a hall run on.")
@HALL
@click.pass_obj
def resume(folder: Path, hall: str | None) -> None:
    """Let the clocks of all tables of a hall run on."""
    _say(_order(folder, {"verb": "resume", "hall": hall}))


@command.command(short_help="Give a hall extra time.")
@click.argument("minutes", type=click.IntRange(1, 60))
@HALL
@REASON
@click.pass_obj
def add(folder: Path, minutes: int, hall: str | None, reason: str) -> None:
    """Add MINUTES at all tables of a hall; they stay in step."""
    _say(_order(folder, {"verb": "add", "hall": hall, "minutes": minutes, "reason": reason}))


@command.command(short_help="Reveal a length though a table was not heard to end.")
@click.argument("hall")
@REASON
@click.confirmation_option(prompt="Does nobody play by this length any more?")
@click.pass_obj
def reveal(folder: Path, hall: str, reason: str) -> None:
    """Reveal the length of HALL though a table that was started by it was not heard to end."""
    _say(_order(folder, {"verb": "reveal", "hall": hall, "reason": reason}))


@command.command(short_help="Trust the key that a table has now.")
@click.argument("table")
@click.pass_obj
def trust(folder: Path, table: str) -> None:
    """Trust the key that TABLE has now; compare the fingerprint with what its health page shows."""
    told = _order(folder, {"verb": "trust", "tables": (table,)})
    click.echo(f"key of table {told['table']}: {told['fingerprint']}")


def _say(told: Mapping[str, Any]) -> None:
    click.echo(f"{told['hall']}: {', '.join(told.get('tables', ())) or 'done'}")
    for table, why in told.get("refused", {}).items():
        click.echo(f"not done: table {table}: {why}", err=True)
    _end(told.get("refused", {}))


def _end(undone: Mapping[str, str]) -> None:
    """Exit code 1 where a table has not done what all were to do."""
    if undone:
        raise click.exceptions.Exit(1)


def _order(folder: Path, order: dict[str, Any]) -> dict[str, Any]:
    wanted = {name: value for name, value in order.items() if value is not None}
    return asyncio.run(_asked(folder, wanted))


async def _asked(folder: Path, order: dict[str, Any] | None) -> dict[str, Any]:
    """What the hub answers.

    Raises:
        Unreachable: No hub runs there.
        Problem: It refuses.
    """
    import aiohttp
    import msgspec

    from companion.hub.director_door import DOOR
    from companion.lan.errors import Unreachable
    from companion.lan.problems import problem_of

    path = folder / DOOR
    connector = aiohttp.UnixConnector(path=str(path))
    try:
        async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=30)) as session:
            method = "GET" if order is None else "POST"
            body = None if order is None else msgspec.json.encode(order)
            async with session.request(method, "http://hub/v1/halls", data=body) as answer:
                raw = await answer.read()
                if answer.status != 200:
                    raise problem_of(answer.status, raw) or Unreachable(
                        f"{path} answers, but not as a hub", path=str(path)
                    )
                told: dict[str, Any] = msgspec.json.decode(raw)
                return told
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        if isinstance(error, Unreachable):
            raise
        raise Unreachable(
            f"no hub runs on {folder}, or this account may not order it: start it, or name its folder with --state",
            path=str(path),
        ) from error
