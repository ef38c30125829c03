"""The result of a table in every system, from one recorded board.

Each system has its own module and its own idea of winning; here is the one door that checks the sheet first, so
that a board that can't be true is refused before anything is computed from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.rules.board import Board
from companion.rules.errors import PositionError
from companion.rules.missions import check_mission, mission_cards, verify_claim
from companion.rules.need import Need
from companion.rules.objectives import Objective, load_objectives
from companion.rules.position import (
    Claim,
    KnockedOut,
    Position,
    Tally,
    check_colours,
    check_knocked_out,
    check_players,
    check_position,
    tally,
)
from companion.rules.result import TableResult
from companion.rules.ruleset import Ruleset
from companion.rules.systems import apoikia, classic, nl1996, rebels_game, risiko


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Everything that a table's result follows from.

    Attributes:
        players: All players of the table.
        position: The recorded board of those still in the game; None where `needed` asks for none.
        knocked_out: Who fell, in any order.
        claim: The mission or objective that was reached, if one was.
        colours: Player to colour, where missions or doubles depend on it.
        objectives: Player to objective id (risiko).
        played_on: 'accident' or 'purpose' when somebody went on after the mission (nl1996).
    """

    players: tuple[str, ...]
    position: Position | None = None
    knocked_out: tuple[KnockedOut, ...] = ()
    claim: Claim | None = None
    colours: Mapping[str, str] = field(default_factory=dict)
    objectives: Mapping[str, str] = field(default_factory=dict)
    played_on: nl1996.PlayedOn | None = None


def table_result(
    sheet: Sheet,
    *,
    board: Board,
    ruleset: Ruleset,
    lot: str | None = None,
    known: Mapping[str, Objective] | None = None,
) -> TableResult:
    """The places of a table with the step that decided each.

    Args:
        sheet: The whole sheet; everything on it is checked first.
        board: The board of the table.
        ruleset: The rules of the table.
        lot: Published number that parts equal players, where the ruleset lets the lot do so.
        known: An organiser's own objectives by id; None for the shipped ones.

    Raises:
        PositionError: The sheet can't be true, or something that decides is not counted yet.

    Source:
        nl1996 3 and 4.13 f.; risiko 23 to 26; classic, missions; apoikia, winner; rebels, introduction.
    """
    check_sheet(sheet, board=board, ruleset=ruleset)
    position = sheet.position or Position(players=())
    tallies = tally(position, board=board, ruleset=ruleset) or _unrecorded(sheet)
    if ruleset.system == "nl1996":
        return nl1996.table_result(
            tallies,
            knocked_out=sheet.knocked_out,
            claim=_with_victim(sheet),
            ruleset=ruleset,
            played_on=sheet.played_on,
            lot=lot,
        )
    if ruleset.system == "risiko":
        objectives = load_objectives() if known is None else known
        scores = risiko.scores(position, board=board, objectives=sheet.objectives, ruleset=ruleset, known=objectives)
        if sheet.claim is not None:
            _check_objective_claim(sheet.claim, position, sheet.objectives, objectives)
        return risiko.table_result(scores, knocked_out=sheet.knocked_out, claim=sheet.claim, ruleset=ruleset)
    if ruleset.system == "apoikia":
        return apoikia.table_result(
            tallies, sheet.knocked_out, players=len(sheet.players), ruleset=ruleset, claim=sheet.claim
        )
    if ruleset.system == "rebels":
        return rebels_game.table_result(tallies, sheet.knocked_out, ruleset=ruleset)
    return classic.table_result(tallies, sheet.knocked_out, claim=sheet.claim)


def result_words(players: int, *, ruleset: Ruleset) -> tuple[str, ...]:
    """What a result can be at a table of so many, best first.

    Args:
        players: Everybody who sat at the table.
        ruleset: The rules of the table.

    Raises:
        ResultsError: The system knows no table of that size.

    Source:
        nl1996 3.1 and 3.2; risiko 3a.
    """
    if ruleset.system == "nl1996":
        return nl1996.RESULTS
    return risiko.result_words(players, ruleset) if ruleset.system == "risiko" else ("win", "loss")


def check_sheet(sheet: Sheet, *, board: Board, ruleset: Ruleset) -> None:
    """Refuse a sheet that can't be true.

    A table that needs no board (see `needed`) may leave the position out.

    Raises:
        PositionError: The first thing found wrong.
    """
    check_players(sheet.players, ruleset=ruleset)
    check_colours(sheet.colours, ruleset=ruleset)
    check_knocked_out(sheet.knocked_out, sheet.players)
    out = [fallen.player for fallen in sheet.knocked_out]
    claim = sheet.claim
    _check_claim_fits(sheet, out, ruleset)
    need = needed(sheet.players, knocked_out=sheet.knocked_out, claim=claim, board=board, ruleset=ruleset)
    if sheet.position is not None or need.board:
        position = sheet.position or Position(players=())
        check_position(position, board=board, players=sheet.players, ruleset=ruleset, out=out)
    if claim is not None and claim.mission is not None and ruleset.at("missions.colours") is not None:
        _check_mission_claim(sheet, claim, board=board, ruleset=ruleset)


def _check_claim_fits(sheet: Sheet, out: Sequence[str], ruleset: Ruleset) -> None:
    """A claim comes from somebody in the game, of a system that has claims; playing on is a matter of nl1996."""
    claim = sheet.claim
    if sheet.played_on is not None and (claim is None or ruleset.system != "nl1996"):
        raise PositionError(
            "played-on-without-claim",
            "playing on needs a mission of nl1996 that was reached; record whose it was, or leave it out",
        )
    if claim is None:
        return
    if claim.player not in sheet.players or claim.player in out:
        raise PositionError(
            "claim-of-stranger",
            f"{claim.player!r} claims to have won but is not in the game any more; correct the claim or the knock-outs",
            player=claim.player,
        )
    if ruleset.system == "rebels":
        raise PositionError(
            "unknown-mission",
            f"rebels are played for world domination, without missions such as {claim.mission!r}; withdraw the claim",
            mission=claim.mission,
            known=[],
        )


def _check_mission_claim(sheet: Sheet, claim: Claim, *, board: Board, ruleset: Ruleset) -> None:
    """The claimed mission is in play and, as far as the sheet tells, done."""
    mission = str(claim.mission)
    all_known = set(sheet.colours) == set(sheet.players)
    colours = sheet.colours.values() if all_known else ruleset.table("missions")["colours"]
    check_mission(mission, frozenset(colours), ruleset=ruleset)
    if sheet.position is None or (mission_cards()[mission]["kind"] == "destroy" and not all_known):
        return
    ruling = verify_claim(
        claim,
        sheet.position,
        board=board,
        colours=sheet.colours,
        knocked_out=sheet.knocked_out,
        ruleset=ruleset,
    )
    if ruling.done is False:
        raise PositionError(
            "mission-not-done",
            f"{claim.player!r} claims {claim.mission!r}, but the recorded board does not show it "
            f"({ruling.reason.code}); correct the board, or withdraw the claim",
            player=claim.player,
            mission=claim.mission,
        )


def _with_victim(sheet: Sheet) -> Claim | None:
    """The claim with the player whose destruction was the mission, where colours and knock-outs tell who."""
    claim = sheet.claim
    if claim is None or claim.mission is None or claim.destroyed is not None:
        return claim
    target = mission_cards()[claim.mission].get("colour")
    for fallen in sheet.knocked_out:
        if fallen.by == claim.player and target is not None and sheet.colours.get(fallen.player) == target:
            return replace(claim, destroyed=fallen.player)
    return claim


def _check_objective_claim(
    claim: Claim, position: Position, chosen: Mapping[str, str], known: Mapping[str, Objective]
) -> None:
    """The claimant of an objective owns all of its territories."""
    (held,) = (held for held in position.players if held.player == claim.player)
    objective = known[chosen[claim.player]]
    done, reason = risiko.objective_done(objective.territories, held.territories)
    if not done:
        raise PositionError(
            "mission-not-done",
            f"{claim.player!r} claims objective {objective.id!r}, but does not own "
            f"{', '.join(reason.values['missing'])}; correct the board, or withdraw the claim",
            player=claim.player,
            mission=objective.id,
        )


def _unrecorded(sheet: Sheet) -> tuple[Tally, ...]:
    """Players of a table whose board decides nothing, with nothing counted."""
    out = {fallen.player for fallen in sheet.knocked_out}
    return tuple(Tally(player=player, continents=(), territories=0) for player in sheet.players if player not in out)


def needed(
    players: Sequence[str],
    *,
    knocked_out: Sequence[KnockedOut],
    claim: Claim | None,
    board: Board,
    ruleset: Ruleset,
    position: Position | None = None,
) -> Need:
    """What must still be recorded; ask again whenever more of the board is known.

    Args:
        players: All players of the table.
        knocked_out: Who fell.
        claim: The mission or objective that was reached, if one was.
        board: The board of the table.
        ruleset: The rules of the table.
        position: What is recorded so far; armies and hands may be None, players may be missing.

    Source:
        nl1996 3 and 4.13; risiko 24; classic, missions; apoikia, winner; rebels, introduction.
    """
    known = () if position is None else tally(position, board=board, ruleset=ruleset)
    if ruleset.system == "nl1996":
        return nl1996.needed(players, knocked_out=knocked_out, claim=claim, ruleset=ruleset, known=known)
    alive = tuple(player for player in players if player not in {fallen.player for fallen in knocked_out})
    recorded = {row.player: row for row in known}
    if ruleset.system == "risiko":
        return risiko.needed(alive, recorded)
    return classic.needed(alive, recorded, claim=claim, ruleset=ruleset)
