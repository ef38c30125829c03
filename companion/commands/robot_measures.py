"""What a throw costs the players: a robot plays clean throws at a simulated table and counts what it had to do.

The table's own clockwork runs whole: frames of the simulated camera at 30 a second are read by the real reader, buttons
bounce and are debounced, every fact goes to the disk. The robot throws when the table says so, presses its button once
for each throw, lifts the dice when they were read, and never touches the screen. It knows from the simulation's own
truth what lies in the box and when the last die came to rest.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from companion.commands.bench_table import Figure, percentile
from companion.commands.benches import running_table, seated_players
from companion.hw.clock import NS_PER_MS, boot_ns
from companion.session.snapshot import SideState, ThrowState
from companion.session.transitions import ThrowStep
from companion.sim.drivers import SimRig
from companion.table.bootstrap import Table

WITHIN_MS = 500.0
"""How soon after the dice have come to rest their verdict must stand."""

_WAIT_S = 20.0
_HAND_S = 1.2
_TURN = 10
"""Throws in one turn; then the next player's press begins theirs."""


class NotSeen(Exception):
    """The table did not come to what the robot waited for."""

    code = "not-seen"


@dataclass(slots=True)
class Tally:
    """What was counted.

    Attributes:
        recorded: Throws that were accepted with the values that lay there, called by their player.
        presses: Presses that the throws took, turns not counted.
        verdict_ms: From rest to the committed verdict, each side.
        missed: What did not come, in the robot's words.
    """

    recorded: int = 0
    presses: int = 0
    verdict_ms: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


async def clean_throws(folder: Path, count: int) -> list[Figure]:
    """Play clean throws, attack and defence, all by button and camera."""
    tally = Tally()
    sim = SimRig()
    async with running_table(folder, sim, camera="sim") as table:
        seated_players(table)
        await asyncio.sleep(2.0)
        before = table.service.seq
        robot = _Robot(table, sim, tally)
        for number in range(count):
            if number and number % _TURN == 0:
                await robot.next_turn()
            try:
                await robot.throw()
            except NotSeen as waited:
                tally.missed.append(str(waited))
                await robot.give_up()
        touches = sum(record.by in ("screen", "referee") for record in table.service.journal.after(before, 10_000))
    sim.close()
    verdicts = tally.verdict_ms or [float("inf")]
    most = max(verdicts)
    missed = f"; {tally.missed[0]}" if tally.missed else ""
    return [
        Figure(
            measure=f"{count} clean throws: recorded as they lay",
            value=f"{tally.recorded}{missed}",
            limit="all",
            met=tally.recorded == count,
        ),
        Figure(
            measure="the same: presses each, touches of the screen in all",
            value=f"{tally.presses / count:g}, {touches}",
            limit="1 at most, none",
            met=tally.presses <= count and touches == 0,
        ),
        Figure(
            measure="the same: from rest to verdict, longest",
            value=f"{most:.0f} ms (median {percentile(verdicts, 0.5) if len(verdicts) > 1 else most:.0f})",
            limit=f"{WITHIN_MS:.0f} ms or less",
            met=most <= WITHIN_MS,
        ),
    ]


class _Robot:
    def __init__(self, table: Table, sim: SimRig, tally: Tally) -> None:
        self._table = table
        self._sim = sim
        self._tally = tally
        self._chance = random.Random(5)  # noqa: S311  players' luck, no secret

    async def next_turn(self) -> None:
        """The next player presses."""
        state = self._table.service.state
        at = next(i for i, p in enumerate(state.players) if p.id == state.turn_player)
        following = state.players[(at + 1) % len(state.players)]
        self._sim.button(str(following.button)).press()
        await self._until(lambda: self._table.service.state.turn_player == following.id, "the next turn")
        await asyncio.sleep(0.3)

    async def throw(self) -> None:
        """Press, throw both sides, lift."""
        state = self._table.service.state
        before = state.throws
        player = next(p for p in state.players if p.id == state.turn_player)
        self._sim.button(str(player.button)).press()
        self._tally.presses += 1
        await self._until(lambda: self._table.service.state.throws == before + 1, "the call")
        attack = [self._chance.randint(1, 6) for _ in range(3)]
        defence = [self._chance.randint(1, 6) for _ in range(2)]
        await self._side("attack", attack)
        await self._side("defence", defence)
        self._sim.box.lift()
        await self._until(lambda: self._throw().step is ThrowStep.ACCEPTED, "the losses")
        await asyncio.sleep(_HAND_S)
        throw = self._throw()
        lay = (_values(throw.attack), _values(throw.defence), throw.called)
        if lay == (sorted(attack), sorted(defence), True):
            self._tally.recorded += 1
        else:
            self._tally.missed.append(f"thrown {attack} against {defence}, recorded {lay}")

    async def _side(self, side: str, values: list[int]) -> None:
        thrown = self._sim.box.throw(values, side="attack" if side == "attack" else "defence")
        told_ns = await self._until(lambda: _is_taken(getattr(self._throw(), side)), f"the {side} dice")
        self._tally.verdict_ms.append((told_ns - thrown.settled_ns) / NS_PER_MS)

    async def give_up(self) -> None:
        """Clear the box and the throw, so that the next one begins clean."""
        self._sim.box.lift()
        await asyncio.sleep(2 * _HAND_S)
        await self.next_turn()

    def _throw(self) -> ThrowState:
        throw = self._table.service.state.throw
        if throw is None:
            raise NotSeen("there is no throw")
        return throw

    async def _until(self, is_so: Callable[[], bool], what: str) -> int:
        """Wait for facts until it is so; the moment at which it was told."""
        changed = self._table.service.listen()
        end_ns = boot_ns() + int(_WAIT_S * 1e9)
        try:
            while not is_so():
                if boot_ns() > end_ns:
                    raise NotSeen(f"waited {_WAIT_S:.0f} s for {what}: {self._table.service.state.throw}")
                changed.clear()
                try:
                    await asyncio.wait_for(changed.wait(), 0.5)
                except TimeoutError:
                    continue
            return boot_ns()
        finally:
            self._table.service.unlisten(changed)


def _is_taken(side: SideState | None) -> bool:
    return side is not None and side.ruled is not None and side.ruled.action == "accept"


def _values(side: SideState | None) -> list[int]:
    return sorted(die.value or 0 for die in side.settled.dice) if side is not None else []
