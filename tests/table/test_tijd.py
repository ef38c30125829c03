"""The ruling of the signal waits for the camera, and for nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from companion.hw.clock import NS_PER_MS, boot_ns
from companion.session import commands as c
from companion.session.errors import Refused
from companion.table import tijd as tijd_module
from companion.table.tijd import Tijd
from tests.table.rig import TestTable, open_table


class Eye:
    """A camera's side whose answers the test turns."""

    def __init__(self, *, rolling_since_ns: int | None = None, seen_ns: int = 0) -> None:
        self.rolling_since_ns = rolling_since_ns
        self.seen_ns = seen_ns
        self.frame_ns = 33 * NS_PER_MS

    def has_seen(self, at_ns: int) -> bool:
        """Whether the newest frame is later."""
        return self.seen_ns > at_ns


async def _thrown(table: TestTable) -> None:
    """A game with a throw of both sides that lies in the box."""
    await table.playing()
    await table.ask("enter_dice", side="attack", values=[6])
    await table.ask("enter_dice", side="defence", values=[5])


async def test_ruling_waits_for_the_frames_around_the_signal(tmp_path: Path) -> None:
    """Nothing is written before the camera has looked past that moment."""
    async with open_table(tmp_path) as table:
        await _thrown(table)
        eye = Eye()
        tijd = Tijd(table.service, panel=None, eye=eye)
        signal_ns = tijd.sound_now()

        ruling = asyncio.create_task(tijd.signal("referee", signal_ns, by="referee"))
        await asyncio.sleep(0.05)
        waiting = (tijd.is_ending, (await table.state())["phase"])
        eye.seen_ns = signal_ns + NS_PER_MS
        await ruling

        assert (True, "playing") == waiting
        assert (False, "frozen") == (tijd.is_ending, (await table.state())["phase"])


async def test_lift_that_the_camera_told_before_it_was_still_is_heard_before_the_ruling(tmp_path: Path) -> None:
    """The dice were lifted before the signal: the losses were taken, though the loop hears of it at the last moment."""
    async with open_table(tmp_path) as table:
        await _thrown(table)
        table.service.carry_out(c.OpenRig(camera="sim", panel="sim", buttons=(), software="test"), "rig")
        lifted_ns = boot_ns()
        await asyncio.sleep(0.05)
        signal_ns = boot_ns()
        eye = Eye(rolling_since_ns=lifted_ns)
        tijd = Tijd(table.service, panel=None, eye=eye)
        ruling = asyncio.create_task(tijd.signal("clock", signal_ns, by="clock"))
        await asyncio.sleep(0.05)

        table.service.post(c.SeeLift(left=0, lifted_ns=lifted_ns), by="camera")
        eye.rolling_since_ns, eye.seen_ns = None, boot_ns()
        await ruling

        told = (await table.state())["tijd"]
        assert ("stands", False) == (told["throw"], told["uncertain"])


async def test_camera_that_hangs_holds_the_ruling_up_for_a_moment_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What rolls then rolls, as far as anybody knows."""
    monkeypatch.setattr(tijd_module, "CAMERA_CATCHES_UP_MS", 50)
    async with open_table(tmp_path) as table:
        await table.playing()
        tijd = Tijd(table.service, panel=None, eye=Eye(rolling_since_ns=boot_ns() - 200 * NS_PER_MS))

        await tijd.signal("organiser", tijd.sound_now(), by="hub")

        assert "void" == (await table.state())["tijd"]["throw"]


async def test_signal_on_a_game_that_is_over_is_refused(tmp_path: Path) -> None:
    """The last player won a minute ago."""
    async with open_table(tmp_path) as table:
        await table.playing()
        await table.ask("declare_out", player="cees", by="anna")
        await table.ask("declare_out", player="bert", by="anna")

        with pytest.raises(Refused) as refusal:
            await table.service.tijd.signal("organiser", boot_ns(), by="hub")

        assert ("game-over", False) == (refusal.value.problem, table.service.tijd.is_ending)


async def test_idle_table_has_no_signal_to_come(tmp_path: Path) -> None:
    """Nothing is armed, and nobody waits."""
    async with open_table(tmp_path) as table:
        await table.service.tijd.ruled()

        assert (None, None) == (table.service.tijd.due_ns(), table.service.tijd.to_arm_ns())
