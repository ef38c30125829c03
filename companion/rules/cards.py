"""What a hand of cards is worth.

A hand may hold several sets at once (after a player was destroyed), and jokers may serve in any of them, so the
best total is a search over disjoint sets: each card is left over or goes into one set. Hands are small, and the
search remembers what it has seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from typing import Final

from companion.rules.errors import PositionError, RulesError
from companion.rules.reason import Reason, because
from companion.rules.ruleset import Ruleset

SYMBOLS: Final = ("infantry", "artillery", "cavalry")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A hand by symbol, in cards."""

    infantry: int = 0
    artillery: int = 0
    cavalry: int = 0
    joker: int = 0

    @property
    def cards(self) -> int:
        """How many cards it holds."""
        return self.infantry + self.artillery + self.cavalry + self.joker


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTable:
    """What sets are worth, in armies.

    Attributes:
        same: Three equal, by symbol in the order of `SYMBOLS`.
        different: Three different.
        joker_set: A joker with two equal cards, where that is the only set a joker makes; None where a joker
            stands for any symbol.
        owned: Armies for owned lands on the cards of a set.
        per_card: They come once per such card, not once per set.
    """

    same: tuple[int, int, int]
    different: int
    joker_set: int | None
    owned: int
    per_card: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetValue:
    """One set of three cards: its armies, and the armies for owned lands on its cards."""

    armies: int
    extra: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeRuling:
    """What must or may be traded after a player was destroyed.

    Attributes:
        must_trade: Down to the limit in the same turn.
        may_trade: Trading in the same turn is allowed.
        sets_at_least: Sets that must be traded.
        cards_after: Cards left after those sets.
        reason: Why.
    """

    must_trade: bool
    may_trade: bool
    sets_at_least: int
    cards_after: int
    reason: Reason


def card_table(ruleset: Ruleset, name: str | None = None) -> CardTable | None:
    """The table that the ruleset trades by; None when the organiser's own numbers are asked.

    Args:
        ruleset: The rules of the table.
        name: Another of the ruleset's tables than the chosen one.

    Raises:
        RulesError: The ruleset has no such table.

    Source:
        classic, cards, option `owned_bonus`; a table with `owned_each` has its own bonus, for each card.
    """
    name = name or str(ruleset.option("cards.table"))
    tables = ruleset.table("cards.tables")
    if name == "organiser":
        return None
    if name not in tables:
        raise RulesError(
            "card-table-missing",
            f"the ruleset has no card table {name!r}; it has {', '.join(tables)}",
            table=name,
        )
    row = tables[name]
    infantry, artillery, cavalry = (int(row[symbol]) for symbol in SYMBOLS)
    joker_set = int(row["joker_set"]) if row.get("joker") == "with_two_same" else None
    each = row.get("owned_each")
    return CardTable(
        same=(infantry, artillery, cavalry),
        different=int(row["different"]),
        joker_set=joker_set,
        owned=ruleset.number("cards.owned_territory_bonus") if each is None else int(each),
        per_card=each is not None or ruleset.options.get("owned_bonus") == "per_card",
    )


def check_hand(player: str, hand: Hand, *, jokers: int) -> None:
    """Refuse a hand that can't be held.

    Args:
        player: Whose it is.
        hand: The hand.
        jokers: Jokers in the deck.

    Raises:
        PositionError: A negative number, or more jokers than the deck has.
    """
    for symbol in (*SYMBOLS, "joker"):
        count = getattr(hand, symbol)
        if type(count) is not int:
            raise PositionError(
                "not-a-whole-number",
                f"{player!r} can't hold {count!r} cards of {symbol}; give a whole number",
                what=symbol,
                value=count,
            )
        if count < 0:
            raise PositionError(
                "negative-cards",
                f"{player!r} can't hold {count} cards of {symbol}; give 0 or more",
                player=player,
                symbol=symbol,
                count=count,
            )
    if hand.joker > jokers:
        raise PositionError(
            "too-many-cards",
            f"there are {jokers} jokers in the deck, not {hand.joker}; count again",
            symbol="joker",
            count=hand.joker,
            most=jokers,
        )


def check_deck(hands: Sequence[Hand], *, territories: int, jokers: int) -> None:
    """Refuse hands that one deck can't have given.

    Args:
        hands: All hands of a table that were counted.
        territories: Territories of the board; each has one card.
        jokers: Jokers in the deck.

    Raises:
        PositionError: All hands together hold more than there is.
    """
    joker = sum(hand.joker for hand in hands)
    plain = sum(hand.cards for hand in hands) - joker
    for symbol, held, there in (("joker", joker, jokers), ("territory", plain, territories)):
        if held > there:
            raise PositionError(
                "too-many-cards",
                f"all hands together hold {held} {symbol} cards, but the deck has {there}; count again",
                symbol=symbol,
                count=held,
                most=there,
            )


def check_owned(player: str, owned: Hand, hand: Hand) -> None:
    """Refuse owned cards that are not among the cards in hand; a joker has no land.

    Raises:
        PositionError: A negative number, a joker, or more than the hand holds.
    """
    check_hand(player, owned, jokers=0)
    for symbol in SYMBOLS:
        count, most = getattr(owned, symbol), getattr(hand, symbol)
        if count > most:
            raise PositionError(
                "too-many-cards",
                f"{player!r} owns the lands of {count} {symbol} cards, but holds {most}; count again",
                symbol=symbol,
                count=count,
                most=most,
            )


def best_trade(hand: Hand, table: CardTable, owned: Hand | None = None) -> int:
    """The most armies that a hand can bring, over any number of disjoint sets.

    Args:
        hand: The cards.
        table: What sets are worth.
        owned: Those of the cards whose land the player owns; None where that does not count.

    Source:
        classic, cards; nl1996 3.2d.
    """
    mine = owned or Hand()
    counts = tuple(
        number
        for symbol in SYMBOLS
        for number in (getattr(hand, symbol) - getattr(mine, symbol), getattr(mine, symbol))
    )
    return _best((*counts, hand.joker), table)


def trade_set(symbols: Sequence[str], owned: Sequence[bool], table: CardTable) -> SetValue:
    """The armies of one set.

    Args:
        symbols: Three of infantry, artillery, cavalry, joker.
        owned: For each, whether the player owns its land.
        table: What sets are worth.

    Raises:
        RulesError: These cards make no set.

    Source:
        classic, cards.
    """
    kinds = (*SYMBOLS, "joker")
    value = None
    if len(symbols) == 3 and all(symbol in kinds for symbol in symbols):
        value = _set_value(tuple(sorted(kinds.index(symbol) for symbol in symbols)), table)
    if value is None:
        raise RulesError(
            "not-a-set",
            f"{', '.join(symbols) or 'no card'} make no set; a set is three equal, three different, or with a joker",
            cards=list(symbols),
        )
    return SetValue(armies=value, extra=_extra(sum(owned), table))


def _extra(owned: int, table: CardTable) -> int:
    return table.owned * (owned if table.per_card else min(owned, 1))


def cards_after_destroying(own: int, taken: int, *, ruleset: Ruleset) -> TradeRuling:
    """What must happen with the cards of a destroyed player in the same turn.

    Args:
        own: Cards held before.
        taken: Cards taken over.
        ruleset: The rules of the table.

    Source:
        nl1996 4.12; classic, at most five in hand (chosen to be the same).
    """
    most = ruleset.number("cards.hand_max")
    total = own + taken
    sets = max(0, -(-(total - most) // 3))
    clause = "4.12" if ruleset.system == "nl1996" else ""
    must = because("must-trade", clause, cards=total, most=most)
    may = because("may-trade", clause, cards=total)
    return TradeRuling(
        must_trade=sets > 0,
        may_trade=True,
        sets_at_least=sets,
        cards_after=total - 3 * sets,
        reason=must if sets else may,
    )


@cache
def _sets() -> tuple[tuple[int, ...], ...]:
    return tuple(combinations_with_replacement(range(7), 3))


@cache
def _set_value(kinds: tuple[int, ...], table: CardTable) -> int | None:
    """Armies of three cards given as places in SYMBOLS, 3 being a joker; None when they make no set."""
    plain = [kind for kind in kinds if kind < 3]
    different = len(set(plain)) == len(plain)
    alike = len(set(plain)) <= 1
    if len(plain) == 3:
        return table.same[plain[0]] if alike else table.different if different else None
    if table.joker_set is not None:
        return table.joker_set if len(plain) == 2 and alike else None
    values = [table.different] if different else []
    values += [table.same[kind] for kind in (set(plain) if plain else range(3))] if alike else []
    return max(values)


@cache
def _best(counts: tuple[int, ...], table: CardTable) -> int:
    """Best total from counts by kind: plain and owned of each symbol in turn, then jokers."""
    best = 0
    for chosen in _sets():
        left = list(counts)
        for kind in chosen:
            left[kind] -= 1
        value = None if min(left) < 0 else _set_value(tuple(kind // 2 for kind in chosen), table)
        if value is not None:
            extra = _extra(sum(kind % 2 for kind in chosen), table)
            best = max(best, value + extra + _best(tuple(left), table))
    return best


def only_known(counts: Mapping[str, int]) -> Hand:
    """A hand from counts by symbol, as they come from a file.

    Raises:
        PositionError: A symbol that no card has.
    """
    for symbol in counts:
        if symbol not in (*SYMBOLS, "joker"):
            raise PositionError(
                "bad-die-word",
                f"a card shows {', '.join(SYMBOLS)} or is a joker, not {symbol!r}",
                what="symbol",
                value=symbol,
                allowed=[*SYMBOLS, "joker"],
            )
    return Hand(**counts)
