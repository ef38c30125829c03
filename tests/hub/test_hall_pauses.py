"""A pause of the hall that is held up on its way, or finds a table that has left its hall."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion.hub.director import Director
from companion.lan.errors import Unreachable
from companion.lan.problems import Problem
from tests.table.rig import PIN

from .cables import Call, deafened, instead
from .hall_rig import HallRig, a_hall


async def test_a_pause_that_was_held_up_on_its_way_is_not_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hub gave up waiting, and a minute later the order arrives after all, before the hub has asked again."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        held_up = []

        def swallowed(_own: Call) -> Call:
            async def kept(*args: Any, **more: Any) -> Any:
                held_up.append((args, more))
                raise Unreachable("the cable fell out")

            return kept

        with instead(rig, "2", "command", swallowed) as heard:
            await director.pause(None, "fire alarm")
        rig.ahead_ms = 60_000
        monkeypatch.setattr("companion.table.secret.boot_ns", rig.now_ns)
        ((args, more),) = held_up
        with pytest.raises(Problem) as refused:
            await heard(*args, **more)
        runs = rig.tables["2"].service.state.running_clock().paused is None
        await rig.visit()
        await director.look()
        sealed = rig.tables["2"].service.state.sealed

        assert ("order-late", True) == (refused.value.code, runs)
        assert sealed is not None
        assert ("organiser", ["hall-late"]) == (sealed.armed_by, [one.code for one in rig.hall.amiss["2"]])


async def paused_with(rig: HallRig, key: Callable[[Call], Call]) -> tuple[Director, list[str]]:
    """Stop a hall of which table 2 gives out its turn in another way; its director, and who was not heard."""
    director = rig.director()
    await director.start(minutes=113)
    await rig.visit()
    with instead(rig, "2", "key", key):
        told = await director.pause(None, "fire alarm")
    return director, list(told["refused"])


async def test_an_order_about_another_run_of_a_table_is_asked_again(tmp_path: Path) -> None:
    """The table was started anew between its turn and the order; it has done nothing yet, so the order waits."""

    def of_before(own: Call) -> Call:
        async def stale() -> tuple[str, str]:
            return (await own())[0], "0" * 48

        return stale

    async with a_hall(tmp_path, "1", "2") as rig:
        director, unheard = await paused_with(rig, of_before)
        await rig.visit()
        await director.look()

        assert ["2"] == unheard
        assert ("fire alarm", {}) == (rig.tables["2"].service.state.running_clock().paused, rig.hall.amiss)


async def test_a_table_that_does_not_answer_for_its_turn_is_asked_again(tmp_path: Path) -> None:
    """It gets no order that nobody could tell from one that was held up."""

    def silent(_own: Call) -> Call:
        async def unheard() -> tuple[str, str]:
            raise Unreachable("the cable fell out")

        return unheard

    async with a_hall(tmp_path, "1", "2") as rig:
        _director, refused = await paused_with(rig, silent)

        assert ["2"] == refused
        assert rig.tables["2"].service.state.running_clock().paused is None


async def test_a_table_that_left_its_hall_by_a_late_pause_runs_on_with_it(tmp_path: Path) -> None:
    """It stands because its hall does, and nobody at the table would know when that is over."""
    async with a_hall(tmp_path, "1", "2", late_table="own") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        _asked, plug = deafened(rig, "2")
        await director.pause(None, "fire alarm")
        plug()
        rig.ahead_ms = 60_000
        await rig.visit()
        await director.look()
        await rig.visit()
        left = director.told()["halls"][0]["tables"]["2"]
        told = await director.resume(None)
        await director.look()

        assert ("left", ["1", "2"], {}) == (left, told["tables"], told["refused"])
        assert rig.tables["2"].service.state.running_clock().paused is None
        assert "hall-late" in [one.code for one in rig.hall.amiss["2"]]


async def test_a_table_that_stands_for_reasons_of_its_own_stands_on(tmp_path: Path) -> None:
    """It left the hall by its own pause: the hall's order, that waited for it or comes now, is not its."""
    async with a_hall(tmp_path, "1", "2", late_table="own") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        _asked, plug = deafened(rig, "2")
        await director.pause(None, "fire alarm")
        await rig.tables["2"].ask("pause_clock", pin=PIN, reason="a glass fell over")
        plug()
        await rig.visit()
        await director.look()
        told = await director.resume(None)

        assert (["1"], {}) == (told["tables"], told["refused"])
        assert "a glass fell over" == rig.tables["2"].service.state.running_clock().paused


async def test_a_hub_that_was_started_anew_takes_a_table_that_it_has_not_heard_yet_for_none_that_refuses(
    tmp_path: Path,
) -> None:
    """The order waits until the table is heard, and reaches it then, late."""
    async with a_hall(tmp_path, "1", "2") as rig:
        director = rig.director()
        await director.start(minutes=113)
        await rig.visit()
        _asked, plug = deafened(rig, "2")
        await director.pause(None, "fire alarm")
        plug()
        contact = rig.hall.contact_of("2")
        assert contact is not None
        contact.table = None
        again = rig.director()
        rig.ahead_ms = 60_000
        await again.look()
        waiting = [one.code for one in rig.hall.amiss["2"]]
        await rig.visit()
        await again.look()
        told = [one.code for one in rig.hall.amiss["2"]]
        sealed = rig.tables["2"].service.state.sealed

        assert sealed is not None
        assert (["hall-waits"], ["hall-late"]) == (waiting, told)
        assert ("organiser", "fire alarm") == (
            sealed.armed_by,
            rig.tables["2"].service.state.running_clock().paused,
        )
