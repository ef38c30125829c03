"""A client of one table's API, over its Unix socket or over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import aiohttp
import msgspec

from companion.lan.addresses import TableAddress
from companion.lan.boxes import is_key
from companion.lan.errors import NotATable, Unreachable
from companion.lan.events import EventParser, EventTooLong, ServerEvent
from companion.lan.messages import CommandAnswer, CommandRequest, JournalPage, Proof
from companion.lan.problems import problem_of

ANSWER_WITHIN_S = 5.0
"""A table that takes longer is taken for gone; the caller asks again."""

SILENCE_S = 20.0
"""A stream of events that is silent for longer, pings included, is taken for dead."""

WALL_HEADER = "X-Hub-Wall"
"""Milliseconds since 1970 by the hub's wall clock."""

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""Larger answers are refused: no table gives them."""

Shape = TypeVar("Shape")


class TableClient:
    """Speaks docs/api.md with one table.

    Every call raises `Unreachable` when nobody answers in time, `NotATable` when the answer is not the documented
    one, and `Problem` when the table refuses.

    Args:
        socket: Path of the table's Unix socket.
        url: Scheme, host and port; exactly one of the two is given.

    Attributes:
        address: Where the table answers.
        wall_ms: The caller's wall clock, which a hub tells with each question: a table may have none that is right.
    """

    def __init__(self, *, socket: Path | None = None, url: str | None = None) -> None:
        if (socket is None) == (url is None):
            raise ValueError("a table client needs a socket or a url, one of them")
        self.address = TableAddress(socket=socket, url=url)
        self._base = url or "http://table"
        self._session: aiohttp.ClientSession | None = None
        self.wall_ms: Callable[[], int] | None = None

    @classmethod
    def at(cls, address: TableAddress) -> Self:
        """The client for an address."""
        return cls(socket=address.socket, url=address.url)

    async def state(self, lang: str | None = None) -> dict[str, Any]:
        """The whole table as one view, its ready-made sentences in that language."""
        query = {} if lang is None else {"lang": lang}
        return self._decoded(await self._call("GET", "/v1/state", params=query), dict[str, Any])

    async def command(
        self,
        command_id: str,
        command: str,
        args: dict[str, Any] | None = None,
        *,
        expected_seq: int | None = None,
        pin: str | None = None,
    ) -> CommandAnswer:
        """Ask the table to do something; safe to repeat with the same id after `Unreachable`."""
        ask = CommandRequest(id=command_id, command=command, args=args or {}, expected_seq=expected_seq, pin=pin)
        return self._decoded(await self._call("POST", "/v1/commands", data=msgspec.json.encode(ask)), CommandAnswer)

    async def journal(self, after: int = 0, limit: int = 1000) -> JournalPage:
        """The records behind `after`, oldest first, at most `limit`."""
        query = {"after": str(after), "limit": str(limit)}
        async with self._asked("GET", "/v1/journal", params=query) as answer:
            body = await self._read(answer)
            table, head = answer.headers.get("X-Journal-Table", ""), answer.headers.get("X-Journal-Head", "")
        if not table or not (head.isascii() and head.isdecimal()):
            raise self._strange("its journal does not say whose it is or how long")
        # The standard parser, not the fast one: it keeps numbers of any size, and the hash is over all digits.
        try:
            records = tuple(json.loads(line) for line in body.splitlines() if line.strip())
        except (ValueError, RecursionError) as error:
            raise self._strange(f"a line of its journal is no JSON ({error})") from error
        if not all(isinstance(record, dict) for record in records):
            raise self._strange("a line of its journal is no record")
        return JournalPage(table=table, head=int(head), records=records)

    async def events(self) -> AsyncIterator[ServerEvent]:
        """The table's nudges, until the connection ends; connecting again is the caller's business.

        Raises:
            Unreachable: The connection broke, or was silent for `SILENCE_S`.
        """
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=ANSWER_WITHIN_S, sock_read=SILENCE_S)
        parser = EventParser()
        async with self._asked("GET", "/v1/events", timeout=timeout) as answer:
            if answer.content_type != "text/event-stream":
                raise self._strange("it sends no events")
            async for chunk in answer.content.iter_any():
                try:
                    for event in parser.feed(chunk):
                        yield event
                except EventTooLong as error:
                    raise self._strange(str(error)) from error

    async def draft(self) -> dict[str, Any]:
        """The half-typed board; empty when there is none."""
        return self._decoded(await self._call("GET", "/v1/draft"), dict[str, Any])

    async def put_draft(self, draft: dict[str, Any]) -> None:
        """Keep a half-typed board at the table, durably."""
        await self._call("PUT", "/v1/draft", data=msgspec.json.encode(draft))

    async def key(self) -> tuple[str, str]:
        """The table's public key in hexadecimal, and the turn that a letter to it must be about."""
        told = self._decoded(await self._call("GET", "/v1/key"), dict[str, str])
        key, turn = told.get("key", ""), told.get("turn", "")
        if re.fullmatch(r"[0-9a-f]{64}", key) is None or not is_key(bytes.fromhex(key)):
            raise self._strange("its key is none")
        if re.fullmatch(r"[0-9a-f]{48}", turn) is None:
            raise self._strange("it gives no turn for a letter")
        return key, turn

    async def proof(self, asked: str) -> Proof:
        """How far the table's journal is, with the answer to a question that only the owner of its key can give."""
        return self._decoded(await self._call("GET", "/v1/proof", params={"asked": asked}), Proof)

    async def choose_pin(self, pin: str) -> None:
        """Choose the referee's first PIN at the table's own screen."""
        await self._call("PUT", "/v1/pin", data=msgspec.json.encode({"pin": pin}))

    async def practice(self, verb: str, **args: Any) -> dict[str, Any]:
        """Do something in the world outside a simulated rig: throw, lift, press, cover, plug."""
        body = msgspec.json.encode({"verb": verb, **args})
        return self._decoded(await self._call("POST", "/v1/practice", data=body), dict[str, Any])

    async def evidence(self, name: str) -> bytes:
        """The picture with that SHA-256, as JPEG."""
        return await self._call("GET", f"/v1/evidence/{name}")

    async def live(self) -> bytes:
        """The newest picture of the box, as JPEG."""
        return await self._call("GET", "/v1/live.jpg")

    async def close(self) -> None:
        """Let go of all connections; twice is fine."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _opened(self) -> aiohttp.ClientSession:
        # Made at the first call and not in the constructor, because it binds to the loop that runs then.
        if self._session is None:
            socket = self.address.socket
            connector = aiohttp.UnixConnector(path=str(socket)) if socket is not None else aiohttp.TCPConnector()
            self._session = aiohttp.ClientSession(
                base_url=self._base,
                connector=connector,
                timeout=aiohttp.ClientTimeout(total=ANSWER_WITHIN_S),
                headers={"Content-Type": "application/json"},
                trust_env=False,
            )
        return self._session

    @asynccontextmanager
    async def _asked(self, method: str, path: str, **parts: Any) -> AsyncIterator[aiohttp.ClientResponse]:
        try:
            told = {} if self.wall_ms is None else {WALL_HEADER: str(self.wall_ms())}
            async with self._opened().request(method, path, allow_redirects=False, headers=told, **parts) as answer:
                if answer.status != 200:
                    await self._refuse(answer)
                yield answer
        except TimeoutError as error:
            raise Unreachable(
                f"{self.address} did not answer in time", address=str(self.address), why="timeout"
            ) from error
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, Unreachable):
                raise
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise Unreachable(
                f"{self.address} cannot be reached ({why})", address=str(self.address), why=why
            ) from error

    async def _call(self, method: str, path: str, **parts: Any) -> bytes:
        async with self._asked(method, path, **parts) as answer:
            return await self._read(answer)

    async def _read(self, answer: aiohttp.ClientResponse) -> bytes:
        body = bytearray()
        async for chunk in answer.content.iter_any():
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise self._strange(f"an answer is longer than {MAX_ANSWER_BYTES} bytes")
        return bytes(body)

    async def _refuse(self, answer: aiohttp.ClientResponse) -> None:
        problem = problem_of(answer.status, await self._read(answer))
        if problem is None:
            raise self._strange(f"it answers {answer.status} to {answer.method} {answer.url.path}")
        raise problem

    def _decoded(self, body: bytes, shape: type[Shape]) -> Shape:
        try:
            return msgspec.json.decode(body, type=shape)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._strange(f"an answer is not of the documented form ({error})") from error

    def _strange(self, why: str) -> NotATable:
        return NotATable(
            f"{self.address} answers, but not as a table of this version does: {why}",
            address=str(self.address),
            why=why,
        )
