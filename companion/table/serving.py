"""A table on its socket and, for the hub, on TCP, until it is told to stop."""

from __future__ import annotations

import asyncio
import grp
import os
import signal
import socket
import stat
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


class AddressRefused(Exception):
    """The table can't be reached where its configuration says."""

    code: ClassVar[str] = "address-refused"


async def serve(config: TableConfig, *, socket_group: str = "") -> None:
    """Run a table until it is told to stop.

    Its addresses are taken before its first fact is written, so that a start which fails leaves nothing behind.

    Args:
        config: The table's configuration.
        socket_group: Group whose members may open the socket beside the service's own user; empty for its own group.

    Raises:
        SocketTaken: Another service answers on the socket.
        AddressRefused: A port is in use, or the socket can't be made.
        JournalError: The journal can't be taken up.
        UnreadableGame: The journal holds, but its game can't be taken up.
        RigError: The rig can't be opened.
    """
    path = config.network.socket
    await _claim_socket(path)
    table = build_table(config)
    runners: list[web.AppRunner] = []
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    bound: list[socket.socket] = []
    try:
        bound.append(_bound_to_path(path, socket_group))
        if config.network.listen:
            bound.append(_bound_to_port(config.network.listen))
        await table.start()
        runners += await listen(table, bound)
        _log.info(
            "table is up",
            table=config.table,
            socket=str(path),
            seq=table.service.seq,
            key=table.service.secrets.key.fingerprint,
        )
        await stopping.wait()
    finally:
        for runner in runners:
            await runner.cleanup()
        for taken in bound:
            taken.close()
        if bound:
            path.unlink(missing_ok=True)
            _unheard(path).unlink(missing_ok=True)
        await table.stop()


async def listen(table: Table, bound: list[socket.socket]) -> list[web.AppRunner]:
    """Serve the API on bound sockets: the first is the screen's, a second the hub's.

    The screen's gets its proper name last: whoever sees the socket can connect to it.
    """
    screen = table_app(table.desk, "screen")
    if table.sim is not None:
        add_practice(screen, table.sim)
    apps = (screen, table_app(table.desk, "hub"))
    runners = [await _serve_on(app, taken) for app, taken in zip(apps, bound, strict=False)]
    path = table.config.network.socket
    _unheard(path).replace(path)
    return runners


async def _serve_on(app: web.Application, taken: socket.socket) -> web.AppRunner:
    # A client that keeps listening for events must not hold up the end of the service.
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.SockSite(runner, taken).start()
    return runner


def _unheard(path: Path) -> Path:
    """The socket's name while nobody listens on it yet."""
    return path.with_name(path.name + ".new")


def _bound_to_path(path: Path, group: str) -> socket.socket:
    if path.exists():
        raise AddressRefused(f"{path} is there already and is no socket: name another place as socket in [network]")
    fresh = _unheard(path)
    taken = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh.is_socket():
            fresh.unlink()
        taken.bind(str(fresh))
        if group:
            _give_to(fresh, group)
        fresh.chmod(stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IWGRP)
    except OSError as error:
        taken.close()
        raise AddressRefused(
            f"the socket {path} cannot be made ({_why(error)}): name another place as socket in [network]"
        ) from error
    except AddressRefused:
        taken.close()
        fresh.unlink()
        raise
    return taken


def _give_to(fresh: Path, group: str) -> None:
    """Let a group open the socket; nobody needs rights of root to give to a group that they are in themselves."""
    try:
        os.chown(fresh, -1, grp.getgrnam(group).gr_gid)
    except KeyError as error:
        raise AddressRefused(
            f"the socket cannot be given to the group {group}: this machine has none of that name; make it, as "
            "systemd-sysusers does at installation, or start without --socket-group"
        ) from error
    except PermissionError as error:
        raise AddressRefused(
            f"the socket cannot be given to the group {group}: this user is not in it; add the user to the group, or "
            "start without --socket-group"
        ) from error


def _bound_to_port(address: str) -> socket.socket:
    host, port = split_address(address)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise AddressRefused(
            f"{address} cannot be listened on ({_why(error)}): stop the program that holds it, or name another "
            "address as listen in [network]"
        ) from error


def _why(error: OSError) -> str:
    why = error.strerror or str(error)
    return why[:1].lower() + why[1:]


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
