"""The measurements behind `companion bench table`, each on a table of its own in an empty folder."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from companion.commands.bench_table import Figure, percentile
from companion.commands.benches import PLAYERS, running_table, seated_players
from companion.commands.kills import kill_again_and_again
from companion.hw.clock import NS_PER_MS, boot_ns
from companion.hw.edges import Debounce, Pressed
from companion.hw.ports import Edge
from companion.journal import Journal, NewRecord, open_to_read
from companion.session import commands as c
from companion.session.events import Event
from companion.session.state import fold
from companion.session.wire import to_data
from companion.sim.drivers import SimRig
from companion.table.bootstrap import Table
from companion.table.signal import Alarm
from companion.table.taking_up import taken_up

# ------------------------------------------------------------ presses


async def presses(folder: Path, count: int) -> list[Figure]:
    """From the closing contact to the fact on the disk, and to the lamp, beside one raw insert on the same disk."""
    sim = SimRig()
    to_disk_ms, to_lamp_ms = [], []
    async with running_table(folder, sim) as table:
        seated_players(table)
        changed = table.service.listen()
        lamp = sim.panel.lamps["seat1"]
        for _press in range(count):
            await asyncio.sleep(0.2)
            changed.clear()
            was = len(lamp.history)
            down_ns = sim.button("seat1").press(ms=40)
            await asyncio.wait_for(changed.wait(), 5)
            told_ns = boot_ns()
            to_disk_ms.append((told_ns - down_ns) / NS_PER_MS)
            await asyncio.sleep(0.1)
            dark = next((at for at, on in lamp.history[was:] if not on), None)
            to_lamp_ms.append(float("inf") if dark is None else (dark - told_ns) / NS_PER_MS)
            # The empty call is closed, so that the next press is a call of its own.
            table.service.carry_out(c.EndTurn(player="bert"), "screen")
            table.service.carry_out(c.EndTurn(player="anna"), "screen")
    sim.close()
    raw_ms = _raw_inserts_ms(folder, count)
    raw, half, most = percentile(raw_ms, 0.5), percentile(to_disk_ms, 0.5), percentile(to_disk_ms, 0.95)
    lit = percentile(to_lamp_ms, 0.95)
    return [
        Figure(measure="one raw synced insert, median", value=f"{raw:.2f} ms", limit="", met=True),
        Figure(
            measure="press to event on disk, median",
            value=f"{half:.2f} ms",
            limit=f"raw + 3 = {raw + 3:.2f} ms or less",
            met=half <= raw + 3,
        ),
        Figure(
            measure="press to event on disk, 95th percentile",
            value=f"{most:.2f} ms",
            limit=f"raw + 10 = {raw + 10:.2f} ms or less",
            met=most <= raw + 10,
        ),
        Figure(measure="event to lamp, 95th percentile", value=f"{lit:.2f} ms", limit="5 ms or less", met=lit <= 5),
    ]


def _raw_inserts_ms(folder: Path, count: int) -> list[float]:
    db = sqlite3.connect(folder / "raw.sqlite", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE raw (body TEXT)")
    taken = []
    for _insert in range(count):
        begun = time.perf_counter()
        db.execute("INSERT INTO raw VALUES (?)", ("x" * 400,))
        taken.append((time.perf_counter() - begun) * 1000)
    db.close()
    return taken


def order(count: int) -> list[Figure]:
    """Two presses 2 ms apart, with bounces of both in between: which was first."""
    chance = random.Random(2)  # noqa: S311  no secret
    right = 0
    for _pair in range(count):
        first, second = chance.sample(("seat1", "seat2", "seat3"), 2)
        edges = [*_bouncing(first, 0, chance), *_bouncing(second, 2 * NS_PER_MS, chance)]
        edges.sort(key=lambda edge: edge.at_ns)
        debounce = Debounce()
        seen = [r for edge in edges for r in debounce.feed(edge) if isinstance(r, Pressed)]
        right += [r.button for r in seen] == [first, second] and seen[1].gap_ns == 2 * NS_PER_MS
    return [
        Figure(
            measure="order of two presses 2 ms apart",
            value=f"{right} of {count} right",
            limit="all",
            met=right == count,
        )
    ]


def _bouncing(button: str, at_ns: int, chance: random.Random) -> list[Edge]:
    edges = [Edge(button=button, pressed=True, at_ns=at_ns)]
    for _bounce in range(chance.randint(0, 6)):
        at_ns += chance.randint(50_000, 900_000)
        edges.append(Edge(button=button, pressed=False, at_ns=at_ns))
        at_ns += chance.randint(20_000, 200_000)
        edges.append(Edge(button=button, pressed=True, at_ns=at_ns))
    return edges


# ------------------------------------------------------------ journal


def journal(folder: Path) -> list[Figure]:
    """Opening and folding a journal of 20,000 events, and of a quarter of that."""
    figures = []
    seconds = {count: _open_and_fold_s(folder / str(count), count) for count in (5_000, 20_000)}
    figures.append(
        Figure(
            measure="journal of 20,000 events: open, check and fold",
            value=f"{seconds[20_000]:.2f} s",
            limit="1 s or less",
            met=seconds[20_000] <= 1,
        )
    )
    growth = seconds[20_000] / seconds[5_000]
    figures.append(
        Figure(
            measure="the same against 5,000 events",
            value=f"{growth:.1f} times",
            limit="5 times or less",
            met=growth <= 5,
        )
    )
    return figures


def _open_and_fold_s(folder: Path, count: int) -> float:
    path = folder / "journal.sqlite"
    facts = _many_facts(count)
    with Journal.open(path, table_id="7") as written:
        rows = [NewRecord(type=f.wire, v=f.version, by="bench", at_ns=f.at_ns, data=to_data(f)) for f in facts]
        for at in range(0, len(rows), 1000):
            written.append(rows[at : at + 1000], boot="b", wall="2026-01-01T00:00:00.000Z")
    begun = time.perf_counter()
    with Journal.open(path, table_id="7") as opened:
        taken_up(opened)
    return time.perf_counter() - begun


def _many_facts(count: int) -> list[Event]:
    from companion.rules.ruleset import load_ruleset
    from companion.session.decide import Moment, decide
    from companion.session.state import TableState

    ruleset = load_ruleset("nl1996")
    state = TableState()
    facts: list[Event] = []
    now_ns = 0

    def do(command: c.Command) -> None:
        nonlocal state, now_ns
        now_ns += 1000 * NS_PER_MS
        made = decide(state, command, Moment(now_ns=now_ns, asker="screen", ruleset=ruleset))
        state = fold(made, state)
        facts.extend(made)

    do(c.SetUpTable(system="nl1996", players=PLAYERS, length_ms=12 * 3_600_000))
    for player, value in zip(PLAYERS, (6, 5, 4), strict=True):
        do(c.EnterStartDie(player=player, value=value))
    for player, colour in zip(PLAYERS, ("red", "blue", "black"), strict=True):
        do(c.ChooseColour(player=player, colour=colour))
    do(c.StartGame())
    while len(facts) < count:
        do(c.CallThrow())
        do(c.EnterDice(side="attack", values=(6, 4, 2)))
        do(c.EnterDice(side="defence", values=(5, 3)))
        do(c.AcceptThrow())
    return facts[:count]


# ------------------------------------------------------------ signal


def signals(folder: Path, count: int) -> list[Figure]:
    """How late the buzzer's line changes, with the camera read at 30 frames a second and two busy processes beside."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _core in range(2)]
    try:
        late_ms = asyncio.run(_signals(folder, count))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    worst = percentile(late_ms, 0.99)
    return [
        Figure(
            measure=f"{count} signals at the buzzer's edge, 99th percentile late",
            value=f"{worst:.2f} ms (median {percentile(late_ms, 0.5):.2f})",
            limit="10 ms or less",
            met=worst <= 10,
        )
    ]


async def _signals(folder: Path, count: int) -> list[float]:
    sim = SimRig()
    late_ms = []
    chance = random.Random(3)  # noqa: S311  no secret
    buzzer = sim.panel.buzzer()
    async with running_table(folder, sim, camera="sim"):
        for number in range(count):
            if number % 20 == 0:
                sim.box.throw([chance.randint(1, 6) for _ in range(3)])
            if number % 20 == 15:
                sim.box.lift()
            was = len(sim.panel.sound.history)
            alarm = Alarm(lambda _rang_ns: buzzer.set(True), name="bench")
            due_ns = boot_ns() + chance.randint(20, 80) * NS_PER_MS
            alarm.arm(due_ns)
            await asyncio.sleep(0.12)
            rang = next((at for at, on in sim.panel.sound.history[was:] if on), None)
            if rang is not None:
                late_ms.append((rang - due_ns) / NS_PER_MS)
            alarm.close()
            buzzer.set(False)
            await asyncio.sleep(0.08)
    sim.close()
    return late_ms


# ------------------------------------------------------------ endurance


async def day(folder: Path, hours: int) -> list[Figure]:
    """A day of play at the speed of the disk: memory and file handles at its middle and its end, and the game's clock.

    The clock is stopped and started again after every turn; at the end its time is held against the boot clock's sum.
    """
    sim = SimRig()
    async with running_table(folder, sim) as table:
        seated_players(table)
        service = table.service
        marks, ran_ns = [], -_stamp(table, "game.started")
        throws = hours * 200
        for number in range(throws):
            service.carry_out(c.CallThrow(), "screen")
            service.carry_out(c.EnterDice(side="attack", values=(6, 4, 2)), "screen")
            service.carry_out(c.EnterDice(side="defence", values=(5, 3)), "screen")
            service.carry_out(c.AcceptThrow(), "screen")
            if number % 3 == 2:
                service.carry_out(c.EndTurn(), "screen")
                service.carry_out(c.PauseClock(reason="a break"), "referee")
                ran_ns += _stamp(table, "clock.paused")
                service.carry_out(c.ResumeClock(), "referee")
                ran_ns -= _stamp(table, "clock.resumed")
            if number in (throws // 2, throws - 1):
                marks.append((_memory_kb(), len(tuple(Path("/proc/self/fd").iterdir()))))
            if number % 50 == 0:
                await asyncio.sleep(0)
        now_ns = boot_ns()
        drift_ms = abs(service.state.running_clock().elapsed_at(now_ns) - (ran_ns + now_ns) / NS_PER_MS)
    sim.close()
    grown_kb, opened = marks[1][0] - marks[0][0], marks[1][1] - marks[0][1]
    return [
        Figure(
            measure=f"second half of {hours} hours of play: memory grown",
            value=f"{grown_kb} KiB",
            limit="1024 KiB or less",
            met=grown_kb <= 1024,
        ),
        Figure(measure="the same: file handles", value=f"{opened:+d}", limit="+0", met=opened == 0),
        Figure(
            measure=f"the same: drift of the game's clock over {throws // 3} pauses",
            value=f"{drift_ms:.1f} ms",
            limit="1 ms a pause or less",
            met=drift_ms <= throws // 3,
        ),
    ]


def _stamp(table: Table, kind: str) -> int:
    """When the newest fact of that kind happened."""
    records = table.service.journal.after(max(0, table.service.seq - 20), 20)
    return max(record.at_ns for record in records if record.type == kind)


def _memory_kb() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def kills(folder: Path, count: int) -> list[Figure]:
    """SIGKILL at random moments: events that had been shown and are not there any more."""
    folder.mkdir()
    seen = asyncio.run(kill_again_and_again(folder, kills=count, seed=20261129))
    with open_to_read(folder / "state" / "journal.sqlite") as left:
        kept = {record.seq: record.hash for record in left.all()}
        whole = left.verify().fault is None
    lost = sum(kept.get(seq) != found for seq, found in seen.records.items())
    return [
        Figure(
            measure=f"events lost over {count} kills, of {len(seen.records)} shown",
            value=f"{lost}" + ("" if whole else ", and the journal does not verify"),
            limit="0",
            met=lost == 0 and whole,
        )
    ]
