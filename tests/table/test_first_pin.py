"""The referee's first PIN: before the game at the screen, during it by the organiser alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.table.pins import PinUnfit, referee_pin
from tests.table.rig import PIN, TestTable, open_table


def forget(folder: Path) -> None:
    """A table that was restored from a copy knows no PIN."""
    (folder / "referee.pin").unlink()


async def choose(table: TestTable, pin: str = PIN) -> tuple[int, str | None]:
    """Choose a PIN at the screen; status and problem."""
    async with table.screen.put("/v1/pin", json={"pin": pin}) as answer:
        return answer.status, (await answer.json()).get("problem")


async def test_no_game_starts_without_a_referee(tmp_path: Path) -> None:
    """Whoever starts it, screen or hub; once the PIN is chosen it starts."""
    async with open_table(tmp_path) as table:
        await table.ready()
        forget(tmp_path)
        status, body = await table.send("start_game")
        async with table.hub.post("/v1/commands", json={"id": "h", "command": "start_game", "args": {}}) as answer:
            from_hub = (answer.status, (await answer.json())["problem"])
        chosen = await choose(table)
        await table.ask("start_game", pin=PIN)

        assert (403, "pin-not-set") == (status, body["problem"]) == from_hub
        assert ((200, None), "playing") == (chosen, (await table.state())["phase"])


async def test_nobody_becomes_referee_during_a_game(tmp_path: Path) -> None:
    """Not while it is played, not while its board is recorded; one that was chosen is still asked for."""
    async with open_table(tmp_path) as table:
        await table.playing()
        chosen = await choose(table, "1234")
        forget(tmp_path)
        playing = await choose(table, "1234")
        for player in ("bert", "cees"):
            await table.ask("declare_out", player=player, by="anna")
        frozen = await choose(table, "1234")
        status, body = await table.send("sound_tijd", pin="1234")

        assert [(422, "pin-unfit"), (409, "pin-too-late"), (409, "pin-too-late")] == [chosen, playing, frozen]
        assert (403, "pin-not-set") == (status, body["problem"])


async def test_organiser_chooses_it_on_the_machine(tmp_path: Path) -> None:
    """In the middle of a game too, and the running service takes it; only where none was chosen."""
    config = tmp_path / "table.toml"
    config.write_text(f'state_dir = "{tmp_path}"\n', encoding="utf-8")
    ask = ["table", "--config", str(config), "--choose-pin"]
    async with open_table(tmp_path) as table:
        await table.playing()
        forget(tmp_path)
        done = CliRunner().invoke(main, ask, input=f"{PIN}\n{PIN}\n")
        await table.ask("pause_clock", pin=PIN, reason="a glass fell over")

        assert (0, True) == (done.exit_code, "chosen" in done.output)
        assert PIN not in done.output
    with pytest.raises(PinUnfit):
        referee_pin(tmp_path).choose("9999")
