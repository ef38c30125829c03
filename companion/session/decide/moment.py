"""When a command is decided, by whom it is asked, and under which rules."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.ruleset import Ruleset
from companion.session.errors import Refused
from companion.session.snapshot import PlayerState, TableState
from companion.session.transitions import Asker


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The circumstances of a decision.

    Attributes:
        now_ns: Boot-clock stamp.
        asker: Who asks, as the connection tells it.
        ruleset: The rules of the game that runs or is about to be opened; None on an idle table.
    """

    now_ns: int
    asker: Asker
    ruleset: Ruleset | None = None

    def rules(self) -> Ruleset:
        """The ruleset of the game.

        Raises:
            Refused: No game was set up.
        """
        if self.ruleset is None:
            raise Refused("no-game", "no game has been set up at this table: set one up first")
        return self.ruleset


def seated(state: TableState, player: str) -> PlayerState:
    """The player with that id.

    Raises:
        Refused: Nobody with that id plays here.
    """
    for found in state.players:
        if found.id == player:
            return found
    known = [p.id for p in state.players]
    raise Refused(
        "unknown-player",
        f"nobody at this table is {player!r}; here play: {', '.join(known)}",
        player=player,
        known=known,
    )


def still_in(state: TableState, player: str) -> PlayerState:
    """The player with that id, who has not been knocked out.

    Raises:
        Refused: Nobody with that id plays here, or they are out.
    """
    found = seated(state, player)
    if found.out_by is not None:
        raise Refused("player-is-out", f"{player!r} has been knocked out", player=player, by=found.out_by)
    return found
