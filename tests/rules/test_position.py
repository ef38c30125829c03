"""Recorded boards that can't be true are refused with rule, offender and way out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.rules.board import load_board
from companion.rules.cards import Hand
from companion.rules.errors import PositionError
from companion.rules.position import (
    KnockedOut,
    PlayerPosition,
    Position,
    armies_of,
    check_colours,
    check_knocked_out,
    check_players,
    check_position,
    tally,
)
from companion.rules.ruleset import Ruleset, load_ruleset
from tests.rules.boards import BOARD, position

WHOLE = position({"a": ["asia"], "b": ["europe"], "c": []})


def changed(at: int, **fields: Any) -> Position:
    """The whole board with one player's record changed."""
    players = list(WHOLE.players)
    players[at] = replace(players[at], **fields)
    return Position(players=tuple(players))


def check(found: Position, out: tuple[str, ...] = (), players: tuple[str, ...] = ("a", "b", "c")) -> None:
    """Check under nl1996."""
    check_position(found, board=BOARD, players=players, ruleset=load_ruleset("nl1996"), out=out)


def test_a_whole_board_passes(nl: Ruleset) -> None:
    """42 territories with owners, enough armies and possible hands pass, counted one by one or in sum."""
    one_by_one = changed(1, armies_on=dict.fromkeys(WHOLE.players[1].territories, 2))
    check(WHOLE)
    check(one_by_one)

    assert (14, 42) == (armies_of(one_by_one.players[1]), armies_of(WHOLE.players[0]))


def test_what_is_not_counted_yet_passes() -> None:
    """Armies and cards may be unknown."""
    check(changed(0, armies=None, hand=None))

    assert None is armies_of(changed(0, armies=None).players[0])


def test_neutral_territories_make_up_the_board() -> None:
    """Territories without an owner count as recorded."""
    rest = WHOLE.players[2]
    found = Position(players=WHOLE.players[:2], vacant=rest.territories)
    check(found, out=("c",))

    with pytest.raises(PositionError) as refusal:
        check(Position(players=WHOLE.players, vacant=("alaska",)))
    assert "territory-twice" == refusal.value.code


ASIA = WHOLE.players[0].territories


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (changed(2, territories=WHOLE.players[2].territories[1:]), "territories-missing"),
        (changed(2, territories=(*WHOLE.players[2].territories, "japan")), "territory-twice"),
        (changed(0, territories=(*ASIA, "japan")), "territory-twice"),
        (changed(0, territories=(*ASIA, "narnia")), "unknown-territory"),
        (changed(0, territories=()), "no-territory"),
        (changed(0, armies=11), "armies-below-territories"),
        (changed(0, armies=-3), "armies-below-territories"),
        (changed(0, armies=40.5), "not-a-whole-number"),
        (changed(0, armies_on=dict.fromkeys(ASIA, 0)), "armies-not-positive"),
        (changed(0, armies_on=dict.fromkeys(ASIA, "2")), "not-a-whole-number"),
        (changed(0, armies_on={"alaska": 2}), "armies-stranger"),
        (changed(0, armies_on=dict.fromkeys(ASIA[1:], 2)), "armies-missing"),
        (changed(0, unplaced_armies=-1), "negative-number"),
        (changed(0, hand=Hand(infantry=-1)), "negative-cards"),
        (changed(0, hand=Hand(infantry=22, artillery=21)), "too-many-cards"),
        (changed(0, hand=Hand(cavalry=2), owned_cards=Hand(cavalry=3)), "too-many-cards"),
        (changed(0, hand=Hand(cavalry=2), owned_cards=Hand(infantry=1)), "too-many-cards"),
        (changed(0, hand=None, owned_cards=Hand(infantry=1)), "too-many-cards"),
        (changed(0, hand=Hand(joker=1), owned_cards=Hand(joker=1)), "too-many-cards"),
        (changed(0, hand=Hand(cavalry=2), owned_cards=Hand(cavalry=-1)), "negative-cards"),
        (changed(0, player="x"), "unknown-player"),
        (changed(0, player="b"), "player-twice"),
        (Position(players=WHOLE.players[:2]), "player-missing"),
    ],
)
def test_a_board_that_can_not_be_true_is_refused(found: Position, code: str) -> None:
    """41 territories, one twice, no armies, a negative hand, a stranger: each has its own refusal."""
    with pytest.raises(PositionError) as refusal:
        check(found)

    assert code == refusal.value.code


def test_all_hands_share_the_jokers() -> None:
    """Two jokers in one hand and one in another are one too many."""
    players = tuple(replace(held, hand=Hand(joker=count)) for held, count in zip(WHOLE.players, (2, 1, 0), strict=True))
    with pytest.raises(PositionError) as refusal:
        check(Position(players=players))

    assert ("too-many-cards", 3) == (refusal.value.code, refusal.value.values["count"])


def test_a_deck_has_a_card_for_each_territory() -> None:
    """42 cards and two jokers can be held, and those whose land is owned are among them."""
    full = Hand(infantry=14, artillery=14, cavalry=14, joker=2)
    check(changed(0, hand=full, owned_cards=Hand(infantry=14, artillery=14, cavalry=14)))

    assert 44 == full.cards


@pytest.mark.parametrize(("armies", "code"), [(116, None), (117, "negative-number")])
def test_risiko_has_a_cap_of_armies(armies: int, code: str | None) -> None:
    """Clause 13: at most 116 on the board; more would be worth half a point each."""
    found = position({"a": ["asia"], "b": ["europe"], "c": []}, armies={"b": armies}, board="risiko")
    refused = None
    try:
        check_position(found, board=load_board("risiko"), players=["a", "b", "c"], ruleset=load_ruleset("risiko"))
    except PositionError as refusal:
        refused = refusal.code

    assert code == refused


def test_who_is_out_owns_nothing() -> None:
    """A knocked-out player can't be on the frozen board."""
    with pytest.raises(PositionError) as refusal:
        check(WHOLE, out=("b",))

    assert ("player-out-owns", "b") == (refusal.value.code, refusal.value.values["player"])


@pytest.mark.parametrize(
    ("system", "players", "code"),
    [
        ("nl1996", ["a", "b"], "too-few-players"),
        ("nl1996", ["a", "b", "c", "d", "e"], "too-many-players"),
        ("risiko", ["a", "b", "c", "a"], "player-twice"),
        ("apoikia", ["a", "b", "c", "d", "e"], "too-many-players"),
    ],
)
def test_a_table_has_a_number_of_players(system: str, players: list[str], code: str) -> None:
    """Too few, too many or somebody twice."""
    with pytest.raises(PositionError) as refusal:
        check_players(players, ruleset=load_ruleset(system))

    assert code == refusal.value.code


@pytest.mark.parametrize(
    ("colours", "code"), [({"a": "red", "b": "red"}, "colour-twice"), ({"a": "mauve"}, "unknown-colour")]
)
def test_a_colour_is_used_once(nl: Ruleset, colours: dict[str, str], code: str) -> None:
    """A colour twice or one that the box has not is refused; systems without missions take any."""
    with pytest.raises(PositionError) as refusal:
        check_colours(colours, ruleset=nl)
    check_colours({"a": "mauve"}, ruleset=load_ruleset("risiko"))

    assert code == refusal.value.code


@pytest.mark.parametrize(
    ("knocked_out", "code"),
    [
        ([KnockedOut(player="x", players_left_before=3)], "unknown-player"),
        ([KnockedOut(player="a", players_left_before=3, by="x")], "unknown-player"),
        ([KnockedOut(player="a", players_left_before=3, by="a")], "unknown-player"),
        (
            [KnockedOut(player="a", players_left_before=3), KnockedOut(player="b", players_left_before=2, by="a")],
            "unknown-player",
        ),
        ([KnockedOut(player="a", players_left_before=2)], "knocked-out-count"),
        (
            [KnockedOut(player="a", players_left_before=3), KnockedOut(player="a", players_left_before=2)],
            "player-twice",
        ),
    ],
)
def test_knock_outs_must_add_up(knocked_out: list[KnockedOut], code: str) -> None:
    """Strangers, a player twice, one destroyed by himself or by the dead, or a wrong number left are refused."""
    with pytest.raises(PositionError) as refusal:
        check_knocked_out(knocked_out, ["a", "b", "c"])

    assert code == refusal.value.code


def test_a_tally_counts_continents_lands_and_armies(nl: Ruleset) -> None:
    """What the scoring needs; armies not yet placed count only where the option says so."""
    held = PlayerPosition(player="a", territories=ASIA, armies=20, unplaced_armies=3)
    counting = load_ruleset("nl1996", {"count_unplaced_armies": True})
    plain = tally(Position(players=(held,)), board=BOARD, ruleset=nl)[0]
    more = tally(Position(players=(held,)), board=BOARD, ruleset=counting)[0]

    assert (("asia",), 12, 20, 23) == (plain.continents, plain.territories, plain.armies, more.armies)
