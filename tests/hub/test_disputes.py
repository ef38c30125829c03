"""A disputed throw is seen at the hub: its pictures at once, both readings, nothing that the record does not name."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from companion.hub.app import hub_app
from companion.hub.collect import Collector
from companion.hub.disputes import Pictures
from companion.journal import Evidence, EvidenceError
from companion.words import LANGUAGES

from .conftest import Bench
from .fake_table import FakeTable

NAMES = {"p1": "Anna", "p2": "Bram"}


def put(table: FakeTable, body: bytes) -> str:
    """A picture that the table has; its hash."""
    name = hashlib.sha256(body).hexdigest()
    table.pictures[name] = body
    return name


def a_picture(name: str, kind: str) -> dict[str, Any]:
    """A picture as a record names it."""
    return {"evidence": name, "kind": kind, "at_ns": 5, "side": "attack"}


def doubt(table: FakeTable, *pictures: dict[str, Any], throw: int = 17, player: str = "p2") -> None:
    """A player does not believe a throw."""
    table.note("throw.disputed", throw=throw, player=player, pictures=list(pictures))


def again(table: FakeTable, values: list[int], *, same: bool) -> None:
    """The attack of throw 17 was read again."""
    dice = [{"value": value, "verdict": "valid"} for value in values]
    table.note("throw.read_again", throw=17, side="attack", evidence="0" * 64, dice=dice, same=same, software="1")


async def opened(bench: Bench) -> tuple[FakeTable, Collector, Evidence]:
    """A table in play, with a hub that keeps pictures."""
    table, collector = await bench.table("7", NAMES)
    store = Evidence(bench.folder / "pictures")
    collector._pictures = Pictures(store)
    table.open_game("p1", "p2")
    table.throw(17, "p1", [6, 5, 4])
    return table, collector, store


async def test_pictures_of_a_dispute_come_with_the_very_visit_that_hears_of_it(bench: Bench) -> None:
    """Sheets first; a picture that came is not asked for again."""
    table, collector, store = await opened(bench)
    film, sheet = put(table, b"film"), put(table, b"sheet")
    doubt(table, a_picture(film, "film"), a_picture(sheet, "sheet"))
    await collector.visit()
    asked = [one for one in table.asked if one.startswith("evidence")]
    await collector.visit()

    assert {film, sheet} == store.names()
    assert [f"evidence {sheet[:4]}", f"evidence {film[:4]}"] == asked
    assert asked == [one for one in table.asked if one.startswith("evidence")]


async def test_what_is_gone_or_another_picture_is_not_taken_and_not_asked_for_again(bench: Bench) -> None:
    """The record names the bytes: what does not fit them is no evidence."""
    table, collector, store = await opened(bench)
    swapped = put(table, b"true")
    table.pictures[swapped] = b"false"
    doubt(table, a_picture("0" * 64, "sheet"), a_picture(swapped, "frame"))
    for _ in range(2):
        assert await collector.visit()

    assert (frozenset(), 2) == (store.names(), sum(one.startswith("evidence") for one in table.asked))


async def test_a_disk_that_is_full_leaves_the_visit_whole(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts are collected; the picture is asked for again."""
    table, collector, store = await opened(bench)

    def refuse(_picture: bytes) -> str:
        raise EvidenceError("no room", why="cap")

    monkeypatch.setattr(store, "put", refuse)
    doubt(table, a_picture(put(table, b"sheet"), "sheet"))
    for _ in range(2):
        assert await collector.visit()

    assert 2 == sum(one.startswith("evidence") for one in table.asked)


async def page(bench: Bench, store: Evidence | None, path: str) -> tuple[int, str]:
    """What a browser gets."""
    app = hub_app(bench.hall, bench.ledger, lang="en", now_ns=bench.clock, pictures=store)
    async with TestClient(TestServer(app)) as client, client.get(path) as answer:
        return answer.status, (await answer.read()).decode(errors="replace")


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_the_director_sees_the_pictures_and_both_readings(bench: Bench, lang: str) -> None:
    """On the board, and on a page of its own with every picture."""
    table, collector, store = await opened(bench)
    sheet, film = put(table, b"sheet"), put(table, b"film")
    doubt(table, a_picture(sheet, "sheet"), a_picture(film, "film"), a_picture("0" * 64, "frame"))
    doubt(table, a_picture(sheet, "sheet"), a_picture(film, "film"), a_picture("0" * 64, "frame"), player="p1")
    again(table, [6, 5, 1], same=False)
    await collector.visit()
    _, board = await page(bench, store, f"/board?lang={lang}")
    status, shown = await page(bench, store, f"/dispute/7/r1-t7/17?lang={lang}")

    assert 200 == status
    assert all(f"/pictures/{sheet}.jpg" in one for one in (board, shown))
    assert f"/pictures/{film}.jpg" in shown
    assert all(name in shown for name in ("Bram", "Anna"))
    assert "⟨" not in shown
    assert "{" not in shown.split("<body>")[1]
    assert (200, "sheet") == await page(bench, store, f"/pictures/{sheet}.jpg")


async def test_a_settled_dispute_leaves_the_board_and_stays_on_its_page(bench: Bench) -> None:
    """With how it ended; a throw that nobody disputes has no page, nor has a picture that is not here."""
    table, collector, store = await opened(bench)
    sheet = put(table, b"sheet")
    doubt(table, a_picture(sheet, "sheet"))
    again(table, [6, 5, 4], same=True)
    table.note("dispute.settled", throw=17, reason="reading-stands")
    await collector.visit()
    _, board = await page(bench, store, "/board?lang=en")
    _, shown = await page(bench, store, "/dispute/7/r1-t7/17?lang=en")

    assert sheet not in board
    assert "Over: the reading stands." in shown
    assert "Both readings are the same." in shown
    assert [404] * 4 == [
        (await page(bench, store, "/dispute/7/r1-t7/3"))[0],
        (await page(bench, store, "/dispute/9/r1-t7/17"))[0],
        (await page(bench, store, f"/pictures/{'0' * 64}.jpg"))[0],
        (await page(bench, None, f"/pictures/{sheet}.jpg"))[0],
    ]


async def test_disputes_are_known_again_after_a_restart_and_begin_anew_with_a_game(bench: Bench) -> None:
    """A hub that was thrown away reads them from its ledger; throw 17 of the next game is another one."""
    table, collector, _ = await opened(bench)
    doubt(table)
    table.note("dispute.settled", throw=17, reason="put-right")
    doubt(table, player="p1")
    table.open_game("p1", "p2", round=2)
    table.note("throw.read_again", throw=17, side="attack", evidence="0" * 64, dice=[], same=True, software="1")
    table.note("dispute.settled", throw=17, reason="put-right")
    await collector.visit()
    known = (await bench.again()).doubts("7")

    assert [("put-right", ["p2"], 3), (None, ["p1"], 3)] == [
        (one.settled, one.players, len(one.first["attack"])) for one in known.all
    ]
    assert known.of(17) is None
    assert [] == (await bench.again()).doubts("nobody").all


async def test_a_strange_dispute_is_said_and_stops_nothing(bench: Bench) -> None:
    """A name that is no hash never becomes a path."""
    table, collector, store = await opened(bench)
    doubt(table, a_picture("../../etc/passwd", "sheet"))
    table.note("throw.disputed", throw="x", player="p1", pictures=[])
    await collector.visit()
    fold = bench.hall.fold("7")

    assert fold is not None
    assert ["throw.disputed"] * 2 == [odd.type for odd in fold.oddities]
    assert frozenset() == store.names()
