"""Results and standings out of the games of all tables, and everything that contradicts itself on the way.

Only a closed table has a result. What contradicts counts for nobody until people have settled it: a game that was
closed twice with different results (a table that was restored from an older copy), and a person with two results in
one round. Both are told, with where they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from companion.hub.folding import Game
from companion.hub.people import Person, person_of
from companion.hub.phases import GoesOn, games_of, goes_on
from companion.hub.ranking import RANKED_SYSTEMS, Rank, is_result, rank, rank_by_score
from companion.hub.results import Result
from companion.rules.errors import RulesError
from companion.rules.ruleset import Ruleset, load_ruleset

NamesIn = Callable[[str, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One game as it was found in one chapter of one table.

    Attributes:
        table: The table's own id.
        chapter: Which chain of it.
        game: The game.
    """

    table: str
    chapter: int
    game: Game


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Something that people have to settle.

    Attributes:
        code: `closed-twice`, `twice-in-round`, `strange-result`, `score-missing` or `own-ruleset`.
        values: Offenders by name.
    """

    code: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One line of the standings.

    Attributes:
        person: Who.
        rank: Place and what decided it.
        results: Result by round, in the order of `Tournament.rounds`; None where there is none that counts.
        missed: Rounds that are over and were missed; their result is the one that the rules give for that.
    """

    person: Person
    rank: Rank
    results: tuple[str | None, ...]
    missed: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """One tournament as far as it has been collected.

    Attributes:
        name: Its name.
        system: Its system of rules; `mixed` when its tables do not agree.
        rulesets: Names and hashes of the rulesets in use; more than one is worth a question.
        rounds: Numbers of the rounds that have been opened.
        results: Results of closed games, newest round first.
        standings: Best first; empty for a system that is not ranked here.
        contradictions: What people have to settle.
        goes_on: Who goes on to the next phase, where the rules know phases; None elsewhere.
    """

    name: str
    system: str
    rulesets: tuple[tuple[str, str], ...]
    rounds: tuple[int, ...]
    results: tuple[Result, ...]
    standings: tuple[Standing, ...]
    contradictions: tuple[Contradiction, ...]
    goes_on: GoesOn | None = None


def tournament(name: str, played: Iterable[Played], names: NamesIn) -> Tournament:
    """The tournament of that name.

    Args:
        name: As in `table.opened`.
        played: Games of any tournament, oldest first in each table.
        names: Gives player to name for a table's id and a game's id.
    """
    mine = [one for one in played if one.game.tournament == name]
    systems = sorted({one.game.system for one in mine})
    rounds = tuple(sorted({one.game.round for one in mine}))
    results, contradictions = _results(mine, names)
    results, doubled = _withhold_doubles(results)
    system = systems[0] if len(systems) == 1 else "mixed"
    is_ranked = system in RANKED_SYSTEMS
    standings: tuple[Standing, ...] = ()
    ahead: GoesOn | None = None
    if is_ranked:
        ruleset, own = _ruleset(mine[-1].game)
        results, strange = _withhold_strange(results, ruleset)
        contradictions = (*contradictions, *strange, *own)
        standings = _standings(results, rounds, over=_over(mine, rounds), ruleset=ruleset)
        ahead = goes_on(results, ruleset=ruleset) if system == "risiko" else None
    ordered = sorted(results, key=lambda one: (-one.round, one.table, one.game, one.result, one.person.name))
    return Tournament(
        name=name,
        system=system,
        rulesets=tuple(sorted({one.game.ruleset for one in mine})),
        rounds=rounds,
        results=tuple(ordered),
        standings=standings,
        contradictions=(*contradictions, *doubled),
        goes_on=ahead,
    )


def _results(mine: Iterable[Played], names: NamesIn) -> tuple[list[Result], tuple[Contradiction, ...]]:
    by_game: dict[tuple[str, int, str], list[Played]] = {}
    for one in mine:
        if one.game.results is not None:
            by_game.setdefault((one.table, one.game.round, one.game.game), []).append(one)
    results: list[Result] = []
    contradictions: list[Contradiction] = []
    for (table, round_, game_id), closings in by_game.items():
        agrees = all(one.game.results == closings[0].game.results for one in closings)
        if not agrees:
            values = {"table": table, "round": str(round_), "game": game_id}
            contradictions.append(Contradiction(code="closed-twice", values=values))
        for one in closings if not agrees else closings[:1]:
            results += _results_of(one, names(table, game_id), counts=agrees)
    return results, tuple(contradictions)


def _results_of(one: Played, known: Mapping[str, str], *, counts: bool) -> list[Result]:
    game = one.game
    return [
        Result(
            person=person_of(player, known.get(player), table=one.table, game=game.game),
            round=game.round,
            table=game.table,
            game=game.game,
            result=result,
            ruled=game.ruling is not None,
            counts=counts,
            changed=game.changed,
            score=game.scores.get(player),
            phase=game.tournament_phase,
            scale=game.scale,
            closed_wall=game.closed_wall or "",
        )
        for player, result in (game.results or {}).items()
    ]


def _withhold_doubles(results: list[Result]) -> tuple[list[Result], tuple[Contradiction, ...]]:
    seen: dict[tuple[str, int], list[Result]] = {}
    for one in results:
        if one.counts:
            seen.setdefault((one.person.key, one.round), []).append(one)
    doubled = {place: found for place, found in seen.items() if len(found) > 1}
    contradictions = tuple(
        Contradiction(
            code="twice-in-round",
            values={
                "name": found[0].person.name,
                "round": str(round_),
                "tables": ", ".join(sorted(one.table for one in found)),
            },
        )
        for (_, round_), found in doubled.items()
    )
    return [
        replace(one, counts=False) if (one.person.key, one.round) in doubled else one for one in results
    ], contradictions


def _withhold_strange(results: list[Result], ruleset: Ruleset) -> tuple[list[Result], tuple[Contradiction, ...]]:
    strange = [one for one in results if one.counts and _is_strange(one, ruleset)]
    contradictions = tuple(
        Contradiction(
            code="strange-result" if not is_result(one.result, ruleset=ruleset) else "score-missing",
            values={"name": one.person.name, "round": str(one.round), "table": one.table, "result": one.result},
        )
        for one in strange
    )
    return [replace(one, counts=False) if one in strange else one for one in results], contradictions


def _is_strange(one: Result, ruleset: Ruleset) -> bool:
    """Whether a result is none of this system, or lacks the Score by which it is ranked."""
    return not is_result(one.result, ruleset=ruleset) or (ruleset.system == "risiko" and one.score is None)


def _ruleset(game: Game) -> tuple[Ruleset, tuple[Contradiction, ...]]:
    """The rules to rank by, with a warning where the tables play by rules of their own."""
    name, digest = game.ruleset
    try:
        ruleset = load_ruleset(name, game.options)
    except RulesError:
        ruleset = load_ruleset(game.system)
    if ruleset.hash == digest:
        return ruleset, ()
    return ruleset, (Contradiction(code="own-ruleset", values={"ruleset": name, "system": game.system}),)


def _over(mine: Iterable[Played], rounds: tuple[int, ...]) -> frozenset[int]:
    """Rounds in which nobody plays any more, because a later one has begun and all their tables are closed."""
    still_open = {one.game.round for one in mine if one.game.results is None}
    return frozenset(rounds[:-1]) - still_open


def _standings(
    results: Iterable[Result], rounds: tuple[int, ...], *, over: frozenset[int], ruleset: Ruleset
) -> tuple[Standing, ...]:
    people: dict[str, Person] = {}
    rows: dict[str, list[str | None]] = {}
    withheld: set[tuple[str, int]] = set()
    counting: list[Result] = []
    for one in results:
        people.setdefault(one.person.key, one.person)
        row = rows.setdefault(one.person.key, [None] * len(rounds))
        if one.counts:
            row[rounds.index(one.round)] = one.result
            counting.append(one)
        else:
            withheld.add((one.person.key, one.round))
    absent = str(ruleset.options.get("absent_result"))
    missed: dict[str, tuple[int, ...]] = dict.fromkeys(rows, ())
    if is_result(absent, ruleset=ruleset):
        for key, row in rows.items():
            gaps = [number for number, result in zip(rounds, row, strict=True) if result is None and number in over]
            missed[key] = tuple(number for number in gaps if (key, number) not in withheld)
            for number in missed[key]:
                row[rounds.index(number)] = absent
    if ruleset.system == "risiko":
        ranks = rank_by_score({key: games_of(key, counting) for key in rows}, ruleset=ruleset)
    else:
        ranks = rank(rows, ruleset=ruleset)
    return tuple(
        Standing(person=people[one.player], rank=one, results=tuple(rows[one.player]), missed=missed[one.player])
        for one in ranks
    )
