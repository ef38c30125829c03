"""The API's part in the secret length: the table's key for the hub, and what a start or a reveal brings along."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
from aiohttp import web

from companion.hw.clock import boot_ns
from companion.lan.messages import Proof
from companion.lan.problems import Problem
from companion.rules.clock import secret_length, signal_comes_from
from companion.rules.ruleset import load_ruleset
from companion.session import commands as c
from companion.session.decide.tijd import wait_for_hall
from companion.session.errors import Refused
from companion.session.seal import Secret, seal_text
from companion.session.snapshot import SealState, TableState
from companion.session.transitions import Asker, Phase
from companion.table.service import TableService


def add_key(app: web.Application, service: TableService) -> None:
    """`GET /v1/key`: the key to which the hub encrypts; `GET /v1/proof`: how far the journal is, said by its owner."""

    async def key(_request: web.Request) -> web.Response:
        own = service.secrets.key
        told = {"table": service.table_id, "key": own.public.hex(), "fingerprint": own.fingerprint, "turn": own.turn()}
        return web.json_response(told)

    async def proof(request: web.Request) -> web.Response:
        asked = request.query.get("asked", "")
        head = service.journal.head()
        said = Proof(table=service.table_id, seq=head.seq, hash=head.hash, proof="")
        try:
            proved = msgspec.structs.replace(said, proof=service.secrets.key.answer(asked, said.said()))
        except ValueError:
            raise Problem("bad-question", "asked must be a public key in hexadecimal", {}, status=400) from None
        return web.json_response(msgspec.to_builtins(proved))

    app.router.add_get("/v1/key", key)
    app.router.add_get("/v1/proof", proof)


_HUB_GONE_MS = 10 * 60_000
"""A hub that was not here for so long is taken to be gone."""


def prepared(
    service: TableService, command: c.Command, asker: Asker, *, hub_away_ms: int
) -> tuple[c.Command, Secret | None]:
    """A command with what only the service can add to it, and the secret length that came with it.

    Args:
        service: The table.
        command: What is asked.
        asker: By whom.
        hub_away_ms: How long ago the hub was here.

    Raises:
        BoxUnreadable: The letter with the length is not for this table.
        Refused: The length may not be played, or may not be told yet; or an order of the hall comes too late.
    """
    state, rules = service.state, service.ruleset
    opened = state.opened
    if isinstance(command, c.SetUpTable) and asker != "hub":
        return with_own_length(command), None
    if isinstance(command, c.StartGame) and any(command.seal == one.seal for one in state.seals):
        raise Refused("seal-used", "a game was played by this length before: seal another one", seal=command.seal)
    if isinstance(command, c.StartGame) and asker == "hub" and state.phase is Phase.READY and opened and rules:
        if command.box is not None and command.seal is None:
            raise Refused("bad-seal", "the letter with a length comes without its seal: give both, or neither")
        if command.box is not None and not opened.phase:
            raise Refused(
                "no-secret-here", f"the length of a game of {rules.system} is no secret: start it without one"
            )
        return command, service.secrets.received(command, table=service.table_id, opened=opened, ruleset=rules)
    if isinstance(command, c.PauseClock | c.ResumeClock) and asker == "hub" and command.turn is not None:
        if not service.secrets.key.is_in_time(command.turn):
            raise Refused(
                "order-late", "this order of the hall was held up on its way: nothing was done; ask again and say so"
            )
        return command, None
    if isinstance(command, c.RevealTijd) and asker == "hub" and command.box is not None and command.seal is not None:
        told = service.secrets.key.reveal(command.box, table=service.table_id, seal=command.seal)
        return replace(command, minutes=told.minutes, salt=told.salt, box=None), None
    if isinstance(command, c.RevealTijd) and asker == "referee" and command.minutes is None:
        return _told_here(service, command, hub_away_ms), None
    return command, None


def _told_here(service: TableService, command: c.RevealTijd, hub_away_ms: int) -> c.RevealTijd:
    """A referee's reveal with what is kept here; not while the hub comes, which knows whether its hall still plays.

    The hall may have stood, or got time, after this table's end: nothing here would tell.

    Raises:
        Refused: The hub was here a moment ago.
    """
    state = service.state
    seal = command.seal if command.seal is not None else state.sealed.seal if state.sealed else ""
    found = next((one for one in state.seals if one.seal == seal), None)
    is_over = state.tijd is not None or state.phase is Phase.CLOSED
    if found is not None and found.revealed is None and (is_over or found.is_past):
        wait_for_hall(state, found, now_ns=boot_ns(), hub_gone_in_ms=_HUB_GONE_MS - hub_away_ms)
    return service.secrets.told(seal) or command


_OWN = {"secret_time": "random", "same_for_all_tables": False}


def with_own_length(command: c.SetUpTable) -> c.SetUpTable:
    """A set-up at the table itself, where the length is secret: nobody is there to give one, so the table draws it.

    What somebody chose otherwise stands: the organiser's signal, or the hall's for a table that is late.

    Raises:
        RulesetError: There are no such rules, or no such options.
    """
    rules, chosen = load_ruleset(command.system, command.options), command.options
    if secret_length(rules) is None or signal_comes_from(rules) == "organiser" or "late_table" in chosen:
        return command
    if any(name in chosen and rules.option(name) != value for name, value in _OWN.items()):
        return command
    return replace(command, options={**_OWN, **chosen})


def sealed_view(state: TableState) -> list[dict[str, Any]]:
    """The seals of this game, oldest first, with what was sealed as soon as everybody may know."""
    return [_one(sealed) for sealed in state.seals if not sealed.is_past]


def _one(sealed: SealState) -> dict[str, Any]:
    shown = sealed.revealed
    return {
        "seal": sealed.seal,
        "source": sealed.source,
        "hall": sealed.hall,
        "least_min": sealed.least_min,
        "most_min": sealed.most_min,
        "armed_by": sealed.armed_by,
        "lost": sealed.lost,
        "minutes": shown.minutes if shown else None,
        "salt": shown.salt if shown else None,
        "text": seal_text(shown.minutes, shown.salt) if shown else None,
    }
