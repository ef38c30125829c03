"""Server-sent events: reading them from bytes, and telling many listeners without waiting for the slow ones."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from aiohttp import web
from aiohttp_sse import EventSourceResponse

MAX_EVENT_BYTES = 256 * 1024
"""Longest event that a reader takes in; a peer that sends more is no table."""

PING_EVERY_S = 5.0
_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event.

    Attributes:
        event: Its name; `message` where the sender gave none.
        data: Its text, lines joined by a newline.
    """

    event: str
    data: str


class EventTooLong(ValueError):
    """The sender goes on and on without ending an event."""


class EventParser:
    """Cuts a stream of bytes into events; pure, so that any split of the bytes gives the same events.

    Source:
        WHATWG HTML, "Server-sent events", interpretation of an event stream.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._event = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """The events that these bytes complete.

        Raises:
            EventTooLong: One event exceeds `MAX_EVENT_BYTES`.
        """
        self._rest += chunk
        while (end := _LINE_END.search(self._rest)) is not None:
            # A lone CR at the very end may be the first half of CRLF: wait for the next byte.
            if end.group() == b"\r" and end.end() == len(self._rest):
                break
            line, self._rest = self._rest[: end.start()], self._rest[end.end() :]
            self._size += len(line)
            self._check()
            done = self._take(line.decode(errors="replace"))
            if done is not None:
                yield done
        self._check()

    def _check(self) -> None:
        if self._size + len(self._rest) > MAX_EVENT_BYTES:
            raise EventTooLong(f"an event is longer than {MAX_EVENT_BYTES} bytes")

    def _take(self, line: str) -> ServerEvent | None:
        if not line:
            done = ServerEvent(self._event or "message", "\n".join(self._data)) if self._data else None
            self._event, self._data, self._size = "", [], 0
            return done
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        return None


class Broadcast:
    """Tells many listeners what is newest.

    A listener that is slow does not hold up the teller and misses nothing that matters: of each name only the newest
    event waits, since every event here means "look again", not "add this".
    """

    def __init__(self) -> None:
        self._mailboxes: set[_Mailbox] = set()

    @property
    def listeners(self) -> int:
        """How many listen now."""
        return len(self._mailboxes)

    def tell(self, event: str, data: str) -> None:
        """Leave an event for every listener; returns at once. To be called on the loop of the listeners."""
        for mailbox in self._mailboxes:
            mailbox.put(ServerEvent(event, data))

    def close(self) -> None:
        """End every stream: a server that stops must not wait for clients that never leave by themselves."""
        for mailbox in self._mailboxes:
            mailbox.end()

    @contextmanager
    def listening(self) -> Iterator[AsyncIterator[ServerEvent]]:
        """The events that are told from now on, for as long as the block lasts."""
        mailbox = _Mailbox()
        self._mailboxes.add(mailbox)
        try:
            yield mailbox.take()
        finally:
            self._mailboxes.discard(mailbox)

    async def serve(self, request: web.Request, *first: ServerEvent) -> web.StreamResponse:
        """Answer a request with the stream of events, until the client leaves or the server stops.

        Args:
            request: The request to answer.
            first: Events that this client hears at once.
        """
        stream: EventSourceResponse = EventSourceResponse(ping_interval=PING_EVERY_S)
        await stream.prepare(request)
        with self.listening() as told:
            async with stream:
                # The client has left: there is nobody to tell, and nothing went wrong.
                with contextlib.suppress(ConnectionResetError):
                    for event in first:
                        await stream.send(event.data, event=event.event)
                    async for event in told:
                        await stream.send(event.data, event=event.event)
        answer: web.StreamResponse = stream
        return answer


class _Mailbox:
    def __init__(self) -> None:
        self._newest: dict[str, ServerEvent] = {}
        self._filled = asyncio.Event()
        self._has_ended = False

    def put(self, event: ServerEvent) -> None:
        self._newest[event.event] = event
        self._filled.set()

    def end(self) -> None:
        self._has_ended = True
        self._filled.set()

    async def take(self) -> AsyncIterator[ServerEvent]:
        while not self._has_ended:
            await self._filled.wait()
            self._filled.clear()
            waiting, self._newest = self._newest, {}
            for event in waiting.values():
                yield event
