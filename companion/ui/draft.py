"""The frozen board while it is being typed.

Theory: what has not been said is `None`, never zero. Forty-two territories start with no owner at all, armies and
hands start unknown, so that a sheet which somebody left half filled can be told from one that says "none". Each
change makes a new `Draft`; the screen puts it on the table's disk before anybody can be sorry, and takes it back from
there after a restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

VACANT = "vacant"
"""Owner of a territory that nobody holds."""

SYMBOLS = ("infantry", "artillery", "cavalry", "joker")
MOST_ARMIES = 999
MOST_CARDS = 44
MOST_JOKERS = 2

Cards = Literal["hands", "own_cards"]
"""All cards of a player, or those of them whose land the player owns."""

Atlas = Mapping[str, tuple[str, ...]]
"""Territories by continent, in the order in which the screen shows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What has been said of the board so far.

    Attributes:
        owners: Player id or `VACANT` by territory; a territory that is not there has not been said.
        armies: Armies on the board by player.
        hands: Cards by player and symbol.
        objectives: Objective by player, in a system that has them.
        armies_on: Armies by territory, where a mission asks for them one by one.
        unplaced: Armies received and not placed, by player, where an option counts them.
        own_cards: Those of the cards whose land the player owns, where an option counts them.
        lot: Published number that parts equal players, as typed.
        tijd_seen_ns: The signal whose notice the players have read.
    """

    owners: Mapping[str, str] = field(default_factory=dict)
    armies: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    objectives: Mapping[str, str] = field(default_factory=dict)
    armies_on: Mapping[str, int] = field(default_factory=dict)
    unplaced: Mapping[str, int] = field(default_factory=dict)
    own_cards: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    lot: str = ""
    tijd_seen_ns: int | None = None

    def owned(self, territory: str, owner: str | None) -> Draft:
        """The draft with that territory's owner set, or taken back with None."""
        owners = {t: o for t, o in self.owners.items() if t != territory}
        if owner is not None:
            owners[territory] = owner
        return replace(self, owners=owners)

    def rest_owned(self, territories: Sequence[str], owner: str) -> Draft:
        """The draft with every territory of the list that has no owner yet given to `owner`."""
        return replace(self, owners={**dict.fromkeys(territories, owner), **self.owners})

    def with_armies(self, player: str, armies: int | None) -> Draft:
        """The draft with a player's armies set (kept within 0 to `MOST_ARMIES`), or taken back with None."""
        rest = {p: a for p, a in self.armies.items() if p != player}
        if armies is not None:
            rest[player] = max(0, min(armies, MOST_ARMIES))
        return replace(self, armies=rest)

    def with_cards(self, player: str, symbol: str, count: int, *, of: Cards = "hands") -> Draft:
        """The draft with a player's cards of one symbol set; the other symbols of that hand become known, too.

        Args:
            player: Whose.
            symbol: Which.
            count: How many.
            of: All cards, or those of them whose land the player owns.
        """
        most = MOST_JOKERS if symbol == "joker" else MOST_CARDS
        hand = {**dict.fromkeys(SYMBOLS, 0), **self.cards(of).get(player, {})}
        hand[symbol] = max(0, min(count, most))
        return self._with_hand(player, hand, of)

    def without_cards(self, player: str, *, of: Cards = "hands") -> Draft:
        """The draft that says this player holds no such card."""
        return self._with_hand(player, dict.fromkeys(SYMBOLS, 0), of)

    def cards(self, of: Cards) -> Mapping[str, Mapping[str, int]]:
        """All cards, or those of an own land, by player and symbol."""
        return self.hands if of == "hands" else self.own_cards

    def _with_hand(self, player: str, hand: Mapping[str, int], of: Cards) -> Draft:
        kept = {**self.cards(of), player: hand}
        return replace(self, hands=kept) if of == "hands" else replace(self, own_cards=kept)

    def with_unplaced(self, player: str, armies: int) -> Draft:
        """The draft with a player's armies to place set; none is something that was said."""
        return replace(self, unplaced={**self.unplaced, player: max(0, min(armies, MOST_ARMIES))})

    def with_objective(self, player: str, objective: str | None) -> Draft:
        """The draft with a player's objective set, or taken back with None."""
        rest = {p: o for p, o in self.objectives.items() if p != player}
        return replace(self, objectives=rest if objective is None else {**rest, player: objective})

    def with_armies_on(self, territory: str, armies: int) -> Draft:
        """The draft with the armies of one territory set; none takes the number back."""
        rest = {t: a for t, a in self.armies_on.items() if t != territory}
        return replace(self, armies_on=rest if armies < 1 else {**rest, territory: min(armies, MOST_ARMIES)})

    def counts(self) -> Counter[str]:
        """Territories by owner."""
        return Counter(self.owners.values())

    def to_json(self, game: str) -> dict[str, Any]:
        """The draft as the table keeps it, with the game that it belongs to."""
        return {
            "game": game,
            "owners": dict(self.owners),
            "armies": dict(self.armies),
            "hands": {player: dict(hand) for player, hand in self.hands.items()},
            "objectives": dict(self.objectives),
            "armies_on": dict(self.armies_on),
            "unplaced": dict(self.unplaced),
            "own_cards": {player: dict(hand) for player, hand in self.own_cards.items()},
            "lot": self.lot,
            "tijd_seen_ns": self.tijd_seen_ns,
        }

    def confirmed(self, players: Sequence[str], atlas: Atlas) -> dict[str, Any]:
        """The arguments of `confirm_board`: territories in the atlas' order, null where nothing was said.

        What only some systems know (objectives, armies one by one) is there only for players of whom it was said.
        """
        order = [territory for territories in atlas.values() for territory in territories]
        lot = {"lot": self.lot} if self.lot else {}
        return lot | {
            "players": [
                self._holdings(player, [t for t in order if self.owners.get(t) == player]) for player in players
            ],
            "vacant": [t for t in order if self.owners.get(t) == VACANT],
        }

    def _holdings(self, player: str, territories: Sequence[str]) -> dict[str, Any]:
        held: dict[str, Any] = {
            "id": player,
            "territories": list(territories),
            "armies": self.armies.get(player),
            "hand": dict(self.hands[player]) if player in self.hands else None,
        }
        if player in self.objectives:
            held["objective"] = self.objectives[player]
        if territories and all(t in self.armies_on for t in territories):
            held["armies_on"] = {t: self.armies_on[t] for t in territories}
        if player in self.unplaced:
            held["unplaced_armies"] = self.unplaced[player]
        if player in self.own_cards:
            held["owned_cards"] = dict(self.own_cards[player])
        return held


def from_json(kept: Mapping[str, Any], game: str, players: Sequence[str], atlas: Atlas) -> Draft:
    """The draft that the table handed back, without anything that does not fit this board and these players.

    A draft of another game leaves nothing behind, so that nothing of it is counted.
    """
    if kept.get("game") != game:
        return Draft()
    territories = {territory for group in atlas.values() for territory in group}
    owners_known = {*players, VACANT}
    owners, armies, hands, objectives, armies_on, unplaced, owned = (
        _mapping(kept.get(name))
        for name in ("owners", "armies", "hands", "objectives", "armies_on", "unplaced", "own_cards")
    )
    seen, lot = kept.get("tijd_seen_ns"), kept.get("lot")
    return Draft(
        owners={t: o for t, o in owners.items() if t in territories and o in owners_known},
        armies={p: a for p, a in armies.items() if p in players and _is_count(a, MOST_ARMIES)},
        hands={p: hand for p, hand in hands.items() if p in players and _is_hand(hand)},
        objectives={p: o for p, o in objectives.items() if p in players and isinstance(o, str)},
        armies_on={t: a for t, a in armies_on.items() if t in territories and _is_count(a, MOST_ARMIES) and a},
        unplaced={p: a for p, a in unplaced.items() if p in players and _is_count(a, MOST_ARMIES)},
        own_cards={p: hand for p, hand in owned.items() if p in players and _is_hand(hand)},
        lot=lot if isinstance(lot, str) and lot.isdigit() else "",
        tijd_seen_ns=seen if isinstance(seen, int) else None,
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_count(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _is_hand(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and set(value) == set(SYMBOLS)
        and all(_is_count(n, MOST_CARDS) for n in value.values())
    )
