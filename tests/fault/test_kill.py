"""The plug is pulled: whatever was shown is still there."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from companion.journal import open_to_read
from companion.lan.client import TableClient
from companion.lan.errors import PeerError
from tests.fault.killed import Service, play_on

KILLS = 20


@pytest.mark.slow
def test_no_event_that_was_shown_is_lost_when_the_service_is_killed(tmp_path: Path) -> None:
    """Twenty SIGKILLs at random moments of play: each record that a client had seen is there, unchanged."""
    shown: dict[int, str] = {}
    states: dict[int, dict[str, Any]] = {}

    asyncio.run(_kill_again_and_again(tmp_path, shown, states))

    with open_to_read(tmp_path / "state" / "journal.sqlite") as journal:
        assert journal.verify().fault is None
        kept = {record.seq: record.hash for record in journal.all()}
    assert len(states) > KILLS
    assert shown == {seq: kept.get(seq) for seq in shown}


async def _kill_again_and_again(folder: Path, shown: dict[int, str], states: dict[int, dict[str, Any]]) -> None:
    chance = random.Random(20261129)
    service = Service(folder)
    for _kill in range(KILLS):
        service.start()
        async with TableClient(socket=service.socket) as client:
            first = await service.answering(client)
            _same_as_before(first, states)
            loop = asyncio.get_running_loop()
            loop.call_later(chance.uniform(0.0, 0.4), service.kill)
            try:
                async for state in play_on(client, chance):
                    states[state["seq"]] = state
                    page = await client.journal(after=max(shown, default=0))
                    shown.update((record["seq"], record["hash"]) for record in page.records)
            except PeerError:
                continue


def _same_as_before(first: dict[str, Any], states: dict[int, dict[str, Any]]) -> None:
    """What the newest screen before the kill said is what the table says after it, or less than it says."""
    if not states:
        return
    newest = states[max(states)]
    assert first["seq"] >= newest["seq"]
    if first["throws"]["ruled"] == newest["throws"]["ruled"] and newest["throw"] and first["throw"]:
        assert first["throw"]["id"] >= newest["throw"]["id"]
    assert {p["id"]: p["start_dice"] for p in newest["players"] if p["colour"]}.items() <= {
        p["id"]: p["start_dice"] for p in first["players"]
    }.items()
