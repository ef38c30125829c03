"""The camera fails in the middle of a game: the dice are entered by hand, and read again when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.sim.drivers import SimRig
from tests.fault.tables import ask, line, notes, play, sim_table, throw_by_hand, until


def _unplug(rig: SimRig) -> None:
    rig.camera.unplug()


def _plug(rig: SimRig) -> None:
    rig.camera.plug()


def _freeze(rig: SimRig) -> None:
    rig.camera.freeze()


def _thaw(rig: SimRig) -> None:
    rig.camera.thaw()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fail", "mend", "code"), [(_unplug, _plug, "unplugged"), (_freeze, _thaw, "frozen")], ids=["unplugged", "frozen"]
)
async def test_dice_go_on_by_hand_and_then_by_camera_again(
    tmp_path: Path, fail: Callable[[SimRig], None], mend: Callable[[SimRig], None], code: str
) -> None:
    """A throw is read, the camera fails, a throw is entered, the camera comes back, a throw is read."""
    async with sim_table(tmp_path) as (client, rig):
        await until(client, lambda s: line(s, "camera") == ("ok", "running"))
        await asyncio.sleep(1.5)
        await play(client)
        await ask(client, "call_throw")
        rig.box.throw([6, 4, 2])
        read = await until(client, lambda s: bool(s["throw"] and s["throw"]["sides"]["attack"]))
        rig.box.lift()
        await until(client, lambda s: s["throw"]["state"] != "ruled" or s["throw"]["sides"]["attack"] is not None)

        fail(rig)
        broken = await until(client, lambda s: line(s, "camera") == ("fail", code))
        await ask(client, "end_turn")
        await throw_by_hand(client)
        by_hand = await client.state()
        mend(rig)
        await until(client, lambda s: line(s, "camera") == ("ok", "running"))
        await asyncio.sleep(1.5)
        await ask(client, "end_turn")
        await ask(client, "call_throw")
        rig.box.throw([5, 3, 1])
        again = await until(client, lambda s: s["throw"]["id"] == 3 and bool(s["throw"]["sides"]["attack"]))

        sources = [s["throw"]["sides"]["attack"]["source"] for s in (read, by_hand, again)]
        assert ["camera", "hand", "camera"] == sources
        assert [[6, 4, 2], [6, 4, 2], [5, 3, 1]] == [
            sorted((d["value"] for d in s["throw"]["sides"]["attack"]["dice"]), reverse=True)
            for s in (read, by_hand, again)
        ]
        assert ("playing", True) == (broken["phase"], broken["clock"]["running"])
        assert {"camera-failed", "camera-back"} <= set(notes(again))
