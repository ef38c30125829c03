"""RisiKo! at the table and its tournament."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.board import load_board
from companion.rules.cards import Hand
from companion.rules.errors import DrawError, PositionError, ResultsError, RulesError
from companion.rules.objectives import load_objectives
from companion.rules.position import Claim, KnockedOut, Position, Tally
from companion.rules.result import TableResult
from companion.rules.ruleset import Ruleset, load_ruleset
from companion.rules.systems import risiko, risiko_phases, risiko_turn
from companion.rules.systems.risiko_phases import Game
from tests.rules.boards import position

BOARD = load_board("risiko")
OBJECTIVES = {"a": "guerra_fredda", "b": "lupo", "c": "letto"}
WHOLE = position(
    {"a": ["north_america", "asia"], "b": ["europe"], "c": []}, {"a": 40, "b": 31, "c": 30}, board="risiko"
)


def test_a_whole_objective_scores_258_from_its_territories(it: Ruleset) -> None:
    """86 points three times, continents 36, armies 20: 314 as in the law book, whatever else is held."""
    found = risiko.scores(WHOLE, board=BOARD, objectives=OBJECTIVES, ruleset=it)[0]

    assert (258 * 2, 314.0) == (found.objective_halves, found.points)


@pytest.mark.parametrize(
    ("change", "code"),
    [({"armies": None}, "armies-missing"), ({"hand": None}, "hand-missing"), ({"player": "x"}, "unknown-objective")],
)
def test_a_score_needs_everything_counted(it: Ruleset, change: dict[str, Any], code: str) -> None:
    """Armies, cards and objective of everybody are needed."""
    found = Position(players=(replace(WHOLE.players[0], **change),))
    with pytest.raises(PositionError) as refusal:
        risiko.scores(found, board=BOARD, objectives=OBJECTIVES, ruleset=it)

    assert code == refusal.value.code


def test_cards_count_two_points_each(it: Ruleset) -> None:
    """Cards are never turned into armies at the end."""
    rich = Position(players=(replace(WHOLE.players[0], hand=Hand(infantry=3, joker=1)),))
    found = risiko.scores(rich, board=BOARD, objectives=OBJECTIVES, ruleset=it, known=load_objectives())

    assert 322.0 == found[0].points


def test_an_objective_is_done_when_all_is_owned() -> None:
    """One territory missing is named."""
    wanted = load_objectives()["lupo"].territories

    assert (True, False) == (risiko.objective_done(wanted, wanted)[0], risiko.objective_done(wanted, [])[0])
    assert {"missing": ["siberia"]} == risiko.objective_done(wanted, wanted - {"siberia"})[1].values


def result(
    points: dict[str, int], out: Any = (), claim: Claim | None = None, parts: Any = None, **options: Any
) -> TableResult:
    """A result from Scores in half points."""
    found = [
        risiko.Score(player=player, halves=halves, objective_halves=(parts or {}).get(player, 0))
        for player, halves in points.items()
    ]
    return risiko.table_result(found, knocked_out=out, claim=claim, ruleset=load_ruleset("risiko", options))


def test_the_score_ranks_and_gives_points() -> None:
    """The winner qualifies, the others get the points of their place, each with the Score beside it."""
    found = result({"a": 100, "b": 120, "c": 80, "d": 60})

    assert ({"b": "win", "a": "6", "c": "3", "d": "1"}, 60.0) == (found.results(), found.places[0].score)
    assert {"own": 60.0, "other": 50.0, "other_player": "a"} == found.places[0].reason.values


def test_the_objective_wins_whatever_the_score() -> None:
    """Who reached the objective is first; the rest goes by Score."""
    found = result({"a": 100, "b": 120, "c": 100}, claim=Claim(player="a", mission="lupo"))

    assert (["a", "b", "c"], "objective-first", "score") == (
        [place.player for place in found.places],
        found.places[0].reason.code,
        found.places[1].reason.code,
    )


@pytest.mark.parametrize(("option", "results"), [("later_is_better", {"d": "3", "c": "1"}), ("shared", {})])
def test_the_knocked_out_have_no_score(option: str, results: dict[str, str]) -> None:
    """They come last with 0, the later one first, or together and then the Director rules."""
    out = [KnockedOut(player="c", players_left_before=4), KnockedOut(player="d", players_left_before=3)]
    found = result({"a": 100, "b": 120}, out, order_of_knocked_out=option)
    last = {player: given for player, given in found.results().items() if player in "cd"}

    assert (results, {"a": "6", "b": "win"}) == (last, {p: r for p, r in found.results().items() if p in "ab"})
    assert (() if results else (("c", "d"),)) == found.unresolved


@pytest.mark.parametrize(
    ("option", "results", "unresolved"),
    [
        ("director", {"c": "2"}, (("a", "b"),)),
        ("objective_points", {"a": "win", "b": "5", "c": "2"}, ()),
        ("shared", {"c": "2"}, (("a", "b"),)),
    ],
)
def test_equal_first_scores(option: str, results: dict[str, str], unresolved: Any) -> None:
    """The win is never shared; the Director rules, or the objective's points part them."""
    found = result({"a": 100, "b": 100, "c": 40}, parts={"a": 60, "b": 50}, equal_score=option)

    assert (results, unresolved) == (found.results(), found.unresolved)
    assert (("win", "5") if unresolved else ()) == found.at_stake


def test_the_objectives_points_are_the_reason() -> None:
    """Where they part equal Scores, they are named."""
    found = result({"a": 100, "b": 100, "c": 40}, parts={"a": 60, "b": 50}, equal_score="objective_points")

    assert ("objective-points", {"own": 30.0, "other": 25.0, "other_player": "b"}) == (
        found.places[0].reason.code,
        found.places[0].reason.values,
    )


def test_equal_seconds_may_share() -> None:
    """With the option both get the better points."""
    found = result({"a": 100, "b": 80, "c": 80, "d": 10}, equal_score="shared")

    assert ({"a": "win", "b": "6", "c": "6", "d": "1"}, [1, 2, 2, 4]) == (
        found.results(),
        [place.place for place in found.places],
    )


def test_everybody_equal_awaits_the_director() -> None:
    """A table of equals has no places at all."""
    found = result({"a": 10, "b": 10, "c": 10})

    assert ((), ("win", "5", "2")) == (found.places, found.at_stake)


@pytest.mark.parametrize(
    ("points", "claim", "code"),
    [({"a": 1, "b": 2, "c": 3}, Claim(player="x"), "objective-by-stranger"), ({"a": 1, "b": 2}, None, "table-size")],
)
def test_a_table_that_can_not_be_ranked_is_refused(points: dict[str, int], claim: Any, code: str) -> None:
    """A winner from elsewhere, or a size that has no points."""
    with pytest.raises(ResultsError) as refusal:
        result(points, claim=claim)

    assert code == refusal.value.code


def test_six_players_sixth_gets_nothing() -> None:
    """The last at a table gets no points."""
    found = result({player: 10 * at for at, player in enumerate("abcdef")})

    assert {"f": "win", "e": "8", "d": "5", "c": "3", "b": "2", "a": "1"} == found.results()


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        ({}, ("board", ("a", "b"), True, True, True)),
        ({"a": (None, None), "b": (3, None)}, ("armies", ("a",), False, True, True)),
        ({"a": (3, None), "b": (3, Hand())}, ("hands", ("a",), False, False, True)),
        ({"a": (3, Hand()), "b": (3, Hand())}, (None, (), False, False, False)),
    ],
)
def test_every_score_is_needed(recorded: dict[str, Any], expected: Any) -> None:
    """The table is ranked by Score in any case, so everything of everybody is asked."""
    known = {
        player: Tally(player=player, continents=(), territories=1, armies=armies, hand=hand)
        for player, (armies, hand) in recorded.items()
    }
    need = risiko.needed(["a", "b"], known)

    assert expected == (need.next, need.players, need.board, need.armies, need.hands)


@pytest.mark.parametrize(
    ("options", "entitled", "placeable", "kept"),
    [({}, 3, 1, 0), ({"over_cap": "kept"}, 3, 1, 2), ({"minimum_applies_to": "territories"}, 4, 1, 0)],
)
def test_reinforcement_under_the_cap(options: dict[str, Any], entitled: int, placeable: int, kept: int) -> None:
    """At least two a turn, by either reading; what does not fit is lost or kept."""
    found = risiko_turn.reinforcement(4, [2], 0, 115, ruleset=load_ruleset("risiko", options))

    assert (entitled, placeable, kept, (1, 2, 0)) == (found.entitled, found.placeable, found.kept, found.trays)


def test_the_minimum_is_named(it: Ruleset) -> None:
    """A player with five territories gets two, and hears why."""
    found = risiko_turn.reinforcement(5, [], 0, 20, ruleset=it)

    assert (2, ["reinforcement", "reinforcement-minimum"]) == (found.entitled, [r.code for r in found.reasons])


def test_bookkeeping_of_a_turn(it: Ruleset) -> None:
    """Placing by threes, one strategic move, an undeclared attack destroyed, penalties within reason."""
    assert (3, 3, 1) == risiko_turn.placing_rounds(7, ruleset=it)
    assert (True, False) == (risiko_turn.may_make_strategic_move(0), risiko_turn.may_make_strategic_move(1))
    assert 3 == risiko_turn.undeclared_attack(3)[0]
    assert 17 == risiko_turn.after_penalty(20, 3, territories=12)
    assert ("10A", "10B") == (risiko_turn.vote(3, 2)[0], risiko_turn.vote(2, 3)[0])
    assert risiko_turn.may_play_taken_cards(taken_this_turn=False, next_turn=False).allowed


@pytest.mark.parametrize("taken", [-1, 9])
def test_a_penalty_leaves_every_territory_held(taken: int) -> None:
    """One army stays in each territory, and a penalty gives none."""
    with pytest.raises(RulesError) as refusal:
        risiko_turn.after_penalty(20, taken, territories=12)

    assert "negative-number" == refusal.value.code


def game(points: int | None, score: float) -> Game:
    """One game."""
    return Game(points=points, score=score)


def test_the_general_ranking_goes_by_weight_then_score(it: Ruleset) -> None:
    """Sums over the games played, equal rows sharing a place, each with its reason."""
    games = {
        "a": [game(6, 90), game(3, 80)],
        "b": [game(6, 95)],
        "c": [game(3, 50), game(3, 60)],
        "d": [game(None, 200)],
        "e": [game(6, 95)],
        "f": [],
    }
    found = risiko_phases.general_ranking(games, ruleset=it)

    assert [("a", 1), ("c", 2), ("b", 3), ("e", 3), ("d", 5), ("f", 6)] == [(r.player, r.place) for r in found]
    assert ["rank-weight", "rank-weight", "rank-score", "rank-shared", "rank-weight", "rank-score"] == [
        r.reason.code for r in found
    ]
    assert ["d"] == [r.player for r in found if r.won_a_table]


@pytest.mark.parametrize(("option", "score"), [("sum", 130.0), ("best", 70.0), ("last", 60.0)])
def test_how_scores_of_several_games_count(option: str, score: float) -> None:
    """Added, the best, or the last one."""
    rules = load_ruleset("risiko", {"repechage_score": option})
    found = risiko_phases.general_ranking({"a": [game(3, 70), game(3, 60)]}, ruleset=rules)

    assert (score, "rank-first") == (found[0].score, found[0].reason.code)


GAMES = {"a": [game(6, 90)], "b": [game(3, 80)], "c": [game(3, 80)], "d": [game(1, 20)], "w": [game(None, 99)]}


@pytest.mark.parametrize(
    ("places", "order", "unresolved", "missing"),
    [
        (0, (), (), 0),
        (1, ("a",), (), 0),
        (2, ("a",), ("b", "c"), 0),
        (3, ("a", "b", "c"), (), 0),
        (6, ("a", "b", "c", "d"), (), 2),
    ],
)
def test_who_is_fished_out(it: Ruleset, places: int, order: Any, unresolved: Any, missing: int) -> None:
    """The best go on; equal players across the line await the Director; winners are not fished."""
    found = risiko_phases.repechage_select(places, GAMES, ruleset=it)

    assert (order, unresolved, missing) == (found.order, found.unresolved, found.missing)


def test_a_winner_is_never_fished_out(it: Ruleset) -> None:
    """Who won on another evening is qualified already."""
    assert ("b", "c") == risiko_phases.repechage_select(2, GAMES, won_a_table=["a"], ruleset=it).order


@given(st.integers(0, 500))
def test_a_multiple_of_four_goes_on(winners: int) -> None:
    """The next multiple of four, never a larger one."""
    found = risiko_phases.repechage_count(winners, ruleset=load_ruleset("risiko"))

    assert (0, True, winners) == (found.qualified % 4, 0 <= found.repechaged < 4, found.winners)


@pytest.mark.parametrize(
    ("winners", "option", "expected"),
    [(0, "by_score", (12, 12)), (12, "by_score", (0, 12)), (14, "by_score", (0, 12)), (14, "another_phase", (2, 16))],
)
def test_the_second_phase_fills_to_twelve(winners: int, option: str, expected: Any) -> None:
    """Twelve go to the semi-final; with more winners the option decides."""
    found = risiko_phases.second_phase(winners, ruleset=load_ruleset("risiko", {"winners_over_12": option}))

    assert expected == (found.repechaged, found.qualified)


def test_two_evenings(it: Ruleset) -> None:
    """Every table gives a winner; who won on the first evening stays away from the second."""
    found = risiko_phases.first_phase([4, 4, 5], [3, 6], ruleset=it)

    assert (5, 3, 8) == (found.winners, found.repechaged, found.qualified)
    assert (False, True) == tuple(risiko_phases.may_enter_second_evening(who, ["a"]) for who in ("a", "new"))


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda rules: risiko_phases.first_phase([2], [], ruleset=rules), "table-size"),
        (lambda rules: risiko_phases.repechage_count(-1, ruleset=rules), "negative-number"),
        (lambda rules: risiko_phases.semi_final(11, ruleset=rules), "semi-final-size"),
    ],
)
def test_phases_that_can_not_be_are_refused(it: Ruleset, ask: Any, code: str) -> None:
    """A table of two, fewer winners than none, eleven semi-finalists."""
    with pytest.raises(ResultsError) as refusal:
        ask(it)

    assert code == refusal.value.code


def test_the_semi_final_is_drawn(it: Ruleset) -> None:
    """Twelve at three tables of four by lot, or the organiser seats them."""
    players = [f"p{at}" for at in range(12)]
    found = risiko_phases.draw_semi_final(players, number="9", ruleset=it)
    with pytest.raises(DrawError) as refusal:
        risiko_phases.draw_semi_final(
            players, number="9", ruleset=load_ruleset("risiko", {"semi_final_draw": "organiser"})
        )

    assert ([4, 4, 4], "sizes-missing") == ([len(table) for table in found.tables], refusal.value.code)


def test_the_final_and_its_prizes(it: Ruleset) -> None:
    """Twelve at three tables, winners and the best second, three prizes; equal seconds await the Director."""
    tables = [[("a", 140), ("b", 110)], [("c", 90), ("d", 110)], [("e", 160), ("f", 50)]]
    found = risiko_phases.finalists(tables)

    assert ((3, 4), ("a", "c", "e"), ("b", "d")) == (
        risiko_phases.semi_final(12, ruleset=it),
        found.finalists,
        found.unresolved,
    )
    assert ("a", "c", "e", "b") == risiko_phases.finalists([tables[0], [tables[1][0], ("x", 1)], tables[2]]).finalists
    assert ("a", "c", "e") == risiko_phases.prizes(["a", "c", "e", "b"])


@given(
    parts=st.lists(
        st.tuples(st.integers(0, 90), st.integers(0, 90), st.integers(0, 9), st.integers(0, 116)), max_size=5
    )
)
def test_scores_add_up(parts: list[tuple[int, int, int, int]]) -> None:
    """The Score of everything together is the sum of the Scores of its parts."""
    rules = load_ruleset("risiko")

    def score(objective: list[int], other: list[int], cards: int, armies: int) -> int:
        return risiko.score_halves(
            objective=objective, other=other, cards=cards, continent_bonuses=[], armies=armies, ruleset=rules
        )

    together = score([p[0] for p in parts], [p[1] for p in parts], sum(p[2] for p in parts), sum(p[3] for p in parts))
    assert together == sum(score([a], [b], cards, armies) for a, b, cards, armies in parts)
