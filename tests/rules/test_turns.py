"""Turn bookkeeping of nl1996."""

from __future__ import annotations

from typing import Any

import pytest

from companion.rules import turns
from companion.rules.ruleset import load_ruleset


@pytest.mark.parametrize(
    ("conquered", "taken", "next_threw", "code"),
    [
        (True, False, False, "card-allowed"),
        (False, False, False, "card-nothing-conquered"),
        (True, True, False, "card-already-taken"),
        (True, False, True, "card-too-late"),
    ],
)
def test_a_forgotten_card(conquered: bool, taken: bool, next_threw: bool, code: str) -> None:
    """Until the next player throws."""
    verdict = turns.claim_card(conquered=conquered, already_taken=taken, next_player_threw=next_threw)

    assert (code, code == "card-allowed") == (verdict.reason.code, verdict.allowed)


@pytest.mark.parametrize(
    ("kind", "own", "next_threw", "code"),
    [
        ("continent", False, False, "armies-allowed"),
        ("continent", True, False, "armies-own-throw"),
        ("territory", True, False, "armies-allowed"),
        ("territory", False, True, "armies-next-throw"),
    ],
)
def test_forgotten_armies(kind: Any, own: bool, next_threw: bool, code: str) -> None:
    """Continent armies until the own throw, others until the next player's."""
    verdict = turns.claim_armies(kind, own_throw_made=own, next_player_threw=next_threw)

    assert (code, code == "armies-allowed") == (verdict.reason.code, verdict.allowed)


@pytest.mark.parametrize(
    ("armies", "dice", "goes_on", "can", "expected"),
    [(8, 3, True, True, (3, 7)), (8, 3, True, False, (3, 3)), (8, 3, False, True, (3, 3)), (3, 3, True, True, (2, 2))],
)
def test_moving_in(armies: int, dice: int, goes_on: bool, can: bool, expected: tuple[int, int]) -> None:
    """All but one only if the attack goes on from there and can."""
    found = turns.advance(armies, dice, continue_from_conquered=goes_on, conquered_land_can_attack=can)

    assert expected == (found.least, found.most)


@pytest.mark.parametrize(("armies", "allowed"), [(0, True), (7, True), (8, False), (-1, False)])
def test_the_last_shift(armies: int, allowed: bool) -> None:
    """At most seven armies at the end of a turn."""
    assert allowed is turns.end_turn_shift(armies, ruleset=load_ruleset("nl1996")).allowed
