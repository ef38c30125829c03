"""Results that games reach: boards that lay so, scored by the rules and told as the table tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.rules.board import load_board
from companion.session import commands as c
from companion.session import events as e
from companion.table.view import Surroundings, table_view
from tests.session.play import Game

PEOPLE = {"p1": "Anna", "p2": "Bram", "p3": "Chiara"}

Shares = Mapping[str, Mapping[str, int]]
"""Player to how many lands of each continent, in the order of the board."""

DECIDED: Shares = {
    "p1": {"asia": 12, "europe": 2, "australia": 1},
    "p2": {"africa": 6, "europe": 5, "south_america": 3},
    "p3": {"north_america": 9, "south_america": 1, "australia": 3},
}
"""Anna is ahead by continents; Bram and Chiara are equal there, and Bram has one land more."""

EQUAL: Shares = {
    "p1": {"asia": 12, "europe": 1, "australia": 1},
    "p2": {"africa": 6, "europe": 5, "south_america": 3},
    "p3": {"north_america": 9, "europe": 1, "south_america": 1, "australia": 3},
}
"""The same with a land more for Chiara: she and Bram are equal to the last card."""


def lands(shares: Shares) -> dict[str, tuple[str, ...]]:
    """Player to lands."""
    left = {
        continent: [t.id for t in load_board("classic").territories.values() if t.continent == continent]
        for continent in load_board("classic").continents
    }
    held: dict[str, tuple[str, ...]] = {}
    for player, share in shares.items():
        held[player] = tuple(left[continent].pop(0) for continent, count in share.items() for _ in range(count))
    assert not any(left.values())
    return held


def scored(shares: Shares) -> Game:
    """A game of nl1996 that the signal ended, recorded: all have the same armies and cards."""
    game = Game().playing(tuple(PEOPLE))
    game.tijd()
    hand = {"infantry": 1, "artillery": 0, "cavalry": 2, "joker": 0}
    rows = (e.HoldingsFact(id=p, territories=held, armies=31, hand=hand) for p, held in lands(shares).items())
    game.do(c.ConfirmBoard(players=tuple(rows)))
    return game


def closed() -> Game:
    """The same, signed by all and closed."""
    game = scored(DECIDED)
    for player in PEOPLE:
        game.do(c.SignResult(player=player))
    game.do(c.CloseTable(), "referee")
    return game


def result(game: Game) -> dict[str, Any]:
    """The result as `GET /v1/state` tells it."""
    around = Surroundings(
        seq=12, now_ns=game.now_ns, wall="", table="7", names=PEOPLE, health=(), is_rolling=False, pin_is_set=True,
        asker="screen", ruleset=game.ruleset, say=lambda _reason: "", notes=(), panel={}, dice={},
    )  # fmt: skip
    told: dict[str, Any] = table_view(game.state, around)["result"]
    return told
