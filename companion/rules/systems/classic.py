"""The box rules: set-up, reinforcement, moving, and who has won.

The other systems fall back on these wherever their own text is silent (nl1996 4.1 says so in words).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.rules.errors import RulesError
from companion.rules.need import Need
from companion.rules.position import Claim, KnockedOut, Tally
from companion.rules.reason import because
from companion.rules.result import TableResult, nobody_won, won_by
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What each player starts with.

    Attributes:
        units: Units a player; None when the organiser says how many.
        most: The most on one territory while placing; None without a limit.
    """

    units: int | None
    most: int | None

    def allows(self, territory_units: int) -> bool:
        """Whether so many units may stand on one territory while placing."""
        return territory_units >= 1 and (self.most is None or territory_units <= self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOver:
    """The territories that equal dealing leaves over.

    Attributes:
        each: Territories that everybody gets.
        lands: Territories left over.
        what: What happens with them: 'deal_on', 'neutral', 'leave_out' or 'rebels'.
    """

    each: int
    lands: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveIn:
    """How many armies may move into a conquered territory."""

    least: int
    most: int


def set_up(players: int, *, ruleset: Ruleset) -> SetUp:
    """Units for each player, and the limit while placing.

    Raises:
        RulesError: The system is not played by so many.

    Source:
        classic, set-up; risiko 12 with option `starting_armies`; apoikia, start armies.
    """
    units = ruleset.table("setup.units")
    if str(players) not in units:
        raise RulesError(
            "table-size",
            f"{ruleset.name} gives no armies for {players} players; it is played by {', '.join(units)}",
            size=players,
            allowed=[int(number) for number in units],
        )
    asked = ruleset.options.get("starting_armies") == "organiser"
    return SetUp(units=None if asked else units[str(players)], most=ruleset.at("setup.territory_cap"))


def units_of(pieces: Mapping[str, int], *, ruleset: Ruleset) -> int:
    """Units that pieces stand for.

    Args:
        pieces: Number of 'three_point', 'four_point' and 'five_point' pieces.
        ruleset: The rules of the table.

    Raises:
        RulesError: A negative number or an unknown piece.

    Source:
        classic, material.
    """
    worth = ruleset.table("material.pieces")
    for piece, count in pieces.items():
        if count < 0 or piece not in worth:
            raise RulesError(
                "negative-number",
                f"{count} pieces of {piece!r} can't be; give 0 or more of {', '.join(worth)}",
                what=piece,
                value=count,
            )
    return sum(worth[piece] * count for piece, count in pieces.items())


def left_over(players: int, *, ruleset: Ruleset, territories: int = 42) -> LeftOver:
    """What equal dealing leaves over, and what becomes of it.

    Source:
        classic, dealing, option `left_over`; rebels 16.
    """
    each, lands = divmod(territories, players)
    return LeftOver(each=each, lands=lands, what=str(ruleset.options.get("left_over", "rebels")))


def reinforcement(territories: int, continent_bonuses: Sequence[int], *, ruleset: Ruleset) -> int:
    """Armies at the start of a turn, cards apart.

    Args:
        territories: Territories held.
        continent_bonuses: Bonus of each whole continent held.
        ruleset: The rules of the table; option `minimum` holds for the territories' part.

    Source:
        classic, mobilisation.
    """
    least = int(ruleset.option("minimum"))
    return max(least, territories // ruleset.number("reinforcement.divisor")) + sum(continent_bonuses)


def move_in(armies_left: int, dice_thrown: int) -> MoveIn:
    """How many armies move into a conquered territory.

    Args:
        armies_left: Armies in the attacking territory after the throw.
        dice_thrown: Counted attack dice of the throw that conquered.

    Source:
        classic is silent; chosen as nl1996 4.12b calls it usual.
    """
    most = max(0, armies_left - 1)
    return MoveIn(least=min(dice_thrown, most), most=most)


def may_fortify(moves_made: int, *, ruleset: Ruleset) -> bool:
    """Whether another move between own neighbouring territories is allowed after the attacks.

    Args:
        moves_made: Moves already made this turn; each unit goes one step.
        ruleset: The rules of the table.

    Source:
        classic, moving; option `fortify_moves`.
    """
    return ruleset.option("fortify_moves") == "any_number" or moves_made < 1


def may_take_card(*, conquered: bool, already_taken: bool) -> bool:
    """Whether a card is won at the end of the turn.

    Source:
        classic, attack: one card if at least one territory was conquered.
    """
    return conquered and not already_taken


def cards_from_destroyed(victim_cards: int, *, was_mission: bool) -> int:
    """Cards that the destroyer takes over.

    Source:
        classic, destroying: all of them, unless it was the mission, which ends the game.
    """
    return 0 if was_mission else victim_cards


def table_result(tallies: Sequence[Tally], knocked_out: Sequence[KnockedOut], *, claim: Claim | None) -> TableResult:
    """Who won: by mission, or as the last one on the board; else people rule.

    Source:
        classic, set-up and missions.
    """
    alive = [tally.player for tally in tallies]
    if claim is not None:
        others = [player for player in alive if player != claim.player]
        reason = because("mission-first", "mise", mission=claim.mission)
        return won_by(claim.player, others, knocked_out, reason=reason)
    if len(alive) == 1:
        return won_by(alive[0], [], knocked_out, reason=because("domination", "priprava"))
    return nobody_won(alive, knocked_out)


def needed(alive: Sequence[str], recorded: Mapping[str, Tally], *, claim: Claim | None, ruleset: Ruleset) -> Need:
    """What must still be recorded in classic, rebels and apoikia.

    Args:
        alive: Players still in the game.
        recorded: What is known of them.
        claim: The mission that was reached, if one was.
        ruleset: The rules of the table.

    Source:
        classic, missions; rebels, introduction; apoikia, winner.
    """
    if len(alive) == 1:
        return Need(reason=because("need-nothing-domination", "", player=alive[0]))
    if claim is not None and ruleset.system == "classic":
        return Need(reason=because("need-nothing-mission", "mise", player=claim.player))
    missing = tuple(player for player in alive if player not in recorded)
    if ruleset.system == "apoikia":
        return Need(
            board=bool(missing),
            next="board" if missing else None,
            players=missing,
            reason=because("need-cities", "winnaar"),
        )
    if missing:
        return Need(board=True, armies=True, next="board", players=missing, reason=because("need-territories", ""))
    most = max(recorded[player].territories for player in alive)
    best = tuple(player for player in alive if recorded[player].territories == most)
    if ruleset.system == "rebels" and len(best) > 1 and any(recorded[player].armies is None for player in best):
        reason = because("need-tie", "intro", level="territories", players=list(best))
        return Need(armies=True, next="armies", players=best, reason=reason)
    return Need(reason=because("need-nothing-all-known", ""))
