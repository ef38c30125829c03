"""What the hub knows at this moment: every table's records so far, and when each was last heard."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.hub.disputes import Doubts
from companion.hub.folding import Oddity, TableFold
from companion.hub.ledger import Chapter, Ledger
from companion.hub.people import is_made_by_table
from companion.hub.tournament import Played
from companion.journal import Head, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a table cannot be collected from.

    Attributes:
        code: Stable word.
        message: What is wrong, in English.
        values: Offenders by name.
        because: What the table answered, where it refused something.
    """

    code: str
    message: str
    values: Mapping[str, Any] = field(default_factory=dict)
    because: Trouble | None = None


@dataclass(slots=True, kw_only=True)
class Contact:
    """The hub's line to one address.

    Attributes:
        address: As configured.
        table: The table that answers there, once it has.
        heard_ns: When it last answered well, boot-clock ns of the hub; None before.
        trouble: Why the newest attempt failed, or None when it did not.
        state: The newest view of `GET /v1/state`, or None.
        state_ns: When that came, boot-clock ns of the hub.
    """

    address: str
    table: str | None = None
    heard_ns: int | None = None
    trouble: Trouble | None = None
    state: Mapping[str, Any] | None = None
    state_ns: int = 0


@dataclass(slots=True, kw_only=True)
class _Chain:
    chapter: Chapter
    fold: TableFold = field(default_factory=TableFold)
    doubts: Doubts = field(default_factory=Doubts)
    genesis: str = ""


class Hall:
    """All tables, as collected and as last heard.

    Args:
        addresses: Where tables are looked for, as configured.
    """

    def __init__(self, addresses: Iterable[str]) -> None:
        self.contacts = {address: Contact(address=address) for address in addresses}
        self.amiss: Mapping[str, tuple[Trouble, ...]] = {}
        """What keeps a table from ending with its hall, as the director's side told it last."""
        self._names: dict[tuple[str, str], dict[str, str]] = {}
        self._organisers: dict[str, str] = {}
        self._chains: dict[str, list[_Chain]] = {}
        self._changes: set[asyncio.Event] = set()

    async def load(self, ledger: Ledger) -> None:
        """Take in everything that the ledger holds.

        Raises:
            LedgerError: It cannot be read.
        """
        for (table, game), known in (await ledger.names()).items():
            self.know(table, game, known)
        for chapter in await ledger.chapters():
            self._chains.setdefault(chapter.table, []).append(await _read(ledger, chapter))

    async def reload(self, ledger: Ledger, table: str) -> None:
        """Take in one table anew, because another hub wrote to the same ledger.

        Raises:
            LedgerError: It cannot be read.
        """
        mine = [chapter for chapter in await ledger.chapters() if chapter.table == table]
        self._chains[table] = [await _read(ledger, chapter) for chapter in mine]
        self.changed()

    def tables(self) -> tuple[str, ...]:
        """Ids of all tables that were ever collected from, in natural order."""
        return tuple(sorted(self._chains, key=natural))

    def chapters(self, table: str) -> tuple[Chapter, ...]:
        """All chains of a table, oldest first."""
        return tuple(chain.chapter for chain in self._chains.get(table, ()))

    def fold(self, table: str) -> TableFold | None:
        """The newest chain of a table, folded."""
        chains = self._chains.get(table)
        return chains[-1].fold if chains else None

    def doubts(self, table: str) -> Doubts:
        """Throws that were disputed, of the newest chain of a table."""
        chains = self._chains.get(table)
        return chains[-1].doubts if chains else Doubts()

    def genesis(self, table: str) -> str:
        """Hash of the first record of the newest chain."""
        return self._chains[table][-1].genesis

    def knows(self, table: str, game: str, known: Mapping[str, str]) -> bool:
        """Whether exactly these names are noted for a game's players."""
        return self._names.get((table, game)) == known

    def know(self, table: str, game: str, known: Mapping[str, str]) -> None:
        """Note the names that a table gives for its game's players."""
        self._names[(table, game)] = dict(known)
        self._organisers |= {player: name for player, name in known.items() if not is_made_by_table(player)}

    def names_in(self, table: str, game: str) -> Mapping[str, str]:
        """Player to name in one game.

        A name that was heard elsewhere for an id of the organiser's is known here too; an id that a table made up
        means somebody else elsewhere.
        """
        return {**self._organisers, **self._names.get((table, game), {})}

    def contact_of(self, table: str) -> Contact | None:
        """The line on which a table was heard last."""
        mine = [contact for contact in self.contacts.values() if contact.table == table]
        return max(mine, key=lambda contact: contact.heard_ns or 0, default=None)

    def begin(self, chapter: Chapter) -> None:
        """A table begins a new chain."""
        self._chains.setdefault(chapter.table, []).append(_Chain(chapter=chapter))
        self.changed()

    def take(self, table: str, records: Iterable[Record]) -> None:
        """A table's newest chain goes on."""
        chain = self._chains[table][-1]
        for record in records:
            _take(chain, record)
        _settle(chain)
        self.changed()

    def played(self) -> tuple[Played, ...]:
        """All games of all chains of all tables."""
        return tuple(
            Played(table=table, chapter=chain.chapter.number, game=game)
            for table in self.tables()
            for chain in self._chains[table]
            for game in chain.fold.games
        )

    def changed(self) -> None:
        """Tell everybody who watches that something is different now."""
        for change in self._changes:
            change.set()

    def watch(self) -> tuple[asyncio.Event, Callable[[], None]]:
        """An event that is set at each change, and the call that ends the watching."""
        change = asyncio.Event()
        self._changes.add(change)
        return change, lambda: self._changes.discard(change)


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts '2' before '10', and numbers before names."""
    parts = (part for part in re.split(r"([0-9]+)", text) if part)
    return tuple((0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part) for part in parts)


async def _read(ledger: Ledger, chapter: Chapter) -> _Chain:
    chain = _Chain(chapter=chapter)
    async for record in ledger.read(chapter):
        _take(chain, record)
    _settle(chain)
    return chain


def _settle(chain: _Chain) -> None:
    last = chain.fold.last
    if last is not None:
        chain.chapter = replace(chain.chapter, head=Head(seq=last.seq, hash=last.hash))


def _take(chain: _Chain, record: Record) -> None:
    if not chain.genesis:
        chain.genesis = record.hash
    chain.fold.take(record)
    try:
        chain.doubts.take(record)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = f"{type(error).__name__}: {error}"
        if not any(odd.seq == record.seq for odd in chain.fold.oddities):
            chain.fold.oddities.append(Oddity(seq=record.seq, type=record.type, why=why))
