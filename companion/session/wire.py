"""Events and commands as JSON, and back.

An old journal opens for ever: each record carries its type and version, and a version that has since grown is lifted
step by step by `UPCASTS` before it becomes an event. A type or version that this program does not know is refused by
name; nothing is guessed and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import msgspec

from companion.session import commands, events
from companion.session.errors import SessionError

TYPES: dict[str, type[events.Event]] = {kind.wire: kind for kind in events.ALL_EVENTS}
_FIELDS = {kind: frozenset(f.name for f in fields(kind)) for kind in events.ALL_EVENTS}
COMMANDS: dict[str, type[commands.Command]] = {kind.name: kind for kind in commands.PEOPLE}

MOST_LETTERS = 500
"""Longest text of a command; what is longer was not typed at a table."""

UPCASTS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("clock.paused", 1): lambda data: {**data, "by_hall": False},
    ("table.opened", 1): lambda data: {**data, "phase": ""},
}
"""(wire name, old version) -> the data of the next version."""


class UnknownRecord(SessionError, ValueError):
    """A record that this program is too old, or too new, to understand."""

    code = "unknown-record"


class MalformedCommand(SessionError, ValueError):
    """A command whose name or arguments are not of the documented form."""

    code = "malformed-command"


def to_data(event: events.Event) -> dict[str, Any]:
    """The event's fields as JSON values, without its stamp (which the record carries)."""
    data: dict[str, Any] = msgspec.to_builtins(event)
    del data["at_ns"]
    return data


def from_record(kind: str, version: int, at_ns: int, data: Mapping[str, Any]) -> events.Event:
    """The event that a record holds.

    Args:
        kind: Wire name, such as "throw.ruled".
        version: Version of its meaning.
        at_ns: Stamp of the record, boot-clock ns.
        data: The event's fields.

    Raises:
        UnknownRecord: The type or version is not known here, or the fields are not its own.
    """
    found = TYPES.get(kind)
    if found is None:
        raise UnknownRecord(f"no event is called {kind!r}: the journal is from a newer version", kind=kind)
    body = dict(data)
    while version < found.version:
        step = UPCASTS.get((kind, version))
        if step is None:
            raise UnknownRecord(f"{kind!r} version {version} cannot be read any more", kind=kind, version=version)
        body, version = step(body), version + 1
    if version > found.version:
        raise UnknownRecord(
            f"{kind!r} version {version} is newer than version {found.version} here: update this program",
            kind=kind,
            version=version,
        )
    strange = body.keys() - _FIELDS[found]
    if strange:
        raise UnknownRecord(f"{kind!r} does not have {sorted(strange)}", kind=kind, fields=sorted(strange))
    try:
        return msgspec.convert({**body, "at_ns": at_ns}, found)
    except msgspec.ValidationError as error:
        raise UnknownRecord(f"{kind!r}: {error}", kind=kind) from error


def command_from(name: str, args: Mapping[str, Any]) -> commands.Command:
    """The command that a client sent.

    Raises:
        MalformedCommand: The name is unknown, an argument is missing, strange or of the wrong type.
    """
    found = COMMANDS.get(name)
    if found is None:
        raise MalformedCommand(f"no command is called {name!r}; known: {', '.join(sorted(COMMANDS))}", command=name)
    known = {f.name for f in fields(found)}
    strange = args.keys() - known
    if strange:
        raise MalformedCommand(
            f"{name} does not take {sorted(strange)}; it takes {sorted(known)}", command=name, fields=sorted(strange)
        )
    if not _are_short(args):
        raise MalformedCommand(f"{name}: a text has at most {MOST_LETTERS} letters", command=name, most=MOST_LETTERS)
    try:
        command = msgspec.convert(dict(args), found)
    except msgspec.ValidationError as error:
        raise MalformedCommand(f"{name}: {error}", command=name) from error
    lost = sorted(_lost(args, msgspec.to_builtins(command)))
    if lost:
        raise MalformedCommand(f"{name} does not take {lost}", command=name, fields=lost)
    return command


def _lost(sent: object, understood: object) -> set[str]:
    """Keys, at any depth, that were sent and not understood: a misspelt one would be taken for "not said"."""
    if isinstance(sent, Mapping) and isinstance(understood, Mapping):
        strange = {str(key) for key in sent.keys() - understood.keys()}
        return strange.union(*(_lost(sent[key], understood[key]) for key in sent.keys() & understood.keys()))
    if isinstance(sent, list | tuple) and isinstance(understood, list | tuple):
        return set().union(*(_lost(one, other) for one, other in zip(sent, understood, strict=True)))
    return set()


def _are_short(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= MOST_LETTERS
    if isinstance(value, Mapping):
        return all(_are_short(part) for pair in value.items() for part in pair)
    return all(_are_short(part) for part in value) if isinstance(value, list | tuple) else True
