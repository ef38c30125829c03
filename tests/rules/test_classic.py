"""The box rules, and what is enough to decide where they hold."""

from __future__ import annotations

from typing import Any

import pytest

from companion.rules.errors import RulesError
from companion.rules.position import Claim, KnockedOut, Tally
from companion.rules.ruleset import load_ruleset
from companion.rules.systems import classic

CZ = load_ruleset("classic")
RB = load_ruleset("rebels")


def row(player: str, territories: int, armies: int | None = 30, *continents: str) -> Tally:
    """One player's tally."""
    return Tally(player=player, continents=continents, territories=territories, armies=armies)


@pytest.mark.parametrize(
    ("system", "players", "units", "most"), [("classic", 5, 25, 4), ("risiko", 6, 20, None), ("apoikia", 4, 30, None)]
)
def test_units_at_the_start(system: str, players: int, units: int, most: int | None) -> None:
    """The units of each player, with the box's limit while placing."""
    found = classic.set_up(players, ruleset=load_ruleset(system))

    assert (units, most, False, True, most is None) == (
        found.units,
        found.most,
        found.allows(0),
        found.allows(4),
        found.allows(5),
    )


def test_the_organiser_may_say_the_units() -> None:
    """With the option of risiko the number is asked."""
    assert None is classic.set_up(4, ruleset=load_ruleset("risiko", {"starting_armies": "organiser"})).units


def test_units_for_a_number_that_no_box_serves() -> None:
    """Seven players are refused with the numbers that there are."""
    with pytest.raises(RulesError) as refusal:
        classic.set_up(7, ruleset=CZ)

    assert ("table-size", [3, 4, 5, 6]) == (refusal.value.code, refusal.value.values["allowed"])


@pytest.mark.parametrize("pieces", [{"three_point": -1}, {"six_point": 1}])
def test_impossible_pieces_are_refused(pieces: dict[str, int]) -> None:
    """Fewer than none, or a piece that no box has; all pieces of a colour are 150 units."""
    with pytest.raises(RulesError) as refusal:
        classic.units_of(pieces, ruleset=CZ)

    assert "negative-number" == refusal.value.code
    assert 150 == classic.units_of({"three_point": 50, "four_point": 8, "five_point": 6}, ruleset=CZ)


@pytest.mark.parametrize(("players", "lands"), [(3, 0), (4, 2), (5, 2), (6, 0)])
def test_what_equal_dealing_leaves(players: int, lands: int) -> None:
    """42 lands don't divide by four or five; the option or the rebels have the rest."""
    assert (lands, "deal_on", "rebels") == (
        classic.left_over(players, ruleset=CZ).lands,
        classic.left_over(players, ruleset=CZ).what,
        classic.left_over(players, ruleset=RB).what,
    )


def test_the_minimum_is_a_choice() -> None:
    """The box states no minimum; many play with three."""
    three = load_ruleset("classic", {"minimum": 3})

    assert (0, 3, 5) == (
        classic.reinforcement(2, [], ruleset=CZ),
        classic.reinforcement(2, [], ruleset=three),
        classic.reinforcement(2, [2], ruleset=three),
    )


def test_moving_in_after_a_conquest() -> None:
    """At least the dice thrown, at most all but one."""
    assert [(3, 7), (1, 1)] == [(m.least, m.most) for m in (classic.move_in(8, 3), classic.move_in(2, 3))]


def test_moves_after_the_attacks() -> None:
    """Any number of moves, or one."""
    one = load_ruleset("classic", {"fortify_moves": "one"})

    assert (True, True, False) == (
        classic.may_fortify(3, ruleset=CZ),
        classic.may_fortify(0, ruleset=one),
        classic.may_fortify(1, ruleset=one),
    )


def test_a_card_for_a_conquest() -> None:
    """One card a turn, if something was conquered; a destroyed player's cards unless that was the mission."""
    assert (True, False, False) == tuple(
        classic.may_take_card(conquered=conquered, already_taken=taken)
        for conquered, taken in ((True, False), (True, True), (False, False))
    )
    assert (4, 0) == tuple(classic.cards_from_destroyed(4, was_mission=mission) for mission in (False, True))


def test_who_won_by_the_box_rules() -> None:
    """A mission or domination wins; without either people rule."""
    out = [KnockedOut(player="c", players_left_before=3, by="a")]
    by_mission = classic.table_result([row("a", 24), row("b", 18)], out, claim=Claim(player="a", mission="occupy_24"))
    alone = classic.table_result([row("a", 42)], [*out, KnockedOut(player="b", players_left_before=2)], claim=None)
    nobody = classic.table_result([row("a", 24), row("b", 18)], out, claim=None)

    assert {"a": "win", "b": "loss", "c": "loss"} == by_mission.results() == alone.results()
    assert ((("a", "b"),), ("win", "loss")) == (nobody.unresolved, nobody.at_stake)


@pytest.mark.parametrize(
    ("system", "alive", "recorded", "claim", "expected"),
    [
        ("classic", "a", {}, None, (None, "need-nothing-domination")),
        ("classic", "ab", {}, "a", (None, "need-nothing-mission")),
        ("classic", "ab", {}, None, ("board", "need-territories")),
        ("classic", "ab", {"a": (20, None), "b": (20, None)}, None, (None, "need-nothing-all-known")),
        ("rebels", "ab", {"a": (20, None), "b": (20, None)}, None, ("armies", "need-tie")),
        ("rebels", "ab", {"a": (20, 5), "b": (20, 4)}, None, (None, "need-nothing-all-known")),
        ("apoikia", "ab", {}, None, ("board", "need-cities")),
        ("apoikia", "ab", {"a": (20, None), "b": (20, None)}, None, (None, "need-cities")),
    ],
)
def test_what_is_enough_to_decide(system: str, alive: str, recorded: Any, claim: Any, expected: Any) -> None:
    """Each system asks for no more than decides."""
    known = {player: row(player, lands, armies) for player, (lands, armies) in recorded.items()}
    made = Claim(player=claim) if claim else None
    need = classic.needed(list(alive), known, claim=made, ruleset=load_ruleset(system))

    assert expected == (need.next, need.reason.code)
