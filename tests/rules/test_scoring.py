"""Whole sheets: checked first, then scored by their system."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.rules.board import load_board
from companion.rules.cards import Hand
from companion.rules.errors import PositionError
from companion.rules.position import Claim, KnockedOut, PlayerPosition, Position
from companion.rules.ruleset import SYSTEMS, load_ruleset
from companion.rules.scoring import Sheet, needed, table_result
from tests.rules.boards import position

COLOURS = {"a": "red", "b": "blue", "c": "black"}
ABC = ("a", "b", "c")


def scored(sheet: Sheet, system: str = "nl1996") -> dict[str, str]:
    """Results of a sheet at the defaults of a system."""
    rules = load_ruleset(system)
    return table_result(sheet, board=load_board(rules.board, rules.edition()), ruleset=rules).results()


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("nl1996", {"c": "1", "a": "2", "b": "3"}),
        ("risiko", {"c": "win", "a": "5", "b": "2"}),
        ("rebels", {"c": "win", "a": "loss", "b": "loss"}),
        ("classic", {}),
    ],
)
def test_one_board_in_four_systems(system: str, expected: dict[str, str]) -> None:
    """The same frozen board, each system's own result."""
    board = position({"a": ["asia"], "b": ["europe"], "c": []}, board="risiko" if system == "risiko" else "classic")
    objectives = {"a": "befana", "b": "piovra", "c": "letto"}

    assert expected == scored(Sheet(players=ABC, position=board, objectives=objectives), system)


def test_an_apoikia_board() -> None:
    """Cities and islands are scored like lands and continents."""
    board = position({"a": ["korinthe", "miletus", "tyros"], "b": ["paros"], "c": []}, board="apoikia")

    assert {"a": "win", "b": "loss", "c": "loss"} == scored(Sheet(players=ABC, position=board), "apoikia")


def test_a_mission_done_on_the_board() -> None:
    """The board confirms the claim, and the others go by the scheme."""
    board = position({"a": ["asia", "south_america"], "b": ["europe"], "c": []})
    sheet = Sheet(players=ABC, position=board, colours=COLOURS, claim=Claim(player="a", mission="asia_south_america"))

    assert {"a": "1+", "c": "2", "b": "3"} == scored(sheet)


@pytest.mark.parametrize(
    ("mission", "colours", "code"),
    [
        ("africa_asia", COLOURS, "mission-not-done"),
        ("destroy_white", COLOURS, "mission-removed"),
        ("africa_asia", {}, "mission-not-done"),
        ("occupy_18_with_two", {}, "mission-removed"),
        ("occupy_17", {}, "unknown-mission"),
    ],
)
def test_a_mission_that_the_sheet_denies(mission: str, colours: dict[str, str], code: str) -> None:
    """Not done, not in play, or no card at all: never a plus."""
    board = position({"a": ["asia", "south_america"], "b": ["europe"], "c": []})
    with pytest.raises(PositionError) as refusal:
        scored(Sheet(players=ABC, position=board, colours=colours, claim=Claim(player="a", mission=mission)))

    assert code == refusal.value.code


def test_a_target_can_not_be_checked_without_colours() -> None:
    """Who has which colour is not on the sheet: a claim to have destroyed one is taken as it is."""
    board = position({"a": ["asia"], "b": []})
    fallen = (KnockedOut(player="c", players_left_before=3, by="a"),)
    claim = Claim(player="a", mission="destroy_black", destroyed="c")

    assert {"a": "1+", "b": "2", "c": "3"} == scored(
        Sheet(players=ABC, position=board, knocked_out=fallen, claim=claim)
    )


def test_a_table_that_needs_no_board() -> None:
    """Destroyed at three: the sheet needs no position; nor does a last player."""
    fallen = (KnockedOut(player="c", players_left_before=3, by="a"),)
    claim = Claim(player="a", mission="destroy_black", destroyed="c")

    assert {"a": "1+", "b": "2", "c": "3"} == scored(
        Sheet(players=ABC, knocked_out=fallen, claim=claim, colours=COLOURS)
    )
    assert {"a": "1", "b": "2", "c": "3"} == scored(
        Sheet(players=ABC, knocked_out=(*fallen, KnockedOut(player="b", players_left_before=2, by="a")))
    )


@pytest.mark.parametrize(("option", "last"), [(2, "2"), (3, "3")])
def test_the_victim_of_a_mission_is_found(option: int, last: str) -> None:
    """Colours and knock-outs tell whose destruction the mission was, also when nobody says it."""
    fallen = (
        KnockedOut(player="b", players_left_before=3, by="c"),
        KnockedOut(player="c", players_left_before=2, by="a"),
    )
    sheet = Sheet(players=ABC, knocked_out=fallen, colours=COLOURS, claim=Claim(player="a", mission="destroy_black"))
    rules = load_ruleset("nl1996", {"two_left_mission_kill": option})
    found = table_result(sheet, board=load_board(), ruleset=rules).results()

    assert {"a": "1+", "b": "3", "c": last} == found


OBJECTIVES = {"a": "guerra_fredda", "b": "lupo", "c": "letto"}


def test_an_objective_is_held_against_the_board() -> None:
    """Whoever owns the whole objective wins; a claim that the board denies is refused, and a stranger's too."""
    board = position({"a": ["asia", "north_america"], "b": ["europe"], "c": []}, board="risiko")
    sheet = Sheet(players=ABC, position=board, objectives=OBJECTIVES, claim=Claim(player="a"))
    codes = []
    for claimant in ("b", "x"):
        with pytest.raises(PositionError) as refusal:
            scored(replace(sheet, claim=Claim(player=claimant)), "risiko")
        codes.append(refusal.value.code)

    assert ("win", ["mission-not-done", "claim-of-stranger"]) == (scored(sheet, "risiko")["a"], codes)


def test_a_board_that_is_needed_must_be_there() -> None:
    """Without a board and without a reason to do without it the sheet is refused."""
    with pytest.raises(PositionError) as refusal:
        scored(Sheet(players=ABC))

    assert "player-missing" == refusal.value.code


@pytest.mark.parametrize(
    ("system", "fields", "code"),
    [
        ("classic", {"claim": Claim(player="x")}, "claim-of-stranger"),
        ("classic", {"claim": Claim(player="c")}, "claim-of-stranger"),
        ("rebels", {"claim": Claim(player="a", mission="occupy_24")}, "unknown-mission"),
        ("nl1996", {"played_on": "purpose"}, "played-on-without-claim"),
        ("classic", {"played_on": "purpose", "claim": Claim(player="a")}, "played-on-without-claim"),
    ],
)
def test_a_claim_that_does_not_fit_is_refused(system: str, fields: Any, code: str) -> None:
    """Nobody wins by a claim from outside the game, or by one that the system does not know."""
    board = position({"a": ["asia"], "b": []})
    fallen = (KnockedOut(player="c", players_left_before=3, by="a"),)
    with pytest.raises(PositionError) as refusal:
        scored(Sheet(players=ABC, position=board, knocked_out=fallen, **fields), system)

    assert code == refusal.value.code


def test_bad_sheets_are_refused_before_scoring() -> None:
    """A colour twice, 41 territories, or too few players never reach the score."""
    board = position({"a": ["asia"], "b": ["europe"], "c": []})
    short = Position(players=(*board.players[:2], replace(board.players[2], territories=("alaska",))))
    codes = []
    for sheet in (
        Sheet(players=ABC, position=board, colours={"a": "red", "b": "red"}),
        Sheet(players=ABC, position=short),
        Sheet(players=("a", "b"), position=board),
    ):
        with pytest.raises(PositionError) as refusal:
            scored(sheet)
        codes.append(refusal.value.code)

    assert ["colour-twice", "territories-missing", "too-few-players"] == codes


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_needed_shrinks_as_data_comes_in(system: str) -> None:
    """Every system first asks for the board, and for nothing once all is counted."""
    rules = load_ruleset(system)
    board = load_board(rules.board, rules.edition())
    whole = position({"a": [], "b": [], "c": []}, board=rules.board)
    lands = whole.players[2].territories
    dealt = Position(players=tuple(replace(held, territories=lands[at::3]) for at, held in enumerate(whole.players)))

    def ask(found: Position | None) -> Any:
        return needed(ABC, knocked_out=(), claim=None, board=board, ruleset=rules, position=found).next

    assert ("board", None) == (ask(None), ask(dealt))


@given(
    owners=st.lists(st.integers(0, 2), min_size=42, max_size=42),
    armies=st.tuples(*[st.integers(42, 60)] * 3),
    hands=st.tuples(
        st.builds(Hand, infantry=st.integers(0, 3), joker=st.integers(0, 2)),
        *[st.builds(Hand, infantry=st.integers(0, 3), cavalry=st.integers(0, 3))] * 2,
    ),
    system=st.sampled_from(["nl1996", "risiko", "classic", "rebels"]),
)
def test_any_frozen_board_of_42_owned_territories_scores(owners: Any, armies: Any, hands: Any, system: str) -> None:
    """Whoever owns what: everybody who owns something gets a result or is named as unresolved."""
    rules = load_ruleset(system)
    board = load_board(rules.board, rules.edition())
    lands: dict[str, list[str]] = {player: [] for player in ABC}
    for territory, owner in zip(board.territories, owners, strict=True):
        lands[ABC[owner]].append(territory)
    alive = [player for player in ABC if lands[player]]
    fallen = [player for player in ABC if player not in alive]
    sheet = Sheet(
        players=ABC,
        position=Position(
            players=tuple(
                PlayerPosition(player=p, territories=tuple(lands[p]), armies=armies[at], hand=hands[at])
                for at, p in enumerate(ABC)
                if p in alive
            )
        ),
        knocked_out=tuple(KnockedOut(player=player, players_left_before=3 - at) for at, player in enumerate(fallen)),
        objectives={"a": "lupo", "b": "letto", "c": "elvis"},
    )
    found = table_result(sheet, board=board, ruleset=rules)

    placed = [*found.results(), *(player for group in found.unresolved for player in group)]
    assert (sorted(ABC), len(placed)) == (sorted(placed), 3)
