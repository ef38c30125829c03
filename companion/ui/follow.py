"""Hearing the table: its state, its clock and its silence; asking it, and keeping the draft on its disk.

Theory: one task listens to the table's events. Each word from it, even one that says nothing new, moves `heard_s`; the
screen compares that with its own clock, so a table that hangs is seen to hang even while the socket stays open. A
question carries an id of its own and is asked again under the same id when the answer got lost, which the table takes
as one question.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec
import structlog

from companion.lan.client import TableClient
from companion.lan.errors import PeerError
from companion.lan.problems import Problem
from companion.ui.blocks import LIVE, Send
from companion.ui.clock import Link
from companion.ui.desk import CHECK, CHOOSE_PIN

log = structlog.get_logger(__name__)

AGAIN_S = 0.5
"""Pause before the screen looks for a table that does not answer."""

REFRESH_S = 3.0
"""Age from which the state is asked for even if no fact was added: the health of the parts is no fact."""

TRIES = 4
"""How often a question is asked when its answer gets lost."""


class ScreenClient(TableClient):
    """The client of the table's own screen, which alone may choose the first PIN."""

    async def choose_pin(self, pin: str) -> None:
        """Choose the referee's PIN of a table that has none."""
        await self._call("PUT", "/v1/pin", data=msgspec.json.encode({"pin": pin}))

    async def check(self, args: Mapping[str, Any], pin: str | None) -> None:
        """Try out a part of the panel, or say what came of it."""
        body = {**args, "pin": pin} if pin else dict(args)
        await self._call("POST", "/v1/checks", data=msgspec.json.encode(body))


class Ear(Protocol):
    """Who is told when something new was heard."""

    def on_state(self, state: Mapping[str, Any]) -> None:
        """A state that differs from the one before."""

    def on_link(self, link: Link) -> None:
        """The table spoke, or its clock moved."""


class Follower:
    """Keeps up with one table.

    Args:
        client: Speaks with the table.
        ear: Who is told.
        monotonic: Monotonic seconds; tests give their own.
    """

    def __init__(self, client: ScreenClient, ear: Ear, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._ear = ear
        self._monotonic = monotonic
        self._state_s = 0.0
        self._is_lost = False
        self._asking = asyncio.Lock()
        self.state: Mapping[str, Any] = {}
        self.link = Link()

    async def run(self) -> None:
        """Follow the table until cancelled; a table that is not there is looked for again and again."""
        while True:
            try:
                await self._follow()
            except (PeerError, Problem, msgspec.DecodeError) as error:
                self._lost(str(error))
            await asyncio.sleep(AGAIN_S)

    def _lost(self, why: str) -> None:
        """Once a loss, however often the table is then looked for."""
        if not self._is_lost:
            log.warning("table not heard", why=why)
        self._is_lost = True

    async def _follow(self) -> None:
        await self.refresh()
        async for event in self._client.events():
            told = msgspec.json.decode(event.data) if event.data else {}
            self._heard(told.get("clock"))
            if event.event == "live":
                self._live(told)
            moved = event.event == "seq" and told.get("seq") != self.state.get("seq")
            if moved or self._monotonic() - self._state_s > REFRESH_S:
                await self.refresh()

    async def refresh(self) -> None:
        """Ask for the whole state.

        Raises:
            PeerError: The table does not answer.
            Problem: The table refuses.
        """
        # One at a time: two answers on their way could overtake each other, and the older one would win.
        async with self._asking:
            state = await self._client.state()
            if self._is_lost:
                log.info("table heard again")
                self._is_lost = False
            self._state_s = self._monotonic()
            self._heard(state.get("clock"))
            self._tell(state)

    def _heard(self, clock: Mapping[str, Any] | None) -> None:
        now_s = self._monotonic()
        if clock is None:
            self.link = Link(heard_s=now_s, clock=self.link.clock, clock_s=self.link.clock_s)
        else:
            self.link = Link(heard_s=now_s, clock=clock, clock_s=now_s)
        self._ear.on_link(self.link)

    def _live(self, told: Mapping[str, Any]) -> None:
        """Dice that begin to roll are no fact yet, but the players see it happen."""
        throw, step = self.state.get("throw"), told.get("throw_state")
        # What was said before the newest state was asked for may be about the throw before.
        if throw and step and told.get("seq") == self.state.get("seq") and throw.get("state") != step:
            self._tell({**self.state, "throw": {**throw, "state": step}})

    def _tell(self, state: Mapping[str, Any]) -> None:
        self.state = state
        self._ear.on_state(state)

    async def ask(self, send: Send) -> Mapping[str, Any] | None:
        """Ask something of the table and hear the state that followed.

        Returns:
            None once the table took it, else the error body.
        """
        id_, seq = uuid.uuid4().hex, self.state.get("seq")
        tries = 0
        while True:
            tries += 1
            try:
                if send.command == CHOOSE_PIN:
                    await self._client.choose_pin(send.pin or "")
                elif send.command == CHECK:
                    await self._client.check(send.args, send.pin)
                else:
                    await self._client.command(id_, send.command, dict(send.args), expected_seq=seq, pin=send.pin)
                await self.refresh()
            except Problem as problem:
                return {"problem": problem.code, "message": problem.message, "values": problem.values}
            except PeerError as error:
                if tries == TRIES:
                    return {"problem": error.code, "message": str(error), "values": error.values}
                await asyncio.sleep(AGAIN_S)
            else:
                return None

    async def kept_draft(self) -> Mapping[str, Any]:
        """The draft on the table's disk.

        Raises:
            PeerError: The table does not answer.
            Problem: The table refuses.
        """
        return await self._client.draft()

    async def keep_draft(self, draft: Mapping[str, Any]) -> bool:
        """Put the draft on the table's disk; False when that failed and must be tried again."""
        try:
            await self._client.put_draft(dict(draft))
        except (PeerError, Problem) as error:
            log.warning("draft not kept", why=str(error))
            return False
        return True

    async def picture(self, evidence: str) -> bytes | None:
        """A picture by its hash, or what the camera sees now; None where the table has it not, or no more."""
        try:
            return await (self._client.live() if evidence == LIVE else self._client.evidence(evidence))
        except (PeerError, Problem) as error:
            log.info("picture not there", evidence=evidence, why=str(error))
            return None
