"""Tables to measure: put together as at a real place, in an empty folder, with a simulated rig."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from companion.config import CameraConfig, HwConfig, NetworkConfig, PanelConfig, TableConfig
from companion.session import commands as c
from companion.sim.drivers import SimRig
from companion.table.bootstrap import Table, build_table

PLAYERS = ("anna", "bert", "cees")


@asynccontextmanager
async def running_table(folder: Path, sim: SimRig, *, camera: str = "none") -> AsyncIterator[Table]:
    """A table of the standard rig, until the block ends.

    Args:
        folder: Where its state lies; made if need be.
        sim: Its rig.
        camera: "sim" for one that reads, "none" for dice by hand.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = TableConfig(
        table="7",
        state_dir=folder,
        network=NetworkConfig(socket=folder / "t.sock"),
        hw=HwConfig(camera=CameraConfig(driver="sim" if camera == "sim" else "none"), panel=PanelConfig(driver="sim")),
    )
    table = build_table(config, sim=sim)
    await table.start()
    try:
        yield table
    finally:
        await table.stop()


def seated_players(table: Table) -> None:
    """Bring the table to a running game of three, by hand."""
    service = table.service
    service.carry_out(c.SetUpTable(system="nl1996", players=PLAYERS), "screen")
    for player, value in zip(PLAYERS, (6, 5, 4), strict=True):
        service.carry_out(c.EnterStartDie(player=player, value=value), "screen")
    for number, (player, colour) in enumerate(zip(PLAYERS, ("red", "blue", "black"), strict=True), 1):
        service.carry_out(c.ChooseColour(player=player, colour=colour), "screen")
        service.carry_out(c.BindButton(player=player, button=f"seat{number}"), "screen")
    service.carry_out(c.StartGame(), "screen")
