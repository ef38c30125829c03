"""Players count only what decides."""

from __future__ import annotations

from typing import Any

import pytest

from companion.rules.ruleset import load_ruleset
from companion.ui.asking import Asked, asked
from companion.ui.charts import atlas
from companion.ui.draft import VACANT, Draft, from_json
from tests.ui import states, systems

RULES = load_ruleset("nl1996")


def frozen(**more: Any) -> dict[str, Any]:
    """A frozen table that plays by rules which the screen has."""
    rules = {"ruleset": {"name": "nl1996", "hash": RULES.hash}, "options": dict(RULES.options)}
    return states.frozen(**rules) | more


def draft(**more: Any) -> Draft:
    """A draft with fourteen territories each, and no armies or cards unless given."""
    return from_json(states.draft(**{"armies": {}, "hands": {}, **more}), "r2-t7", ["p1", "p2", "p3"], atlas())


def needs(state: dict[str, Any], of: Draft) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Whose armies and whose cards are asked for."""
    found: Asked = asked(state, of, atlas())
    return found.armies, found.hands


def test_an_open_board_asks_for_owners_first() -> None:
    """Until every territory has an owner nobody need count armies, but may."""
    found = asked(frozen(), Draft(owners={"siam": "p1"}), atlas())

    assert (True, (), (), True, True) == (found.board, found.armies, found.hands, found.may_armies, found.may_hands)


def test_equal_owners_ask_for_armies() -> None:
    """Three who are equal in continents and territories count their armies."""
    assert (("p1", "p2", "p3"), ()) == needs(frozen(), draft())


def test_armies_that_decide_end_the_asking() -> None:
    """Different armies: no cards."""
    assert ((), ()) == needs(frozen(), draft(armies={"p1": 31, "p2": 28, "p3": 24}))


def test_equal_armies_ask_for_the_cards_of_those_who_are_equal() -> None:
    """Only the two who are still equal show their cards."""
    assert ((), ("p2", "p3")) == needs(frozen(), draft(armies={"p1": 31, "p2": 28, "p3": 28}))


def test_armies_that_are_being_typed_count_as_unknown() -> None:
    """A first digit is no number of armies: the player is still asked."""
    asked_of, _ = needs(frozen(), draft(armies={"p1": 3, "p2": 28, "p3": 24}))

    assert "p1" in asked_of


def test_a_vacant_territory_is_an_owner() -> None:
    """A board with nobody's land is whole."""
    vacant = draft().owned("siam", VACANT)

    assert asked(frozen(), vacant, atlas()).reason != asked(frozen(), Draft(), atlas()).reason


@pytest.mark.parametrize(
    "more",
    [
        {"ruleset": {"name": "club", "hash": "0" * 64}},
        {"system": "chess"},
        {"options": {"no.such.option": 1}},
        {"ruleset": None},
    ],
)
def test_rules_that_the_screen_does_not_have_ask_for_everything(more: dict[str, Any]) -> None:
    """Too much is slow, too little would be wrong."""
    assert (("p1", "p2", "p3"), ("p1", "p2", "p3")) == needs(frozen(**more), draft())


def test_a_claim_that_decides_all_asks_for_nothing() -> None:
    """What the table says is not needed is not asked."""
    need = {"board": False, "armies": False, "hands": False, "reason": None}

    assert Asked(board=False, armies=(), hands=(), may_armies=False, may_hands=False, reason=None) == asked(
        frozen(need=need), Draft(), atlas()
    )


def test_objectives_are_asked_of_everybody_who_is_in_the_game() -> None:
    """Where the table needs objectives, all who play on show theirs."""
    state = systems.frozen("risiko")
    state["players"][3]["out"] = {"by": "p1", "left_before": 4}

    assert ("p1", "p2", "p3") == asked(state, Draft(), atlas("risiko")).objectives


@pytest.mark.parametrize(("claim", "expected"), [({"player": "p2"}, ("p2",)), (None, ("p1", "p2", "p3", "p4"))])
def test_armies_by_territory_are_asked_of_who_claims(claim: dict[str, Any] | None, expected: tuple[str, ...]) -> None:
    """A mission of territories with two armies each is counted where its claimant stands."""
    need = systems.frozen("classic")["need"] | {"also": ["armies_on"]}
    state = systems.frozen("classic", need=need, frozen={"why": "mission", "claim": claim})

    assert expected == asked(state, Draft(), atlas()).armies_on


def test_what_options_count_is_asked_with_what_it_belongs_to() -> None:
    """Unplaced armies where armies are asked, cards of an own land where cards are, and the lot of nobody."""
    need = frozen()["need"] | {"also": ["unplaced_armies", "owned_cards", "lot"]}
    equal = draft(armies={"p1": 31, "p2": 28, "p3": 28})
    found = asked(frozen(need=need), equal, atlas())

    assert (("p1", "p2", "p3"), ("p2", "p3"), True) == (found.unplaced, found.owned, found.may_lot)
