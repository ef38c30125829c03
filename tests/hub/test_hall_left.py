"""A table that has left its hall for a length of its own stands with it all the same: a fire alarm is for everybody."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from companion.hub.director import Director
from companion.lan.problems import Problem
from tests.table.rig import PIN

from .cables import answer_lost, deafened, instead
from .hall_rig import HallRig, a_hall


@asynccontextmanager
async def a_hall_that_2_has_left(tmp_path: Path) -> AsyncIterator[tuple[HallRig, Director]]:
    """Table 2 had a pause of its own, and plays by a length of its own since."""
    async with a_hall(tmp_path, "1", "2", late_table="own") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await own_pause(rig)
        await rig.tables["2"].ask("resume_clock", pin=PIN)
        await rig.visit()
        yield rig, director


async def own_pause(rig: HallRig) -> None:
    """A glass falls over at table 2."""
    await rig.tables["2"].ask("pause_clock", pin=PIN, reason="a glass fell over")


def paused(rig: HallRig) -> list[str | None]:
    """Why each table stands."""
    return [table.service.state.running_clock().paused for table in rig.tables.values()]


async def test_it_stands_and_runs_on_with_its_hall_and_keeps_its_own_length(tmp_path: Path) -> None:
    """In step or not; nothing of what was sealed changes by it, and nobody calls it late."""
    async with a_hall_that_2_has_left(tmp_path) as (rig, director):
        left = director.told()["halls"][0]["tables"]["2"]
        service = rig.tables["2"].service
        before = (service.state.seals, service.length_ms)
        told = await director.pause(None, "fire alarm")
        stands = paused(rig)
        rig.ahead_ms = 60_000
        await rig.visit()
        again = await director.resume(None)
        await rig.visit()
        await director.look()

        assert ("left", ["1", "2"], {}) == (left, told["tables"], told["refused"])
        assert ["fire alarm", "fire alarm"] == stands
        assert (["1", "2"], {}, [None, None]) == (again["tables"], again["refused"], paused(rig))
        assert (before, {}) == ((service.state.seals, service.length_ms), rig.hall.amiss)


async def test_a_pause_of_its_own_meanwhile_does_not_end_with_the_halls(tmp_path: Path) -> None:
    """Its referee let it run on and stopped it anew: that the hall did stop it once no longer counts."""
    async with a_hall_that_2_has_left(tmp_path) as (rig, director):
        await director.pause(None, "fire alarm")
        await rig.tables["2"].ask("resume_clock", pin=PIN)
        await own_pause(rig)
        told = await director.resume(None)

        assert (["1"], {}, [None, "a glass fell over"]) == (told["tables"], told["refused"], paused(rig))


@pytest.mark.parametrize("late_table", ["own", "hall"])
async def test_a_pause_of_its_own_before_does_not_end_with_the_halls(tmp_path: Path, late_table: str) -> None:
    """It stood already; whether it has left the hall or ends with it, its referee lets it run on."""
    async with a_hall(tmp_path, "1", "2", late_table=late_table) as rig:
        director = rig.director()
        await director.start(minutes=113)
        await own_pause(rig)
        await rig.visit()
        await director.pause(None, "fire alarm")
        told = await director.resume(None)

        assert (["1"], [None, "a glass fell over"]) == (told["tables"], paused(rig))
        assert ([] if late_table == "own" else ["2"]) == list(told["refused"])


async def test_a_pause_that_it_was_not_heard_for_is_asked_as_long_as_the_hall_stands(tmp_path: Path) -> None:
    """Its cable is in again, a minute later: it stands from there, and is not late for anything."""
    async with a_hall_that_2_has_left(tmp_path) as (rig, director):
        _asked, plug = deafened(rig, "2")
        told = await director.pause(None, "fire alarm")
        plug()
        rig.ahead_ms = 60_000
        for _ in range(2):
            await rig.visit()
            await director.look()

        assert (["2"], ["fire alarm"] * 2, {}) == (list(told["refused"]), paused(rig), rig.hall.amiss)


async def test_a_pause_that_it_was_not_heard_for_is_dropped_once_the_hall_runs_on(tmp_path: Path) -> None:
    """It played through the alarm; it need not stand afterwards, with nobody to let it run on."""
    async with a_hall_that_2_has_left(tmp_path) as (rig, director):
        asked, plug = deafened(rig, "2")
        await director.pause(None, "fire alarm")
        await director.resume(None)
        plug()
        await rig.visit()
        await director.look()

        assert ({"pause_clock", "resume_clock"}, [None, None]) == ({what for _id, what in asked}, paused(rig))
        assert {} == rig.hall.amiss


async def test_a_pause_whose_answer_was_lost_ends_with_the_halls(tmp_path: Path) -> None:
    """The hub never heard that it stands; it is let run on all the same."""
    async with a_hall_that_2_has_left(tmp_path) as (rig, director):
        with instead(rig, "2", "command", answer_lost):
            await director.pause(None, "fire alarm")
        stands = paused(rig)
        await rig.visit()
        await director.resume(None)

        assert (["fire alarm"] * 2, [None, None]) == (stands, paused(rig))


async def test_after_the_halls_signal_it_can_still_be_stopped(tmp_path: Path) -> None:
    """It plays on, longer than the others; once it has ended there is nothing left to stop."""
    async with a_hall_that_2_has_left(tmp_path) as (rig, director):
        await director.signal(None)
        await rig.visit()
        await director.look()
        told = await director.pause(None, "fire alarm")
        stands = rig.tables["2"].service.state.running_clock().paused
        again = await director.resume(None)
        await rig.tables["2"].ask("sound_tijd", pin=PIN)
        await rig.visit()
        with pytest.raises(Problem) as refused:
            await director.pause(None, "fire alarm")

        assert (["2"], "fire alarm", ["2"]) == (told["tables"], stands, again["tables"])
        assert "which-hall" == refused.value.code


async def test_a_hall_whose_length_is_known_still_asks_again(tmp_path: Path) -> None:
    """Everybody has been told the length; the table that left and was not heard is not forgotten."""
    async with a_hall_that_2_has_left(tmp_path) as (rig, director):
        await director.signal(None)
        for _ in range(3):
            await rig.visit()
            await director.look()
        lengths, how = await rig.lengths(), director.told()["halls"][0]["tables"]
        _asked, plug = deafened(rig, "2")
        await director.pause(None, "fire alarm")
        plug()
        await rig.visit()
        await director.look()

        assert ({"1": 113, "2": 113}, {"1": "revealed", "2": "revealed"}) == (lengths, how)
        assert "fire alarm" == paused(rig)[1]
