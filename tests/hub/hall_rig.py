"""Tables that are ready to start, heard by a hub whose clock the test turns."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.hub.collect import Collector
from companion.hub.director import Director
from companion.hub.hall import Hall
from companion.hub.ledger import Ledger
from companion.hub.lengths import LengthStore
from companion.hw.clock import NS_PER_MS, boot_ns
from companion.lan.addresses import TableAddress
from companion.lan.client import TableClient
from tests.table.rig import TestTable, open_table


@dataclass(slots=True)
class HallRig:
    """Tables, the hub's collectors, and a director whose clock the test turns."""

    folder: Path
    tables: dict[str, TestTable]
    clients: dict[str, TableClient]
    collectors: dict[str, Collector]
    hall: Hall
    ahead_ms: int = 0

    def now_ns(self) -> int:
        """The hub's boot clock."""
        return boot_ns() + self.ahead_ms * NS_PER_MS

    def director(self, *, boot: str = "boot-h") -> Director:
        """A hub that starts on what is kept."""
        return Director(self.hall, self.clients, LengthStore(self.folder), now_ns=self.now_ns, boot=boot)

    async def visit(self) -> None:
        """Collect what the tables have recorded."""
        for collector in self.collectors.values():
            await collector.visit()

    async def sealed(self, table: str) -> dict[str, Any]:
        """The newest seal that a table's screen shows."""
        seals: list[dict[str, Any]] = (await self.tables[table].state())["sealed"]
        return seals[-1]

    async def lengths(self) -> dict[str, int | None]:
        """What each table tells of the hall's length."""
        return {name: (await table.state())["sealed"][0]["minutes"] for name, table in self.tables.items()}


@asynccontextmanager
async def a_hall(folder: Path, *names: str, **options: Any) -> AsyncIterator[HallRig]:
    """Tables that are ready to start, heard by a hub."""
    async with AsyncExitStack() as stack:
        (folder / "hub").mkdir(parents=True)
        ledger = await Ledger.open(f"sqlite+aiosqlite:///{folder / 'hub' / 'hub.sqlite'}")
        stack.push_async_callback(ledger.close)
        rig = HallRig(folder=folder / "hub", tables={}, clients={}, collectors={}, hall=Hall([]))
        for name in names:
            table = await stack.enter_async_context(open_table(folder / name, table_id=name))
            await table.ready(**{"same_for_all_tables": True, **options})
            address = str(TableAddress.parse(str(table.hub.make_url("/"))))
            client = await stack.enter_async_context(TableClient.at(TableAddress.parse(address)))
            contact = rig.hall.contacts.setdefault(address, Hall([address]).contacts[address])
            rig.tables[name], rig.clients[address] = table, client
            rig.collectors[name] = Collector(
                contact,
                client,
                hall=rig.hall,
                ledger=ledger,
                now_ns=rig.now_ns,
                wall=lambda: "2026-11-30T20:00:00.000Z",
            )
        await rig.visit()
        store = LengthStore(rig.folder)
        for name in rig.collectors:
            contact = next(one for one in rig.hall.contacts.values() if one.table == name)
            store.trust(name, rig.tables[name].service.secrets.key.public.hex(), contact.address)
        yield rig


__all__ = ["HallRig", "a_hall"]
