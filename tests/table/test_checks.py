"""Buzzer, lamps and buttons are tried out before a game; the buzzer may be silenced, the light may not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from companion.hw.clock import boot_ns
from companion.hw.ports import Edge
from tests.table.rig import PIN, TestTable, open_table


async def check(table: TestTable, **body: Any) -> tuple[int, dict[str, Any]]:
    """Ask for a trial at the screen."""
    async with table.screen.post("/v1/checks", json=body) as answer:
        return answer.status, await answer.json()


def line(state: dict[str, Any], part: str) -> tuple[str, str]:
    """State and code of a part's line on the health page."""
    return next((str(i["state"]), str(i["code"])) for i in state["health"] if i["part"] == part)


def notes(state: dict[str, Any]) -> list[str]:
    """Codes of the notes that the screen is told of, newest first."""
    return [str(note["data"]["code"]) for note in state["notes"]]


async def test_people_say_whether_they_heard_the_buzzer(tmp_path: Path) -> None:
    """It beeps, and only what people say makes it well or ill."""
    async with open_table(tmp_path) as table:
        untried = line(await table.state(), "buzzer")
        assert (200, {}) == await check(table, check="buzzer")
        assert table.sim.panel.sound.is_on
        await check(table, check="buzzer", heard=False)
        deaf = await table.state()
        await check(table, check="buzzer", heard=True)
        well = await table.state()

        assert [("ok", "untried"), ("fail", "not-heard"), ("ok", "heard")] == [
            untried, line(deaf, "buzzer"), line(well, "buzzer"),
        ]  # fmt: skip
        assert ["buzzer-heard", "buzzer-not-heard"] == notes(well)
        assert "the buzzer was tried and heard" in well["notes"][0]["said"]


async def test_every_lamp_is_shown(tmp_path: Path) -> None:
    """All lamps burn together, the buzzer stays still."""
    async with open_table(tmp_path) as table:
        await check(table, check="lamps")
        await table.until(lambda _s: all(lamp.is_on for lamp in table.sim.panel.lamps.values()))

        assert not table.sim.panel.sound.history


async def test_nothing_is_tried_out_while_a_game_runs(tmp_path: Path) -> None:
    """Whatever sounds then is "tijd", and only the referee silences it."""
    async with open_table(tmp_path) as table:
        await table.playing()

        assert [409, 409] == [(await check(table, check=part))[0] for part in ("buzzer", "lamps")]
        assert 403 == (await check(table, check="silent", on=True))[0]
        assert 403 == (await check(table, check="silent", on=True, pin="0000"))[0]
        assert 200 == (await check(table, check="silent", on=True, pin=PIN))[0]
        assert not table.sim.panel.sound.history


async def test_a_silenced_buzzer_leaves_the_signal_to_the_light(tmp_path: Path) -> None:
    """At "tijd" the lamps flash, the buzzer keeps still, and it does so after a power cut too."""
    async with open_table(tmp_path) as table:
        await check(table, check="silent", on=True)
        await check(table, check="silent", on=True)
    async with open_table(tmp_path, boot="two") as table:
        state = await table.state()
        table.panel.tijd()
        await table.until(lambda _s: table.sim.panel.lamps["seat3"].is_on)

        assert (True, ("warn", "silenced")) == (state["rig"]["silent"], line(state, "buzzer"))
        assert not table.sim.panel.sound.history
        assert ["silent-on"] == notes(state)

        await check(table, check="silent", on=False)
        table.panel.tijd()
        assert table.sim.panel.sound.is_on
        assert "silent-off" == notes(await table.state())[0]


async def test_half_a_question_is_refused(tmp_path: Path) -> None:
    """What is to be done must be said; only the table's own screen may ask."""
    async with open_table(tmp_path) as table:
        assert 400 == (await check(table, check="silent"))[0]
        assert 400 == (await check(table, check="doorbell"))[0]
        async with table.hub.post("/v1/checks", json={"check": "buzzer"}) as answer:
            assert 404 == answer.status


async def test_each_button_is_seen_to_work(tmp_path: Path) -> None:
    """Pressed ones are counted, the others named."""
    async with open_table(tmp_path) as table:
        before = await table.state()
        table.sim.button("seat2").press()
        await table.until(lambda s: s["rig"]["pressed"]["seat2"] == 1)
        for name in table.panel.buttons():
            table.sim.button(name).press(ms=50)
            await asyncio.sleep(0.15)
        after = await table.until(lambda s: all(s["rig"]["pressed"].values()))

        assert [("ok", "buttons-unseen"), ("ok", "buttons-seen")] == [line(before, "buttons"), line(after, "buttons")]


async def test_two_presses_close_together_keep_their_order(tmp_path: Path) -> None:
    """Two milliseconds apart: both count, in order, and the gap is written down."""
    async with open_table(tmp_path) as table:
        await table.playing()
        now_ns = boot_ns()
        for pressed, after_ms in ((True, 0), (False, 100)):
            for button, at_ns in (("seat3", now_ns), ("seat2", now_ns + 2_000_000)):
                table.sim.panel._deliver(Edge(button=button, pressed=pressed, at_ns=at_ns + after_ms * 1_000_000))

        state = await table.until(lambda s: "presses-close" in notes(s))

        values = next(n["data"]["values"] for n in state["notes"] if n["data"]["code"] == "presses-close")
        assert {"first": "seat3", "second": "seat2", "gap_us": 2000} == values


async def test_buttons_held_together_are_said_once(tmp_path: Path) -> None:
    """The referee is called, and that two were held is noted one time."""
    async with open_table(tmp_path) as table:
        await table.playing()
        table.sim.button("seat2").press(ms=1600)
        table.sim.button("seat3").press(ms=1600, in_ms=200)

        state = await table.until(lambda s: "buttons-together" in notes(s))
        await asyncio.sleep(0.9)
        later = await table.state()

        assert state["referee_called"] is not None
        assert 1 == notes(later).count("buttons-together")
        together = next(n["data"]["values"] for n in later["notes"] if n["data"]["code"] == "buttons-together")
        assert ["seat2", "seat3"] == together["buttons"]


def _refuse(self: Path) -> None:
    raise OSError(30, "Read-only file system", str(self))


async def test_a_disk_that_refuses_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a PIN nor the silence can be kept: a problem of the disk, not a fault of the program."""
    async with open_table(tmp_path) as table:
        (tmp_path / "referee.new").mkdir()
        monkeypatch.setattr(Path, "touch", _refuse)
        async with table.screen.put("/v1/pin", json={"pin": PIN}) as answer:
            pin = (answer.status, (await answer.json())["problem"])
        status, body = await check(table, check="silent", on=True)

        assert [(507, "journal-unwritable")] * 2 == [pin, (status, body["problem"])]
