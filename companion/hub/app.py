"""The hub's web page and its exports; it only shows, nothing can be changed through it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jinja2
import structlog
from aiohttp import web

from companion.hub.disputes import doubts_view
from companion.hub.hall import Hall
from companion.hub.ledger import Ledger
from companion.hub.sheets import results_csv, standings_csv
from companion.hub.texts import Texts, chosen_language
from companion.hub.views import LOSS_AFTER_MS, ages, hall_view, without_ages
from companion.journal import Evidence, EvidenceError
from companion.journal.lines import line_of
from companion.lan.events import Broadcast, ServerEvent
from companion.lan.problems import Problem, problems
from companion.words import LANGUAGES

log = structlog.get_logger(__name__)

PULSE_EVERY_S = 2.0
FASTEST_S = 0.25
"""However much happens, pages are told no more often than this."""

_HERE = Path(__file__).parent
_STATIC = {"hub.css": "text/css", "hub.js": "text/javascript", "die.svg": "image/svg+xml"}
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the pages are made from.

    Attributes:
        hall: What the hub knows.
        ledger: All records.
        lang: Language of a page whose reader asks for none.
        now_ns: Boot clock.
        broadcast: Tells open pages that something changed.
        templates: The pages.
        pictures: Pictures of disputes, or None where none are kept.
    """

    hall: Hall
    ledger: Ledger
    lang: str
    now_ns: Callable[[], int]
    broadcast: Broadcast
    templates: jinja2.Environment
    pictures: Evidence | None = None

    def view(self, tournament: str | None = None) -> dict[str, Any]:
        """Everything at this moment."""
        view = hall_view(self.hall, now_ns=self.now_ns(), now_wall=datetime.now(UTC), name=tournament)
        for one in view["tables"]:
            one["doubts"] = self.doubts(one["table"])
        return view

    def doubts(self, table: str) -> list[dict[str, Any]]:
        """The disputed throws of a table, newest first, with the pictures that are here."""
        doubts = self.hall.doubts(table)
        if not doubts.all:
            return []
        here = self.pictures.names() if self.pictures is not None else frozenset()
        return doubts_view(doubts, self.hall.names_in(table, doubts.all[-1].game), here)


DESK = web.AppKey("desk", Desk)


def hub_app(
    hall: Hall, ledger: Ledger, *, lang: str, now_ns: Callable[[], int], pictures: Evidence | None = None
) -> web.Application:
    """The hub's pages over what is in the hall."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals.update(
        age_text=age_text,
        clock_said=clock_said,
        short=short_seal,
        named=lambda players, names: [names.get(player, player) for player in players],
    )
    app = web.Application(middlewares=[problems])
    app[DESK] = Desk(
        hall=hall,
        ledger=ledger,
        lang=lang,
        now_ns=now_ns,
        broadcast=Broadcast(),
        templates=templates,
        pictures=pictures,
    )
    app.add_routes(
        [
            web.get("/", _page),
            web.get("/board", _board),
            web.get("/events", _events),
            web.get("/v1/tables", _tables),
            web.get("/export/standings.csv", _standings),
            web.get("/export/results.csv", _results),
            web.get("/export/journal/{table}/{chapter}.jsonl", _journal),
            web.get("/static/{name}", _static),
            web.get("/pictures/{name}.jpg", _picture),
            web.get("/dispute/{table}/{game}/{throw}", _dispute),
        ]
    )
    app.on_response_prepare.append(_with_headers)
    app.on_shutdown.append(_end_streams)
    app.cleanup_ctx.append(_telling)
    return app


def age_text(t: Texts, age_ms: int) -> str:
    """An age as people say it; hub.js says it the same way."""
    seconds = max(0, age_ms // 1000)
    if seconds < 120:
        return t.say("hub.ago-s", n=seconds)
    minutes = seconds // 60
    return t.say("hub.ago-min", n=minutes) if minutes < 120 else t.say("hub.ago-h", n=minutes // 60)


def short_seal(seal: str) -> str:
    """The first digits of a seal, as the table shows them."""
    return " ".join(seal[at : at + 4] for at in range(0, 16, 4))


def clock_text(shown_ms: int) -> str:
    """A clock as hub.js shows it: 1:29:59, 4:03."""
    seconds = max(0, shown_ms // 1000)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def clock_said(clock: Mapping[str, Any], t: Texts) -> str:
    """What stands in a table's clock: the time left, or the time played where the end is secret."""
    shown = clock_text(clock["shown_ms"])
    return shown if clock["is_public"] else t.say("hub.clock-secret", time=shown)


async def _with_headers(_request: web.Request, response: web.StreamResponse) -> None:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)


async def _end_streams(app: web.Application) -> None:
    app[DESK].broadcast.close()


async def _telling(app: web.Application) -> Any:
    task = asyncio.create_task(keep_telling(app[DESK]))
    task.add_done_callback(_note_failure)
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _note_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("open pages are no longer told what changes", exc_info=error)


async def keep_telling(desk: Desk) -> None:
    """Tell open pages what changed, and every two seconds how old things are; runs until cancelled."""
    change, end = desk.hall.watch()
    told = ""
    try:
        while True:
            view = desk.view()
            face = json.dumps(without_ages(view), sort_keys=True)
            if face != told:
                told = face
                desk.broadcast.tell("board", "{}")
            desk.broadcast.tell("pulse", json.dumps(ages(view)))
            await asyncio.sleep(FASTEST_S)
            try:
                async with asyncio.timeout(PULSE_EVERY_S - FASTEST_S):
                    await change.wait()
            except TimeoutError:
                continue
            finally:
                change.clear()
    finally:
        end()


async def _events(request: web.Request) -> web.StreamResponse:
    return await request.app[DESK].broadcast.serve(request, ServerEvent("board", "{}"))


async def _static(request: web.Request) -> web.Response:
    kind = _STATIC.get(request.match_info["name"])
    if kind is None:
        raise web.HTTPNotFound
    return web.Response(body=(_HERE / "static" / request.match_info["name"]).read_bytes(), content_type=kind)


async def _page(request: web.Request) -> web.Response:
    return _rendered(request, "page.html")


async def _board(request: web.Request) -> web.Response:
    return _rendered(request, "board.html")


async def _tables(request: web.Request) -> web.Response:
    return web.json_response(request.app[DESK].view(request.query.get("tournament")))


def _rendered(request: web.Request, template: str) -> web.Response:
    desk = request.app[DESK]
    lang = chosen_language(request.query.get("lang"), request.headers.get("Accept-Language", ""), desk.lang)
    chosen = request.query.get("tournament")
    view = desk.view(chosen)
    kept = {} if chosen is None else {"tournament": chosen}
    for one in view["tables"]:
        names = {player["id"]: player["name"] for player in one["game"]["players"]} if one["game"] else {}
        one["names"] = names
    found = view["tournament"]
    text = desk.templates.get_template(template).render(
        t=Texts(lang),
        view=view,
        closed=sum(one["phase"] == "closed" for one in view["tables"]),
        rulesets=[f"{one['name']} ({one['hash'][:8]})" for one in (found["rulesets"] if found else ())],
        query=f"?{urlencode({'lang': lang, **kept})}",
        export_query=f"?{urlencode(kept)}" if kept else "",
        languages=LANGUAGES,
        links={code: f"/?{urlencode({'lang': code, **kept})}" for code in LANGUAGES},
        loss_after_ms=LOSS_AFTER_MS,
    )
    return web.Response(text=text, content_type="text/html", headers={"Vary": "Accept-Language"})


async def _standings(request: web.Request) -> web.Response:
    return _sheet(standings_csv(request.app[DESK].view(request.query.get("tournament"))["tournament"]), "standings")


async def _results(request: web.Request) -> web.Response:
    return _sheet(results_csv(request.app[DESK].view(request.query.get("tournament"))["tournament"]), "results")


def _sheet(text: str, name: str) -> web.Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return web.Response(text=text, content_type="text/csv", headers=headers)


async def _picture(request: web.Request) -> web.Response:
    """A picture of a dispute by its hash."""
    pictures, name = request.app[DESK].pictures, request.match_info["name"]
    if pictures is None:
        raise Problem("evidence", "this hub keeps no pictures", {"hash": name}, status=404)
    try:
        body = await asyncio.to_thread(pictures.get, name)
    except EvidenceError as error:
        raise Problem(error.code, str(error), error.values, status=404) from error
    return web.Response(body=body, content_type="image/jpeg")


async def _dispute(request: web.Request) -> web.Response:
    """One disputed throw: both readings and every picture."""
    desk, table = request.app[DESK], request.match_info["table"]
    game, throw = request.match_info["game"], request.match_info["throw"]
    found = next((one for one in desk.doubts(table) if (one["game"], str(one["throw"])) == (game, throw)), None)
    if found is None:
        raise Problem(
            "no-such-dispute",
            f"nobody disputes throw {throw} of {game} at table {table!r}: the page lists what is disputed",
            {"table": table, "game": game, "throw": throw},
            status=404,
        )
    lang = chosen_language(request.query.get("lang"), request.headers.get("Accept-Language", ""), desk.lang)
    text = desk.templates.get_template("dispute.html").render(
        t=Texts(lang), one=found, table=table, query=f"?{urlencode({'lang': lang})}"
    )
    return web.Response(text=text, content_type="text/html", headers={"Vary": "Accept-Language"})


async def _journal(request: web.Request) -> web.Response:
    """A table's records as lines: what `companion journal restore` makes a table from."""
    desk, table, number = request.app[DESK], request.match_info["table"], request.match_info["chapter"]
    chapter = next((one for one in desk.hall.chapters(table) if str(one.number) == number), None)
    if chapter is None:
        raise Problem(
            "no-such-journal",
            f"nothing was collected from chapter {number} of table {table!r}: /v1/tables lists what there is",
            {"table": table, "chapter": number},
            status=404,
        )
    lines = [line_of(record) + "\n" async for record in desk.ledger.read(chapter)]
    return web.Response(text="".join(lines), content_type="application/x-ndjson")
