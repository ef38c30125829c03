"""Mission cards: in play, done, refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.rules.cards import Hand
from companion.rules.errors import PositionError
from companion.rules.missions import (
    Holdings,
    check_mission,
    mission_cards,
    mission_done,
    missions_in_play,
    verify_claim,
)
from companion.rules.position import Claim, KnockedOut, Position
from companion.rules.ruleset import Ruleset, load_ruleset
from tests.rules.boards import BOARD, position

COLOURS = {"a": "red", "b": "blue", "c": "black"}


def test_the_box_has_fourteen_missions() -> None:
    """Six for continents, six for colours, two for territories."""
    kinds = [card["kind"] for card in mission_cards().values()]

    assert (6, 6, 2) == tuple(kinds.count(kind) for kind in ("continents", "destroy", "territories"))


@pytest.mark.parametrize(
    ("system", "options", "left"),
    [("nl1996", {}, 10), ("classic", {}, 14), ("classic", {"if_colour_absent": "redraw"}, 11)],
)
def test_missions_in_play(system: str, options: dict[str, Any], left: int) -> None:
    """Nl1996 takes out colours nobody plays and the eighteen territories; the box only by option."""
    found = missions_in_play(COLOURS.values(), ruleset=load_ruleset(system, options))

    assert (left, 14 - left, 14 - left) == (len(found.in_play), len(found.removed), len(found.reasons))


@pytest.mark.parametrize(
    ("mission", "code"),
    [("occupy_19", "unknown-mission"), ("occupy_18_with_two", "mission-removed"), ("destroy_white", "mission-removed")],
)
def test_a_mission_that_is_not_in_play_is_refused(nl: Ruleset, mission: str, code: str) -> None:
    """Unknown, taken out, or for a colour nobody plays."""
    with pytest.raises(PositionError) as refusal:
        check_mission(mission, COLOURS.values(), ruleset=nl)
    check_mission("destroy_blue", COLOURS.values(), ruleset=nl)

    assert code == refusal.value.code


def done(
    mission: str, destroyed: dict[str, str] | None = None, colours: Any = None, options: Any = None, **held: Any
) -> Any:
    """Whether red has done a mission by the box rules."""
    rules = load_ruleset("classic", options)
    ruling = mission_done(
        mission, Holdings(**held), own_colour="red", destroyed=destroyed or {}, colours=colours, ruleset=rules
    )
    return ruling.done


@pytest.mark.parametrize(
    ("expected", "mission", "held"),
    [
        (True, "africa_asia", {"continents": ("asia", "africa", "europe")}),
        (False, "africa_asia", {"continents": ("asia",)}),
        (False, "australia_europe_other", {"continents": ("australia", "europe")}),
        (True, "australia_europe_other", {"continents": ("australia", "europe", "africa")}),
        (True, "occupy_24", {"territories": 24}),
        (False, "occupy_24", {"territories": 23}),
        (True, "occupy_18_with_two", {"territories": 20, "territories_with_two": 18}),
        (False, "occupy_18_with_two", {"territories": 20, "territories_with_two": 17}),
        (None, "occupy_18_with_two", {"territories": 18}),
        (False, "occupy_18_with_two", {"territories": 17}),
        (True, "destroy_red", {"territories": 24}),
        (False, "destroy_red", {"territories": 23}),
        (False, "destroy_blue", {"territories": 30}),
    ],
)
def test_a_mission_is_read_off_the_board(expected: bool | None, mission: str, held: dict[str, Any]) -> None:
    """Continents, territories and the own colour; unknown armies give no verdict."""
    assert expected is done(mission, **held)


@pytest.mark.parametrize(
    ("expected", "destroyed", "option"),
    [
        (True, {"blue": "red"}, "territories_24"),
        (True, {"blue": "black"}, "territories_24"),
        (False, {"blue": "black"}, "impossible"),
    ],
)
def test_a_target_that_fell(expected: bool, destroyed: dict[str, str], option: str) -> None:
    """Done by the holder's hand; by another's the option decides between 24 territories and never."""
    assert expected is done("destroy_blue", destroyed, options={"if_destroyed_by_other": option}, territories=24)


@pytest.mark.parametrize(("expected", "option"), [(True, "territories_24"), (False, "redraw")])
def test_a_target_that_nobody_plays(expected: bool, option: str) -> None:
    """A colour that is not at the table: 24 territories, or the card should have been drawn anew."""
    found = done("destroy_blue", colours={"red", "black"}, options={"if_colour_absent": option}, territories=24)

    assert expected is found


def test_an_unknown_mission_is_refused(nl: Ruleset) -> None:
    """A mission that no card has can't be done."""
    with pytest.raises(PositionError) as refusal:
        mission_done("moon", Holdings(), own_colour="red", destroyed={}, ruleset=nl)

    assert "unknown-mission" == refusal.value.code


WHOLE = position({"a": ["asia", "south_america"], "b": ["europe"], "c": []})


def verified(claim: Claim, found: Position = WHOLE, fallen: tuple[KnockedOut, ...] = (), system: str = "nl1996") -> Any:
    """What the board says to a claim."""
    rules = load_ruleset(system)
    return verify_claim(claim, found, board=BOARD, colours=COLOURS, knocked_out=fallen, ruleset=rules).done


def test_a_claim_is_held_against_the_board() -> None:
    """The recorded board confirms or denies; without a mission's name it says nothing."""
    assert (True, False, None) == (
        verified(Claim(player="a", mission="asia_south_america")),
        verified(Claim(player="b", mission="asia_south_america")),
        verified(Claim(player="a")),
    )


def test_a_destroyed_colour_confirms_a_claim() -> None:
    """Who fell to whom is taken from the knock-outs; a fall by nobody's hand counts as another's."""
    claim = Claim(player="a", mission="destroy_black")
    board = position({"a": ["asia"], "b": []})

    assert (True, False) == (
        verified(claim, board, (KnockedOut(player="c", players_left_before=3, by="a"),)),
        verified(claim, board, (KnockedOut(player="c", players_left_before=3),)),
    )


def test_armies_one_by_one_confirm_eighteen_with_two() -> None:
    """With armies by territory the eighteen can be counted, without them nobody can say."""
    held = position({"a": ["asia", "north_america"], "b": ["europe"], "c": []})
    counted = replace(
        held.players[0], armies=None, armies_on=dict.fromkeys(held.players[0].territories, 2), hand=Hand()
    )
    claim = Claim(player="a", mission="occupy_18_with_two")

    assert (None, True) == (
        verified(claim, held, system="classic"),
        verified(claim, Position(players=(counted, *held.players[1:])), system="classic"),
    )


def test_a_claim_needs_its_player_on_the_board() -> None:
    """Somebody who is not recorded can't have done a mission."""
    with pytest.raises(PositionError) as refusal:
        verified(Claim(player="x"))

    assert "claim-of-stranger" == refusal.value.code
