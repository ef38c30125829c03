"""Start order, seats, dealing and picking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.errors import ThrowError
from companion.rules.ruleset import Ruleset, load_ruleset
from companion.rules.seating import dealing_order, pick_order, start_order, territories_each, turn_order


def test_the_highest_die_starts(nl: Ruleset) -> None:
    """The order follows the dice, clockwise in nl1996."""
    found = start_order({"a": [3], "b": [6], "c": [4]}, ruleset=nl)

    assert (("b", "c", "a"), (), "clockwise") == (found.order, found.to_throw, found.seats)


def test_only_the_tied_throw_again(nl: Ruleset) -> None:
    """Two sixes throw again between themselves, and their second die can't fall below the third player."""
    tied = start_order({"a": [6], "b": [6], "c": [4]}, ruleset=nl)
    half = start_order({"a": [6, 1], "b": [6], "c": [4]}, ruleset=nl)
    settled = start_order({"a": [6, 1], "b": [6, 2], "c": [4]}, ruleset=nl)

    assert (("a", "b"), (("a", "b"),), ("b",), ("b", "a", "c")) == (
        tied.to_throw,
        tied.tied,
        half.to_throw,
        settled.order,
    )


def test_who_has_not_thrown_must(nl: Ruleset) -> None:
    """Before the first die everybody throws and there is no order."""
    found = start_order({"a": [], "b": [5]}, ruleset=nl)

    assert (None, ("a",)) == (found.order, found.to_throw)


@pytest.mark.parametrize("value", [0, 7])
def test_a_start_die_shows_one_to_six(nl: Ruleset, value: int) -> None:
    """Another value is refused."""
    with pytest.raises(ThrowError) as refusal:
        start_order({"a": [value]}, ruleset=nl)

    assert "bad-die" == refusal.value.code


def test_turns_go_by_the_dice_or_clockwise(nl: Ruleset) -> None:
    """Where seats were not taken side by side the option decides between dice and seats."""
    seats = {"a": 1, "b": 4, "c": 2}
    clockwise = load_ruleset("nl1996", {"turn_order": "clockwise_from_starter"})

    assert (("b", "c", "a"), ("b", "a", "c")) == (
        turn_order(["b", "c", "a"], seats, ruleset=nl),
        turn_order(["b", "c", "a"], seats, ruleset=clockwise),
    )


def test_the_left_neighbour_gets_the_first_card() -> None:
    """The highest deals, clockwise from the left neighbour, and comes last."""
    order = dealing_order(["b", "c", "a", "d"], {"a": 1, "b": 2, "c": 3, "d": 4})

    assert (("c", "d", "a", "b"), {"c": 11, "d": 11, "a": 10, "b": 10}) == (order, territories_each(order))


@pytest.mark.parametrize(
    ("order", "picks"), [(["a", "b", "c"], ("b", "c", "a")), (["a", "b"], ("a", "b")), (["a"], ("a",))]
)
def test_picking_starts_with_the_last_but_one(order: list[str], picks: tuple[str, ...]) -> None:
    """In risiko the last but one in the order of play begins."""
    assert picks == pick_order(order)


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(1, 6), max_size=4), min_size=2))
def test_an_order_holds_everybody_or_names_who_throws(throws: dict[str, list[int]]) -> None:
    """Whatever was thrown, either everybody has a place or somebody must throw."""
    found = start_order(throws, ruleset=load_ruleset("nl1996"))

    assert (set(throws) if not found.to_throw else None) == (set(found.order) if found.order else None)
