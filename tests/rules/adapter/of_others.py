"""Operations of the rebels, apoikia and classic vectors, and reinforcement in every system."""

from __future__ import annotations

from collections.abc import Mapping

from companion.rules import cards, combat, missions
from companion.rules.errors import RulesError
from companion.rules.ruleset import Ruleset, read_ruleset
from companion.rules.systems import apoikia, apoikia_board, apoikia_fleet, classic, rebels, rebels_game, risiko_turn
from tests.rules.adapter.words import Answer, Given, Operations


def _best_trade(given: Given, rules: Ruleset) -> Answer:
    table = cards.card_table(rules)
    owned = given.get("owned") if given.get("owned_bonus") else None
    counted = cards.Hand(**owned) if isinstance(owned, Mapping) else None
    return {"armies": table and cards.best_trade(cards.Hand(**given["hand"]), table, counted)}


def _trade_set(given: Given, rules: Ruleset) -> Answer:
    table = cards.card_table(rules)
    symbols = [card["symbol"] for card in given["cards"]]
    try:
        value = table and cards.trade_set(symbols, [card.get("owned", False) for card in given["cards"]], table)
    except RulesError:
        return {"armies": 0, "extra": 0, "valid": False, "error": "not_a_set"}
    return {"armies": value and value.armies, "extra": value and value.extra}


def _reinforcement(given: Given, rules: Ruleset) -> Answer:
    if rules.system == "apoikia":
        armies = apoikia.reinforcement(
            given["cities"], given.get("island_bonus", 0), given.get("turn", "bijplaatsen"), ruleset=rules
        )
        return {"armies": armies}
    if rules.system == "risiko":
        found = risiko_turn.reinforcement(
            given["territories"],
            given.get("continent_bonuses", []),
            given.get("set_value", 0),
            given.get("on_board", 0),
            ruleset=rules,
        )
        return {"entitled": found.entitled, "placeable": found.placeable}
    return {"armies": classic.reinforcement(given["territories"], given.get("continent_bonuses", []), ruleset=rules)}


def _rebels_created(given: Given, rules: Ruleset) -> Answer:
    table = given.get("table")
    if table:
        rows = "\n".join(f"{face} = {count}" for face, count in table.items())
        rules = read_ruleset(f'extends = "rebels"\n[rebels.by_face]\n{rows}', dict(rules.options))
    made = rebels.rebels_created(
        given["attack_dice"], given.get("defence_dice", []), attack_from=given["attack_from"], ruleset=rules
    )
    return {"rebels": made.rebels, "ask": made.rebels is None, "where": made.where}


def _may_attack_from(given: Given, rules: Ruleset) -> Answer:
    verdict = rebels.may_attack_from(
        given["armies"],
        given["rebels"],
        created_this_turn=given.get("rebels_created_this_turn", False),
        rebels_before=given.get("rebels_before", 0),
        ruleset=rules,
    )
    return {"allowed": verdict.allowed}


def _max_leave(given: Given, rules: Ruleset) -> Answer:
    return {"max_leave": rebels.max_leave(given["armies"], given["rebels"], ruleset=rules)}


def _conquer_with_rebels(given: Given, rules: Ruleset) -> Answer:
    found = rebels.conquer(given["defending_armies_left"], given["rebels"], given.get("dice_thrown", 0), ruleset=rules)
    return {"conquered": found.conquered, "rebels_after": found.rebels, "min_move": found.least_move}


def _coup(given: Given, rules: Ruleset) -> Answer:
    found = rebels.coup(given["armies"], given["rebels"], ruleset=rules)
    return {"coup": found.coup, "lost": found.lost, "moved_elsewhere": found.moved, "rebels_after": found.rebels}


def _flight(given: Given, rules: Ruleset) -> Answer:
    found = rebels.flight(given["armies"], ruleset=rules)
    return {"lost": found.lost, "moved_to_one_land": found.moved}


def _rebel_combat(given: Given, rules: Ruleset) -> Answer:
    found = rebels.combat(
        given["attack_dice"],
        given["rebel_dice"],
        armies=given["armies"],
        rebels=given["rebels"],
        ruleset=rules,
    )
    return {
        "armies": found.armies,
        "rebels": found.rebels,
        "coup": found.coup,
        "attack_over": found.attack_over,
    }


def _continent_bonus(given: Given, rules: Ruleset) -> Answer:
    bonus = rebels_game.continent_bonus(
        given["size"], given["rebel_lands"], given["bonus"], owned=given.get("owned", True)
    )
    return {"bonus": bonus}


def _left_over(given: Given, rules: Ruleset) -> Answer:
    found = classic.left_over(given["players"], ruleset=rules)
    return {"lands": found.lands, "rebels_each": rules.number("rebels.on_left_over_land")}


def _player_returns(given: Given, rules: Ruleset) -> Answer:
    found = rebels_game.comeback(
        occupier=given["occupier"], occupier_armies_left=given.get("occupier_armies_left", 0), ruleset=rules
    )
    return {
        "back": found.back,
        "armies": found.armies,
        "cards": found.cards,
        "may_attack_now": found.may_attack_now,
    }


def _start(given: Given, rules: Ruleset) -> Answer:
    try:
        found = apoikia.start(given["players"], ruleset=rules)
    except RulesError:
        return {"error": "players"}
    return {"armies": found.armies, "cities": list(found.cities), "extra": list(found.extra)}


def _win_check(given: Given, rules: Ruleset) -> Answer:
    islands = given.get("islands", [])
    count = islands if isinstance(islands, int) else len(islands)
    return {"won": apoikia.won(given["players"], given["cities"], count, ruleset=rules).allowed}


def _earned(given: Given, rules: Ruleset) -> Answer:
    on_port = given.get("landing_on_port", 0)
    armies = apoikia.earned(
        given.get("cities", 0),
        given.get("port_cities", 0),
        given.get("landings", 0),
        landings_on_port=int(on_port) if isinstance(on_port, int) else given.get("landings", 0),
        ruleset=rules,
    )
    return {"armies": armies}


def _end_of_turn(given: Given, rules: Ruleset) -> Answer:
    kind = given["kind"]
    verdict = apoikia.end_of_turn(kind, given["city_armies"], fleet_armies=given.get("fleet_armies", 0), ruleset=rules)
    answered: Answer = {"valid": verdict.allowed}
    answered["max"] = None if kind == "city_state" else rules.number("limits.city")
    answered["max_together"] = rules.number("limits.city_and_fleet")
    return answered


def _load_fleet(given: Given, rules: Ruleset) -> Answer:
    verdict = apoikia_fleet.load_fleet(given["on_fleet"], given["load"], ruleset=rules)
    return {"valid": verdict.allowed, "max": rules.number("limits.fleet")}


def _fleet_usable(given: Given, rules: Ruleset) -> Answer:
    return {"usable": apoikia_fleet.fleet_usable(given["position_at_start_of_turn"]).allowed}


def _fleet_after_use(given: Given, rules: Ruleset) -> Answer:
    (position,) = apoikia_fleet.fleet_next("gearriveerd", used_this_turn=True)
    again = apoikia_fleet.fleet_usable("gearriveerd", used_this_turn=True)
    return {"position_end_of_turn": position, "second_use_this_turn": again.allowed}


def _may_land(given: Given, rules: Ruleset) -> Answer:
    return {"allowed": apoikia_fleet.may_land(given["landings_done"], ruleset=rules).allowed}


def _sea_battle_spoils(given: Given, rules: Ruleset) -> Answer:
    spoils = apoikia_fleet.sea_battle_spoils(
        given["loser_started_with"], given["winner_left"], cap=given.get("cap"), ruleset=rules
    )
    return {"gained": spoils.gained, "fleet": spoils.fleet}


def _may_sea_battle(given: Given, rules: Ruleset) -> Answer:
    verdict = apoikia_fleet.may_sea_battle(
        given["enemy_fleet_position"], given.get("battles_this_turn", 0), ruleset=rules
    )
    return {"allowed": verdict.allowed}


def _vassal_defeated(given: Given, rules: Ruleset) -> Answer:
    vassal = apoikia.vassal_defeated(given["times_before"], ruleset=rules)
    return {"position": vassal.position, "recovery_turns": vassal.recovery_turns, "gone": vassal.gone}


def _may_attack(given: Given, rules: Ruleset) -> Answer:
    return {"allowed": apoikia.may_attack(given["link"], given.get("target", "city")).allowed}


def _card_to_city(given: Given, rules: Ruleset) -> Answer:
    card = apoikia_board.card_to_city(given["card"])
    return {"city": card.city, "island": card.island}


def _mission_done(given: Given, rules: Ruleset) -> Answer:
    ruling = missions.mission_done(
        given["mission"],
        missions.Holdings(
            continents=tuple(given.get("continents", ())),
            territories=given.get("territories", 0),
            territories_with_two=given.get("territories_with_two"),
        ),
        own_colour=given.get("own_colour", ""),
        destroyed=given.get("destroyed") or {},
        colours=given.get("colours"),
        ruleset=rules,
    )
    return {"done": ruling.done}


def _dice_limits(given: Given, rules: Ruleset) -> Answer:
    limits = combat.dice_limits(given["attacking_armies"], given["defending_armies"], ruleset=rules)
    return {"attack": limits.attack, "defence": limits.defence}


def _combat_losses(given: Given, rules: Ruleset) -> Answer:
    cost = combat.losses(given["attack"], given["defence"], ruleset=rules)
    return {"attacker_loses": cost.attacker, "defender_loses": cost.defender}


def _setup(given: Given, rules: Ruleset) -> Answer:
    try:
        found = classic.set_up(given["players"], ruleset=rules)
    except RulesError:
        return {"error": "players"}
    valid = found.allows(given.get("territory_units", 1))
    return {"units": found.units, "valid": valid, "max": found.most}


def _units(given: Given, rules: Ruleset) -> Answer:
    pieces = {kind: given.get(kind, 0) for kind in ("three_point", "four_point", "five_point")}
    return {"units": classic.units_of(pieces, ruleset=rules)}


def _cards_after_elimination(given: Given, rules: Ruleset) -> Answer:
    return {"taken": classic.cards_from_destroyed(given["victim_cards"], was_mission=given.get("was_mission", False))}


OPERATIONS: Operations = {
    "best_trade": _best_trade,
    "trade_set": _trade_set,
    "reinforcement": _reinforcement,
    "rebels_created": _rebels_created,
    "may_attack_from": _may_attack_from,
    "max_leave": _max_leave,
    "conquer_with_rebels": _conquer_with_rebels,
    "coup": _coup,
    "flight": _flight,
    "rebel_combat": _rebel_combat,
    "continent_bonus": _continent_bonus,
    "left_over": _left_over,
    "player_returns": _player_returns,
    "start": _start,
    "win_check": _win_check,
    "earned": _earned,
    "end_of_turn": _end_of_turn,
    "load_fleet": _load_fleet,
    "fleet_usable": _fleet_usable,
    "fleet_after_use": _fleet_after_use,
    "may_land": _may_land,
    "sea_battle_spoils": _sea_battle_spoils,
    "may_sea_battle": _may_sea_battle,
    "vassal_defeated": _vassal_defeated,
    "may_attack": _may_attack,
    "card_to_city": _card_to_city,
    "mission_done": _mission_done,
    "dice": _dice_limits,
    "combat": _combat_losses,
    "setup": _setup,
    "units": _units,
    "cards_after_elimination": _cards_after_elimination,
}
