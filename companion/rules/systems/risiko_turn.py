"""RisiKo! in play: the vote and the placing, reinforcements under the cap, the strategic move, penalties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.rules.errors import RulesError
from companion.rules.reason import Permission, Reason, because
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforcement:
    """Armies at the start of a turn, in the three trays of clause 21.

    Attributes:
        trays: Armies for territories, for continents and for a set of cards.
        entitled: What the player gets, the minimum included.
        placeable: What fits under the cap.
        kept: What does not fit and is kept for later; 0 where it is lost.
        reasons: Why.
    """

    trays: tuple[int, int, int]
    entitled: int
    placeable: int
    kept: int
    reasons: tuple[Reason, ...]


def reinforcement(
    territories: int, continent_bonuses: Sequence[int], set_value: int, on_board: int, *, ruleset: Ruleset
) -> Reinforcement:
    """Armies at the start of a turn, the first one too, and how many fit under the cap.

    Args:
        territories: Territories held.
        continent_bonuses: Bonus of each whole continent held.
        set_value: Armies for a set of cards played now.
        on_board: Armies already on the board.
        ruleset: The rules; options `minimum_applies_to` and `over_cap`.

    Source:
        risiko 13 and 21.
    """
    rules = ruleset.table("reinforcement")
    trays = (territories // rules["divisor"], sum(continent_bonuses), set_value)
    reasons = [because("reinforcement", "13", territories=trays[0], continents=trays[1], set=trays[2])]
    if ruleset.option("minimum_applies_to") == "total":
        entitled = max(sum(trays), rules["minimum"])
    else:
        entitled = max(trays[0], rules["minimum"]) + trays[1] + trays[2]
    if entitled > sum(trays):
        reasons.append(because("reinforcement-minimum", "13", minimum=rules["minimum"]))
    placeable = min(entitled, max(0, rules["cap"] - on_board))
    if placeable < entitled:
        reasons.append(because("reinforcement-cap", "13", cap=rules["cap"], on_board=on_board))
    kept = entitled - placeable if ruleset.option("over_cap") == "kept" else 0
    return Reinforcement(trays=trays, entitled=entitled, placeable=placeable, kept=kept, reasons=tuple(reasons))


def armies_on_board(tanks: int, flags: int, flag_value: int | None = None, *, ruleset: Ruleset) -> tuple[int, bool]:
    """Armies that pieces stand for, and whether they lie within the cap.

    Args:
        tanks: Pieces of one army.
        flags: Pieces of several.
        flag_value: What a flag stands for at this table; None for the box's own number.
        ruleset: The rules of the table.

    Source:
        risiko 13.
    """
    armies = tanks + flags * (ruleset.number("pieces.flag_value") if flag_value is None else flag_value)
    return armies, armies <= ruleset.number("reinforcement.cap")


def may_play_taken_cards(*, taken_this_turn: bool, next_turn: bool) -> Permission:
    """Whether cards taken from a destroyed opponent may be played.

    Source:
        risiko 13: only from the next turn.
    """
    if taken_this_turn and not next_turn:
        return Permission(allowed=False, reason=because("taken-cards-wait", "13"))
    return Permission(allowed=True, reason=because("card-allowed", "13"))


def undeclared_attack(dice_thrown: int) -> tuple[int, Reason]:
    """Armies destroyed because the attack was not declared: those that the dice stand for; the referee decides.

    Source:
        risiko 15 (which armies: chosen).
    """
    return dice_thrown, because("undeclared-attack", "15", armies=dice_thrown)


def after_penalty(armies: int, taken_off: int, *, territories: int) -> int:
    """Armies left after the referee took some off the board.

    Raises:
        RulesError: More than can be taken while one stays in each territory, or less than none.

    Source:
        risiko 20 and 22.
    """
    if not 0 <= taken_off <= armies - territories:
        raise RulesError(
            "negative-number",
            f"between 0 and {armies - territories} armies can be taken off, not {taken_off}",
            what="taken_off",
            value=taken_off,
        )
    return armies - taken_off


def may_make_strategic_move(moves_made: int) -> bool:
    """Whether the strategic move is still to be had: one a turn, at any moment of it.

    Source:
        risiko 14.
    """
    return moves_made < 1


def vote(a: int, b: int) -> tuple[str, Reason]:
    """How territories are handed out in the whole tournament: '10A', '10B', or 'director' on a tie.

    Source:
        risiko 10.
    """
    if a == b:
        return "director", because("vote-tie", "10", a=a, b=b)
    return ("10A" if a > b else "10B"), because("vote", "10", a=a, b=b)


def placing_rounds(armies: int, *, ruleset: Ruleset) -> tuple[int, ...]:
    """How many armies a player places in each round of the set-up, the last round holding the rest.

    Source:
        risiko 12.
    """
    step = ruleset.number("setup.placed_at_a_time")
    return tuple(min(step, armies - done) for done in range(0, armies, step))
