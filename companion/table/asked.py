"""What was asked under which id, so that an id that comes again means the same question.

Theory. The journal remembers ids of commands for ever and answers a repeated one with what it did then. A client that
numbers its questions and starts anew at one would so be told "done" for something that never happened. Beside each id
lies therefore a fingerprint of the question. It is a hint and not a fact: it is written before the facts, without
waiting for the disk, and losing it in a power cut only loses the check.

What the hub asks and what the screen asks are numbered apart: nobody at one door can use up an id of the other's, so
that a signal or a start of the hub's is never taken for something that was done before.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import structlog

from companion.lan.problems import Problem
from companion.session.transitions import Asker

HUB = "hub:"
"""Before the ids of what came in by the hub's door."""

_KEEP = 20_000
"""Questions of many evenings; older ones go."""

_log = structlog.get_logger()


class IdReused(ValueError):
    """An id was used before for something else.

    Attributes:
        code: Stable word for docs and translations.
        values: Offenders by name, for the sentence on the screen.
    """

    code: ClassVar[str] = "id-reused"

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message)
        self.values = values


class AskedBefore:
    """Fingerprints of questions by id, kept in a file of lines.

    Args:
        path: The file; made with the first question.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._prints = _read(path)
        if len(self._prints) > _KEEP:
            self._prints = dict(list(self._prints.items())[-_KEEP // 2 :])
            with contextlib.suppress(OSError):
                path.write_bytes(b"".join(_line(id_, mark) for id_, mark in self._prints.items()))

    def note(self, id_: str, command: str, args: Mapping[str, Any]) -> None:
        """Remember what an id asks for."""
        mark = fingerprint(command, args)
        self._prints[id_] = mark
        try:
            with self._path.open("ab") as file:
                file.write(_line(id_, mark))
        except OSError as error:
            _log.warning("question not noted", why=str(error))

    def check(self, id_: str, command: str, args: Mapping[str, Any]) -> None:
        """Pass if the id asked for the same before, or nobody knows what it asked for.

        Raises:
            IdReused: It asked for something else.
        """
        known = self._prints.get(id_)
        if known is not None and known != fingerprint(command, args):
            raise IdReused(
                f"id {id_!r} was used for another command before: nothing was done; ask again with a new id",
                id=id_,
                command=command,
            )


def id_at_door(asker: Asker, id_: str) -> str:
    """The id under which the journal keeps a question of that asker's door.

    Raises:
        Problem: It is none, or one of the other door's.
    """
    if not 1 <= len(id_) <= 100:
        raise Problem("bad-id", "a command's id has 1 to 100 characters", {"id": id_[:100]}, status=400)
    if asker == "hub":
        return HUB + id_
    if id_.startswith(HUB):
        raise Problem("bad-id", f"an id that begins with {HUB} is the hub's: ask with another", {"id": id_}, status=400)
    return id_


def fingerprint(command: str, args: Mapping[str, Any]) -> str:
    """A short mark of a question: the same for the same command with the same arguments in any order."""
    return hashlib.sha256(msgspec.json.encode([command, args], order="sorted")).hexdigest()[:16]


def _line(id_: str, mark: str) -> bytes:
    return msgspec.json.encode([id_, mark]) + b"\n"


def _read(path: Path) -> dict[str, str]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return {}
    prints: dict[str, str] = {}
    for line in lines:
        # A line that a power cut tore is worth nothing, and no more than a hint is lost with it.
        with contextlib.suppress(msgspec.MsgspecError):
            id_, mark = msgspec.json.decode(line, type=tuple[str, str])
            prints[id_] = mark
    return prints
