"""The mission cards: which are in play, and whether one is done on the recorded board.

A mission to destroy a colour has four fates: the target fell to the holder (done), it fell to somebody else or
was never there (the text is silent: the holder then goes for 24 territories, or can't win by it), or it is the
holder's own colour (24 territories). All others are read off the board.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from companion.rules.board import Board
from companion.rules.errors import PositionError
from companion.rules.position import Claim, KnockedOut, Position
from companion.rules.reason import Reason, because
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class MissionsInPlay:
    """What remains of the mission cards once colours are chosen.

    Attributes:
        in_play: Ids of the missions to deal from.
        removed: Ids of those taken out.
        reasons: One per removed mission.
    """

    in_play: tuple[str, ...]
    removed: tuple[str, ...]
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What a player has, as far as missions ask.

    Attributes:
        continents: Ids of the whole continents held.
        territories: Number of territories.
        territories_with_two: Those of them with two armies or more; None while armies are not counted one by one.
    """

    continents: tuple[str, ...] = ()
    territories: int = 0
    territories_with_two: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MissionRuling:
    """Whether a mission is done.

    Attributes:
        done: True or False; None when something is missing that the mission depends on.
        reason: Why.
    """

    done: bool | None
    reason: Reason


@cache
def mission_cards() -> dict[str, dict[str, Any]]:
    """The fourteen mission cards by id.

    Source:
        classic, missions.
    """
    text = (files("companion.rules") / "data" / "missions.toml").read_text(encoding="utf-8")
    return {key: value for key, value in tomllib.loads(text).items() if key != "schema"}


def missions_in_play(colours: Collection[str], *, ruleset: Ruleset) -> MissionsInPlay:
    """The missions to deal from, once the players have chosen their colours.

    Args:
        colours: Colours that somebody plays.
        ruleset: The rules of the table.

    Source:
        nl1996 4.5; classic, missions, with option `if_colour_absent`.
    """
    removed_by_rule = ruleset.table("missions")["removed"]
    absent_goes = ruleset.system == "nl1996" or ruleset.options.get("if_colour_absent") == "redraw"
    removed = tuple(
        id_
        for id_, card in mission_cards().items()
        if id_ in removed_by_rule or (absent_goes and card["kind"] == "destroy" and card["colour"] not in colours)
    )
    clause = ruleset.word("missions.clause_removed")
    return MissionsInPlay(
        in_play=tuple(id_ for id_ in mission_cards() if id_ not in removed),
        removed=removed,
        reasons=tuple(because("mission-removed-list", clause, mission=id_) for id_ in removed),
    )


def check_mission(mission: str, colours: Collection[str], *, ruleset: Ruleset) -> None:
    """Refuse a mission that the box has not, or that was taken out.

    Raises:
        PositionError: The mission is unknown or not in play.
    """
    check_mission_known(mission)
    if mission in missions_in_play(colours, ruleset=ruleset).removed:
        clause = ruleset.word("missions.clause_removed")
        raise PositionError(
            "mission-removed",
            f"mission {mission!r} is not in play at this table (clause {clause or 'missions'}); check the card",
            mission=mission,
            clause=clause,
        )


def mission_done(
    mission: str,
    holdings: Holdings,
    *,
    own_colour: str,
    destroyed: Mapping[str, str],
    ruleset: Ruleset,
    colours: Collection[str] | None = None,
) -> MissionRuling:
    """Whether a mission is done.

    Args:
        mission: A mission's id.
        holdings: What the player holds.
        own_colour: The player's colour.
        destroyed: Destroyed colour to the colour that destroyed it.
        ruleset: The rules of the table.
        colours: Colours in play; None when nobody said, and then every colour is taken to be there.

    Raises:
        PositionError: There is no such mission.

    Source:
        classic, missions; options `if_destroyed_by_other` and `if_colour_absent`.
    """
    check_mission_known(mission)
    card = mission_cards()[mission]
    if card["kind"] == "continents":
        return _continents(mission, card, holdings)
    if card["kind"] == "territories":
        return _territories(mission, card["territories"], card["armies_each"], holdings)
    target = card["colour"]
    wanted = ruleset.number("missions.own_colour_territories")
    if target == own_colour:
        return _territories(mission, wanted, 1, holdings)
    if destroyed.get(target) == own_colour:
        return MissionRuling(done=True, reason=because("mission-done", "mise", mission=mission))
    gone = target in destroyed
    absent = colours is not None and target not in colours
    if not gone and not absent:
        return MissionRuling(done=False, reason=because("mission-target-alive", "mise", mission=mission, colour=target))
    option = "if_destroyed_by_other" if gone else "if_colour_absent"
    if ruleset.option(option) == "territories_24":
        return _territories(mission, wanted, 1, holdings)
    return MissionRuling(done=False, reason=because("mission-target-gone", "mise", mission=mission, colour=target))


def check_mission_known(mission: str) -> None:
    """Refuse a mission that the box has not.

    Raises:
        PositionError: There is no such mission.
    """
    if mission not in mission_cards():
        raise PositionError(
            "unknown-mission",
            f"there is no mission {mission!r}; choose one of {', '.join(mission_cards())}",
            mission=mission,
            known=list(mission_cards()),
        )


def verify_claim(
    claim: Claim,
    position: Position,
    *,
    board: Board,
    colours: Mapping[str, str],
    knocked_out: Collection[KnockedOut],
    ruleset: Ruleset,
) -> MissionRuling:
    """Whether a claimed mission is done on the recorded board.

    Args:
        claim: Who claims which mission.
        position: The recorded board.
        board: The board of the table.
        colours: Player id to colour, of all players.
        knocked_out: Who fell to whom.
        ruleset: The rules of the table.

    Raises:
        PositionError: No such mission, not in play, or a claim by somebody who is not on the board.

    Source:
        nl1996 3.1; classic, missions.
    """
    held = next((held for held in position.players if held.player == claim.player), None)
    if held is None:
        raise PositionError(
            "claim-of-stranger",
            f"{claim.player!r} claims a mission but is not on the recorded board; record the player or the claim anew",
            player=claim.player,
        )
    if claim.mission is None:
        return MissionRuling(done=None, reason=because("mission-not-named", "3.1"))
    check_mission(claim.mission, frozenset(colours.values()), ruleset=ruleset)
    destroyed = {colours.get(fallen.player, ""): colours.get(fallen.by or "", "") for fallen in knocked_out}
    counted = held.armies_on
    holdings = Holdings(
        continents=board.continents_held(held.territories),
        territories=len(held.territories),
        territories_with_two=None if counted is None else sum(armies > 1 for armies in counted.values()),
    )
    return mission_done(
        claim.mission,
        holdings,
        own_colour=colours.get(claim.player, ""),
        destroyed=destroyed,
        ruleset=ruleset,
        colours=frozenset(colours.values()),
    )


def _continents(mission: str, card: Mapping[str, Any], holdings: Holdings) -> MissionRuling:
    missing = [continent for continent in card["continents"] if continent not in holdings.continents]
    if missing:
        reason = because("mission-continents-missing", "mise", mission=mission, missing=missing)
        return MissionRuling(done=False, reason=reason)
    extra = len(set(holdings.continents) - set(card["continents"]))
    if extra < card["extra"]:
        return MissionRuling(
            done=False, reason=because("mission-extra-missing", "mise", mission=mission, wanted=card["extra"])
        )
    return MissionRuling(done=True, reason=because("mission-done", "mise", mission=mission))


def _territories(mission: str, wanted: int, armies_each: int, holdings: Holdings) -> MissionRuling:
    have = holdings.territories if armies_each == 1 else holdings.territories_with_two
    enough = have is not None and have >= wanted
    if enough:
        return MissionRuling(done=True, reason=because("mission-done", "mise", mission=mission))
    if have is None and holdings.territories >= wanted:
        return MissionRuling(done=None, reason=because("mission-armies-unknown", "mise", mission=mission))
    have = holdings.territories if have is None else have
    return MissionRuling(
        done=False, reason=because("mission-too-few", "mise", mission=mission, have=have, wanted=wanted)
    )
