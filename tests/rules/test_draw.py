"""Table sizes and the lot."""

from __future__ import annotations

import hashlib
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.draw import Draw, draw_round, may_enter, pool_split, table_sizes
from companion.rules.errors import DrawError
from companion.rules.lot import below, blocks, shuffled
from companion.rules.ruleset import load_ruleset


def drawn(count: int, *, number: str = "42", round_: int = 1, system: str = "nl1996", **fields: Any) -> Draw:
    """A draw of players p01, p02, ...; `earlier` and `sizes` go to the call, the rest are options."""
    call = {key: fields.pop(key) for key in ("earlier", "sizes") if key in fields}
    players = [f"p{at:03}" for at in range(count)]
    return draw_round(players, number=number, round_=round_, ruleset=load_ruleset(system, fields), **call)


@given(st.integers(0, 400))
def test_n_players_split_or_are_refused(players: int) -> None:
    """Every number but 0, 1, 2 and 5 splits into threes and at most two fours."""
    if players in (0, 1, 2, 5):
        with pytest.raises(DrawError) as refusal:
            pool_split(players)
        assert "cannot-split" == refusal.value.code
        return
    split = pool_split(players)

    assert (players, True, split.threes + split.fours) == (
        3 * split.threes + 4 * split.fours,
        split.fours <= 2,
        split.pools,
    )


@pytest.mark.parametrize(
    ("players", "sizes"),
    [
        (3, (3,)),
        (4, (4,)),
        (5, (5,)),
        (6, (3, 3)),
        (7, (4, 3)),
        (9, (4, 5)),
        (10, (4, 3, 3)),
        (11, (4, 4, 3)),
        (12, (4, 4, 4)),
    ],
)
def test_risiko_prefers_tables_of_four(players: int, sizes: tuple[int, ...]) -> None:
    """As many fours as possible, the rest as a five or as threes."""
    assert sizes == table_sizes(players, ruleset=load_ruleset("risiko"))


@pytest.mark.parametrize(
    ("players", "system", "options", "code"),
    [
        (2, "risiko", {}, "cannot-split"),
        (1, "risiko", {}, "cannot-split"),
        (9, "risiko", {"table_split": "organiser"}, "sizes-missing"),
        (9, "classic", {}, "no-tournament"),
        (5, "nl1996", {}, "cannot-split"),
    ],
)
def test_sizes_that_can_not_be_are_refused(players: int, system: str, options: Any, code: str) -> None:
    """Each refusal says who decides instead."""
    with pytest.raises(DrawError) as refusal:
        table_sizes(players, ruleset=load_ruleset(system, options))

    assert code == refusal.value.code


def test_anybody_can_replay_the_lot_by_hand() -> None:
    """Three names in order, shuffled with nothing but SHA-256 as docs/rules.md tells."""
    first = int(hashlib.sha256(b"42|round 1|0").hexdigest(), 16)
    second = int(hashlib.sha256(b"42|round 1|1").hexdigest(), 16)
    names = ["a", "b", "c"]
    at = first % 3
    names[2], names[at] = names[at], names[2]
    at = second % 2
    names[1], names[at] = names[at], names[1]

    assert tuple(names) == shuffled(["c", "a", "b"], number="42", purpose="round 1")


def test_unfair_blocks_are_skipped() -> None:
    """A block in the uneven rest at the top is not used."""
    stream = iter([2**256 - 1, 7])

    assert 1 == below(stream, 3)


def test_another_purpose_is_another_stream() -> None:
    """Rounds drawn from one number are independent."""
    assert next(blocks("1", "round 1")) != next(blocks("1", "round 2"))


@pytest.mark.parametrize("number", ["", "  ", "1|2"])
def test_a_lot_needs_a_number(number: str) -> None:
    """No number, or one with the separator, is refused."""
    with pytest.raises(DrawError) as refusal:
        shuffled(["a"], number=number, purpose="x")

    assert "bad-lot-number" == refusal.value.code


@given(count=st.sampled_from([3, 4, 6, 7, 8, 11, 26, 50]), number=st.text("0123456789", min_size=1, max_size=8))
def test_the_lot_is_reproducible_and_covers_everyone(count: int, number: str) -> None:
    """The same number gives the same tables, and everybody sits at exactly one."""
    found, again = drawn(count, number=number), drawn(count, number=number)
    seated = sorted(player for table in found.tables for player in table)

    assert (again, [f"p{at:03}" for at in range(count)]) == (found, seated)


def rounds(count: int, **options: Any) -> list[tuple[tuple[str, ...], ...]]:
    """Four rounds drawn after one another."""
    earlier: list[tuple[tuple[str, ...], ...]] = []
    for round_ in range(1, 5):
        earlier.append(drawn(count, round_=round_, earlier=earlier, **options).tables)
    return earlier


def repeats(played: list[tuple[tuple[str, ...], ...]]) -> int:
    """Pairs that met, counted beyond the first time."""
    met = [pair for tables in played for table in tables for pair in combinations(sorted(table), 2)]
    return len(met) - len(set(met))


@pytest.mark.parametrize("count", [12, 26, 50])
def test_rematches_can_be_avoided(count: int) -> None:
    """With the option fewer pairs meet again than by pure lot, and in a big field none."""
    pure, avoided = repeats(rounds(count)), repeats(rounds(count, avoid_rematch=True))

    assert (True, True) == (avoided <= pure, avoided == 0 or count == 12)


def test_rematches_are_counted() -> None:
    """The draw says how many of its pairs have met before."""
    first = drawn(3)

    assert (0, 3) == (first.rematches, drawn(3, round_=2, earlier=[first.tables]).rematches)


@pytest.mark.parametrize("avoid", [False, True])
def test_fours_can_be_spread(avoid: bool) -> None:
    """With the option nobody sits at a four twice before everybody who can has once."""
    played = rounds(32, spread_fours=True, avoid_rematch=avoid)
    seats = [player for tables in played for table in tables if len(table) == 4 for player in table]

    assert 32 == len(seats) == len(set(seats))


def test_the_organiser_may_choose_sizes() -> None:
    """Own sizes are used as they are, such as the three tables of a semi-final."""
    found = drawn(12, system="risiko", sizes=[4, 4, 4])

    assert [4, 4, 4] == [len(table) for table in found.tables]


def test_sizes_must_seat_everybody() -> None:
    """Sizes that don't add up are refused."""
    with pytest.raises(DrawError) as refusal:
        drawn(12, sizes=[4, 4])

    assert "cannot-split" == refusal.value.code


def test_no_entries_after_the_start(nl: Any) -> None:
    """Who did not enter in time stays out in nl1996; elsewhere, and before the start, entries are open."""
    risiko = load_ruleset("risiko")

    assert (True, True, True, False) == (
        may_enter("a", ["a"], started=True, ruleset=nl),
        may_enter("x", ["a"], started=False, ruleset=nl),
        may_enter("x", ["a"], started=True, ruleset=risiko),
        may_enter("x", ["a"], started=True, ruleset=nl),
    )


def test_a_name_twice_is_refused(nl: Any) -> None:
    """Nobody is drawn twice."""
    with pytest.raises(DrawError) as refusal:
        draw_round(["a", "b", "a"], number="1", round_=1, ruleset=nl)

    assert ("name-twice", "a") == (refusal.value.code, refusal.value.values["player"])
