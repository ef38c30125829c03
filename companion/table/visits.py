"""When the hub was last here: told on the health page, so that nobody trusts a collector that stopped coming."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiohttp import web

from companion.hw.clock import NS_PER_MS, NS_PER_S, boot_ns
from companion.lan.client import WALL_HEADER
from companion.table.health import Item, item

_MS_DIGITS = 14
MISSED_S = 120
"""A hub comes every few seconds; after this it is gone, or the network is."""


class HubVisits:
    """The hub's visits since the start.

    Args:
        is_expected: Whether this table is served to a hub at all.
        on_wall: Called with the hub's wall clock, ms since 1970, where a visit tells it.
    """

    def __init__(self, *, is_expected: bool, on_wall: Callable[[int], None] = lambda _ms: None) -> None:
        self._is_expected = is_expected
        self._on_wall = on_wall
        self._began_ns = boot_ns()
        self._last_ns: int | None = None

    def health(self) -> tuple[Item, ...]:
        """The hub's line; none at a table that no hub can reach."""
        if self._last_ns is None:
            return (item("hub", "ok", "not-yet"),) if self._is_expected else ()
        age_s = (boot_ns() - self._last_ns) // NS_PER_S
        return (
            item("hub", "warn" if age_s > MISSED_S else "ok", "unseen" if age_s > MISSED_S else "seen", age_s=age_s),
        )

    @property
    def away_ms(self) -> int:
        """How long ago the hub was here, as far as this start knows: it may have come just before it."""
        return (boot_ns() - (self._last_ns or self._began_ns)) // NS_PER_MS

    def came(self) -> None:
        """The hub is here."""
        self._last_ns = boot_ns()

    def noticing(self, app: web.Application) -> web.Application:
        """The hub's door, which notices each visit."""

        @web.middleware
        async def notice(request: web.Request, handler: Any) -> web.StreamResponse:
            self.came()
            told = request.headers.get(WALL_HEADER, "")
            if told.isdecimal() and len(told) <= _MS_DIGITS:
                self._on_wall(int(told))
            answer: web.StreamResponse = await handler(request)
            return answer

        app.middlewares.append(notice)
        return app
