"""Does the time that an answer takes tell the length? Tables with the shortest and the longest one, asked in turns.

Theory. If an answer took longer the nearer the end, or by another way where the length is longer, the ranks of the
response times of the two tables would differ. The Mann-Whitney test asks exactly that, without any idea of how such
times are spread. All tables run in one process and are asked in turns, so that whatever else the machine does falls on
all alike. Two tables with the same length differ by a microsecond already, for where they lie in memory and which was
begun first; so each length is played by two tables, one begun before and one after those of the other length, and
their times are taken together. A value of p above a thousandth means that chance alone explains what was seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import uuid4

from aiohttp import web

from companion.commands.bench_table import Figure
from companion.config import CameraConfig, HwConfig, NetworkConfig, PanelConfig, TableConfig
from companion.journal.secret import SecretFile
from companion.lan.client import TableClient
from companion.lan.problems import Problem
from companion.session import commands as c
from companion.table.api import table_app
from companion.table.bootstrap import Table, build_table
from companion.table.secret import TableKey, TableSecrets

LEAST_P = 0.001
_MORE = (0, 30)
_BEGUN = (0, 1, 1, 0)
"""Minutes more than the shortest length, and which of the two each table plays by, in the order in which they begin."""
PLAYERS = ("anna", "bert", "cees")
OWN = {"secret_time": "random", "same_for_all_tables": False}


class LengthTold(Exception):
    """The screen was told what nobody may know."""

    code = "length-told"


async def answers(folder: Path, count: int) -> list[Figure]:
    """Response times of tables whose secret lengths lie as far apart as the rules allow."""
    async with AsyncExitStack() as stack:
        tables = [(await _served(folder / str(at), _MORE[of], stack), of) for at, of in enumerate(_BEGUN)]
        asked: dict[str, Callable[[TableClient], Awaitable[object]]] = {
            "state": lambda client: client.state("en"),
            "journal": lambda client: client.journal(0),
            "a refused reveal": _refused,
        }
        figures = []
        for what, ask in asked.items():
            taken: list[list[float]] = [[], []]
            for _round in range(count // 2):
                for client, of in tables:
                    begun = time.perf_counter()
                    await ask(client)
                    taken[of].append(time.perf_counter() - begun)
            p = mann_whitney_p(*taken)
            figures.append(
                Figure(
                    measure=f"response times of two secret lengths, {what}, {count} each: Mann-Whitney",
                    value=f"p = {p:.4f}",
                    limit=f"more than {LEAST_P}",
                    met=p > LEAST_P,
                )
            )
        return figures


async def _refused(client: TableClient) -> None:
    try:
        await client.command(uuid4().hex, "reveal_tijd")
    except Problem:
        return
    raise LengthTold("a running game's length was revealed to the screen")


async def _served(folder: Path, number: int, stack: AsyncExitStack) -> TableClient:
    """A table in play, whose chance draws the shortest length and `number` minutes more, and a client of its screen."""
    folder.mkdir(parents=True, exist_ok=True)
    socket = folder / "t.sock"
    config = TableConfig(
        table="7",
        state_dir=folder,
        network=NetworkConfig(socket=socket),
        hw=HwConfig(camera=CameraConfig(driver="none"), panel=PanelConfig(driver="screen")),
    )
    table = build_table(config)
    kept = SecretFile(folder / "tijd.secret"), TableKey(folder / "table.key")
    table.service.secrets = TableSecrets(*kept, number=lambda: number)
    await table.start()
    stack.push_async_callback(table.stop)
    runner = web.AppRunner(table_app(table.desk, "screen"), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    await web.UnixSite(runner, str(socket)).start()
    _play(table)
    return await stack.enter_async_context(TableClient(socket=socket))


def _play(table: Table) -> None:
    service = table.service
    service.carry_out(c.SetUpTable(system="risiko", players=PLAYERS, options=OWN), "screen")
    for player, value in zip(PLAYERS, (6, 5, 4), strict=True):
        service.carry_out(c.EnterStartDie(player=player, value=value), "screen")
    for player, colour in zip(PLAYERS, ("red", "blue", "black"), strict=True):
        service.carry_out(c.ChooseColour(player=player, colour=colour), "screen")
    service.carry_out(c.StartGame(), "screen")
    # Late in the game, where one table has ten minutes left and the other forty.
    service.carry_out(c.Recover(events=9, same_boot=False, away_ms=None, elapsed_ms=80 * 60_000), "rig")
    service.carry_out(c.ResumeClock(), "referee")


def mann_whitney_p(one: Sequence[float], other: Sequence[float]) -> float:
    """The probability that two samples of one distribution differ in rank at least as much as these.

    Two-sided, by the normal approximation with the correction for ties; good from some twenty values each.

    Source:
        Mann and Whitney, On a test of whether one of two random variables is stochastically larger than the other,
        Annals of Mathematical Statistics 18 (1947).
    """
    marked = sorted([(value, 0) for value in one] + [(value, 1) for value in other])
    n_one, n_all = len(one), len(marked)
    rank_sum, tie_sum, at = 0.0, 0.0, 0
    while at < n_all:
        end = at
        while end < n_all and marked[end][0] == marked[at][0]:
            end += 1
        rank = (at + end + 1) / 2
        rank_sum += rank * sum(mark == 0 for _value, mark in marked[at:end])
        tie_sum += (end - at) ** 3 - (end - at)
        at = end
    product = n_one * len(other)
    u = rank_sum - n_one * (n_one + 1) / 2
    variance = product / 12 * (n_all + 1 - tie_sum / (n_all * (n_all - 1)))
    if variance <= 0:
        return 1.0
    return math.erfc(abs(u - product / 2) / math.sqrt(2 * variance))
