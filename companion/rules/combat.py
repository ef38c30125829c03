"""How many dice each side may throw, and what a throw costs.

Dice are compared highest against highest, second against second; the pairs that exist decide how many armies are
at stake. A tie goes to the defender unless the ruleset says otherwise. Combat against rebels has rules of its own:
`systems.rebels.combat`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from companion.rules.errors import ThrowError
from companion.rules.reason import Reason, because
from companion.rules.ruleset import Ruleset

Target = Literal["armies", "rebels", "fleet"]
"""What an attack goes against; a camera can't tell."""


def targets(ruleset: Ruleset) -> tuple[Target, ...]:
    """What an attack can go against, the usual first.

    Source:
        rebels 15; apoikia, sea battle.
    """
    if ruleset.system == "rebels":
        return ("armies", "rebels")
    return ("armies", "fleet") if ruleset.system == "apoikia" else ("armies",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """What one throw costs each side, in armies."""

    attacker: int
    defender: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceLimits:
    """The most dice each side may throw; 0 and 0 when no attack is possible."""

    attack: int
    defence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRuling:
    """Whether an attack with a number of dice is allowed, and how many dice the defence throws against it."""

    allowed: bool
    defence_dice: int
    reason: Reason


def losses(attack: Sequence[int], defence: Sequence[int], *, ruleset: Ruleset) -> Losses:
    """The armies that each side loses.

    Args:
        attack: Counted attack dice, any order; none when they all fell away without loss.
        defence: Counted defence dice, any order.
        ruleset: The rules of the table.

    Raises:
        ThrowError: A value outside 1..6.

    Source:
        classic, attack and defence; nl1996 4.1 and the others take it over.
    """
    for value in (*attack, *defence):
        if value not in range(1, 7):
            raise ThrowError("bad-die", f"a die shows 1 to 6, not {value!r}; read it again", value=value)
    tie = str(ruleset.options.get("tie", "defender"))
    pairs = tuple(zip(sorted(attack, reverse=True), sorted(defence, reverse=True), strict=False))
    won = sum(a > d or (a == d and tie == "attacker") for a, d in pairs)
    reason = because(
        "pairs", ruleset.word("combat.clause"), attack=[a for a, _ in pairs], defence=[d for _, d in pairs], tie=tie
    )
    return Losses(attacker=len(pairs) - won, defender=won, reasons=(reason,))


def dice_limits(attacking_armies: int, defending_armies: int, *, ruleset: Ruleset) -> DiceLimits:
    """The most dice that both sides may throw.

    Args:
        attacking_armies: Armies in the land that the attack starts from; one of them stays.
        defending_armies: Armies in the attacked land.
        ruleset: The rules of the table.

    Source:
        classic, attack and defence; risiko 16.
    """
    attack = min(ruleset.number("dice.attack_max"), attacking_armies - 1)
    defence = min(ruleset.number("dice.defence_max"), defending_armies)
    too_few = attack < defence and not ruleset.at("combat.fewer_than_defence")
    if attack < 1 or defence < 1 or too_few:
        return DiceLimits(attack=0, defence=0)
    return DiceLimits(attack=attack, defence=defence)


def dice_seen(attack: int, defence: int, *, ruleset: Ruleset, must_defend: int | None = None) -> tuple[Reason, ...]:
    """What is wrong with the numbers of dice that count on both sides; people rule, the dice stand.

    Args:
        attack: Counted attack dice.
        defence: Counted defence dice.
        ruleset: The rules of the table.
        must_defend: Defence dice that the armies allow, where somebody said so.

    Source:
        risiko 16: the defence throws as many as its armies allow, the attack not fewer than the defence.
    """
    if ruleset.at("combat.fewer_than_defence"):
        return ()
    clause = ruleset.word("combat.clause")
    wrong = []
    if attack < defence:
        wrong.append(because("attack-fewer-than-defence", clause, wanted=attack, defence=defence))
    if must_defend is not None and defence < must_defend:
        wrong.append(because("defence-fewer-dice", clause, thrown=defence, must=must_defend))
    return tuple(wrong)


def attack_with(wanted: int, *, attacking_armies: int, defending_armies: int, ruleset: Ruleset) -> AttackRuling:
    """Whether the attacker may throw this many dice, and the defence dice against them.

    Args:
        wanted: Dice that the attacker wants to throw.
        attacking_armies: Armies in the land that the attack starts from.
        defending_armies: Armies in the attacked land; its dice are never a choice.
        ruleset: The rules of the table.

    Source:
        classic, attack and defence; risiko 16.
    """
    clause = ruleset.word("combat.clause")
    most = min(ruleset.number("dice.attack_max"), attacking_armies - 1)
    defence = min(ruleset.number("dice.defence_max"), defending_armies)
    if most < 1:
        return AttackRuling(
            allowed=False, defence_dice=defence, reason=because("attack-too-weak", clause, armies=attacking_armies)
        )
    if not 1 <= wanted <= most:
        reason = because("attack-dice-wanted", clause, wanted=wanted, most=most)
    elif wanted < defence and not ruleset.at("combat.fewer_than_defence"):
        reason = because("attack-fewer-than-defence", clause, wanted=wanted, defence=defence)
    elif wanted < most and ruleset.options.get("attacker_fewer_dice") == "never":
        reason = because("attack-dice-must", clause, wanted=wanted, must=most)
    else:
        allowed = because("attack-allowed", clause, wanted=wanted, defence=defence)
        return AttackRuling(allowed=True, defence_dice=defence, reason=allowed)
    return AttackRuling(allowed=False, defence_dice=defence, reason=reason)
