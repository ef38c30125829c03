"""Pulling the journal of one table, for ever.

Theory: each visit asks for the records from the newest one that the hub has, *including* that one. If it comes back
with the same hash, the hub's copy is a true beginning of the table's journal and everything behind it may be added,
record by record against the chain. If it does not, the table has another past than the one collected: a new card, an
older copy, or another machine that calls itself by the same name. Then a new chapter is begun at zero and the page
says so; the two are never mixed. A visit is made when the table nudges, and every two seconds all the same, because a
nudge can get lost and a visit that finds nothing is what tells the organiser that the table is alive.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import structlog

from companion.hub.disputes import Pictures
from companion.hub.hall import Contact, Hall, Trouble
from companion.hub.ledger import Chapter, Ledger, LedgerError
from companion.journal import Head, Record, RecordRefused
from companion.journal.records import fault_after, parse_record
from companion.lan.client import TableClient
from companion.lan.errors import PeerError
from companion.lan.messages import JournalPage
from companion.lan.problems import Problem

log = structlog.get_logger(__name__)

VISIT_EVERY_S = 2.0
SLOWEST_S = 15.0
PAGE = 1000
MAX_CHAPTERS = 20
"""A table that changes its past more often than this is not a table but a fault, and would fill the ledger."""

RIVAL_MS = 30_000
"""For so long after a table was heard at one address, another address with the same id is a rival."""


class Untrustworthy(Exception):
    """What the table sent cannot be taken in; carries the trouble for the page."""

    def __init__(self, code: str, message: str, **values: Any) -> None:
        super().__init__(message)
        self.trouble = Trouble(code=code, message=message, values=values)


class Collector:
    """Visits one address.

    Args:
        contact: The hall's line to the address.
        client: Speaks with whoever is there.
        hall: Where what was heard goes.
        ledger: Where records go first.
        now_ns: Boot clock of the hub.
        wall: Wall time of the hub, ISO 8601.
        pictures: Fetches the pictures of disputes, or None to leave them at the table.
    """

    def __init__(
        self,
        contact: Contact,
        client: TableClient,
        *,
        hall: Hall,
        ledger: Ledger,
        now_ns: Callable[[], int],
        wall: Callable[[], str],
        pictures: Pictures | None = None,
    ) -> None:
        self._contact = contact
        self._client = client
        self._hall = hall
        self._ledger = ledger
        self._now_ns = now_ns
        self._wall = wall
        self._pictures = pictures
        self._nudge = asyncio.Event()

    async def run(self) -> None:
        """Visit until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_visiting())
            tasks.create_task(self._keep_listening())

    async def visit(self) -> bool:
        """Collect what is new; tells whether all went well, and leaves the trouble in the contact if not."""
        before = self._contact.trouble
        try:
            await self._collect_beside_others()
            await self._look()
            await self._fetch_pictures()
        except Untrustworthy as error:
            self._contact.trouble = error.trouble
        except (PeerError, Problem, LedgerError) as error:
            self._contact.trouble = Trouble(code=error.code, message=str(error), values=error.values)
        else:
            self._contact.trouble = None
        now = self._contact.trouble
        if (before and before.code) != (now and now.code):
            log.info("table contact", address=self._contact.address, trouble=now.message if now else None)
            self._hall.changed()
        return now is None

    async def _keep_visiting(self) -> None:
        pause_s = VISIT_EVERY_S
        while True:
            self._nudge.clear()
            went_well = await self.visit()
            pause_s = VISIT_EVERY_S if went_well else min(pause_s * 2, SLOWEST_S)
            # A failed visit waits out its pause: nudges of a table in trouble would only hammer it.
            if went_well:
                await self._wait_for_nudge(pause_s)
            else:
                await asyncio.sleep(pause_s)

    async def _wait_for_nudge(self, at_most_s: float) -> None:
        try:
            async with asyncio.timeout(at_most_s):
                await self._nudge.wait()
        except TimeoutError:
            return

    async def _keep_listening(self) -> None:
        while True:
            try:
                async for event in self._client.events():
                    if event.event == "seq" and self._is_news(event.data):
                        self._nudge.set()
            except (PeerError, Problem) as error:
                log.debug("no nudges", address=self._contact.address, why=str(error))
            await asyncio.sleep(VISIT_EVERY_S)

    def _is_news(self, data: str) -> bool:
        table = self._contact.table
        chapters = self._hall.chapters(table) if table else ()
        try:
            return not chapters or json.loads(data)["seq"] != chapters[-1].head.seq
        except (ValueError, KeyError, TypeError):
            return True

    async def _collect_beside_others(self) -> None:
        try:
            await self._collect()
        except LedgerError as error:
            table = self._contact.table
            if error.code != "ledger-clash" or table is None:
                raise
            # What the other hub wrote is as good as our own: take it up and go on from there.
            await self._hall.reload(self._ledger, table)
            await self._collect()

    async def _collect(self) -> None:
        while True:
            table = self._contact.table
            chapter = self._newest(table)
            head = chapter.head if chapter else Head(seq=0, hash="")
            page = await self._client.journal(max(0, head.seq - 1), PAGE)
            self._meet(page)
            if page.table != table:
                continue
            records = _parsed(page)
            if chapter is None:
                if not records:
                    return
                await self._begin(page.table, number=1, why="first")
                continue
            if head.seq and not _continues(records, head):
                await self._begin(page.table, number=chapter.number + 1, why=await self._why_new(page.table))
                continue
            await self._add(chapter, records[1:] if head.seq else records)
            if len(records) < PAGE:
                return

    async def _fetch_pictures(self) -> None:
        """What players dispute is looked at here too: its pictures come at once."""
        table = self._contact.table
        if table and self._pictures is not None and await self._pictures.fetch(self._hall.doubts(table), self._client):
            self._hall.changed()

    def _newest(self, table: str | None) -> Chapter | None:
        chapters = self._hall.chapters(table) if table else ()
        return chapters[-1] if chapters else None

    def _meet(self, page: JournalPage) -> None:
        """Note who answers, unless a rival answers under the same id at another address."""
        now_ns = self._now_ns()
        other = self._hall.contact_of(page.table)
        is_rival = other is not None and other is not self._contact and other.heard_ns is not None
        if is_rival and other is not None and now_ns - (other.heard_ns or 0) < RIVAL_MS * 1_000_000:
            self._contact.table = None
            raise Untrustworthy(
                "table-id-twice",
                f"{self._contact.address} calls itself table {page.table!r}, and so does {other.address}: "
                "give one of them another id",
                table=page.table,
                address=self._contact.address,
                other=other.address,
            )
        self._contact.table = page.table
        self._contact.heard_ns = now_ns

    async def _why_new(self, table: str) -> str:
        first = _parsed(await self._client.journal(0, 1))
        if not first:
            raise Untrustworthy(
                "journal-empty",
                f"table {table!r} has an empty journal, though records were collected before",
                table=table,
            )
        return "forked" if first[0].hash == self._hall.genesis(table) else "restarted"

    async def _begin(self, table: str, *, number: int, why: str) -> None:
        if number > MAX_CHAPTERS:
            raise Untrustworthy(
                "too-many-chapters",
                f"table {table!r} has changed its past {number - 1} times: nothing more is collected from it",
                table=table,
            )
        if number > 1:
            log.warning("the journal of a table does not continue", table=table, why=why, chapter=number)
        self._hall.begin(await self._ledger.begin_chapter(table, number=number, why=why, wall=self._wall()))

    async def _add(self, chapter: Chapter, records: tuple[Record, ...]) -> None:
        head, good = chapter.head, []
        code: str | None = None
        for record in records:
            code = fault_after(head, record)
            if code is not None:
                break
            good.append(record)
            head = Head(seq=record.seq, hash=record.hash)
        if good:
            await self._ledger.add(chapter, good)
            self._hall.take(chapter.table, good)
        if code is not None:
            raise Untrustworthy(
                "chain-broken",
                f"record {head.seq + 1} of table {chapter.table!r} does not hold ({code}): it was not taken in; "
                "verify that table's journal",
                table=chapter.table,
                seq=head.seq + 1,
                why=code,
            )

    async def _look(self) -> None:
        """Fetch the table's own view: its clock, and the names that belong to its player ids."""
        state = await self._client.state()
        contact, table = self._contact, self._contact.table
        is_different = contact.state is None or _face(contact.state) != _face(state)
        contact.state, contact.state_ns = state, self._now_ns()
        contact.heard_ns = contact.state_ns
        known = _names(state)
        game = state.get("game")
        if table and isinstance(game, str) and known and not self._hall.knows(table, game, known):
            await self._ledger.put_names(table, game, known)
            self._hall.know(table, game, known)
            is_different = True
        if is_different:
            self._hall.changed()


def _parsed(page: JournalPage) -> tuple[Record, ...]:
    try:
        return tuple(parse_record(raw) for raw in page.records)
    except RecordRefused as error:
        raise Untrustworthy(
            "strange-record", f"table {page.table!r} sent what is no record: {error}", table=page.table
        ) from error


def _continues(records: tuple[Record, ...], head: Head) -> bool:
    return bool(records) and records[0].seq == head.seq and records[0].hash == head.hash


def _names(state: dict[str, Any]) -> dict[str, str]:
    players = state.get("players")
    found = {}
    for player in players if isinstance(players, list) else ():
        match player:
            case {"id": str(identity), "name": str(name)} if identity and name:
                found[identity] = name
    return found


def _face(state: Any) -> tuple[Any, ...]:
    """What the page shows of a state beyond the records: without the times that run by themselves."""
    clock = state.get("clock")
    shown = {name: clock.get(name) for name in ("running", "paused", "last_phase")} if isinstance(clock, dict) else None
    return (state.get("phase"), shown, state.get("pin_set"), repr(state.get("referee_called")))
