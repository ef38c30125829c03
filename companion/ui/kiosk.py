"""The screen without a window: presses in, `Screen` values out, and what has to go to the table on the way.

The window (`app`) draws what `screen` returns and hands presses to `press`; tests do the same.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

import structlog

from companion.lan.errors import PeerError
from companion.lan.problems import Problem
from companion.ui import presses
from companion.ui.blocks import Do, Screen, Send
from companion.ui.charts import atlas, board_of
from companion.ui.clock import Link
from companion.ui.desk import Desk, heard
from companion.ui.draft import Draft, from_json
from companion.ui.follow import AGAIN_S, Follower, ScreenClient
from companion.ui.model import view

log = structlog.get_logger(__name__)


KEEPS_DRAFT = frozenset({"finishing", "frozen"})
"""Phases in which something is typed, or was read, that must outlive this screen."""


class Kiosk:
    """One screen of one table.

    Args:
        client: Speaks with the table.
        lang: Language at start.
        monotonic: Monotonic seconds; tests give their own.

    Attributes:
        desk: The screen's own memory.
        follower: What is heard of the table.
    """

    def __init__(self, client: ScreenClient, *, lang: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.desk = Desk(lang=lang)
        self.follower = Follower(client, self, monotonic=monotonic)
        self._monotonic = monotonic
        self._group: asyncio.TaskGroup | None = None
        self._to_save = asyncio.Event()
        self._is_restoring = False

    async def run(self) -> None:
        """Follow the table and keep the draft safe, until cancelled.

        All that the screen does runs in one group: whatever fails there ends the screen, which is then started anew,
        instead of leaving it up with buttons that wait for an answer for ever.
        """
        async with asyncio.TaskGroup() as group:
            self._group = group
            group.create_task(self.follower.run())
            group.create_task(self._save())

    def screen(self) -> Screen:
        """What to show now."""
        return view(self.follower.state, self.desk, self.follower.link, self._monotonic())

    def press(self, does: Do | Send) -> None:
        """Do what a pressed block says; a screen that is not running yet has nobody to ask and does nothing."""
        if self._group is None:
            return
        step = presses.press(self.desk, does, may=self.follower.state.get("may") or ())
        self.desk = step.desk
        if step.save:
            self._to_save.set()
        if step.send is not None:
            self._start(self._ask(step.send))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        if self._group is None:
            work.close()
        else:
            self._group.create_task(work)

    async def _ask(self, send: Send) -> None:
        problem = await self.follower.ask(send)
        if problem is None:
            self.desk = presses.answered(self.desk)
        else:
            self.desk = presses.refused(self.desk, problem, self._monotonic())

    def on_state(self, state: Mapping[str, Any]) -> None:
        """A new state: drop what belonged to the phase before, and fetch the draft of a frozen board.

        It is asked for until somebody touches this screen: another one of the table may be the one that is typed on.
        """
        phase = str(state.get("phase"))
        self.desk = heard(self.desk, phase)
        game = str(state.get("game"))
        is_untouched = self.desk.draft == Draft() and self.desk.saved
        if phase in KEEPS_DRAFT and is_untouched and not self._is_restoring:
            self._is_restoring = True
            self._start(self._restore(game, self.desk.draft))

    def on_link(self, link: Link) -> None:
        """The table spoke; `screen` reads the link itself."""

    async def _restore(self, game: str, before: Draft) -> None:
        """Take back the draft that lies at the table, unless somebody touched the screen since that was decided.

        Args:
            game: The game whose draft it is.
            before: The untouched draft; what is pressed before this begins to run is a touch, too.
        """
        try:
            kept = await self.follower.kept_draft()
        except (PeerError, Problem) as error:
            log.warning("draft not read", why=str(error))
            return
        finally:
            self._is_restoring = False
        players = [player["id"] for player in self.follower.state.get("players") or ()]
        if self.desk.draft is before:
            self.desk = replace(self.desk, draft=from_json(kept, game, players, atlas(board_of(self.follower.state))))

    async def _save(self) -> None:
        while True:
            await self._to_save.wait()
            self._to_save.clear()
            draft = self.desk.draft
            if self.desk.phase not in KEEPS_DRAFT:
                continue
            kept = await self.follower.keep_draft(draft.to_json(str(self.follower.state.get("game"))))
            if kept and self.desk.draft == draft:
                self.desk = replace(self.desk, saved=True)
            elif not kept:
                self._to_save.set()
                await asyncio.sleep(AGAIN_S)
