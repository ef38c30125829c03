"""Which dice count, by system and option."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.dice import STATES, WHERE, DieSeen, ThrowRuling, judge
from companion.rules.errors import ThrowError
from companion.rules.ruleset import SYSTEMS, load_ruleset


def die(value: int | None, where: Any = "box", state: Any = "flat", rolled: bool | None = None) -> DieSeen:
    """One die, flat in the box unless said otherwise."""
    return DieSeen(value=value, where=where, state=state, rolled=rolled)


def ruled(
    *dice: DieSeen, system: str = "nl1996", allowed: int | None = 3, apart: int | None = None, **options: Any
) -> ThrowRuling:
    """The ruling under a system with options."""
    rules = load_ruleset(system, options)
    return judge(dice, allowed=allowed, ruleset=rules, thrown_apart_ms=apart)


def codes(ruling: ThrowRuling) -> list[str]:
    """Codes of the reasons in order."""
    return [reason.code for reason in ruling.reasons]


def test_a_clean_throw_counts_whole() -> None:
    """Three dice flat in the box are accepted, highest first, with the reason that all count."""
    ruling = ruled(die(2), die(6), die(4))

    assert ("accept", (6, 4, 2), (6, 4, 2), ["all-count"]) == (
        ruling.action,
        ruling.counted,
        ruling.standing,
        codes(ruling),
    )


@pytest.mark.parametrize(("system", "most"), [("nl1996", 2), ("risiko", 3), ("classic", 2)])
def test_an_unknown_number_means_the_most_of_the_side(system: str, most: int) -> None:
    """Without a known allowance the defence may throw what its system allows at most."""
    rules = load_ruleset(system)

    ruling = judge([die(3)] * most, allowed=None, ruleset=rules, side="defence")
    over = judge([die(3)] * (most + 1), allowed=None, ruleset=rules, side="defence")

    assert ("accept", most, False) == (ruling.action, len(ruling.counted), len(over.counted) == most + 1)


def test_no_die_at_all_goes_to_people() -> None:
    """An empty throw is no throw: people say what lies there."""
    ruling = ruled()

    assert ("referee", ["no-dice"]) == (ruling.action, codes(ruling))


@pytest.mark.parametrize(("apart", "action"), [(1500, "accept"), (1501, "referee"), (None, "accept")])
def test_dice_must_come_in_one_throw(apart: int | None, action: str) -> None:
    """More than the window apart is not one throw, and the leader decides; other systems don't ask."""
    ruling = ruled(die(6), apart=apart)

    assert action == ruling.action


def test_a_late_die_leaves_the_others_standing() -> None:
    """While people decide about a late die the readable ones stand and the others are void."""
    ruling = ruled(die(6), die(None, state="unreadable"), apart=9000)

    assert (("standing", "void"), ["not-one-throw"]) == (ruling.fates, codes(ruling))
    assert {"apart_ms": 9000, "window_ms": 1500} == ruling.reasons[0].values


def test_the_window_is_no_rule_of_risiko() -> None:
    """Risiko knows no window: dice that come late count."""
    ruling = ruled(die(6), system="risiko", apart=60_000)

    assert "accept" == ruling.action


def test_nothing_in_the_box_is_thrown_again_whole() -> None:
    """When every die fell beside the box all dice drop and the throw is made again."""
    ruling = ruled(die(6, "outside"), die(2, "floor"))

    assert ("rethrow_all", (), (6, 2)) == (ruling.action, ruling.counted, ruling.dropped)


def test_nothing_in_the_box_may_mean_no_loss() -> None:
    """With the other option an empty throw stands and costs nobody anything."""
    ruling = ruled(die(6, "outside"), no_dice_left="no_loss")

    assert ("accept", (), (6,), ["outside-dropped", "no-dice-no-loss"]) == (
        ruling.action,
        ruling.counted,
        ruling.dropped,
        codes(ruling),
    )


def test_a_die_that_slid_voids_the_whole_throw() -> None:
    """Dice must roll: then no die counts and none is dropped, whatever lies outside."""
    ruling = ruled(die(6, rolled=False), die(5, "outside"))

    assert ("rethrow_all", (), (), ("void", "void")) == (ruling.action, ruling.counted, ruling.dropped, ruling.fates)


def test_a_die_that_slid_may_only_drop() -> None:
    """With the other option only the die that did not roll falls away."""
    ruling = ruled(die(6, rolled=False), die(5, rolled=True), not_rolled="drop_die")

    assert ("accept", (5,), (6,)) == (ruling.action, ruling.counted, ruling.dropped)


def test_only_slid_dice_leave_none() -> None:
    """When every die drops because none rolled the throw is made again."""
    ruling = ruled(die(6, rolled=False), not_rolled="drop_die")

    assert ("rethrow_all", (6,)) == (ruling.action, ruling.dropped)


@pytest.mark.parametrize("state", ["cocked", "stacked"])
def test_a_die_that_does_not_lie_flat_is_thrown_again(state: str) -> None:
    """Only that die is thrown again, the others stand, even one too many."""
    ruling = ruled(die(6, state=state), die(4), die(2), die(1))

    assert ("reroll_some", (4, 2, 1), 1, [f"{state}-reroll"]) == (
        ruling.action,
        ruling.standing,
        ruling.reroll,
        codes(ruling),
    )


@pytest.mark.parametrize("state", ["cocked", "stacked"])
@pytest.mark.parametrize(("option", "action"), [("rethrow_all", "rethrow_all"), ("drop_die", "accept")])
def test_a_leaning_die_by_option(state: str, option: str, action: str) -> None:
    """The director may have the whole throw made again, or only that die fall."""
    ruling = ruled(die(6, state=state), die(4), not_readable=option)

    assert (action, option == "drop_die") == (ruling.action, ruling.dropped == (6,))


def test_only_leaning_dice_that_drop_leave_none() -> None:
    """When the only die falls because it leans the throw is made again."""
    ruling = ruled(die(6, state="cocked"), not_readable="drop_die")

    assert "rethrow_all" == ruling.action


def test_one_too_many_drops_the_highest() -> None:
    """Of two equal highest dice only as many drop as were too many."""
    ruling = ruled(die(6), die(6), die(3), die(1))

    assert ((6, 3, 1), (6,)) == (ruling.counted, ruling.dropped)


def test_all_equal_highest_may_drop() -> None:
    """With the other reading every die with the highest pips drops."""
    ruling = ruled(die(6), die(6), die(3), die(1), too_many_drop="all_highest")

    assert ((3, 1), (6, 6)) == (ruling.counted, ruling.dropped)


def test_all_equal_highest_may_leave_none() -> None:
    """When all dice are equally highest and too many, none is left and the throw is made again."""
    ruling = ruled(die(6), die(6), allowed=1, too_many_drop="all_highest")

    assert ("rethrow_all", (6, 6)) == (ruling.action, ruling.dropped)


def test_a_die_beside_the_box_may_make_one_too_many() -> None:
    """With the other option the dice are counted as thrown, the one outside included."""
    ruling = ruled(die(5, "outside"), die(6), die(3), die(2), too_many_counted="thrown")

    assert ((3, 2), (6, 5)) == (ruling.counted, ruling.dropped)


@pytest.mark.parametrize(
    ("value", "state", "code"),
    [(None, "flat", "unreadable"), (None, "unreadable", "unreadable"), (4, "moving", "moving")],
)
def test_what_can_not_be_vouched_for_goes_to_people(value: int | None, state: str, code: str) -> None:
    """No value is guessed: an unread or moving die sends the throw to people, the others standing."""
    ruling = ruled(die(value, state=state), die(3))

    assert ("referee", ("void", "standing"), (3,), [code]) == (
        ruling.action,
        ruling.fates,
        ruling.standing,
        codes(ruling),
    )


def test_a_die_that_falls_away_need_not_be_read() -> None:
    """What lies outside drops in nl1996, read or not."""
    ruling = ruled(die(None, "outside", "unreadable"), die(3))

    assert ("accept", (3,), ("dropped", "counted")) == (ruling.action, ruling.counted, ruling.fates)


def test_risiko_rerolls_what_fell_to_the_floor_and_off_the_box() -> None:
    """In risiko only the faulty dice are thrown again, each with its own reason."""
    ruling = ruled(die(6, "floor"), die(5, "outside"), die(4), system="risiko")

    assert ("reroll_some", (4,), 2, ["floor-reroll", "outside-reroll"]) == (
        ruling.action,
        ruling.standing,
        ruling.reroll,
        codes(ruling),
    )


def test_risiko_may_count_a_die_on_the_table() -> None:
    """With the other option a die beside the box counts and the ruling says so."""
    ruling = ruled(die(5, "outside"), die(4), system="risiko", off_box_on_table="valid")
    clean = ruled(die(5), system="risiko", off_box_on_table="valid")

    assert ((5, 4), ["outside-valid"], ["all-count"]) == (ruling.counted, codes(ruling), codes(clean))


@pytest.mark.parametrize(("option", "action"), [("rethrow_all", "rethrow_all"), ("highest_drop", "accept")])
def test_too_many_dice_in_risiko(option: str, action: str) -> None:
    """Too many dice void the throw, or the highest drops if the organiser says so."""
    ruling = ruled(die(6), die(5), die(4), die(3), system="risiko", too_many_dice=option)

    assert (action, (5, 4, 3) if action == "accept" else ()) == (ruling.action, ruling.counted)


@pytest.mark.parametrize("value", [0, 7, -1, True])
def test_a_die_shows_one_to_six(value: int) -> None:
    """Another value is refused by its number."""
    with pytest.raises(ThrowError) as refusal:
        ruled(die(value))

    assert ("bad-die", value) == (refusal.value.code, refusal.value.values["value"])


@pytest.mark.parametrize("wrong", [die(1, "pocket"), die(1, state="leaning")])
def test_unknown_words_are_refused(wrong: DieSeen) -> None:
    """Where and state have fixed words."""
    with pytest.raises(ThrowError) as refusal:
        ruled(wrong)

    assert "bad-die-word" == refusal.value.code


DICE = st.lists(
    st.builds(
        DieSeen,
        value=st.none() | st.integers(1, 6),
        where=st.sampled_from(WHERE),
        state=st.sampled_from(STATES),
        rolled=st.none() | st.booleans(),
    ),
    max_size=7,
)


@given(dice=DICE, system=st.sampled_from(SYSTEMS), allowed=st.none() | st.integers(1, 3))
def test_a_ruling_never_counts_what_it_should_not(dice: list[DieSeen], system: str, allowed: int | None) -> None:
    """Whatever lies there: counted dice are flat, read, never too many, and only in an accepted throw."""
    ruling = judge(dice, allowed=allowed, ruleset=load_ruleset(system))

    counted = [d for d, fate in zip(dice, ruling.fates, strict=bool(ruling.fates)) if fate == "counted"]
    sound = all(d.state == "flat" and d.value is not None for d in counted)
    few = len(counted) <= (allowed or 3)
    assert (True, True, True, bool(dice)) == (
        sound,
        few,
        ruling.action == "accept" or not counted,
        bool(ruling.fates),
    )


@given(dice=DICE, system=st.sampled_from(SYSTEMS), seed=st.randoms(use_true_random=False))
def test_the_order_of_the_dice_plays_no_part(dice: list[DieSeen], system: str, seed: Any) -> None:
    """The same dice in another order get the same ruling."""
    rules = load_ruleset(system)
    mixed = list(dice)
    seed.shuffle(mixed)

    first, second = judge(dice, allowed=3, ruleset=rules), judge(mixed, allowed=3, ruleset=rules)

    assert (first.action, first.counted, first.dropped, first.standing, first.reroll) == (
        second.action,
        second.counted,
        second.dropped,
        second.standing,
        second.reroll,
    )
