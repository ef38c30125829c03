"""Players as a set-up names them: ids go into the facts, names lie beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.journal import Person, PrivateNotes
from companion.session.wire import MalformedCommand

MOST_LETTERS = 60
"""Longest name: a double surname with both first names."""


def with_ids(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a set-up with `players` as ids alone.

    A player is `{"id": .., "name": ..}`, a bare id, or a name without an id, which gets one: p1, p2, and so on.

    Raises:
        MalformedCommand: A player is none of these.
    """
    players = args.get("players")
    if not isinstance(players, list):
        raise MalformedCommand("set_up_table needs players: a list", command="set_up_table")
    ids: list[str] = []
    for number, player in enumerate(players, 1):
        found = player.get("id") or f"p{number}" if isinstance(player, dict) else player
        if not isinstance(found, str) or not found.strip():
            raise MalformedCommand(f"player {number} is neither an id nor {{id, name}}", command="set_up_table")
        strange = sorted(player.keys() - {"id", "name"}) if isinstance(player, dict) else []
        if strange:
            raise MalformedCommand(f"player {number} has an id and a name, not {strange}", command="set_up_table")
        ids.append(found)
    return {**args, "players": ids}


def check_names(args: Mapping[str, Any]) -> None:
    """Refuse a set-up with a name that can't be shown.

    Raises:
        MalformedCommand: A name is no text, too long, or has signs that nobody can read.
    """
    for player in args["players"]:
        name = player.get("name", "?") if isinstance(player, dict) else player
        if not isinstance(name, str) or not 1 <= len(name.strip()) <= MOST_LETTERS or not name.strip().isprintable():
            raise MalformedCommand(
                f"a player's name has 1 to {MOST_LETTERS} characters on one line", command="set_up_table"
            )


def put_names(private: PrivateNotes, args: Mapping[str, Any], with_player_ids: Mapping[str, Any]) -> None:
    """Note the names that came with a set-up, once `check_names` has passed them."""
    people: dict[str, Person] = {}
    for player, identity in zip(args["players"], with_player_ids["players"], strict=True):
        name = player.get("name", identity) if isinstance(player, dict) else identity
        people[identity] = Person(name=name.strip())
    private.put(people)
