"""A hall with a ledger, tables to fill it, and a hub that runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from companion.hub.collect import Collector
from companion.hub.hall import Hall
from companion.hub.ledger import Ledger
from companion.lan.addresses import TableAddress
from companion.lan.client import TableClient

from .fake_table import SECOND_NS, FakeTable

WALL = "2026-11-29T20:00:00.000Z"


@dataclass(slots=True)
class Clock:
    """The hub's boot clock, moved by hand."""

    now_ns: int = 1000 * SECOND_NS

    def __call__(self) -> int:
        """Now."""
        return self.now_ns


@dataclass(slots=True)
class Bench:
    """A hub without its page: tables, collectors by address, hall and ledger."""

    folder: Path
    ledger: Ledger
    hall: Hall
    clock: Clock = field(default_factory=Clock)
    tables: list[FakeTable] = field(default_factory=list)
    clients: list[TableClient] = field(default_factory=list)
    lines: int = 0

    async def table(self, table_id: str, names: dict[str, str] | None = None) -> tuple[FakeTable, Collector]:
        """A table that answers, and the collector that visits it."""
        table = FakeTable(table_id, names)
        return table, await self.collector(table)

    async def collector(self, table: FakeTable) -> Collector:
        """One more address at which a table answers, with its collector."""
        self.lines += 1
        address = await table.serve(self.folder / f"{self.lines}.sock")
        self.tables.append(table)
        return self.collector_of(address)

    def collector_of(self, address: str) -> Collector:
        """The collector of an address at which perhaps nobody answers."""
        client = TableClient.at(TableAddress.parse(address))
        self.clients.append(client)
        contact = self.hall.contacts.setdefault(address, Hall([address]).contacts[address])
        return Collector(contact, client, hall=self.hall, ledger=self.ledger, now_ns=self.clock, wall=lambda: WALL)

    async def again(self) -> Hall:
        """What a hub that starts anew on the same ledger knows."""
        hall = Hall([])
        await hall.load(self.ledger)
        return hall


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """A hub without its page."""
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{tmp_path / 'hub.sqlite'}")
    made = Bench(folder=tmp_path, ledger=ledger, hall=Hall([]))
    yield made
    for client in made.clients:
        await client.close()
    for table in made.tables:
        await table.stop()
    await ledger.close()
