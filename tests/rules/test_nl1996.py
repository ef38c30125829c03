"""The Dutch table: results, deciding steps, and what is enough to decide."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.cards import Hand
from companion.rules.errors import PositionError
from companion.rules.position import Claim, KnockedOut, Tally
from companion.rules.result import TableResult, overruled
from companion.rules.ruleset import Ruleset, load_ruleset
from companion.rules.systems.nl1996 import RESULTS, card_armies, continent_points, first_claim, needed, table_result

NO_CARDS = Hand()


def row(
    player: str, territories: int = 14, armies: int | None = 30, *, held: Any = (), hand: Hand | None = NO_CARDS
) -> Tally:
    """One player's tally."""
    return Tally(player=player, continents=tuple(held), territories=territories, armies=armies, hand=hand)


def fell(player: str, left: int, by: str | None = None) -> KnockedOut:
    """A knock-out."""
    return KnockedOut(player=player, players_left_before=left, by=by)


def result(*rows: Tally, out: Any = (), claim: Claim | None = None, **fields: Any) -> TableResult:
    """The result with options under their names; `played_on` and `lot` go to the call."""
    call = {key: fields.pop(key) for key in ("played_on", "lot") if key in fields}
    return table_result(rows, knocked_out=out, claim=claim, ruleset=load_ruleset("nl1996", fields), **call)


def reasons(found: TableResult) -> dict[str, str]:
    """Code of the deciding step by player."""
    return {place.player: place.reason.code for place in found.places}


def test_each_level_names_itself() -> None:
    """Continents part the first two, territories the third from the second."""
    found = result(row("a", held=["africa"]), row("b", 15), row("c", 13))

    assert {"a": "ahead-continents", "b": "behind-continents", "c": "behind-territories"} == reasons(found)
    assert {"own": 0, "other": 12, "other_player": "a"} == found.places[1].reason.values
    assert [1, 2, 3] == [place.place for place in found.places]


@pytest.mark.parametrize(
    ("rows", "step"),
    [
        ([row("a", armies=31), row("b")], "armies"),
        ([row("a", hand=Hand(cavalry=3)), row("b", hand=Hand(infantry=3))], "card-armies"),
        ([row("a", hand=Hand(infantry=2)), row("b", hand=Hand(infantry=1))], "cards"),
    ],
)
def test_deeper_levels(rows: list[Tally], step: str) -> None:
    """Armies, armies for cards, and cards decide in turn."""
    found = result(*rows, row("c", 3))

    assert f"ahead-{step}" == reasons(found)["a"]


def test_equal_thirds_need_no_ruling() -> None:
    """Two players equal at every level who both get 3 are not unresolved."""
    found = result(row("a", 20), row("b", 10), row("c", 6), row("d", 6))

    assert ({"a": "1", "b": "2", "c": "3", "d": "3"}, ()) == (found.results(), found.unresolved)
    assert [1, 2, 3, 3] == [place.place for place in found.places]


@pytest.mark.parametrize(
    ("option", "results"),
    [("share_better", {"a": "1", "b": "1", "c": "3"}), ("share_worse", {"a": "2", "b": "2", "c": "3"})],
)
def test_equal_players_may_share(option: str, results: dict[str, str]) -> None:
    """With these options equal players share the better or the worse result."""
    assert results == result(row("a"), row("b"), row("c", 3), unresolved=option).results()


def test_equal_players_may_draw_lots() -> None:
    """The lot parts them by a published number, the same each time; without a number people rule."""
    rows = (row("a"), row("b"), row("c", 3))
    drawn = result(*rows, unresolved="lot", lot="4711")
    again = result(*reversed(rows), unresolved="lot", lot="4711")
    waiting = result(*rows, unresolved="lot")

    assert [(1, "1"), (2, "2"), (3, "3")] == [(place.place, place.result) for place in drawn.places]
    assert drawn.results() == again.results()
    assert ((("a", "b"),), ("1", "2")) == (waiting.unresolved, waiting.at_stake)


def test_the_restart_reading_forgets_earlier_levels() -> None:
    """If the best are equal at a level everybody left is ranked anew at the next."""
    rows = (row("a", 14, 30, held=["africa"]), row("b", 14, 40, held=["north_america"]), row("c", 14, 50))

    assert ({"b": "1", "a": "2", "c": "3"}, {"c": "1", "b": "2", "a": "3"}) == (
        result(*rows).results(),
        result(*rows, **{"cascade.mode": "restart"}).results(),
    )


def test_the_restart_reading_keeps_a_clear_winner() -> None:
    """A single best at a level is placed by it, and the rest goes on from there."""
    rows = (row("a", 15), row("b", 14, 30), row("c", 14, 30, hand=Hand(infantry=1)))
    found = result(*rows, **{"cascade.mode": "restart"})

    assert {"a": "1", "c": "2", "b": "3"} == found.results()


def test_a_mission_gives_a_plus_and_the_scheme_the_rest() -> None:
    """1+ for the mission; second and third by the scheme."""
    found = result(row("a", 10), row("b", 12), row("c", 20), claim=Claim(player="a", mission="occupy_24"))

    assert ({"a": "1+", "c": "2", "b": "3"}, "mission-first") == (found.results(), reasons(found)["a"])


def test_destroying_leaves_the_second_known() -> None:
    """At three, the destroyed gets 3 and the other 2 without any board."""
    claim = Claim(player="a", destroyed="c")
    found = result(row("a"), row("b"), out=[fell("c", 3, "a")], claim=claim)

    assert ({"a": "1+", "b": "2", "c": "3"}, "mission-left-over", "mission-target") == (
        found.results(),
        reasons(found)["b"],
        reasons(found)["c"],
    )


@pytest.mark.parametrize(("option", "last"), [(2, "2"), (3, "3")])
def test_a_mission_kill_of_the_last_opponent(option: int, last: str) -> None:
    """When only two were left 4.13 gives 2, the other reading 3."""
    out = [fell("c", 3, "b"), fell("b", 2, "a")]
    found = result(row("a", 42), out=out, claim=Claim(player="a", destroyed="b"), two_left_mission_kill=option)

    assert ({"a": "1+", "b": last, "c": "3"}, "last-player-mission") == (found.results(), reasons(found)["a"])


@pytest.mark.parametrize(
    ("option", "claimed", "first"),
    [
        ("if_mission_shown", False, "1"),
        ("if_mission_shown", True, "1+"),
        ("always", False, "1+"),
        ("never", True, "1"),
    ],
)
def test_the_last_player_on_the_board(option: str, claimed: bool, first: str) -> None:
    """A survivor wins; the plus depends on a shown mission, or on the option."""
    claim = Claim(player="a", mission="occupy_24") if claimed else None
    found = result(row("a", 42), out=[fell("c", 3), fell("b", 2)], claim=claim, survivor_plus=option)

    assert ({"a": first, "b": "2", "c": "3"}, [1, 2, 3]) == (found.results(), [p.place for p in found.places])


def test_playing_on_by_mistake_changes_nothing() -> None:
    """The restored position counts, and the mission stays a plus."""
    rows = (row("a", 20), row("b", 14), row("c", 8))

    assert {"a": "1+", "b": "2", "c": "3"} == result(*rows, claim=Claim(player="a"), played_on="accident").results()


def test_playing_on_on_purpose_costs_three() -> None:
    """3 instead of 1+, the others are not moved up, and nobody is first."""
    found = result(row("a", 20), row("b", 14), row("c", 8), claim=Claim(player="a"), played_on="purpose")

    assert ({"b": "2", "c": "3", "a": "3"}, "played-on-purpose") == (found.results(), reasons(found)["a"])
    assert [1, 2, 3] == [place.place for place in found.places]


@pytest.mark.parametrize(
    ("claim", "out", "played_on", "code"),
    [
        (None, [], "purpose", "played-on-without-claim"),
        (Claim(player="x"), [], None, "claim-of-stranger"),
        (Claim(player="a", destroyed="d"), [], None, "destroyed-is-alive"),
        (Claim(player="a", destroyed="d"), [fell("d", 4, "b")], None, "destroyed-by-other"),
    ],
)
def test_a_claim_that_does_not_fit_is_refused(claim: Any, out: Any, played_on: Any, code: str) -> None:
    """Playing on without a mission, a stranger's claim, a living or another's victim."""
    with pytest.raises(PositionError) as refusal:
        result(row("a"), row("b", 20), row("c", 3), out=out, claim=claim, played_on=played_on)

    assert code == refusal.value.code


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([row("a", armies=None), row("b"), row("c", 3)], "armies-missing"),
        ([row("a", hand=None), row("b"), row("c", 3)], "hand-missing"),
    ],
)
def test_what_a_tie_needs_must_be_counted(rows: list[Tally], code: str) -> None:
    """A tie that hangs on something uncounted is refused, not guessed."""
    with pytest.raises(PositionError) as refusal:
        result(*rows)

    assert (code, ["a", "b"]) == (refusal.value.code, refusal.value.values["player"])


def test_what_no_tie_needs_may_be_unknown() -> None:
    """Armies and cards of players whom territories part are never asked."""
    rows = [row(name, lands, None, hand=None) for name, lands in (("a", 20), ("b", 12), ("c", 5), ("d", 5))]

    assert {"a": "1", "b": "2", "c": "3", "d": "3"} == result(*rows).results()


def test_an_unknown_continent_is_refused(nl: Ruleset) -> None:
    """The scheme knows six continents."""
    with pytest.raises(PositionError) as refusal:
        continent_points(["atlantis"], ruleset=nl)

    assert "unknown-continent" == refusal.value.code


def test_card_armies_with_owned_lands() -> None:
    """With the option a set is worth more for owned lands, and then these must be known."""
    rules = load_ruleset("nl1996", {"card_armies_owned_bonus": True})
    known = Tally(player="a", continents=(), territories=1, hand=Hand(infantry=3), owned_cards=Hand(infantry=1))
    unknown = Tally(player="a", continents=(), territories=1, hand=Hand(infantry=3))

    assert (6, None, None) == (
        card_armies(known, ruleset=rules),
        card_armies(unknown, ruleset=rules),
        card_armies(row("a", hand=None), ruleset=rules),
    )


def test_whose_turn_it_is_was_first() -> None:
    """When one throw completes two missions, the player whose turn it is was first."""
    claims = [Claim(player="a"), Claim(player="b")]

    assert ("b", "a") == (first_claim(claims, on_turn="b").player, first_claim(claims, on_turn="c").player)


def need(known: Any = (), out: Any = (), claim: Claim | None = None, **options: Any) -> tuple[Any, ...]:
    """What is needed at a table of a, b, c."""
    rules = load_ruleset("nl1996", options)
    found = needed(["a", "b", "c"], knocked_out=out, claim=claim, ruleset=rules, known=known)
    return found.next, found.board, found.armies, found.hands, found.players, found.reason.code


def test_a_time_out_needs_the_board_first() -> None:
    """Without a mission the scheme decides, and armies and cards may follow."""
    assert ("board", True, True, True, ("a", "b", "c"), "need-scheme") == need()


def test_a_tie_names_the_step_at_which_it_came_up(nl: Ruleset) -> None:
    """Equal in continents and territories: 3.2b brought the tie, armies must part it."""
    bare = [row(player, armies=None, hand=None) for player in "abc"]
    found = needed(list("abc"), knocked_out=[], claim=None, ruleset=nl, known=bare)

    assert ("3.2b", "territories", "armies") == (found.reason.clause, found.reason.values["level"], found.next)


def test_a_mission_needs_the_board_of_the_others() -> None:
    """The claimant is first; the other two go by the scheme."""
    assert ("board", True, True, True, ("b", "c"), "need-mission") == need(claim=Claim(player="a"))


@pytest.mark.parametrize(
    ("out", "claim", "code"),
    [
        ([fell("c", 3, "a")], Claim(player="a", destroyed="c"), "need-nothing-knock-outs"),
        ([], Claim(player="a", destroyed="c"), "need-nothing-knock-outs"),
        ([fell("c", 3), fell("b", 2)], None, "need-nothing-last-player"),
    ],
)
def test_some_tables_need_no_board(out: Any, claim: Any, code: str) -> None:
    """A destroyed player at a table of three, or a last player, decides without a board."""
    assert (None, False, False, False, (), code) == need(out=out, claim=claim)


def test_only_ties_need_armies_and_then_cards() -> None:
    """The board is enough unless it leaves a tie; then only the tied are counted."""
    lands = [("a", 14), ("b", 14), ("c", 14)]
    bare = [row(name, count, None, hand=None) for name, count in lands]
    counted = [row("a", 14, 30, hand=None), row("b", 14, 30, hand=None), row("c", 14, 20, hand=None)]
    clear = [row("a", 20, None, hand=None), row("b", 14, None, hand=None), row("c", 8, None, hand=None)]

    assert ("armies", False, True, True, ("a", "b", "c"), "need-tie") == need(bare)
    assert ("hands", False, False, True, ("a", "b"), "need-tie") == need(counted)
    assert (None, False, False, False, (), "need-nothing-all-known") == need(clear)


def test_equal_thirds_behind_a_mission_need_no_armies() -> None:
    """At four, with a mission done, two who are equal behind the second both get 3: nothing is counted."""
    rules = load_ruleset("nl1996")
    bare = [row(name, lands, None, hand=None) for name, lands in (("b", 12), ("c", 5), ("d", 5))]
    found = needed("abcd", knocked_out=(), claim=Claim(player="a"), ruleset=rules, known=bare)

    assert (None, "need-nothing-all-known") == (found.next, found.reason.code)


def test_the_restart_reading_needs_armies_of_everybody_left() -> None:
    """If the best are equal, everybody left is compared by armies."""
    bare = [row("a", 15, None), row("b", 15, None), row("c", 12, None)]

    assert ("armies", ("a", "b", "c")) == (
        need(bare, **{"cascade.mode": "restart"})[0],
        need(bare, **{"cascade.mode": "restart"})[4],
    )


def test_a_referee_overrules_with_a_reason() -> None:
    """A ruling replaces results, settles ties, and is the reason on those places."""
    tied = result(row("a"), row("b"), row("c", 3))
    ruled = overruled(tied, {"b": "1", "a": "2"}, by="referee", why="lot drawn at the table", known=RESULTS)

    assert ({"b": "1", "a": "2", "c": "3"}, (), ()) == (ruled.results(), ruled.unresolved, ruled.at_stake)
    assert {"a": "ruled", "b": "ruled", "c": "behind-armies"} | {"c": reasons(tied)["c"]} == reasons(ruled)


def test_a_referee_may_leave_a_tie_open() -> None:
    """Who is not named keeps the place or the open question."""
    tied = result(row("a"), row("b"), row("c", 3))
    ruled = overruled(tied, {"c": "2"}, by="referee", why="late", known=RESULTS)

    assert ((("a", "b"),), ("1", "2"), {"c": "2"}) == (ruled.unresolved, ruled.at_stake, ruled.results())


@pytest.mark.parametrize(("rulings", "part"), [({"x": "1"}, "no place"), ({"a": "7"}, "one of 1\\+, 1, 2, 3")])
def test_a_ruling_that_cannot_be_is_refused(rulings: dict[str, str], part: str) -> None:
    """Only players of the table have results, and only those that a score sheet can say."""
    with pytest.raises(ValueError, match=part):
        overruled(result(row("a", 20), row("b"), row("c", 3)), rulings, by="referee", why="?", known=RESULTS)


ROWS = st.lists(
    st.builds(
        Tally,
        player=st.just(""),
        continents=st.lists(st.sampled_from(["asia", "africa", "north_america"]), max_size=2, unique=True).map(tuple),
        territories=st.integers(1, 4),
        armies=st.integers(4, 6),
        hand=st.builds(Hand, infantry=st.integers(0, 2), cavalry=st.integers(0, 1)),
    ),
    min_size=3,
    max_size=4,
)


@given(
    rows=ROWS,
    order=st.permutations([0, 1, 2, 3]),
    mode=st.sampled_from(["lexicographic", "restart"]),
    how=st.sampled_from(["leader", "share_better", "share_worse", "lot"]),
)
def test_a_permutation_of_players_permutes_the_result(rows: list[Tally], order: list[int], mode: str, how: str) -> None:
    """Who sits where plays no part, and everybody gets a result or is named as unresolved."""
    named = [
        Tally(player=name, continents=r.continents, territories=r.territories, armies=r.armies, hand=r.hand)
        for name, r in zip("abcd", rows, strict=False)
    ]
    options = {"cascade.mode": mode, "unresolved": how}
    first = result(*named, lot="7", **options)
    second = result(*(named[at] for at in order if at < len(named)), lot="7", **options)

    everybody = {*first.results(), *(player for group in first.unresolved for player in group)}
    assert ({tally.player for tally in named}, first.results(), set(map(frozenset, first.unresolved))) == (
        everybody,
        second.results(),
        set(map(frozenset, second.unresolved)),
    )
