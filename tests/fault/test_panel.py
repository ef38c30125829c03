"""Parts of the panel fail in mid-game: said, done by light or screen instead, and back when they are back."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from companion.hw.edges import Debounce, Limits
from companion.table import panel as table_panel
from companion.table.buttons import SILENT_THROWS
from tests.fault.tables import PIN, ask, line, notes, play, sim_table, throw_by_hand, until


async def test_a_buzzer_that_is_torn_off_leaves_the_signal_to_the_light(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal flashes on every lamp, the missing buzzer is said, and sounds again when its wire is back."""
    monkeypatch.setattr(table_panel, "RETRY_NS", 100_000_000)
    async with sim_table(tmp_path, camera="none") as (client, rig):
        await play(client)
        rig.panel.sound.tear_off()

        await ask(client, "sound_tijd", pin=PIN)
        await until(client, lambda _s: rig.panel.lamps["seat3"].is_on)
        told = await until(client, lambda s: s["phase"] == "frozen" and "part-failed" in notes(s))
        rig.panel.sound.put_back()
        back = await until(client, lambda s: "part-back" in notes(s))

        assert ("fail", "part-failed") == line(told, "buzzer")
        assert told["tijd"] is not None
        assert line(back, "buzzer") != ("fail", "part-failed")


async def test_a_table_without_a_buzzer_is_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No buzzer was ever there: said as a fact, and the signal is light."""
    async with sim_table(tmp_path, camera="none") as (client, rig):
        monkeypatch.setattr(rig.panel, "buzzer", lambda: None)
        await play(client)
        before = await client.state()
        await ask(client, "sound_tijd", pin=PIN)
        await until(client, lambda _s: all(lamp.is_on for lamp in rig.panel.lamps.values()))

        assert ("ok", "none") == line(before, "buzzer")
        assert not rig.panel.sound.history


async def test_a_stuck_button_is_said_and_has_its_twin_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anna's button hangs: it is said, the screen calls her throws, and it is well again when it is loose."""
    impatient = partial(Debounce, Limits(stuck_ms=900.0))
    monkeypatch.setattr(table_panel, "Debounce", impatient)
    async with sim_table(tmp_path, camera="none") as (client, rig):
        await play(client)
        rig.button("seat1").stick()
        stuck = await until(client, lambda s: line(s, "seat1") == ("fail", "button-stuck"))
        await ask(client, "end_turn")
        await ask(client, "end_turn")
        await ask(client, "end_turn")
        await throw_by_hand(client)
        played = await client.state()
        rig.button("seat1").loosen()
        healed = await until(client, lambda s: "button-healed" in notes(s))

        assert "button-stuck" in notes(stuck)
        assert ("anna", "accepted") == (played["throw"]["player"], played["throw"]["state"])
        assert ("", "") == line(healed, "seat1")


async def test_a_button_whose_wire_is_torn_off_is_noticed(tmp_path: Path) -> None:
    """Anna presses and nothing comes, Bert's presses come: after three of her throws hers is said to be silent."""
    async with sim_table(tmp_path, camera="none") as (client, rig):
        await play(client)
        rig.button("seat1").tear_off()
        for _round in range(SILENT_THROWS):
            rig.button("seat1").press()
            await throw_by_hand(client)
            rig.button("seat2").press()
            await until(client, lambda s: s["turn"]["player"] == "bert")
            await throw_by_hand(client)
            await ask(client, "end_turn", player="anna")
        await asyncio.sleep(0.1)

        state = await client.state("en")

        assert ("warn", "button-silent") == line(state, "seat1")
        assert ("", "") == line(state, "seat2")
