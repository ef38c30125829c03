"""The board while it is being typed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.ui.asking import Asked
from companion.ui.charts import atlas
from companion.ui.draft import VACANT, Draft, from_json
from companion.ui.gaps import Gap, gaps
from tests.ui import states

PLAYERS = ["p1", "p2", "p3"]


def needs(**more: Any) -> Asked:
    """Owners, and whatever else is named, are asked for."""
    asked: dict[str, Any] = {"armies": (), "hands": (), "may_armies": True, "may_hands": True, "reason": None}
    return Asked(board=True, **(asked | more))


ALL = needs(armies=tuple(PLAYERS), hands=tuple(PLAYERS))


def whole(**more: Any) -> Draft:
    """A draft in which nothing is missing."""
    return from_json(states.draft(**more), "r2-t7", PLAYERS, atlas())


def found(draft: Draft, *, out: tuple[str, ...] = (), asked: Asked = ALL, cap: int | None = None) -> tuple[Gap, ...]:
    """What keeps the draft from being confirmed."""
    alive = [player for player in PLAYERS if player not in out]
    return gaps(draft, alive=alive, out=out, atlas=atlas(), asked=asked, cap=cap)


def codes(draft: Draft, **how: Any) -> list[str]:
    """Codes of what keeps the draft from being confirmed."""
    return [gap.code for gap in found(draft, **how)]


def test_an_empty_draft_lacks_everything() -> None:
    """Nothing said is nothing known: six continents, three armies, three hands."""
    assert ["owners"] * 6 + ["armies"] * 3 + ["hand"] * 3 == codes(Draft())


def test_a_whole_draft_lacks_nothing() -> None:
    """Forty-two owners, armies and hands of all are enough."""
    assert [] == codes(whole())


def test_what_decides_nothing_is_not_asked() -> None:
    """Where only the board decides, armies and hands may stay unknown."""
    board = Draft(owners=whole().owners)

    assert [] == codes(board, asked=needs())


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
        {"game": "g", "objectives": {"p9": "letto", "p1": 3}, "armies_on": {"siam": 0, "atlantis": 2, "peru": "x"}},
    ],
)
def test_a_damaged_draft_leaves_nothing_false(kept: dict[str, Any]) -> None:
    """What does not fit is left out, and has to be said again."""
    assert Draft() == from_json(kept, "g", PLAYERS, atlas())


@given(st.dictionaries(st.sampled_from([t for g in atlas().values() for t in g]), st.sampled_from([*PLAYERS, VACANT])))
def test_every_territory_is_counted_once(owners: dict[str, str]) -> None:
    """Owners and what is missing add up to the board, whatever was typed."""
    draft = Draft(owners=owners)
    missing = sum(gap.values["n"] for gap in found(draft) if gap.code == "owners")

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


def test_objectives_are_of_one_player_each() -> None:
    """Nobody's may be missing, and no card is held twice."""
    asked = needs(objectives=tuple(PLAYERS))
    one = whole().with_objective("p1", "letto")
    twice = one.with_objective("p2", "letto").with_objective("p3", "befana")

    assert ["objective", "objective"] == codes(one, asked=asked)
    assert [("objective-twice", "objectives")] == [(gap.code, gap.tab) for gap in found(twice, asked=asked)]
    assert ["letto", "letto", "befana"] == [row["objective"] for row in twice.confirmed(PLAYERS, atlas())["players"]]


def test_an_objective_is_taken_back() -> None:
    """What was tapped by mistake is nobody's again, and travels as such."""
    draft = whole().with_objective("p1", "letto").with_objective("p1", None)

    assert "objective" not in draft.confirmed(PLAYERS, atlas())["players"][0]


def test_a_cap_is_kept() -> None:
    """More armies than the rules let on the board are seen before the table refuses them."""
    assert (["armies-many"], []) == (codes(whole(), cap=30), codes(whole(), cap=31))


def test_armies_by_territory_are_whole_or_not_there() -> None:
    """A mission that counts them needs every territory of who claims it; half of them say nothing."""
    asked = needs(armies_on=("p1",))
    own = [t for t, owner in whole().owners.items() if owner == "p1"]
    half = whole().with_armies_on(own[0], 2)
    full = half
    for territory in own:
        full = full.with_armies_on(territory, 2)

    assert (["armies-on"], []) == (codes(half, asked=asked), codes(full, asked=asked))
    assert "armies_on" not in half.confirmed(PLAYERS, atlas())["players"][0]
    assert dict.fromkeys(own, 2) == full.confirmed(PLAYERS, atlas())["players"][0]["armies_on"]
    assert {} == half.with_armies_on(own[0], 0).armies_on


def test_what_an_option_counts_is_said_of_everybody_it_is_asked_of() -> None:
    """Armies to place, cards of an own land and the lot: missing until said, and then they travel."""
    asked = needs(unplaced=("p1",), owned=("p1",))
    hand = {"infantry": 1, "artillery": 0, "cavalry": 0, "joker": 0}
    draft = replace(whole(hands={"p1": hand}).with_unplaced("p1", 0).without_cards("p1", of="own_cards"), lot="271")
    said = draft.confirmed(PLAYERS, atlas())

    assert ["unplaced", "owned"] == codes(whole(), asked=asked)
    assert [] == codes(draft, asked=asked)
    assert ["owned-many"] == codes(draft.with_cards("p1", "joker", 1, of="own_cards"), asked=asked)
    assert (0, dict.fromkeys(hand, 0), "271") == (
        said["players"][0]["unplaced_armies"], said["players"][0]["owned_cards"], said["lot"],
    )  # fmt: skip
    assert draft == from_json(draft.to_json("r2-t7"), "r2-t7", PLAYERS, atlas())
