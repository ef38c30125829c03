"""A table in a folder of the test, with a simulated panel and no camera, spoken to through its API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from argon2 import PasswordHasher

from companion.journal import Evidence, Journal, PrivateNotes
from companion.journal.secret import SecretFile
from companion.session import commands as c
from companion.sim.drivers import SimRig
from companion.table import health
from companion.table.api import Desk, table_app
from companion.table.asked import AskedBefore
from companion.table.buttons import seen
from companion.table.checks import PanelChecks
from companion.table.heart import Heart
from companion.table.looking import Eyes, Looking
from companion.table.panel import TablePanel
from companion.table.pins import RefereePin
from companion.table.secret import TableKey, TableSecrets
from companion.table.service import TableService
from companion.table.visits import HubVisits

FAST = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PLAYERS = [{"id": "anna", "name": "Anna"}, {"id": "bert", "name": "Bert"}, {"id": "cees", "name": "Cees"}]
PIN = "4711"


@dataclass(slots=True, kw_only=True)
class TestTable:
    """One running table and its two doors."""

    __test__ = False

    service: TableService
    sim: SimRig
    panel: TablePanel
    screen: TestClient[web.Request, web.Application]
    hub: TestClient[web.Request, web.Application]
    faults: list[tuple[str, str]]
    ids: Callable[[], str]

    async def state(self) -> dict[str, Any]:
        """The table as its screen sees it."""
        async with self.screen.get("/v1/state") as answer:
            assert 200 == answer.status
            state: dict[str, Any] = await answer.json()
            return state

    async def ask(self, command: str, *, pin: str | None = None, **args: Any) -> dict[str, Any]:
        """Send a command from the screen that must succeed."""
        status, body = await self.send(command, pin=pin, **args)
        assert 200 == status, body
        return body

    async def send(self, command: str, *, pin: str | None = None, **args: Any) -> tuple[int, dict[str, Any]]:
        """Send a command from the screen; its status and body."""
        body = {"id": self.ids(), "command": command, "args": args}
        if pin is not None:
            body["pin"] = pin
        async with self.screen.post("/v1/commands", json=body) as answer:
            return answer.status, await answer.json()

    async def until(self, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Look until it is so, for five seconds at the most."""
        async with asyncio.timeout(5):
            while not is_so(state := await self.state()):
                await asyncio.sleep(0.01)
            return state

    async def ready(self, **options: Any) -> None:
        """A table of RisiKo! on which everything but the start is done."""
        await self.screen.put("/v1/pin", json={"pin": PIN})
        await self.ask("set_up_table", system="risiko", players=PLAYERS, options=options, phase="first_phase")
        for player, value in (("anna", 6), ("bert", 5), ("cees", 4)):
            await self.ask("enter_start_die", player=player, value=value)
        for player, colour, button in (("anna", "red", 1), ("bert", "blue", 2), ("cees", "black", 3)):
            await self.ask("choose_colour", player=player, colour=colour)
            await self.ask("bind_button", player=player, button=f"seat{button}")

    async def playing(self, **set_up: Any) -> None:
        """Bring the table to a running game, Anna's turn, by hand on the screen."""
        await self.screen.put("/v1/pin", json={"pin": PIN})
        await self.ask("set_up_table", system="nl1996", players=PLAYERS, **set_up)
        for player, value in (("anna", 6), ("bert", 5), ("cees", 4)):
            await self.ask("enter_start_die", player=player, value=value)
        for player, colour, button in (("anna", "red", 1), ("bert", "blue", 2), ("cees", "black", 3)):
            await self.ask("choose_colour", player=player, colour=colour)
            await self.ask("bind_button", player=player, button=f"seat{button}")
        await self.ask("start_game")


@asynccontextmanager
async def open_table(
    folder: Path,
    *,
    eyes: Eyes | None = None,
    table_id: str = "7",
    scale: float = 1.0,
    boot: str = "boot-1",
    **chance: Callable[[], Any],
) -> AsyncIterator[TestTable]:
    """A table with its journal in `folder`, running until the block ends; `chance` draws its secrets."""
    sim = SimRig()
    faults: list[tuple[str, str]] = []
    panel = TablePanel(
        sim.panel,
        on_press=lambda press: service.post(press, by=press.button),
        on_fault=lambda part, code: faults.append((part, code)),
        on_note=lambda code, values: service.post(c.Note(code=code, values=values), by="rig"),
    )
    journal = Journal.open(folder / "journal.sqlite", table_id=table_id)
    service = TableService(
        journal=journal, heart=Heart(folder / "heartbeat.json"), panel=panel, eye=None, table_id=table_id, boot=boot,
        secrets=TableSecrets(SecretFile(folder / "tijd.secret"), TableKey(folder / "table.key"), **chance),
    )  # fmt: skip
    checks = PanelChecks(panel, folder / "silent", lambda note: service.carry_out(note, "rig", by="screen"))
    evidence = Evidence(folder / "evidence")
    looking = Looking(service, evidence, eyes, software="test")
    desk = Desk(
        service=service,
        private=PrivateNotes(folder / "private.sqlite"),
        asked=AskedBefore(folder / "asked.jsonl"),
        evidence=evidence,
        pin=RefereePin(folder / "referee.pin", hasher=FAST),
        health=health.Health(
            lambda: health.panel(panel.name, panel.faults), lambda: seen(panel.pressed), checks.health, service.health
        ),
        is_rolling=lambda: False,
        live=lambda: None,
        checks=checks,
        visits=HubVisits(is_expected=True, on_wall=service.hear_hub),
        looking=looking,
        dice={"attack": "red", "defence": "blue"},
        lang="en",
        scale=scale,
    )
    await service.start(c.OpenRig(camera="none", panel=panel.name, buttons=panel.buttons(), software="test"))
    looking.start()
    screen = TestClient(TestServer(table_app(desk, "screen")))
    hub = TestClient(TestServer(table_app(desk, "hub")))
    await screen.start_server()
    await hub.start_server()
    try:
        yield TestTable(
            service=service,
            sim=sim,
            panel=panel,
            screen=screen,
            hub=hub,
            faults=faults,
            ids=lambda: uuid4().hex,
        )
    finally:
        await screen.close()
        await hub.close()
        panel.close()
        await looking.stop()
        await service.stop()
        desk.private.close()
        sim.close()


__all__ = ["PIN", "PLAYERS", "TestTable", "open_table"]
