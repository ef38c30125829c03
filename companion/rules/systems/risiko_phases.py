"""The phases of a RisiKo! tournament: winners, repechage, semi-final, final, prizes.

Winners of a table go on at once. To make the number right, others are fished out again by the points of their
places, summed over the games that they played and did not win, then by Score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.rules.draw import Draw, draw_round
from companion.rules.errors import DrawError, ResultsError
from companion.rules.reason import Reason, because
from companion.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Qualified:
    """How many go on: winners, those fished out, and both together."""

    winners: int
    repechaged: int
    qualified: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game of a player: points of the place, None for a game won, and the Score."""

    points: int | None
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One player in the general ranking.

    Attributes:
        player: Player id.
        place: 1 for the first; equal players share it.
        weight: Sum of the points of the places.
        score: The Score that parts equal weights.
        won_a_table: Qualified already.
        reason: What parted the player from the one above (from the one below for the first).
    """

    player: str
    place: int
    weight: int
    score: float
    won_a_table: bool
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Who is fished out.

    Attributes:
        order: Chosen players, best first.
        unresolved: Equal players of whom only some can be chosen; the Director rules.
        missing: Places that nobody is left for.
    """

    order: tuple[str, ...]
    unresolved: tuple[str, ...]
    missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finalists:
    """Who plays the final.

    Attributes:
        finalists: The winners of the semi-finals and the best second.
        unresolved: Equal best seconds; the Director rules.
        reasons: One per finalist.
    """

    finalists: tuple[str, ...]
    unresolved: tuple[str, ...]
    reasons: tuple[Reason, ...]


def repechage_count(winners: int, *, ruleset: Ruleset) -> Qualified:
    """How many are fished out to make the next multiple of four.

    Raises:
        ResultsError: Fewer winners than none.

    Source:
        risiko 3.
    """
    if winners < 0:
        raise ResultsError(
            "negative-number", f"there can't be {winners} winners; give 0 or more", what="winners", value=winners
        )
    fished = -winners % ruleset.number("phases.qualify_multiple")
    return Qualified(winners=winners, repechaged=fished, qualified=winners + fished)


def first_phase(evening1_tables: Sequence[int], evening2_tables: Sequence[int], *, ruleset: Ruleset) -> Qualified:
    """How many go on from two evenings, every table giving one winner.

    Args:
        evening1_tables: Players at each table of the first evening.
        evening2_tables: The same of the second; winners of the first don't play there.
        ruleset: The rules of the table.

    Raises:
        ResultsError: A table of a size that the rules don't know.

    Source:
        risiko 1 to 4.
    """
    sizes = [int(size) for size in ruleset.table("repechage_points")]
    for size in (*evening1_tables, *evening2_tables):
        if size not in sizes:
            raise ResultsError(
                "table-size",
                f"a table of {size} is not known; tables have {', '.join(map(str, sizes))} players",
                size=size,
                allowed=sizes,
            )
    return repechage_count(len(evening1_tables) + len(evening2_tables), ruleset=ruleset)


def second_phase(winners: int, *, ruleset: Ruleset) -> Qualified:
    """How many go on to the semi-final: the winners, filled up to twelve.

    With more winners than twelve the option `winners_over_12` says whether the best twelve by Score go on, or
    another phase is played by all of them, filled up to a multiple of four.

    Source:
        risiko 7.
    """
    places = ruleset.number("phases.semi_finalists")
    if winners <= places:
        return Qualified(winners=winners, repechaged=places - winners, qualified=places)
    if ruleset.option("winners_over_12") == "by_score":
        return Qualified(winners=winners, repechaged=0, qualified=places)
    return repechage_count(winners, ruleset=ruleset)


def may_enter_second_evening(player: str, first_evening_winners: Sequence[str]) -> bool:
    """Whether somebody may play the second evening: everybody but who has won on the first, newcomers too.

    Source:
        risiko 2.
    """
    return player not in first_evening_winners


def general_ranking(games: Mapping[str, Sequence[Game]], *, ruleset: Ruleset) -> tuple[Ranked, ...]:
    """Everybody by weight, then Score.

    Args:
        games: Player to the games played, in order.
        ruleset: The rules; option `repechage_score`.

    Source:
        risiko 3b and 25.
    """
    rows = {player: (_weight(own), _score(own, ruleset)) for player, own in games.items()}
    order = sorted(rows, key=lambda player: (-rows[player][0], -rows[player][1], player))
    ranked: list[Ranked] = []
    for at, player in enumerate(order):
        shared = at > 0 and rows[order[at - 1]] == rows[player]
        ranked.append(
            Ranked(
                player=player,
                place=ranked[-1].place if shared else at + 1,
                weight=rows[player][0],
                score=rows[player][1],
                won_a_table=any(game.points is None for game in games[player]),
                reason=_parted(player, order, at, rows),
            )
        )
    return tuple(ranked)


def _weight(games: Sequence[Game]) -> int:
    return sum(game.points or 0 for game in games)


def _score(games: Sequence[Game], ruleset: Ruleset) -> float:
    found = [game.score for game in games]
    how = ruleset.option("repechage_score")
    if not found:
        return 0.0
    return sum(found) if how == "sum" else max(found) if how == "best" else found[-1]


def _parted(player: str, order: Sequence[str], at: int, rows: Mapping[str, tuple[int, float]]) -> Reason:
    if len(order) == 1:
        return because("rank-first", "25")
    other = order[at - 1] if at else order[1]
    (weight, score), (their_weight, their_score) = rows[player], rows[other]
    if weight != their_weight:
        return because("rank-weight", "25", own=weight, other=their_weight)
    if score != their_score:
        return because("rank-score", "25", own=score, other=their_score)
    return because("rank-shared", "25", players=sorted((player, other)))


def repechage_select(
    places: int, games: Mapping[str, Sequence[Game]], *, won_a_table: Sequence[str] = (), ruleset: Ruleset
) -> Selection:
    """Who is fished out.

    Args:
        places: How many.
        games: Player to the games played; who won one of them is qualified already.
        won_a_table: More players who are qualified already.
        ruleset: The rules of the table.

    Source:
        risiko 3b, 3c, 25.
    """
    ranked = [
        row for row in general_ranking(games, ruleset=ruleset) if not row.won_a_table and row.player not in won_a_table
    ]
    return _first(places, [(row.player, row.place) for row in ranked])


def best_winners(winners: Mapping[str, Sequence[Game]], *, ruleset: Ruleset) -> Selection:
    """Which winners go on to the semi-final when there are more than its places: the best by Score.

    Args:
        winners: Everybody who won a table of the phase, with the games played.
        ruleset: The rules; option `repechage_score` says which Score of several games counts.

    Raises:
        ResultsError: Another phase is played instead (option `winners_over_12`), or there are too few winners.

    Source:
        risiko 7 ("i migliori 12").
    """
    places = ruleset.number("phases.semi_finalists")
    if len(winners) < places or second_phase(len(winners), ruleset=ruleset).qualified != places:
        raise ResultsError(
            "semi-final-size",
            f"a semi-final has {places} players and {len(winners)} have won; fill up by repechage, or play another "
            "phase",
            count=len(winners),
            wanted=places,
        )
    score = {player: _score(games, ruleset) for player, games in winners.items()}
    order = sorted(score, key=lambda player: (-score[player], player))
    return _first(places, [(player, sum(other > score[player] for other in score.values())) for player in order])


def _first(places: int, ranked: Sequence[tuple[str, int]]) -> Selection:
    """The first so many of (player, place), as far as nobody on the line is equal to somebody below it."""
    chosen, below = ranked[:places], ranked[places:]
    missing = places - len(chosen)
    if not chosen or not below or chosen[-1][1] != below[0][1]:
        return Selection(order=tuple(player for player, _ in chosen), unresolved=(), missing=missing)
    line = below[0][1]
    return Selection(
        order=tuple(player for player, place in ranked if place < line),
        unresolved=tuple(player for player, place in ranked if place == line),
        missing=0,
    )


def semi_final(players: int, *, ruleset: Ruleset) -> tuple[int, int]:
    """Tables of the semi-final and players of the final: each table's winner and the best second.

    Raises:
        ResultsError: Another number of players than the rules want.

    Source:
        risiko 8.
    """
    wanted = ruleset.number("phases.semi_finalists")
    if players != wanted:
        raise ResultsError(
            "semi-final-size",
            f"a semi-final has {wanted} players, not {players}; fill up by repechage, or play another phase",
            count=players,
            wanted=wanted,
        )
    tables = ruleset.number("phases.semi_final_tables")
    return tables, tables + 1


def draw_semi_final(players: Sequence[str], *, number: str, ruleset: Ruleset) -> Draw:
    """The tables of the semi-final by lot.

    Args:
        players: The semi-finalists.
        number: The published number that the lot follows from.
        ruleset: The rules; option `semi_final_draw`.

    Raises:
        ResultsError: Another number of players than the rules want.
        DrawError: The organiser seats them, or a name stands there twice.

    Source:
        risiko 8.
    """
    tables, _ = semi_final(len(players), ruleset=ruleset)
    if ruleset.option("semi_final_draw") == "organiser":
        raise DrawError(
            "sizes-missing",
            "the organiser seats the semi-finalists; enter the tables, or set option 'semi_final_draw' to 'lot'",
            players=len(players),
        )
    sizes = [len(players) // tables] * tables
    return draw_round(players, number=number, round_=1, ruleset=ruleset, sizes=sizes)


def finalists(tables: Sequence[Sequence[tuple[str, float]]]) -> Finalists:
    """Who plays the final.

    Args:
        tables: Each semi-final from first to second: (player, Score).

    Source:
        risiko 8; equal best seconds are the Director's (27).
    """
    winners = [table[0][0] for table in tables]
    reasons = [because("finalist-winner", "8", table=at) for at in range(1, len(tables) + 1)]
    best = max(table[1][1] for table in tables)
    seconds = [table[1][0] for table in tables if table[1][1] == best]
    if len(seconds) > 1:
        return Finalists(finalists=tuple(winners), unresolved=tuple(seconds), reasons=tuple(reasons))
    reasons.append(because("finalist-second", "8", score=best))
    return Finalists(finalists=(*winners, *seconds), unresolved=(), reasons=tuple(reasons))


def prizes(final_order: Sequence[str]) -> tuple[str, ...]:
    """Who gets a prize: the first three of the final.

    Source:
        risiko 6.
    """
    return tuple(final_order[:3])
