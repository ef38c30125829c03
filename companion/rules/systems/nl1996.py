"""The Dutch tournament of 1996: who gets 1+, 1, 2 and 3 at a table, and which step decided.

A finished mission gives 1 and a plus; who was knocked out keeps what the table's size then gave; everybody else is
ranked by the scheme, a cascade of five levels. Equal results (third and fourth both get 3) are not worth a ruling,
so only groups with different results at stake are reported as unresolved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from companion.rules.cards import best_trade, card_table
from companion.rules.errors import PositionError
from companion.rules.lot import shuffled
from companion.rules.need import Need
from companion.rules.position import Claim, KnockedOut, Tally
from companion.rules.reason import Reason, because
from companion.rules.result import Place, TableResult
from companion.rules.ruleset import Ruleset
from companion.rules.systems.cascade import Ranking, Value, rank

LEVELS: Final = ("continents", "territories", "armies", "card-armies", "cards")
"""The five levels of the scheme, 3.2a to 3.2e."""

RESULTS: Final = ("1+", "1", "2", "3")
"""What a score sheet can say, best first."""

PlayedOn = Literal["accident", "purpose"]


def continent_points(continents: Sequence[str], *, ruleset: Ruleset) -> int:
    """Match points for whole continents.

    Raises:
        PositionError: A continent that the scheme has not.

    Source:
        nl1996 3.2a and the scheme.
    """
    scheme = ruleset.table("scheme")
    for continent in continents:
        if continent not in scheme:
            raise PositionError(
                "unknown-continent",
                f"the scheme has no continent {continent!r}; it has {', '.join(scheme)}",
                continent=continent,
                known=list(scheme),
            )
    return sum(scheme[continent] for continent in continents)


def card_armies(tally: Tally, *, ruleset: Ruleset, table: str | None = None) -> int | None:
    """Armies obtainable for a player's cards; None while the hand is not known.

    Source:
        nl1996 3.2d; options `cards.table`, `card_armies_owned_bonus`, `owned_bonus`.
    """
    values = card_table(ruleset, table)
    if tally.hand is None or values is None:
        return None
    if ruleset.option("card_armies_owned_bonus") is not True:
        return best_trade(tally.hand, values)
    return None if tally.owned_cards is None else best_trade(tally.hand, values, tally.owned_cards)


def table_result(
    tallies: Sequence[Tally],
    *,
    knocked_out: Sequence[KnockedOut],
    claim: Claim | None,
    ruleset: Ruleset,
    played_on: PlayedOn | None = None,
    lot: str | None = None,
    card_values: str | None = None,
) -> TableResult:
    """Results of a table from the frozen board.

    Args:
        tallies: Players still in the game, at the freeze or, if somebody played on, as it was when the mission was
            reached.
        knocked_out: Players who fell before that moment.
        claim: The mission that was reached, if one was.
        ruleset: The rules of the table.
        played_on: Whether the claimant went on playing by accident or on purpose.
        lot: Published number that parts equal players, where the ruleset lets the lot do so.
        card_values: Another card table of the ruleset than the chosen one.

    Raises:
        PositionError: The claim fits no player, or somebody must still be counted.

    Source:
        nl1996 3.1, 3.2, 4.13, 4.14.
    """
    _check_claim(tallies, knocked_out, claim, played_on)
    alive = [tally for tally in tallies if claim is None or tally.player != claim.player]
    first: list[Place] = []
    last: list[Place] = []
    if claim is not None and played_on == "purpose":
        reason = because("played-on-purpose", "4.14")
        last = [Place(player=claim.player, place=len(tallies) + len(knocked_out), result="3", reason=reason)]
    elif claim is not None:
        first = [_claimant(claim, alone=not alive, ruleset=ruleset)]
    elif len(alive) == 1:
        first = [_survivor(alive.pop(), ruleset)]
    results = _open_results(len(alive), won=bool(first or last))
    ranking = _ranking(alive, results, ruleset, card_values)
    _refuse_missing(ranking)
    value = _values(alive, ruleset, card_values)
    ranked, unresolved, stake = _placed(ranking, value, results, offset=len(first), ruleset=ruleset, lot=lot)
    above = len(first) + len(alive)
    fallen = [
        _fallen(out, above + at, claim, ruleset)
        for at, out in enumerate(sorted(knocked_out, key=lambda out: out.players_left_before), start=1)
    ]
    return TableResult(places=(*first, *ranked, *fallen, *last), unresolved=unresolved, at_stake=stake)


def needed(
    players: Sequence[str],
    *,
    knocked_out: Sequence[KnockedOut],
    claim: Claim | None,
    ruleset: Ruleset,
    known: Sequence[Tally] = (),
) -> Need:
    """What must still be recorded before `table_result` can decide.

    Args:
        players: All players of the table.
        knocked_out: Who fell.
        claim: The mission that was reached, if one was.
        ruleset: The rules of the table.
        known: What is recorded so far; armies and hands may be None.

    Source:
        nl1996 3.1, 3.2, 4.13.
    """
    out = {fallen.player for fallen in knocked_out}
    if claim is not None and claim.destroyed is not None:
        out.add(claim.destroyed)
    alive = [player for player in players if player not in out]
    if claim is None and len(alive) == 1:
        return Need(reason=because("need-nothing-last-player", "4.13", player=alive[0]))
    open_ = [player for player in alive if claim is None or player != claim.player]
    if len(open_) < 2:
        return Need(reason=because("need-nothing-knock-outs", "3.1"))
    tallies = [tally for tally in known if tally.player in open_]
    if len(tallies) < len(open_):
        reason = because("need-scheme", "3.2") if claim is None else because("need-mission", "3.1", player=claim.player)
        return Need(board=True, armies=True, hands=True, next="board", players=tuple(open_), reason=reason)
    ranking = _ranking(tallies, _open_results(len(open_), won=claim is not None), ruleset, None)
    if not ranking.missing:
        return Need(reason=because("need-nothing-all-known", "3.2"))
    level, group = ranking.missing[0]
    reason = because("need-tie", _clause(level - 1), level=LEVELS[level - 1], players=list(group))
    armies = LEVELS[level] == "armies"
    return Need(armies=armies, hands=True, next="armies" if armies else "hands", players=group, reason=reason)


def first_claim(claims: Sequence[Claim], *, on_turn: str) -> Claim:
    """Which of several missions that the same throw completed was first: that of the player whose turn it is.

    Args:
        claims: At least one.
        on_turn: Whose turn it is.

    Source:
        nl1996 3.1 (chosen; the leader may overrule).
    """
    return next((claim for claim in claims if claim.player == on_turn), claims[0])


def _check_claim(
    tallies: Sequence[Tally], knocked_out: Sequence[KnockedOut], claim: Claim | None, played_on: PlayedOn | None
) -> None:
    if claim is None:
        if played_on is not None:
            raise PositionError(
                "played-on-without-claim", "playing on needs a mission that was reached; record whose it was"
            )
        return
    if claim.player not in {tally.player for tally in tallies}:
        raise PositionError(
            "claim-of-stranger",
            f"{claim.player!r} claims a mission but is not on the recorded board; record the player or the claim anew",
            player=claim.player,
        )
    if claim.destroyed is None:
        return
    victim = next((out for out in knocked_out if out.player == claim.destroyed), None)
    if victim is None:
        raise PositionError(
            "destroyed-is-alive",
            f"the mission was to destroy {claim.destroyed!r}, who is not recorded as knocked out; record that first",
            player=claim.destroyed,
        )
    if victim.by is not None and victim.by != claim.player:
        raise PositionError(
            "destroyed-by-other",
            f"{claim.destroyed!r} fell to {victim.by!r}, not to {claim.player!r}; correct the one or the other",
            player=claim.destroyed,
            by=victim.by,
            claimant=claim.player,
        )


def _fallen(out: KnockedOut, place: int, claim: Claim | None, ruleset: Ruleset) -> Place:
    if claim is not None and claim.destroyed == out.player:
        result = "3"
        if out.players_left_before == 2:
            result = str(ruleset.option("two_left_mission_kill"))
        reason = because("mission-target", "3.1", by=claim.player)
    else:
        result = "2" if out.players_left_before == 2 else "3"
        reason = because("knocked-out", "4.13", left=out.players_left_before)
    return Place(player=out.player, place=place, result=result, reason=reason)


def _claimant(claim: Claim, *, alone: bool, ruleset: Ruleset) -> Place:
    if alone and ruleset.option("survivor_plus") == "never":
        return Place(player=claim.player, place=1, result="1", reason=because("last-player", "4.13"))
    code = "last-player-mission" if alone else "mission-first"
    reason = Reason(code=code, clause="3.1", values={"mission": claim.mission})
    return Place(player=claim.player, place=1, result="1+", reason=reason)


def _survivor(tally: Tally, ruleset: Ruleset) -> Place:
    plus = ruleset.option("survivor_plus") == "always"
    reason = because("last-player", "4.13")
    return Place(player=tally.player, place=1, result="1+" if plus else "1", reason=reason)


def _open_results(count: int, *, won: bool) -> tuple[str, ...]:
    """The results that are left for those whom the scheme ranks, best first."""
    return ("2", "3", "3", "3")[:count] if won else ("1", "2", "3", "3")[:count]


def _values(tallies: Sequence[Tally], ruleset: Ruleset, card_values: str | None) -> Value:
    by_id = {tally.player: tally for tally in tallies}

    def value(player: str, level: int) -> int | None:
        tally = by_id[player]
        if level == 0:
            return continent_points(tally.continents, ruleset=ruleset)
        if level == 1:
            return tally.territories
        if level == 2:
            return tally.armies
        if level == 3:
            return card_armies(tally, ruleset=ruleset, table=card_values)
        return None if tally.hand is None else tally.hand.cards

    return value


def _ranking(tallies: Sequence[Tally], results: Sequence[str], ruleset: Ruleset, card_values: str | None) -> Ranking:
    return rank(
        [tally.player for tally in tallies],
        _values(tallies, ruleset, card_values),
        levels=len(LEVELS),
        results=results,
        restart=ruleset.option("cascade.mode") == "restart",
    )


def _refuse_missing(ranking: Ranking) -> None:
    if not ranking.missing:
        return
    level, group = ranking.missing[0]
    code, what = ("armies-missing", "armies") if LEVELS[level] == "armies" else ("hand-missing", "cards")
    raise PositionError(
        code, f"{', '.join(group)} are equal so far, and their {what} are not counted; count them", player=list(group)
    )


def _clause(level: int) -> str:
    return f"3.2{'abcde'[level]}"


def _placed(
    ranking: Ranking, value: Value, results: Sequence[str], *, offset: int, ruleset: Ruleset, lot: str | None
) -> tuple[list[Place], tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Places of those whom the scheme ranks, the groups that stay equal, and what is at stake among them."""
    places: list[Place] = []
    unresolved: list[tuple[str, ...]] = []
    stake: tuple[str, ...] = ()
    at = 0
    for number, group in enumerate(ranking.groups):
        open_ = results[at : at + len(group)]
        place = offset + at + 1
        at += len(group)
        if len(group) == 1:
            reason = _deciding(ranking, number, value)
            places.append(Place(player=group[0], place=place, result=open_[0], reason=reason))
        elif len(set(open_)) == 1:
            reason = because("equal-no-stake", "3.2", players=list(group))
            places += [Place(player=player, place=place, result=open_[0], reason=reason) for player in group]
        else:
            settled = _settle(group, open_, place, ruleset, lot)
            places += settled
            if not settled:
                unresolved.append(group)
                stake = tuple(dict.fromkeys(open_))
    return places, tuple(unresolved), stake


def _deciding(ranking: Ranking, number: int, value: Value) -> Reason:
    """The step that parted a player from the group below if first, else from the group above."""
    if len(ranking.groups) == 1:
        return because("mission-left-over", "3.1")
    player = ranking.groups[number][0]
    ahead = number == 0
    level = ranking.levels[0 if ahead else number - 1]
    other = ranking.groups[1 if ahead else number - 1][0]
    code = f"ahead-{LEVELS[level]}" if ahead else f"behind-{LEVELS[level]}"
    values = {"own": value(player, level), "other": value(other, level), "other_player": other}
    return Reason(code=code, clause=_clause(level), values=values)


def _settle(group: tuple[str, ...], open_: Sequence[str], place: int, ruleset: Ruleset, lot: str | None) -> list[Place]:
    """Places of players equal at every level, as the ruleset settles them; none when people must."""
    how = ruleset.option("unresolved")
    if how in ("share_better", "share_worse"):
        reason = because("equal-shared", "3.2e", players=list(group))
        result = open_[0] if how == "share_better" else open_[-1]
        return [Place(player=player, place=place, result=result, reason=reason) for player in group]
    if how == "lot" and lot is not None:
        drawn = shuffled(group, number=lot, purpose="equal players")
        reason = because("equal-lot", "3.2e", players=list(group), number=lot)
        return [
            Place(player=player, place=place + at, result=result, reason=reason)
            for at, (player, result) in enumerate(zip(drawn, open_, strict=True))
        ]
    return []
