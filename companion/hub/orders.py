"""Pause, play on, extra time: what a whole hall is to do, kept until each of its tables has answered.

Theory. A table that is not heard when the director stops the hall would play on by itself, and nobody would notice. So
an order is kept, under one id, and asked again as soon as the table is heard; the id makes a second asking harmless.
Until then the table is out of step, and it stays so where the order reached it much later than the others or was
refused: the hub says so. A table that a pause or its end reaches late is told that it does: it stood for another time
than its hall, so its own signal would tell the others, and theirs it. Who gave up waiting for an answer does not know
whether the order still lies somewhere, and is done later as if it were in time; so it is about a turn that the table
gave out just before, and the table refuses it when that is too long ago.

A table that has left its hall for a length of its own stands and runs on with it all the same: a fire alarm is for
everybody, and its own signal, which comes later by as much, tells the neighbours nothing. It is never late, and a pause
that it was not heard for is dropped once the hall runs on. Whether it stands because the hall does it knows itself: it
stands on for reasons of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from companion.hub.asking import Asking, fresh_id, refusal_of
from companion.hub.hall import Trouble
from companion.hub.lengths import HallTime, LengthStore, Order, Refusal
from companion.hub.standing import Standings
from companion.lan.errors import PeerError, Unreachable
from companion.lan.problems import Problem

_NS_PER_S = 1_000_000_000
_LATE_NS = 5 * _NS_PER_S
"""What took a table longer has put it out of step."""
_OTHER_ARGS = "id-reused"
"""What a table answers that has done under the same id what was asked with other arguments."""
_HELD_UP = "order-late"
"""What a table answers to an order about a turn that is too long ago; it did nothing."""
_ITS_OWN = frozenset({"already-paused", "not-paused", "paused-here"})
"""What a table answers that stands or runs for reasons of its own: one that has left its hall may."""
_TIMED = ("pause_clock", "resume_clock")
"""Orders that do something else when they come late: the table is told, and leaves the hall's time (docs/clock.md)."""


class Orders:
    """Has tables do what the director asked of all of them.

    Args:
        store: Keeps the orders.
        standings: How far the tables are.
        asking: Speaks with them.
        now_ns: Boot clock.
        boot: Which run of the machine this is.
    """

    def __init__(
        self, store: LengthStore, standings: Standings, asking: Asking, *, now_ns: Callable[[], int], boot: str
    ) -> None:
        self._store = store
        self._standings = standings
        self._asking = asking
        self._now_ns = now_ns
        self._boot = boot
        self._tried_ns: dict[tuple[str, str], int] = {}

    async def give(self, hall: HallTime, command: str, args: dict[str, Any]) -> dict[str, Any]:
        """Note what all tables are to do, have it done, and tell who has not done it.

        Raises:
            OSError: It could not be noted; then no table was asked.
        """
        order = Order(id=fresh_id(), command=command, args=args, boot=self._boot, given_ns=self._now_ns())
        hall = msgspec.structs.replace(hall, orders=(*hall.orders, order))
        standing = self._standings.all(hall)
        tables = tuple(table for table, how in standing.items() if self._concerns(hall, order, table, how))
        order = msgspec.structs.replace(order, waiting=tables)
        self._store.put(msgspec.structs.replace(hall, orders=(*hall.orders[:-1], order)))
        await self.deliver(hall.name)
        done = next(one for one in self._store.halls[hall.name].orders if one.id == order.id)
        waiting = dict.fromkeys(done.waiting, "was not heard: it is asked again as soon as it is")
        refused = {**{table: why.message for table, why in done.refused.items()}, **waiting}
        return {"hall": hall.name, "tables": [table for table in tables if table in done.done], "refused": refused}

    async def deliver(self, name: str) -> None:
        """Ask each table what it has not answered yet, in the order in which it was given."""
        hall = self._store.halls[name]
        standing = self._standings.all(hall)
        behind = dict.fromkeys(table for order in hall.orders for table in order.waiting)
        await asyncio.gather(*(self._deliver_to(name, table, standing[table]) for table in behind))

    def troubles(self, hall: HallTime, table: str) -> list[Trouble]:
        """What keeps a table from being in step with its hall."""
        found = []
        for order in hall.orders:
            what = order.command
            if table in order.waiting:
                message = f"out of step: {what} of the hall has not reached it yet"
                found.append(Trouble(code="hall-waits", message=message, values={"what": what}))
            elif table in order.refused:
                found.append(refused(what, order.refused[table], "out of step: it refused"))
            elif table in order.late:
                message = f"out of step: {what} of the hall reached it later than the others"
                found.append(Trouble(code="hall-late", message=message, values={"what": what}))
        return found

    async def _deliver_to(self, name: str, table: str, how: str) -> None:
        for order_id in [order.id for order in self._store.halls[name].orders]:
            hall = self._store.halls[name]
            order = next(one for one in hall.orders if one.id == order_id)
            if table not in order.waiting:
                continue
            if not self._concerns(hall, order, table, how):
                self._note(name, order.id, partial(_passed, table=table))
                continue
            tried_ns = self._tried_ns.get((order.id, table))
            if tried_ns is not None and (self._asking.heard_ns(table) or 0) <= tried_ns:
                return
            is_apart = self._standings.plays_apart(hall, table)
            is_late = self._is_late(order) and not is_apart
            told = await self._ask(order, table, is_late=is_late, is_apart=is_apart)
            self._tried_ns[(order.id, table)] = self._now_ns()
            if isinstance(told, PeerError) or (told is not None and told.code == _HELD_UP):
                return
            if order.command in _TIMED and told is not None and told.code == _OTHER_ARGS:
                # It did what was asked of it in time; only its answer was lost.
                told, is_late = None, False
            if is_apart and told is not None and told.code in _ITS_OWN:
                self._note(name, order.id, partial(_passed, table=table))
                continue
            self._note(name, order.id, partial(_answered, table=table, why=told, is_late=is_late))

    async def _ask(self, order: Order, table: str, *, is_late: bool, is_apart: bool) -> PeerError | Problem | None:
        args = order.args
        if order.command in _TIMED and is_late:
            args = {**args, "late": True}
        elif order.command in _TIMED:
            turn = await self._asking.turn(table)
            if turn is None or (self._is_late(order) and not is_apart):
                return Unreachable(f"table {table} did not answer in time", table=table)
            args = {**args, "turn": turn}
        return await self._asking.ask(table, order.command, args, command_id=f"{order.id}-{table}")

    def _note(self, name: str, order_id: str, change: Callable[[Order], Order]) -> None:
        orders = self._store.halls[name].orders
        self._store.change(name, orders=tuple(change(one) if one.id == order_id else one for one in orders))

    def _concerns(self, hall: HallTime, order: Order, table: str, how: str) -> bool:
        """Whether a table is to do it: it plays by the hall's length, or has left it and stands or runs on with it."""
        if how in ("playing", "unheard"):
            return True
        if order.command not in _TIMED or not self._standings.plays_apart(hall, table):
            return False
        after = hall.orders[hall.orders.index(order) + 1 :]
        return order.command == "resume_clock" or all(one.command != "resume_clock" for one in after)

    def _is_late(self, order: Order) -> bool:
        return order.boot != self._boot or self._now_ns() - order.given_ns > _LATE_NS


def _passed(order: Order, table: str) -> Order:
    return msgspec.structs.replace(order, waiting=tuple(one for one in order.waiting if one != table))


def _answered(order: Order, table: str, why: Problem | None, *, is_late: bool) -> Order:
    return msgspec.structs.replace(
        _passed(order, table),
        refused=order.refused if why is None else {**order.refused, table: refusal_of(why)},
        late=(*order.late, table) if is_late else order.late,
        done=(*order.done, table) if why is None else order.done,
    )


def refused(what: str, why: Refusal, how: str = "it refused") -> Trouble:
    """A table that did not do what its hall does, with the table's own answer."""
    because = Trouble(code=why.problem, message=why.message, values=why.values)
    message = f"{how} {what} of the hall: {why.message}"
    return Trouble(code="hall-refused", message=message, values={"what": what}, because=because)
