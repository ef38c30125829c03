"""The hub's page shows the seal of a secret length, and the proof once the table has told it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from companion.hub.app import hub_app
from companion.hub.folding import TableFold
from companion.session.seal import Secret

from .conftest import Bench
from .fake_table import FakeTable

SECRET = Secret(113, "7f3c1a90d2e84b56a1c07d9e42f8b365")
SHORT = "57dc c26a d5be 2fa2"
SEALED: dict[str, Any] = {
    "seal": SECRET.seal, "phase": "first_phase", "least_min": 90, "most_min": 120, "source": "table", "hall": None,
    "why": "start",
}  # fmt: skip
REVEALED: dict[str, Any] = {"seal": SECRET.seal, "minutes": 113, "salt": SECRET.salt}


async def shown(bench: Bench, table: FakeTable, collector: Any) -> tuple[str, dict[str, Any]]:
    """The page's middle in English, and the table's newest game as JSON."""
    await collector.visit()
    async with TestClient(TestServer(hub_app(bench.hall, bench.ledger, lang="en", now_ns=bench.clock))) as page:
        async with page.get("/board?lang=en") as answer:
            text = await answer.text()
        async with page.get("/v1/tables") as answer:
            told: dict[str, Any] = (await answer.json())["tables"][0]["game"]
    return text, told


@pytest.mark.parametrize(
    ("facts", "line", "minutes"),
    [
        ([], f"Seal of the length: {SHORT}", None),
        (
            [("tijd.lost", {"seal": SECRET.seal, "why": "altered"})],
            "The length can&#39;t be vouched for any more",
            None,
        ),
        ([("tijd.revealed", REVEALED)], f"Sealed were 113 minutes: sha256sum of «tijd 113 minutes {SECRET.salt}»", 113),
    ],
)
async def test_page_tells_of_the_seal(
    bench: Bench, facts: list[tuple[str, dict[str, Any]]], line: str, minutes: int | None
) -> None:
    """Before the end no more than the table's own screen does."""
    table, collector = await bench.table("7")
    table.open_game("anna", "bert", "cees")
    table.note("tijd.sealed", **SEALED)
    table.note("tijd.armed", seal=SECRET.seal, by="clock", why="start")
    for kind, data in facts:
        table.note(kind, **data)
    text, told = await shown(bench, table, collector)

    assert line in text
    assert ([minutes], "clock") == ([one["minutes"] for one in told["seals"]], told["seals"][0]["armed_by"])


def test_length_told_late_belongs_to_the_game_that_sealed_it(tmp_path: Path) -> None:
    """The table was set up anew before its hall had ended."""
    table, fold = FakeTable("7"), TableFold()
    table.open_game("anna", "bert", "cees")
    table.note("tijd.sealed", **SEALED)
    table.open_game("anna", "bert", "cees", round=2)
    table.note("tijd.revealed", **REVEALED)
    for record in table.records:
        fold.take(record)

    assert [[113], []] == [[seal.minutes for seal in game.seals.values()] for game in fold.games]
    assert [] == fold.oddities
