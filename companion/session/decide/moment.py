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
        seal: Seal of a length that was drawn for the case that one is needed now; None if none could be.
    """

    now_ns: int
    asker: Asker
    ruleset: Ruleset | None = None
    seal: str | None = None

    def rules(self) -> Ruleset:
        """The ruleset of the game.

        Raises:
            Refused: No game was set up.
        """
        if self.ruleset is None:
            raise Refused("no-game", "no game has been set up at this table: set one up first")
        return self.ruleset

    def fresh_seal(self) -> str:
        """The seal of a freshly drawn length.

        Raises:
            Refused: Nobody drew one.
        """
        if self.seal is None:
            raise Refused("secret-not-drawn", "no secret length could be drawn: the organiser gives the signal")
        return self.seal


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
    if found.is_out:
        raise Refused("player-is-out", f"{player!r} has been knocked out", player=player, by=found.out_by)
    return found


def with_reason(reason: str) -> None:
    """Pass if somebody said why.

    Raises:
        Refused: Nobody did.
    """
    if not reason.strip():
        raise Refused("reason-missing", "say why: a referee's act needs a reason")


def next_player(state: TableState) -> str:
    """Whose turn comes after the current one."""
    order = [p.id for p in state.in_order()]
    everyone = sorted(state.players, key=lambda p: p.order or 0)
    current = next((i for i, p in enumerate(everyone) if p.id == state.turn_player), -1)
    after = [p.id for p in everyone[current + 1 :] + everyone[: current + 1] if p.id in order]
    return after[0]
