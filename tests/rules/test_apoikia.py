"""Apoikia, with and without an organiser's file."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from companion.rules.board import load_board
from companion.rules.errors import BoardError, PositionError
from companion.rules.position import KnockedOut, Tally
from companion.rules.ruleset import load_ruleset
from companion.rules.systems import apoikia, apoikia_board, apoikia_fleet

AP = load_ruleset("apoikia")


def row(player: str, territories: int, armies: int | None = 30, *continents: str) -> Tally:
    """One player's tally."""
    return Tally(player=player, continents=continents, territories=territories, armies=armies)


def test_four_players_with_fewer_cities_get_two_more() -> None:
    """Who gets ten cities places two more armies."""
    found = apoikia.start(4, ruleset=AP)

    assert (30, (11, 11, 10, 10), (0, 0, 2, 2)) == (found.armies, found.cities, found.extra)


@pytest.mark.parametrize(("players", "code"), [(2, "too-few-players"), (5, "too-many-players")])
def test_apoikia_is_for_three_or_four(players: int, code: str) -> None:
    """Other numbers are refused."""
    with pytest.raises(PositionError) as refusal:
        apoikia.start(players, ruleset=AP)

    assert code == refusal.value.code


@pytest.mark.parametrize(
    ("city", "recovering", "sailing", "places"),
    [
        ("thebe", False, False, ("own_city_state", "thebe")),
        ("thebe", True, False, ("own_city_state",)),
        ("thebe", False, True, ("own_city_state",)),
        (None, False, False, ("own_city_state",)),
    ],
)
def test_where_new_armies_stand(city: Any, recovering: bool, sailing: bool, places: Any) -> None:
    """At the city-state, and with a vassal that can be used."""
    assert places == apoikia.reinforcement_places(
        vassal_city=city, vassal_recovering=recovering, vassal_on_fleet=sailing
    )


def test_no_reinforcement_before_attacks() -> None:
    """A turn of attacks brings none."""
    assert 0 == apoikia.reinforcement(14, 3, "aanvallen", ruleset=AP)


def test_winning_apoikia() -> None:
    """Three islands, or enough cities; a city-state counts only by option."""
    counting = load_ruleset("apoikia", {"city_state_counts_for_win": True})

    assert (True, False, True, False) == (
        apoikia.won(4, 5, 3, ruleset=AP).allowed,
        apoikia.won(4, 19, 2, ruleset=AP, city_state=True).allowed,
        apoikia.won(4, 19, 2, ruleset=counting, city_state=True).allowed,
        apoikia.won(3, 23, 0, ruleset=counting).allowed,
    )


def test_winning_may_wait_for_the_end_of_the_turn() -> None:
    """With the option nobody wins while the turn goes on."""
    late = load_ruleset("apoikia", {"win_checked": "end_of_turn"})

    assert (True, False, True) == (
        apoikia.won(3, 24, 0, ruleset=AP, turn_ended=False).allowed,
        apoikia.won(3, 24, 0, ruleset=late, turn_ended=False).allowed,
        apoikia.won(3, 24, 0, ruleset=late).allowed,
    )


def test_elimination_by_either_reading() -> None:
    """Without cities, or without armies."""
    other = load_ruleset("apoikia", {"elimination": "no_army_left"})

    assert (True, False, True) == (
        apoikia.eliminated(0, 5, ruleset=AP),
        apoikia.eliminated(0, 5, ruleset=other),
        apoikia.eliminated(2, 0, ruleset=other),
    )


@pytest.mark.parametrize(("option", "armies"), [("landing_only", 4), ("add", 6)])
def test_a_landing_on_a_port(option: str, armies: int) -> None:
    """Three for the landing, and the port's two only by option."""
    rules = load_ruleset("apoikia", {"landing_on_port": option})

    assert armies == apoikia.earned(1, 0, 1, landings_on_port=1, ruleset=rules)


@pytest.mark.parametrize(
    ("kind", "city", "fleet", "code"),
    [
        ("city", 15, 0, "city-fits"),
        ("city", 0, 0, "city-empty"),
        ("city_state", 99, 0, "city-fits"),
        ("city_with_moored_fleet", 12, 8, "city-fits"),
        ("city_with_moored_fleet", 12, 9, "city-cap"),
        ("city_with_moored_fleet", 16, 1, "city-cap"),
    ],
)
def test_caps_at_the_end_of_a_turn(kind: Any, city: int, fleet: int, code: str) -> None:
    """Fifteen a city, twenty with its fleet, one at least, a city-state without limit."""
    verdict = apoikia.end_of_turn(kind, city, fleet_armies=fleet, ruleset=AP)

    assert (code, code == "city-fits") == (verdict.reason.code, verdict.allowed)


def test_a_fleets_way() -> None:
    """Harbour, under way, arrived; usable only when it had arrived, once a turn, then under way again."""
    assert [False, False, True] == [
        apoikia_fleet.fleet_usable(at).allowed for at in ("haven", "onderweg", "gearriveerd")
    ]
    assert not apoikia_fleet.fleet_usable("gearriveerd", used_this_turn=True).allowed
    assert [("haven", "onderweg"), ("onderweg", "gearriveerd", "haven"), ("gearriveerd",), ("onderweg",)] == [
        apoikia_fleet.fleet_next("haven", used_this_turn=False),
        apoikia_fleet.fleet_next("onderweg", used_this_turn=False),
        apoikia_fleet.fleet_next("gearriveerd", used_this_turn=False),
        apoikia_fleet.fleet_next("gearriveerd", used_this_turn=True),
    ]
    assert ("haven", None) == tuple(
        apoikia_fleet.fleet_after_defeat(ruleset=load_ruleset("apoikia", {"fleet_after_defeat": option}))
        for option in ("back_in_harbour", "gone")
    )


def test_loads_landings_and_battles() -> None:
    """Twenty on a fleet, two landings a game, one battle a turn and not in harbour."""
    lenient = load_ruleset("apoikia", {"failed_landing_counts": False})

    assert (True, False) == tuple(apoikia_fleet.load_fleet(15, more, ruleset=AP).allowed for more in (5, 6))
    assert (True, False) == tuple(apoikia_fleet.may_land(done, ruleset=AP).allowed for done in (1, 2))
    assert (1, 0, 1) == (
        apoikia_fleet.landings_after(0, succeeded=False, ruleset=AP),
        apoikia_fleet.landings_after(0, succeeded=False, ruleset=lenient),
        apoikia_fleet.landings_after(0, succeeded=True, ruleset=lenient),
    )
    assert [True, False, False] == [
        apoikia_fleet.may_sea_battle(at, battles, ruleset=AP).allowed
        for at, battles in (("onderweg", 0), ("onderweg", 1), ("haven", 0))
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (4, 20, 0)),
        ({"sea_battle_spoils_over_cap": "to_city_state"}, (4, 20, 3)),
        ({"sea_battle_half_rounding": "ceil", "sea_battle_spoils_over_cap": "to_city_state"}, (4, 20, 4)),
    ],
)
def test_spoils_of_a_sea_battle(options: dict[str, Any], expected: Any) -> None:
    """Half of what the loser began with, as far as it fits."""
    found = apoikia_fleet.sea_battle_spoils(15, 16, ruleset=load_ruleset("apoikia", options))

    assert expected == (found.gained, found.fleet, found.to_city_state)


def test_a_vassals_three_lives() -> None:
    """Twice it comes back after a turn, the third time it is gone; a beaten fleet may spare it."""
    free = load_ruleset("apoikia", {"vassal_on_defeated_fleet": "free_return"})
    lives = [apoikia.vassal_defeated(before, ruleset=AP) for before in range(3)]
    spared = apoikia.vassal_defeated(2, ruleset=free, on_fleet=True)

    assert [("own_city_state", 1), ("own_city_state", 1), (None, 0)] == [(v.position, v.recovery_turns) for v in lives]
    assert (2, False, 0) == (spared.defeats, spared.gone, spared.recovery_turns)


def test_what_may_be_attacked() -> None:
    """Over land and thick routes, never over thin ones, never a city-state."""
    assert [True, True, False] == [
        apoikia.may_attack(link, "city").allowed for link in ("land", "thick_route", "thin_route")
    ]
    assert not apoikia.may_attack("land", "enemy_city_state").allowed


def test_who_won_apoikia() -> None:
    """Islands or cities win, the last player too; two who meet it at once, or nobody, are ruled on."""
    out = [KnockedOut(player="c", players_left_before=3)]
    cities = apoikia.table_result([row("a", 25), row("b", 17)], out, players=3, ruleset=AP)
    alone = apoikia.table_result([row("a", 42)], out, players=3, ruleset=AP)
    islands = ("sparta", "tyros", "paros")
    both = apoikia.table_result(
        [row("a", 15, 30, *islands), row("b", 20, 30, "knossos", "miletus", "korinthe"), row("d", 7)],
        out,
        players=4,
        ruleset=AP,
    )
    nobody = apoikia.table_result([row("a", 22), row("b", 20)], out, players=3, ruleset=AP)

    assert ["win-cities", "last-player"] == [found.places[0].reason.code for found in (cities, alone)]
    assert [(("a", "b"),), (("a", "b"),)] == [found.unresolved for found in (both, nobody)]


FILE = """
ports = ["sparta", "lato"]
beaches = ["thebe"]
[[route]]
a = "sparta"
b = "lato"
kind = "thick"
[[route]]
a = "rome"
b = "sparta"
kind = "thin"
[island_bonus]
sparta = 2
"""


def test_cards_stand_for_cities() -> None:
    """Both the source's spelling and the corrected one are known."""
    assert ("Holeros", "miletus") == tuple(
        getattr(apoikia_board.card_to_city("Quebec"), field) for field in ("city", "island")
    )
    assert apoikia_board.card_to_city("Nieuw-Guinea") == apoikia_board.card_to_city("Nieuw Giunea")
    assert ("rome", "athene", "carthago", "alexandrie") == apoikia_board.city_states()


def test_an_unknown_card_is_refused() -> None:
    """A card that is not in the deck names no city."""
    with pytest.raises(BoardError) as refusal:
        apoikia_board.card_to_city("Atlantis")

    assert "board-stranger" == refusal.value.code


def whole_file() -> str:
    """A file that joins all cities in one chain."""
    cities = list(load_board("apoikia").territories)
    pairs = pairwise(cities)
    return FILE + "".join(f'[[border]]\na = "{a}"\nb = "{b}"\n' for a, b in pairs)


def test_an_organisers_file_answers() -> None:
    """Links, ports, beaches and bonuses; what is left out is named as still asked."""
    found = apoikia_board.read_archipelago(whole_file())

    assert ("thick_route", "thin_route", "land", None) == (
        found.link("lato", "sparta"),
        found.link("rome", "sparta"),
        found.link("sparta", "thebe"),
        found.link("rome", "lato"),
    )
    assert ("island_bonus",) == found.unknown()


def test_an_empty_file_leaves_everything_asked() -> None:
    """Nothing of the file is needed to play."""
    assert ("links", "ports", "beaches", "island_bonus") == apoikia_board.read_archipelago("").unknown()


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('ports = ["sparta", "lato"]', "ports = ", "board-unreadable"),
        ('kind = "thin"', 'kind = "dotted"', "board-unreadable"),
        ("sparta = 2", 'sparta = "two"', "board-unreadable"),
        ("sparta = 2", "atlantis = 2", "board-stranger"),
        ('beaches = ["thebe"]', 'beaches = ["rome"]', "board-stranger"),
        ('ports = ["sparta", "lato"]', 'ports = ["sparta"]', "board-stranger"),
        ('a = "sparta"\nb = "thebe"', 'a = "sparta"\nb = "moon"', "board-stranger"),
        ('[[border]]\na = "golgi"\nb = "byblos"\n', "", "board-apart"),
    ],
)
def test_a_wrong_file_is_refused(old: str, new: str, code: str) -> None:
    """Unreadable, unknown places, a route that ends at no port, a city alone."""
    text = whole_file()
    with pytest.raises(BoardError) as refusal:
        apoikia_board.read_archipelago(text.replace(old, new, 1))

    assert (code, True) == (refusal.value.code, old in text)


@pytest.mark.parametrize(
    ("turn", "done", "left"),
    [
        ("bijplaatsen", [], ("reinforce", "unload", "move", "vassal", "fleet")),
        ("bijplaatsen", ["move"], ("vassal", "fleet")),
        ("aanvallen", ["attack", "attack"], ("attack", "unload", "move", "vassal", "fleet", "place_earned")),
        ("aanvallen", ["attack", "place_earned"], ()),
    ],
)
def test_the_steps_of_a_turn(turn: Any, done: list[str], left: tuple[str, ...]) -> None:
    """Steps come in their order, each may be left out, attacks may repeat."""
    assert left == apoikia.steps_left(turn, done)


@pytest.mark.parametrize(
    ("fleet", "defending", "expected"), [(5, 9, (3, 2)), (1, 1, (1, 1)), (4, 0, (0, 0)), (0, 4, (0, 0))]
)
def test_dice_from_a_fleet(fleet: int, defending: int, expected: tuple[int, int]) -> None:
    """No army stays on a fleet; an empty one is beaten without dice."""
    limits = apoikia_fleet.fleet_dice(fleet, defending, ruleset=AP)

    assert expected == (limits.attack, limits.defence)


def test_a_landing_beside_a_port_earns_no_port() -> None:
    """Where ports add to landings, only a landing that took one does."""
    adding = load_ruleset("apoikia", {"landing_on_port": "add"})

    assert (3, 5) == (
        apoikia.earned(0, 0, 1, ruleset=adding),
        apoikia.earned(0, 0, 1, landings_on_port=1, ruleset=adding),
    )
