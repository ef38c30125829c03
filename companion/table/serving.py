"""A table on its socket and, for the hub, on TCP, until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import structlog
from aiohttp import web

from companion.config import TableConfig
from companion.config.shapes import split_address
from companion.table.api import table_app
from companion.table.bootstrap import Table, build_table
from companion.table.practice import add_practice

_log = structlog.get_logger()


class SocketTaken(Exception):
    """Another service answers on this table's socket."""

    code: ClassVar[str] = "socket-taken"


async def serve(config: TableConfig) -> None:
    """Run a table until it is told to stop.

    Raises:
        SocketTaken: Another service answers on the socket.
        JournalError: The journal can't be taken up.
        RigError: The rig can't be opened.
        OSError: A port is in use, or the socket's folder can't be made.
    """
    await _claim_socket(config.network.socket)
    table = build_table(config)
    runners: list[web.AppRunner] = []
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    try:
        await table.start()
        runners += await listen(table)
        _log.info("table is up", table=config.table, socket=str(config.network.socket), seq=table.service.seq)
        await stopping.wait()
    finally:
        for runner in runners:
            await runner.cleanup()
        await table.stop()


async def listen(table: Table) -> list[web.AppRunner]:
    """Open the API on the socket for the screen and, where configured, on TCP for the hub."""
    network = table.config.network
    screen = table_app(table.desk, "screen")
    if table.sim is not None:
        add_practice(screen, table.sim)
    network.socket.parent.mkdir(parents=True, exist_ok=True)
    runners = [await _serve_on(screen, lambda runner: web.UnixSite(runner, network.socket))]
    network.socket.chmod(stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IWGRP)
    if network.listen:
        host, port = split_address(network.listen)
        runners.append(await _serve_on(table_app(table.desk, "hub"), lambda runner: web.TCPSite(runner, host, port)))
    return runners


async def _serve_on(app: web.Application, site: Callable[[web.AppRunner], web.BaseSite]) -> web.AppRunner:
    # A client that keeps listening for events must not hold up the end of the service.
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await site(runner).start()
    return runner


async def _claim_socket(path: Path) -> None:
    """Make room for the socket: a dead one that a crash left behind is taken away, a living one is respected.

    Raises:
        SocketTaken: Somebody answers there.
    """
    if not path.is_socket():
        return
    try:
        _reader, writer = await asyncio.open_unix_connection(str(path))
    except OSError:
        path.unlink(missing_ok=True)
        return
    writer.close()
    raise SocketTaken(f"a table is already running on {path}: stop it first, or choose another socket")
