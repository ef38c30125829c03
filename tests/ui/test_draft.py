"""The board while it is being typed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.ui.draft import VACANT, Draft, from_json, gaps
from companion.ui.model import atlas
from tests.ui import states

PLAYERS = ["p1", "p2", "p3"]
ALL: dict[str, Any] = {"board": True, "armies": PLAYERS, "hands": PLAYERS}


def whole(**more: Any) -> Draft:
    """A draft in which nothing is missing."""
    return from_json(states.draft(**more), "r2-t7", PLAYERS, atlas())


def codes(draft: Draft, *, out: tuple[str, ...] = (), need: dict[str, Any] | None = None) -> list[str]:
    """Codes of what keeps the draft from being confirmed."""
    alive = [player for player in PLAYERS if player not in out]
    return [gap.code for gap in gaps(draft, alive=alive, out=out, atlas=atlas(), **(need or ALL))]


def test_an_empty_draft_lacks_everything() -> None:
    """Nothing said is nothing known: six continents, three armies, three hands."""
    assert ["owners"] * 6 + ["armies"] * 3 + ["hand"] * 3 == codes(Draft())


def test_a_whole_draft_lacks_nothing() -> None:
    """Forty-two owners, armies and hands of all are enough."""
    assert [] == codes(whole())


def test_what_decides_nothing_is_not_asked() -> None:
    """Where only the board decides, armies and hands may stay unknown."""
    board = Draft(owners=whole().owners)

    assert [] == codes(board, need={"board": True, "armies": (), "hands": ()})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"armies": {"p1": 13, "p2": 28, "p3": 24}}, ["armies-few"]),
        ({"hands": {p: {"infantry": 0, "artillery": 0, "cavalry": 0, "joker": 1} for p in PLAYERS}}, ["jokers"]),
        ({"owners": dict.fromkeys(whole().owners, "p1")}, ["owns-nothing", "owns-nothing", "armies-few"]),
    ],
)
def test_what_cannot_be_right_is_said(change: dict[str, Any], expected: list[str]) -> None:
    """Fewer armies than territories, a third joker, a player in the game without land."""
    assert expected == codes(whole(**change))


def test_a_player_who_is_out_owns_nothing() -> None:
    """Territories of a player who is out are an error, not a score."""
    assert "out-owns" in codes(whole(), out=("p3",))


def test_nobody_may_own_a_territory() -> None:
    """A vacant territory is said, and travels as such."""
    draft = whole().owned("siam", VACANT)

    assert ["siam"] == draft.confirmed(PLAYERS, atlas())["vacant"]
    assert [] == codes(draft)


def test_the_rest_of_a_continent_goes_to_one_player_without_touching_the_others() -> None:
    """The fast way fills only what has no owner yet."""
    draft = Draft().owned("brazil", "p2").rest_owned(atlas()["south_america"], "p1")

    assert {"p1": 3, "p2": 1} == dict(draft.counts())


def test_a_draft_comes_back_as_it_was() -> None:
    """What was put on the table's disk is what is typed on after a restart."""
    draft = whole()

    assert draft == from_json(draft.to_json("r2-t7"), "r2-t7", PLAYERS, atlas())


def test_a_draft_of_another_game_is_not_taken() -> None:
    """The last game's board never counts for this one."""
    assert Draft() == from_json(states.draft(), "r3-t7", PLAYERS, atlas())


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"game": "g", "owners": [1, 2], "armies": "many", "hands": None},
        {"game": "g", "owners": {"atlantis": "p1", "siam": "p9"}, "armies": {"p1": -1, "p2": True, "p9": 3}},
        {"game": "g", "hands": {"p1": {"infantry": 1}}, "tijd_seen_ns": "x"},
    ],
)
def test_a_damaged_draft_leaves_nothing_false(kept: dict[str, Any]) -> None:
    """What does not fit is left out, and has to be said again."""
    assert Draft() == from_json(kept, "g", PLAYERS, atlas())


@given(st.dictionaries(st.sampled_from([t for g in atlas().values() for t in g]), st.sampled_from([*PLAYERS, VACANT])))
def test_every_territory_is_counted_once(owners: dict[str, str]) -> None:
    """Owners and what is missing add up to the board, whatever was typed."""
    draft = Draft(owners=owners)
    missing = sum(
        gap.values["n"] for gap in gaps(draft, alive=PLAYERS, out=(), atlas=atlas(), **ALL) if gap.code == "owners"
    )

    assert 42 == sum(draft.counts().values()) + missing


@given(st.integers(-2000, 2000), st.integers(-100, 100))
def test_numbers_stay_within_what_can_be(armies: int, cards: int) -> None:
    """No press makes a negative number, or more cards than the box has."""
    draft = Draft().with_armies("p1", armies).with_cards("p1", "joker", cards).with_cards("p1", "infantry", cards)

    assert 0 <= draft.armies["p1"] <= 999
    assert (True, True) == (0 <= draft.hands["p1"]["joker"] <= 2, 0 <= draft.hands["p1"]["infantry"] <= 44)


def test_a_hand_without_cards_is_not_an_unknown_hand() -> None:
    """No cards is something that was said."""
    assert (None, 0) == (Draft().hands.get("p1"), sum(Draft().without_cards("p1").hands["p1"].values()))
