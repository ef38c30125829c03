"""Which tables a hall's start may reach: ready, with the same game, and with a key that people confirmed.

Theory. A letter can be opened by whoever owns the key to which it is written, so the hub writes to no key that nobody
has compared with what the table itself says. A key is confirmed for a table at an address; who answers at another
address, or with another key, is a stranger until the director has said otherwise.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.hub.asking import ANSWER_WITHIN_S, Asking
from companion.hub.hall import Contact, Hall
from companion.hub.lengths import LengthStore
from companion.lan.boxes import fingerprint
from companion.lan.client import TableClient
from companion.lan.errors import PeerError
from companion.lan.problems import Problem
from companion.rules.clock import check_length, length_of_chance, secret_length
from companion.rules.ruleset import Ruleset, load_ruleset

_NOT_SET_UP = ("idle", "playing", "finishing", "frozen", "scored", "closed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What may be started.

    Attributes:
        views: Table to its state.
        turns: Table to what the letter to it must be about.
        late: Table or address to why it can't be started with them.
    """

    views: Mapping[str, Mapping[str, Any]]
    turns: Mapping[str, str]
    late: Mapping[str, str]


class Starting:
    """Finds out which tables may be started.

    Args:
        hall: What the hub knows of its tables.
        asking: Speaks with them.
        store: Keeps the keys that people confirmed.
    """

    def __init__(self, hall: Hall, asking: Asking, store: LengthStore) -> None:
        self._hall = hall
        self._asking = asking
        self._store = store

    async def ready(self, wanted: tuple[str, ...], *, trust_new: bool) -> Ready:
        """The tables that are to be started, or all that are ready.

        Args:
            wanted: Tables that the director named; all unless named.
            trust_new: Whether a key that was never seen is taken as confirmed.

        Raises:
            Problem: A named table can't be started, or none can.
            PeerError: A named table does not answer.
        """
        contacts = {contact.table: contact for contact in self._hall.contacts.values() if contact.table is not None}
        strange = sorted(set(wanted) - contacts.keys())
        if strange:
            raise Problem("no-such-table", f"no table {', '.join(strange)} was heard", {"tables": strange})
        names = wanted or tuple(sorted(contacts))
        found = await asyncio.gather(*(self._look(table, trust_new=trust_new) for table in names))
        late: dict[str, str] = {}
        views: dict[str, Mapping[str, Any]] = {}
        turns: dict[str, str] = {}
        for table, told in zip(names, found, strict=True):
            if isinstance(told, tuple):
                views[table], turns[table] = told
            elif wanted:
                raise told
            elif not (isinstance(told, Problem) and told.values.get("phase") in _NOT_SET_UP):
                late[table] = str(told)
        late |= {one.address: _unheard(one) for one in self._hall.contacts.values() if one.table is None and not wanted}
        if not views:
            whys = "".join(f"; {table}: {why}" for table, why in late.items())
            raise Problem(
                "no-table-ready",
                f"no table is ready: seat the players, bind the buttons and confirm the tables' keys first{whys}",
                {"late": late},
            )
        return Ready(views=views, turns=turns, late=late)

    async def trust(self, table: str) -> str:
        """Take a table's key as it is now, after people compared it; its fingerprint.

        Raises:
            PeerError: The table does not answer.
            Problem: It was never heard.
        """
        client = self._asking.client(table)
        key, _turn = await client.key()
        self._store.trust(table, key, str(client.address))
        return fingerprint(bytes.fromhex(key))

    async def _look(self, table: str, *, trust_new: bool) -> tuple[Mapping[str, Any], str] | PeerError | Problem:
        """A table's view and turn, or why it can't be started."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                client = self._asking.client(table)
                view = await client.state()
                if view.get("phase") != "ready":
                    return Problem(
                        "table-not-ready",
                        f"table {table} is not ready: it is {view.get('phase')}",
                        {"table": table, "phase": view.get("phase")},
                    )
                if client.address.socket is not None:
                    return Problem(
                        "table-on-socket",
                        f"table {table} is heard on its socket, where whoever asks is its screen and gives no length: "
                        "name its TCP address as a table in hub.toml, and the same as listen in its table.toml",
                        {"table": table},
                    )
                key, turn = await client.key()
                return self._stranger(table, client, key, trust_new=trust_new) or (view, turn)
        except TimeoutError:
            return Problem("unreachable", f"table {table} did not answer in time", {"table": table})
        except (PeerError, Problem) as error:
            return error

    def _stranger(self, table: str, client: TableClient, key: str, *, trust_new: bool) -> Problem | None:
        """Why nobody may write to who answers as this table; None where it is the table that people confirmed."""
        pinned, address = self._store.keys.get(table), str(client.address)
        if pinned is None and trust_new:
            self._store.trust(table, key, address)
            return None
        if pinned is not None and (pinned.key, pinned.address) == (key, address):
            return None
        shown = fingerprint(bytes.fromhex(key))
        what = "a key that nobody has confirmed" if pinned is None else "another key, or another address, than before"
        return Problem(
            "key-unknown" if pinned is None else "key-changed",
            f"table {table} at {address} has {what} ({shown}): compare it with what its health page shows, then: "
            f"companion clock trust {table}",
            {"table": table, "fingerprint": shown},
        )


def common(views: Mapping[str, Mapping[str, Any]]) -> tuple[Ruleset, str, float]:
    """Rules, phase and pace that all tables share.

    Raises:
        Problem: They don't share them, or their length is no secret.
    """
    shared = {_game_of(view) for view in views.values()}
    if len(shared) != 1:
        raise Problem(
            "different-games",
            "the ready tables do not play by the same rules, options and phase: name those that belong together",
            {"tables": list(views)},
        )
    (name, _hash, phase, scale), options = shared.pop(), next(iter(views.values()))["options"]
    rules = load_ruleset(name, options)
    if secret_length(rules) is None:
        raise Problem(
            "no-secret-here", f"the length of a game of {rules.system} is no secret", {"system": rules.system}
        )
    return rules, phase, scale


def minutes_for(chosen: int | None, phase: str, rules: Ruleset) -> int:
    """The length that was chosen, or one of chance.

    Raises:
        Problem: It lies outside the range of the phase.
    """
    if chosen is None:
        return length_of_chance(phase, secrets.randbits(128), ruleset=rules)
    if not check_length(phase, chosen, ruleset=rules).valid:
        raise Problem("length-not-allowed", "that length lies outside the range of the phase: choose another", {})
    return chosen


def _unheard(contact: Contact) -> str:
    return contact.trouble.message if contact.trouble is not None else f"{contact.address} was not heard yet"


def _game_of(view: Mapping[str, Any]) -> tuple[str, str, str, float]:
    """Ruleset, its hash, phase and pace of a table's game.

    Raises:
        Problem: The table tells them in another form.
    """
    match view:
        case {
            "ruleset": {"name": str(name), "hash": str(digest)},
            "tournament_phase": str(phase),
            "clock": {"scale": int(scale) | float(scale)},
        }:
            return name, digest, phase, scale
    raise Problem("not-a-table", "a table of another version is ready: install the same companion everywhere", {})
