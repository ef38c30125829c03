"""Who is who across tables and rounds.

Theory: a player's results of several rounds lie in several journals, under ids. An id that the organiser gave is the
same everywhere and is the person. An id that a table made up by itself (`p1`, `p2`…, because names were typed at its
screen) means nothing elsewhere: there the name is the person, spelling aside. Where a made-up id has no name that the
hub knows, the person is known by game and id only, and so stays a person apart. Nobody is merged by a guess: two
people of the same name in one round are noticed in `tournament.py`, because one person cannot sit at two tables.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_MADE_BY_TABLE = re.compile(r"p[1-9][0-9]?")


@dataclass(frozen=True, slots=True)
class Person:
    """One person in one tournament.

    Attributes:
        key: The same for the same person, in every journal.
        name: As it is shown.
    """

    key: str
    name: str


def is_made_by_table(player: str) -> bool:
    """Whether an id was made up by a table and means nothing elsewhere."""
    return _MADE_BY_TABLE.fullmatch(player) is not None


def person_of(player: str, name: str | None, *, table: str, game: str) -> Person:
    """The person behind a player id of one game.

    Args:
        player: The id in the journal.
        name: The name that the table gave for it, if the hub has heard it.
        table: The table's own id.
        game: The game's id.
    """
    if not is_made_by_table(player):
        return Person(f"id:{player}", name or player)
    if name and name.strip() and name != player:
        return Person(f"name:{_plain(name)}", name)
    return Person(f"seat:{table}/{game}/{player}", f"{player} ({table}, {game})")


def _plain(name: str) -> str:
    """A name without the differences that typing makes: case, spaces, composed or split accents."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
