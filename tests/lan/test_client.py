"""A client of a table: the documented answers come through, everything else is told apart."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from companion.lan import client as client_module
from companion.lan.addresses import TableAddress
from companion.lan.client import TableClient
from companion.lan.errors import BadAddress, NotATable, Unreachable
from companion.lan.events import ServerEvent
from companion.lan.problems import Problem, problems

Serve = Callable[[dict[str, Any]], Awaitable[TableClient]]


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Serve]:
    """Serves handlers by 'METHOD /path' on a socket and hands out a client of it."""
    runners: list[web.AppRunner] = []
    clients: list[TableClient] = []

    async def start(handlers: dict[str, Any]) -> TableClient:
        app = web.Application(middlewares=[problems])
        for route, handler in handlers.items():
            method, path = route.split()
            app.router.add_route(method, path, handler)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        place = tmp_path / f"{len(runners)}.sock"
        await web.UnixSite(runner, str(place)).start()
        runners.append(runner)
        clients.append(TableClient(socket=place))
        return clients[-1]

    yield start
    for one in clients:
        await one.close()
    for runner in runners:
        await runner.cleanup()


def answering(value: Any, **parts: Any) -> Any:
    """A handler that always gives this JSON value."""

    async def handler(request: web.Request) -> web.Response:
        return web.json_response(value, **parts)

    return handler


async def test_a_command_is_sent_as_documented(serve: Serve) -> None:
    """Only what was given is in the body, and the answer comes back typed."""
    seen = []

    async def commands(request: web.Request) -> web.Response:
        seen.append(await request.json())
        return web.json_response({"seq": 5, "events": [4, 5]})

    client = await serve({"POST /v1/commands": commands})
    plain = await client.command("c1", "start_game")
    await client.command("c2", "sign_result", {"player": "p1"}, expected_seq=5, pin="1234")

    assert (
        (5, (4, 5)),
        [
            {"id": "c1", "command": "start_game"},
            {"id": "c2", "command": "sign_result", "args": {"player": "p1"}, "expected_seq": 5, "pin": "1234"},
        ],
    ) == ((plain.seq, plain.events), seen)


async def test_state_draft_and_pictures_come_through(serve: Serve) -> None:
    """The language is asked for, the draft goes there and back, a picture stays bytes."""
    kept: dict[str, Any] = {}

    async def put(request: web.Request) -> web.Response:
        kept.update(await request.json())
        return web.json_response({})

    async def state(request: web.Request) -> web.Response:
        return web.json_response({"lang": request.query.get("lang")})

    async def draft(request: web.Request) -> web.Response:
        return web.json_response(kept)

    async def picture(request: web.Request) -> web.Response:
        return web.Response(body=request.path.encode())

    client = await serve(
        {
            "GET /v1/state": state,
            "GET /v1/draft": draft,
            "PUT /v1/draft": put,
            "GET /v1/evidence/ab": picture,
            "GET /v1/live.jpg": picture,
        }
    )
    await client.put_draft({"page": "asia"})

    assert ({"lang": "nl"}, {"lang": None}, {"page": "asia"}, b"/v1/evidence/ab", b"/v1/live.jpg") == (
        await client.state("nl"),
        await client.state(),
        await client.draft(),
        await client.evidence("ab"),
        await client.live(),
    )


async def test_journal_pages_carry_table_and_head(serve: Serve) -> None:
    """Lines become plain objects, numbers of any size intact, with the headers beside them."""
    line = '{"seq":1,"data":{"big":123456789012345678901234567890}}\n'

    async def journal(request: web.Request) -> web.Response:
        headers = {"X-Journal-Head": "9", "X-Journal-Table": "7"}
        return web.Response(text=line if request.query["after"] == "0" else "", headers=headers)

    client = await serve({"GET /v1/journal": journal})
    first, rest = await client.journal(0, 10), await client.journal(1)

    assert ("7", 9, 123456789012345678901234567890, ()) == (
        first.table,
        first.head,
        first.records[0]["data"]["big"],
        rest.records,
    )


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("", {}),
        ("", {"X-Journal-Table": "7", "X-Journal-Head": "many"}),
        ("{not json\n", {"X-Journal-Table": "7", "X-Journal-Head": "1"}),
        ("[1]\n", {"X-Journal-Table": "7", "X-Journal-Head": "1"}),
        ("[" * 200_000, {"X-Journal-Table": "7", "X-Journal-Head": "1"}),
    ],
    ids=["no headers", "head", "no json", "no object", "nested"],
)
async def test_a_strange_journal_is_not_a_table(serve: Serve, text: str, headers: dict[str, str]) -> None:
    """Whatever else answers on the port is not mistaken for a table."""

    async def journal(request: web.Request) -> web.Response:
        return web.Response(text=text, headers=headers)

    client = await serve({"GET /v1/journal": journal})
    with pytest.raises(NotATable) as caught:
        await client.journal()

    assert "not-a-table" == caught.value.code


async def test_a_refusal_comes_back_as_the_same_problem(serve: Serve) -> None:
    """Code, values and status of the server's problem reach the client's caller."""

    async def commands(request: web.Request) -> web.Response:
        raise Problem("not-now", "not in phase 'idle'", {"phase": "idle"}, status=409)

    client = await serve({"POST /v1/commands": commands})
    with pytest.raises(Problem) as caught:
        await client.command("c1", "start_game")

    assert ("not-now", {"phase": "idle"}, 409) == (caught.value.code, caught.value.values, caught.value.status)


async def test_other_answers_are_not_a_table(serve: Serve) -> None:
    """A redirect, an error page and a state that is no object are all told as what they are."""

    async def page(request: web.Request) -> web.Response:
        return web.Response(status=502, text="<html>bad gateway</html>")

    async def moved(request: web.Request) -> web.Response:
        raise web.HTTPFound("/elsewhere")

    client = await serve(
        {
            "GET /v1/state": answering([1]),
            "GET /v1/draft": page,
            "GET /v1/events": answering({}),
            "GET /v1/live.jpg": moved,
        }
    )
    codes = []
    for call in (client.state, client.draft, client.live, lambda: anext(client.events())):
        with pytest.raises(NotATable) as caught:
            await call()
        codes.append(caught.value.code)

    assert ["not-a-table"] * 4 == codes


async def test_events_come_until_the_stream_ends(serve: Serve) -> None:
    """Each nudge is handed on as it comes."""

    async def events(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        for number in (1, 2):
            await answer.write(b'event: seq\ndata: {"seq": %d}\n\n' % number)
        return answer

    client = await serve({"GET /v1/events": events})

    assert [ServerEvent("seq", '{"seq": 1}'), ServerEvent("seq", '{"seq": 2}')] == [e async for e in client.events()]


async def test_nobody_there_is_unreachable(tmp_path: Path) -> None:
    """A missing socket and a closed port are told with their address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    told = []
    for client in (TableClient(socket=tmp_path / "no.sock"), TableClient(url=f"http://127.0.0.1:{port}")):
        async with client:
            with pytest.raises(Unreachable) as caught:
                await client.state()
        told.append(caught.value.values["address"])

    assert [f"unix:{tmp_path / 'no.sock'}", f"http://127.0.0.1:{port}"] == told


async def test_a_table_that_hangs_is_unreachable(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that takes the question and never answers does not hold up the asker."""
    monkeypatch.setattr(client_module, "ANSWER_WITHIN_S", 0.1)

    async def hang(request: web.Request) -> web.Response:
        await asyncio.sleep(30)
        return web.Response()

    client = await serve({"GET /v1/state": hang})
    with pytest.raises(Unreachable) as caught:
        await client.state()

    assert "timeout" == caught.value.values["why"]


async def test_too_long_an_answer_is_refused(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless answer cannot fill the memory."""
    monkeypatch.setattr(client_module, "MAX_ANSWER_BYTES", 1000)
    client = await serve({"GET /v1/state": answering({"x": "y" * 2000})})
    with pytest.raises(NotATable) as caught:
        await client.state()

    assert "1000" in caught.value.values["why"]


async def test_faults_of_the_server_stay_inside(serve: Serve) -> None:
    """A crash in a handler and a wrong path both leave as the one error body, without a traceback."""

    async def crash(request: web.Request) -> web.Response:
        raise RuntimeError("the secret is 42")

    client = await serve({"GET /v1/state": crash})
    with pytest.raises(Problem) as inside:
        await client.state()
    with pytest.raises(Problem) as nowhere:
        await client.draft()

    assert ("internal", 500, False, "not-found", 404) == (
        inside.value.code,
        inside.value.status,
        "42" in json.dumps([inside.value.message, inside.value.values]),
        nowhere.value.code,
        nowhere.value.status,
    )


async def test_a_wrong_method_says_which_are_right(serve: Serve) -> None:
    """The one error body keeps HTTP's own hint."""
    client = await serve({"GET /v1/state": answering({})})
    async with client._opened().post("/v1/state") as answer:
        body, allowed = await answer.json(), answer.headers["Allow"]

    assert ("method-not-allowed", True) == (body["problem"], "GET" in allowed)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("unix:/run/companion/table.sock", "unix:/run/companion/table.sock"),
        ("http://127.0.0.1:8700/", "http://127.0.0.1:8700"),
        ("https://[::1]:8700", "https://[::1]:8700"),
    ],
)
def test_an_address_is_shown_as_it_is_written(text: str, shown: str) -> None:
    """Both forms of address read and write."""
    assert shown == str(TableAddress.parse(text))


@pytest.mark.parametrize(
    "text", ["", "unix:table.sock", "7", "ftp://x", "http://", "http://a:b", "http://a/b", "http://a:0"]
)
def test_other_addresses_are_refused(text: str) -> None:
    """A mistyped address is named and the two forms are shown."""
    with pytest.raises(BadAddress) as caught:
        TableAddress.parse(text)

    assert text == caught.value.values["address"]


def test_a_client_has_one_address() -> None:
    """Neither none nor two."""
    with pytest.raises(ValueError, match="one of them"):
        TableClient()
