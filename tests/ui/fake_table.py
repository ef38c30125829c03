"""A table that speaks docs/api.md and does nothing else: its state is set by the test, what it is asked is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp_sse import sse_response

from companion.lan.problems import Problem, problems


class FakeTable:
    """One table.

    Attributes:
        state: What `GET /v1/state` answers.
        draft: What lies on its disk.
        asked: Bodies of the commands it got, in order.
        pins: PINs that were chosen.
        checks: What of the panel was tried out.
        on_command: Called with each command; may change the state or raise a `Problem`.
        lost: How many answers to commands get lost on the way, after the command was taken.
        live: What its events say about twice a second besides the clock.
        is_mute: Whether its events say nothing any more, while the socket stays open.
        pictures: JPEG by hash.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self.draft: dict[str, Any] = {}
        self.asked: list[dict[str, Any]] = []
        self.pins: list[str] = []
        self.checks: list[dict[str, Any]] = []
        self.on_command: Callable[[FakeTable, dict[str, Any]], None] = lambda _table, _body: None
        self.lost = 0
        self.live: dict[str, Any] = {}
        self.is_mute = False
        self.pictures: dict[str, bytes] = {}
        self._done: set[str] = set()
        self._moved = asyncio.Event()

    def become(self, state: dict[str, Any]) -> None:
        """Go on to another state and nudge whoever listens."""
        self.state = {**state, "seq": self.state["seq"] + 1}
        self._moved.set()

    @asynccontextmanager
    async def served(self, socket: Path) -> AsyncIterator[FakeTable]:
        """The table at a Unix socket."""
        app = web.Application(middlewares=[problems])
        app.add_routes(
            [
                web.get("/v1/state", self._state),
                web.get("/v1/events", self._events),
                web.post("/v1/commands", self._command),
                web.get("/v1/draft", self._draft),
                web.put("/v1/draft", self._put_draft),
                web.put("/v1/pin", self._pin),
                web.post("/v1/checks", self._checks),
                web.get("/v1/evidence/{hash}", self._evidence),
            ]
        )
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.UnixSite(runner, str(socket)).start()
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _state(self, _: web.Request) -> web.Response:
        return web.json_response(self.state)

    async def _events(self, request: web.Request) -> web.StreamResponse:
        async with sse_response(request) as stream:
            while stream.is_connected():
                if not self.is_mute:
                    await stream.send(json.dumps({"seq": self.state["seq"]}), event="seq")
                    await stream.send(json.dumps({"clock": self.state.get("clock"), **self.live}), event="live")
                self._moved.clear()
                try:
                    await asyncio.wait_for(self._moved.wait(), 0.1)
                except TimeoutError:
                    continue
        return stream

    async def _command(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if body["id"] not in self._done:
            self.asked.append(body)
            self.on_command(self, body)
            self._done.add(body["id"])
        if self.lost:
            self.lost -= 1
            assert request.transport is not None
            request.transport.close()
        return web.json_response({"seq": self.state["seq"], "events": []})

    async def _draft(self, _: web.Request) -> web.Response:
        return web.json_response(self.draft)

    async def _put_draft(self, request: web.Request) -> web.Response:
        self.draft = await request.json()
        return web.json_response({})

    async def _pin(self, request: web.Request) -> web.Response:
        self.pins.append((await request.json())["pin"])
        self.state = {**self.state, "pin_set": True}
        return web.json_response({"pin_set": True})

    async def _checks(self, request: web.Request) -> web.Response:
        self.checks.append(await request.json())
        return web.json_response({})

    async def _evidence(self, request: web.Request) -> web.Response:
        picture = self.pictures.get(request.match_info["hash"])
        if picture is None:
            raise Problem("evidence", "no such picture", status=404)
        return web.Response(body=picture, content_type="image/jpeg")
