"""Apoikia's fleets: where one is, what it may carry, when it may be used, landings and sea battles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.rules.combat import DiceLimits
from companion.rules.reason import Permission, because
from companion.rules.ruleset import Ruleset

FleetPosition = Literal["haven", "onderweg", "gearriveerd"]
"""The three places of a fleet, in the text's own words: in harbour, under way, arrived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoils:
    """What the winner of a sea battle gets.

    Attributes:
        gained: Armies that go onto the own fleet.
        fleet: Armies on it afterwards.
        to_city_state: Armies over the cap that go to the own city-state, where the option says so.
    """

    gained: int
    fleet: int
    to_city_state: int


def load_fleet(on_fleet: int, load: int, *, ruleset: Ruleset) -> Permission:
    """Whether so many armies more fit on a fleet.

    Source:
        apoikia, fleet 8.
    """
    most = ruleset.number("limits.fleet")
    total = on_fleet + load
    if total > most:
        return Permission(allowed=False, reason=because("fleet-too-many", "vloot.8", armies=total, most=most))
    return Permission(allowed=True, reason=because("fleet-may", "vloot.8"))


def fleet_usable(position_at_start_of_turn: FleetPosition, *, used_this_turn: bool = False) -> Permission:
    """Whether a fleet may unload, land or fight this turn: once, and only if it had arrived before the turn.

    Source:
        apoikia, fleet 2, 3, 5.
    """
    if position_at_start_of_turn != "gearriveerd":
        return Permission(
            allowed=False, reason=because("fleet-not-arrived", "vloot.3", position=position_at_start_of_turn)
        )
    if used_this_turn:
        return Permission(allowed=False, reason=because("fleet-used", "vloot.3"))
    return Permission(allowed=True, reason=because("fleet-may", "vloot.3"))


def fleet_dice(fleet_armies: int, defending_armies: int, *, ruleset: Ruleset) -> DiceLimits:
    """The most dice in an attack from a fleet, where no army stays behind.

    Args:
        fleet_armies: Armies on the attacking fleet.
        defending_armies: Armies on the attacked fleet or in the attacked city; a fleet without armies is beaten at
            once, and nobody throws.
        ruleset: The rules of the table.

    Source:
        apoikia, landing and sea battle (that no army stays on a fleet: chosen).
    """
    if fleet_armies < 1 or defending_armies < 1:
        return DiceLimits(attack=0, defence=0)
    return DiceLimits(
        attack=min(ruleset.number("dice.attack_max"), fleet_armies),
        defence=min(ruleset.number("dice.defence_max"), defending_armies),
    )


def fleet_next(position: FleetPosition, *, used_this_turn: bool) -> tuple[FleetPosition, ...]:
    """Where a fleet may be at the end of the turn.

    Args:
        position: Where it was at the start of the turn.
        used_this_turn: It unloaded, landed or fought; then it goes under way (or stays moored, see `end_of_turn`).

    Source:
        apoikia, fleet 1, 2, 4, 5.
    """
    if used_this_turn:
        return ("onderweg",)
    if position == "haven":
        return ("haven", "onderweg")
    return ("onderweg", "gearriveerd", "haven") if position == "onderweg" else ("gearriveerd",)


def fleet_after_defeat(*, ruleset: Ruleset) -> FleetPosition | None:
    """Where a beaten fleet is next turn, empty; None when it is gone.

    Source:
        The text is silent; option `fleet_after_defeat`.
    """
    return "haven" if ruleset.option("fleet_after_defeat") == "back_in_harbour" else None


def may_land(landings_done: int, *, ruleset: Ruleset) -> Permission:
    """Whether a player may land once more in this game.

    Source:
        apoikia, landing.
    """
    most = ruleset.number("limits.landings")
    if landings_done >= most:
        return Permission(allowed=False, reason=because("landings-used", "aanvallen.strandlanding", most=most))
    return Permission(
        allowed=True, reason=because("landing-allowed", "aanvallen.strandlanding", left=most - landings_done)
    )


def landings_after(landings_done: int, *, succeeded: bool, ruleset: Ruleset) -> int:
    """Landings that count, after one more.

    Source:
        apoikia, landing; option `failed_landing_counts`.
    """
    return landings_done + (succeeded or ruleset.option("failed_landing_counts") is True)


def may_sea_battle(enemy_fleet: FleetPosition, battles_this_turn: int, *, ruleset: Ruleset) -> Permission:
    """Whether an enemy fleet may be attacked.

    Source:
        apoikia, sea battle: under way or arrived, one a turn.
    """
    if enemy_fleet == "haven":
        reason = because("fleet-not-arrived", "aanvallen.zeeslag", position=enemy_fleet)
        return Permission(allowed=False, reason=reason)
    if battles_this_turn >= ruleset.number("limits.sea_battles_per_turn"):
        return Permission(allowed=False, reason=because("fleet-used", "aanvallen.zeeslag"))
    return Permission(allowed=True, reason=because("fleet-may", "aanvallen.zeeslag"))


def sea_battle_spoils(loser_started_with: int, winner_left: int, *, ruleset: Ruleset, cap: int | None = None) -> Spoils:
    """Half of what the beaten fleet began with, as far as it fits.

    Args:
        loser_started_with: Armies on the beaten fleet when the battle began.
        winner_left: Armies left on the winner's fleet.
        ruleset: The rules; options `sea_battle_half_rounding` and `sea_battle_spoils_over_cap`.
        cap: Most armies on a fleet, when it differs from the rules.

    Source:
        apoikia, sea battle; fleet 8.
    """
    ceil = ruleset.option("sea_battle_half_rounding") == "ceil"
    half = (loser_started_with + ceil) // 2
    room = (ruleset.number("limits.fleet") if cap is None else cap) - winner_left
    gained = min(half, max(0, room))
    to_city = half - gained if ruleset.option("sea_battle_spoils_over_cap") == "to_city_state" else 0
    return Spoils(gained=gained, fleet=winner_left + gained, to_city_state=to_city)
