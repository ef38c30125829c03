"""What anybody can read at a table, at its hub and on its disk is the same, whatever length was sealed.

Tables with different lengths are played in step, each with a hub of its own. At several moments everything is read that
a player, the user of the screen and the readers of the hub can read. Ids, hashes and times are masked; the rest must be
equal byte for byte. Response times are a matter of `companion bench table`.
"""

from __future__ import annotations

import asyncio
import json
import re
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import structlog
from aiohttp.test_utils import TestClient, TestServer

from companion.hub.app import hub_app
from companion.hub.collect import Collector
from companion.hub.hall import Hall
from companion.hub.ledger import Ledger
from companion.hw.clock import boot_ns
from companion.journal.checking import check
from companion.journal.export import export
from companion.lan.addresses import TableAddress
from companion.lan.client import TableClient
from companion.lan.lengths import letter
from companion.session import commands as c
from companion.session.seal import Secret
from companion.table.lamps import lights
from companion.words import LANGUAGES
from tests.table.rig import PIN, TestTable, open_table

LENGTHS = (90, 120)
SALTS = {90: "5a" * 16, 120: "e7" * 16}
OWN = {"secret_time": "random", "same_for_all_tables": False}
ADDRESS = "http://127.0.0.1:8700"

MASKS = (
    (re.compile(rb"\b[0-9a-f]{16,}\b"), b"<hash>"),
    (re.compile(rb"\b(?:[0-9a-f]{4} ){3}[0-9a-f]{4}\b"), b"<short>"),
    (re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)?"), b"<wall>"),
    (re.compile(rb'("\w*(?:_ns|_ms|age_s|free_mb)"\s*:\s*)-?\d+'), rb"\1<n>"),
    (re.compile(rb'(data-[a-z-]*ms=")-?\d+'), rb"\1<n>"),
    (re.compile(rb">\s*\d+:\d\d(?::\d\d)?\b"), b"><clock>"),
    (re.compile(rb"\b\d+:\d\d(?::\d\d)?\b"), b"<clock>"),
    (re.compile(rb"\b\d+ s\b"), b"<age>"),
    (re.compile(rb"127\.0\.0\.1:\d+"), b"<address>"),
)


def masked(content: bytes) -> bytes:
    """Content without ids, hashes and times."""
    for pattern, name in MASKS:
        content = pattern.sub(name, content)
    return content


@dataclass(slots=True)
class World:
    """One table with its hub, and all that was read there."""

    folder: Path
    secret: Secret
    table: TestTable
    collector: Collector
    page: TestClient[Any, Any]
    noted: list[dict[str, Any]]
    read: list[tuple[str, bytes]] = field(default_factory=list)

    async def spy(self, moment: str) -> None:
        """Read everything there is."""
        self.table.service.beat_once()
        await self.collector.visit()
        for path in ["/v1/journal", "/v1/draft", "/v1/key", *(f"/v1/state?lang={lang}" for lang in LANGUAGES)]:
            for door, name in ((self.table.screen, "screen"), (self.table.hub, "hub's door")):
                async with door.get(path) as answer:
                    # How long an answer is follows from its bytes, which are compared, and from the digits of times.
                    headers = {k: v for k, v in answer.headers.items() if k not in ("Content-Length", "Date")}
                    self._note(f"{moment}: {name} {path}", str(headers).encode() + await answer.read())
        for lang in LANGUAGES:
            for path in (f"/?lang={lang}", f"/board?lang={lang}"):
                async with self.page.get(path) as answer:
                    self._note(f"{moment}: page {path}", await answer.read())
        for path in ("/v1/tables", "/export/results.csv", "/export/standings.csv", "/export/journal/7/1.jsonl"):
            async with self.page.get(path) as answer:
                self._note(f"{moment}: page {path}", await answer.read())
        for path in ("/v1/events", "/events"):
            door = self.table.screen if path == "/v1/events" else self.page
            async with door.get(path) as answer:
                self._note(f"{moment}: first of {path}", await _first_event(answer.content))
        await self._try(moment)
        self._look_at_disk(moment)
        burning = lights(self.table.service.state)
        lamps = [sorted(burning.steady), sorted(burning.blinking)]
        self._note(f"{moment}: lamps", json.dumps(lamps).encode())
        self._note(f"{moment}: logs", json.dumps(self.noted, default=str).encode())

    async def _try(self, moment: str) -> None:
        """Ask for what one may not have, and for what is wrong."""
        tries: list[dict[str, Any]] = [
            {"command": "reveal_tijd"},
            {"command": "reveal_tijd", "pin": "0000"},
            {"command": "reveal_tijd", "args": {"minutes": 90, "salt": "0" * 32}},
            {"command": "sound_tijd"},
            {"command": "add_time", "args": {"ms": 1, "reason": "x"}},
            {"command": "start_game", "args": {"seal": "0" * 64, "box": "00"}},
            {"command": "lose_tijd", "args": {"seal": "0" * 64, "why": "missing"}},
            {"command": "set_up_table", "args": {"system": "risiko", "players": [], "length_ms": 5_400_000}},
        ]
        for number, body in enumerate(tries):
            for door, name in ((self.table.screen, "screen"), (self.table.hub, "hub's door")):
                if name == "hub's door" and body["command"] == "sound_tijd":
                    continue
                async with door.post("/v1/commands", json={"id": self.table.ids(), **body}) as answer:
                    self._note(f"{moment}: try {number} at {name}", f"{answer.status} ".encode() + await answer.read())

    def _look_at_disk(self, moment: str) -> None:
        """Names, rights and sizes of all files; the content of those that others may read; an export."""
        target = self.folder / f"export {moment}"
        export(self.folder / "state", target, with_names=True)
        for path in sorted([*(self.folder / "state").rglob("*"), *target.rglob("*")]):
            if path.is_file():
                found, content = path.stat(), path.read_bytes()
                if path.name == "heartbeat.json":
                    # Which record was the newest at the last beat is a matter of when it beat.
                    content = re.sub(rb'"seq":\d+', b'"seq":0', content)
                # What holds times is as long as their digits: there the masked content is compared instead.
                size = found.st_size if path.name in ("tijd.secret", "table.key", "private.sqlite") else ""
                told = f"{stat.S_IMODE(found.st_mode):o} {size} "
                is_text = path.suffix in (".json", ".jsonl") and found.st_mode & 0o044
                name = path.relative_to(self.folder)
                self._note(f"{moment}: file {name}", told.encode() + (content if is_text else b""))
                if found.st_mode & 0o044:
                    for part in (self.secret.salt, f"{self.secret.minutes} minutes", f'"{self.secret.minutes:04}"'):
                        assert part.encode() not in content, f"{part} is in {name}"

    def _note(self, where: str, content: bytes) -> None:
        assert self.secret.salt.encode() not in content, f"the salt is in {where}"
        self.read.append((where, masked(content)))


async def _first_event(stream: Any) -> bytes:
    lines: list[bytes] = []
    async with asyncio.timeout(5):
        while not lines or lines[-1].strip():
            lines.append(await stream.readline())
    return b"".join(lines)


@asynccontextmanager
async def a_world(folder: Path, minutes: int) -> AsyncIterator[World]:
    """A table that will be played for `minutes`, with a hub that collects it."""
    secret = Secret(minutes, SALTS[minutes])
    chance = {"number": lambda: minutes - 90, "salt": lambda: secret.salt}
    (folder / "hub").mkdir(parents=True)
    ledger = await Ledger.open(f"sqlite+aiosqlite:///{folder / 'hub' / 'hub.sqlite'}")
    hall = Hall([ADDRESS])
    with structlog.testing.capture_logs() as noted:
        async with open_table(folder / "state", **chance) as table:
            client = TableClient.at(TableAddress.parse(str(table.hub.make_url("/"))))
            collector = Collector(
                hall.contacts[ADDRESS], client, hall=hall, ledger=ledger, now_ns=boot_ns, wall=lambda: "<wall>"
            )
            page = TestClient(TestServer(hub_app(hall, ledger, lang="nl", now_ns=boot_ns)))
            await page.start_server()
            try:
                yield World(
                    folder=folder, secret=secret, table=table, collector=collector, page=page, noted=list(noted)
                )
            finally:
                await page.close()
                await client.close()
                await ledger.close()


async def start(world: World, source: str) -> None:
    """The game begins by a length that the table draws, or that the hub sends."""
    if source == "table":
        await world.table.ask("start_game")
        return
    key = world.table.service.secrets.key
    box = letter(world.secret, table="7", game="r1-t7", phase="first_phase", public=key.public, turn=key.turn())
    args = {"seal": world.secret.seal, "hall": "hall1", "box": box}
    async with world.table.hub.post(
        "/v1/commands", json={"id": world.table.ids(), "command": "start_game", "args": args}
    ) as answer:
        assert 200 == answer.status


async def played(folder: Path, minutes: int, source: str) -> list[tuple[str, bytes]]:
    """A game up to its 89th minute, with a pause, extra time, a claim and a power cut; all that was read on the way."""
    async with a_world(folder, minutes) as world:
        table = world.table
        await table.ready(**(OWN if source == "table" else {}))
        await world.spy("ready")
        await start(world, source)
        await world.spy("started")
        await table.ask("call_throw")
        await table.ask("enter_dice", side="attack", values=[6, 5, 4])
        await table.ask("enter_dice", side="defence", values=[3, 3, 2])
        await table.ask("pause_clock", pin=PIN, reason="a glass fell over")
        await world.spy("paused")
        await table.ask("resume_clock", pin=PIN)
        await table.ask("add_time", pin=PIN, ms=60_000, reason="a glass fell over")
        await table.ask("claim_mission", player="anna")
        await world.spy("claimed")
        await table.ask("withdraw_claim", pin=PIN, reason="one land short")
        recover = c.Recover(events=9, same_boot=False, away_ms=5_000, elapsed_ms=89 * 60_000)
        table.service.carry_out(recover, "rig")
        await world.spy("back")
        await table.ask("resume_clock", pin=PIN, away_counts=True)
        await asyncio.sleep(1.2)
        await world.spy("late")
        await table.ask("sound_tijd", pin=PIN)
        if source == "table":
            proved = [finding.code for finding in check(folder / "state").findings]
            # The referee ended it by hand, before its time: the check says so.
            assert "seal-proved" == proved[0]
            assert "seal-not-kept" in proved
            assert minutes == (await table.state())["sealed"][0]["minutes"]
    return world.read


@pytest.mark.parametrize("source", ["table", "hub"])
async def test_nothing_that_can_be_read_depends_on_the_length(tmp_path: Path, source: str) -> None:
    """Two lengths, six moments, every door: equal to the byte."""
    worlds = [await played(tmp_path / str(minutes), minutes, source) for minutes in LENGTHS]
    wheres = {where for where, _content in worlds[0]}

    assert len(wheres) > 200
    for world in worlds[1:]:
        assert [where for where, _ in worlds[0]] == [where for where, _ in world]
        assert [] == [
            (where, one, other) for (where, one), (_, other) in zip(worlds[0], world, strict=True) if one != other
        ]


def test_masks_hide_no_length() -> None:
    """What is masked are hashes, ids and times; a number of minutes that leaked would be seen."""
    leaks = [b'{"minutes": 104}', b'{"length": 6240000}', b"104", b"Tijd na 104 minuten", b'{"left": "16 min"}']

    assert leaks == [masked(leak) for leak in leaks]
