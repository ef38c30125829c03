"""The disk fails under a running table: a real one that fills up, and one that refuses every write."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
from pathlib import Path

import pytest

from companion.commands.kills import Service
from companion.journal import open_to_read
from companion.journal.reserve import RESERVE_BYTES
from companion.lan.client import TableClient
from companion.lan.problems import Problem
from tests.fault.tables import ask, line, notes, play, service_table, throw_by_hand, until

SIM_CAMERA = '[hw.camera]\ndriver = "sim"\nwidth = 768\nheight = 432\nfps = 10\n'
SIM_PANEL = '[hw.panel]\ndriver = "sim"\n'


def on_a_disk_of(size: str, state: Path) -> tuple[str, ...]:
    """Words that give a command a disk of its own, in memory, where its state lies; gone when it ends."""
    state.mkdir()
    mount = f'mount -t tmpfs -o size={size} tmpfs "{state}" && exec "$@"'
    return ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh")


def inside(service: Service) -> Path:
    """The state folder as the service sees it."""
    assert service.process is not None
    return Path(f"/proc/{service.process.pid}/root{service.state}")


def fill(folder: Path) -> Path:
    """Somebody's film takes every free block."""
    film = folder / "film.mkv"
    with film.open("ab") as file:
        free = os.statvfs(folder)
        size = file.seek(0, os.SEEK_END)
        os.posix_fallocate(file.fileno(), size, free.f_bavail * free.f_frsize)
    return film


async def refused(client: TableClient) -> str:
    """The problem with which a command is refused."""
    with pytest.raises(Problem) as told:
        await ask(client, "call_referee")
    return told.value.code


async def test_a_disk_that_fills_up_keeps_room_for_the_game(tmp_path: Path) -> None:
    """Not one block is free: the game goes on from the room laid by, which is said; then facts are refused whole."""
    service = Service(tmp_path, before=on_a_disk_of("72m", tmp_path / "state"))
    async with service_table(service) as client:
        await play(client)
        assert RESERVE_BYTES == (inside(service) / "reserve.bin").stat().st_size
        film = fill(inside(service))
        for _throw in range(20):
            await throw_by_hand(client)
        told = await until(client, lambda s: line(s, "disk") == ("fail", "disk-full"))

        fill(inside(service))
        # Facts fit for a while into blocks that the journal has already; then there is none.
        for _throw in range(300):
            try:
                await throw_by_hand(client)
            except Problem as problem:
                stopped = problem.code
                break
        else:
            stopped = ""
        full = await client.state()
        still = await refused(client)
        film.unlink()
        await ask(client, "call_referee")
        after = await client.state()
        for file in inside(service).glob("journal.sqlite*"):
            shutil.copyfile(file, tmp_path / file.name)
    with open_to_read(tmp_path / "journal.sqlite") as journal:
        report = journal.verify()

    assert "reserve-used" in notes(told)
    assert ("journal-full", "journal-full") == (stopped, still)
    assert ("fail", "not-written") == line(full, "journal")
    assert ("", "") == line(after, "journal")
    assert (full["seq"] + 1, None) == (after["seq"], report.fault)
    assert report.records == after["seq"]


@pytest.mark.slow
async def test_pictures_are_given_up_before_facts(tmp_path: Path) -> None:
    """On a disk that is too tight for pictures a throw is read and ruled all the same, and its picture is missed."""
    service = Service(tmp_path, rig=SIM_CAMERA + SIM_PANEL, before=on_a_disk_of("60m", tmp_path / "state"))
    async with service_table(service) as client:
        await until(client, lambda s: line(s, "camera") == ("ok", "running"))
        await asyncio.sleep(1.5)
        await play(client)
        await ask(client, "call_throw")
        await client.practice("throw", values=[6, 3, 2])
        state = await until(client, lambda s: bool(s["throw"]["sides"]["attack"]))

    attack = state["throw"]["sides"]["attack"]
    assert ([2, 3, 6], None) == (sorted(die["value"] for die in attack["dice"]), attack["evidence"])
    assert "evidence-lost" in notes(state)
    assert ("warn", "disk-pictures") == line(state, "disk")


async def test_a_disk_that_refuses_every_write_stops_neither_clock_nor_signal(tmp_path: Path) -> None:
    """Nothing can be written: it is said, "tijd" sounds on time, and is written with its own moment afterwards."""
    service = Service(tmp_path, rig=f'[hw.camera]\ndriver = "none"\n{SIM_PANEL}[clock]\nscale = 60\n')
    async with service_table(service) as client:
        await play(client, length_ms=180_000)
        assert service.process is not None
        pid = service.process.pid
        before = await client.state()
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        problem = await refused(client)
        broken = await client.state()
        sounded = await _sounds(client)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        after = await until(client, lambda s: s["phase"] == "frozen")

    assert ("journal-unwritable", ("fail", "not-written")) == (problem, line(broken, "journal"))
    assert (True, before["seq"]) == (broken["clock"]["running"], broken["seq"])
    assert sounded
    assert 0 <= after["tijd"]["elapsed_ms"] - 180_000 < 6_000


async def _sounds(client: TableClient) -> bool:
    """Whether the buzzer is heard before long."""
    for _look in range(400):
        if json.loads(await client._call("GET", "/v1/practice"))["buzzer"]:
            return True
        await asyncio.sleep(0.02)
    return False
