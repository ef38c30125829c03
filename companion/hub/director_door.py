"""The director's door: a Unix socket in the hub's state folder that only the hub's own account can open.

The hub's page only shows; what a director does to a whole hall comes through here, from `companion clock` on the same
machine. So nobody on the LAN can start, end or reveal anything at the hub, and no length ever travels but in a letter.
"""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from aiohttp import web

from companion.hub.director import Director
from companion.journal import JournalError
from companion.lan.errors import PeerError
from companion.lan.problems import Problem, problems
from companion.rules.errors import RulesError

DOOR = "director.sock"

Verb = Literal["start", "signal", "pause", "resume", "add", "reveal", "trust"]


class Order(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a director wants.

    Attributes:
        verb: What.
        hall: Which hall; the one that runs unless named.
        tables: Tables to start; those that are ready unless named. For `trust`, the one whose key changed.
        minutes: For `start` a chosen length, for `add` the extra time.
        trust_new: For `start`: whether keys that were never seen are taken as they are.
        reason: Why, for pause, extra time and an early reveal.
    """

    verb: Verb
    hall: str | None = None
    tables: tuple[str, ...] = ()
    minutes: Annotated[int, msgspec.Meta(ge=1, le=600)] | None = None
    trust_new: bool = False
    reason: str = ""


@asynccontextmanager
async def served_to_director(director: Director, folder: Path) -> AsyncIterator[Path]:
    """The door, open for as long as the block lasts."""
    app = web.Application(middlewares=[problems])

    async def tell(_request: web.Request) -> web.Response:
        return _json(director.told())

    async def order(request: web.Request) -> web.Response:
        try:
            wanted = msgspec.json.decode(await request.read(), type=Order)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise Problem("malformed-body", "the body is not an order as documented", {}) from None
        try:
            return _json(await _carry_out(director, wanted))
        except PeerError as error:
            raise Problem(error.code, str(error), error.values, status=502) from error
        except (RulesError, JournalError) as error:
            raise Problem(error.code, str(error), {}, status=422) from error

    app.add_routes([web.get("/v1/halls", tell), web.post("/v1/halls", order)])
    path = folder / DOOR
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.SockSite(runner, _bound(path)).start()
        yield path
    finally:
        await runner.cleanup()
        path.unlink(missing_ok=True)


def _bound(path: Path) -> socket.socket:
    """A socket that was never open to others, not even for the moment between its making and its rights."""
    path.unlink(missing_ok=True)
    taken = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        taken.bind(str(path))
    finally:
        os.umask(before)
    return taken


async def _carry_out(director: Director, order: Order) -> dict[str, Any]:
    if order.verb in ("pause", "add", "reveal") and not order.reason.strip():
        raise Problem("reason-missing", "say why: give a reason", {})
    match order.verb:
        case "start":
            return await director.start(order.tables, order.minutes, trust_new=order.trust_new)
        case "signal":
            return await director.signal(order.hall)
        case "pause":
            return await director.pause(order.hall, order.reason)
        case "resume":
            return await director.resume(order.hall)
        case "add":
            if order.minutes is None:
                raise Problem("minutes-missing", "say how many minutes are added", {})
            return await director.add(order.hall, order.minutes, order.reason)
        case "reveal":
            return await director.reveal(order.hall or "", order.reason)
        case "trust":
            if len(order.tables) != 1:
                raise Problem("table-missing", "name the one table whose key is to be trusted", {})
            return await director.trust(order.tables[0])


def _json(value: Any) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), content_type="application/json")
