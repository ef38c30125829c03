"""A whole table with its simulated rig in one process: real frames, real reading, a cable that is pulled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from companion.config import CameraConfig, HwConfig, NetworkConfig, PanelConfig, TableConfig
from companion.lan.client import TableClient
from companion.lan.problems import Problem
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.table.bootstrap import build_table
from companion.table.serving import _bound_to_path, listen

PLAYERS = [{"id": "anna", "name": "Anna"}, {"id": "bert", "name": "Bert"}, {"id": "cees", "name": "Cees"}]

SMALL = SimSettings(width=768, height=432, fps=10.0)


@asynccontextmanager
async def sim_table(folder: Path, sim: SimRig | None = None) -> AsyncIterator[TableClient]:
    """A table on its socket, with a camera small enough to be quick; with a rig of one's own its buttons are unused."""
    config = TableConfig(
        table="7",
        state_dir=folder / "state",
        network=NetworkConfig(socket=folder / "t.sock"),
        hw=HwConfig(
            camera=CameraConfig(driver="sim", width=SMALL.width, height=SMALL.height, fps=int(SMALL.fps)),
            panel=PanelConfig(driver="sim" if sim is None else "screen"),
        ),
    )
    table = build_table(config, sim=sim)
    taken = _bound_to_path(config.network.socket, "")
    await table.start()
    runners = await listen(table, [taken])
    try:
        async with TableClient(socket=config.network.socket) as client:
            yield client
    finally:
        for runner in runners:
            await runner.cleanup()
        taken.close()
        config.network.socket.unlink()
        await table.stop()
        await table.stop()


async def until(client: TableClient, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Look until it is so."""
    async with asyncio.timeout(60):
        while not is_so(state := await client.state()):
            await asyncio.sleep(0.05)
        return state


def camera(state: dict[str, Any]) -> str:
    """What the health page says of the camera."""
    return next(str(item["code"]) for item in state["health"] if item["part"] == "camera")


@pytest.mark.slow
async def test_camera_is_pulled_out_and_put_back_and_reads_on(tmp_path: Path) -> None:
    """The start die is read, the cable is pulled and said to be, it is put back, and the next die is read."""
    async with sim_table(tmp_path) as client:
        await until(client, lambda s: camera(s) == "running")
        await asyncio.sleep(1.5)
        await client.command(uuid4().hex, "set_up_table", {"system": "nl1996", "players": PLAYERS})
        await client.practice("throw", values=[4])
        first = await until(client, lambda s: bool(s["players"][0]["start_dice"]))
        await client.practice("lift")
        await asyncio.sleep(1.5)

        await client.practice("plug", plugged=False)
        gone = await until(client, lambda s: camera(s) == "unplugged")
        await client.practice("plug", plugged=True)
        await until(client, lambda s: camera(s) == "running")
        await asyncio.sleep(1.5)
        await client.practice("throw", values=[2])
        second = await until(client, lambda s: bool(s["players"][1]["start_dice"]))

        assert ([4], [2]) == (first["players"][0]["start_dice"], second["players"][1]["start_dice"])
        assert "fail" == next(item["state"] for item in gone["health"] if item["part"] == "camera")
        assert b"\xff\xd8" == (await client.live())[:2]
        with pytest.raises(Problem) as refusal:
            await client.practice("throw", values=[9])
        assert "practice-refused" == refusal.value.code


async def _thrown_cocked(client: TableClient) -> None:
    """A game whose first throw has one die to throw again."""
    await client.choose_pin("4711")
    await client.command(uuid4().hex, "set_up_table", {"system": "nl1996", "players": PLAYERS})
    for player, value in (("anna", 6), ("bert", 5), ("cees", 4)):
        await client.command(uuid4().hex, "enter_start_die", {"player": player, "value": value})
    for player, colour in (("anna", "red"), ("bert", "blue"), ("cees", "black")):
        await client.command(uuid4().hex, "choose_colour", {"player": player, "colour": colour})
    await client.command(uuid4().hex, "start_game")
    await client.command(uuid4().hex, "call_throw")
    await client.practice("throw", values=[6, 4, 2], cocked=[2])
    await until(client, lambda s: attack(s).get("action") == "reroll_some")


def attack(state: dict[str, Any]) -> dict[str, Any]:
    """The attack of the newest throw, as far as it was read."""
    found: dict[str, Any] = ((state["throw"] or {}).get("sides") or {}).get("attack") or {}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("falls_in_ms", [0, 1500])
async def test_die_that_is_thrown_again_around_a_restart_is_read(tmp_path: Path, falls_in_ms: int) -> None:
    """While the service was away, or as its camera begins to look: nobody has to touch the box for it."""
    sim = SimRig(SMALL)
    async with sim_table(tmp_path, sim) as client:
        await until(client, lambda s: camera(s) == "running")
        await asyncio.sleep(1.5)
        await _thrown_cocked(client)
    leaning = next(die.id for die in sim.box.truth() if die.verdict == "cocked")
    sim.box.lift({leaning})
    await asyncio.sleep(1.5)
    sim.box.throw([5], in_ms=falls_in_ms)
    await asyncio.sleep(0 if falls_in_ms else 1.5)

    async with sim_table(tmp_path, sim) as client:
        state = await until(client, lambda s: attack(s).get("action") == "accept")

        assert ([6, 5, 4], 1) == (sorted(attack(state)["counted"], reverse=True), state["throw"]["id"])
