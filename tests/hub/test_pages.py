"""A whole hub with its page: what is shown, how old it is, and what it refuses."""

from __future__ import annotations

import asyncio
import csv
import html
import io
import json
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from companion.config.shapes import HubConfig
from companion.hub.bootstrap import Hub, HubError, running_hub
from companion.hub.sheets import results_csv, standings_csv
from companion.hub.texts import Texts
from companion.journal.export import restore
from companion.journal.reading import open_to_read
from companion.lan.errors import BadAddress
from companion.lan.events import EventParser
from companion.words import LANGUAGES, Words

from .fake_table import FakeTable

NAMES = {"anna": "Anna <b>de Vries</b>", "bram": "=1+1", "cees": "Cees"}
RESULTS = {"anna": "1+", "bram": "2", "cees": "3"}


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[tuple[FakeTable, str]]:
    """A table that answers, with its address."""
    made = FakeTable("7", NAMES)
    address = await made.serve(tmp_path / "7.sock")
    yield made, address
    await made.stop()


async def shown(hub: Hub, path: str, **headers: str) -> str:
    """What the hub answers."""
    async with ClientSession() as session, session.get(hub.url.rstrip("/") + path, headers=headers) as answer:
        return await answer.text()


async def until_heard(hub: Hub, seq: int) -> dict[str, Any]:
    """The view once the hub has that many records of the table, and the names that go with them."""
    async with asyncio.timeout(10):
        while True:
            view: dict[str, Any] = json.loads(await shown(hub, "/v1/tables"))
            named = [player["name"] for one in view["tables"] if one["game"] for player in one["game"]["players"]]
            if named[:1] == [NAMES["anna"]] and view["tables"][0]["seq"] >= seq:
                return view
            await asyncio.sleep(0.05)


class Outline(HTMLParser):
    """The elements of a page, and whether each that was opened was closed."""

    VOID = frozenset({"meta", "link", "br", "img", "input", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Note an element."""
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be this one."""
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


async def test_a_page_is_whole_and_safe_in_every_language(table: tuple[FakeTable, str], tmp_path: Path) -> None:
    """All four languages give well-formed pages that show names as text, never as markup."""
    fake, address = table
    fake.open_game("anna", "bram", "cees")
    fake.close_game(RESULTS)
    fake.open_game("anna", "bram", "cees", round=2, scale=30.0)
    fake.throw(1, "anna", [6, 4], [5])
    fake.note("referee.called", by="anna")
    fake.note("throw.ruled", throw=99, side="attack", action="accept", counted=[])
    fake.note("moon.landed")
    found = []
    config = HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / "hub", tables=[address, "unix:/no/such.sock"])
    async with running_hub(config) as hub:
        await until_heard(hub, len(fake.records))
        for lang in LANGUAGES:
            page = await shown(hub, f"/?lang={lang}")
            outline = Outline()
            outline.feed(page)
            texts = Texts(lang)
            found.append(
                (
                    outline.faults,
                    outline.open,
                    "b" in outline.tags,
                    f'<html lang="{lang}">' in page,
                    all(texts.say(key) in html.unescape(page) for key in ("hub.standings", "hub.referee-called")),
                    "Anna &lt;b&gt;de Vries" in page,
                )
            )

    assert [([], [], False, True, True, True)] * len(LANGUAGES) == found


async def test_a_cause_that_was_picked_is_told_in_the_page_s_language(
    table: tuple[FakeTable, str], tmp_path: Path
) -> None:
    """Of a ruling, of a change after closing, of a disputed result: the journal has a code, a reader gets words."""
    fake, address = table
    fake.open_game("anna", "bram", "cees")
    fake.score(RESULTS)
    fake.note("result.disputed", player="anna", reason="rule-disputed")
    fake.note("result.ruled", results=RESULTS, reason="by-lot")
    fake.note("table.closed", results=RESULTS)
    fake.note("result.changed", results=RESULTS, before=RESULTS, reason="counted-wrong")
    fake.open_game("anna", "bram", "cees", round=2)
    fake.score(RESULTS)
    first, second, third = RESULTS
    swapped = {first: RESULTS[first], second: RESULTS[third], third: RESULTS[second]}
    fake.note("result.ruled", results=swapped, reason="referee-decides")
    fake.note("result.disputed", player="anna", reason="typed-wrong")
    config = HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / "hub", tables=[address])
    async with running_hub(config) as hub:
        await until_heard(hub, len(fake.records))
        page = html.unescape(await shown(hub, "/?lang=nl"))

    # A computed reason beside a ruled result would contradict it: only the place that stands has its reason.
    assert 1 == page.count('class="why"')
    words = Words("nl")
    told = [words.say(f"cause.{cause}") in page for cause in ("counted-wrong", "typed-wrong")]
    raw = [cause for cause in ("by-lot", "counted-wrong", "typed-wrong", "rule-disputed") if cause in page]
    assert ([True, True], []) == (told, raw)


async def test_the_page_is_told_and_shows_what_is_new(table: tuple[FakeTable, str], tmp_path: Path) -> None:
    """An open page hears of a new fact by itself, and in between how old everything is."""
    fake, address = table
    fake.open_game("anna", "bram", "cees")
    config = HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / "hub", tables=[address])
    pulses: list[dict[str, Any]] = []
    board, has_thrown, parser = "", False, EventParser()
    async with running_hub(config) as hub, ClientSession() as session:
        await until_heard(hub, len(fake.records))
        async with asyncio.timeout(8), session.get(f"{hub.url}events") as stream:
            async for chunk in stream.content.iter_any():
                told = list(parser.feed(chunk))
                pulses += [json.loads(event.data) for event in told if event.event == "pulse"]
                if has_thrown and any(event.event == "board" for event in told):
                    board = await shown(hub, "/board?lang=en")
                if pulses and not has_thrown:
                    fake.throw(1, "anna", [6, 5])
                    has_thrown = True
                if 'aria-label="6"' in board and 'aria-label="5"' in board:
                    break

    assert (["7"], True) == (list(pulses[0]), pulses[0]["7"]["contact_age_ms"] is not None)


async def test_sheets_open_in_a_spreadsheet(table: tuple[FakeTable, str], tmp_path: Path) -> None:
    """CSV has a mark for its encoding, one line per player, and no name runs as a formula."""
    fake, address = table
    fake.open_game("anna", "bram", "cees")
    fake.close_game(RESULTS)
    config = HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / "hub", tables=[address])
    async with running_hub(config) as hub:
        await until_heard(hub, len(fake.records))
        standings, results = await shown(hub, "/export/standings.csv"), await shown(hub, "/export/results.csv")
    rows = list(csv.reader(io.StringIO(standings.removeprefix("\ufeff"))))

    assert (
        ["place", "name", "round 1", "points", "pluses", "decided by"],
        ["1", "Anna <b>de Vries</b>", "1+", "1", "1", "rank-points"],
        ["2", "'=1+1", "2", "2", "0", "rank-points"],
        True,
        4,
    ) == (rows[0], rows[1], rows[2], standings.startswith("\ufeff"), len(results.splitlines()))


def test_sheets_of_nothing_have_a_header() -> None:
    """Before the first result a sheet is empty, not broken."""
    assert (1, 1) == (len(standings_csv(None).splitlines()), len(results_csv(None).splitlines()))


async def test_a_dead_table_is_restored_from_the_hub(table: tuple[FakeTable, str], tmp_path: Path) -> None:
    """The lines that the hub hands out make the table's journal again, record for record."""
    fake, address = table
    fake.open_game("anna", "bram", "cees")
    config = HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / "hub", tables=[address])
    async with running_hub(config) as hub:
        await until_heard(hub, len(fake.records))
        lines = await shown(hub, "/export/journal/7/1.jsonl")
        missing = json.loads(await shown(hub, "/export/journal/8/1.jsonl"))
    (tmp_path / "7.jsonl").write_text(lines, encoding="utf-8")
    restore(tmp_path / "7.jsonl", tmp_path / "new", table_id="7")
    with open_to_read(tmp_path / "new" / "journal.sqlite") as journal:
        restored = list(journal.all())

    assert (fake.records, "no-such-journal") == (restored, missing["problem"])


async def test_a_new_laptop_collects_everything_again(table: tuple[FakeTable, str], tmp_path: Path) -> None:
    """A hub without its state gives the same standings as the one that was lost."""
    fake, address = table
    fake.open_game("anna", "bram", "cees")
    fake.close_game(RESULTS)
    found = []
    for name in ("laptop", "spare"):
        config = HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / name, tables=[address])
        async with running_hub(config) as hub:
            found.append((await until_heard(hub, len(fake.records)))["tournament"])

    assert found[0]["standings"] == found[1]["standings"] != []


async def test_a_hub_alone_still_knows(table: tuple[FakeTable, str], tmp_path: Path) -> None:
    """With every table off, a restarted hub shows what it had, as out of touch."""
    fake, address = table
    fake.open_game("anna", "bram", "cees")
    fake.close_game(RESULTS)
    config = HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / "hub", tables=[address])
    async with running_hub(config) as hub:
        before = await until_heard(hub, len(fake.records))
    await fake.stop()
    async with running_hub(config) as hub:
        after = json.loads(await shown(hub, "/v1/tables"))
        page = await shown(hub, "/?lang=en")

    assert (before["tournament"], None, True, True, True) == (
        after["tournament"],
        after["tables"][0]["contact_age_ms"],
        after["tables"][0]["out_of_touch"],
        "table stale" in page,
        "never" in page,
    )


@pytest.mark.parametrize("path", ["/nowhere", "/static/../app.py", "/static/nothing.css"])
async def test_wrong_paths_get_the_one_error_body(tmp_path: Path, path: str) -> None:
    """Whatever is not there is told as a problem."""
    async with running_hub(HubConfig(listen="127.0.0.1:0", state_dir=tmp_path)) as hub:
        answer = json.loads(await shown(hub, path))

    assert "not-found" == answer["problem"]


async def test_pages_may_only_use_what_the_hub_serves(tmp_path: Path) -> None:
    """The page forbids foreign scripts and frames, and an empty hub says what to do."""
    async with (
        running_hub(HubConfig(listen="127.0.0.1:0", state_dir=tmp_path)) as hub,
        ClientSession() as session,
        session.get(hub.url, headers={"Accept-Language": "it-IT,it;q=0.9"}) as answer,
    ):
        policy, page = answer.headers["Content-Security-Policy"], await answer.text()

    assert (True, True) == ("default-src 'self'" in policy, Texts("it").say("hub.no-tables") in page)


async def test_a_second_hub_on_the_same_state_is_refused(tmp_path: Path) -> None:
    """One store has one hub."""
    config = HubConfig(listen="127.0.0.1:0", state_dir=tmp_path)
    async with running_hub(config):
        with pytest.raises(HubError) as caught:
            async with running_hub(config):
                pytest.fail("the second hub started")

    assert "hub-busy" == caught.value.code


async def test_a_taken_port_is_told(tmp_path: Path) -> None:
    """The port is named, and the state is free again afterwards."""
    async with running_hub(HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / "a")) as hub:
        port = hub.url.rstrip("/").rpartition(":")[2]
        taken = HubConfig(listen=f"127.0.0.1:{port}", state_dir=tmp_path / "b")
        with pytest.raises(HubError) as caught:
            async with running_hub(taken):
                pytest.fail("the second hub started")
    async with running_hub(HubConfig(listen="127.0.0.1:0", state_dir=tmp_path / "b")) as again:
        url = again.url

    assert ("port-in-use", True, True) == (caught.value.code, port in str(caught.value), url.startswith("http://"))


async def test_a_wrong_table_address_is_told(tmp_path: Path) -> None:
    """A mistyped table stops the start with its name."""
    with pytest.raises(BadAddress) as caught:
        async with running_hub(HubConfig(listen="127.0.0.1:0", state_dir=tmp_path, tables=["table 7"])):
            pytest.fail("the hub started")

    assert "table 7" == caught.value.values["address"]
