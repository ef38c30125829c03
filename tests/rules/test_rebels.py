"""Rebel armies."""

from __future__ import annotations

from typing import Any

import pytest

from companion.rules.errors import PositionError, RulesError
from companion.rules.position import KnockedOut, Tally
from companion.rules.ruleset import load_ruleset, read_ruleset
from companion.rules.systems import rebels, rebels_game

RB = load_ruleset("rebels")


def row(player: str, territories: int, armies: int | None = 30, *continents: str) -> Tally:
    """One player's tally."""
    return Tally(player=player, continents=continents, territories=territories, armies=armies)


def test_triples_by_either_trigger() -> None:
    """Three equal attack dice, or any three equal dice of both sides."""
    wide = load_ruleset("rebels", {"trigger": "any_three_equal_of_all_dice"})
    made = [rebels.rebels_created([4, 4, 1], [4, 2], attack_from="siam", ruleset=rules) for rules in (RB, wide)]

    assert [(0, None), (None, 4)] == [(found.rebels, found.face) for found in made]


def test_a_table_without_that_face_is_asked() -> None:
    """A club's table answers for its faces only."""
    tables = '[rebels.by_face]\n6 = 8\n[rebels.by_combination]\n6-6-5 = { effect = "add_rebels", amount = 2 }'
    club = read_ruleset(f'extends = "rebels"\n{tables}')

    assert [8, None] == [
        rebels.rebels_created([face] * 3, [], attack_from="siam", ruleset=club).rebels for face in (6, 2)
    ]
    assert ({"effect": "add_rebels", "amount": 2}, None) == (
        rebels.combination([6, 5, 6], ruleset=club),
        rebels.combination([1, 2, 3], ruleset=club),
    )


def test_earlier_answers_are_proposed() -> None:
    """The newest answer to the same face is proposed, and nothing where none was given."""
    answers = [(4, 5), (2, 1), (4, 6)]

    assert (6, None) == (rebels.proposed(4, answers), rebels.proposed(1, answers))


@pytest.mark.parametrize(
    ("armies", "now", "fresh", "before", "code"),
    [
        (2, 0, False, 0, "rebels-may-attack"),
        (1, 0, False, 0, "rebels-few-armies"),
        (5, 3, True, 0, "rebels-may-attack"),
        (4, 3, True, 0, "rebels-few-armies"),
        (9, 3, False, 0, "rebels-block"),
        (9, 5, True, 2, "rebels-block"),
    ],
)
def test_attacking_from_a_land_with_rebels(armies: int, now: int, fresh: bool, before: int, code: str) -> None:
    """Only with five armies, and only in the turn in which all its rebels came."""
    verdict = rebels.may_attack_from(armies, now, created_this_turn=fresh, rebels_before=before, ruleset=RB)

    assert (code, code == "rebels-may-attack") == (verdict.reason.code, verdict.allowed)


def test_leaving_and_conquering_with_rebels() -> None:
    """Two stay with rebels, one without; an invader needs to beat only the armies."""
    assert (4, 5, 0) == (
        rebels.max_leave(6, 3, ruleset=RB),
        rebels.max_leave(6, 0, ruleset=RB),
        rebels.max_leave(1, 3, ruleset=RB),
    )
    taken, quiet, held = (rebels.conquer(left, there, 1, ruleset=RB) for left, there in ((0, 4), (0, 0), (1, 4)))
    assert [(True, 4, 2), (True, 0, 1), (False, 4, 0)] == [
        (found.conquered, found.rebels, found.least_move) for found in (taken, quiet, held)
    ]


@pytest.mark.parametrize(
    ("armies", "there", "options", "expected"),
    [
        (3, 15, {}, (True, 0, 3, 5)),
        (9, 45, {"coup_loss_rounding": "ceil"}, (True, 3, 6, 5)),
        (9, 45, {"after_coup": "add_5"}, (True, 2, 7, 50)),
        (1, 7, {"after_coup": "max"}, (True, 0, 1, 7)),
        (3, 16, {"coup_compare": "exactly"}, (False, 0, 0, 16)),
        (0, 16, {}, (True, 0, 0, 5)),
    ],
)
def test_coups(armies: int, there: int, options: dict[str, Any], expected: Any) -> None:
    """Five times as many rebels take the land; a quarter is lost, the rest moves."""
    found = rebels.coup(armies, there, ruleset=load_ruleset("rebels", options))

    assert expected == (found.coup, found.lost, found.moved, found.rebels)


def test_a_coup_without_another_land() -> None:
    """Whoever has no other land loses everything and is out."""
    found = rebels.coup(3, 15, ruleset=RB, other_lands=False)

    assert (3, 0, True) == (found.lost, found.moved, found.out)


def test_flight_is_a_coup() -> None:
    """A quarter rounded down is lost, and the rebels hold the land."""
    found = rebels.flight(7, ruleset=RB, rebels=2)

    assert (True, 1, 6, 5) == (found.coup, found.lost, found.moved, found.rebels)


@pytest.mark.parametrize(
    ("dice", "armies", "there", "options", "expected"),
    [
        (([6, 1, 1], [5, 5]), 7, 5, {}, (7, 3, False, False)),
        (([5, 1, 1], [5, 1]), 7, 5, {}, (5, 5, False, False)),
        (([5, 1, 1], [5, 1]), 3, 5, {}, (1, 5, True, True)),
        (([5, 1, 1], [5, 1]), 2, 5, {}, (0, 5, True, True)),
        (([6, 2, 1], [5, 4]), 7, 5, {"compare": "pairs"}, (6, 4, False, False)),
    ],
)
def test_fighting_rebels(dice: Any, armies: int, there: int, options: Any, expected: Any) -> None:
    """Two units a throw, a tie to the rebels, and a coup ends the attack."""
    rules = load_ruleset("rebels", options)
    found = rebels.combat(*dice, armies=armies, rebels=there, ruleset=rules)

    assert expected == (found.armies, found.rebels, found.coup, found.attack_over)


def test_only_an_occupier_suffers_a_coup() -> None:
    """A returning player's fight knows no coup."""
    found = rebels.combat([5, 1, 1], [5, 1], armies=3, rebels=5, ruleset=RB, occupier=False)

    assert (False, False) == (found.coup, found.attack_over)


@pytest.mark.parametrize(("attack", "theirs", "side"), [([], [5], "attack"), ([5], [], "rebels")])
def test_a_fight_needs_dice(attack: Any, theirs: Any, side: str) -> None:
    """Without dice of both sides nothing is compared."""
    with pytest.raises(RulesError) as refusal:
        rebels.combat(attack, theirs, armies=3, rebels=5, ruleset=RB)

    assert ("dice-missing", side) == (refusal.value.code, refusal.value.values["side"])


@pytest.mark.parametrize(
    ("option", "restless", "lands"),
    [
        ("rebel_lands_of_that_continent", ["peru", "siam"], ("peru",)),
        ("whole_continent", ["peru"], ("brazil", "peru")),
        ("whole_continent", ["siam"], ("brazil", "peru", "siam")),
    ],
)
def test_where_a_continents_bonus_may_stand(option: str, restless: list[str], lands: Any) -> None:
    """In its rebel lands, or all of it; free where no rebels are."""
    rules = load_ruleset("rebels", {"bonus_placement": option})

    assert lands == rebels_game.bonus_lands(
        ["peru", "brazil", "venezuela"], restless, ["peru", "brazil", "siam"], ruleset=rules
    )


@pytest.mark.parametrize(("owned", "there", "bonus"), [(False, 0, 0), (True, 3, 5), (True, 4, 3)])
def test_a_restless_continent_brings_half(owned: bool, there: int, bonus: int) -> None:
    """Half of seven lands is four; half of five is three; without the whole continent nothing."""
    assert bonus == rebels_game.continent_bonus(7, there, 5, owned=owned)


@pytest.mark.parametrize(
    ("occupier", "left", "expected"),
    [(True, 0, (True, 20, 2, True)), (True, 3, (False, 0, 0, False)), (False, 0, (True, 10, 1, False))],
)
def test_the_way_back(occupier: bool, left: int, expected: Any) -> None:
    """A rebellion that succeeds brings more than an empty rebel land; one that fails brings nothing."""
    found = rebels_game.comeback(occupier=occupier, occupier_armies_left=left, ruleset=RB)

    assert expected == (found.back, found.armies, found.cards, found.may_attack_now)


def test_who_throws_for_the_rebels() -> None:
    """The attacker, or the eliminated in turn."""
    assert (None, "a", "b", "a") == (
        rebels_game.plays_rebels([], 3),
        *(rebels_game.plays_rebels(["a", "b"], throws) for throws in range(3)),
    )


@pytest.mark.parametrize(("prize", "minutes", "code"), [(" ", 60, "prize-missing"), ("cake", 0, "negative-number")])
def test_what_must_be_agreed_beforehand(prize: str, minutes: int, code: str) -> None:
    """What victory brings and the longest time are written down before the start."""
    rebels_game.check_agreement("cake", 1)
    with pytest.raises(RulesError) as refusal:
        rebels_game.check_agreement(prize, minutes)

    assert code == refusal.value.code


def test_who_won_with_rebels() -> None:
    """Domination; or at the end of the time lands, then armies; equal ones are ruled on."""
    out = [KnockedOut(player="c", players_left_before=3)]
    alone = rebels_game.table_result([row("a", 42)], [], ruleset=RB)
    lands = rebels_game.table_result([row("a", 20), row("b", 18)], out, ruleset=RB)
    armies = rebels_game.table_result([row("a", 20, 30), row("b", 20, 40)], out, ruleset=RB)
    equal = rebels_game.table_result([row("a", 20), row("b", 20)], out, ruleset=RB)
    asked = rebels_game.table_result(
        [row("a", 20), row("b", 18)], out, ruleset=load_ruleset("rebels", {"time_over": "organiser"})
    )

    assert ["a", "a", "b"] == [found.places[0].player for found in (alone, lands, armies)]
    assert ["ahead-territories", "ahead-armies"] == [found.places[0].reason.code for found in (lands, armies)]
    assert [(("a", "b"),), (("a", "b"),)] == [found.unresolved for found in (equal, asked)]


def test_equal_lands_need_armies() -> None:
    """Armies that decide must be counted."""
    with pytest.raises(PositionError) as refusal:
        rebels_game.table_result([row("a", 20, None), row("b", 20, None)], [], ruleset=RB)

    assert "armies-missing" == refusal.value.code


def test_colour_and_choice_of_rebels() -> None:
    """An unused colour while there is one; lands with rebels to choose from, the strongest first."""
    box = ["black", "blue", "green", "red", "white", "yellow"]

    assert ("black", None) == (
        rebels_game.rebel_colour(["blue"], ruleset=RB),
        rebels_game.rebel_colour(box, ruleset=RB),
    )
    assert ("peru", "siam", "ural") == rebels_game.return_choices({"siam": 3, "peru": 9, "ural": 3, "egypt": 0})


def test_the_dice_against_rebels_are_always_the_same() -> None:
    """Three against two, however few armies or rebels there are."""
    limits = rebels.dice_limits(ruleset=load_ruleset("rebels"))

    assert (3, 2) == (limits.attack, limits.defence)


@pytest.mark.parametrize("compare", ["at_least", "exactly"])
def test_a_land_without_armies_falls_to_any_rebel(compare: str) -> None:
    """The last army is gone: the rebels have the land, and without rebels nobody takes it."""
    rules = load_ruleset("rebels", {"coup_compare": compare})
    taken, quiet = rebels.coup(0, 3, ruleset=rules), rebels.coup(0, 0, ruleset=rules)

    assert ((True, 0, 0, 5), False) == ((taken.coup, taken.lost, taken.moved, taken.rebels), quiet.coup)
