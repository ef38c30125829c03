"""A table that speaks docs/api.md to the hub, with verbs for what happens at it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

from companion.journal import Head, NewRecord, Record
from companion.journal.lines import line_of
from companion.journal.records import START, chained
from companion.lan.events import Broadcast, ServerEvent
from companion.rules.ruleset import load_ruleset

SECOND_NS = 1_000_000_000


class FakeTable:
    """One table with a journal in memory.

    Args:
        table_id: Its own id.
        names: Player to name, as `GET /v1/state` gives them.
    """

    def __init__(self, table_id: str, names: Mapping[str, str] | None = None) -> None:
        self.table_id = table_id
        self.names = dict(names or {})
        self.now_ns = 100 * SECOND_NS
        self.clock: dict[str, Any] | None = None
        self.records: list[Record] = []
        self.pictures: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.boot = "boot-1"
        self.wall = "2026-11-29T20:15:00.000Z"
        self._game: str | None = None
        self._broadcast = Broadcast()
        self._runner: web.AppRunner | None = None

    async def serve(self, socket: Path) -> str:
        """Answer on a socket; gives the address for the hub."""
        app = web.Application()
        app.add_routes(
            [
                web.get("/v1/state", self._state),
                web.get("/v1/journal", self._journal),
                web.get("/v1/events", self._events),
                web.get("/v1/evidence/{name}", self._evidence),
            ]
        )
        self._runner = web.AppRunner(app, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.UnixSite(self._runner, str(socket)).start()
        return f"unix:{socket}"

    async def stop(self) -> None:
        """Go away, as a table that is switched off."""
        self._broadcast.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def note(self, kind: str, **data: Any) -> Record:
        """Write one fact a second after the one before, and nudge."""
        self.now_ns += SECOND_NS
        new = NewRecord(type=kind, v=1, by="screen", at_ns=self.now_ns, data=data)
        head = Head(seq=self.records[-1].seq, hash=self.records[-1].hash) if self.records else START
        record, _ = chained(new, head, boot=self.boot, wall=self.wall)
        self.records.append(record)
        self._broadcast.tell("seq", json.dumps({"seq": record.seq}))
        return record

    def open_game(self, *players: str, round: int = 1, system: str = "nl1996", **parts: Any) -> None:  # noqa: A002
        """Set up a game and start it."""
        self._game = str(parts.get("game", f"r{round}-t{self.table_id}"))
        opened = {
            "system": system,
            "ruleset_name": system,
            "ruleset_hash": load_ruleset(system).hash,
            "options": {},
            "tournament": "Risktoernooi",
            "round": round,
            "table": self.table_id,
            "game": self._game,
            "players": list(players),
            "length_ms": 5_400_000,
            "scale": 1.0,
        }
        self.note("table.opened", **(opened | parts))
        seats = [{"player": player, "seat": n, "order": n} for n, player in enumerate(players, 1)]
        self.note("seats.assigned", seats=seats)
        for player, colour in zip(players, ("red", "blue", "green", "yellow"), strict=False):
            self.note("colour.chosen", player=player, colour=colour)
        self.note("game.started")
        self.clock = {"running": True, "elapsed_ms": 0, "remaining_ms": 5_400_000, "scale": 1.0, "paused": None}

    def throw(self, number: int, player: str, attack: list[int], defence: list[int] | None = None) -> None:
        """A throw that was read and ruled, both sides."""
        for side, values in (("attack", attack), ("defence", defence or [])):
            if values:
                dice = [{"value": value} for value in values]
                self.note("dice.settled", throw=number, player=player, called=True, side=side, dice=dice)
                self.note("throw.ruled", throw=number, side=side, action="accept", counted=values)

    def score(self, results: Mapping[str, str], **parts: Any) -> None:
        """The signal, the frozen board and its score."""
        self.note("tijd.sounded", source="clock", elapsed_ms=5_400_000)
        self.note("board.frozen", why="tijd")
        order = list(results)
        places = []
        for place, (player, result) in enumerate(results.items(), 1):
            side, other = ("behind", order[place - 2]) if place > 1 else ("ahead", order[1 % len(order)])
            values = {"own": 20 - place, "other": 20 - place + (1 if place > 1 else -1), "other_player": other}
            reason = {"code": f"{side}-territories", "clause": "3.2b", "values": values}
            places.append({"player": player, "place": place, "result": result, "reason": reason})
        self.note("score.computed", **({"places": places, "unresolved": [], "at_stake": []} | parts))

    def close_game(self, results: Mapping[str, str]) -> None:
        """Score, signatures and the referee's close."""
        self.score(results)
        for player in results:
            self.note("result.signed", player=player)
        self.note("table.closed", results=dict(results))

    async def _state(self, request: web.Request) -> web.Response:
        self.asked.append("state")
        players = [{"id": player, "name": name} for player, name in self.names.items()]
        seq = self.records[-1].seq if self.records else 0
        state = {"seq": seq, "now_ns": self.now_ns, "game": self._game, "players": players, "clock": self.clock}
        return web.json_response(state)

    async def _journal(self, request: web.Request) -> web.Response:
        after, limit = int(request.query["after"]), int(request.query["limit"])
        self.asked.append(f"journal {after}")
        rest = [record for record in self.records if record.seq > after][:limit]
        headers = {
            "X-Journal-Table": self.table_id,
            "X-Journal-Head": str(self.records[-1].seq if self.records else 0),
        }
        return web.Response(text="".join(line_of(record) + "\n" for record in rest), headers=headers)

    async def _evidence(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        self.asked.append(f"evidence {name[:4]}")
        if name not in self.pictures:
            problem = {"problem": "evidence", "message": "there is no such picture", "values": {}}
            return web.json_response(problem, status=404)
        return web.Response(body=self.pictures[name], content_type="image/jpeg")

    async def _events(self, request: web.Request) -> web.StreamResponse:
        seq = self.records[-1].seq if self.records else 0
        return await self._broadcast.serve(request, ServerEvent("seq", json.dumps({"seq": seq})))
