"""Throws that players do not believe: what the records say of them, and the pictures, pulled from the table at once.

Theory. A dispute names its pictures by their SHA-256, and that record is part of the table's chain. So a picture that
the hub fetched is the one that was taken at that throw, or it is not taken in at all: the name is checked against the
bytes, and whoever looks at it at the hub need not trust the table's card any more.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog

from companion.journal import Evidence, EvidenceError, Record
from companion.lan.client import TableClient
from companion.lan.problems import Problem

AT_ONCE = 200
"""Pictures fetched in one visit; what is left comes with the next."""

_NOT_FOUND = 404
_KINDS = ("sheet", "frame", "film")
_log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class Doubt:
    """One throw that is disputed.

    Attributes:
        game: The game's own id.
        throw: Its number.
        players: Who disputes it.
        wall: When the first did, wall time of the table.
        pictures: Hash, kind, side and stamp of each picture, in the order in which they are looked at.
        first: Side to the dice as they were read at the table.
        again: What was read again: side, dice, and whether that is the same.
        settled: How it ended, or None.
    """

    game: str
    throw: int
    players: list[str] = field(default_factory=list)
    wall: str = ""
    pictures: tuple[Mapping[str, Any], ...] = ()
    first: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    again: list[dict[str, Any]] = field(default_factory=list)
    settled: str | None = None


class Doubts:
    """The disputed throws of one journal, built record by record."""

    def __init__(self) -> None:
        self.all: list[Doubt] = []
        self._game = ""
        self._dice: dict[int, dict[str, list[dict[str, Any]]]] = {}

    def take(self, record: Record) -> None:
        """Take in the next record.

        Raises:
            KeyError, TypeError, ValueError: A record of a known type whose data is not as expected.
        """
        data = record.data
        match record.type:
            case "table.opened":
                self._game, self._dice = str(data["game"]), {}
            case "dice.settled":
                self._dice.setdefault(int(data["throw"]), {})[str(data["side"])] = _dice(data["dice"])
            case "throw.disputed":
                self._disputed(record)
            case "throw.read_again":
                found = self.of(int(data["throw"]))
                if found is not None:
                    told = {"side": str(data["side"]), "same": bool(data["same"]), "dice": _dice(data["dice"])}
                    found.again.append(told)
            case "dispute.settled":
                found = self.of(int(data["throw"]))
                if found is not None:
                    found.settled = str(data["reason"])

    def of(self, throw: int) -> Doubt | None:
        """The newest dispute about a throw of the running game."""
        mine = (doubt for doubt in reversed(self.all) if doubt.game == self._game and doubt.throw == throw)
        return next(mine, None)

    def wanted(self) -> Iterator[str]:
        """Hashes of all pictures, those that say most first; open disputes before settled ones."""
        doubts = sorted(self.all, key=lambda doubt: doubt.settled is not None)
        for kind in _KINDS:
            yield from (str(one["evidence"]) for doubt in doubts for one in doubt.pictures if one["kind"] == kind)

    def _disputed(self, record: Record) -> None:
        data = record.data
        throw = int(data["throw"])
        found = self.of(throw)
        if found is None or found.settled is not None:
            found = Doubt(game=self._game, throw=throw, wall=record.wall, first=dict(self._dice.get(throw, {})))
            self.all.append(found)
        found.players.append(str(data["player"]))
        found.pictures = tuple(_picture(one) for one in data["pictures"])


def _dice(told: Any) -> list[dict[str, Any]]:
    return [{"value": die["value"], "verdict": str(die.get("verdict", ""))} for die in told]


def _picture(told: Mapping[str, Any]) -> dict[str, Any]:
    name = str(told["evidence"])
    if len(name) != 64 or not set(name) <= set("0123456789abcdef"):
        raise ValueError(f"{name!r} is no hash of a picture")
    kind = str(told["kind"])
    return {"evidence": name, "kind": kind, "side": told.get("side"), "at_ns": told.get("at_ns")}


def doubts_view(doubts: Doubts, names: Mapping[str, str], here: Collection[str]) -> list[dict[str, Any]]:
    """The disputes of a table as plain data, newest first.

    Args:
        doubts: What the records say.
        names: Player to name.
        here: Hashes of the pictures that the hub has.
    """
    return [
        {
            "game": doubt.game,
            "throw": doubt.throw,
            "players": [names.get(player, player) for player in doubt.players],
            "wall": doubt.wall,
            "settled": doubt.settled,
            "first": dict(doubt.first),
            "again": list(doubt.again),
            "same": all(one["same"] for one in doubt.again) if doubt.again else None,
            "pictures": [{**picture, "here": picture["evidence"] in here} for picture in doubt.pictures],
            "missing": sum(picture["evidence"] not in here for picture in doubt.pictures),
        }
        for doubt in reversed(doubts.all)
    ]


class Pictures:
    """Fetches the pictures of disputes from one table and keeps them.

    Args:
        store: Where they go; shared by all tables.
    """

    def __init__(self, store: Evidence) -> None:
        self._store = store
        self._gone: set[str] = set()

    async def fetch(self, doubts: Doubts, client: TableClient) -> int:
        """Fetch what is not here yet; tells how many pictures came.

        Raises:
            PeerError: The table does not answer.
        """
        here = await asyncio.to_thread(self._store.names)
        missing = [name for name in dict.fromkeys(doubts.wanted()) if name not in here and name not in self._gone]
        came = 0
        for name in missing[:AT_ONCE]:
            came += await self._fetch(name, client)
        return came

    async def _fetch(self, name: str, client: TableClient) -> bool:
        try:
            picture = await client.evidence(name)
        except Problem as problem:
            if problem.status == _NOT_FOUND:
                # The table has it no more: nobody asks again, and the page says that it is missing.
                self._gone.add(name)
            _log.info("picture of a dispute is gone", picture=name, why=problem.message)
            return False
        if hashlib.sha256(picture).hexdigest() != name:
            self._gone.add(name)
            _log.warning("a table sent another picture than its record names", picture=name)
            return False
        try:
            await asyncio.to_thread(self._store.put, picture)
        except EvidenceError as error:
            _log.error("picture of a dispute not kept", picture=name, why=str(error))
            return False
        return True
