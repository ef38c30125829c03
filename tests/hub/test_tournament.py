"""Records become games, games become results, and what contradicts itself counts for nobody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.hub.folding import TableFold
from companion.hub.people import person_of
from companion.hub.ranking import rank
from companion.hub.tournament import Played, Tournament, tournament
from companion.rules.ruleset import load_ruleset

from .fake_table import FakeTable

RULES = load_ruleset("nl1996")


def folded(table: FakeTable) -> TableFold:
    """All records of a table, taken in."""
    fold = TableFold()
    for record in table.records:
        fold.take(record)
    return fold


def judged(*tables: FakeTable, names: dict[str, str] | None = None) -> Tournament:
    """The tournament that tables amount to; the second of the same id is a later chapter."""
    played = [
        Played(table=table.table_id, chapter=number, game=game)
        for number, table in enumerate(tables, 1)
        for game in folded(table).games
    ]
    return tournament("Risktoernooi", played, lambda _table, _game: names or {})


def closed(table_id: str, results: dict[str, str], **parts: Any) -> FakeTable:
    """A table that played one game to its end."""
    table = FakeTable(table_id)
    table.open_game(*results, **parts)
    table.close_game(results)
    return table


def test_a_game_is_followed_through_its_phases() -> None:
    """Each step of a table is seen: seats, colours, throws, signal, score, signatures, close."""
    table = FakeTable("7")
    table.open_game("anna", "bram")
    table.throw(1, "anna", [6, 4], [5])
    table.throw(2, "bram", [3])
    seen = [folded(table).game]
    table.score({"anna": "1", "bram": "2"})
    table.note("result.signed", player="anna")
    seen.append(folded(table).game)
    table.note("table.closed", results={"anna": "1", "bram": "2"})
    seen.append(folded(table).game)
    playing, scored, done = seen

    assert playing is not None
    assert scored is not None
    assert done is not None
    assert playing.throw is not None
    assert (
        ("playing", {"anna": 1, "bram": 2}, {"anna": "red", "bram": "blue"}, 2, 2, None),
        ("scored", {"anna"}, "clock", None),
        ("closed", {"anna": "1", "bram": "2"}, table.wall),
    ) == (
        (playing.phase, playing.order, playing.colours, playing.throws, playing.throw.number, playing.tijd),
        (scored.phase, scored.signed, scored.tijd, scored.results),
        (done.phase, done.results, done.closed_wall),
    )


def test_a_dispute_and_its_ruling_are_seen() -> None:
    """Who disputes and why stands there until the referee rules; the ruling changes the result and asks again."""
    table = FakeTable("7")
    table.open_game("anna", "bram")
    table.score({"anna": "1", "bram": "2"}, unresolved=[["anna", "bram"]])
    table.note("result.signed", player="anna")
    table.note("result.disputed", player="bram", reason="Siam was mine")
    disputed = folded(table).game
    table.note("result.ruled", results={"anna": "2", "bram": "1"}, reason="seen by all")
    ruled = folded(table).game

    assert disputed is not None
    assert ruled is not None
    assert (("bram", "Siam was mine"), (("anna", "bram"),), None, "seen by all", set(), ["2", "1"]) == (
        disputed.disputed,
        disputed.unresolved,
        ruled.disputed,
        ruled.ruling,
        ruled.signed,
        [place["result"] for place in ruled.places],
    )


def test_back_to_an_earlier_phase_is_followed() -> None:
    """A withdrawn claim and a reopened board are seen as what they are."""
    table = FakeTable("7")
    table.open_game("anna", "bram")
    table.note("board.frozen", why="mission")
    table.note("mission.claim_withdrawn", reason="not done")
    withdrawn = folded(table).game
    table.score({"anna": "1", "bram": "2"})
    table.note("board.reopened", reason="a territory was forgotten")
    reopened = folded(table).game

    assert withdrawn is not None
    assert reopened is not None
    assert ("playing", "frozen", ()) == (withdrawn.phase, reopened.phase, reopened.places)


def test_a_referee_is_called_with_or_without_a_game() -> None:
    """The call is seen on an idle table too, and ends when it is answered."""
    table = FakeTable("7")
    table.note("referee.called", by="anna")
    called = folded(table)
    table.note("referee.dismissed")
    answered = folded(table)

    assert (True, [], False) == (called.referee_called, called.oddities, answered.referee_called)


def test_strange_records_are_listed_and_passed_over() -> None:
    """A type from the future is counted, a known type with strange data is named, and the rest still counts."""
    table = FakeTable("7")
    table.note("throw.ruled", throw=1, side="attack", action="accept", counted=[6])
    table.open_game("anna", "bram")
    table.note("moon.landed", where="here")
    table.note("throw.ruled", throw=9, side="attack", action="accept", counted=[6])
    table.note("score.computed", places=7)
    table.score(
        {"anna": "1"}, places=[{"player": "anna", "place": 1, "result": "1", "reason": {"code": "x", "values": 7}}]
    )
    table.note("clock.paused", reason="coffee")
    fold = folded(table)

    assert (1, [1, 8, 9, 12], "frozen") == (fold.unknown, [odd.seq for odd in fold.oddities], fold.games[0].phase)


def test_only_closed_tables_have_results() -> None:
    """A computed score is no result before the referee has closed the table."""
    table = FakeTable("7")
    table.open_game("anna", "bram")
    table.score({"anna": "1", "bram": "2"})

    assert ((), ()) == (judged(table).results, judged(table).standings)


def test_standings_follow_the_rules_over_rounds() -> None:
    """The worked example of the rule book: equal points, pluses and ones; the latest round that differs decides."""
    a, b = ["2", "1+", "1", "1+"], ["2", "1", "1+", "1+"]
    tables = []
    for number, (first, second) in enumerate(zip(a, b, strict=True), 1):
        tables += [
            closed("1", {"a": first}, round=number, game=f"r{number}-t1"),
            closed("2", {"b": second}, round=number, game=f"r{number}-t2"),
        ]
    standings = judged(*tables).standings

    assert [("b", 1, 5, 2, "rank-round"), ("a", 2, 5, 2, "rank-round")] == [
        (one.person.name, one.rank.place, one.rank.points, one.rank.pluses, one.rank.reason.code) for one in standings
    ]


def test_nobody_leads_by_having_played_less() -> None:
    """With a round still going on, players with more results stand before players with fewer points."""
    rows = {"a": ["3", "3"], "b": ["1+", None], "c": ["2", None], "d": ["2", None]}
    ranks = rank(rows, ruleset=RULES)

    assert [("a", 1, "games"), ("b", 2, "games"), ("c", 3, "rank-points"), ("d", 3, "rank-shared")] == [
        (one.player, one.place, one.reason.code) for one in ranks
    ]


def test_equal_players_share_a_place() -> None:
    """Identical rows are not put in an order that no rule gives."""
    ranks = rank({"a": ["1", "2"], "b": ["1", None], "c": ["1", None]}, ruleset=RULES)

    assert [("a", 1, "games"), ("b", 2, "games"), ("c", 2, "rank-shared")] == [
        (one.player, one.place, one.reason.code) for one in ranks
    ]


def test_nobody_is_ranked_without_results() -> None:
    """An empty tournament has an empty order."""
    assert () == rank({}, ruleset=RULES)


def test_a_missed_round_gets_what_the_rules_give() -> None:
    """Once a later round has begun and all tables of the round are closed, a gap counts as the rules say."""
    tables = [
        closed("1", {"a": "1", "b": "2"}, round=1),
        closed("2", {"c": "1"}, round=1, game="r1-t2"),
        closed("1", {"a": "1", "c": "2"}, round=2),
        closed("1", {"a": "1", "b": "2", "c": "3"}, round=3),
    ]
    rows = {one.person.name: (one.results, one.missed) for one in judged(*tables).standings}

    assert (("2", "3", "2"), (2,)) == rows["b"]


def test_a_round_that_is_still_played_has_no_missed_games() -> None:
    """A table that has not closed yet is not an absence."""
    open_table = FakeTable("2")
    open_table.open_game("b", round=1, game="r1-t2")
    tables = [closed("1", {"a": "1"}, round=1), open_table, closed("1", {"a": "1", "b": "2"}, round=2)]
    rows = {one.person.name: (one.results, one.missed) for one in judged(*tables).standings}

    assert ((None, "2"), ()) == rows["b"]


def test_the_same_close_in_two_chapters_counts_once() -> None:
    """A restored table that tells its results again changes nothing."""
    once, twice = closed("7", {"a": "1", "b": "2"}), closed("7", {"a": "1", "b": "2"})

    assert (judged(once).standings, ()) == (judged(once, twice).standings, judged(once, twice).contradictions)


def test_two_different_closes_of_one_game_count_for_nobody() -> None:
    """Both are listed, neither counts, and the page says which game it is."""
    found = judged(closed("7", {"a": "1", "b": "2"}), closed("7", {"a": "2", "b": "1"}))

    assert (["closed-twice"], [False] * 4, [(None,), (None,)]) == (
        [one.code for one in found.contradictions],
        [one.counts for one in found.results],
        [one.results for one in found.standings],
    )


def test_one_person_cannot_sit_at_two_tables() -> None:
    """Two results of one person in one round are withheld and told; the others at those tables keep theirs."""
    found = judged(closed("1", {"a": "1", "b": "2"}), closed("2", {"a": "1+", "c": "2"}))

    assert ([("twice-in-round", "1, 2")], {"a": (None,), "b": ("2",), "c": ("2",)}) == (
        [(one.code, one.values["tables"]) for one in found.contradictions],
        {one.person.name: one.results for one in found.standings},
    )


def test_a_result_that_is_none_is_withheld() -> None:
    """A result that this system does not have cannot slip into the order."""
    found = judged(closed("1", {"a": "7", "b": "2"}))

    assert (["strange-result"], {"a": (None,), "b": ("2",)}) == (
        [one.code for one in found.contradictions],
        {one.person.name: one.results for one in found.standings},
    )


def test_other_systems_are_listed_without_an_order() -> None:
    """Results of a system that is not ranked here are shown, not ranked."""
    found = judged(closed("1", {"a": "win", "b": "loss"}, system="classic"))

    assert ("classic", (), ["loss", "win"]) == (found.system, found.standings, [one.result for one in found.results])


def test_different_rulesets_are_seen() -> None:
    """Tables that do not play by the same rules are noticed."""
    tables = closed("1", {"a": "1"}), closed("2", {"b": "1"}, ruleset_hash="00" * 32)

    assert 2 == len(judged(*tables).rulesets)


def test_a_clubs_own_rules_are_told() -> None:
    """Where the hub lacks the ruleset it ranks by the shipped one and says so."""
    found = judged(closed("1", {"a": "1"}, ruleset_name="our-club", ruleset_hash="00" * 32))

    assert (["own-ruleset"], 1) == ([one.code for one in found.contradictions], len(found.standings))


@pytest.mark.parametrize(
    ("player", "name", "key"),
    [
        ("anna.de.vries", None, "id:anna.de.vries"),
        ("anna.de.vries", "Anna", "id:anna.de.vries"),
        ("p1", "Anna  de VRIES", "name:anna de vries"),
        ("p1", "Zoe\u0308", "name:zoë"),
        ("p1", None, "seat:7/g1/p1"),
        ("p1", "p1", "seat:7/g1/p1"),
    ],
)
def test_who_is_who(player: str, name: str | None, key: str) -> None:
    """An organiser's id is the person; an id that a table made up is known by its name, or by its seat only."""
    assert key == person_of(player, name, table="7", game="g1").key


def test_made_up_ids_at_two_tables_are_two_people() -> None:
    """`p1` at one table is not `p1` at another, when their names differ."""
    names = {("1", "r1-t1"): {"p1": "Anna"}, ("2", "r1-t2"): {"p1": "Bram"}}
    tables = closed("1", {"p1": "1"}), closed("2", {"p1": "2"})
    played = [Played(table=t.table_id, chapter=1, game=g) for t in tables for g in folded(t).games]
    found = tournament("Risktoernooi", played, lambda table, game: names[(table, game)])

    assert ["Anna", "Bram"] == [one.person.name for one in found.standings]


def test_other_tournaments_stay_out() -> None:
    """Yesterday's games on the same tables do not count today."""
    table = closed("1", {"a": "1"})
    old = replace(folded(table).games[0], tournament="Yesterday")
    found = tournament("Risktoernooi", [Played(table="1", chapter=1, game=old)], lambda _t, _g: {})

    assert ((), ()) == (found.results, found.rounds)
