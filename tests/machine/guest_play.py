"""In the emulated machine: a game played by buttons on simulated lines and dice by hand, and everything that is shown.

Each record that a client could see is printed as `SEQ HASH`, at once; whoever reads the lines has seen it.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from functools import cache
from io import FileIO
from pathlib import Path
from uuid import uuid4

from companion.lan.client import TableClient
from companion.lan.problems import Problem

SOCKET = Path("/run/companion/table.sock")
LINES = Path("/sys/devices/platform/gpio-sim.0")
PINS = {"seat1": 17, "seat2": 27, "seat3": 22}
PIN = "1996"
LONGEST_BOUNCE_S = 0.0062
PLAYERS = [{"id": f"p{n}", "name": name} for n, name in enumerate(("Anna", "Bert", "Cees"), 1)]


def say(*words: object) -> None:
    """A line for whoever reads, at once."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


@cache
def line(button: str) -> FileIO:
    """Where the simulated finger is put; kept open, since a contact bounces faster than a file is opened."""
    return next(LINES.glob(f"gpiochip*/sim_gpio{PINS[button]}/pull")).open("wb", buffering=0)


def pull(button: str, closing: bool) -> None:
    """The contact as it is from now on."""
    line(button).write(b"pull-down" if closing else b"pull-up")


def move(button: str, closing: bool, chance: random.Random) -> float:
    """A contact closes or opens, and bounces as Ganssle measured it: up to 6.2 ms, mostly far less.

    Returns:
        The longest that the contact stood still while it bounced, seconds.
    """
    last_s = time.monotonic()
    ends_s = last_s + min(LONGEST_BOUNCE_S, chance.expovariate(1 / 0.0016))
    longest_s = 0.0
    pull(button, closing)
    while (now_s := time.monotonic()) < ends_s:
        longest_s, last_s = max(longest_s, now_s - last_s), now_s
        pull(button, not closing)
        pull(button, closing)
    return max(longest_s, time.monotonic() - last_s)


def press(button: str, chance: random.Random, *, held_s: float = 0.12) -> bool:
    """Press and let go; whether as a finger does: a machine that is held up bounces for longer than contacts do."""
    closing_s = move(button, True, chance)
    time.sleep(held_s)
    opening_s = move(button, False, chance)
    time.sleep(0.1)
    return max(closing_s, opening_s) < LONGEST_BOUNCE_S


def press_both() -> None:
    """Seat 2, and seat 3 two milliseconds later."""
    due_s = time.monotonic() + 0.002
    pull("seat2", True)
    # A sleep of the emulated machine takes some milliseconds more.
    while time.monotonic() < due_s:
        pass
    pull("seat3", True)
    time.sleep(0.08)
    pull("seat2", False)
    pull("seat3", False)
    time.sleep(0.3)


async def ask(client: TableClient, command: str, **args: object) -> None:
    """A command of the screen; one that the moment refuses is no fault."""
    try:
        await client.command(uuid4().hex, command, args)
    except Problem as problem:
        if problem.status not in {409, 422}:
            raise


async def show(client: TableClient, seen: int) -> int:
    """Print the records that can be seen and were not yet."""
    for record in (await client.journal(after=seen)).records:
        seen = record["seq"]
        say(seen, record["hash"])
    return seen


async def seated(client: TableClient, chance: random.Random) -> None:
    """From an empty table to a running game; buttons are bound by pressing them."""
    state = await client.state()
    if not state["pin_set"]:
        await client.choose_pin(PIN)
    if state["phase"] in ("idle", "closed"):
        await ask(client, "set_up_table", system="nl1996", players=PLAYERS)
    while (state := await client.state())["to_throw"]:
        await ask(client, "enter_start_die", player=state["to_throw"][0], value=chance.randint(1, 6))
    for player, colour in zip(state["players"], ("red", "blue", "black"), strict=True):
        await ask(client, "choose_colour", player=player["id"], colour=colour)
    for button in PINS:
        if (await client.state())["phase"] == "seating":
            await asyncio.to_thread(press, button, chance)
            await asyncio.sleep(0.5)
    await ask(client, "start_game")


async def main(seen: int, seed: int) -> None:
    """Play until the plug is pulled."""
    chance = random.Random(seed)
    async with TableClient(socket=SOCKET) as client:
        await seated(client, chance)
        while True:
            seen = await show(client, seen)
            state = await client.state()
            if state["clock"] and state["clock"]["paused"]:
                await client.command(uuid4().hex, "resume_clock", {}, pin=PIN)
            player = next(p for p in state["players"] if p["id"] == state["turn"]["player"])
            if player["connected_button"] in PINS:
                await asyncio.to_thread(press, player["connected_button"], chance)
            await ask(client, "enter_dice", side="attack", values=[chance.randint(1, 6) for _ in range(3)])
            await ask(client, "enter_dice", side="defence", values=[chance.randint(1, 6) for _ in range(2)])
            await ask(client, "accept_throw")
            if chance.random() < 0.3:
                await ask(client, "end_turn")


async def buttons(count: int) -> None:
    """Presses one by one and two at once: how many that bounced as contacts do were heard, and in which order."""
    chance = random.Random(7)
    async with TableClient(socket=SOCKET) as client:
        fingers = heard = 0
        for number in range(count):
            before = sum((await client.state())["rig"]["pressed"].values())
            as_a_finger = await asyncio.to_thread(press, tuple(PINS)[number % 3], chance, held_s=0.05)
            await asyncio.sleep(0.2)
            if as_a_finger:
                fingers += 1
                heard += sum((await client.state())["rig"]["pressed"].values()) - before
        seq = (await client.state())["seq"]
        for _pair in range(5):
            await asyncio.to_thread(press_both)
        await asyncio.sleep(1)
        notes = [r["data"] for r in (await client.journal(after=seq)).records if r["type"] == "service.noted"]
    pairs = [note["values"] for note in notes if note["code"] == "presses-close"]
    say(json.dumps({"pressed": fingers, "heard": heard, "held_up": count - fingers, "pairs": pairs}))


async def health() -> None:
    """Every line of the health page."""
    async with TableClient(socket=SOCKET) as client:
        for found in (await client.state("en"))["health"]:
            say(found["part"], found["state"], found["code"], json.dumps(found["values"]))


if __name__ == "__main__":
    if sys.argv[1] == "buttons":
        asyncio.run(buttons(int(sys.argv[2])))
    elif sys.argv[1] == "health":
        asyncio.run(health())
    else:
        subprocess.run(["sync"], check=True)
        asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
