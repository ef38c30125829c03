"""What an organiser's file adds to Apoikia: borders, routes, ports, beaches and the numbers of the islands.

Nothing of it is needed to play. A file holds any of `[[border]]` (a, b), `[[route]]` (a, b, kind = "thick" or
"thin"), `ports`, `beaches` and `[island_bonus]`; what it leaves out goes on being asked.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from companion.rules.board import load_board
from companion.rules.errors import BoardError
from companion.rules.systems.apoikia import Link


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Which city a Risk card stands for, both in the spelling of the source.

    Attributes:
        card: Name on the card.
        city: Name of the city.
        city_id: Its id.
        island: Id of its island.
    """

    card: str
    city: str
    city_id: str
    island: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Archipelago:
    """An organiser's file.

    Attributes:
        links: Pair of places to the link between them.
        ports: Port cities; None when the file does not tell.
        beaches: Cities with a beach; None when the file does not tell.
        island_bonus: Armies for a whole island; those that the file tells.
    """

    links: Mapping[frozenset[str], Link]
    ports: frozenset[str] | None
    beaches: frozenset[str] | None
    island_bonus: Mapping[str, int]

    def link(self, first: str, second: str) -> Link | None:
        """How two places are joined; None when they are not, or the file has no links."""
        return self.links.get(frozenset((first, second)))

    def unknown(self) -> tuple[str, ...]:
        """What the file does not tell, and the companion therefore asks."""
        told = {
            "links": bool(self.links),
            "ports": self.ports is not None,
            "beaches": self.beaches is not None,
            "island_bonus": len(self.island_bonus) == len(load_board("apoikia").continents),
        }
        return tuple(what for what, there in told.items() if not there)


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((files("companion.rules") / "data" / "board-apoikia.toml").read_text(encoding="utf-8"))


def city_states() -> tuple[str, ...]:
    """Ids of the four city-states.

    Source:
        apoikia, board.
    """
    return tuple(row["id"] for row in _data()["city_state"])


def card_to_city(card: str) -> Card:
    """The city that a Risk card stands for.

    Args:
        card: In the spelling of the source or corrected.

    Raises:
        BoardError: No card has that name.

    Source:
        apoikia, table of cards.
    """
    for row in _data()["city"]:
        printed = row.get("card_printed", row["card"])
        if card in (printed, row["card"]):
            return Card(card=printed, city=row.get("printed", row["name"]), city_id=row["id"], island=row["island"])
    raise BoardError(
        "board-stranger",
        f"no card is called {card!r}; write it as on the card",
        territory=card,
        neighbour="",
    )


def read_archipelago(text: str) -> Archipelago:
    """An organiser's file from its TOML text.

    Raises:
        BoardError: The text is no TOML, lacks a field, names what is not there, or leaves a city alone.
    """
    try:
        data = tomllib.loads(text)
        links = _links(data)
        bonus = {str(island): int(armies) for island, armies in data.get("island_bonus", {}).items()}
        ports = frozenset(data["ports"]) if "ports" in data else None
        beaches = frozenset(data["beaches"]) if "beaches" in data else None
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise BoardError(
            "board-unreadable",
            f"this is not a board file of apoikia: {error}; see docs/rules.md#apoikia-board",
            why=str(error),
        ) from error
    board = load_board("apoikia")
    _check_known(ports or (), board.territories)
    _check_known(beaches or (), board.territories)
    _check_known(bonus, board.continents)
    for pair, link in links.items():
        _check_known(pair, (*board.territories, *city_states()))
        if link != "land" and ports is not None:
            _check_known(pair, (*ports, *city_states()))
    if links:
        _check_joined(links, board.territories)
    return Archipelago(links=links, ports=ports, beaches=beaches, island_bonus=bonus)


def _links(data: Mapping[str, Any]) -> dict[frozenset[str], Link]:
    links: dict[frozenset[str], Link] = {frozenset((row["a"], row["b"])): "land" for row in data.get("border", ())}
    kinds: dict[str, Link] = {"thick": "thick_route", "thin": "thin_route"}
    links.update({frozenset((row["a"], row["b"])): kinds[row["kind"]] for row in data.get("route", ())})
    return links


def _check_known(names: Collection[str], known: Collection[str]) -> None:
    for name in sorted(names, key=str):
        if name not in known:
            raise BoardError(
                "board-stranger",
                f"the file names {name!r} where only {', '.join(sorted(known))} can stand",
                territory=name,
                neighbour="",
            )


def _check_joined(links: Mapping[frozenset[str], Link], cities: Collection[str]) -> None:
    seen = {next(iter(cities))}
    grown = True
    while grown:
        grown = False
        for pair in links:
            if pair & seen and not pair <= seen:
                seen |= pair
                grown = True
    for city in cities:
        if city not in seen:
            raise BoardError(
                "board-apart",
                f"{city!r} can't be reached from the other cities; add its borders or routes",
                territory=city,
            )
