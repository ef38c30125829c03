"""`companion clock` and the hub's door behind it: only for the hub's own user, and no length is ever shown."""

from __future__ import annotations

import asyncio
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp
from click.testing import CliRunner

from companion.cli import main
from companion.hub.director_door import served_to_director
from companion.hub.lengths import MS_PER_MIN, LengthStore, due_ms

from .hall_rig import a_hall


def ordering(folder: Path) -> Callable[..., Any]:
    """`companion clock` as the director types it, while the hub's loop runs on."""

    async def order(*words: str, typed: str = "") -> Any:
        return await asyncio.to_thread(
            CliRunner().invoke, main, ["clock", "--state", str(folder), *words], input=typed, catch_exceptions=False
        )

    return order


async def test_director_orders_through_a_door_of_their_own(tmp_path: Path) -> None:
    """Only the hub's user can open it; a chosen length is asked for and never shown."""
    async with a_hall(tmp_path, "1") as rig, served_to_director(director := rig.director(), rig.folder) as door:
        order = ordering(rig.folder)
        mode = stat.S_IMODE(door.stat().st_mode)
        started = await order("start", "--choose", typed="113\n113\n")
        await rig.visit()
        shown = await order("show")
        paused = await order("pause", "--reason", "fire alarm")
        await order("resume")
        await order("add", "5", "--reason", "fire alarm")
        trusted = await order("trust", "1")
        ended = await order("signal", "--yes")
        await rig.visit()
        await director.look()
        refused = await order("signal", "--yes")
        await order("reveal", "hall1", "--reason", "all are home", "--yes")

        assert (0o600, 0, 0, 0, 0, 2) == (
            mode, started.exit_code, shown.exit_code, paused.exit_code, ended.exit_code, refused.exit_code,
        )  # fmt: skip
        assert "started: 1" in started.output
        assert "table 1: playing" in shown.output
        assert trusted.output.startswith("key of table 1: ")
        assert "name one of the halls" in refused.output
        told = re.sub(r"[0-9a-f]{64}", "", started.output + shown.output + paused.output)
        assert "113" not in told
        assert 118 * MS_PER_MIN == due_ms(*_kept(rig.folder))


def _kept(folder: Path) -> Any:
    store = LengthStore(folder)
    hall = store.halls["hall1"]
    return hall, store.secret(hall)


def test_order_without_a_hub_says_what_to_do(tmp_path: Path) -> None:
    """One line, exit code 2."""
    done = CliRunner().invoke(main, ["clock", "--state", str(tmp_path), "show"])

    assert 2 == done.exit_code
    assert "no hub runs on" in done.output


async def test_strange_orders_are_refused(tmp_path: Path) -> None:
    """A body that is none, an act without a reason, extra time without minutes, a key of nobody."""
    bodies = [
        (b"{", "malformed-body"),
        (b'{"verb": "dance"}', "malformed-body"),
        (b'{"verb": "pause"}', "reason-missing"),
        (b'{"verb": "add", "reason": "late"}', "minutes-missing"),
        (b'{"verb": "trust"}', "table-missing"),
        (b'{"verb": "trust", "tables": ["9"]}', "no-such-table"),
    ]
    async with a_hall(tmp_path, "1") as rig, served_to_director(rig.director(), rig.folder) as door:
        connector = aiohttp.UnixConnector(path=str(door))
        async with aiohttp.ClientSession(connector=connector) as session:
            codes = []
            for body, _code in bodies:
                async with session.post("http://hub/v1/halls", data=body) as answer:
                    codes.append((await answer.json())["problem"])

    assert [code for _body, code in bodies] == codes
