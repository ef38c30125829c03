"""Rebel armies: triples that make them, the fight against them, coups and flight.

The text refers to two tables that it does not contain. Where they would answer, the answer here is None: the
companion asks the table, and proposes what was answered to the same question before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.rules.combat import DiceLimits, Losses
from companion.rules.errors import RulesError
from companion.rules.reason import Permission, Reason, because
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """Rebels that a throw makes.

    Attributes:
        rebels: How many; 0 for none, None when the table must say.
        where: The land that the attack started from; None when there are none.
        face: The face of the triple.
        reason: Why.
    """

    rebels: int | None
    where: str | None
    face: int | None
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Combat:
    """A land after a throw against its rebels.

    Attributes:
        armies: Armies left.
        rebels: Rebels left.
        coup: The occupier has lost the land.
        attack_over: No further throw is possible or allowed.
        reason: What was compared.
    """

    armies: int
    rebels: int
    coup: bool
    attack_over: bool
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Coup:
    """What a coup, or a flight, costs.

    Attributes:
        coup: Whether the land is lost.
        lost: Armies that are gone.
        moved: Armies that go to other lands of the player.
        rebels: Rebels in the land afterwards.
        out: The player has no other land and is out of the game.
        reason: Why.
    """

    coup: bool
    lost: int
    moved: int
    rebels: int
    out: bool = False
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Conquest:
    """A land with rebels after an attack on its armies.

    Attributes:
        conquered: Its last army is gone.
        rebels: Rebels that stay there.
        least_move: Armies that must move in, as far as the attacker has them.
    """

    conquered: bool
    rebels: int
    least_move: int


def rebels_created(attack: Sequence[int], defence: Sequence[int], *, attack_from: str, ruleset: Ruleset) -> Created:
    """The rebels that an attack's throw makes.

    Args:
        attack: Counted attack dice.
        defence: Counted defence dice.
        attack_from: The land that the attack started from.
        ruleset: The rules; option `trigger`, and `[rebels.by_face]` where the organiser has filled it in.

    Source:
        rebels 1 to 3.
    """
    dice = [*attack]
    if ruleset.option("trigger") == "any_three_equal_of_all_dice":
        dice += defence
    triples = [face for face, count in Counter(dice).items() if count >= 3]
    if not triples:
        return Created(rebels=0, where=None, face=None, reason=because("rebels-none", "2"))
    face = triples[0]
    table = ruleset.table("rebels.by_face")
    if str(face) not in table:
        return Created(rebels=None, where=attack_from, face=face, reason=because("rebels-ask", "2", face=face))
    rebels = int(table[str(face)])
    reason = because("rebels-from-triple", "2", face=face, rebels=rebels)
    return Created(rebels=rebels, where=attack_from, face=face, reason=reason)


def proposed(face: int, answers: Sequence[tuple[int, int]]) -> int | None:
    """What the table last answered for a triple of this face; None when it was never asked.

    Args:
        face: Face of the triple.
        answers: (face, rebels) of every answer so far, oldest first.
    """
    return next((rebels for asked, rebels in reversed(answers) if asked == face), None)


def combination(dice: Sequence[int], *, ruleset: Ruleset) -> Mapping[str, object] | None:
    """What a combination does in a throw at rebels; None when the organiser's throw table does not say.

    Args:
        dice: The three attack dice, any order.
        ruleset: The rules; `[rebels.by_combination]` maps such as '6-6-5' to an effect.

    Source:
        rebels 8, 11, 15 (the table is missing from the text).
    """
    key = "-".join(str(value) for value in sorted(dice, reverse=True))
    found: Mapping[str, object] | None = ruleset.table("rebels.by_combination").get(key)
    return found


def may_attack_from(
    armies: int, rebels: int, *, created_this_turn: bool, rebels_before: int = 0, ruleset: Ruleset
) -> Permission:
    """Whether an attack on another land may start from a land.

    Args:
        armies: Armies there.
        rebels: Rebels there now.
        created_this_turn: They came in this turn.
        rebels_before: Those of them that were there before the turn.
        ruleset: The rules of the table.

    Source:
        rebels 4 and 6.
    """
    least = ruleset.number("rebels.no_attack_at_or_below") + 1 if rebels else 2
    if armies < least:
        return Permission(allowed=False, reason=because("rebels-few-armies", "4", armies=armies, least=least))
    if rebels and (rebels_before or not created_this_turn):
        return Permission(allowed=False, reason=because("rebels-block", "6", rebels=rebels))
    return Permission(allowed=True, reason=because("rebels-may-attack", "3"))


def max_leave(armies: int, rebels: int, *, ruleset: Ruleset) -> int:
    """The most armies that may leave a land.

    Source:
        rebels 4: two stay with rebels; else one.
    """
    stay = ruleset.number("rebels.stay_at_least") if rebels else 1
    return max(0, armies - stay)


def conquer(defending_armies_left: int, rebels: int, dice_thrown: int, *, ruleset: Ruleset) -> Conquest:
    """A land with rebels after a throw at its armies: they need not be beaten, and stay.

    Source:
        rebels 7.
    """
    if defending_armies_left:
        return Conquest(conquered=False, rebels=rebels, least_move=0)
    stay = ruleset.number("rebels.stay_at_least") if rebels else 1
    return Conquest(conquered=True, rebels=rebels, least_move=max(dice_thrown, stay))


def dice_limits(*, ruleset: Ruleset) -> DiceLimits:
    """The dice that both sides throw in a fight against rebels: always the same, however few they are.

    Source:
        rebels 15.
    """
    return DiceLimits(attack=ruleset.number("rebels.attack_dice"), defence=ruleset.number("rebels.rebel_dice"))


def losses(attack: Sequence[int], rebel_dice: Sequence[int], *, ruleset: Ruleset) -> Losses:
    """What one throw against rebels costs each side, if it has so many left.

    Args:
        attack: Counted dice of the attacker.
        rebel_dice: Counted dice of the rebels.
        ruleset: The rules; option `compare`.

    Raises:
        RulesError: A side has no dice.

    Source:
        rebels 10 and 15: a tie to the rebels.
    """
    if not attack or not rebel_dice:
        raise RulesError("dice-missing", "both sides need dice; throw again", side="rebels" if attack else "attack")
    best = sorted(attack, reverse=True)
    theirs = sorted(rebel_dice, reverse=True)
    units = ruleset.number("rebels.units_per_throw")
    if ruleset.option("compare") == "highest_only":
        won = units if best[0] > theirs[0] else 0
        lost = units - won
    else:
        pairs = tuple(zip(best, theirs, strict=False))
        won = sum(a > r for a, r in pairs)
        lost = len(pairs) - won
    reason = because("rebels-highest", "15", attack=best[0], rebels=theirs[0], units=units)
    return Losses(attacker=lost, defender=won, reasons=(reason,))


def combat(
    attack: Sequence[int],
    rebel_dice: Sequence[int],
    *,
    armies: int,
    rebels: int,
    ruleset: Ruleset,
    occupier: bool = True,
) -> Combat:
    """A land after one throw against its rebels: three dice against two, a tie to the rebels.

    Args:
        attack: Counted dice of the attacker.
        rebel_dice: Counted dice of the rebels.
        armies: The attacker's armies.
        rebels: Rebels in the land.
        ruleset: The rules; option `compare`.
        occupier: The attacker owns the land; only then a coup can follow.

    Raises:
        RulesError: A side has no dice.

    Source:
        rebels 10 and 15.
    """
    cost = losses(attack, rebel_dice, ruleset=ruleset)
    armies_left, rebels_left = max(0, armies - cost.attacker), max(0, rebels - cost.defender)
    falls = occupier and _outnumbered(armies_left, rebels_left, ruleset)
    return Combat(
        armies=armies_left,
        rebels=rebels_left,
        coup=falls,
        attack_over=falls or not armies_left or not rebels_left,
        reason=cost.reasons[0],
    )


def coup(armies: int, rebels: int, *, ruleset: Ruleset, other_lands: bool = True) -> Coup:
    """Whether the rebels take a land from its owner, and what that costs.

    Args:
        armies: The owner's armies there.
        rebels: Rebels there.
        ruleset: The rules; options `coup_compare`, `coup_loss_rounding`, `after_coup`.
        other_lands: The owner has other lands for the rest to go to.

    Source:
        rebels 9 and 16.
    """
    if not _outnumbered(armies, rebels, ruleset):
        reason = because("no-coup", "9", armies=armies, rebels=rebels)
        return Coup(coup=False, lost=0, moved=0, rebels=rebels, reason=reason)
    divisor = ruleset.number("rebels.loss_divisor")
    lost = -(-armies // divisor) if ruleset.option("coup_loss_rounding") == "ceil" else armies // divisor
    after = _after_coup(rebels, ruleset)
    reason = because("coup", "9", armies=armies, rebels=rebels)
    if not other_lands:
        return Coup(coup=True, lost=armies, moved=0, rebels=after, out=True, reason=reason)
    return Coup(coup=True, lost=lost, moved=armies - lost, rebels=after, reason=reason)


def flight(armies: int, *, ruleset: Ruleset, rebels: int = 0) -> Coup:
    """What leaving a land to its rebels costs; the rest goes to one other land.

    Source:
        rebels 17: a quarter, rounded down; also a coup.
    """
    lost = armies // ruleset.number("rebels.loss_divisor")
    reason = because("flight", "17", armies=armies, lost=lost)
    return Coup(coup=True, lost=lost, moved=armies - lost, rebels=_after_coup(rebels, ruleset), reason=reason)


def _outnumbered(armies: int, rebels: int, ruleset: Ruleset) -> bool:
    """Whether rebels take the land; without armies any rebel does, without rebels nobody can."""
    wanted = ruleset.number("rebels.coup_ratio") * armies
    exact = armies > 0 and ruleset.option("coup_compare") == "exactly"
    return rebels > 0 and (rebels == wanted if exact else rebels >= wanted)


def _after_coup(rebels: int, ruleset: Ruleset) -> int:
    fixed = ruleset.number("rebels.on_left_over_land")
    how = ruleset.option("after_coup")
    return rebels + fixed if how == "add_5" else max(rebels, fixed) if how == "max" else fixed
