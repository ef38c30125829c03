"""The composition root of the hub: everything is made here and handed to whoever uses it."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from companion.config.shapes import HubConfig, split_address
from companion.hub.app import hub_app
from companion.hub.collect import Collector
from companion.hub.director import Director
from companion.hub.director_door import served_to_director
from companion.hub.disputes import Pictures
from companion.hub.hall import Hall
from companion.hub.ledger import Ledger
from companion.hub.lengths import LengthStore
from companion.hw.clock import boot_id, boot_ns
from companion.journal import Evidence
from companion.lan.addresses import TableAddress
from companion.lan.client import TableClient


class HubError(Exception):
    """The hub cannot start.

    Attributes:
        code: `hub-busy`, `port-in-use` or `state-unwritable`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """A hub that runs.

    Attributes:
        url: Where its page is.
        hall: What it knows.
        failure: Done when a part of it has failed; awaiting it raises what happened.
    """

    url: str
    hall: Hall
    failure: asyncio.Task[None]


@asynccontextmanager
async def running_hub(config: HubConfig, *, now_ns: Callable[[], int] = boot_ns) -> AsyncIterator[Hub]:
    """A hub that collects and serves for as long as the block lasts.

    Args:
        config: Its configuration; port 0 takes a free one.
        now_ns: Boot clock.

    Raises:
        HubError: Its state is in use or cannot be written, or its port is taken.
        LedgerError: Its store cannot be used.
        BadAddress: A table's address is none.
    """
    addresses = {str(address): address for address in map(TableAddress.parse, config.tables)}
    async with AsyncExitStack() as stack:
        stack.enter_context(_claimed(config.state_dir))
        ledger = await Ledger.open(config.database or f"sqlite+aiosqlite:///{config.state_dir / 'hub.sqlite'}")
        stack.push_async_callback(ledger.close)
        hall = Hall(addresses)
        await hall.load(ledger)
        store = Evidence(config.state_dir / "pictures")
        pictures = Pictures(store)
        collectors = []
        clients: dict[str, TableClient] = {}
        for name, address in addresses.items():
            client = await stack.enter_async_context(TableClient.at(address))
            client.wall_ms = wall_ms
            clients[name] = client
            contact = hall.contacts[name]
            collectors.append(
                Collector(contact, client, hall=hall, ledger=ledger, now_ns=now_ns, wall=wall_text, pictures=pictures)
            )
        director = Director(
            hall,
            clients,
            LengthStore(config.state_dir),
            now_ns=now_ns,
            boot=boot_id(),
        )
        await stack.enter_async_context(served_to_director(director, config.state_dir))
        url = await stack.enter_async_context(
            _served(hub_app(hall, ledger, lang=config.lang, now_ns=now_ns, pictures=store), config)
        )
        collecting = asyncio.create_task(_collect(collectors, director))
        try:
            yield Hub(url=url, hall=hall, failure=collecting)
        finally:
            collecting.cancel()
            await asyncio.gather(collecting, return_exceptions=True)


async def run_hub(config: HubConfig, on_ready: Callable[[Hub], None]) -> None:
    """Run a hub until it is told to stop by SIGINT or SIGTERM.

    Args:
        config: Its configuration.
        on_ready: Called once, when the page can be opened.

    Raises:
        HubError: As `running_hub`, like the others.
    """
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with running_hub(config) as hub:
        on_ready(hub)
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({stopping, hub.failure}, return_when=asyncio.FIRST_COMPLETED)
        if hub.failure.done():
            hub.failure.result()
        stopping.cancel()


def wall_ms() -> int:
    """Wall time now, ms since 1970."""
    return int(datetime.now(UTC).timestamp() * 1000)


def wall_text() -> str:
    """Wall time now, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def _collect(collectors: list[Collector], director: Director) -> None:
    async with asyncio.TaskGroup() as tasks:
        for collector in collectors:
            tasks.create_task(collector.run())
        tasks.create_task(director.run())


@asynccontextmanager
async def _served(app: web.Application, config: HubConfig) -> AsyncIterator[str]:
    host, port = split_address(config.listen)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=2.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            why = "is in use: stop the other program, or choose another with --listen"
            if error.errno != errno.EADDRINUSE:
                why = f"cannot be listened on ({error.strerror})"
            raise HubError("port-in-use", f"{config.listen} {why}") from error
        bound = runner.addresses[0][1]
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{bound}/"
    finally:
        await runner.cleanup()


@contextmanager
def _claimed(state_dir: Path) -> Iterator[None]:
    """Keep a second hub off the same state."""
    try:
        state_dir.mkdir(parents=True, exist_ok=True)
        handle = os.open(state_dir / "hub.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise HubError(
            "state-unwritable", f"{state_dir} cannot be used for the hub's state ({error.strerror}): name another one"
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HubError(
                "hub-busy",
                f"a hub is already running on {state_dir}: stop it, or give this one a state folder of its own",
            ) from error
        yield
    finally:
        os.close(handle)
