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

from companion.hub.folding import Game
from companion.hub.hall import Hall
from companion.hub.lengths import HallTime, LengthStore, due_ms
from companion.lan.boxes import fingerprint
from companion.lan.client import TableClient
from companion.lan.errors import PeerError, Unreachable
from companion.lan.lengths import letter
from companion.lan.problems import Problem
from companion.rules.clock import check_length, length_of_chance, secret_length, signal_comes_from
from companion.rules.ruleset import Ruleset, load_ruleset
from companion.session.seal import Secret

LOOK_EVERY_S = 0.25
START_WITHIN_S = 2.0
"""A table that does not take the start within this is late: it would never be in step."""

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
        self._clients = clients
        self._store = store
        self._now_ns = now_ns
        self._boot = boot
        self._asked_ns: dict[str, int] = {}

    # ------------------------------------------------------------ what the director asks

    async def start(self, tables: Iterable[str] = (), minutes: int | None = None) -> dict[str, Any]:
        """Seal one length for these tables, or for all that are ready, and start them at once.

        Raises:
            Problem: No table is ready, they play by different rules, or the length is not allowed.
        """
        views = await self._ready(tuple(tables))
        rules, phase, scale = _common(views)
        secret = Secret(_minutes(minutes, phase, rules), secrets.token_hex(16))
        rings = signal_comes_from(rules) == "clock"
        boxes = {
            table: await self._box(table, view["game"], secret) if rings else None for table, view in views.items()
        }
        hall = HallTime(name=self._store.next_name(), seal=secret.seal, phase=phase, scale=scale)
        self._store.seal(hall, secret)
        hall = msgspec.structs.replace(hall, unsure=tuple(views)).running(self._now_ns(), self._boot)
        self._store.put(hall)
        answers = await asyncio.gather(*(self._start(table, hall, boxes[table]) for table in views))
        self._asked_ns[hall.name] = self._now_ns()
        started = dict(zip(views, answers, strict=True))
        hall = msgspec.structs.replace(
            hall,
            tables=tuple(table for table, told in started.items() if told is None),
            unsure=tuple(table for table, told in started.items() if isinstance(told, PeerError)),
        )
        self._store.put(hall)
        late = {table: str(told) for table, told in started.items() if told is not None}
        return {"hall": hall.name, "seal": hall.seal, "tables": list(hall.tables), "late": late}

    async def signal(self, name: str | None) -> dict[str, Any]:
        """Give the signal to all tables of a hall now."""
        hall = self._running(name)
        self._store.put(msgspec.structs.replace(hall, sounded=True))
        return await self._to_all(hall, "sound_tijd", {})

    async def pause(self, name: str | None, reason: str) -> dict[str, Any]:
        """Stop the clocks of all tables of a hall."""
        hall = self._running(name)
        if hall.paused is not None:
            raise Problem("already-paused", "the hall stands already", {"hall": hall.name})
        answer = await self._to_all(hall, "pause_clock", {"reason": reason})
        self._store.put(hall.stopped(self._now_ns(), reason))
        return answer

    async def resume(self, name: str | None) -> dict[str, Any]:
        """Let the clocks of all tables of a hall run on."""
        hall = self._running(name)
        if hall.paused is None:
            raise Problem("not-paused", "the hall runs already", {"hall": hall.name})
        answer = await self._to_all(hall, "resume_clock", {})
        self._store.put(hall.running(self._now_ns(), self._boot))
        return answer

    async def add(self, name: str | None, minutes: int, reason: str) -> dict[str, Any]:
        """Lengthen the game at all tables of a hall."""
        hall = self._running(name)
        added_ms = minutes * 60_000
        answer = await self._to_all(hall, "add_time", {"ms": added_ms, "reason": reason})
        self._store.put(msgspec.structs.replace(hall, added_ms=hall.added_ms + added_ms))
        return answer

    async def reveal(self, name: str, reason: str) -> dict[str, Any]:
        """Have a length revealed although a table that was started by it has not been heard to end."""
        hall = self._store.halls.get(name)
        if hall is None:
            raise Problem("no-such-hall", f"no hall is called {name!r}", {"known": list(self._store.halls)})
        self._store.put(msgspec.structs.replace(hall, forced=reason, sounded=True))
        await self.look()
        return {"hall": name}

    async def trust(self, table: str) -> dict[str, Any]:
        """Take a table's key as it is now, after people compared it."""
        key = await self._client(table).key()
        self._store.trust(table, key)
        return {"table": table, "fingerprint": fingerprint(bytes.fromhex(key))}

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
                    "tables": {table: self._standing(hall, table) for table in _members(hall)},
                }
                for hall in self._store.halls.values()
            ],
            "keys": {table: fingerprint(bytes.fromhex(key)) for table, key in self._store.keys.items()},
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
            secret = self._store.secret(hall)
            if secret is None or hall.is_done or not _members(hall):
                continue
            try:
                await self._look_at(self._in_time(hall), secret)
            except OSError as error:
                log.warning("hall could not be noted", hall=hall.name, why=error.strerror or type(error).__name__)

    async def _look_at(self, hall: HallTime, secret: Secret) -> None:
        if not hall.sounded and hall.anchor_ns is not None and hall.elapsed_at(self._now_ns()) >= due_ms(hall, secret):
            hall = msgspec.structs.replace(hall, sounded=True)
            self._store.put(hall)
        standing = {table: self._standing(hall, table) for table in _members(hall)}
        if hall.sounded and hall.forced is None:
            waiting = [table for table, how in standing.items() if how == "playing"]
            await asyncio.gather(*(self._ask(table, f"{hall.name}-tijd", "sound_tijd", {}) for table in waiting))
        present = [table for table, how in standing.items() if how != "absent"]
        if hall.forced is not None or all(standing[table] in ("ended", "left", "revealed") for table in present):
            await self._reveal(hall, secret, present)

    async def _reveal(self, hall: HallTime, secret: Secret, tables: Iterable[str]) -> None:
        args = {"seal": hall.seal, "minutes": secret.minutes, "salt": secret.salt}
        told = list(hall.told)
        for table in tables:
            if table not in told and await self._ask(table, f"{hall.name}-reveal", "reveal_tijd", args) is None:
                told.append(table)
        if len(told) != len(hall.told):
            self._store.put(msgspec.structs.replace(hall, told=tuple(told)))

    def _in_time(self, hall: HallTime) -> HallTime:
        """The hall with its time taken up from its tables, where the hub's machine was started anew."""
        if hall.boot == self._boot or hall.paused is not None:
            return hall
        ages = [
            (contact.state_ns, elapsed_ms)
            for table in _members(hall)
            if self._standing(hall, table) == "playing"
            and (contact := self._hall.contact_of(table)) is not None
            and (elapsed_ms := _running_ms(contact.state)) is not None
        ]
        if not ages:
            return msgspec.structs.replace(hall, anchor_ns=None)
        at_ns, elapsed_ms = max(ages, key=lambda one: one[1])
        hall = msgspec.structs.replace(hall, elapsed_ms=elapsed_ms, anchor_ns=at_ns, boot=self._boot)
        self._store.put(hall)
        return hall

    # ------------------------------------------------------------ tables

    def _game(self, hall: HallTime, table: str) -> Game | None:
        """The table's game that was started by the hall's length."""
        fold = self._hall.fold(table)
        games = fold.games if fold is not None else ()
        return next((game for game in reversed(games) if hall.seal in game.seals), None)

    def _standing(self, hall: HallTime, table: str) -> str:
        """How far a table is: unheard, absent, playing, left (by a length of its own), ended or revealed."""
        game = self._game(hall, table)
        if game is None:
            return "absent" if table in hall.unsure and self._is_caught_up(hall, table) else "unheard"
        if game.seals[hall.seal].text is not None:
            return "revealed"
        if list(game.seals)[-1] != hall.seal:
            return "left"
        return "ended" if game.tijd is not None or game.results is not None else "playing"

    def _is_caught_up(self, hall: HallTime, table: str) -> bool:
        """Whether all that a table had recorded some time after the start is here."""
        contact, fold = self._hall.contact_of(table), self._hall.fold(table)
        if contact is None or contact.state is None or fold is None or fold.last is None:
            return False
        seq = contact.state.get("seq")
        is_newer = contact.state_ns > self._asked_ns.get(hall.name, 0)
        return is_newer and isinstance(seq, int) and seq <= fold.last.seq

    async def _ready(self, wanted: tuple[str, ...]) -> dict[str, dict[str, Any]]:
        """Fresh views of the tables that are to be started."""
        known = {contact.table for contact in self._hall.contacts.values() if contact.table is not None}
        strange = sorted(set(wanted) - known)
        if strange:
            raise Problem("no-such-table", f"no table {', '.join(strange)} was heard", {"tables": strange})
        views: dict[str, dict[str, Any]] = {}
        for table in wanted or sorted(known):
            try:
                view = await self._client(table).state()
            except PeerError:
                if wanted:
                    raise
                continue
            if view.get("phase") == "ready":
                views[table] = view
            elif wanted:
                raise Problem(
                    "table-not-ready", f"table {table} is not ready: it is {view.get('phase')}", {"table": table}
                )
        if not views:
            raise Problem("no-table-ready", "no table is ready: seat the players and bind the buttons first", {})
        return views

    async def _box(self, table: str, game: str, secret: Secret) -> str:
        key = await self._client(table).key()
        pinned = self._store.keys.get(table)
        if pinned is None:
            self._store.trust(table, key)
        elif pinned != key:
            raise Problem(
                "key-changed",
                f"table {table} has another key than before ({fingerprint(bytes.fromhex(key))}): compare it with what "
                f"the table logs at its start, then: companion clock trust {table}",
                {"table": table},
            )
        return letter(secret, table=table, game=game, public=bytes.fromhex(key))

    async def _start(self, table: str, hall: HallTime, box: str | None) -> PeerError | Problem | None:
        args = {"seal": hall.seal, "hall": hall.name, "box": box}
        try:
            async with asyncio.timeout(START_WITHIN_S):
                return await self._ask(table, f"{hall.name}-start", "start_game", args)
        except TimeoutError:
            return Unreachable(f"table {table} did not answer in time", table=table)

    def _running(self, name: str | None) -> HallTime:
        running = [hall for hall in self._store.halls.values() if _members(hall) and not hall.sounded]
        found = [hall for hall in running if name in (None, hall.name)]
        if len(found) != 1:
            known = [hall.name for hall in running]
            raise Problem(
                "which-hall", f"name one of the halls that run: {', '.join(known) or 'none'}", {"known": known}
            )
        return found[0]

    async def _to_all(self, hall: HallTime, command: str, args: dict[str, Any]) -> dict[str, Any]:
        tables = [table for table in _members(hall) if self._standing(hall, table) in ("playing", "unheard")]
        once = secrets.token_hex(4)
        answers = await asyncio.gather(
            *(self._ask(table, f"{hall.name}-{command}-{once}", command, args) for table in tables)
        )
        refused = {table: str(told) for table, told in zip(tables, answers, strict=True) if told is not None}
        return {"hall": hall.name, "tables": [table for table in tables if table not in refused], "refused": refused}

    async def _ask(self, table: str, command_id: str, command: str, args: dict[str, Any]) -> PeerError | Problem | None:
        """Ask one table; None if it did it, else why not."""
        try:
            await self._client(table).command(f"{command_id}-{table}", command, args)
        except (PeerError, Problem) as error:
            return error
        return None

    def _client(self, table: str) -> TableClient:
        contact = self._hall.contact_of(table)
        if contact is None:
            raise Problem("no-such-table", f"table {table} was not heard", {"tables": [table]})
        return self._clients[contact.address]


def _members(hall: HallTime) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*hall.tables, *hall.unsure)))


def _common(views: Mapping[str, Mapping[str, Any]]) -> tuple[Ruleset, str, float]:
    """Rules, phase and pace that all tables share.

    Raises:
        Problem: They don't share them, or their length is no secret.
    """
    shared = {_game_of(view) for view in views.values()}
    if len(shared) != 1:
        raise Problem(
            "different-games",
            "the ready tables do not play by the same rules, options and phase: name those that belong together",
            {"tables": list(views)},
        )
    (name, _hash, phase, scale), options = shared.pop(), next(iter(views.values()))["options"]
    rules = load_ruleset(name, options)
    if secret_length(rules) is None:
        raise Problem(
            "no-secret-here", f"the length of a game of {rules.system} is no secret", {"system": rules.system}
        )
    return rules, phase, scale


def _game_of(view: Mapping[str, Any]) -> tuple[str, str, str, float]:
    """Ruleset, its hash, phase and pace of a table's game.

    Raises:
        Problem: The table tells them in another form.
    """
    match view:
        case {
            "ruleset": {"name": str(name), "hash": str(digest)},
            "tournament_phase": str(phase),
            "clock": {"scale": int(scale) | float(scale)},
        }:
            return name, digest, phase, scale
    raise Problem("not-a-table", "a table of another version is ready: install the same companion everywhere", {})


def _running_ms(state: Mapping[str, Any] | None) -> int | None:
    """Game time gone at a table whose clock runs, as it was told."""
    match state:
        case {"clock": {"running": True, "elapsed_ms": int(elapsed_ms)}}:
            return elapsed_ms
    return None


def _minutes(chosen: int | None, phase: str, rules: Ruleset) -> int:
    if chosen is None:
        return length_of_chance(phase, secrets.randbits(128), ruleset=rules)
    if not check_length(phase, chosen, ruleset=rules).valid:
        raise Problem("length-not-allowed", "that length lies outside the range of the phase: choose another", {})
    return chosen
