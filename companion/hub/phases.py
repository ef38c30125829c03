"""Who goes on to the next phase of a RisiKo! tournament, as far as its tables have closed.

Theory: winners of a table go on at once. What is missing to the number that the rules want is fished out of the others
by the general ranking; where more have won than there are places the best of them go on. Only the newest phase is
looked at, and nothing here seats anybody: the organiser reads it and draws.

Source:
    risiko, clauses 1 to 3, 6 to 8.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.hub.results import Result
from companion.rules.ruleset import Ruleset
from companion.rules.systems.risiko_phases import (
    Game,
    best_winners,
    finalists,
    prizes,
    repechage_count,
    repechage_select,
    second_phase,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoesOn:
    """Who goes on from the newest phase.

    Attributes:
        phase: That phase.
        players: Keys of those who go on, winners first; after the final those who get a prize.
        fished: How many of them were fished out.
        unresolved: Keys of equal players of whom only some can go on; the director rules.
        missing: Places that nobody is left for.
    """

    phase: str
    players: tuple[str, ...]
    fished: int = 0
    unresolved: tuple[str, ...] = ()
    missing: int = 0


def games_of(key: str, results: Iterable[Result]) -> list[Game]:
    """The games of one player in round order, as the rules rank them."""
    own = sorted((one for one in results if one.person.key == key and one.counts), key=lambda one: one.round)
    return [Game(points=None if one.result == "win" else int(one.result), score=one.score or 0.0) for one in own]


def goes_on(results: Sequence[Result], *, ruleset: Ruleset) -> GoesOn | None:
    """Who goes on from the newest phase that has results; None where no phase is known.

    Args:
        results: All results of the tournament; those that do not count are passed over.
        ruleset: The rules of the tournament.
    """
    phases = list(ruleset.table("time.minutes"))
    counting = [one for one in results if one.counts and one.phase in phases]
    if not counting:
        return None
    phase = max((one.phase for one in counting), key=phases.index)
    here = [one for one in counting if one.phase == phase]
    if phase == "semi_final":
        return _finalists(here)
    if phase == "final":
        order = sorted(here, key=lambda one: (one.result != "win", -(one.score or 0.0), one.person.key))
        return GoesOn(phase=phase, players=prizes([one.person.key for one in order]))
    games = {key: games_of(key, here) for key in dict.fromkeys(one.person.key for one in here)}
    won = [key for key, own in games.items() if any(game.points is None for game in own)]
    wanted = (
        repechage_count(len(won), ruleset=ruleset) if phase == phases[0] else second_phase(len(won), ruleset=ruleset)
    )
    if wanted.qualified < len(won):
        chosen = best_winners({key: games[key] for key in won}, ruleset=ruleset)
        return GoesOn(phase=phase, players=chosen.order, unresolved=chosen.unresolved)
    fished = repechage_select(wanted.repechaged, games, ruleset=ruleset)
    return GoesOn(
        phase=phase,
        players=(*sorted(won), *fished.order),
        fished=len(fished.order),
        unresolved=fished.unresolved,
        missing=fished.missing,
    )


def _finalists(here: Sequence[Result]) -> GoesOn:
    tables: dict[str, list[Result]] = {}
    for one in here:
        tables.setdefault(one.game, []).append(one)
    ranked = [
        [
            (one.person.key, one.score or 0.0)
            for one in sorted(table, key=lambda one: (one.result != "win", -(one.score or 0.0)))
        ]
        for table in tables.values()
        if len(table) > 1 and any(one.result == "win" for one in table)
    ]
    if not ranked:
        return GoesOn(phase="semi_final", players=())
    found = finalists(ranked)
    return GoesOn(phase="semi_final", players=found.finalists, unresolved=found.unresolved)
