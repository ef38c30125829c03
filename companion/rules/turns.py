"""Turn bookkeeping that a table can know: what was forgotten and is now too late, what moves along, what may shift.

The locks of 4.9 hang on dice: once the next player has thrown, even a throw that was void, the turn before is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.rules.reason import Permission, Reason, because
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """How many armies move into a conquered land: from `least` to `most`."""

    least: int
    most: int
    reason: Reason


def claim_card(*, conquered: bool, already_taken: bool, next_player_threw: bool) -> Permission:
    """Whether the card for a conquered land may (still) be taken.

    Source:
        nl1996 4.9 and 4.10.
    """
    if not conquered:
        return Permission(allowed=False, reason=because("card-nothing-conquered", "4.10"))
    if already_taken:
        return Permission(allowed=False, reason=because("card-already-taken", "4.10"))
    if next_player_threw:
        return Permission(allowed=False, reason=because("card-too-late", "4.9"))
    return Permission(allowed=True, reason=because("card-allowed", "4.10"))


def claim_armies(
    kind: Literal["continent", "territory"], *, own_throw_made: bool, next_player_threw: bool
) -> Permission:
    """Whether forgotten armies may still be placed.

    Args:
        kind: For a continent, or ordinary ones for territories.
        own_throw_made: The player whose turn it is has thrown.
        next_player_threw: The next player has thrown.

    Source:
        nl1996 4.9: continent armies until the own throw, ordinary ones until the next player's.
    """
    if next_player_threw:
        return Permission(allowed=False, reason=because("armies-next-throw", "4.9"))
    if own_throw_made and kind == "continent":
        return Permission(allowed=False, reason=because("armies-own-throw", "4.9"))
    return Permission(allowed=True, reason=because("armies-allowed", "4.9"))


def advance(
    armies_left: int, dice_thrown: int, *, continue_from_conquered: bool, conquered_land_can_attack: bool
) -> Advance:
    """How many armies move into the conquered land.

    Args:
        armies_left: Armies in the attacking land after the throw.
        dice_thrown: Counted attack dice; a die that fell away was not thrown (chosen).
        continue_from_conquered: The player will attack again from the conquered land.
        conquered_land_can_attack: From there an attack is possible.

    Source:
        nl1996 4.12a and b.
    """
    most = armies_left - 1
    least = min(dice_thrown, most)
    if continue_from_conquered and conquered_land_can_attack:
        return Advance(least=least, most=most, reason=because("advance-on", "4.12a", least=least, most=most))
    return Advance(least=least, most=least, reason=because("advance-dice", "4.12b", dice=dice_thrown))


def end_turn_shift(armies: int, *, ruleset: Ruleset) -> Permission:
    """Whether so many armies may be shifted at the end of the turn, all shifts together.

    Source:
        nl1996 4.12b.
    """
    most = ruleset.number("moves.end_of_turn_shift_max")
    return Permission(allowed=0 <= armies <= most, reason=because("shift", "4.12b", armies=armies, most=most))
