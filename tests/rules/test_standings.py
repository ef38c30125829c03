"""The nl1996 tournament ranking."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.errors import ResultsError
from companion.rules.ruleset import load_ruleset
from companion.rules.standings import RESULTS, Entry, Standing, gather, groups, tournament_rank


def ranked(results: Any, lot: str | None = None, **options: Any) -> tuple[Standing, ...]:
    """The standings with options."""
    return tournament_rank(results, ruleset=load_ruleset("nl1996", options), lot=lot)


def test_the_worked_example_of_the_source() -> None:
    """5 points, 2 pluses and three ones each; compared from the last round, b is better in the third."""
    found = ranked({"a": ["2", "1+", "1", "1+"], "b": ["2", "1", "1+", "1+"]})

    assert (("b",), ("a",)) == groups(found)
    assert ("rank-round", {"round": 3, "own": "1+", "other": "1"}) == (found[0].reason.code, found[0].reason.values)
    assert [(5, 2), (5, 2)] == [(row.points, row.pluses) for row in found]


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (["1", "1"], ["1", "2"], "rank-points"),
        (["1+", "1"], ["1", "1"], "rank-pluses"),
        (["1", "3"], ["2", "2"], "rank-ones"),
        (["2", "1"], ["1", "2"], "rank-round"),
    ],
)
def test_the_tie_break_that_decided_is_named(first: list[str], second: list[str], code: str) -> None:
    """Points, pluses, ones, then the latest round."""
    found = ranked({"x": second, "y": first})

    assert (["y", "x"], [code, code]) == ([row.player for row in found], [row.reason.code for row in found])


def test_identical_results_share_a_place() -> None:
    """Nothing parts them, so they share the place and the next is counted on."""
    found = ranked({"a": ["1"], "b": ["2"], "c": ["2"], "d": ["3"]})

    assert ([1, 2, 2, 4], {"players": ["b", "c"]}) == ([row.place for row in found], found[2].reason.values)


def test_two_first_ones_share() -> None:
    """Identical first players share the first place."""
    found = ranked({"a": ["1"], "b": ["1"]})

    assert (("a", "b"),) == groups(found)


def test_the_lot_may_part_identical_players() -> None:
    """With the option and a published number no place is shared; without a number they share."""
    results = {"a": ["1"], "b": ["1"]}
    found = ranked(results, lot="12", identical="lot")

    assert ([1, 2], ["rank-lot", "rank-lot"]) == ([r.place for r in found], [r.reason.code for r in found])
    assert [1, 1] == [row.place for row in ranked(results, identical="lot")]


def test_the_literal_reading_ranks_others_by_points_and_pluses() -> None:
    """Only the first place uses the whole cascade; others share after points and pluses."""
    results = {"a": ["1", "1"], "b": ["1", "3"], "c": ["2", "2"]}

    assert ((("a",), ("b",), ("c",)), (("a",), ("b", "c"))) == (
        groups(ranked(results)),
        groups(ranked(results, cascade_all_places="points_then_pluses_only")),
    )


def test_a_missed_game_counts_three() -> None:
    """A game that was missed counts 3 by default."""
    found = ranked({"a": ["1", None], "b": ["2", "1"]})

    assert (("1", "3"), 2) == (found[1].results, found[1].place)


def test_a_single_player_is_first() -> None:
    """One player needs no tie-break."""
    assert "rank-first" == ranked({"a": ["3"]})[0].reason.code


@pytest.mark.parametrize(
    ("results", "options", "code"),
    [
        ({}, {}, "no-results"),
        ({"a": ["1"], "b": ["1", "2"]}, {}, "rounds-differ"),
        ({"a": ["4"]}, {}, "unknown-result"),
        ({"a": [None]}, {"absent_result": "leader"}, "result-missing"),
    ],
)
def test_results_that_do_not_fit_are_refused(results: Any, options: Any, code: str) -> None:
    """No results, too few, unknown ones, or a missed game that awaits a ruling."""
    with pytest.raises(ResultsError) as refusal:
        ranked(results, **options)

    assert code == refusal.value.code


def test_results_are_gathered_by_round() -> None:
    """Entries come in any order; a missing round is None."""
    entries = [
        Entry(player="a", round=2, result="1"),
        Entry(player="b", round=1, result="3"),
        Entry(player="a", round=1, result="2"),
    ]

    assert {"a": ("2", "1"), "b": ("3", None)} == gather(entries)
    assert {"a": ("2", "1", None), "b": ("3", None, None)} == gather(entries, rounds=3)
    assert {} == gather([])


@pytest.mark.parametrize(("result", "code"), [("1", "round-twice"), ("2", "round-twice"), ("x", "unknown-result")])
def test_a_round_entered_twice_is_refused(result: str, code: str) -> None:
    """Two sheets of one player in one round are refused, even when they agree."""
    with pytest.raises(ResultsError) as refusal:
        gather([Entry(player="a", round=1, result="1"), Entry(player="a", round=1, result=result)])

    assert code == refusal.value.code


@given(
    rows=st.lists(st.lists(st.sampled_from(RESULTS), min_size=4, max_size=4), min_size=1, max_size=12),
    reading=st.sampled_from([True, "points_then_pluses_only"]),
)
def test_a_ranking_is_a_total_order_up_to_declared_ties(rows: list[list[str]], reading: object) -> None:
    """Everybody has a place, fewer points are never behind, and equal results always share."""
    results = {f"p{at}": row for at, row in enumerate(rows)}
    found = ranked(results, cascade_all_places=reading)
    mixed = ranked(dict(reversed(results.items())), cascade_all_places=reading)

    points = [row.points for row in found]
    places = {row.player: row.place for row in found}
    together = all(places[a] == places[b] for a in results for b in results if results[a] == results[b])
    assert (set(results), sorted(points), True, groups(found)) == (set(places), points, together, groups(mixed))
