"""The table's API over HTTP, on the Unix socket for the screen and on TCP for the hub: docs/api.md.

Who asks comes from the connection: whoever reaches the socket is the screen, a PIN raises the screen to referee for one
command, and TCP is the hub. Everything that goes wrong leaves as the one error body of `lan.problems`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from aiohttp import web
from aiohttp_sse import sse_response

from companion.hw.clock import boot_ns
from companion.journal import Evidence, EvidenceError, JournalError, PrivateNotes
from companion.journal.errors import RecordRefused
from companion.lan.boxes import BoxUnreadable
from companion.lan.problems import Problem, problems
from companion.rules.errors import RulesError
from companion.rules.reason import Reason
from companion.session.errors import NotNow, NotYours, Refused, SessionError
from companion.session.looking import FILLED, LOOKED
from companion.session.transitions import MAY, PLAYED, Asker
from companion.session.wire import MalformedCommand, command_from
from companion.table.asked import AskedBefore, IdReused, id_at_door
from companion.table.checks import PanelChecks, add_checks
from companion.table.first_pin import add_pin, must_be_chosen
from companion.table.heart import wall_text
from companion.table.lengths import add_key, prepared
from companion.table.looking import Looking
from companion.table.pins import PinError, RefereePin
from companion.table.roster import check_names, put_names, with_ids
from companion.table.service import TableService
from companion.table.view import Surroundings, table_view
from companion.table.visits import HubVisits
from companion.words import LANGUAGES, UnknownLanguage, Words

LIVE_EVERY_S = 0.5
MAX_BODY_BYTES = 128 * 1024

_LOOK_FIRST = frozenset(
    {
        "correct_die", "accept_throw", "annul_throw", "enter_dice", "end_turn", "declare_out", "reinstate_player",
        "withdraw_claim",
        "confirm_board", "reopen_board", "sign_result", "dispute_result", "rule_result", "close_table",
        "propose_correction", "undo", "tell_rebels", "stop_attack", "return_player", "amend_throw", "amend_turn",
        "amend_outs", "amend_claim", "rule_signal", "rule_played_on", "change_result",
    }
)  # fmt: skip
"""Commands that answer what somebody saw: if the table moved on since, they must look again."""

_NO_MOVE = LOOKED | {"service.noted", "clock.stepped", "referee.called", "referee.dismissed", "rig.opened"}
"""Facts after which what somebody saw is still what is there."""

_FAR_BEHIND = 100
"""Records after which nobody asks any more what they were."""

_STATUS = {
    "malformed-command": 400,
    "not-now": 409,
    "only-finishing": 409,
    "not-yours": 403,
    "pin-wrong": 403,
    "pin-not-set": 403,
    "pin-too-late": 409,
    "pin-too-soon": 429,
}


class Ask(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `POST /v1/commands`."""

    id: str
    command: str
    args: dict[str, Any] = {}
    expected_seq: int | None = None
    pin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the API serves from.

    Attributes:
        service: The one writer.
        private: Names beside the chain.
        asked: What was asked under which id.
        evidence: Pictures.
        pin: The referee's PIN.
        health: The health page's items, made anew at each call.
        is_rolling: Whether dice are moving.
        live: The newest rectified picture as JPEG, or None.
        checks: What people may try out on the panel.
        visits: When the hub was here.
        looking: Calibration, disputes and second readings.
        dice: Colour of each side's dice, for those that people enter.
        lang: Language of sentences where a client names none.
        scale: Game seconds per real second of the games that are opened here; other than 1 only in a demonstration.
    """

    service: TableService
    private: PrivateNotes
    asked: AskedBefore
    evidence: Evidence
    pin: RefereePin
    health: Callable[[], tuple[Mapping[str, Any], ...]]
    is_rolling: Callable[[], bool]
    live: Callable[[], bytes | None]
    checks: PanelChecks
    visits: HubVisits
    looking: Looking
    dice: Mapping[str, str]
    lang: str
    scale: float = 1.0


DESK = web.AppKey("desk", Desk)
ASKER = web.AppKey("asker", str)


def table_app(desk: Desk, asker: Asker) -> web.Application:
    """The API for one kind of connection."""
    app = web.Application(middlewares=[problems, _own_errors], client_max_size=MAX_BODY_BYTES)
    app[DESK] = desk
    app[ASKER] = asker
    app.add_routes(
        [
            web.get("/v1/state", _state),
            web.get("/v1/events", _events),
            web.get("/v1/journal", _journal),
            web.post("/v1/commands", _commands),
            web.get("/v1/draft", _draft),
            web.put("/v1/draft", _put_draft),
            web.get("/v1/evidence/{hash}", _evidence),
            web.get("/v1/live.jpg", _live),
        ]
    )
    add_key(app, desk.service)
    add_pin(app, desk.pin, desk.service, may_choose=asker != "hub")
    if asker != "hub":
        add_checks(app, desk.checks, pin=desk.pin, is_playing=lambda: desk.service.state.phase in PLAYED)
    return desk.visits.noticing(app) if asker == "hub" else app


def _asker(request: web.Request) -> Asker:
    return "hub" if request.app[ASKER] == "hub" else "screen"


@web.middleware
async def _own_errors(request: web.Request, handler: Any) -> web.StreamResponse:
    """Refusals of session, rules, journal and PIN as problems."""
    try:
        answer: web.StreamResponse = await handler(request)
    except Refused as error:
        raise Problem(error.problem, str(error), error.values, status=422) from error
    except (SessionError, PinError) as error:
        raise Problem(error.code, str(error), error.values, status=_STATUS.get(error.code, 422)) from error
    except RulesError as error:
        raise Problem(error.code, str(error), error.values, status=422) from error
    except BoxUnreadable as error:
        raise Problem(error.code, str(error), {}, status=422) from error
    except IdReused as error:
        raise Problem(error.code, str(error), error.values, status=409) from error
    except RecordRefused as error:
        raise Problem(error.code, str(error), error.values, status=413) from error
    except EvidenceError as error:
        raise Problem(error.code, str(error), error.values, status=404) from error
    except JournalError as error:
        raise Problem(error.code, str(error), error.values, status=507) from error
    return answer


def _body(raw: bytes, shape: type[Any]) -> Any:
    try:
        return msgspec.json.decode(raw, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Problem("malformed-body", f"the body is not as documented: {error}", {}, status=400) from error
    except RecursionError as error:
        raise Problem("malformed-body", "the body is nested too deep", {}, status=400) from error


def _words(request: web.Request) -> Words:
    desk = request.app[DESK]
    try:
        return Words(request.query.get("lang") or desk.lang, desk.private.names())
    except UnknownLanguage as error:
        raise Problem(error.code, str(error), {"known": list(LANGUAGES)}, status=400) from error


def _say(words: Words) -> Callable[[Reason], str]:
    return lambda reason: words.reason({"code": reason.code, "clause": reason.clause, "values": dict(reason.values)})


def surroundings(desk: Desk, asker: Asker, words: Words) -> Surroundings:
    """What a view needs beyond the state, as it is now."""
    return Surroundings(
        seq=desk.service.seq,
        now_ns=boot_ns(),
        wall=wall_text(),
        table=desk.service.table_id,
        names=desk.private.names(),
        health=desk.health(),
        is_rolling=desk.is_rolling(),
        pin_is_set=desk.pin.is_set,
        asker=asker,
        ruleset=desk.service.ruleset,
        say=_say(words),
        notes=tuple({**note, "said": words.event(note)} for note in desk.service.notes.newest()),
        panel=desk.checks.told(),
        dice=desk.dice,
    )


async def _state(request: web.Request) -> web.Response:
    desk = request.app[DESK]
    view = table_view(desk.service.state, surroundings(desk, _asker(request), _words(request)))
    return _json(view)


def _json(value: Any) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), content_type="application/json")


async def _events(request: web.Request) -> web.StreamResponse:
    desk = request.app[DESK]
    words, asker = _words(request), _asker(request)
    changed = desk.service.listen()
    seen = -1
    response: web.StreamResponse
    async with sse_response(request) as stream:
        response = stream
        try:
            while stream.is_connected():
                if desk.service.seq != seen:
                    seen = desk.service.seq
                    await stream.send(msgspec.json.encode({"seq": seen}).decode(), event="seq")
                around = surroundings(desk, asker, words)
                view = table_view(desk.service.state, around)
                step = view["throw"] and view["throw"]["state"]
                live = {"seq": view["seq"], "clock": view["clock"], "throw_state": step}
                await stream.send(msgspec.json.encode(live).decode(), event="live")
                changed.clear()
                try:
                    await asyncio.wait_for(changed.wait(), LIVE_EVERY_S)
                except TimeoutError:
                    continue
        except ConnectionResetError:
            # The client went away between two messages: nothing is owed to it.
            return response
        finally:
            desk.service.unlisten(changed)
    return response


def _number(request: web.Request, name: str, default: int, most: int) -> int:
    text = request.query.get(name, str(default))
    if not text.isdecimal() or len(text) > len(str(most)) or int(text) > most:
        raise Problem(
            "bad-number", f"{name} must be a whole number up to {most}, got {text[:20]!r}", {"name": name}, status=400
        )
    return int(text)


async def _journal(request: web.Request) -> web.Response:
    service = request.app[DESK].service
    after = _number(request, "after", 0, 2**53)
    limit = _number(request, "limit", 1000, 5000)
    records = service.journal.after(after, limit)
    body = b"".join(msgspec.json.encode(record.as_json()) + b"\n" for record in records)
    headers = {"X-Journal-Head": str(service.seq), "X-Journal-Table": service.table_id}
    return web.Response(body=body, content_type="application/x-ndjson", headers=headers)


async def _commands(request: web.Request) -> web.Response:
    desk = request.app[DESK]
    ask: Ask = _body(await request.read(), Ask)
    ask.id = id_at_door(_asker(request), ask.id)
    asker = _raised(desk, _asker(request), ask)
    # A signal that sounded before this was asked is ruled before this is decided.
    await desk.service.tijd.ruled()
    known = desk.service.journal.seqs_of(ask.id)
    if known is not None:
        desk.asked.check(ask.id, ask.command, ask.args)
        return _answer(desk, known)
    if ask.expected_seq is not None and ask.command in _LOOK_FIRST and _moved_on(desk, ask.expected_seq):
        raise Problem(
            "moved-on",
            f"the table moved on since you looked (record {desk.service.seq}, not {ask.expected_seq}): look again",
            {"expected_seq": ask.expected_seq, "seq": desk.service.seq},
            status=409,
        )
    if ask.command == "sound_tijd":
        return _answer(desk, await _sound_tijd(desk, asker, ask))
    if ask.command in FILLED:
        note = partial(desk.asked.note, ask.id, ask.command, ask.args)
        return _answer(desk, await desk.looking.carry_out(ask.command, ask.args, asker, command_id=ask.id, beside=note))
    if ask.command == "start_game":
        must_be_chosen(desk.pin, desk.service)
    args = _arguments(desk, ask)
    asked = command_from(ask.command, args)
    command, received = prepared(desk.service, asked, asker, hub_away_ms=desk.visits.away_ms)

    def beside() -> None:
        desk.asked.note(ask.id, ask.command, ask.args)
        if ask.command == "set_up_table":
            put_names(desk.private, ask.args, args)

    seqs = desk.service.carry_out(command, asker, command_id=ask.id, beside=beside, received=received)
    return _answer(desk, seqs)


def _moved_on(desk: Desk, seen: int) -> bool:
    """Whether something that people look at happened behind the record `seen`."""
    service = desk.service
    if seen > service.seq or service.seq - seen > _FAR_BEHIND:
        return True
    return any(record.type not in _NO_MOVE for record in service.journal.after(seen, _FAR_BEHIND))


def _arguments(desk: Desk, ask: Ask) -> Mapping[str, Any]:
    """The command's arguments: a set-up names players by id, and its pace is the rig's own."""
    if ask.command != "set_up_table":
        return ask.args
    args = with_ids(ask.args)
    if "scale" in args:
        raise MalformedCommand("the clock's scale is configuration, not part of a set-up", command=ask.command)
    check_names(ask.args)
    return {"table": desk.service.table_id, **args, "scale": desk.scale}


def _raised(desk: Desk, asker: Asker, ask: Ask) -> Asker:
    """The asker, raised to referee where a right PIN came along."""
    if asker != "screen" or ask.pin is None:
        return asker
    desk.pin.check(ask.pin, boot_ns())
    return "referee"


async def _sound_tijd(desk: Desk, asker: Asker, ask: Ask) -> tuple[int, ...]:
    row = MAY["sound_tijd"]
    service = desk.service
    if asker not in row.askers:
        raise NotYours(f"sound_tijd is for: {', '.join(sorted(row.askers))}, not for: {asker}", command=ask.command)
    if service.state.phase not in row.phases:
        raise NotNow(
            f"sound_tijd is not possible while the table is {service.state.phase.value}",
            command=ask.command,
            phase=service.state.phase.value,
        )
    if ask.args:
        raise MalformedCommand("sound_tijd takes no arguments", command=ask.command)
    if service.state.tijd is not None:
        raise NotNow("the signal was given already", command=ask.command, phase=service.state.phase.value)
    source = "organiser" if asker == "hub" else "referee"
    return await service.tijd.signal(
        source,
        service.tijd.sound_now(),
        by=asker,
        command_id=ask.id,
        beside=lambda: desk.asked.note(ask.id, ask.command, ask.args),
    )


def _answer(desk: Desk, seqs: tuple[int, ...]) -> web.Response:
    return _json({"seq": desk.service.seq, "events": list(seqs)})


async def _draft(request: web.Request) -> web.Response:
    return _json(request.app[DESK].service.journal.draft() or {})


async def _put_draft(request: web.Request) -> web.Response:
    if _asker(request) != "screen":
        raise Problem("not-yours", "the board is typed at the table's own screen", {}, status=403)
    draft = _body(await request.read(), dict[str, Any])
    request.app[DESK].service.journal.put_draft(draft)
    return _json({})


async def _evidence(request: web.Request) -> web.Response:
    picture = request.app[DESK].evidence.get(request.match_info["hash"])
    return web.Response(body=picture, content_type="image/jpeg")


async def _live(request: web.Request) -> web.Response:
    picture = request.app[DESK].live()
    if picture is None:
        raise Problem("no-picture", "the camera shows nothing now", {}, status=404)
    return web.Response(body=picture, content_type="image/jpeg", headers={"Cache-Control": "no-store"})
