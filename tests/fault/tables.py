"""Tables to break: one in this process with its simulated rig at hand, one as a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from companion.commands.kills import PLAYERS, Service
from companion.config import CameraConfig, HwConfig, NetworkConfig, PanelConfig, TableConfig
from companion.lan.client import TableClient
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.table.bootstrap import build_table
from companion.table.serving import _bound_to_path, listen

PIN = "4711"
SMALL = SimSettings(width=768, height=432, fps=10.0)
"""A rig small enough to be quick."""


async def ask(client: TableClient, command: str, *, pin: str | None = None, **args: Any) -> None:
    """Send a command that must succeed."""
    await client.command(uuid4().hex, command, args, pin=pin)


async def play(client: TableClient, **set_up: Any) -> None:
    """Bring a table to a running game, by hand on the screen; Anna's turn."""
    if not (await client.state())["pin_set"]:
        await client.choose_pin(PIN)
    await ask(client, "set_up_table", system="nl1996", players=PLAYERS, **set_up)
    for player, value in (("anna", 6), ("bert", 5), ("cees", 4)):
        await ask(client, "enter_start_die", player=player, value=value)
    for player, colour, seat in (("anna", "red", 1), ("bert", "blue", 2), ("cees", "black", 3)):
        await ask(client, "choose_colour", player=player, colour=colour)
        if (await client.state())["rig"]["buttons"]:
            await ask(client, "bind_button", player=player, button=f"seat{seat}")
    await ask(client, "start_game")


async def throw_by_hand(client: TableClient) -> None:
    """A throw as people enter it where no camera reads."""
    await ask(client, "call_throw")
    await ask(client, "enter_dice", side="attack", values=[6, 4, 2])
    await ask(client, "enter_dice", side="defence", values=[5, 3])
    await ask(client, "accept_throw")


async def until(client: TableClient, is_so: Callable[[dict[str, Any]], bool], *, wait_s: float = 60) -> dict[str, Any]:
    """Look until it is so."""
    async with asyncio.timeout(wait_s):
        while not is_so(state := await client.state("en")):
            await asyncio.sleep(0.05)
        return state


def line(state: dict[str, Any], part: str) -> tuple[str, str]:
    """State and code of a part's line on the health page; empty where it has none."""
    return next(((str(i["state"]), str(i["code"])) for i in state["health"] if i["part"] == part), ("", ""))


def notes(state: dict[str, Any]) -> list[str]:
    """Codes of the notes that the screen is told of, newest first."""
    return [str(note["data"].get("code", note["type"])) for note in state["notes"]]


@asynccontextmanager
async def sim_table(
    folder: Path, *, camera: str = "sim", sim: SimRig | None = None
) -> AsyncIterator[tuple[TableClient, SimRig]]:
    """A table in this process, on its socket, with the simulated rig to break."""
    rig = SimRig(SMALL) if sim is None else sim
    config = TableConfig(
        table="7",
        state_dir=folder / "state",
        network=NetworkConfig(socket=folder / "t.sock"),
        hw=HwConfig(
            camera=CameraConfig(driver="sim" if camera == "sim" else "none", width=768, height=432, fps=10),
            panel=PanelConfig(driver="sim"),
        ),
    )
    table = build_table(config, sim=rig)
    taken = _bound_to_path(config.network.socket, "")
    await table.start()
    runners = await listen(table, [taken])
    try:
        async with TableClient(socket=config.network.socket) as client:
            yield client, rig
    finally:
        for runner in runners:
            await runner.cleanup()
        taken.close()
        await table.stop()
        rig.close()


@asynccontextmanager
async def service_table(service: Service) -> AsyncIterator[TableClient]:
    """A table as a process of its own, until the block ends."""
    service.start()
    try:
        async with TableClient(socket=service.socket) as client:
            await service.answering(client)
            yield client
    finally:
        service.stop()
