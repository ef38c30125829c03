"""Rule vectors asked of the rules: one thin function per operation, fields as docs/rules.md#vectors lists them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.rules import cards, clock, combat, dice, draw, missions, seating, standings, turns
from companion.rules.board import load_board
from companion.rules.errors import RulesError
from companion.rules.position import Claim, KnockedOut, Tally
from companion.rules.ruleset import Ruleset, load_ruleset, read_ruleset
from companion.rules.systems import apoikia, apoikia_board, classic, nl1996, rebels, risiko, risiko_phases

Given = Mapping[str, Any]
Answer = dict[str, Any]

# Words that the vectors use for options, where they differ from the option's own name.
_OPTION_WORDS = {"card_table": "cards.table", "bonus_mode": "owned_bonus"}


def answer(system: str, given: Given) -> Answer:
    """What the rules say to one vector's `given`."""
    return _OPERATIONS[given["op"]](given, _ruleset(system, given))


def _ruleset(system: str, given: Given) -> Ruleset:
    """The system with whatever options the vector names, spelt with or without their path."""
    plain = load_ruleset(system)
    short = {name.rsplit(".", 1)[-1]: name for name in plain.choices} | {name: name for name in plain.choices}
    named = {**given, **given.get("options", {})}
    overrides = {}
    for key, value in named.items():
        name = _OPTION_WORDS.get(key, short.get(key.split(".", 1)[-1] if "." in key else key))
        if name in plain.choices and isinstance(value, str | bool | int | float) and _fits(plain, name, value):
            overrides[name] = value
    return load_ruleset(system, overrides)


def _fits(ruleset: Ruleset, name: str, value: object) -> bool:
    try:
        ruleset.choices[name].check(value)
    except RulesError:
        return False
    return True


def _hand(row: Mapping[str, int] | None) -> cards.Hand | None:
    return None if row is None else cards.Hand(**row)


def poule_split(given: Given, rules: Ruleset) -> Answer:
    try:
        split = draw.pool_split(given["players"])
    except RulesError:
        return {"error": "not_possible"}
    return {"poules_of_3": split.threes, "poules_of_4": split.fours}


def poule_split_range(given: Given, rules: Ruleset) -> Answer:
    found = [0, 0, 0]
    for players in range(given["from"], given["to"] + 1):
        try:
            found[draw.pool_split(players).fours] += 1
        except RulesError:
            continue
    return {"with_no_four": found[0], "with_one_four": found[1], "with_two_fours": found[2]}


def poule_schedule_size(given: Given, rules: Ruleset) -> Answer:
    try:
        split = draw.pool_split(given["players"])
    except RulesError:
        return {"error": "not_possible"}
    return {
        "poules_per_round": split.pools,
        "poules_of_3": split.threes,
        "poules_of_4": split.fours,
        "games_total": split.pools * given["rounds"],
    }


def table_result(given: Given, rules: Ruleset) -> Answer:
    claim = given.get("mission")
    result = nl1996.table_result(
        [
            Tally(
                player=row["id"],
                continents=tuple(row.get("continents", ())),
                territories=row["territories"],
                armies=row.get("armies"),
                hand=_hand(row.get("hand")),
            )
            for row in given["players"]
        ],
        knocked_out=[
            KnockedOut(player=row["id"], players_left_before=row["players_left_before"], by=row.get("by"))
            for row in given.get("knocked_out", ())
        ],
        claim=Claim(player=claim["by"], destroyed=claim.get("destroyed")) if claim else None,
        played_on=given.get("played_on"),
        ruleset=rules,
        lot="1",
    )
    return {
        "results": result.results(),
        "unresolved": [sorted(group) for group in result.unresolved],
        "at_stake": list(result.at_stake),
    }


def continent_points(given: Given, rules: Ruleset) -> Answer:
    return {"points": nl1996.continent_points(given["continents"], ruleset=rules)}


def entry_points(given: Given, rules: Ruleset) -> Answer:
    board = load_board("classic", given["board"])
    continent = given["continent"]
    entries = board.entry_points(continent)
    points = rules.number(f"scheme.{continent}")
    differs = len(board.continents[continent].territories) + entries != points
    return {"entry_points": entries, "points": points, "differs_from_scheme": differs}


def tournament_rank(given: Given, rules: Ruleset) -> Answer:
    ranked = standings.tournament_rank(given["results"], ruleset=rules, lot="1")
    return {"order": [list(group) for group in standings.groups(ranked)]}


def attack_limit(given: Given, rules: Ruleset) -> Answer:
    return {"limit_s": clock.attack_limit(given["elapsed_s"], ruleset=rules)}


def attack_deadline(given: Given, rules: Ruleset) -> Answer:
    started = given.get("attack_started_s")
    deadline = clock.attack_deadline(
        attack_started_s=started,
        now_s=given["now_s"],
        turn_started_s=given.get("turn_started_s", started or 0),
        ruleset=rules,
    )
    return {"deadline_s": deadline}


def on_signal(given: Given, rules: Ruleset) -> Answer:
    ruling = clock.signal(clock.ThrowAtSignal(), ruleset=rules)
    return {"equalise_turns": ruling.may_start_new_combat, "freeze": not ruling.may_throw}


def signal(given: Given, rules: Ruleset) -> Answer:
    attack = given.get("attack_dice", "not_thrown")
    states = [] if isinstance(attack, str) else list(attack)
    at = clock.ThrowAtSignal(
        attack=attack if isinstance(attack, str) else "at_rest" if states else "not_thrown",
        defence=given.get("defence_dice", "not_thrown"),
        losses_taken=given.get("losses_taken", False),
        throws_before=given.get("throws_before", 0),
        attacker_stopped=given.get("attacker_stopped", False),
        territory_conquered=given.get("territory_conquered", False),
    )
    ruling = clock.signal(at, ruleset=rules)
    seen = [
        dice.DieSeen(value=1, where="floor") if state in ("floor", "fallen") else dice.DieSeen(value=1, state=state)
        for state in states
    ]
    wish = _wish(str(given.get("wants", "")))
    return {
        "throw": ruling.throw,
        "board": ruling.board,
        "may_throw": ruling.may_throw,
        "combat_in_progress": ruling.combat_in_progress,
        "may_finish_combat": ruling.combat_in_progress,
        "may_move_to_reinforce": ruling.may_move_to_reinforce,
        "may_start_new_combat": ruling.may_start_new_combat,
        "reroll_dice": dice.judge(seen, allowed=3, ruleset=rules).reroll if seen else 0,
        "allowed": ruling.allows(wish),
    }


def _wish(words: str) -> clock.Wish:
    """What a vector's free words ask for."""
    words = words.lower()
    asked: tuple[tuple[clock.Wish, tuple[str, ...]], ...] = (
        ("new_combat", ("new", "another", "other", "different", "next", "from_conquered", "from_the_conquered")),
        ("move_in", ("occup", "move_in", "moving_in", "advance", "compulsory")),
        ("move_to_reinforce", ("move", "moving", "reinforc", "shift", "strategic", "bring")),
    )
    return next((wish for wish, parts in asked if any(part in words for part in parts)), "continue_combat")


def dice_verdict(given: Given, rules: Ruleset) -> Answer:
    seen = [
        dice.DieSeen(
            value=die.get("face"),
            where=die.get("where", "box"),
            state=die.get("state", "flat"),
            rolled=die.get("rolled"),
        )
        for die in given["dice"]
    ]
    ruling = dice.judge(seen, allowed=given.get("allowed"), ruleset=rules)
    return {
        "action": ruling.action,
        "counted": list(ruling.counted),
        "dropped": list(ruling.dropped),
        "standing": list(ruling.standing),
        "reroll": ruling.reroll,
    }


def claim_card(given: Given, rules: Ruleset) -> Answer:
    verdict = turns.claim_card(
        conquered=given["conquered"],
        already_taken=given.get("already_taken", False),
        next_player_threw=given.get("next_player_threw", False),
    )
    return {"allowed": verdict.allowed}


def claim_armies(given: Given, rules: Ruleset) -> Answer:
    verdict = turns.claim_armies(
        given["kind"],
        own_throw_made=given.get("own_throw_made", False),
        next_player_threw=given.get("next_player_threw", False),
    )
    return {"allowed": verdict.allowed}


def advance(given: Given, rules: Ruleset) -> Answer:
    verdict = turns.advance(
        given["armies_in_attacking_land"],
        given["dice_thrown"],
        continue_from_conquered=given.get("continue_from_conquered", False),
        conquered_land_can_attack=given.get("conquered_land_can_attack", True),
    )
    return {"min": verdict.least, "max": verdict.most}


def end_turn_shift(given: Given, rules: Ruleset) -> Answer:
    verdict = turns.end_turn_shift(given["armies"], ruleset=rules)
    return {"allowed": verdict.allowed, "max": rules.number("moves.end_of_turn_shift_max")}


def cards_after_destroying(given: Given, rules: Ruleset) -> Answer:
    verdict = cards.cards_after_destroying(given["own"], given["taken"], ruleset=rules)
    return {
        "must_trade": verdict.must_trade,
        "may_trade": verdict.may_trade,
        "sets_at_least": verdict.sets_at_least,
        "cards_after": verdict.cards_after,
    }


def missions_in_play(given: Given, rules: Ruleset) -> Answer:
    left = missions.missions_in_play(given["colours"], ruleset=rules)
    return {"count": len(left.in_play), "removed": list(left.removed)}


def best_trade(given: Given, rules: Ruleset) -> Answer:
    table = cards.card_table(rules)
    hand = cards.Hand(**given["hand"])
    owned = given.get("owned")
    bonus = rules.number("cards.owned_territory_bonus") if given.get("owned_bonus") else 0
    counted = cards.Hand(**owned) if isinstance(owned, Mapping) else None
    per_card = rules.options.get("owned_bonus") == "per_card"
    return {"armies": table and cards.best_trade(hand, table, counted, bonus=bonus, per_card=per_card)}


def trade_set(given: Given, rules: Ruleset) -> Answer:
    table = cards.card_table(rules)
    try:
        value = table and cards.trade_set(
            [card["symbol"] for card in given["cards"]],
            [card.get("owned", False) for card in given["cards"]],
            table,
            bonus=rules.number("cards.owned_territory_bonus"),
            per_card=rules.option("owned_bonus") == "per_card",
        )
    except RulesError:
        return {"armies": 0, "extra": 0, "valid": False, "error": "not_a_set"}
    return {"armies": value and value.armies, "extra": value and value.extra}


def score(given: Given, rules: Ruleset) -> Answer:
    halves = risiko.score_halves(
        objective=list(given.get("objective_territories", {}).values()),
        other=list(given.get("other_territories", {}).values()),
        cards=given.get("cards", 0),
        continent_bonuses=given.get("continent_bonuses", []),
        armies=given.get("armies", 0),
        ruleset=rules,
    )
    return {"score": halves / 2}


def table_rank(given: Given, rules: Ruleset) -> Answer:
    ranked = risiko.table_rank(
        {player: round(value * 2) for player, value in given["scores"].items()},
        objective_by=given.get("objective_by"),
        ruleset=rules,
    )
    return {
        "order": [sorted(group) for group in ranked.order],
        "repechage_points": dict(ranked.repechage_points),
        "needs_ruling": ranked.needs_ruling,
    }


def repechage_count(given: Given, rules: Ruleset) -> Answer:
    found = risiko_phases.repechage_count(given["winners"], ruleset=rules)
    return {"repechaged": found.repechaged, "qualified": found.qualified}


def repechage_select(given: Given, rules: Ruleset) -> Answer:
    games = {
        row["id"]: [risiko_phases.Game(points=game["points"], score=game["score"]) for game in row["games"]]
        for row in given["players"]
    }
    winners = [row["id"] for row in given["players"] if row.get("won_a_table")]
    chosen = risiko_phases.repechage_select(given["places"], games, won_a_table=winners, ruleset=rules)
    return {"order": list(chosen.order), "unresolved": list(chosen.unresolved), "needs_ruling": bool(chosen.unresolved)}


def first_phase(given: Given, rules: Ruleset) -> Answer:
    found = risiko_phases.first_phase(given["evening1_tables"], given["evening2_tables"], ruleset=rules)
    return {"winners": found.winners, "repechaged": found.repechaged, "qualified": found.qualified}


def second_phase(given: Given, rules: Ruleset) -> Answer:
    found = risiko_phases.second_phase(given["winners"], ruleset=rules)
    return {"repechaged": found.repechaged, "qualified": found.qualified}


def semi_final(given: Given, rules: Ruleset) -> Answer:
    players = given["players"]
    tables, final = risiko_phases.semi_final(players if isinstance(players, int) else len(players), ruleset=rules)
    return {"tables": tables, "finalists": final}


def finalists(given: Given, rules: Ruleset) -> Answer:
    tables = [[(row["id"], row["score"]) for row in table] for table in given["tables"]]
    found = risiko_phases.finalists(tables)
    return {"finalists": list(found.finalists), "unresolved": list(found.unresolved)}


def prizes(given: Given, rules: Ruleset) -> Answer:
    return {"prizes": list(risiko_phases.prizes(given["final_order"]))}


def reinforcement(given: Given, rules: Ruleset) -> Answer:
    if rules.system == "apoikia":
        armies = apoikia.reinforcement(
            given["cities"], given.get("island_bonus", 0), given.get("turn", "bijplaatsen"), ruleset=rules
        )
        return {"armies": armies}
    if rules.system == "risiko":
        found = risiko.reinforcement(
            given["territories"],
            given.get("continent_bonuses", []),
            given.get("set_value", 0),
            given.get("on_board", 0),
            ruleset=rules,
        )
        return {"entitled": found.entitled, "placeable": found.placeable}
    return {"armies": classic.reinforcement(given["territories"], given.get("continent_bonuses", []), ruleset=rules)}


def armies_on_board(given: Given, rules: Ruleset) -> Answer:
    value = given.get("flag_value", rules.number("pieces.flag_value"))
    armies, within = risiko.armies_on_board(given["tanks"], given["flags"], value, ruleset=rules)
    return {"armies": armies, "within_cap": within}


def may_play_taken_cards(given: Given, rules: Ruleset) -> Answer:
    allowed = risiko.may_play_taken_cards(
        taken_this_turn=given["taken_from_destroyed_this_turn"], next_turn=given["next_turn"]
    )
    return {"allowed": allowed}


def attack_dice(given: Given, rules: Ruleset) -> Answer:
    ruling = combat.attack_with(
        given["dice_wanted"],
        attacking_armies=given["attacking_armies"],
        defending_armies=given["defending_armies"],
        ruleset=rules,
    )
    return {"allowed": ruling.allowed, "defence_dice": ruling.defence_dice}


def start_order(given: Given, rules: Ruleset) -> Answer:
    throws = {player: value if isinstance(value, list) else [value] for player, value in given["dice"].items()}
    found = seating.start_order(throws, ruleset=rules)
    if found.order is None:
        return {"order": None, "reroll": list(found.to_throw), "tied": [list(group) for group in found.tied]}
    picks = seating.pick_order(found.order)
    return {
        "order": list(found.order),
        "seats": found.seats,
        "placing_starts_with": picks[0],
        "pick_order": list(picks),
        "territories_10B": seating.territories_each(picks),
    }


def pick_counts(given: Given, rules: Ruleset) -> Answer:
    picks = seating.pick_order(given["order"])
    return {"pick_order": list(picks), "territories": seating.territories_each(picks)}


def vote(given: Given, rules: Ruleset) -> Answer:
    return {"mode": risiko.vote(given["a"], given["b"])[0]}


def secret_time(given: Given, rules: Ruleset) -> Answer:
    return {"valid": clock.check_length(given["phase"], given["minutes"], ruleset=rules).valid}


def end_time(given: Given, rules: Ruleset) -> Answer:
    hours, minutes = map(int, given["objectives_handed_out"].split(":"))
    end = (hours * 60 + minutes + given["minutes"]) % (24 * 60)
    shown = given.get("shown_to", "players")
    who = [shown] if isinstance(shown, str) else list(shown)
    return {"end": f"{end // 60:02}:{end % 60:02}", "visible": all(map(clock.may_see_end, who))}


def turn_clock(given: Given, rules: Ruleset) -> Answer:
    found = clock.turn_warnings(given["seconds_without_first_attack"], given["seconds_total"], ruleset=rules)
    return {"warnings": [reason.code.removeprefix("turn-") for reason in found]}


def objective_done(given: Given, rules: Ruleset) -> Answer:
    return {"done": risiko.objective_done(given["objective"], given["owned"])[0]}


def rebels_created(given: Given, rules: Ruleset) -> Answer:
    table = given.get("table")
    if table:
        rows = "\n".join(f"{face} = {count}" for face, count in table.items())
        rules = read_ruleset(f'extends = "rebels"\n[rebels.by_face]\n{rows}', dict(rules.options))
    made = rebels.rebels_created(
        given["attack_dice"], given.get("defence_dice", []), attack_from=given["attack_from"], ruleset=rules
    )
    return {"rebels": made.rebels, "ask": made.rebels is None, "where": made.where}


def may_attack_from(given: Given, rules: Ruleset) -> Answer:
    verdict = rebels.may_attack_from(
        given["armies"],
        given["rebels"],
        created_this_turn=given.get("rebels_created_this_turn", False),
        rebels_before=given.get("rebels_before", 0),
        ruleset=rules,
    )
    return {"allowed": verdict.allowed}


def max_leave(given: Given, rules: Ruleset) -> Answer:
    return {"max_leave": rebels.max_leave(given["armies"], given["rebels"], ruleset=rules)}


def conquer_with_rebels(given: Given, rules: Ruleset) -> Answer:
    found = rebels.conquer(given["defending_armies_left"], given["rebels"], given.get("dice_thrown", 0), ruleset=rules)
    return {"conquered": found.conquered, "rebels_after": found.rebels, "min_move": found.least_move}


def coup(given: Given, rules: Ruleset) -> Answer:
    found = rebels.coup(given["armies"], given["rebels"], ruleset=rules)
    return {"coup": found.coup, "lost": found.lost, "moved_elsewhere": found.moved, "rebels_after": found.rebels}


def flight(given: Given, rules: Ruleset) -> Answer:
    found = rebels.flight(given["armies"], ruleset=rules)
    return {"lost": found.lost, "moved_to_one_land": found.moved}


def rebel_combat(given: Given, rules: Ruleset) -> Answer:
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


def continent_bonus(given: Given, rules: Ruleset) -> Answer:
    bonus = rebels.continent_bonus(given["size"], given["rebel_lands"], given["bonus"], owned=given.get("owned", True))
    return {"bonus": bonus}


def left_over(given: Given, rules: Ruleset) -> Answer:
    found = classic.left_over(given["players"], ruleset=rules)
    return {"lands": found.lands, "rebels_each": rules.number("rebels.on_left_over_land")}


def player_returns(given: Given, rules: Ruleset) -> Answer:
    found = rebels.comeback(
        occupier=given["occupier"], occupier_armies_left=given.get("occupier_armies_left", 0), ruleset=rules
    )
    return {
        "back": found.back,
        "armies": found.armies,
        "cards": found.cards,
        "may_attack_now": found.may_attack_now,
    }


def start(given: Given, rules: Ruleset) -> Answer:
    try:
        found = apoikia.start(given["players"], ruleset=rules)
    except RulesError:
        return {"error": "players"}
    return {"armies": found.armies, "cities": list(found.cities), "extra": list(found.extra)}


def win_check(given: Given, rules: Ruleset) -> Answer:
    islands = given.get("islands", [])
    count = islands if isinstance(islands, int) else len(islands)
    return {"won": apoikia.won(given["players"], given["cities"], count, ruleset=rules).allowed}


def earned(given: Given, rules: Ruleset) -> Answer:
    on_port = given.get("landing_on_port", 0)
    armies = apoikia.earned(
        given.get("cities", 0),
        given.get("port_cities", 0),
        given.get("landings", 0),
        landings_on_port=int(on_port) if isinstance(on_port, int) else given.get("landings", 0),
        ruleset=rules,
    )
    return {"armies": armies}


def end_of_turn(given: Given, rules: Ruleset) -> Answer:
    kind = given["kind"]
    verdict = apoikia.end_of_turn(kind, given["city_armies"], fleet_armies=given.get("fleet_armies", 0), ruleset=rules)
    answered: Answer = {"valid": verdict.allowed}
    answered["max"] = None if kind == "city_state" else rules.number("limits.city")
    answered["max_together"] = rules.number("limits.city_and_fleet")
    return answered


def load_fleet(given: Given, rules: Ruleset) -> Answer:
    verdict = apoikia.load_fleet(given["on_fleet"], given["load"], ruleset=rules)
    return {"valid": verdict.allowed, "max": rules.number("limits.fleet")}


def fleet_usable(given: Given, rules: Ruleset) -> Answer:
    return {"usable": apoikia.fleet_usable(given["position_at_start_of_turn"]).allowed}


def fleet_after_use(given: Given, rules: Ruleset) -> Answer:
    (position,) = apoikia.fleet_next("gearriveerd", used_this_turn=True)
    again = apoikia.fleet_usable("gearriveerd", used_this_turn=True)
    return {"position_end_of_turn": position, "second_use_this_turn": again.allowed}


def may_land(given: Given, rules: Ruleset) -> Answer:
    return {"allowed": apoikia.may_land(given["landings_done"], ruleset=rules).allowed}


def sea_battle_spoils(given: Given, rules: Ruleset) -> Answer:
    spoils = apoikia.sea_battle_spoils(
        given["loser_started_with"], given["winner_left"], cap=given.get("cap"), ruleset=rules
    )
    return {"gained": spoils.gained, "fleet": spoils.fleet}


def may_sea_battle(given: Given, rules: Ruleset) -> Answer:
    verdict = apoikia.may_sea_battle(given["enemy_fleet_position"], given.get("battles_this_turn", 0), ruleset=rules)
    return {"allowed": verdict.allowed}


def vassal_defeated(given: Given, rules: Ruleset) -> Answer:
    vassal = apoikia.vassal_defeated(given["times_before"], ruleset=rules)
    return {"position": vassal.position, "recovery_turns": vassal.recovery_turns, "gone": vassal.gone}


def may_attack(given: Given, rules: Ruleset) -> Answer:
    return {"allowed": apoikia.may_attack(given["link"], given.get("target", "city")).allowed}


def card_to_city(given: Given, rules: Ruleset) -> Answer:
    card = apoikia_board.card_to_city(given["card"])
    return {"city": card.city, "island": card.island}


def mission_done(given: Given, rules: Ruleset) -> Answer:
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


def dice_limits(given: Given, rules: Ruleset) -> Answer:
    limits = combat.dice_limits(given["attacking_armies"], given["defending_armies"], ruleset=rules)
    return {"attack": limits.attack, "defence": limits.defence}


def combat_losses(given: Given, rules: Ruleset) -> Answer:
    cost = combat.losses(given["attack"], given["defence"], ruleset=rules)
    return {"attacker_loses": cost.attacker, "defender_loses": cost.defender}


def setup(given: Given, rules: Ruleset) -> Answer:
    found = classic.set_up(given["players"], ruleset=rules)
    valid = found.allows(given.get("territory_units", 1))
    return {"units": found.units, "valid": valid, "max": found.most}


def units(given: Given, rules: Ruleset) -> Answer:
    pieces = {kind: given.get(kind, 0) for kind in ("three_point", "four_point", "five_point")}
    return {"units": classic.units_of(pieces, ruleset=rules)}


def cards_after_elimination(given: Given, rules: Ruleset) -> Answer:
    return {"taken": classic.cards_from_destroyed(given["victim_cards"], was_mission=given.get("was_mission", False))}


_OPERATIONS: dict[str, Callable[[Given, Ruleset], Answer]] = {
    "dice": dice_limits,
    "combat": combat_losses,
    **{
        function.__name__: function
        for function in (
            poule_split,
            poule_split_range,
            poule_schedule_size,
            table_result,
            continent_points,
            entry_points,
            tournament_rank,
            attack_limit,
            attack_deadline,
            on_signal,
            signal,
            dice_verdict,
            claim_card,
            claim_armies,
            advance,
            end_turn_shift,
            cards_after_destroying,
            missions_in_play,
            best_trade,
            trade_set,
            score,
            table_rank,
            repechage_count,
            repechage_select,
            first_phase,
            second_phase,
            semi_final,
            finalists,
            prizes,
            reinforcement,
            armies_on_board,
            may_play_taken_cards,
            attack_dice,
            start_order,
            pick_counts,
            vote,
            secret_time,
            end_time,
            turn_clock,
            objective_done,
            rebels_created,
            may_attack_from,
            max_leave,
            conquer_with_rebels,
            coup,
            flight,
            rebel_combat,
            continent_bonus,
            left_over,
            player_returns,
            start,
            win_check,
            earned,
            end_of_turn,
            load_fleet,
            fleet_usable,
            fleet_after_use,
            may_land,
            sea_battle_spoils,
            may_sea_battle,
            vassal_defeated,
            may_attack,
            card_to_city,
            mission_done,
            setup,
            units,
            cards_after_elimination,
        )
    },
}


def differences(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The fields asked for that differ, as (expected, actual); lists that stand for a set in any order."""
    return {
        field: (wanted, actual.get(field))
        for field, wanted in expected.items()
        if _shaped(field, wanted) != _shaped(field, actual.get(field, "missing"))
    }


def _shaped(field: str, value: Any) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str):
        rows = [sorted(row) if isinstance(row, list) else row for row in value]
        return rows if field in ("order", "pick_order") else sorted(rows, key=repr)
    return value
