"""RisiKo! at one table: the Score, the ranking, reinforcements under the cap, objectives.

The Score has halves (an army counts half a point), so inside it is a whole number of half points: sums stay exact
and equal Scores are really equal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from companion.rules.board import Board
from companion.rules.errors import PositionError, ResultsError
from companion.rules.need import Need
from companion.rules.objectives import Objective, load_objectives
from companion.rules.position import Claim, KnockedOut, Position, Tally, armies_of
from companion.rules.reason import Reason, because
from companion.rules.result import Place, TableResult
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a player's board counts for.

    Attributes:
        player: Player id.
        halves: The Score in half points.
        objective_halves: The part of it that the objective's territories bring.
    """

    player: str
    halves: int
    objective_halves: int = 0

    @property
    def points(self) -> float:
        """The Score in points."""
        return self.halves / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRank:
    """The ranking of a table.

    Attributes:
        order: Groups from first to last; a group of several is equal.
        repechage_points: Points towards the repechage; none for the winner and for those who await a ruling.
        needs_ruling: Equal players have different points, or the win, at stake.
    """

    order: tuple[tuple[str, ...], ...]
    repechage_points: Mapping[str, int]
    needs_ruling: bool


def score_halves(
    *,
    objective: Collection[int],
    other: Collection[int],
    cards: int,
    continent_bonuses: Collection[int],
    armies: int,
    ruleset: Ruleset,
) -> int:
    """The Score in half points.

    Args:
        objective: Coefficients of the held territories of the own objective.
        other: Coefficients of the other held territories.
        cards: Cards in hand; they are never turned into armies.
        continent_bonuses: Bonus of each whole continent held.
        armies: Armies on the board.
        ruleset: The rules of the table.

    Source:
        risiko 26.
    """
    weight = ruleset.table("score_halves")
    halves = weight["objective_territory"] * sum(objective) + weight["other_territory"] * sum(other)
    halves += weight["card"] * cards + weight["continent_bonus"] * sum(continent_bonuses)
    return int(halves + weight["army"] * armies)


def scores(
    position: Position,
    *,
    board: Board,
    objectives: Mapping[str, str],
    ruleset: Ruleset,
    known: Mapping[str, Objective] | None = None,
) -> tuple[Score, ...]:
    """The Score of everybody on the recorded board.

    Args:
        position: A checked position, armies and cards counted.
        board: The board of the table, in its edition.
        objectives: Player to objective id.
        ruleset: The rules of the table.
        known: Objectives by id; None for the shipped ones.

    Raises:
        PositionError: Somebody's armies, cards or objective are missing or unknown.

    Source:
        risiko 26.
    """
    known = known if known is not None else load_objectives()
    found = []
    for held in position.players:
        armies = armies_of(held)
        if armies is None:
            raise PositionError(
                "armies-missing", f"the armies of {held.player!r} are not counted; count them", player=held.player
            )
        if held.hand is None:
            raise PositionError(
                "hand-missing", f"the cards of {held.player!r} are not counted; count them", player=held.player
            )
        objective = objectives.get(held.player, "")
        if objective not in known:
            raise PositionError(
                "unknown-objective",
                f"{held.player!r} has objective {objective!r}; choose one of {', '.join(known)}",
                objective=objective,
                known=list(known),
            )
        wanted = known[objective].territories
        mine = [board.territories[land].coefficient for land in held.territories if land in wanted]
        rest = [board.territories[land].coefficient for land in held.territories if land not in wanted]
        bonuses = [board.continents[id_].bonus for id_ in board.continents_held(held.territories)]
        halves = score_halves(
            objective=mine,
            other=rest,
            cards=held.hand.cards,
            continent_bonuses=bonuses,
            armies=armies,
            ruleset=ruleset,
        )
        weight = ruleset.number("score_halves.objective_territory")
        found.append(Score(player=held.player, halves=halves, objective_halves=weight * sum(mine)))
    return tuple(found)


def objective_done(objective: Collection[str], owned: Collection[str]) -> tuple[bool, Reason]:
    """Whether every territory of an objective is owned.

    Source:
        risiko 11 and 23.
    """
    missing = sorted(set(objective) - set(owned))
    if missing:
        return False, because("objective-missing", "23", missing=missing)
    return True, because("objective-first", "23", objective=sorted(objective))


def table_rank(
    halves: Mapping[str, int],
    *,
    objective_by: str | None,
    ruleset: Ruleset,
    knocked_out: Sequence[KnockedOut] = (),
    objective_halves: Mapping[str, int] | None = None,
) -> TableRank:
    """The ranking of a table by Score, with points towards the repechage.

    Args:
        halves: Player to Score in half points; the knocked-out are added with 0.
        objective_by: Who reached the objective, if anybody did.
        ruleset: The rules; options `equal_score` and `order_of_knocked_out`.
        knocked_out: Who fell.
        objective_halves: What the objective's territories brought, where that parts equal Scores.

    Raises:
        ResultsError: The winner by objective is not at the table, or the system knows no table of that size.

    Source:
        risiko 3a, 23, 24.
    """
    if objective_by is not None and objective_by not in halves:
        raise ResultsError(
            "objective-by-stranger",
            f"{objective_by!r} is named as winner by objective, but has no Score at this table",
            player=objective_by,
        )
    later = ruleset.option("order_of_knocked_out") == "later_is_better"
    fell = {out.player: (-out.players_left_before if later else 0) for out in knocked_out}
    by_objective = objective_halves if ruleset.option("equal_score") == "objective_points" else None
    keys: dict[str, tuple[int, ...]] = {}
    for player in {**halves, **fell}:
        alive = player not in fell
        points = halves.get(player, 0) if alive else 0
        part = (by_objective or {}).get(player, 0) if alive else 0
        keys[player] = (player == objective_by, alive or not later, points, part, fell.get(player, 0))
    groups: dict[tuple[int, ...], list[str]] = {}
    for player, key in keys.items():
        groups.setdefault(key, []).append(player)
    order = tuple(tuple(groups[key]) for key in sorted(groups, reverse=True))
    points_by_place = _points(len(keys), ruleset)
    given, open_ = _give(order, points_by_place, shared=ruleset.option("equal_score") == "shared")
    return TableRank(order=order, repechage_points=given, needs_ruling=open_)


def _points(size: int, ruleset: Ruleset) -> tuple[int | None, ...]:
    table = ruleset.table("repechage_points")
    if str(size) not in table:
        raise ResultsError(
            "table-size",
            f"there are no points for a table of {size}; tables have {', '.join(table)} players",
            size=size,
            allowed=[int(number) for number in table],
        )
    return (None, *table[str(size)])


def result_words(size: int, ruleset: Ruleset) -> tuple[str, ...]:
    """What a result can be at a table of this size, best first: 'win', or the points towards the repechage.

    Raises:
        ResultsError: The system knows no table of that size.

    Source:
        risiko 3a.
    """
    return tuple(dict.fromkeys(_words(_points(size, ruleset))))


def _words(points: Sequence[int | None]) -> list[str]:
    return ["win" if value is None else str(value) for value in points]


def _give(order: Sequence[Sequence[str]], points: Sequence[int | None], *, shared: bool) -> tuple[dict[str, int], bool]:
    given: dict[str, int] = {}
    open_ = False
    at = 0
    for group in order:
        stake = points[at : at + len(group)]
        at += len(group)
        if len(set(stake)) > 1 and not (shared and None not in stake):
            open_ = True
        elif stake[0] is not None:
            given.update(dict.fromkeys(group, stake[0]))
    return given, open_


def table_result(
    found: Sequence[Score], *, knocked_out: Sequence[KnockedOut], claim: Claim | None, ruleset: Ruleset
) -> TableResult:
    """Places with the deciding step; the result of a place is 'win' or the points towards the repechage.

    Args:
        found: The Scores of everybody still in the game.
        knocked_out: Who fell; their Score is 0.
        claim: The objective that was reached, if one was.
        ruleset: The rules of the table.

    Raises:
        ResultsError: The claimant has no Score, or the system knows no table of that size.

    Source:
        risiko 3a, 23, 24, 26.
    """
    halves = {score.player: score.halves for score in found}
    parts = {score.player: score.objective_halves for score in found}
    winner = claim.player if claim is not None else None
    ranked = table_rank(halves, objective_by=winner, ruleset=ruleset, knocked_out=knocked_out, objective_halves=parts)
    fell = {out.player for out in knocked_out}
    places: list[Place] = []
    unresolved: list[tuple[str, ...]] = []
    stake: list[str] = []
    points = _points(len(halves) + len(fell - set(halves)), ruleset)
    at = 0
    for number, group in enumerate(ranked.order):
        words = _words(points[at : at + len(group)])
        settled = len(group) == 1 or all(player in ranked.repechage_points for player in group)
        if not settled:
            unresolved.append(group)
            stake += words
        for player in group if settled else ():
            given = ranked.repechage_points.get(player)
            places.append(
                Place(
                    player=player,
                    place=at + 1,
                    result="win" if given is None else str(given),
                    score=0.0 if player in fell else halves[player] / 2,
                    reason=_deciding(
                        player, number, order=ranked.order, halves=halves, fell=fell, claim=claim, parts=parts
                    ),
                )
            )
        at += len(group)
    return TableResult(
        places=tuple(places),
        unresolved=tuple(unresolved),
        at_stake=tuple(dict.fromkeys(stake)),
        scores={player: points / 2 for player, points in halves.items()} | dict.fromkeys(fell, 0.0),
    )


def _deciding(
    player: str,
    number: int,
    *,
    order: Sequence[Sequence[str]],
    halves: Mapping[str, int],
    fell: Collection[str],
    claim: Claim | None,
    parts: Mapping[str, int],
) -> Reason:
    if claim is not None and claim.player == player:
        return because("objective-first", "23", objective=claim.mission)
    if player in fell:
        return because("knocked-out-zero", "24")
    other = order[1 if number == 0 else number - 1][0]
    by_parts = halves.get(other) == halves[player] and other not in fell and (claim is None or claim.player != other)
    table = parts if by_parts else halves
    own, theirs = table[player] / 2, (0.0 if other in fell else table[other] / 2)
    code = "objective-points" if by_parts else "score"
    return Reason(code=code, clause="24", values={"own": own, "other": theirs, "other_player": other})


def needed(alive: Sequence[str], recorded: Mapping[str, Tally]) -> Need:
    """What must still be recorded: the Score of everybody who is still in the game.

    Source:
        risiko 24: in any case the table is ranked by Score.
    """
    reason = because("need-score", "24")
    missing = tuple(player for player in alive if player not in recorded)
    if missing:
        return Need(board=True, armies=True, hands=True, next="board", players=missing, reason=reason)
    armies = tuple(player for player in alive if recorded[player].armies is None)
    hands = tuple(player for player in alive if recorded[player].hand is None)
    if armies or hands:
        step: Literal["armies", "hands"] = "armies" if armies else "hands"
        return Need(armies=bool(armies), hands=bool(hands), next=step, players=armies or hands, reason=reason)
    return Need(reason=because("need-nothing-all-known", "24"))
