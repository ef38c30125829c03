"""What the hub asks of single tables: again and again, but not faster than it helps, and nothing refused is forgotten.

Theory. A signal must reach its table, and a table that can't take it now (its cable is out, or the board is frozen for
a claim) must be asked again. Asked four times a second it would be hammered, and whoever listens would hear everything
four times a second. So each refusal doubles the pause, up to `SLOWEST_S`, and the pause ends at once when the table has
recorded something since, because then the answer may be another. Every id is of the operating system's chance: nobody
can ask under it first.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.hub.hall import Hall
from companion.hub.lengths import Refusal
from companion.lan.boxes import Question
from companion.lan.client import TableClient
from companion.lan.errors import PeerError, Unreachable
from companion.lan.problems import Problem

FIRST_S = 0.25
SLOWEST_S = 8.0
ANSWER_WITHIN_S = 2.0
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refusal:
    why: PeerError | Problem
    seq: int
    pause_s: float
    until_ns: int


class Asking:
    """Speaks with the tables for the director.

    Args:
        hall: What the hub knows of its tables.
        clients: Table addresses to who speaks with them.
        now_ns: Boot clock.
    """

    def __init__(self, hall: Hall, clients: Mapping[str, TableClient], now_ns: Callable[[], int]) -> None:
        self._hall = hall
        self._clients = clients
        self._now_ns = now_ns
        self._refused: dict[tuple[str, str, str], _Refusal] = {}

    def client(self, table: str) -> TableClient:
        """Who speaks with a table.

        Raises:
            Problem: It was never heard.
        """
        contact = self._hall.contact_of(table)
        if contact is None:
            raise Problem("no-such-table", f"table {table} was not heard", {"tables": [table]})
        return self._clients[contact.address]

    def heard_ns(self, table: str) -> int | None:
        """When a table was last heard, boot-clock ns; None before."""
        contact = self._hall.contact_of(table)
        return contact.heard_ns if contact is not None else None

    async def ask(
        self, table: str, command: str, args: dict[str, Any], *, command_id: str | None = None
    ) -> PeerError | Problem | None:
        """Ask one table; None if it did it, else why not."""
        try:
            client = self.client(table)
        except Problem as error:
            # A hub that was started anew has not heard it yet; that is no refusal of the table's.
            return Unreachable(error.message, table=table)
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                await client.command(command_id or fresh_id(), command, args)
        except TimeoutError:
            return Unreachable(f"table {table} did not answer in time", table=table)
        except (PeerError, Problem) as error:
            return error
        return None

    async def turn(self, table: str) -> str | None:
        """What a table gives out at this moment, for an order that must not be held up; None if it was not heard."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                _key, turn = await self.client(table).key()
        except (TimeoutError, PeerError, Problem):
            return None
        return turn

    async def is_proved(self, table: str, public: bytes) -> bool:
        """Whether the owner of a table's key says now that the journal ends where the hub's copy does."""
        fold = self._hall.fold(table)
        last = fold.last if fold is not None else None
        question = Question()
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                said = await self.client(table).proof(question.asked)
        except (TimeoutError, PeerError, Problem):
            return False
        is_same = last is not None and (said.table, said.seq, said.hash) == (table, last.seq, last.hash)
        return is_same and question.is_answered(said.proof, said.said(), public=public)

    async def insist(self, hall: str, table: str, command: str, args: dict[str, Any]) -> bool:
        """Ask one table unless it refused the same a moment ago; whether it has done it now."""
        key = (hall, table, command)
        before = self._refused.get(key)
        if before is not None and before.seq == self._seq(table) and self._now_ns() < before.until_ns:
            return False
        seq = self._seq(table)
        why = await self.ask(table, command, args)
        if why is None:
            self._refused.pop(key, None)
            return True
        pause_s = FIRST_S if before is None else min(2 * before.pause_s, SLOWEST_S)
        until_ns = self._now_ns() + round(pause_s * _NS_PER_S)
        self._refused[key] = _Refusal(why=why, seq=seq, pause_s=pause_s, until_ns=until_ns)
        return False

    def refusal(self, hall: str, table: str, command: str) -> Refusal | None:
        """Why a table did not do the last time what it was asked, or None."""
        refused = self._refused.get((hall, table, command))
        return None if refused is None else refusal_of(refused.why)

    def _seq(self, table: str) -> int:
        fold = self._hall.fold(table)
        return fold.last.seq if fold is not None and fold.last is not None else 0


def refusal_of(why: PeerError | Problem) -> Refusal:
    """What is kept of an answer."""
    return Refusal(problem=why.code, message=str(why), values=why.values)


def fresh_id() -> str:
    """An id that nobody can guess beforehand."""
    return secrets.token_hex(16)
