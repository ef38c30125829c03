"""Programs beside the table die without warning: the table plays on, and they find everything when they are back."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientError, ClientSession

from companion.commands.kills import Service
from tests.fault.tables import line, play, service_table, throw_by_hand, until


def free_port() -> int:
    """A port that nobody holds."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def started(*words: str, **environment: str) -> subprocess.Popen[bytes]:
    """A program of the companion as a process of its own."""
    elsewhere = {name: value for name, value in os.environ.items() if not name.endswith("DISPLAY")}
    return subprocess.Popen(
        [sys.executable, "-m", "companion", *words],
        env=elsewhere | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """Without warning."""
    process.send_signal(signal.SIGKILL)
    process.wait()


async def collected(page: str, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """What the hub knows of table 7, once it is so."""
    async with asyncio.timeout(60), ClientSession() as session:
        while True:
            try:
                async with session.get(f"{page}/v1/tables") as answer:
                    found = next((t for t in (await answer.json())["tables"] if t["table"] == "7"), None)
            except (ClientError, OSError):
                found = None
            if found is not None and is_so(found):
                return found
            await asyncio.sleep(0.05)


@pytest.mark.slow
async def test_the_hub_is_gone_and_comes_back(tmp_path: Path) -> None:
    """Killed while it collects: the game goes on, and a hub that starts again has every record of it."""
    table_port, hub_port = free_port(), free_port()
    page = f"http://127.0.0.1:{hub_port}"
    words = (
        "hub", "--listen", f"127.0.0.1:{hub_port}", "--state", str(tmp_path / "hub"),
        "--table", f"http://127.0.0.1:{table_port}",
    )  # fmt: skip
    (tmp_path / "table").mkdir()
    service = Service(tmp_path / "table", network=f'listen = "127.0.0.1:{table_port}"\n')
    async with service_table(service) as client:
        before = await client.state()
        hub = started(*words, HOME=str(tmp_path))
        await play(client)
        await collected(page, lambda t: t["phase"] == "playing")
        visited = await client.state()
        kill(hub)
        for _throw in range(5):
            await throw_by_hand(client)
        alone = await client.state()
        hub = started(*words, HOME=str(tmp_path))
        caught_up = await collected(page, lambda t: t["seq"] >= alone["seq"])
        kill(hub)

    assert [("ok", "not-yet"), ("ok", "seen")] == [line(before, "hub"), line(visited, "hub")]
    assert (5, alone["seq"]) == (alone["throw"]["id"], caught_up["seq"])


@pytest.mark.slow
async def test_the_screen_is_killed_and_comes_back(tmp_path: Path) -> None:
    """The touch screen dies in mid-game: the clock runs on, throws are taken, and a new screen shows the game."""
    service = Service(tmp_path)
    shots = tmp_path / "shots"
    words = ("ui", "--socket", str(service.socket), "--size", "800x480", "--screenshots", str(shots))
    async with service_table(service) as client:
        await play(client)
        screen = started(*words, SDL_VIDEODRIVER="offscreen")
        async with asyncio.timeout(60):
            while not list(shots.glob("*playing*.png")):
                await asyncio.sleep(0.05)
        before = await client.state()
        kill(screen)
        await throw_by_hand(client)
        alone = await until(client, lambda s: s["clock"]["elapsed_ms"] > before["clock"]["elapsed_ms"])
        for picture in shots.glob("*.png"):
            picture.unlink()
        screen = started(*words, SDL_VIDEODRIVER="offscreen")
        async with asyncio.timeout(60):
            while not list(shots.glob("*playing*.png")):
                await asyncio.sleep(0.05)
        kill(screen)

    assert ("playing", "accepted") == (alone["phase"], alone["throw"]["state"])
