"""Server-sent events: any split of the bytes reads the same, and slow listeners miss nothing that matters."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from aiohttp import ClientSession, web
from hypothesis import given
from hypothesis import strategies as st

from companion.lan.events import MAX_EVENT_BYTES, Broadcast, EventParser, EventTooLong, ServerEvent

STREAM = (
    b': ping\r\n\r\nevent: seq\r\ndata: {"seq": 1}\r\n\r\n'
    b"data: first\ndata:second\nid: 7\n\n"
    b"event: live\rdata: Zo\xc3\xab\r\r"
    b"event: empty\n\n"
    b"data: last\n\n"
)
EVENTS = [
    ServerEvent("seq", '{"seq": 1}'),
    ServerEvent("message", "first\nsecond"),
    ServerEvent("live", "Zoë"),
    ServerEvent("message", "last"),
]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_any_split_gives_the_same_events(cuts: list[int]) -> None:
    """Where the network cuts the stream makes no difference, not even within CRLF or a letter."""
    parser = EventParser()
    places = [0, *sorted(cuts), len(STREAM)]
    found = [event for a, b in itertools.pairwise(places) for event in parser.feed(STREAM[a:b])]

    assert EVENTS == found


@pytest.mark.parametrize("piece", [b"x" * 1000, b"data: " + b"x" * 994 + b"\n"], ids=["line", "event"])
def test_an_endless_event_is_refused(piece: bytes) -> None:
    """A peer that never ends an event cannot fill the memory."""
    parser = EventParser()
    with pytest.raises(EventTooLong) as caught:
        for _ in range(MAX_EVENT_BYTES // 1000 + 2):
            list(parser.feed(piece))

    assert str(MAX_EVENT_BYTES) in str(caught.value)


async def test_a_slow_listener_hears_the_newest() -> None:
    """What was told ten times while a listener slept is heard once, as it is now."""
    broadcast = Broadcast()
    with broadcast.listening() as told:
        for number in range(10):
            broadcast.tell("seq", str(number))
        broadcast.tell("live", "x")
        heard = [await anext(told), await anext(told)]

    assert ([ServerEvent("seq", "9"), ServerEvent("live", "x")], 0) == (heard, broadcast.listeners)


async def test_a_stream_ends_with_its_server() -> None:
    """A client hears what was said first and later, and a closing server lets it go at once."""
    broadcast = Broadcast()

    async def stream(request: web.Request) -> web.StreamResponse:
        return await broadcast.serve(request, ServerEvent("seq", "1"))

    app = web.Application()
    app.router.add_get("/", stream)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    parser, heard = EventParser(), []
    async with ClientSession() as session, session.get(f"http://127.0.0.1:{port}/") as answer:
        async for chunk in answer.content.iter_any():
            heard += parser.feed(chunk)
            if len(heard) == 1:
                broadcast.tell("seq", "2")
            else:
                broadcast.close()
    await asyncio.wait_for(runner.cleanup(), 2)

    assert ([ServerEvent("seq", "1"), ServerEvent("seq", "2")], 0) == (heard, broadcast.listeners)
