"""One start, one signal and one length for a hall: what the director asks of the hub, and what follows from it.

Theory. The hub draws or takes a length, keeps it, and starts all tables at once, each with a letter that only it can
open. From then on the tables' own clocks run; the hub runs beside them and gives the signal too, so that a table whose
clock may not ring (because it fell out of step, or the director wanted one voice) ends with the hall. Whichever signal
comes first counts. Who belongs to a hall is read from what the tables recorded, never from what was sent. The length is
told to nobody before every table that was started by it, and did not leave it for a length of its own, has ended.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
import structlog

from companion.hub.asking import Asking
from companion.hub.hall import Hall, Trouble
from companion.hub.lengths import HallTime, LengthStore, due_ms
from companion.hub.orders import Orders, refused
from companion.hub.standing import Standings
from companion.hub.starting import Starting, common, minutes_for
from companion.lan.boxes import fingerprint
from companion.lan.client import TableClient
from companion.lan.errors import PeerError
from companion.lan.lengths import letter, told_letter
from companion.lan.problems import Problem
from companion.rules.clock import signal_comes_from
from companion.session.seal import Secret

LOOK_EVERY_S = 0.25

OVER = ("ended", "left", "revealed")
"""Tables of which nobody plays by the length any more."""

_SHORTEST_S = 0.01

log = structlog.get_logger(__name__)


class Director:
    """The lengths of one hub at work.

    Args:
        hall: What the hub knows of its tables.
        clients: Table addresses to who speaks with them.
        store: Where lengths are kept.
        now_ns: Boot clock.
        boot: Which run of the machine this is.
    """

    def __init__(
        self,
        hall: Hall,
        clients: Mapping[str, TableClient],
        store: LengthStore,
        *,
        now_ns: Callable[[], int],
        boot: str,
    ) -> None:
        self._hall = hall
        self._store = store
        self._now_ns = now_ns
        self._boot = boot
        self._asking = Asking(hall, clients, now_ns)
        self._standings = Standings(hall, now_ns)
        self._proof_asked_ns: dict[tuple[str, str], int] = {}
        self._orders = Orders(store, self._standings, self._asking, now_ns=now_ns, boot=boot)
        self._starting = Starting(hall, self._asking, store)
        for one in store.halls.values():
            if (fault := store.lost(one)) is not None:
                log.error(
                    "the length of a hall can't be vouched for: give the signal yourself", hall=one.name, why=fault
                )

    # ------------------------------------------------------------ what the director asks

    async def start(
        self, tables: Iterable[str] = (), minutes: int | None = None, *, trust_new: bool = False
    ) -> dict[str, Any]:
        """Seal one length for these tables, or for all that are ready, and start them at once.

        Raises:
            Problem: No table is ready, they play by different rules, or the length is not allowed.
        """
        ready = await self._starting.ready(tuple(tables), trust_new=trust_new)
        views = ready.views
        rules, phase, scale = common(views)
        secret = Secret(minutes_for(minutes, phase, rules), secrets.token_hex(16))
        rings = signal_comes_from(rules) == "clock"
        boxes = {
            table: self._box(table, view, secret, ready.turns[table]) if rings else None
            for table, view in views.items()
        }
        hall = HallTime(name=self._store.next_name(), seal=secret.seal, phase=phase, scale=scale)
        self._store.seal(hall, secret)
        hall = msgspec.structs.replace(hall, unsure=tuple(views)).running(self._now_ns(), self._boot)
        self._store.put(hall)
        answers = await asyncio.gather(
            *(
                self._asking.ask(table, "start_game", {"seal": hall.seal, "hall": hall.name, "box": boxes[table]})
                for table in views
            )
        )
        self._standings.asked(hall)
        started = dict(zip(views, answers, strict=True))
        hall = self._store.change(
            hall.name,
            tables=tuple(table for table, told in started.items() if told is None),
            unsure=tuple(table for table, told in started.items() if isinstance(told, PeerError)),
        )
        late = {**ready.late, **{table: str(told) for table, told in started.items() if told is not None}}
        return {"hall": hall.name, "seal": hall.seal, "tables": list(hall.tables), "late": late}

    def _box(self, table: str, view: Mapping[str, Any], secret: Secret, turn: str) -> str:
        public, phase = bytes.fromhex(self._store.keys[table].key), view["tournament_phase"]
        return letter(secret, table=table, game=view["game"], phase=phase, public=public, turn=turn)

    async def signal(self, name: str | None) -> dict[str, Any]:
        """Give the signal to all tables of a hall now."""
        hall = self._running(name)
        hall = self._store.change(hall.name, sounded=True)
        playing = [table for table, how in self._standings.all(hall).items() if how in ("playing", "unheard")]
        await self._sound(hall, playing)
        undone = {
            table: why.message
            for table in playing
            if (why := self._asking.refusal(hall.name, table, "sound_tijd")) is not None
        }
        return {"hall": hall.name, "tables": [one for one in playing if one not in undone], "refused": undone}

    async def pause(self, name: str | None, reason: str) -> dict[str, Any]:
        """Stop the clocks of all tables of a hall, of those that have left it, too."""
        hall = self._running(name, or_left=True)
        if hall.paused is not None:
            raise Problem("already-paused", "the hall stands already", {"hall": hall.name})
        return await self._orders.give(hall.stopped(self._now_ns(), reason), "pause_clock", {"reason": reason})

    async def resume(self, name: str | None) -> dict[str, Any]:
        """Let the clocks of all tables of a hall run on that stand because it does."""
        hall = self._running(name, or_left=True)
        if hall.paused is None:
            raise Problem("not-paused", "the hall runs already", {"hall": hall.name})
        return await self._orders.give(hall.running(self._now_ns(), self._boot), "resume_clock", {})

    async def add(self, name: str | None, minutes: int, reason: str) -> dict[str, Any]:
        """Lengthen the game at all tables of a hall."""
        hall = self._running(name)
        added_ms = minutes * 60_000
        longer = msgspec.structs.replace(hall, added_ms=hall.added_ms + added_ms)
        return await self._orders.give(longer, "add_time", {"ms": added_ms, "reason": reason})

    async def reveal(self, name: str, reason: str) -> dict[str, Any]:
        """Have a length revealed although a table that was started by it has not been heard to end.

        Raises:
            Problem: There is no such hall, or a table is heard that plays by this length.
        """
        hall = self._store.halls.get(name)
        if hall is None:
            raise Problem("no-such-hall", f"no hall is called {name!r}", {"known": list(self._store.halls)})
        playing = self._heard_playing(await self._prove(hall, self._standings.all(hall)))
        if playing:
            raise Problem(
                "still-playing",
                f"table {', '.join(playing)} is heard, and plays by this length or has not proved with its key that it "
                "does not: nothing is revealed before its signal, from the hub (companion clock signal) or its referee",
                {"tables": list(playing)},
            )
        self._store.change(name, forced=reason, sounded=True)
        await self.look()
        return {"hall": name}

    async def trust(self, table: str) -> dict[str, Any]:
        """Take a table's key as it is now, after people compared it."""
        return {"table": table, "fingerprint": await self._starting.trust(table)}

    def told(self) -> dict[str, Any]:
        """Every hall and how far its tables are; never a length that is not revealed, and never when one ends."""
        now_ns = self._now_ns()
        return {
            "halls": [
                {
                    "hall": hall.name,
                    "seal": hall.seal,
                    "phase": hall.phase,
                    "elapsed_ms": self._in_time(hall).elapsed_at(now_ns),
                    "paused": hall.paused,
                    "added_ms": hall.added_ms,
                    "sounded": hall.sounded,
                    "forced": hall.forced,
                    "lost": self._store.lost(hall),
                    "tables": self._standings.all(hall),
                    "out_of_step": {
                        table: [trouble.message for trouble in found] for table, found in self._troubles(hall).items()
                    },
                }
                for hall in self._store.halls.values()
            ],
            "keys": {table: fingerprint(bytes.fromhex(pin.key)) for table, pin in self._store.keys.items()},
        }

    # ------------------------------------------------------------ what follows

    async def run(self) -> None:
        """Give signals and reveal lengths when their time has come; until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(self._next_look_s())

    def _next_look_s(self) -> float:
        """Seconds until the next look: a signal is not kept waiting."""
        left_s = [
            (due_ms(hall, secret) - hall.elapsed_at(self._now_ns())) / 1000 / hall.scale
            for hall in self._store.halls.values()
            if hall.boot == self._boot and not hall.sounded and hall.anchor_ns is not None
            and (secret := self._store.secret(hall)) is not None
        ]  # fmt: skip
        return min([LOOK_EVERY_S, *(max(_SHORTEST_S, left) for left in left_s)])

    async def look(self) -> None:
        """Do what is due now."""
        for hall in tuple(self._store.halls.values()):
            if not hall.members:
                continue
            try:
                if hall.is_done:
                    # Its length is known; tables that have left it may still have to stand, or to run on.
                    await self._orders.deliver(hall.name)
                    continue
                await self._look_at(self._in_time(hall), self._store.secret(hall))
            except OSError as error:
                log.warning("hall could not be noted", hall=hall.name, why=error.strerror or type(error).__name__)
        self._show()

    async def _look_at(self, hall: HallTime, secret: Secret | None) -> None:
        is_running = secret is not None and not hall.sounded and hall.anchor_ns is not None
        if is_running and secret is not None and hall.elapsed_at(self._now_ns()) >= due_ms(hall, secret):
            hall = self._store.change(hall.name, sounded=True)
        standing = self._standings.all(hall)
        if hall.sounded:
            await self._sound(hall, [table for table, how in standing.items() if how == "playing"])
        await self._orders.deliver(hall.name)
        present = [table for table, how in standing.items() if how != "absent"]
        hall = await self._prove(hall, standing)
        over = [table for table in present if standing[table] in OVER and table in hall.proved]
        if secret is not None and (over if hall.forced is not None else self._is_over(hall, standing)):
            await self._reveal(hall, secret, over)

    def _heard_playing(self, hall: HallTime) -> tuple[str, ...]:
        """Tables that are there and may play by a hall's length."""
        return tuple(
            table
            for table, how in self._standings.all(hall).items()
            if how != "unheard" and (how == "playing" or table not in hall.proved) and self._standings.is_heard(table)
        )

    def _is_over(self, hall: HallTime, standing: Mapping[str, str]) -> bool:
        """Whether every table has said with its key that it plays by the length no more, and some table did."""
        is_so = all(how in (*OVER, "absent") and table in hall.proved for table, how in standing.items())
        return is_so and any(how != "absent" for how in standing.values())

    async def _prove(self, hall: HallTime, standing: Mapping[str, str]) -> HallTime:
        """Have tables whose records say that they are over say so with their keys: records could be anybody's."""
        claimed = [
            table
            for table, how in standing.items()
            if how in (*OVER, "absent")
            and table not in hall.proved
            and table in self._store.keys
            and (self._asking.heard_ns(table) or 0) > self._proof_asked_ns.get((hall.name, table), -1)
        ]
        self._proof_asked_ns |= {(hall.name, table): self._now_ns() for table in claimed}
        keys = {table: bytes.fromhex(self._store.keys[table].key) for table in claimed}
        told = await asyncio.gather(*(self._asking.is_proved(table, key) for table, key in keys.items()))
        proved = tuple(table for table, is_so in zip(keys, told, strict=True) if is_so)
        if not proved:
            return hall
        before = self._store.halls[hall.name].proved
        return self._store.change(hall.name, proved=tuple(dict.fromkeys((*before, *proved))))

    async def _sound(self, hall: HallTime, tables: Iterable[str]) -> None:
        await asyncio.gather(*(self._asking.insist(hall.name, table, "sound_tijd", {}) for table in tables))

    async def _reveal(self, hall: HallTime, secret: Secret, tables: Iterable[str]) -> None:
        """Tell the length to tables that play by it no more, and to no other."""
        told = list(hall.told)
        for table in tables:
            public = bytes.fromhex(self._store.keys[table].key)
            args = {"seal": hall.seal, "box": told_letter(secret, table=table, public=public)}
            if table not in told and await self._asking.insist(hall.name, table, "reveal_tijd", args):
                told.append(table)
        if len(told) != len(hall.told):
            self._store.change(hall.name, told=tuple(told))

    def _in_time(self, hall: HallTime) -> HallTime:
        """The hall with its time taken up from its tables, where the hub's machine was started anew."""
        if hall.boot == self._boot or hall.paused is not None:
            return hall
        furthest = self._standings.running_ms(hall)
        if furthest is None:
            return msgspec.structs.replace(hall, anchor_ns=None)
        at_ns, elapsed_ms = furthest
        return self._store.change(hall.name, elapsed_ms=elapsed_ms, anchor_ns=at_ns, boot=self._boot)

    def _running(self, name: str | None, *, or_left: bool = False) -> HallTime:
        """The hall that runs and is called so; with `or_left` also one of which only tables play that have left it."""
        running = [
            hall
            for hall in self._store.halls.values()
            if hall.members and (not hall.sounded or (or_left and self._plays_on(hall)))
        ]
        found = [hall for hall in running if name in (None, hall.name)]
        if len(found) != 1:
            known = [hall.name for hall in running]
            raise Problem(
                "which-hall", f"name one of the halls that run: {', '.join(known) or 'none'}", {"known": known}
            )
        return self._in_time(found[0])

    def _plays_on(self, hall: HallTime) -> bool:
        return any(self._standings.plays_apart(hall, table) for table in hall.members)

    # ------------------------------------------------------------ what is not as it should be

    def _troubles(self, hall: HallTime) -> dict[str, list[Trouble]]:
        """Table to what keeps it from ending with its hall."""
        found: dict[str, list[Trouble]] = {}
        fault = self._store.lost(hall)
        for table, how in self._standings.all(hall).items():
            is_concerned = how in ("playing", "unheard") or self._standings.plays_apart(hall, table)
            mine = self._orders.troubles(hall, table) if is_concerned else []
            command = "sound_tijd" if how in ("playing", "unheard") else "reveal_tijd"
            why = self._asking.refusal(hall.name, table, command)
            if why is not None and how != "revealed":
                mine.append(refused(command, why))
            if how in (*OVER, "absent") and table not in hall.proved and not hall.is_done:
                message = "its records say that it plays no more, but its key has not said so: the length waits"
                mine.append(Trouble(code="hall-unproved", message=message))
            if fault is not None:
                message = f"the hub can't vouch for the hall's length any more ({fault}): the director gives the signal"
                mine.append(Trouble(code=f"hall-length-{fault}", message=message))
            if mine:
                found[table] = mine
        return found

    def _show(self) -> None:
        """Have the page show what is not as it should be."""
        amiss: dict[str, tuple[Trouble, ...]] = {}
        for hall in self._store.halls.values():
            for table, found in self._troubles(hall).items():
                amiss[table] = (*amiss.get(table, ()), *found)
        if amiss != self._hall.amiss:
            self._hall.amiss = amiss
            self._hall.changed()
