"""A table's service as a process of its own, played by hand, and killed without warning.

What a client was shown before the kill must be there after it, unchanged: `kill_again_and_again` collects every record
that anybody could have seen, and whoever calls it compares that with the journal that is left.
"""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from companion.lan.client import TableClient
from companion.lan.errors import PeerError
from companion.lan.problems import Problem

PIN = "4711"
PLAYERS = [{"id": "anna", "name": "Anna"}, {"id": "bert", "name": "Bert"}, {"id": "cees", "name": "Cees"}]


class TableGone(Exception):
    """The service stopped or stayed silent without having been killed."""

    code = "table-gone"


class LookedBack(Exception):
    """After a kill the table knew less than it had shown before."""

    code = "looked-back"


@dataclass(slots=True)
class Seen:
    """What a client saw: each record's hash by number, and the newest state."""

    records: dict[int, str] = field(default_factory=dict)
    newest: dict[str, Any] | None = None

    def compare(self, first: dict[str, Any]) -> None:
        """The first state after a kill says at least what the newest one before it said.

        Raises:
            LookedBack: It does not.
        """
        newest = self.newest
        if newest is None:
            return
        dice_before = {p["id"]: p["start_dice"] for p in newest["players"] if newest["game"] == first["game"]}
        dice_after = {p["id"]: p["start_dice"][: len(dice_before.get(p["id"], ()))] for p in first["players"]}
        if first["seq"] < newest["seq"] or not dice_before.items() <= dice_after.items():
            raise LookedBack(f"shown {newest['seq']} records and {dice_before}, then {first['seq']} and {dice_after}")


BARE_RIG = '[hw.camera]\ndriver = "none"\n[hw.panel]\ndriver = "screen"\n'
"""A table without camera and buttons."""


class Service:
    """`companion table` with its state in `folder`.

    Args:
        folder: Where everything of it lies.
        network: More lines of `[network]`.
        rig: The other tables of its configuration.
        before: Words before the command, such as those that give it a disk of its own.
    """

    def __init__(self, folder: Path, *, network: str = "", rig: str = BARE_RIG, before: Sequence[str] = ()) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.socket = folder / "t.sock"
        self.config = folder / "table.toml"
        self.config.write_text(
            f'table = "7"\nstate_dir = "{self.state}"\n[network]\nsocket = "{self.socket}"\n{network}{rig}',
            encoding="utf-8",
        )
        self._before = before
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; returns before it answers."""
        with (self.folder / "table.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self._before, sys.executable, "-m", "companion", "table", "--config", str(self.config)],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
            )

    def kill(self) -> None:
        """SIGKILL: it can do nothing about it."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to end, as the system does."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait()

    async def answering(self, client: TableClient, *, wait_s: float = 120.0) -> dict[str, Any]:
        """The first state that it gives; a busy machine may take its time to start it."""
        end = time.monotonic() + wait_s
        while time.monotonic() < end:
            if self.process is None or self.process.poll() is not None:
                log = (self.folder / "table.log").read_text(encoding="utf-8")[-2000:]
                raise TableGone(f"the table's service stopped by itself:\n{log}")
            try:
                return await client.state()
            except PeerError:
                await asyncio.sleep(0.02)
        raise TableGone(f"the table did not answer in {wait_s:.0f} s")


async def play_on(client: TableClient, whim: random.Random) -> AsyncIterator[dict[str, Any]]:
    """Do the next thing that fits the table, again and again; each state as it was shown."""
    while True:
        state = await client.state()
        yield state
        if not state["pin_set"]:
            await client.choose_pin(PIN)
        for command, args in _next(state, whim):
            try:
                await client.command(uuid4().hex, command, args)
            except Problem as problem:
                # Two things that each fit may not fit one after the other; any other refusal is a fault.
                if problem.status not in {409, 422}:
                    raise


def _next(state: dict[str, Any], whim: random.Random) -> list[tuple[str, dict[str, Any]]]:
    if state["phase"] in ("idle", "closed"):
        return [("set_up_table", {"system": "nl1996", "players": PLAYERS})]
    if state["phase"] == "seating":
        if state["to_throw"]:
            return [("enter_start_die", {"player": state["to_throw"][0], "value": whim.randint(1, 6)})]
        free = [p["id"] for p in state["players"] if p["colour"] is None]
        taken = {p["colour"] for p in state["players"]}
        colour = next(colour for colour in state["colours"] if colour not in taken)
        return [("choose_colour", {"player": free[0], "colour": colour})] if free else []
    if state["phase"] == "ready":
        return [("start_game", {})]
    attack = [whim.randint(1, 6) for _ in range(whim.randint(1, 3))]
    defence = [whim.randint(1, 6) for _ in range(whim.randint(1, 2))]
    throw = [
        ("call_throw", {}),
        ("enter_dice", {"side": "attack", "values": attack}),
        ("enter_dice", {"side": "defence", "values": defence}),
        ("accept_throw", {}),
    ]
    return throw if whim.random() < 0.8 else [("end_turn", {})]


async def kill_again_and_again(folder: Path, *, kills: int, seed: int) -> Seen:
    """Start the service, play, kill it at a random moment, and again.

    Args:
        folder: Where journal, socket and log lie.
        kills: How often.
        seed: Where chance starts.

    Returns:
        All that a client saw.

    Raises:
        TableGone: The service did not come back.
        LookedBack: It came back with less than it had shown.
    """
    chance = random.Random(seed)  # noqa: S311  moments and dice, no secret
    service = Service(folder)
    seen = Seen()
    for _kill in range(kills):
        service.start()
        async with TableClient(socket=service.socket) as client:
            seen.compare(await service.answering(client))
            asyncio.get_running_loop().call_later(chance.uniform(0.0, 0.4), service.kill)
            try:
                async for state in play_on(client, chance):
                    seen.newest = state
                    page = await client.journal(after=max(seen.records, default=0))
                    seen.records.update((record["seq"], record["hash"]) for record in page.records)
            except PeerError:
                continue
    return seen
