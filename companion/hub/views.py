"""What the page and `GET /v1/tables` show, as plain data: codes and values, no sentences.

Theory: the organiser's worst enemy is a green dot that is minutes old. So nothing here is shown without its age: when
the table was last heard, and how old its newest fact is. Both are ages in milliseconds at the moment of the view, by
the boot clock of the hub and the table's own, never differences of wall clocks where that can be helped; the page
lets them run on by itself, also when it no longer hears the hub.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from companion.hub.folding import Game, TableFold
from companion.hub.hall import Contact, Hall, Trouble, natural
from companion.hub.tournament import Played, Tournament, tournament

LOSS_AFTER_MS = 10_000
"""A table, or a page, that heard nothing for longer is shown as out of touch."""

NS_PER_MS = 1_000_000


def hall_view(hall: Hall, *, now_ns: int, now_wall: datetime, name: str | None = None) -> dict[str, Any]:
    """Everything at one moment.

    Args:
        hall: What the hub knows.
        now_ns: Boot clock of the hub.
        now_wall: Wall clock of the hub, UTC; used only where no boot clock can tell an age.
        name: Which tournament; by default the one whose game was opened last.
    """
    played = hall.played()
    current = name if name is not None else _current(hall, played)
    tables = [table_view(hall, table, now_ns=now_ns, now_wall=now_wall) for table in hall.tables()]
    strangers = [_stranger(contact) for contact in hall.contacts.values() if _is_stranger(hall, contact)]
    return {
        "tournament": None if current is None else tournament_view(tournament(current, played, hall.names_in)),
        "tournaments": sorted({one.game.tournament for one in played}, key=natural),
        "tables": tables,
        "unheard": strangers,
        "addresses": len(hall.contacts),
    }


def table_view(hall: Hall, table: str, *, now_ns: int, now_wall: datetime) -> dict[str, Any]:
    """One table: its game, its newest throw, its clock and how old all that is."""
    contact, fold = hall.contact_of(table), hall.fold(table)
    game = fold.game if fold else None
    names = hall.names_in(table, game.game) if game else {}
    state = contact.state if contact and contact.state is not None else {}
    contact_age_ms = _contact_age_ms(contact, now_ns)
    return {
        "table": table,
        "label": game.table if game else table,
        "address": contact.address if contact else None,
        "seq": fold.last.seq if fold and fold.last else 0,
        "phase": game.phase if game else "idle",
        "game": _game_view(game, names) if game else None,
        "clock": _clock_view(state, contact, game, now_ns),
        "referee_called": fold.referee_called if fold else False,
        "contact_age_ms": contact_age_ms,
        "event_age_ms": _event_age_ms(fold, contact, now_ns, now_wall),
        "out_of_touch": contact_age_ms is None or contact_age_ms > LOSS_AFTER_MS,
        "trouble": trouble_view(contact.trouble) if contact and contact.trouble else None,
        "amiss": [trouble_view(trouble) for trouble in hall.amiss.get(table, ())],
        "chapters": [
            {"number": one.number, "why": one.why, "begun_wall": one.begun_wall, "records": one.head.seq}
            for one in hall.chapters(table)
        ],
        "unknown_records": fold.unknown if fold else 0,
        "oddities": [
            {"seq": odd.seq, "type": odd.type, "why": odd.why} for odd in (fold.oddities[-5:] if fold else ())
        ],
        "oddity_count": len(fold.oddities) if fold else 0,
    }


def ages(view: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a view that runs by itself, by table: for the page's pulse."""
    return {
        one["table"]: {
            "contact_age_ms": one["contact_age_ms"],
            "event_age_ms": one["event_age_ms"],
            "clock_ms": one["clock"]["shown_ms"] if one["clock"] else None,
        }
        for one in view["tables"]
    }


def without_ages(view: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a view that only changes when something happens."""
    tables = [
        {name: value for name, value in one.items() if name not in ("contact_age_ms", "event_age_ms", "clock")}
        | {"clock": one["clock"] and {k: v for k, v in one["clock"].items() if not k.endswith("_ms")}}
        for one in view["tables"]
    ]
    return {**view, "tables": tables}


def tournament_view(found: Tournament) -> dict[str, Any]:
    """A tournament's standings and results."""
    return {
        "name": found.name,
        "system": found.system,
        "rulesets": [{"name": name, "hash": digest} for name, digest in found.rulesets],
        "rounds": list(found.rounds),
        "standings": [
            {
                "place": one.rank.place,
                "key": one.person.key,
                "name": one.person.name,
                "results": list(one.results),
                "points": one.rank.points,
                "pluses": one.rank.pluses,
                "score": one.rank.score,
                "missed": list(one.missed),
                "decided_by": {
                    "code": one.rank.reason.code,
                    "clause": one.rank.reason.clause,
                    "values": dict(one.rank.reason.values),
                },
            }
            for one in found.standings
        ],
        "results": [
            {
                "round": one.round,
                "table": one.table,
                "game": one.game,
                "key": one.person.key,
                "name": one.person.name,
                "result": one.result,
                "ruled": one.ruled,
                "changed": one.changed,
                "score": one.score,
                "counts": one.counts,
                "scale": one.scale,
                "closed_wall": one.closed_wall,
            }
            for one in found.results
        ],
        "goes_on": _goes_on_view(found),
        "contradictions": [{"code": one.code, "values": dict(one.values)} for one in found.contradictions],
    }


def _goes_on_view(found: Tournament) -> dict[str, Any] | None:
    ahead = found.goes_on
    if ahead is None:
        return None
    names = {one.person.key: one.person.name for one in found.standings}
    return {
        "phase": ahead.phase,
        "players": [names[key] for key in ahead.players],
        "fished": ahead.fished,
        "unresolved": [names[key] for key in ahead.unresolved],
        "missing": ahead.missing,
    }


def _current(hall: Hall, played: tuple[Played, ...]) -> str | None:
    """The tournament of the newest game: by round, and among equals by the table heard last."""
    newest = [(fold.game, hall.contact_of(table)) for table in hall.tables() if (fold := hall.fold(table)) is not None]
    lively = [(contact.heard_ns or 0 if contact else 0, game) for game, contact in newest if game is not None]
    if lively:
        return max(lively, key=lambda one: (one[0], one[1].round))[1].tournament
    return played[-1].game.tournament if played else None


def _game_view(game: Game, names: Mapping[str, str]) -> dict[str, Any]:
    throw = game.throw
    places = {place["player"]: place for place in game.places}
    results = game.results or {}
    players = sorted(game.players, key=lambda player: (game.order.get(player, 99), player))
    return {
        "tournament": game.tournament,
        "round": game.round,
        "game": game.game,
        "system": game.system,
        "ruleset": {"name": game.ruleset[0], "hash": game.ruleset[1]},
        "scale": game.scale,
        "players": [
            {
                "id": player,
                "name": names.get(player, player),
                "colour": game.colours.get(player),
                "order": game.order.get(player),
                "signed": player in game.signed,
                "place": places[player]["place"] if player in places else None,
                "result": results.get(player, places[player]["result"] if player in places else None),
                "reason": places[player]["reason"] if player in places else None,
            }
            for player in players
        ],
        "throw": None
        if throw is None
        else {
            "number": throw.number,
            "player": throw.player,
            "called": throw.called,
            "state": throw.state,
            "sides": {
                side: {"action": action, "counted": list(counted)} for side, (action, counted) in throw.rulings.items()
            },
        },
        "throws": game.throws,
        "tijd": game.tijd,
        "seals": [
            {
                "seal": seal,
                "source": told.source,
                "hall": told.hall,
                "armed_by": told.armed_by,
                "lost": told.lost,
                "minutes": told.minutes,
                "text": told.text,
            }
            for seal, told in game.seals.items()
        ],
        "unresolved": [list(group) for group in game.unresolved],
        "disputed": None if game.disputed is None else {"player": game.disputed[0], "reason": game.disputed[1]},
        "ruling": game.ruling,
        "changed": game.changed,
    }


def _clock_view(
    state: Mapping[str, Any], contact: Contact | None, game: Game | None, now_ns: int
) -> dict[str, Any] | None:
    """The table's clock as it must stand now if it ran on since it was heard; None when nothing is known of it."""
    clock = state.get("clock")
    if contact is None or game is None or not isinstance(clock, Mapping) or state.get("game") != game.game:
        return None
    match clock:
        case {"running": bool(running), "elapsed_ms": int(elapsed_ms), "scale": int(scale) | float(scale)}:
            remaining_ms = clock.get("remaining_ms")
        case _:
            return None
    is_public = isinstance(remaining_ms, int)
    runs = running and game.phase == "playing"
    since_ms = (now_ns - contact.state_ns) // NS_PER_MS
    # Of a table out of touch nobody knows whether its clock still runs: it is shown as it was last heard.
    ran_ms = since_ms * scale if runs and since_ms <= LOSS_AFTER_MS else 0
    shown_ms = remaining_ms - ran_ms if isinstance(remaining_ms, int) else elapsed_ms + ran_ms
    return {
        "running": runs,
        "paused": isinstance(clock.get("paused"), Mapping),
        "is_public": is_public,
        "scale": scale,
        "shown_ms": max(0, int(shown_ms)),
    }


def _contact_age_ms(contact: Contact | None, now_ns: int) -> int | None:
    if contact is None or contact.heard_ns is None:
        return None
    return (now_ns - contact.heard_ns) // NS_PER_MS


def _event_age_ms(fold: TableFold | None, contact: Contact | None, now_ns: int, now_wall: datetime) -> int | None:
    last = fold.last if fold else None
    if last is None:
        return None
    state = contact.state if contact and contact.state is not None else {}
    table_now_ns = state.get("now_ns")
    if contact and state.get("seq") == last.seq and isinstance(table_now_ns, int) and table_now_ns >= last.at_ns:
        return (table_now_ns - last.at_ns + now_ns - contact.state_ns) // NS_PER_MS
    try:
        written = datetime.fromisoformat(last.wall)
    except ValueError:
        return None
    if written.tzinfo is None:
        return None
    return max(0, int((now_wall - written).total_seconds() * 1000))


def _is_stranger(hall: Hall, contact: Contact) -> bool:
    """Whether an address has no table of its own on the page."""
    return contact.table is None or hall.fold(contact.table) is None


def _stranger(contact: Contact) -> dict[str, Any]:
    trouble = trouble_view(contact.trouble) if contact.trouble else None
    return {"address": contact.address, "table": contact.table, "trouble": trouble}


def trouble_view(trouble: Trouble) -> dict[str, Any]:
    """What is amiss, with what a table answered where it refused something."""
    return {
        "code": trouble.code,
        "message": trouble.message,
        "values": {name: _plain(value) for name, value in trouble.values.items()},
        "because": trouble_view(trouble.because) if trouble.because else None,
    }


def _plain(value: Any) -> Any:
    """A value as JSON has it; what is none (an address, a path) as it is written."""
    return value if isinstance(value, str | int | float | bool | list | dict | None) else str(value)
