"""Operations of the nl1996 vectors, and those that risiko shares with it."""

from __future__ import annotations

from collections.abc import Mapping

from companion.rules import cards, clock, dice, draw, missions, standings, turns
from companion.rules.board import load_board
from companion.rules.errors import RulesError
from companion.rules.position import Claim, KnockedOut, Tally
from companion.rules.ruleset import Ruleset
from companion.rules.systems import nl1996
from tests.rules.adapter.words import Answer, Given, Operations


def _poule_split(given: Given, rules: Ruleset) -> Answer:
    try:
        split = draw.pool_split(given["players"])
    except RulesError:
        return {"error": "not_possible"}
    return {"poules_of_3": split.threes, "poules_of_4": split.fours}


def _poule_split_range(given: Given, rules: Ruleset) -> Answer:
    found = [0, 0, 0]
    for players in range(given["from"], given["to"] + 1):
        try:
            found[draw.pool_split(players).fours] += 1
        except RulesError:
            continue
    return {"with_no_four": found[0], "with_one_four": found[1], "with_two_fours": found[2]}


def _poule_schedule_size(given: Given, rules: Ruleset) -> Answer:
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


def _table_result(given: Given, rules: Ruleset) -> Answer:
    claim = given.get("mission")
    fallen = list(given.get("knocked_out", ()))
    victim = claim and claim.get("destroyed")
    if victim and victim not in {row["id"] for row in (*fallen, *given["players"])}:
        fallen.append({"id": victim, "players_left_before": len(given["players"]) + 1, "by": claim["by"]})
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
            for row in fallen
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


def _continent_points(given: Given, rules: Ruleset) -> Answer:
    return {"points": nl1996.continent_points(given["continents"], ruleset=rules)}


def _entry_points(given: Given, rules: Ruleset) -> Answer:
    board = load_board("classic", given["board"])
    continent = given["continent"]
    entries = board.entry_points(continent)
    points = rules.number(f"scheme.{continent}")
    differs = len(board.continents[continent].territories) + entries != points
    return {"entry_points": entries, "points": points, "differs_from_scheme": differs}


def _tournament_rank(given: Given, rules: Ruleset) -> Answer:
    ranked = standings.tournament_rank(given["results"], ruleset=rules, lot="1")
    return {"order": [list(group) for group in standings.groups(ranked)]}


def _attack_limit(given: Given, rules: Ruleset) -> Answer:
    return {"limit_s": clock.attack_limit(given["elapsed_s"], ruleset=rules)}


def _attack_deadline(given: Given, rules: Ruleset) -> Answer:
    started = given.get("attack_started_s")
    deadline = clock.attack_deadline(
        attack_started_s=started,
        now_s=given["now_s"],
        turn_started_s=given.get("turn_started_s", started or 0),
        ruleset=rules,
    )
    return {"deadline_s": deadline}


def _on_signal(given: Given, rules: Ruleset) -> Answer:
    ruling = clock.signal(clock.ThrowAtSignal(), ruleset=rules)
    return {"equalise_turns": ruling.may_start_new_combat, "freeze": not ruling.may_throw}


def _signal(given: Given, rules: Ruleset) -> Answer:
    attack = given.get("attack_dice", "not_thrown")
    states = [] if isinstance(attack, str) else list(attack)
    defence = given.get("defence_dice", "not_thrown")
    if given.get("at_rest_before_signal_s", 0) < 0:
        defence = "rolling"
    at = clock.ThrowAtSignal(
        attack=attack if isinstance(attack, str) else "at_rest" if states else "not_thrown",
        defence=defence,
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
        ("move_to_reinforce", ("move", "moving", "reinforc", "shift", "strategic", "bring", "spost")),
    )
    return next((wish for wish, parts in asked if any(part in words for part in parts)), "continue_combat")


def _dice_verdict(given: Given, rules: Ruleset) -> Answer:
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


def _claim_card(given: Given, rules: Ruleset) -> Answer:
    verdict = turns.claim_card(
        conquered=given["conquered"],
        already_taken=given.get("already_taken", False),
        next_player_threw=given.get("next_player_threw", False),
    )
    return {"allowed": verdict.allowed}


def _claim_armies(given: Given, rules: Ruleset) -> Answer:
    verdict = turns.claim_armies(
        given["kind"],
        own_throw_made=given.get("own_throw_made", False),
        next_player_threw=given.get("next_player_threw", False),
    )
    return {"allowed": verdict.allowed}


def _advance(given: Given, rules: Ruleset) -> Answer:
    verdict = turns.advance(
        given["armies_in_attacking_land"],
        given["dice_thrown"],
        continue_from_conquered=given.get("continue_from_conquered", False),
        conquered_land_can_attack=given.get("conquered_land_can_attack", True),
    )
    return {"min": verdict.least, "max": verdict.most}


def _end_turn_shift(given: Given, rules: Ruleset) -> Answer:
    verdict = turns.end_turn_shift(given["armies"], ruleset=rules)
    return {"allowed": verdict.allowed, "max": rules.number("moves.end_of_turn_shift_max")}


def _cards_after_destroying(given: Given, rules: Ruleset) -> Answer:
    verdict = cards.cards_after_destroying(given["own"], given["taken"], ruleset=rules)
    return {
        "must_trade": verdict.must_trade,
        "may_trade": verdict.may_trade,
        "sets_at_least": verdict.sets_at_least,
        "cards_after": verdict.cards_after,
    }


def _missions_in_play(given: Given, rules: Ruleset) -> Answer:
    left = missions.missions_in_play(given["colours"], ruleset=rules)
    return {"count": len(left.in_play), "removed": list(left.removed)}


def _hand(row: Mapping[str, int] | None) -> cards.Hand | None:
    return None if row is None else cards.Hand(**row)


OPERATIONS: Operations = {
    "poule_split": _poule_split,
    "poule_split_range": _poule_split_range,
    "poule_schedule_size": _poule_schedule_size,
    "table_result": _table_result,
    "continent_points": _continent_points,
    "entry_points": _entry_points,
    "tournament_rank": _tournament_rank,
    "attack_limit": _attack_limit,
    "attack_deadline": _attack_deadline,
    "on_signal": _on_signal,
    "signal": _signal,
    "dice_verdict": _dice_verdict,
    "claim_card": _claim_card,
    "claim_armies": _claim_armies,
    "advance": _advance,
    "end_turn_shift": _end_turn_shift,
    "cards_after_destroying": _cards_after_destroying,
    "missions_in_play": _missions_in_play,
}
