"""The hub pulls: nothing twice, nothing mixed, nothing silently lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from companion.hub import collect
from companion.hub.collect import Collector
from companion.hub.hall import Contact, Hall
from companion.hub.ledger import Ledger, LedgerError
from companion.journal.records import START, NewRecord, chained

from .conftest import Bench
from .fake_table import SECOND_NS, FakeTable

RESULTS = {"anna": "1+", "bram": "2", "cees": "3"}


async def collected(ledger: Ledger) -> list[tuple[str, int, str, int]]:
    """Table, chapter, why it began, and how many records, of all that the ledger holds."""
    return [(one.table, one.number, one.why, one.head.seq) for one in await ledger.chapters()]


async def test_a_table_is_collected_and_followed(bench: Bench) -> None:
    """A first visit brings everything, a later one only what is new, in their order and with their hashes."""
    table, collector = await bench.table("7", {"anna": "Anna"})
    table.open_game("anna", "bram", "cees")
    first = await collector.visit()
    table.throw(1, "anna", [6, 4, 1], [5])
    second = await collector.visit()
    (chapter,) = await bench.ledger.chapters()
    stored = [record async for record in bench.ledger.read(chapter)]

    assert (True, True, table.records, "journal 5") == (first, second, stored, table.asked[-2])


async def test_nothing_comes_twice(bench: Bench) -> None:
    """Visits that find nothing new leave the ledger as it is."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    for _ in range(3):
        await collector.visit()

    assert [("7", 1, "first", len(table.records))] == await collected(bench.ledger)


async def test_a_long_journal_comes_in_pages(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the absence, one visit catches up."""
    monkeypatch.setattr(collect, "PAGE", 4)
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    for number in range(1, 20):
        table.throw(number, "anna", [6])
    await collector.visit()

    assert [("7", 1, "first", len(table.records))] == await collected(bench.ledger)


async def test_an_empty_table_waits(bench: Bench) -> None:
    """A table without a record is heard, and nothing is noted of it."""
    _, collector = await bench.table("7")
    went_well = await collector.visit()

    assert (True, [], 1) == (went_well, await collected(bench.ledger), len(bench.hall.contacts))


async def test_a_lost_hub_begins_again(bench: Bench) -> None:
    """A hub that starts anew on its ledger knows what the old one knew, names too."""
    table, collector = await bench.table("7", {"anna": "Anna"})
    table.open_game("anna", "bram", "cees")
    table.close_game(RESULTS)
    await collector.visit()
    again = await bench.again()

    assert (bench.hall.played(), bench.hall.names_in("7", "r1-t7"), {"anna": "Anna"}) == (
        again.played(),
        again.names_in("7", "r1-t7"),
        again.names_in("7", "r1-t7"),
    )


async def test_a_restarted_journal_is_a_new_chapter(bench: Bench) -> None:
    """A table with a new card is followed from its start; what was collected before stays beside it."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram", "cees")
    table.close_game(RESULTS)
    await collector.visit()
    before = len(table.records)
    table.records.clear()
    table.wall = "2026-11-29T21:00:00.000Z"
    table.open_game("anna", "bram", "cees", round=2)
    went_well = await collector.visit()

    assert (True, [("7", 1, "first", before), ("7", 2, "restarted", len(table.records))]) == (
        went_well,
        await collected(bench.ledger),
    )


async def test_an_older_copy_is_a_fork(bench: Bench) -> None:
    """A table that went back and on in another way is told from one that began anew, and both ways are kept."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram", "cees")
    cut = len(table.records)
    table.close_game(RESULTS)
    await collector.visit()
    long = len(table.records)
    del table.records[cut:]
    table.throw(1, "anna", [6])
    await collector.visit()

    assert [("7", 1, "first", long), ("7", 2, "forked", cut + 2)] == await collected(bench.ledger)


async def test_an_emptied_table_is_told(bench: Bench) -> None:
    """A journal that is gone is trouble on the page, and takes nothing away."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    await collector.visit()
    before = await collected(bench.ledger)
    table.records.clear()
    went_well = await collector.visit()
    (contact,) = bench.hall.contacts.values()

    assert contact.trouble is not None
    assert (False, "journal-empty", before) == (went_well, contact.trouble.code, await collected(bench.ledger))


async def test_a_broken_chain_stops_at_the_break(bench: Bench) -> None:
    """What holds is taken in, what does not is named and left out, also at the next visit."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    table.records[3] = replace(table.records[3], data={"player": "anna", "colour": "black"})
    troubles = []
    for _ in range(2):
        await collector.visit()
        (contact,) = bench.hall.contacts.values()
        assert contact.trouble is not None
        troubles.append((contact.trouble.code, contact.trouble.values["seq"]))

    assert ([("chain-broken", 4)] * 2, [("7", 1, "first", 3)]) == (troubles, await collected(bench.ledger))


async def test_a_strange_record_is_told(bench: Bench) -> None:
    """A line that is no record is trouble, not a crash."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    table.records[0] = replace(table.records[0], hash="short")
    await collector.visit()
    (contact,) = bench.hall.contacts.values()

    assert contact.trouble is not None
    assert "strange-record" == contact.trouble.code


async def test_two_tables_with_one_id_are_not_mixed(bench: Bench) -> None:
    """The second to call itself table 7 is refused while the first is alive, and accepted when it is long gone."""
    first, collects_first = await bench.table("7")
    first.open_game("anna", "bram")
    await collects_first.visit()
    second, collects_second = await bench.table("7")
    second.wall = "2026-11-29T21:00:00.000Z"
    second.open_game("cees", "dirk", round=2)
    refused = await collects_second.visit()
    trouble = [contact.trouble.code for contact in bench.hall.contacts.values() if contact.trouble]
    bench.clock.now_ns += 31 * SECOND_NS
    accepted = await collects_second.visit()

    assert (False, ["table-id-twice"], True, ["first", "restarted"]) == (
        refused,
        trouble,
        accepted,
        [why for _, _, why, _ in await collected(bench.ledger)],
    )


async def test_a_table_that_keeps_changing_its_past_is_given_up(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A faulty table cannot fill the ledger."""
    monkeypatch.setattr(collect, "MAX_CHAPTERS", 2)
    table, collector = await bench.table("7")
    for number in range(4):
        table.records.clear()
        table.wall = f"2026-11-29T21:00:0{number}.000Z"
        table.open_game("anna", "bram")
        await collector.visit()
    (contact,) = bench.hall.contacts.values()

    assert contact.trouble is not None
    assert ("too-many-chapters", 2) == (contact.trouble.code, len(await collected(bench.ledger)))


async def test_a_table_that_is_off_is_trouble_until_it_is_back(bench: Bench) -> None:
    """Silence is shown with its cause, and forgotten when the table answers again with what it has since."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    await collector.visit()
    await table.stop()
    gone = await collector.visit()
    (contact,) = bench.hall.contacts.values()
    why = contact.trouble.code if contact.trouble else None
    table.throw(1, "anna", [6])
    await table.serve(bench.folder / "1.sock")
    back = await collector.visit()

    assert (False, "unreachable", True, None, len(table.records)) == (
        gone,
        why,
        back,
        contact.trouble,
        bench.hall.chapters("7")[0].head.seq,
    )


async def test_a_nudge_brings_facts_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two regular visits a new fact arrives by itself."""
    monkeypatch.setattr(collect, "VISIT_EVERY_S", 30.0)
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    change, end = bench.hall.watch()
    running = asyncio.create_task(collector.run())
    async with asyncio.timeout(5):
        while not bench.hall.chapters("7") or bench.hall.chapters("7")[0].head.seq < len(table.records):
            await change.wait()
            change.clear()
        await asyncio.sleep(0.2)
        table.throw(1, "anna", [6])
        while bench.hall.chapters("7")[0].head.seq < len(table.records):
            await change.wait()
            change.clear()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    end()

    assert len(table.records) == bench.hall.chapters("7")[0].head.seq


async def test_a_ledger_that_fails_is_trouble_on_the_page(bench: Bench) -> None:
    """A full disk of the hub takes nothing in, says so, and goes on when there is room."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram")
    async with bench.ledger._engine.connect() as db:
        await db.exec_driver_sql("PRAGMA query_only = ON")
        await db.commit()
    failed = await collector.visit()
    (contact,) = bench.hall.contacts.values()
    why = contact.trouble.code if contact.trouble else None
    async with bench.ledger._engine.connect() as db:
        await db.exec_driver_sql("PRAGMA query_only = OFF")
        await db.commit()
    worked = await collector.visit()

    assert (False, "ledger-unusable", True, len(table.records)) == (
        failed,
        why,
        worked,
        bench.hall.chapters("7")[0].head.seq,
    )


async def test_two_hubs_on_one_store_do_not_write_twice(bench: Bench) -> None:
    """The slower of two hubs is told that the other was quicker, and adds nothing."""
    table = FakeTable("7")
    table.open_game("anna", "bram")
    chapter = await bench.ledger.begin_chapter("7", number=1, why="first", wall="w")
    await bench.ledger.add(chapter, table.records)
    with pytest.raises(LedgerError) as caught:
        await bench.ledger.add(chapter, table.records[-1:])

    assert ("ledger-clash", [("7", 1, "first", len(table.records))]) == (
        caught.value.code,
        await collected(bench.ledger),
    )


async def test_two_hubs_on_one_store_take_turns(bench: Bench) -> None:
    """Whatever one of two hubs has written already, the other takes up, and both know the same."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bram", "cees")
    other = Hall([])
    other.contacts = {address: Contact(address=address) for address in bench.hall.contacts}
    (contact,) = other.contacts.values()
    second = Collector(contact, bench.clients[0], hall=other, ledger=bench.ledger, now_ns=bench.clock, wall=lambda: "w")
    went_well = []
    for number in range(1, 4):
        went_well.append(await collector.visit())
        went_well.append(await second.visit())
        table.throw(number, "anna", [6])
    table.close_game(RESULTS)
    went_well += [await second.visit(), await collector.visit()]

    assert ([True] * 8, bench.hall.played(), [("7", 1, "first", len(table.records))]) == (
        went_well,
        other.played(),
        await collected(bench.ledger),
    )


async def test_numbers_survive_the_ledger(bench: Bench) -> None:
    """Large stamps and odd floats come out of the store as they went in, hash and all."""
    new = NewRecord(type="a.b", v=1, by="x", at_ns=2**62, data={"f": 0.1, "big": 2**60, "s": "Zoë\u2028"})
    record, _ = chained(new, START, boot="b", wall="w")
    chapter = await bench.ledger.begin_chapter("x", number=1, why="first", wall="w")
    await bench.ledger.add(chapter, [record])

    assert [record] == [one async for one in bench.ledger.read(chapter)]


async def test_a_ledger_of_a_later_version_is_refused(bench: Bench) -> None:
    """A store that a newer hub made is not read half."""
    async with bench.ledger._engine.begin() as db:
        await db.exec_driver_sql("UPDATE about SET value = '9' WHERE name = 'version'")
    with pytest.raises(LedgerError) as caught:
        await Ledger.open(str(bench.ledger._engine.url))

    assert ("ledger-too-new", 9) == (caught.value.code, caught.value.values["version"])


@pytest.mark.parametrize(
    "url", ["sqlite+aiosqlite:///{folder}/hub.sqlite/below.sqlite", "nosuchdialect://x", "nonsense"]
)
async def test_a_store_that_cannot_be_is_told(bench: Bench, url: str) -> None:
    """A wrong database address is one clear error."""
    with pytest.raises(LedgerError) as caught:
        await Ledger.open(url.format(folder=bench.folder))

    assert "ledger-unusable" == caught.value.code
