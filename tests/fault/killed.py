"""A table's service as a process of its own, played by hand, and killed without warning."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from companion.lan.client import TableClient
from companion.lan.errors import PeerError
from companion.lan.problems import Problem

PLAYERS = [{"id": "anna", "name": "Anna"}, {"id": "bert", "name": "Bert"}, {"id": "cees", "name": "Cees"}]


class Service:
    """`companion table` with its state in `folder`, without camera and buttons."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "t.sock"
        self.config = folder / "table.toml"
        self.config.write_text(
            f'table = "7"\nstate_dir = "{folder / "state"}"\n[network]\nsocket = "{self.socket}"\n'
            '[hw.camera]\ndriver = "none"\n[hw.panel]\ndriver = "screen"\n',
            encoding="utf-8",
        )
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; returns before it answers."""
        with (self.folder / "table.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "companion", "table", "--config", str(self.config)],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )

    def kill(self) -> None:
        """SIGKILL: it can do nothing about it."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    async def answering(self, client: TableClient) -> dict[str, Any]:
        """The first state that it gives."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            assert self.process is not None
            assert self.process.poll() is None, (self.folder / "table.log").read_text(encoding="utf-8")[-2000:]
            try:
                return await client.state()
            except PeerError:
                await asyncio.sleep(0.02)
        raise AssertionError("the table did not answer in 30 s")


async def play_on(client: TableClient, whim: random.Random) -> AsyncIterator[dict[str, Any]]:
    """Do the next thing that fits the table, again and again; each state as it was shown."""
    while True:
        state = await client.state()
        yield state
        for command, args in _next(state, whim):
            try:
                await client.command(uuid4().hex, command, args)
            except Problem as problem:
                # Two things that each fit may not fit one after the other; any other refusal is a fault.
                assert problem.status in {409, 422}, problem


def _next(state: dict[str, Any], whim: random.Random) -> list[tuple[str, dict[str, Any]]]:
    if state["phase"] in ("idle", "closed"):
        return [("set_up_table", {"system": "nl1996", "players": PLAYERS})]
    if state["phase"] == "seating":
        if state["to_throw"]:
            return [("enter_start_die", {"player": state["to_throw"][0], "value": whim.randint(1, 6)})]
        free = [p["id"] for p in state["players"] if p["colour"] is None]
        taken = {p["colour"] for p in state["players"]}
        colour = next(colour for colour in state["colours"] if colour not in taken)
        return [("choose_colour", {"player": free[0], "colour": colour})] if free else []
    if state["phase"] == "ready":
        return [("start_game", {})]
    attack = [whim.randint(1, 6) for _ in range(whim.randint(1, 3))]
    defence = [whim.randint(1, 6) for _ in range(whim.randint(1, 2))]
    throw = [
        ("call_throw", {}),
        ("enter_dice", {"side": "attack", "values": attack}),
        ("enter_dice", {"side": "defence", "values": defence}),
        ("accept_throw", {}),
    ]
    return throw if whim.random() < 0.8 else [("end_turn", {})]
