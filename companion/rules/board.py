"""Boards as data: territories, borders, continents, checked when they are loaded.

A board that contradicts itself (a border that goes one way, a continent of the wrong size, a coefficient that is
not the number of borders) would give wrong scores in silence, so it is refused with the territory's name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from companion.rules.errors import BoardError
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Territory:
    """One land of the board.

    Attributes:
        id: Stable id, such as 'east_africa'.
        continent: Id of its continent.
        name: Name by language: en, nl, it, cs.
        symbol: Symbol of its card in the modern English deck; only informative, decks differ.
        tile: (column, row) on the board's grid of tiles.
        neighbours: Ids of the lands that it borders.
    """

    id: str
    continent: str
    name: Mapping[str, str]
    symbol: str
    tile: tuple[int, int]
    neighbours: frozenset[str]

    @property
    def coefficient(self) -> int:
        """Number of borders: what the territory counts for in the Score of risiko."""
        return len(self.neighbours)


@dataclass(frozen=True, slots=True, kw_only=True)
class Continent:
    """One continent.

    Attributes:
        id: Stable id, such as 'north_america'.
        name: Name by language.
        bonus: Armies a turn for who holds it whole; 0 for an island, whose number stands only on the printed board.
        territories: Ids of its lands.
    """

    id: str
    name: Mapping[str, str]
    bonus: int
    territories: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A checked board.

    Attributes:
        id: 'classic', 'risiko' or an organiser's own.
        edition: Which print of it.
        territories: By id, in the order of the file.
        continents: By id, in the order of the file.
    """

    id: str
    edition: str
    territories: Mapping[str, Territory]
    continents: Mapping[str, Continent]

    def continents_held(self, owned: Collection[str]) -> tuple[str, ...]:
        """Ids of the continents that lie wholly among the owned territories, in the board's order."""
        have = frozenset(owned)
        return tuple(id_ for id_, continent in self.continents.items() if continent.territories <= have)

    def entry_points(self, continent: str) -> int:
        """Border lines that cross the edge of a continent.

        Raises:
            BoardError: There is no such continent.

        Source:
            nl1996 3.2, the scheme ("binnenvalpunten").
        """
        if continent not in self.continents:
            raise BoardError(
                "unknown-continent",
                f"there is no continent {continent!r}; the board has {', '.join(self.continents)}",
                continent=continent,
                known=list(self.continents),
            )
        inside = self.continents[continent].territories
        return sum(len(self.territories[id_].neighbours - inside) for id_ in inside)

    def borders(self) -> frozenset[frozenset[str]]:
        """Every border line as the pair of territories that it joins."""
        return frozenset(frozenset((land.id, other)) for land in self.territories.values() for other in land.neighbours)


@cache
def load_board(name: str = "classic", edition: str | None = None) -> Board:
    """A shipped board in one of its editions.

    Args:
        name: 'classic', 'risiko' or 'apoikia'; the last one has cities and islands, and no borders, because the
            text gives none.
        edition: An edition's id; None for the board's own default.

    Raises:
        BoardError: No such board or edition.
    """
    known = ("classic", "risiko", "apoikia")
    if name not in known:
        raise BoardError(
            "unknown-board",
            f"there is no board {name!r}; choose one of {', '.join(known)}, or give a board file",
            name=name,
            known=list(known),
        )
    data = _read(f"board-{name}.toml")
    if "based_on" in data["board"]:
        own, data = data, _read(f"board-{data['board']['based_on']}.toml")
        data["coefficients"] = own["coefficients"]
        data["board"] |= {"id": own["board"]["id"], "default_edition": own["board"]["default_edition"]}
    return _islands(data) if "island" in data else _built(data, edition)


def lines_to_remember(printed: Board, *, ruleset: Ruleset) -> tuple[tuple[str, str], ...]:
    """Borders that the rules take to be there, and that the board on the table does not show.

    Args:
        printed: The board in the edition that lies on the table.
        ruleset: The rules of the table.

    Source:
        nl1996 4.6; risiko 18.
    """
    deemed: Iterable[tuple[str, str]] = ruleset.at("borders.deemed") or ()
    lands = printed.territories
    return tuple(
        (first, second) for first, second in deemed if first in lands and second not in lands[first].neighbours
    )


def read_board(text: str, edition: str | None = None) -> Board:
    """An organiser's own board from the text of its TOML file.

    Raises:
        BoardError: The text is no TOML, lacks a field, or contradicts itself.
    """
    try:
        data = tomllib.loads(text)
        _check_kinds(data)
        return _built(data, edition)
    except BoardError:
        raise
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError, ValueError, StopIteration) as error:
        raise BoardError(
            "board-unreadable",
            f"this is not a board file: {error}; see docs/rules.md#boards for what it must have",
            why=str(error),
        ) from error


def _check_kinds(data: Mapping[str, Any]) -> None:
    """Raise TypeError where a row has a value that nothing could be counted or shown with."""
    for row in (*data["continent"], *data["territory"]):
        names = row["name"]
        fits = isinstance(row["id"], str) and isinstance(names, dict) and names != {}
        fits = fits and all(isinstance(name, str) for name in names.values())
        if "size" in row:
            fits = fits and type(row["bonus"]) is int and row["bonus"] >= 0
        else:
            fits = fits and isinstance(row["symbol"], str) and [type(at) for at in row["tile"]] == [int, int]
        if not fits:
            raise TypeError(f"{row['id']!r} has a value of the wrong kind")


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("companion.rules") / "data" / name).read_text(encoding="utf-8"))


def _islands(data: Mapping[str, Any]) -> Board:
    """The board of apoikia as far as its text goes: cities on islands, without borders and bonuses."""
    cities = {
        row["id"]: Territory(
            id=row["id"],
            continent=row["island"],
            name=_everywhere(row["name"]),
            symbol="",
            tile=(row["tile"][0], row["tile"][1]),
            neighbours=frozenset(),
        )
        for row in data["city"]
    }
    islands = {}
    for row in data["island"]:
        inside = frozenset(city.id for city in cities.values() if city.continent == row["id"])
        _check_count(f"cities of {row['id']}", len(inside), row["size"])
        islands[row["id"]] = Continent(id=row["id"], name=_everywhere(row["name"]), bonus=0, territories=inside)
    _check_count("cities", len(cities), data["board"]["territories"])
    return Board(
        id=data["board"]["id"],
        edition=data["board"]["id"],
        territories=MappingProxyType(cities),
        continents=MappingProxyType(islands),
    )


def _everywhere(name: str) -> Mapping[str, str]:
    """A name that is the same in every language."""
    return MappingProxyType(dict.fromkeys(("en", "nl", "it", "cs"), name))


def _built(data: Mapping[str, Any], edition: str | None) -> Board:
    board = data["board"]
    rows = data["territory"]
    neighbours = {row["id"]: set(row["neighbours"]) for row in rows}
    _check_count("territories", len(neighbours), board["territories"])
    _check_borders(neighbours)
    lines = sum(map(len, neighbours.values())) // 2
    _check_count("borders", lines, board["borders"])
    edition = edition or board["default_edition"]
    _apply_edition(neighbours, data.get("edition", ()), edition)
    _check_connected(neighbours)
    if edition == board["default_edition"]:
        _check_coefficients(neighbours, data.get("coefficients", {}))
    territories = {
        row["id"]: Territory(
            id=row["id"],
            continent=row["continent"],
            name=MappingProxyType(dict(row["name"])),
            symbol=row["symbol"],
            tile=(row["tile"][0], row["tile"][1]),
            neighbours=frozenset(neighbours[row["id"]]),
        )
        for row in rows
    }
    continents = {}
    for row in data["continent"]:
        inside = frozenset(land.id for land in territories.values() if land.continent == row["id"])
        _check_count(f"territories of {row['id']}", len(inside), row["size"])
        continents[row["id"]] = Continent(
            id=row["id"], name=MappingProxyType(dict(row["name"])), bonus=row["bonus"], territories=inside
        )
    _check_count("territories on a continent", sum(c["size"] for c in data["continent"]), len(rows))
    return Board(
        id=board["id"],
        edition=edition,
        territories=MappingProxyType(territories),
        continents=MappingProxyType(continents),
    )


def _check_count(what: str, count: int, wanted: int) -> None:
    if count != wanted:
        raise BoardError(
            "board-count",
            f"the board file promises {wanted} {what}, but there are {count}; correct the list or the number",
            what=what,
            count=count,
            wanted=wanted,
        )


def _check_borders(neighbours: Mapping[str, Collection[str]]) -> None:
    for land, others in neighbours.items():
        for other in others:
            if other == land:
                raise BoardError(
                    "board-self", f"{land!r} borders itself; take it out of its neighbours", territory=land
                )
            if other not in neighbours:
                raise BoardError(
                    "board-stranger",
                    f"{land!r} borders {other!r}, which is no territory of this board",
                    territory=land,
                    neighbour=other,
                )
            if land not in neighbours[other]:
                raise BoardError(
                    "board-one-way",
                    f"{land!r} borders {other!r}, but not the other way round; name the border at both",
                    first=land,
                    second=other,
                )


def _apply_edition(neighbours: dict[str, set[str]], editions: Iterable[Mapping[str, Any]], edition: str) -> None:
    by_id = {row["id"]: row for row in editions}
    if not by_id:
        return
    if edition not in by_id:
        raise BoardError(
            "unknown-edition",
            f"the board has no edition {edition!r}; choose one of {', '.join(by_id)}",
            edition=edition,
            known=list(by_id),
        )
    row = by_id[edition]
    for change, present in (("remove", True), ("add", False)):
        for first, second in row[change]:
            if (second in neighbours[first]) is not present:
                raise BoardError(
                    "board-edition-line",
                    f"edition {edition!r} can't {change} the border {first} - {second}: it is "
                    f"{'not ' if present else 'already '}there",
                    edition=edition,
                    first=first,
                    second=second,
                )
            (set.discard if present else set.add)(neighbours[first], second)
            (set.discard if present else set.add)(neighbours[second], first)
    _check_count(f"borders in edition {edition}", sum(map(len, neighbours.values())) // 2, row["borders"])


def _check_connected(neighbours: Mapping[str, Collection[str]]) -> None:
    todo = [next(iter(neighbours))]
    seen = set(todo)
    while todo:
        for other in neighbours[todo.pop()]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    for land in neighbours:
        if land not in seen:
            raise BoardError(
                "board-apart", f"{land!r} can't be reached from the rest of the board; add its borders", territory=land
            )


def _check_coefficients(neighbours: Mapping[str, Collection[str]], coefficients: Mapping[str, int]) -> None:
    for land, coefficient in coefficients.items():
        if coefficient != len(neighbours.get(land, ())):
            raise BoardError(
                "board-coefficient",
                f"{land!r} has coefficient {coefficient}, but {len(neighbours.get(land, ()))} borders",
                territory=land,
                coefficient=coefficient,
                borders=len(neighbours.get(land, ())),
            )
