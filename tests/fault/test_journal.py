"""The power goes while the journal is being written: what was shown is there, what was not whole is put aside."""

from __future__ import annotations

import asyncio
from pathlib import Path

from companion.commands.kills import Service
from companion.journal import open_to_read
from companion.journal.wal import read_log
from companion.lan.client import TableClient
from tests.fault.tables import line, notes, play, service_table, throw_by_hand

FRAME = 24 + 4096


def half_a_transaction(wal: Path) -> None:
    """What a cut leaves: a frame of this generation whose page did not get to the disk whole."""
    log = wal.read_bytes()
    frames = len(read_log(log).commits)
    last = log[32 + (frames - 1) * FRAME :][:FRAME]
    wal.write_bytes(log[: 32 + frames * FRAME] + last[:24] + b"\0" * 4096)


async def test_a_torn_tail_is_put_aside_and_said(tmp_path: Path) -> None:
    """Half a transaction lies at the end: the table comes back by itself with all that was shown, and says so."""
    service = Service(tmp_path)
    service.start()
    async with TableClient(socket=service.socket) as client:
        await service.answering(client)
        await play(client)
        await throw_by_hand(client)
        shown = await client.state()
        records = (await client.journal(after=0)).records
    service.kill()
    half_a_transaction(service.state / "journal.sqlite-wal")

    async with service_table(service) as client:
        back = await client.state("en")
        kept = (await client.journal(after=0)).records[: len(records)]
        await throw_by_hand(client)

    assert [record["hash"] for record in records] == [record["hash"] for record in kept]
    assert shown["throw"]["id"] == back["throw"]["id"]
    assert (shown["seq"], True) == (back["recovered"]["events"], back["recovered"]["same_boot"])
    assert (("warn", "tail-cut"), True) == (line(back, "journal"), "journal-tail-cut" in notes(back))
    assert ["journal.sqlite.torn-1.wal"] == [path.name for path in service.state.glob("*.torn-*")]
    with open_to_read(service.state / "journal.sqlite") as journal:
        assert journal.verify().fault is None


async def test_an_orderly_start_puts_nothing_aside(tmp_path: Path) -> None:
    """Killed between two transactions: everything is there and nothing is said of a tail."""
    service = Service(tmp_path)
    service.start()
    async with TableClient(socket=service.socket) as client:
        await service.answering(client)
        await play(client)
        await asyncio.sleep(0)
    service.kill()

    async with service_table(service) as client:
        back = await client.state()

    assert (("", ""), []) == (line(back, "journal"), list(service.state.glob("*.torn-*")))
