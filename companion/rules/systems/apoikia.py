"""Apoikia without its board: set-up, reinforcement, caps, the vassal, and winning.

The printed board is not in the text, so whatever only it shows (borders, routes, ports, beaches, island numbers) is
asked of the players; with an organiser's file, `apoikia_board` answers instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from companion.rules.errors import PositionError
from companion.rules.position import Claim, KnockedOut, Tally
from companion.rules.reason import Permission, because
from companion.rules.result import TableResult, nobody_won, won_by
from companion.rules.ruleset import Ruleset

Link = Literal["land", "thick_route", "thin_route"]


Turn = Literal["bijplaatsen", "aanvallen"]

STEPS: Final[dict[Turn, tuple[str, ...]]] = {
    "bijplaatsen": ("reinforce", "unload", "move", "vassal", "fleet"),
    "aanvallen": ("attack", "unload", "move", "vassal", "fleet", "place_earned"),
}
"""The steps of both kinds of turn in their order; each may be left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What players start with; the lists run from most cities to fewest."""

    armies: int
    cities: tuple[int, ...]
    extra: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vassal:
    """A vassal after a defeat.

    Attributes:
        position: 'own_city_state', or None when it is gone for good.
        recovery_turns: Turns before it may be used again.
        defeats: Defeats so far.
        gone: It will not come back.
    """

    position: str | None
    recovery_turns: int
    defeats: int
    gone: bool


def start(players: int, *, ruleset: Ruleset) -> Start:
    """Armies and cities for each player.

    Raises:
        PositionError: The game is not played by so many.

    Source:
        apoikia, rules: 35 or 30 armies; with four, two more for those with one city fewer.
    """
    _check_number(players, ruleset)
    units = ruleset.table("setup.units")
    each, over = divmod(42, players)
    cities = tuple(each + (at < over) for at in range(players))
    more = ruleset.number("limits.extra_armies_for_fewer_cities")
    extra = tuple(more if over and count == each else 0 for count in cities)
    return Start(armies=units[str(players)], cities=cities, extra=extra)


def _check_number(players: int, ruleset: Ruleset) -> None:
    least, most = ruleset.number("players.least"), ruleset.number("players.most")
    if players < least:
        raise PositionError(
            "too-few-players",
            f"apoikia is for {least} to {most} players, not {players}; find some more",
            count=players,
            least=least,
        )
    if players > most:
        raise PositionError(
            "too-many-players",
            f"apoikia is for {least} to {most} players, not {players}; make another table",
            count=players,
            most=most,
        )


def steps_left(turn: Turn, done: Sequence[str]) -> tuple[str, ...]:
    """The steps that may still be taken in this turn: attacks may repeat, all others come once and in order.

    Args:
        turn: What the player chose to do this turn; not both.
        done: Steps of this kind of turn that were taken.

    Source:
        apoikia, options and their steps.
    """
    order = STEPS[turn]
    furthest = max((order.index(step) for step in done), default=-1)
    return order[furthest:] if furthest >= 0 and order[furthest] == "attack" else order[furthest + 1 :]


def reinforcement(cities: int, island_bonus: int, turn: Turn, *, ruleset: Ruleset) -> int:
    """Armies at the start of a turn.

    Args:
        cities: Cities held; the city-state does not count.
        island_bonus: Sum of the numbers of whole islands held, as printed on the board.
        turn: What the player chose to do this turn.
        ruleset: The rules of the table.

    Source:
        apoikia, reinforcing 1; before attacks there are none.
    """
    if turn == "aanvallen":
        return 0
    return cities // ruleset.number("limits.cities_per_army") + island_bonus


def reinforcement_places(*, vassal_city: str | None, vassal_recovering: bool, vassal_on_fleet: bool) -> tuple[str, ...]:
    """Where new and earned armies may be placed: 'own_city_state' and, if it can be used, the vassal's city.

    Args:
        vassal_city: Where the vassal stands; None when it is gone.
        vassal_recovering: It was beaten and has a turn to recover.
        vassal_on_fleet: It sails with a fleet, which is no place for new armies (chosen).

    Source:
        apoikia, vassal.
    """
    if vassal_city is None or vassal_recovering or vassal_on_fleet:
        return ("own_city_state",)
    return ("own_city_state", vassal_city)


def won(
    players: int,
    cities: int,
    islands: int,
    *,
    ruleset: Ruleset,
    city_state: bool = False,
    turn_ended: bool = True,
) -> Permission:
    """Whether somebody has won.

    Args:
        players: Players at the start of the game.
        cities: Cities held, without the own city-state.
        islands: Whole islands held.
        ruleset: The rules; options `city_state_counts_for_win` and `win_checked`.
        city_state: The own city-state is there to be counted, where the option counts it.
        turn_ended: The turn is over; where the option looks only then, nobody wins before.

    Raises:
        PositionError: The game is not played by so many.

    Source:
        apoikia, winner.
    """
    _check_number(players, ruleset)
    wanted_islands = ruleset.number("win.islands")
    wanted = ruleset.number(f"win.cities.{players}")
    counted = cities + (city_state and ruleset.option("city_state_counts_for_win") is True)
    if not turn_ended and ruleset.option("win_checked") == "end_of_turn":
        return Permission(allowed=False, reason=because("not-won", "winnaar"))
    if islands >= wanted_islands:
        return Permission(
            allowed=True, reason=because("win-islands", "winnaar", islands=islands, wanted=wanted_islands)
        )
    if counted >= wanted:
        return Permission(allowed=True, reason=because("win-cities", "winnaar", cities=counted, wanted=wanted))
    return Permission(allowed=False, reason=because("not-won", "winnaar"))


def eliminated(cities: int, armies: int, *, ruleset: Ruleset) -> bool:
    """Whether a player is out.

    Args:
        cities: Cities held.
        armies: All armies, those in the city-state and on the fleet included.
        ruleset: The rules; option `elimination`.

    Source:
        The text is silent; chosen.
    """
    return cities == 0 if ruleset.option("elimination") == "no_city_left" else armies == 0


def earned(cities: int, port_cities: int, landings: int, *, ruleset: Ruleset, landings_on_port: int = 0) -> int:
    """Armies earned by conquests of a turn.

    Args:
        cities: Ordinary cities conquered over land or route.
        port_cities: Port cities conquered so.
        landings: Successful landings.
        ruleset: The rules; option `landing_on_port`.
        landings_on_port: Those of the landings that took a port city.

    Source:
        apoikia, attacking 6.
    """
    row = ruleset.table("earned")
    armies = row["city"] * cities + row["port_city"] * port_cities + row["landing"] * landings
    if ruleset.option("landing_on_port") == "add":
        armies += row["port_city"] * landings_on_port
    return int(armies)


def end_of_turn(
    kind: Literal["city", "city_state", "city_with_moored_fleet"],
    city_armies: int,
    *,
    ruleset: Ruleset,
    fleet_armies: int = 0,
) -> Permission:
    """Whether so many armies may stand in a city at the end of a turn.

    Source:
        apoikia, rules (15 a city, at least one; a city-state as many as one likes) and fleet 4 (20 with the fleet).
    """
    if kind == "city_state":
        return Permission(allowed=city_armies >= 0, reason=because("city-fits", "spelregels"))
    most = ruleset.number("limits.city")
    together = ruleset.number("limits.city_and_fleet")
    if city_armies < 1:
        return Permission(allowed=False, reason=because("city-empty", "spelregels"))
    if city_armies > most:
        return Permission(allowed=False, reason=because("city-cap", "spelregels", armies=city_armies, most=most))
    if kind == "city_with_moored_fleet" and city_armies + fleet_armies > together:
        reason = because("city-cap", "vloot.4", armies=city_armies + fleet_armies, most=together)
        return Permission(allowed=False, reason=reason)
    return Permission(allowed=True, reason=because("city-fits", "spelregels"))


def vassal_defeated(times_before: int, *, ruleset: Ruleset, on_fleet: bool = False) -> Vassal:
    """A vassal after its city was conquered, or its fleet beaten.

    Args:
        times_before: Defeats before this one.
        ruleset: The rules; option `vassal_on_defeated_fleet`.
        on_fleet: It sailed with a fleet that was beaten.

    Source:
        apoikia, vassal.
    """
    if on_fleet and ruleset.option("vassal_on_defeated_fleet") == "free_return":
        return Vassal(position="own_city_state", recovery_turns=0, defeats=times_before, gone=False)
    defeats = times_before + 1
    if defeats >= ruleset.number("limits.vassal_lives"):
        return Vassal(position=None, recovery_turns=0, defeats=defeats, gone=True)
    turns = ruleset.number("limits.vassal_recovery_turns")
    return Vassal(position="own_city_state", recovery_turns=turns, defeats=defeats, gone=False)


def may_attack(link: Link, target: Literal["city", "enemy_city_state"]) -> Permission:
    """Whether a target may be attacked over a link.

    Source:
        apoikia, attacking 1: over land or a thick route; never an enemy city-state.
    """
    if target == "enemy_city_state":
        return Permission(allowed=False, reason=because("link-city-state", "aanvallen.1"))
    if link == "thin_route":
        return Permission(allowed=False, reason=because("link-thin", "aanvallen.1"))
    return Permission(allowed=True, reason=because("link-allowed", "aanvallen.1"))


def table_result(
    tallies: Sequence[Tally],
    knocked_out: Sequence[KnockedOut],
    *,
    players: int,
    ruleset: Ruleset,
    claim: Claim | None = None,
) -> TableResult:
    """Who won on the recorded board; when nobody has, people rule.

    Args:
        tallies: Cities as territories, islands as continents.
        knocked_out: Who fell.
        players: Players at the start of the game.
        ruleset: The rules of the table.
        claim: Who said to have won; with it the game ended, so nobody else was first.

    Raises:
        PositionError: The board does not show what was claimed.

    Source:
        apoikia, winner.
    """
    alive = [tally.player for tally in tallies]
    if len(alive) == 1:
        return won_by(alive[0], [], knocked_out, reason=because("last-player", "winnaar"))
    verdicts = {
        tally.player: won(players, tally.territories, len(tally.continents), ruleset=ruleset, city_state=True)
        for tally in tallies
    }
    winners = [player for player, verdict in verdicts.items() if verdict.allowed]
    if claim is not None and claim.player not in winners:
        raise PositionError(
            "mission-not-done",
            f"{claim.player!r} claims to have won, but the recorded board does not show it; correct the board, or "
            "withdraw the claim",
            player=claim.player,
            mission=None,
        )
    if claim is not None:
        winners = [claim.player]
    if len(winners) != 1:
        return nobody_won(winners or alive, knocked_out)
    others = [player for player in alive if player != winners[0]]
    return won_by(winners[0], others, knocked_out, reason=verdicts[winners[0]].reason)
