"""Rebel armies in the game as a whole: the agreement before it, bonuses, the way back into it, and who has won."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from companion.rules.errors import PositionError, RulesError
from companion.rules.position import KnockedOut, Tally
from companion.rules.reason import Reason, because
from companion.rules.result import TableResult, nobody_won, won_by
from companion.rules.ruleset import Ruleset
from companion.rules.systems.cascade import rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Comeback:
    """An eliminated player's way back: armies and cards to start with, and whether to attack at once."""

    back: bool
    armies: int
    cards: int
    may_attack_now: bool


def comeback(*, occupier: bool, occupier_armies_left: int = 0, ruleset: Ruleset) -> Comeback:
    """What a returning player gets.

    Args:
        occupier: The land has an owner whose armies had to be beaten.
        occupier_armies_left: What is left of them.
        ruleset: The rules of the table.

    Source:
        rebels 11, 13, 14; after a failed rebellion the remaining rebels stay (chosen).
    """
    if occupier and occupier_armies_left:
        return Comeback(back=False, armies=0, cards=0, may_attack_now=False)
    row = ruleset.table("return_after_rebellion" if occupier else "return_to_rebel_land")
    return Comeback(back=True, armies=row["armies"], cards=row["cards"], may_attack_now=row["may_attack"])


def rebel_colour(colours: Collection[str], *, ruleset: Ruleset) -> str | None:
    """A colour of the box that nobody plays, for the rebels; None when all are taken.

    Source:
        rebels 16.
    """
    return next((colour for colour in ruleset.table("missions")["colours"] if colour not in colours), None)


def return_choices(rebels: Mapping[str, int]) -> tuple[str, ...]:
    """Lands that a returning player may choose from: those with rebels, the most rebels first.

    Args:
        rebels: Land to rebels in it.

    Source:
        rebels 12.
    """
    return tuple(sorted((land for land, count in rebels.items() if count), key=lambda land: (-rebels[land], land)))


def plays_rebels(eliminated: Sequence[str], throws_before: int) -> str | None:
    """Who throws for the rebels: eliminated players in turn, or None for the attacker.

    Args:
        eliminated: Players now out, in the order in which they fell.
        throws_before: Rebel throws so far.

    Source:
        rebels, introduction; with several of them they take turns (chosen).
    """
    return eliminated[throws_before % len(eliminated)] if eliminated else None


def check_agreement(prize: str, longest_minutes: int) -> None:
    """Refuse a start without what must be decided beforehand.

    Args:
        prize: What victory brings, in the organiser's words.
        longest_minutes: How long the game may last at most.

    Raises:
        RulesError: One of them is missing.

    Source:
        rebels, introduction.
    """
    if not prize.strip():
        raise RulesError("prize-missing", "say beforehand what victory brings; write it down at the set-up")
    if longest_minutes < 1:
        raise RulesError(
            "negative-number",
            f"say beforehand how long the game may last at most, in minutes, not {longest_minutes}",
            what="longest_minutes",
            value=longest_minutes,
        )


def continent_bonus(size: int, rebel_lands: int, bonus: int, *, owned: bool) -> int:
    """Armies for a continent: half of them, rounded up, when half its lands, rounded up, have rebels.

    Source:
        rebels 18.
    """
    if not owned:
        return 0
    return -(-bonus // 2) if rebel_lands >= -(-size // 2) else bonus


def bonus_lands(
    continent: Collection[str], rebel_lands: Collection[str], owned: Collection[str], *, ruleset: Ruleset
) -> tuple[str, ...]:
    """Own lands on which the continent's bonus may be placed.

    Args:
        continent: Lands of the continent.
        rebel_lands: Lands with rebels, anywhere.
        owned: Lands of the player.
        ruleset: The rules; option `bonus_placement`.

    Source:
        rebels 18; without rebels on the continent the bonus is free (chosen).
    """
    restless = set(rebel_lands) & set(continent)
    if not restless:
        return tuple(sorted(owned))
    wanted = restless if ruleset.option("bonus_placement") == "rebel_lands_of_that_continent" else set(continent)
    return tuple(sorted(wanted & set(owned)))


def table_result(tallies: Sequence[Tally], knocked_out: Sequence[KnockedOut], *, ruleset: Ruleset) -> TableResult:
    """Who won: the last one on the board, or when time is over the most lands, then the most armies.

    Source:
        rebels, introduction; option `time_over`.
    """
    by_id = {tally.player: tally for tally in tallies}
    alive = list(by_id)
    if len(alive) == 1:
        return won_by(alive[0], [], knocked_out, reason=because("domination", "intro"))
    if ruleset.option("time_over") == "organiser":
        return nobody_won(alive, knocked_out)
    results = ("win", *("loss" for _ in alive[1:]))

    def value(player: str, level: int) -> int | None:
        tally = by_id[player]
        return tally.armies if level else tally.territories

    ranking = rank(alive, value, levels=2, results=results)
    best = ranking.groups[0]
    if ranking.missing:
        raise PositionError(
            "armies-missing",
            f"{', '.join(best)} have equally many lands, and their armies are not counted; count them",
            player=list(best),
        )
    if len(best) > 1:
        return nobody_won(alive, knocked_out)
    level = ranking.levels[0]
    other = ranking.groups[1][0]
    code = "ahead-armies" if level else "ahead-territories"
    values = {"own": value(best[0], level), "other": value(other, level), "other_player": other}
    reason = Reason(code=code, clause="intro", values=values)
    return won_by(best[0], [player for player in alive if player != best[0]], knocked_out, reason=reason)
