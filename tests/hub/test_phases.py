"""RisiKo! over several tables: winners first, the general ranking, who goes on; and results changed after closing."""

from __future__ import annotations

from typing import Any

from companion.hub.folding import _STEPS, _WITHOUT_MEANING
from companion.hub.sheets import results_csv, standings_csv
from companion.hub.tournament import Tournament
from companion.hub.views import tournament_view
from companion.session.events import ALL_EVENTS

from .fake_table import FakeTable
from .test_tournament import closed, folded, judged

POINTS = {3: ("win", "5", "2"), 4: ("win", "6", "3", "1")}


def table(table_id: str, *players: tuple[str, float], phase: str = "first_phase", **parts: Any) -> FakeTable:
    """A closed table: players with their Scores, in the order in which they ended."""
    results = {name: result for (name, _), result in zip(players, POINTS[len(players)], strict=True)}
    found = FakeTable(table_id)
    found.open_game(*results, system="risiko", phase=phase, ruleset_name="risiko", options={}, **parts)
    found.score(results, scores=dict(players))
    found.note("table.closed", results=results)
    return found


def keys(found: Tournament, players: tuple[str, ...]) -> list[str]:
    """Names of those who go on."""
    names = {one.person.key: one.person.name for one in found.standings}
    return [names[key] for key in players]


def test_winners_stand_first_then_the_general_ranking() -> None:
    """Two evenings: the points of the places are summed, the winners by Score stand above."""
    found = judged(
        table("1", ("anna", 80.0), ("bram", 70.5), ("cees", 20.0), ("dirk", 10.0), round=1),
        table("2", ("eva", 90.0), ("fred", 60.0), ("gijs", 30.0), round=1, game="r1-t2"),
        table("1", ("fred", 75.0), ("bram", 50.0), ("cees", 40.0), round=2),
    )

    assert [
        ("fred", 1, 5, 135.0, "won"),
        ("eva", 2, 0, 90.0, "won"),
        ("anna", 3, 0, 80.0, "won"),
        ("bram", 4, 11, 120.5, "rank-weight"),
        ("cees", 5, 5, 60.0, "rank-weight"),
        ("gijs", 6, 2, 30.0, "rank-weight"),
        ("dirk", 7, 1, 10.0, "rank-weight"),
    ] == [
        (one.person.name, one.rank.place, one.rank.points, one.rank.score, one.rank.reason.code)
        for one in found.standings
    ]


def test_first_phase_is_filled_to_the_next_four() -> None:
    """Clause 3: three winners, one is fished out."""
    found = judged(
        table("1", ("anna", 80.0), ("bram", 70.0), ("cees", 20.0)),
        table("2", ("eva", 90.0), ("fred", 60.0), ("gijs", 30.0), game="r1-t2"),
        table("3", ("hans", 50.0), ("ina", 40.0), ("jan", 30.0), game="r1-t3"),
    )
    ahead = found.goes_on

    assert ahead is not None
    assert (["anna", "eva", "hans", "bram"], 1, ()) == (keys(found, ahead.players), ahead.fished, ahead.unresolved)


def test_equal_players_on_the_line_are_the_directors() -> None:
    """Two with the same points and Score, and one place."""
    found = judged(
        table("1", ("anna", 80.0), ("bram", 70.0), ("cees", 20.0)),
        table("2", ("eva", 90.0), ("fred", 70.0), ("gijs", 30.0), game="r1-t2"),
        table("3", ("hans", 50.0), ("ina", 40.0), ("jan", 30.0), game="r1-t3"),
    )

    assert {"bram", "fred"} == set(keys(found, found.goes_on.unresolved if found.goes_on else ()))


def test_more_than_twelve_winners_go_on_by_score() -> None:
    """Clause 7: thirteen won the second phase, the best twelve play the semi-final."""
    tables = [
        table(str(number), (f"w{number:02}", 100.0 - number), (f"x{number}", 9.0), (f"y{number}", 8.0),
              phase="second_phase", game=f"r1-t{number}")
        for number in range(13)
    ]  # fmt: skip
    found = judged(*tables)
    ahead = found.goes_on

    assert ahead is not None
    assert [f"w{number:02}" for number in range(12)] == keys(found, ahead.players)


def test_finalists_and_prizes() -> None:
    """Clause 8 and 6: the three winners and the best second; then the first three of the final."""
    semi = judged(*(
        table(str(number), (f"w{number}", 90.0), (f"s{number}", 50.0 + number), (f"t{number}", 9.0), (f"u{number}", 1),
              phase="semi_final", game=f"r1-t{number}")
        for number in range(3)
    ))  # fmt: skip
    final = judged(table("1", ("anna", 80.0), ("bram", 70.0), ("cees", 20.0), ("dirk", 10.0), phase="final"))

    assert ["w0", "w1", "w2", "s2"] == keys(semi, semi.goes_on.players if semi.goes_on else ())
    assert ["anna", "bram", "cees"] == keys(final, final.goes_on.players if final.goes_on else ())


def test_no_phase_no_next_one() -> None:
    """A table that never said its phase; and a semi-final that was ruled without a winner."""
    plain = judged(table("1", ("anna", 80.0), ("bram", 70.0), ("cees", 20.0), phase=""))
    open_semi = FakeTable("1")
    open_semi.open_game("anna", "bram", system="risiko", phase="semi_final", ruleset_name="risiko", options={})
    open_semi.score({"anna": "5", "bram": "2"}, scores={"anna": 1.0, "bram": 0.0})
    open_semi.note("table.closed", results={"anna": "5", "bram": "2"})
    semi = judged(open_semi)

    assert (None, ()) == (plain.goes_on, semi.goes_on.players if semi.goes_on else None)


def test_result_without_its_score_is_withheld() -> None:
    """It can't be ranked; it is named."""
    found = judged(closed("1", {"a": "win", "b": "5"}, system="risiko", ruleset_name="risiko", options={}))

    assert ["score-missing"] * 2 == [one.code for one in found.contradictions]


def test_result_that_was_changed_after_closing_counts_as_changed() -> None:
    """The new one counts, and the page says why."""
    changed = closed("7", {"a": "1", "b": "2"})
    changed.note("result.changed", results={"a": "2", "b": "1"}, before={"a": "1", "b": "2"}, reason="miscounted")
    found = judged(changed)
    view = tournament_view(found)

    assert {"a": ("2", "miscounted"), "b": ("1", "miscounted")} == {
        one.person.name: (one.result, one.changed) for one in found.results
    }
    assert [] == folded(changed).oddities
    assert "miscounted" in results_csv(view)
    assert ["b", "a"] == [one["name"] for one in view["standings"]]


def test_sheet_of_risiko_has_the_heads_that_print_knows() -> None:
    """Weight, Score and whether a table was won."""
    found = judged(table("1", ("anna", 80.0), ("bram", 70.5), ("cees", 20.0)))
    lines = standings_csv(tournament_view(found)).splitlines()

    assert "\ufeffplace,name,round 1,weight,score,won a table,decided by" == lines[0]
    assert ["1,anna,win,0,80.0,1,won", "2,bram,5,5,70.5,0,rank-weight"] == lines[1:3]


def test_table_after_the_signal_is_shown_as_finishing() -> None:
    """Until the board is frozen."""
    found = FakeTable("7")
    found.open_game("anna", "bram", system="risiko", ruleset_name="risiko", options={})
    found.note("signal.ruled", throw=1, finishing="combat")
    during = folded(found).game
    found.note("board.frozen", why="tijd")
    after = folded(found).game

    assert ("finishing", "frozen") == (during.phase if during else "", after.phase if after else "")


def test_every_event_of_a_table_is_known_to_its_hub() -> None:
    """A hub of the same version counts none of its tables' records as unknown."""
    assert {kind.wire for kind in ALL_EVENTS} == _STEPS.keys() | _WITHOUT_MEANING
    assert not _STEPS.keys() & _WITHOUT_MEANING
