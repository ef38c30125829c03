"""The result of a table: places with their points and the step that decided each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from companion.rules.errors import ResultsError
from companion.rules.position import KnockedOut
from companion.rules.reason import Reason, because


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One player's place at the table.

    Attributes:
        player: Player id.
        place: 1 for the first; equal players that share a result share the place.
        result: What goes on the score sheet: '1+', '1', '2', '3' in nl1996; the repechage points in risiko ('win'
            for the winner); 'win' or 'loss' elsewhere.
        score: The Score in points in risiko; None elsewhere.
        reason: The step that decided: against the player below for the first, else against the one above.
    """

    player: str
    place: int
    result: str
    score: float | None = None
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """What a table ends with.

    Attributes:
        places: Players with a result, best first.
        unresolved: Groups that are equal at every step while different results are at stake; people rule.
        at_stake: The results that are at stake among them, best first.
        scores: The Score in points of everybody, the unresolved too, in risiko; nothing elsewhere.
    """

    places: tuple[Place, ...]
    unresolved: tuple[tuple[str, ...], ...] = ()
    at_stake: tuple[str, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)

    def results(self) -> dict[str, str]:
        """Result by player, without the unresolved."""
        return {place.player: place.result for place in self.places}


def overruled(
    result: TableResult, rulings: Mapping[str, str], *, by: str, why: str, known: Sequence[str]
) -> TableResult:
    """The result after a referee has ruled.

    Args:
        result: What the rules made of it.
        rulings: Player to the result that the referee gives; players who are not named keep theirs.
        by: Who ruled, by role or id.
        why: The referee's reason in their own words.
        known: What a result can be at this table, best first.

    Returns:
        A result whose overruled places carry the ruling as their reason; groups that the ruling settled are gone.

    Raises:
        ResultsError: A player who is not at the table, or a result that there is not.

    Source:
        nl1996 4.1; risiko 27.
    """
    before = {place.player: place for place in result.places}
    waiting = [player for group in result.unresolved for player in group]
    for player, given in rulings.items():
        if player not in before and player not in waiting:
            raise ResultsError(
                "unknown-result",
                f"{player!r} has no place at this table; rule on {', '.join([*before, *waiting])}",
                player=player,
                result=given,
                known=[*before, *waiting],
            )
        if given not in known:
            raise ResultsError(
                "unknown-result",
                f"{player!r} can't get {given!r}; a result here is one of {', '.join(known)}",
                player=player,
                result=given,
                known=list(known),
            )
    reason = because("ruled", "", by=by, why=why)
    ruled = [
        Place(
            player=player,
            place=before[player].place if player in before else 0,
            result=given,
            score=before[player].score if player in before else result.scores.get(player),
            reason=reason,
        )
        for player, given in rulings.items()
    ]
    kept = [place for place in result.places if place.player not in rulings]
    left = tuple(
        open_ for group in result.unresolved if (open_ := tuple(player for player in group if player not in rulings))
    )
    order = sorted([*kept, *ruled], key=lambda place: (known.index(place.result), place.place))
    placed = tuple(
        Place(player=p.player, place=at + 1, result=p.result, score=p.score, reason=p.reason)
        for at, p in enumerate(order)
    )
    stake = result.at_stake if left else ()
    return TableResult(places=placed, unresolved=left, at_stake=stake, scores=result.scores)


def won_by(winner: str, others: Sequence[str], knocked_out: Sequence[KnockedOut], *, reason: Reason) -> TableResult:
    """A result with one winner, for systems in which nothing but winning counts.

    Args:
        winner: Who won.
        others: The others who are still in the game; they share the second place.
        knocked_out: Who fell; the last one stands highest among them.
        reason: Why the winner won.
    """
    beaten = because("beaten", reason.clause, by=winner)
    places = [Place(player=winner, place=1, result="win", reason=reason)]
    places += [Place(player=player, place=2, result="loss", reason=beaten) for player in others]
    return TableResult(places=(*places, *fallen_places(knocked_out, above=1 + len(others))))


def fallen_places(knocked_out: Sequence[KnockedOut], *, above: int) -> tuple[Place, ...]:
    """Places of the knocked-out below those who are still in the game, the last to fall first."""
    return tuple(
        Place(
            player=out.player,
            place=above + at,
            result="loss",
            reason=because("knocked-out", "", left=out.players_left_before),
        )
        for at, out in enumerate(sorted(knocked_out, key=lambda out: out.players_left_before), start=1)
    )


def nobody_won(alive: Sequence[str], knocked_out: Sequence[KnockedOut]) -> TableResult:
    """A result that people must rule on, because the text knows no winner without a finished game."""
    return TableResult(
        places=fallen_places(knocked_out, above=len(alive)), unresolved=(tuple(alive),), at_stake=("win", "loss")
    )
