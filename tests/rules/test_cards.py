"""What hands are worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.cards import (
    SYMBOLS,
    Hand,
    best_trade,
    card_table,
    cards_after_destroying,
    check_hand,
    only_known,
    trade_set,
)
from companion.rules.errors import PositionError, RulesError
from companion.rules.ruleset import load_ruleset, read_ruleset

CZ = card_table(load_ruleset("classic"))
ITALIAN = card_table(load_ruleset("risiko", {"cards.table": "risiko_tournament"}))


def test_the_organisers_own_numbers_are_asked() -> None:
    """Risiko's default table is none: the organiser says what a set is worth."""
    assert None is card_table(load_ruleset("risiko"))


def test_an_unknown_table_is_refused() -> None:
    """A table that the ruleset has not is refused with those it has."""
    with pytest.raises(RulesError) as refusal:
        card_table(load_ruleset("classic"), "tarot")

    assert "card-table-missing" == refusal.value.code


def test_a_club_may_bring_its_own_table() -> None:
    """A table in the club's file can be chosen as 'own'."""
    text = """
extends = "nl1996"
[options]
"cards.table" = "own"
[cards.tables.own]
infantry = 1
artillery = 2
cavalry = 3
different = 9
joker = "any"
"""
    table = card_table(read_ruleset(text))

    assert table is not None
    assert 9 == best_trade(Hand(infantry=1, artillery=1, cavalry=1), table)


@pytest.mark.parametrize(
    ("hand", "armies"),
    [
        (Hand(infantry=1, artillery=1, joker=1), 0),
        (Hand(infantry=2, joker=1), 12),
        (Hand(infantry=1, joker=2), 0),
        (Hand(cavalry=3), 8),
        (Hand(infantry=1, artillery=1, cavalry=1), 10),
    ],
)
def test_an_italian_joker_needs_two_equal_cards(hand: Hand, armies: int) -> None:
    """In the Italian tables a joker makes a set with two equal cards and no other."""
    assert ITALIAN is not None
    assert armies == best_trade(hand, ITALIAN)


def test_three_jokers_are_the_best_set() -> None:
    """Jokers alone stand for the best that there is."""
    assert CZ is not None
    assert 10 == best_trade(Hand(joker=3), CZ)


ONCE, EACH = "once_per_set", "per_card"


@pytest.mark.parametrize(("times", "armies"), [(ONCE, 6), (EACH, 10)])
def test_owned_lands_on_cards_bring_more(times: str, armies: int) -> None:
    """Two armies for an owned land, once a set or per card; the best choice of cards is found."""
    table = card_table(load_ruleset("classic", {"owned_bonus": times}))

    assert table is not None
    assert (armies, 4) == (best_trade(Hand(infantry=4), table, Hand(infantry=3)), best_trade(Hand(infantry=4), table))


@pytest.mark.parametrize(("times", "extra"), [(ONCE, 2), (EACH, 4)])
def test_one_set_with_owned_lands(times: str, extra: int) -> None:
    """The armies of a set and those for its lands are told apart."""
    table = card_table(load_ruleset("classic", {"owned_bonus": times}))

    assert table is not None
    value = trade_set(["infantry", "joker", "infantry"], [True, False, True], table)

    assert (4, extra) == (value.armies, value.extra)


@pytest.mark.parametrize(("name", "extra"), [("risiko_tournament", 4), ("risiko_classic", 0), ("cz", 2)])
def test_a_table_may_have_a_bonus_of_its_own(name: str, extra: int) -> None:
    """The Italian tournament gives two for each owned land, the Italian box none, the Czech box two a set."""
    table = card_table(load_ruleset("risiko", {"cards.table": name}))

    assert table is not None
    assert extra == trade_set(["infantry"] * 3, [True, True, False], table).extra


@pytest.mark.parametrize(
    "cards", [["infantry", "infantry", "cavalry"], ["infantry"], ["infantry", "infantry", "tank"], []]
)
def test_what_is_no_set_is_refused(cards: list[str]) -> None:
    """Two equal and another, too few, or an unknown card make no set."""
    assert CZ is not None
    with pytest.raises(RulesError) as refusal:
        trade_set(cards, [False] * len(cards), CZ)

    assert "not-a-set" == refusal.value.code


@pytest.mark.parametrize(
    ("own", "taken", "must", "sets", "after"),
    [(3, 2, False, 0, 5), (3, 3, True, 1, 3), (4, 5, True, 2, 3), (5, 3, True, 1, 5), (0, 0, False, 0, 0)],
)
def test_six_cards_after_destroying_must_be_traded(own: int, taken: int, must: bool, sets: int, after: int) -> None:
    """Down to five or fewer in the same turn, with as few sets as that takes."""
    ruling = cards_after_destroying(own, taken, ruleset=load_ruleset("nl1996"))

    assert (must, True, sets, after) == (ruling.must_trade, ruling.may_trade, ruling.sets_at_least, ruling.cards_after)


def test_classic_trades_down_too() -> None:
    """The box rules only say five in hand; the reading is the same."""
    assert cards_after_destroying(4, 4, ruleset=load_ruleset("classic")).must_trade


@pytest.mark.parametrize(
    ("hand", "code"),
    [
        (Hand(infantry=-1), "negative-cards"),
        (Hand(joker=3), "too-many-cards"),
        (Hand(cavalry=1.5), "not-a-whole-number"),  # type: ignore[arg-type]
    ],
)
def test_impossible_hands_are_refused(hand: Hand, code: str) -> None:
    """Negative, broken, or more jokers than the deck has."""
    with pytest.raises(PositionError) as refusal:
        check_hand("a", hand, jokers=2)

    assert code == refusal.value.code


def test_a_hand_from_a_file() -> None:
    """Counts by symbol become a hand; a symbol that no card has is refused."""
    with pytest.raises(PositionError) as refusal:
        only_known({"tank": 1})

    assert ("bad-die-word", Hand(joker=1)) == (refusal.value.code, only_known({"joker": 1}))


HANDS = st.builds(
    Hand,
    infantry=st.integers(0, 5),
    artillery=st.integers(0, 5),
    cavalry=st.integers(0, 5),
    joker=st.integers(0, 2),
)


@given(hand=HANDS, gained=st.sampled_from((*SYMBOLS, "joker")), table=st.sampled_from([CZ, ITALIAN]))
def test_no_hand_is_worth_less_after_gaining_a_card(hand: Hand, gained: str, table: object) -> None:
    """One more card never lowers what a hand brings."""
    counts = {symbol: getattr(hand, symbol) for symbol in (*SYMBOLS, "joker")}
    more = Hand(**{**counts, gained: counts[gained] + 1})

    assert best_trade(hand, table) <= best_trade(more, table)  # type: ignore[arg-type]


@given(hand=HANDS)
def test_the_best_trade_uses_whole_sets(hand: Hand) -> None:
    """A hand brings at most ten a set of three, and something as soon as it has five cards."""
    assert CZ is not None
    armies = best_trade(hand, CZ)

    assert (True, True) == (armies <= 10 * (hand.cards // 3), armies > 0 or hand.cards < 5)
