"""Dice limits and losses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.combat import attack_with, dice_limits, losses
from companion.rules.errors import ThrowError
from companion.rules.ruleset import load_ruleset


@pytest.mark.parametrize(
    ("attack", "defence", "expected"),
    [
        ([6, 4, 2], [5, 4], (1, 1)),
        ([1], [1], (1, 0)),
        ([6], [1, 5], (0, 1)),
        ([6, 6, 6], [6], (1, 0)),
        ([], [6], (0, 0)),
        ([3, 2], [2, 1], (0, 2)),
    ],
)
def test_pairs_are_compared_from_the_highest(attack: list[int], defence: list[int], expected: tuple[int, int]) -> None:
    """Highest against highest, a tie to the defender, as many armies at stake as pairs."""
    cost = losses(attack, defence, ruleset=load_ruleset("nl1996"))

    assert expected == (cost.attacker, cost.defender)


def test_a_tie_may_go_to_the_attacker() -> None:
    """The box that says so gives ties to the attacker."""
    cost = losses([4], [4], ruleset=load_ruleset("classic", {"tie": "attacker"}))

    assert (0, 1) == (cost.attacker, cost.defender)


def test_impossible_pips_are_refused() -> None:
    """A seven costs nobody an army."""
    with pytest.raises(ThrowError) as refusal:
        losses([7], [1], ruleset=load_ruleset("nl1996"))

    assert "bad-die" == refusal.value.code


@pytest.mark.parametrize(
    ("system", "attacking", "defending", "expected"),
    [
        ("classic", 1, 5, (0, 0)),
        ("classic", 2, 5, (1, 2)),
        ("classic", 9, 1, (3, 1)),
        ("classic", 4, 0, (0, 0)),
        ("risiko", 4, 5, (3, 3)),
        ("risiko", 3, 3, (0, 0)),
        ("risiko", 3, 2, (2, 2)),
    ],
)
def test_the_most_dice_of_both_sides(system: str, attacking: int, defending: int, expected: tuple[int, int]) -> None:
    """Three attack dice at most, one army staying; in risiko no attack with fewer dice than the defence."""
    limits = dice_limits(attacking, defending, ruleset=load_ruleset(system))

    assert expected == (limits.attack, limits.defence)


@pytest.mark.parametrize(
    ("rules", "wanted", "attacking", "defending", "code"),
    [
        (("classic", {}), 1, 1, 1, "attack-too-weak"),
        (("classic", {}), 3, 3, 1, "attack-dice-wanted"),
        (("classic", {}), 0, 3, 1, "attack-dice-wanted"),
        (("classic", {}), 1, 5, 4, "attack-allowed"),
        (("classic", {}), 1, 2, 1, "attack-allowed"),
        (("classic", {}), 2, 3, 1, "attack-allowed"),
        (("classic", {}), 4, 9, 1, "attack-dice-wanted"),
        (("classic", {"attacker_fewer_dice": "never"}), 1, 5, 4, "attack-dice-must"),
        (("risiko", {}), 2, 5, 4, "attack-fewer-than-defence"),
        (("risiko", {}), 2, 5, 2, "attack-allowed"),
    ],
)
def test_an_attack_with_a_number_of_dice(
    rules: tuple[str, dict[str, Any]], wanted: int, attacking: int, defending: int, code: str
) -> None:
    """Each refusal of an attack has its own reason, and the defence is told anyway."""
    ruling = attack_with(wanted, attacking_armies=attacking, defending_armies=defending, ruleset=load_ruleset(*rules))

    assert (code, code == "attack-allowed", min(defending, 3 if rules[0] == "risiko" else 2)) == (
        ruling.reason.code,
        ruling.allowed,
        ruling.defence_dice,
    )


@given(
    attack=st.lists(st.integers(1, 6), max_size=3),
    defence=st.lists(st.integers(1, 6), max_size=3),
    tie=st.sampled_from(["defender", "attacker"]),
)
def test_every_pair_costs_exactly_one_army(attack: list[int], defence: list[int], tie: str) -> None:
    """Losses of both sides add up to the pairs."""
    cost = losses(attack, defence, ruleset=load_ruleset("classic", {"tie": tie}))

    assert min(len(attack), len(defence)) == cost.attacker + cost.defender
