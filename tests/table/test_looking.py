"""Calibration, disputes and second readings as people ask for them over the API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.hw.ports import Frame
from companion.journal import Evidence, EvidenceError
from companion.session import commands as c
from companion.session.events import MeasuredFact
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.table import keeping
from companion.table import looking as lookings
from companion.table.care import BoxCare
from companion.table.keeping import Keeper
from companion.table.looking import Eyes
from companion.table.sides import SideColours, die_fact
from companion.vision.reader import BoxReader, ReaderSettings
from companion.vision.settle import ThrowWatch
from companion.vision.tray import Tray, find_tray
from companion.vision.types import ThrowRead

from .rig import PIN, TestTable, open_table

SETTINGS = ReaderSettings()
COLOURS = SideColours(attack=frozenset({"red"}), defence=frozenset({"blue"}))


class Camera:
    """A simulated rig in the hand of the test: it throws, reads and stores as the camera's thread does."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.rig = SimRig(SimSettings(), self.clock)
        self.keeper = Keeper(Evidence(folder / "evidence"))
        self.care = BoxCare(SETTINGS, lambda _command: None)
        self.eyes = Eyes(care=self.care, keeper=self.keeper, settings=SETTINGS, colours=COLOURS)
        self.reader = BoxReader(SETTINGS)
        self.table: TestTable

    @property
    def tray(self) -> Tray:
        """The box."""
        found = self.reader.tray or find_tray(self.rig.camera.picture(0), SETTINGS.rig)
        assert found is not None
        return found

    def throw(self, values: list[int], side: str = "attack") -> None:
        """Dice roll, are filmed, read and handed over."""
        thrown = self.rig.box.throw(values, side=side)  # type: ignore[arg-type]
        for at_ns in range(thrown.settled_ns - 200 * NS_PER_MS, thrown.settled_ns, 33 * NS_PER_MS):
            image = self.rig.camera.picture(at_ns)
            self.keeper.saw(Frame(image=image, luma=None, at_ns=at_ns, number=1), self.tray, is_moving=True)
        image = self.rig.camera.picture(thrown.settled_ns)
        reading = self.reader.read(image, look_outside=False)
        event = ThrowRead(
            number=1, started_ns=thrown.start_ns, settled_ns=thrown.settled_ns, reading=reading, image=image
        )
        kept = self.keeper.reading(event, self.tray, _never)
        seen = c.SeeDice(
            dice=tuple(replace(die_fact(die, COLOURS), rolled=True) for die in kept.dice),
            sides=tuple(COLOURS.side(die) for die in kept.dice),
            moved=tuple(COLOURS.side(die) == side for die in kept.dice),
            started_ns=thrown.start_ns,
            settled_ns=thrown.settled_ns,
            evidence=kept.sheet,
            pictures=kept.pictures,
        )
        self.clock.advance_to(thrown.settled_ns + NS_PER_S)
        self.table.service.carry_out(seen, "rig", by="camera")

    def look(self, seconds: float) -> None:
        """Look at the rig for a while, as the camera's thread does."""
        watch = ThrowWatch(SETTINGS, BoxReader(SETTINGS))
        for _ in range(round(seconds * 30)):
            frame = self.rig.camera.read(200)
            assert frame is not None
            watch.feed(frame.image, frame.luma, frame.at_ns)
            self.care.saw(frame, watch)


def _never(error: EvidenceError) -> None:
    raise AssertionError(error)


@asynccontextmanager
async def table_with_camera(folder: Path) -> AsyncIterator[tuple[TestTable, Camera]]:
    """A running game at a table whose camera the test holds."""
    camera = Camera(folder)
    async with open_table(folder, eyes=camera.eyes) as table:
        camera.table = table
        await table.playing()
        yield table, camera


async def waited(table: TestTable, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Look until it is so: a reading takes its time on a busy machine."""
    async with asyncio.timeout(60):
        while not is_so(state := await table.state()):
            await asyncio.sleep(0.05)
    return state


async def records(table: TestTable, kind: str) -> list[dict[str, Any]]:
    """Data of all facts of a kind."""
    async with table.hub.get("/v1/journal") as answer:
        lines = (await answer.text()).splitlines()
    return [record["data"] for line in lines if (record := msgspec.json.decode(line))["type"] == kind]


async def test_a_disputed_throw_is_read_again_and_all_its_pictures_are_there(tmp_path: Path) -> None:
    """One press: pictures on the disk before the fact, both readings side by side, the referee called."""
    async with table_with_camera(tmp_path) as (table, camera):
        camera.throw([6, 5, 4])
        camera.throw([3, 2], side="defence")
        await table.ask("dispute_throw", throw=1, player="cees")
        state = await waited(table, lambda s: len(s["disputes"][0]["again"]) == 2)
        found = state["disputes"][0]
        pictures = [picture["evidence"] for picture in found["pictures"]]
        for name in pictures:
            async with table.hub.get(f"/v1/evidence/{name}") as answer:
                assert (200, b"\xff\xd8") == (answer.status, (await answer.read())[:2])
        (fact,) = await records(table, "throw.disputed")

        assert (["cees"], None, "cees") == (found["players"], found["settled"], state["referee_called"]["by"])
        assert {"sheet", "frame", "film"} == {picture["kind"] for picture in found["pictures"]}
        assert [("attack", True), ("defence", True)] == [(one["side"], one["same"]) for one in found["again"]]
        assert [4, 5, 6] == sorted(die["value"] for die in found["first"]["attack"])
        assert [2, 3] == sorted(die["value"] for die in found["again"][1]["dice"])
        assert pictures == [picture["evidence"] for picture in fact["pictures"]]


async def test_a_stored_throw_reads_the_same_each_time(tmp_path: Path) -> None:
    """From its own bytes alone: twice the same picture, twice the same dice."""
    async with table_with_camera(tmp_path) as (table, camera):
        camera.throw([1, 6])
        for _ in range(2):
            await table.ask("read_again", throw=1)
        first, second = await records(table, "throw.read_again")

        assert first == second
        assert (True, "test") == (first["same"], first["software"])


async def test_a_throw_that_was_corrected_wrongly_shows_two_readings(tmp_path: Path) -> None:
    """What people said and what the picture shows differ, and both stay."""
    async with table_with_camera(tmp_path) as (table, camera):
        camera.throw([6, 5])
        await table.ask("correct_die", pin=PIN, side="attack", position=0, value=1, reason="misread")
        await table.ask("dispute_throw", throw=1, player="bert")
        state = await waited(table, lambda s: bool(s["disputes"][0]["again"]))

        assert [False] == [one["same"] for one in state["disputes"][0]["again"]]
        assert 1 in [die["value"] for die in state["disputes"][0]["first"]["attack"]]


async def test_earlier_throws_are_the_referee_s_and_a_dispute_ends_with_a_reason(tmp_path: Path) -> None:
    """The screen is asked for the PIN."""
    async with table_with_camera(tmp_path) as (table, camera):
        camera.throw([6, 5])
        camera.throw([1], side="defence")
        await table.ask("end_turn")
        late, problem = await table.send("dispute_throw", throw=1, player="cees")
        await table.ask("dispute_throw", pin=PIN, throw=1, player="cees")
        await table.ask("settle_dispute", pin=PIN, throw=1, reason="reading-stands")
        state = await table.state()

        assert (403, "not-yours") == (late, problem["problem"])
        assert [{"reason": "reading-stands"}] == [one["settled"] for one in state["disputes"]]
        assert [(1, False)] == [(one["id"], one["for_all"]) for one in state["recent"]]


async def test_numbers_and_pictures_of_these_facts_are_the_table_s_own(tmp_path: Path) -> None:
    """A client that sends them is refused, and so is one that asks for what is not there."""
    async with table_with_camera(tmp_path) as (table, camera):
        camera.throw([6])
        forged = [
            await table.send("calibrate", problems=[]),
            await table.send("dispute_throw", throw=1, player="cees", pictures=[]),
            await table.send("read_again", throw=1, readings=[]),
        ]
        nobody = [await table.send("dispute_throw", throw=9, player="cees"), await table.send("read_again", throw=9)]

        assert ["malformed-command"] * 3 == [body["problem"] for _, body in forged]
        assert ["no-such-throw"] * 2 == [body["problem"] for _, body in nobody]


async def test_a_picture_that_had_its_time_is_said_to_be_gone(tmp_path: Path) -> None:
    """The dispute stands all the same, with the sheet."""
    async with table_with_camera(tmp_path) as (table, camera):
        for number in range(5):
            camera.throw([number + 1])
            camera.rig.box.clear()
            await table.ask("enter_dice", side="defence", values=[1])
            await table.ask("accept_throw")
            await asyncio.sleep(0.05)
        camera.keeper.tidy()
        status, problem = await table.send("read_again", throw=1)
        await table.ask("dispute_throw", throw=1, player="cees")
        await asyncio.sleep(0.1)
        state = await table.state()

        assert (422, "no-frames") == (status, problem["problem"])
        assert {"sheet"} <= {picture["kind"] for picture in state["disputes"][0]["pictures"]}
        assert "frame" not in {picture["kind"] for picture in state["disputes"][0]["pictures"]}
        assert [] == state["disputes"][0]["again"]


async def test_one_press_calibrates_and_a_restart_remembers(tmp_path: Path) -> None:
    """The answer comes when the second is over; what was measured is a fact with the picture of the empty box."""
    async with table_with_camera(tmp_path) as (table, camera):
        asked = asyncio.create_task(table.ask("calibrate"))
        await asyncio.sleep(0.05)
        await asyncio.to_thread(camera.look, 1.2)
        await asked
        found = (await table.state())["calibration"]
        async with table.screen.get(f"/v1/evidence/{found['evidence']}") as answer:
            assert 200 == answer.status

        assert (True, [], []) == (found["ready"], found["problems"], found["measured"]["missing"])
        assert 4 == len(found["measured"]["markers"])
    anew = Camera(tmp_path)
    async with open_table(tmp_path, eyes=anew.eyes, boot="boot-2") as table:
        assert found == (await table.state())["calibration"]
        assert found["measured"]["edge_px"] == anew.care._drift.reference[0]


async def test_a_camera_that_shows_nothing_calibrates_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a table without one; both are told what to do."""
    monkeypatch.setattr(lookings, "MEASURES_WITHIN_S", 0.05)
    async with table_with_camera(tmp_path) as (table, _camera):
        silent = await table.send("calibrate")
    async with open_table(tmp_path / "none") as table:
        bare = await table.send("calibrate")

        assert ["camera-silent", "no-camera"] == [silent[1]["problem"], bare[1]["problem"]]


async def test_frames_around_the_signal_are_kept_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides of it, from the ring, for good."""
    monkeypatch.setattr(lookings, "AROUND_MS", 10)
    monkeypatch.setattr(keeping, "AROUND_MS", 10**9)
    async with table_with_camera(tmp_path) as (table, camera):
        camera.throw([6, 5])
        await table.ask("sound_tijd", pin=PIN)
        await table.until(lambda s: s["phase"] in {"frozen", "finishing"})
        async with asyncio.timeout(5):
            while not (kept := await records(table, "frames.kept")):
                await asyncio.sleep(0.02)

        assert "tijd" == kept[0]["why"]
        assert {"film"} == {picture["kind"] for picture in kept[0]["pictures"]}


async def test_a_disk_that_refuses_costs_pictures_and_no_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calibration counts without its picture; the signal's pictures are missed in the log alone."""
    monkeypatch.setattr(lookings, "AROUND_MS", 10)
    async with table_with_camera(tmp_path) as (table, camera):
        camera.throw([6, 5])

        def refuse(*_: object) -> str:
            raise EvidenceError("no room", why="cap")

        monkeypatch.setattr(Evidence, "put", refuse)
        monkeypatch.setattr(camera.keeper, "around", refuse)
        asked = asyncio.create_task(table.ask("calibrate"))
        await asyncio.sleep(0.05)
        await asyncio.to_thread(camera.look, 1.2)
        await asked
        await table.ask("sound_tijd", pin=PIN)
        await table.until(lambda s: s["phase"] in {"frozen", "finishing"})
        await asyncio.sleep(0.1)

        assert None is (await table.state())["calibration"]["evidence"]
        assert [] == await records(table, "frames.kept")


async def test_a_camera_that_is_not_ready_stands_on_the_health_page(tmp_path: Path) -> None:
    """Until it was measured and nothing stood in the way; a table without a camera has no such line."""
    async with table_with_camera(tmp_path) as (table, camera):
        looking = lookings.Looking(table.service, Evidence(tmp_path / "evidence"), camera.eyes, software="test")
        bare = lookings.Looking(table.service, Evidence(tmp_path / "evidence"), None, software="test")
        told = [looking.health()]
        for problems in (("glare",), ()):
            table.service.carry_out(c.Calibrate(problems=problems, measured=MeasuredFact()), "screen")
            told.append(looking.health())

        assert [("ok", "not-measured"), ("warn", "not-ready"), ("ok", "measured")] == [
            (item["state"], item["code"]) for (item,) in told
        ]
        assert () == bare.health()
