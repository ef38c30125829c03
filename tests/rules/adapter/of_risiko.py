"""Operations of the risiko vectors."""

from __future__ import annotations

from companion.rules import clock, combat, seating
from companion.rules.ruleset import Ruleset
from companion.rules.systems import risiko, risiko_phases, risiko_turn
from tests.rules.adapter.words import Answer, Given, Operations


def _score(given: Given, rules: Ruleset) -> Answer:
    halves = risiko.score_halves(
        objective=list(given.get("objective_territories", {}).values()),
        other=list(given.get("other_territories", {}).values()),
        cards=given.get("cards", 0),
        continent_bonuses=given.get("continent_bonuses", []),
        armies=given.get("armies", 0),
        ruleset=rules,
    )
    return {"score": halves / 2}


def _table_rank(given: Given, rules: Ruleset) -> Answer:
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


def _repechage_count(given: Given, rules: Ruleset) -> Answer:
    found = risiko_phases.repechage_count(given["winners"], ruleset=rules)
    return {"repechaged": found.repechaged, "qualified": found.qualified}


def _repechage_select(given: Given, rules: Ruleset) -> Answer:
    games = {
        row["id"]: [risiko_phases.Game(points=game["points"], score=game["score"]) for game in row["games"]]
        for row in given["players"]
    }
    winners = [row["id"] for row in given["players"] if row.get("won_a_table")]
    chosen = risiko_phases.repechage_select(given["places"], games, won_a_table=winners, ruleset=rules)
    return {"order": list(chosen.order), "unresolved": list(chosen.unresolved), "needs_ruling": bool(chosen.unresolved)}


def _first_phase(given: Given, rules: Ruleset) -> Answer:
    found = risiko_phases.first_phase(given["evening1_tables"], given["evening2_tables"], ruleset=rules)
    return {"winners": found.winners, "repechaged": found.repechaged, "qualified": found.qualified}


def _second_phase(given: Given, rules: Ruleset) -> Answer:
    found = risiko_phases.second_phase(given["winners"], ruleset=rules)
    return {"repechaged": found.repechaged, "qualified": found.qualified}


def _semi_final(given: Given, rules: Ruleset) -> Answer:
    players = given["players"]
    tables, final = risiko_phases.semi_final(players if isinstance(players, int) else len(players), ruleset=rules)
    return {"tables": tables, "finalists": final}


def _finalists(given: Given, rules: Ruleset) -> Answer:
    tables = [[(row["id"], row["score"]) for row in table] for table in given["tables"]]
    found = risiko_phases.finalists(tables)
    return {"finalists": list(found.finalists), "unresolved": list(found.unresolved)}


def _prizes(given: Given, rules: Ruleset) -> Answer:
    return {"prizes": list(risiko_phases.prizes(given["final_order"]))}


def _armies_on_board(given: Given, rules: Ruleset) -> Answer:
    armies, within = risiko_turn.armies_on_board(given["tanks"], given["flags"], given.get("flag_value"), ruleset=rules)
    return {"armies": armies, "within_cap": within}


def _may_play_taken_cards(given: Given, rules: Ruleset) -> Answer:
    allowed = risiko_turn.may_play_taken_cards(
        taken_this_turn=given["taken_from_destroyed_this_turn"], next_turn=given["next_turn"]
    )
    return {"allowed": allowed.allowed}


def _attack_dice(given: Given, rules: Ruleset) -> Answer:
    ruling = combat.attack_with(
        given["dice_wanted"],
        attacking_armies=given["attacking_armies"],
        defending_armies=given["defending_armies"],
        ruleset=rules,
    )
    return {"allowed": ruling.allowed, "defence_dice": ruling.defence_dice}


def _start_order(given: Given, rules: Ruleset) -> Answer:
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


def _pick_counts(given: Given, rules: Ruleset) -> Answer:
    picks = seating.pick_order(given["order"])
    return {"pick_order": list(picks), "territories": seating.territories_each(picks)}


def _vote(given: Given, rules: Ruleset) -> Answer:
    return {"mode": risiko_turn.vote(given["a"], given["b"])[0]}


def _secret_time(given: Given, rules: Ruleset) -> Answer:
    return {"valid": clock.check_length(given["phase"], given["minutes"], ruleset=rules).valid}


def _end_time(given: Given, rules: Ruleset) -> Answer:
    hours, minutes = map(int, given["objectives_handed_out"].split(":"))
    end = (hours * 60 + minutes + given["minutes"]) % (24 * 60)
    shown = given.get("shown_to", "players")
    who = [shown] if isinstance(shown, str) else list(shown)
    return {"end": f"{end // 60:02}:{end % 60:02}", "visible": all(map(clock.may_see_end, who))}


def _turn_clock(given: Given, rules: Ruleset) -> Answer:
    found = clock.turn_warnings(given["seconds_without_first_attack"], given["seconds_total"], ruleset=rules)
    return {"warnings": [reason.code.removeprefix("turn-") for reason in found]}


def _objective_done(given: Given, rules: Ruleset) -> Answer:
    return {"done": risiko.objective_done(given["objective"], given["owned"])[0]}


OPERATIONS: Operations = {
    "score": _score,
    "table_rank": _table_rank,
    "repechage_count": _repechage_count,
    "repechage_select": _repechage_select,
    "first_phase": _first_phase,
    "second_phase": _second_phase,
    "semi_final": _semi_final,
    "finalists": _finalists,
    "prizes": _prizes,
    "armies_on_board": _armies_on_board,
    "may_play_taken_cards": _may_play_taken_cards,
    "attack_dice": _attack_dice,
    "start_order": _start_order,
    "pick_counts": _pick_counts,
    "vote": _vote,
    "secret_time": _secret_time,
    "end_time": _end_time,
    "turn_clock": _turn_clock,
    "objective_done": _objective_done,
}
