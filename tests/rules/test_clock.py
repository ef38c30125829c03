"""Lengths, the last phase, and what a signal does."""

from __future__ import annotations

from typing import Any

import pytest

from companion.rules import clock
from companion.rules.clock import ThrowAtSignal
from companion.rules.errors import RulesError
from companion.rules.ruleset import Ruleset, load_ruleset


@pytest.mark.parametrize(("elapsed", "limit"), [(0, None), (4199.9, None), (4200, 300), (5399, 300)])
def test_the_last_twenty_minutes_limit_attacking(nl: Ruleset, elapsed: float, limit: int | None) -> None:
    """From 70:00 of 90:00 a turn may attack for five minutes."""
    assert limit == clock.attack_limit(elapsed, ruleset=nl)


def test_a_shorter_game_moves_its_last_phase(nl: Ruleset) -> None:
    """The last phase counts from the end of the game that is played."""
    assert (300, None) == (
        clock.attack_limit(600, ruleset=nl, length_s=1800),
        clock.attack_limit(599, ruleset=nl, length_s=1800),
    )


def test_a_game_shorter_than_its_last_phase_is_all_last_phase(nl: Ruleset) -> None:
    """A ten-minute game is in its last phase from the start."""
    assert 300 == clock.attack_limit(0, ruleset=nl, length_s=600)


def test_risiko_has_no_attack_limit(it: Ruleset) -> None:
    """Without a last phase there is neither limit nor deadline."""
    deadline = clock.attack_deadline(attack_started_s=10, now_s=20, turn_started_s=0, ruleset=it)

    assert (None, None, None) == (clock.attack_limit(9999, ruleset=it), deadline, clock.game_length_s(it))


@pytest.mark.parametrize(
    ("option", "turn", "attack", "now", "deadline"),
    [
        ("count_from_phase_start", 4330, 4380, 4380, 4680),
        ("count_from_phase_start", 4000, 4100, 4199, None),
        ("count_from_phase_start", 4000, 4100, 4200, 4500),
        ("count_from_phase_start", 5200, 5220, 5220, 5400),
        ("count_from_phase_start", 4300, None, 4400, None),
        ("count_from_attack_start", 4000, 4100, 4200, 4400),
        ("count_from_attack_start", 3000, 3100, 4200, 4200),
        ("exempt", 4000, 4100, 4200, None),
        ("exempt", 4300, 4310, 4310, 4610),
    ],
)
def test_the_deadline_of_a_turns_attacking(
    option: str, turn: float, attack: float | None, now: float, deadline: float | None
) -> None:
    """It starts with the first attack, never before the last phase, and never outlives the game."""
    rules = load_ruleset("nl1996", {"running_turn_at_last_phase": option})

    assert deadline == clock.attack_deadline(attack_started_s=attack, now_s=now, turn_started_s=turn, ruleset=rules)


@pytest.mark.parametrize(
    ("at", "throw", "board", "code"),
    [
        ({}, "none", "as_it_is", "signal-nothing-thrown"),
        ({"attack": "rolling"}, "void", "before_throw", "signal-pending-void"),
        ({"attack": "at_rest"}, "void", "before_throw", "signal-pending-void"),
        ({"attack": "at_rest", "defence": "rolling"}, "void", "before_throw", "signal-pending-void"),
        ({"attack": "at_rest", "defence": "at_rest"}, "void", "before_throw", "signal-pending-void"),
        ({"defence": "at_rest"}, "void", "before_throw", "signal-pending-void"),
        (
            {"attack": "at_rest", "defence": "at_rest", "losses_taken": True},
            "stands",
            "as_it_is",
            "signal-losses-taken",
        ),
    ],
)
def test_tijd_voids_a_throw_whose_losses_were_not_taken(
    nl: Ruleset, at: dict[str, Any], throw: str, board: str, code: str
) -> None:
    """In nl1996 the situation before a pending throw counts, and nobody throws any more."""
    ruling = clock.signal(ThrowAtSignal(**at), ruleset=nl)

    assert (throw, board, code, False) == (ruling.throw, ruling.board, ruling.reason.code, ruling.may_throw)


def test_a_settled_throw_may_count() -> None:
    """With the other reading a throw at rest on both sides stands, and its losses are due."""
    rules = load_ruleset("nl1996", {"pending_throw": "settled_counts"})

    settled = clock.signal(ThrowAtSignal(attack="at_rest", defence="at_rest"), ruleset=rules)
    half = clock.signal(ThrowAtSignal(attack="at_rest", defence="rolling"), ruleset=rules)

    assert ("stands", True, "void") == (settled.throw, settled.losses_due, half.throw)


def test_the_compulsory_move_of_a_conquest_is_completed(nl: Ruleset) -> None:
    """A conquest carried out before the signal stands, and the armies still move in, but no others."""
    ruling = clock.signal(
        ThrowAtSignal(attack="at_rest", defence="at_rest", losses_taken=True, territory_conquered=True), ruleset=nl
    )

    assert (True, False, False, False) == tuple(
        ruling.allows(wish) for wish in ("move_in", "continue_combat", "move_to_reinforce", "new_combat")
    )


@pytest.mark.parametrize(
    ("at", "combat", "code"),
    [
        ({"attack": "rolling"}, True, "signal-finish-combat"),
        ({"throws_before": 2}, True, "signal-finish-combat"),
        ({}, False, "signal-no-combat"),
        ({"attack": "at_rest", "attacker_stopped": True}, False, "signal-combat-over"),
        ({"attack": "at_rest", "territory_conquered": True}, False, "signal-combat-over"),
    ],
)
def test_risiko_lets_the_combat_in_progress_end(it: Ruleset, at: dict[str, Any], combat: bool, code: str) -> None:
    """A combat with dice thrown goes on until it is stopped or won; nothing new begins."""
    ruling = clock.signal(ThrowAtSignal(**at), ruleset=it)

    assert (combat, combat, False, False, code) == (
        ruling.combat_in_progress,
        ruling.may_throw,
        ruling.may_move_to_reinforce,
        ruling.may_start_new_combat,
        ruling.reason.code,
    )


def test_a_conquest_at_the_end_of_risiko_is_moved_into(it: Ruleset) -> None:
    """After a conquest only the compulsory move is left."""
    ruling = clock.signal(ThrowAtSignal(attack="at_rest", territory_conquered=True), ruleset=it)

    assert (True, False) == (ruling.may_move_in, ruling.may_throw)


@pytest.mark.parametrize(("defence", "may_throw"), [("not_thrown", True), ("at_rest", False)])
def test_a_system_without_a_signal_finishes_the_throw(defence: Any, may_throw: bool) -> None:
    """Where the text knows no signal the throw on the table is finished."""
    ruling = clock.signal(ThrowAtSignal(attack="at_rest", defence=defence), ruleset=load_ruleset("classic"))

    assert ("stands", True, may_throw) == (ruling.throw, ruling.losses_due, ruling.may_throw)


@pytest.mark.parametrize(
    ("phase", "least", "most"),
    [("first_phase", 90, 120), ("second_phase", 90, 150), ("semi_final", 90, 150), ("final", 120, 150)],
)
def test_secret_lengths_by_phase(it: Ruleset, phase: str, least: int, most: int) -> None:
    """Both ends of a phase's range are allowed and nothing beyond, and chance reaches both."""
    drawn = {clock.length_of_chance(phase, number, ruleset=it) for number in range(1000)}
    valid = [clock.check_length(phase, minutes, ruleset=it).valid for minutes in (least - 1, least, most, most + 1)]

    assert ([False, True, True, False], set(range(least, most + 1))) == (valid, drawn)


@pytest.mark.parametrize("system", ["risiko", "nl1996"])
def test_an_unknown_phase_is_refused(system: str) -> None:
    """A phase that the system has not is refused with those it has."""
    with pytest.raises(RulesError) as refusal:
        clock.length_range("quarter_final", ruleset=load_ruleset(system))

    assert "no-such-phase" == refusal.value.code


@pytest.mark.parametrize(
    ("system", "options", "secret", "source"),
    [
        ("nl1996", {}, None, "clock"),
        ("nl1996", {"signal_source": "organiser"}, None, "organiser"),
        ("classic", {}, None, "clock"),
        ("risiko", {}, ("organiser", True), "clock"),
        ("risiko", {"signal_source": "organiser"}, ("organiser", True), "organiser"),
        ("risiko", {"secret_time": "random", "same_for_all_tables": False}, ("random", False), "clock"),
    ],
)
def test_where_length_and_signal_come_from(system: str, options: Any, secret: Any, source: str) -> None:
    """Known lengths end by the clock or the organiser; a secret for all ends for all."""
    rules = load_ruleset(system, options)
    found = clock.secret_length(rules)

    assert (secret, source) == (
        None if found is None else (found.chosen_by, found.one_for_all),
        clock.signal_comes_from(rules),
    )


def test_only_officials_know_the_end() -> None:
    """Players and screens never see a secret end."""
    seeing = [who for who in ("referee", "director", "organiser", "players", "screen", "") if clock.may_see_end(who)]

    assert ["referee", "director", "organiser"] == seeing


@pytest.mark.parametrize(
    ("reflecting", "total", "codes"),
    [
        (60, 60, []),
        (61, 61, ["turn-reflection"]),
        (None, 180, []),
        (None, 181, ["turn-total"]),
        (90, 200, ["turn-reflection", "turn-total"]),
    ],
)
def test_slow_turns_are_warned(it: Ruleset, reflecting: float | None, total: float, codes: list[str]) -> None:
    """A minute to think before the first attack, three minutes in all; more than that is a warning."""
    assert codes == [reason.code for reason in clock.turn_warnings(reflecting, total, ruleset=it)]


def test_other_systems_warn_nobody(nl: Ruleset) -> None:
    """The turn clock is risiko's."""
    assert () == clock.turn_warnings(900, 900, ruleset=nl)


@pytest.mark.parametrize("system", ["nl1996", "risiko", "classic"])
def test_without_a_throw_or_a_conquest_nothing_more_happens(system: str) -> None:
    """Nothing was thrown and nothing fell: no throw, no move, no combat, no losses after the signal."""
    ruling = clock.signal(ThrowAtSignal(), ruleset=load_ruleset(system))

    assert ("none", "as_it_is") == (ruling.throw, ruling.board)
    assert not any(map(ruling.allows, ("continue_combat", "move_in", "move_to_reinforce", "new_combat")))
    assert (False, False) == (ruling.combat_in_progress, ruling.losses_due)


def test_a_stopped_combat_of_risiko_is_over(it: Ruleset) -> None:
    """Who had said to stop neither throws nor moves in."""
    ruling = clock.signal(ThrowAtSignal(throws_before=2, attacker_stopped=True), ruleset=it)

    assert not any(map(ruling.allows, ("continue_combat", "move_in", "move_to_reinforce", "new_combat")))
