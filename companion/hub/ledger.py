"""The hub's copy of all journals, in SQLite on the laptop or in PostgreSQL for many halls.

Theory: the tables are the truth and this is a copy; whatever is lost here is collected again. What must not happen is
that two journals of one table get mixed: a table that got a new card, or went back to an older copy of its journal,
counts from a point that the hub has seen otherwise. So each unbroken chain is a *chapter* of its table, a new chain
begins a new chapter, and `(table, chapter, seq)` is unique. Chapters are kept side by side; whether they contradict
each other is for `tournament.py` to find and for people to settle.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from companion.journal import Head, Record
from companion.journal.records import START, canonical

VERSION = 1
"""Layout of the ledger; a ledger of a later layout is refused."""

_AT_ONCE = 2000
_FIELDS = ("seq", "at_ns", "boot", "wall", "type", "v", "by", "data", "prev", "hash")

metadata = sa.MetaData()
chapters = sa.Table(
    "chapters",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("chapter", sa.Integer, primary_key=True),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("begun_wall", sa.Text, nullable=False),
)
records = sa.Table(
    "records",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("chapter", sa.Integer, primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at_ns", sa.BigInteger, nullable=False),
    sa.Column("boot", sa.Text, nullable=False),
    sa.Column("wall", sa.Text, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("v", sa.Integer, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sa.Column("prev", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)
names = sa.Table(
    "names",
    metadata,
    sa.Column("table_id", sa.Text, primary_key=True),
    sa.Column("game", sa.Text, primary_key=True),
    sa.Column("player", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
)
about = sa.Table(
    "about",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)


class LedgerError(Exception):
    """The hub's store cannot be used or refused something.

    Attributes:
        code: `ledger-unusable`, `ledger-too-new` or `ledger-clash`.
        values: Offenders by name.
    """

    def __init__(self, code: str, message: str, **values: Any) -> None:
        super().__init__(message)
        self.code = code
        self.values = values


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One unbroken chain of a table.

    Attributes:
        table: The table.
        number: From 1.
        why: `first`, `restarted` (a new journal) or `forked` (another past than the one collected).
        begun_wall: Wall time of the hub when it began.
        head: The newest record collected.
    """

    table: str
    number: int
    why: str
    begun_wall: str
    head: Head


class Ledger:
    """All records that were collected.

    Args:
        engine: The database.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @classmethod
    async def open(cls, url: str) -> Ledger:
        """The ledger at a database address, its tables made if need be.

        Args:
            url: `sqlite+aiosqlite:///PATH` or `postgresql+asyncpg://USER@HOST/NAME`.

        Raises:
            LedgerError: The database cannot be reached, or a later version made it.
        """
        try:
            engine = create_async_engine(url)
        except SQLAlchemyError as error:
            raise LedgerError("ledger-unusable", f"{url!r} is no address of a database ({error})") from error
        try:
            if engine.dialect.name == "sqlite":
                Path(engine.url.database or "").parent.mkdir(parents=True, exist_ok=True)
                sa.event.listen(engine.sync_engine, "connect", _make_durable)
            async with engine.begin() as db:
                await db.run_sync(metadata.create_all)
                found = (await db.execute(sa.select(about.c.value).where(about.c.name == "version"))).scalar()
                if found is None:
                    await db.execute(about.insert().values(name="version", value=str(VERSION)))
        except (SQLAlchemyError, OSError) as error:
            await engine.dispose()
            where = engine.url.render_as_string(hide_password=True)
            raise LedgerError(
                "ledger-unusable",
                f"{where} cannot be used as the hub's store ({_cause(error)}): check disk and database",
                store=where,
            ) from error
        if found is not None and int(found) > VERSION:
            await engine.dispose()
            raise LedgerError(
                "ledger-too-new",
                f"the hub's store has layout {found}, this hub knows up to {VERSION}: install the newer companion",
                version=int(found),
                known=VERSION,
            )
        return cls(engine)

    async def chapters(self) -> tuple[Chapter, ...]:
        """All chapters of all tables, oldest first in each table."""
        async with self._asked() as db:
            rows = (await db.execute(sa.select(chapters).order_by(chapters.c.table_id, chapters.c.chapter))).all()
            return tuple(
                [
                    Chapter(
                        table=row.table_id,
                        number=row.chapter,
                        why=row.why,
                        begun_wall=row.begun_wall,
                        head=await _head(db, row.table_id, row.chapter),
                    )
                    for row in rows
                ]
            )

    async def begin_chapter(self, table: str, *, number: int, why: str, wall: str) -> Chapter:
        """Begin a chain of a table that is not the continuation of the one before.

        Raises:
            LedgerError: Another hub on the same store began it too (`ledger-clash`).
        """
        async with self._asked(writing=True) as db:
            await db.execute(chapters.insert().values(table_id=table, chapter=number, why=why, begun_wall=wall))
        return Chapter(table=table, number=number, why=why, begun_wall=wall, head=START)

    async def add(self, chapter: Chapter, new: Sequence[Record]) -> None:
        """Add records to a chapter, all or none; their chain was checked by the caller.

        Raises:
            LedgerError: Another hub on the same store was quicker (`ledger-clash`), or the store cannot be written.
        """
        rows = [
            {"table_id": chapter.table, "chapter": chapter.number}
            | {name: getattr(record, name) for name in _FIELDS}
            | {"data": canonical(record.data)}
            for record in new
        ]
        if rows:
            async with self._asked(writing=True) as db:
                await db.execute(records.insert(), rows)

    async def read(self, chapter: Chapter) -> AsyncIterator[Record]:
        """The records of a chapter, oldest first."""
        chosen = sa.select(*(records.c[name] for name in _FIELDS)).where(
            records.c.table_id == chapter.table, records.c.chapter == chapter.number
        )
        seq = 0
        while True:
            page = chosen.where(records.c.seq > seq).order_by(records.c.seq).limit(_AT_ONCE)
            async with self._asked() as db:
                rows = (await db.execute(page)).all()
            for row in rows:
                fields = dict(zip(_FIELDS, row, strict=True))
                yield Record(**fields | {"data": json.loads(fields["data"])})
            if len(rows) < _AT_ONCE:
                return
            seq = rows[-1].seq

    async def put_names(self, table: str, game: str, known: Mapping[str, str]) -> None:
        """Note the names of a game's players, in place of what was noted before."""
        mine = (names.c.table_id == table) & (names.c.game == game)
        async with self._asked(writing=True) as db:
            await db.execute(names.delete().where(mine))
            rows = [{"table_id": table, "game": game, "player": p, "name": n} for p, n in known.items()]
            if rows:
                await db.execute(names.insert(), rows)

    async def names(self) -> dict[tuple[str, str], dict[str, str]]:
        """Player to name, by table and game."""
        found: dict[tuple[str, str], dict[str, str]] = {}
        async with self._asked() as db:
            for row in await db.execute(sa.select(names)):
                found.setdefault((row.table_id, row.game), {})[row.player] = row.name
        return found

    async def close(self) -> None:
        """Let go of the database."""
        await self._engine.dispose()

    def _asked(self, *, writing: bool = False) -> _Asking:
        return _Asking(self._engine, writing=writing)


class _Asking:
    """One connection, in a transaction when writing, its complaints put in the ledger's words."""

    def __init__(self, engine: AsyncEngine, *, writing: bool) -> None:
        self._engine = engine
        self._context = engine.begin() if writing else engine.connect()

    async def __aenter__(self) -> AsyncConnection:
        try:
            return await self._context.__aenter__()
        except (SQLAlchemyError, OSError) as error:
            raise _ledger_error(error) from error

    async def __aexit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            await self._context.__aexit__(kind, error, trace)
        except (SQLAlchemyError, OSError) as failure:
            raise _ledger_error(failure) from failure
        if isinstance(error, SQLAlchemyError | OSError):
            raise _ledger_error(error) from error


def _ledger_error(error: Exception) -> LedgerError:
    if isinstance(error, IntegrityError):
        return LedgerError("ledger-clash", "another hub wrote the same records into this store: asking again")
    return LedgerError(
        "ledger-unusable", f"the hub's store cannot be read or written ({_cause(error)}): check disk and database"
    )


def _cause(error: Exception) -> str:
    return str(error.orig) if isinstance(error, DBAPIError) else str(error)


async def _head(db: AsyncConnection, table: str, chapter: int) -> Head:
    chosen = sa.select(records.c.seq, records.c.hash).where(records.c.table_id == table, records.c.chapter == chapter)
    row = (await db.execute(chosen.order_by(records.c.seq.desc()).limit(1))).first()
    return START if row is None else Head(seq=row.seq, hash=row.hash)


def _make_durable(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA busy_timeout = 5000")
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()
