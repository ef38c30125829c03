"""How far each table of a hall is, read from what it recorded and from when it was last heard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion.hub.folding import Game
from companion.hub.hall import Hall
from companion.hub.lengths import HallTime
from companion.lan.lengths import TURN_NS

HEARD_WITHIN_NS = 10_000_000_000
"""A table that was heard so lately is taken to be there."""


class Standings:
    """How far tables are.

    Args:
        hall: What the hub knows of its tables.
        now_ns: Boot clock.
    """

    def __init__(self, hall: Hall, now_ns: Callable[[], int]) -> None:
        self._hall = hall
        self._now_ns = now_ns
        self._asked_ns: dict[str, int] = {}

    def asked(self, hall: HallTime) -> None:
        """A hall was started now: what was heard before tells nothing of it."""
        self._asked_ns[hall.name] = self._now_ns()

    def of(self, hall: HallTime, table: str) -> str:
        """How far a table is: unheard, absent, playing, left (by a length of its own), ended or revealed."""
        game = self._game(hall, table)
        if game is None:
            return "absent" if table in hall.unsure and self._is_caught_up(hall, table) else "unheard"
        if game.seals[hall.seal].text is not None:
            return "revealed"
        if list(game.seals)[-1] != hall.seal:
            return "left"
        return "ended" if game.tijd is not None or game.results is not None else "playing"

    def all(self, hall: HallTime) -> dict[str, str]:
        """How far each table of a hall is."""
        return {table: self.of(hall, table) for table in hall.members}

    def plays_apart(self, hall: HallTime, table: str) -> bool:
        """Whether a table still plays the game that the hall's length started, by a length of its own."""
        game, fold = self._game(hall, table), self._hall.fold(table)
        is_newest = game is not None and fold is not None and game is fold.games[-1]
        if game is None or not is_newest or list(game.seals)[-1] == hall.seal:
            return False
        return game.tijd is None and game.results is None

    def is_heard(self, table: str) -> bool:
        """Whether a table was heard lately."""
        contact = self._hall.contact_of(table)
        heard_ns = contact.heard_ns if contact is not None else None
        return heard_ns is not None and self._now_ns() - heard_ns <= HEARD_WITHIN_NS

    def running_ms(self, hall: HallTime) -> tuple[int, int] | None:
        """Moment (boot-clock ns) and game time gone of the table that is furthest; None where none tells."""
        ages = [
            (elapsed_ms, contact.state_ns)
            for table, how in self.all(hall).items()
            if how == "playing"
            and (contact := self._hall.contact_of(table)) is not None
            and (elapsed_ms := _running_ms(contact.state)) is not None
        ]
        if not ages:
            return None
        elapsed_ms, at_ns = max(ages, key=lambda one: one[0])
        return at_ns, elapsed_ms

    def _game(self, hall: HallTime, table: str) -> Game | None:
        """The table's game that was started by the hall's length."""
        fold = self._hall.fold(table)
        games = fold.games if fold is not None else ()
        return next((game for game in reversed(games) if hall.seal in game.seals), None)

    def _is_caught_up(self, hall: HallTime, table: str) -> bool:
        """Whether all that a table had recorded is here, when it could open no letter of the start any more."""
        contact, fold = self._hall.contact_of(table), self._hall.fold(table)
        if contact is None or contact.state is None or fold is None or fold.last is None:
            return False
        seq = contact.state.get("seq")
        is_newer = contact.state_ns > self._asked_ns.get(hall.name, 0) + TURN_NS
        return is_newer and isinstance(seq, int) and seq <= fold.last.seq


def _running_ms(state: Mapping[str, Any] | None) -> int | None:
    """Game time gone at a table whose clock runs, as it was told."""
    match state:
        case {"clock": {"running": True, "elapsed_ms": int(elapsed_ms)}}:
            return elapsed_ms
    return None
