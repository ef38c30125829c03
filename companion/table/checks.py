"""Parts of the panel that people try out before a game, and the buzzer that they may silence.

A buzzer that clicks in the driver may be deaf on its wire: only people can say that they heard it. So a trial has two
steps: it sounds, and somebody says whether it was heard. What they said is noted, and stands on the health page until
the service starts anew. While a game runs nothing is tried out, since everything that sounds then is "tijd".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
from aiohttp import web

from companion.hw.clock import boot_ns
from companion.journal.schema import refusal
from companion.lan.problems import Problem
from companion.session import commands as c
from companion.table.health import Item, item
from companion.table.panel import TablePanel
from companion.table.pins import RefereePin


class Check(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `POST /v1/checks`."""

    check: Literal["buzzer", "lamps", "silent"]
    heard: bool | None = None
    on: bool | None = None
    pin: str | None = None


class PanelChecks:
    """What people may try out on one panel.

    Args:
        panel: Lamps and buzzer.
        mark: A file that is there while the buzzer is silenced; it outlives a power cut.
        note: Writes a note.
    """

    def __init__(self, panel: TablePanel, mark: Path, note: Callable[[c.Note], object]) -> None:
        self._panel = panel
        self._mark = mark
        self._note = note
        self._heard: bool | None = None
        panel.is_silent = mark.exists()

    @property
    def is_silent(self) -> bool:
        """Whether the buzzer is silenced."""
        return self._panel.is_silent

    def ask(self, check: Check, *, is_playing: bool, is_referee: bool) -> None:
        """Do what was asked.

        Args:
            check: What.
            is_playing: Whether a game runs.
            is_referee: Whether the referee asks.

        Raises:
            Problem: Not while a game runs; no buzzer; or only half a question.
            JournalError: The disk refuses.
        """
        match check:
            case Check(check="silent", on=bool(on)):
                if is_playing and not is_referee:
                    raise Problem("not-yours", "while a game runs only the referee silences the buzzer", {}, status=403)
                self._silence(on=on)
            case Check(check="buzzer", heard=bool(heard)):
                self._heard = heard
                self._note(c.Note(code="buzzer-heard" if heard else "buzzer-not-heard"))
            case Check(check="buzzer" | "lamps" as part):
                if is_playing:
                    raise Problem("check-in-game", "while a game runs nothing is tried out", {}, status=409)
                if part == "buzzer" and not self._panel.has_buzzer:
                    raise Problem(
                        "no-buzzer", "this table has no buzzer: lamps and screen give the signal", {}, status=422
                    )
                self._panel.try_out(part)
            case _:
                raise Problem("malformed-body", "check 'silent' needs on: true or false", {}, status=400)

    def told(self) -> Mapping[str, Any]:
        """What the screen is told of the panel: presses since the start, and what the buzzer may do."""
        return {"pressed": dict(self._panel.pressed), "buzzer": self._panel.has_buzzer, "silent": self.is_silent}

    def health(self) -> tuple[Item, ...]:
        """The buzzer's line."""
        if not self._panel.buttons():
            return ()
        if not self._panel.has_buzzer:
            return (item("buzzer", "ok", "none"),)
        if self.is_silent:
            return (item("buzzer", "warn", "silenced"),)
        if self._heard is None:
            return (item("buzzer", "ok", "untried"),)
        return (item("buzzer", "ok", "heard") if self._heard else item("buzzer", "fail", "not-heard"),)

    def _silence(self, *, on: bool) -> None:
        if on == self.is_silent:
            return
        self._note(c.Note(code="silent-on" if on else "silent-off"))
        try:
            if on:
                self._mark.touch()
            else:
                self._mark.unlink(missing_ok=True)
        except OSError as error:
            raise refusal(error, self._mark) from error
        self._panel.is_silent = on


def add_checks(app: web.Application, checks: PanelChecks, *, pin: RefereePin, is_playing: Callable[[], bool]) -> None:
    """`POST /v1/checks`, for the table's own screen."""

    async def ask(request: web.Request) -> web.Response:
        try:
            check = msgspec.json.decode(await request.read(), type=Check)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Problem("malformed-body", f"the body is not as documented: {error}", {}, status=400) from error
        if check.pin is not None:
            pin.check(check.pin, boot_ns())
        checks.ask(check, is_playing=is_playing(), is_referee=check.pin is not None)
        return web.json_response({})

    app.router.add_post("/v1/checks", ask)
