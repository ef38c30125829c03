"""What the board counts for while it is being typed: the sums that players check before they confirm.

The table computes the result; here the same rules are asked for the running totals only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules.errors import RulesError
from companion.rules.objectives import load_objectives
from companion.rules.systems import risiko
from companion.ui.asking import board_of_rules, position_of, ruleset_of
from companion.ui.draft import Atlas, Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How much of an objective a player holds."""

    held: int
    whole: int


def continents_held(draft: Draft, atlas: Atlas, player: str) -> tuple[str, ...]:
    """Continents or islands that lie wholly in a player's hand."""
    return tuple(c for c, lands in atlas.items() if all(draft.owners.get(land) == player for land in lands))


def progress(draft: Draft, player: str) -> Progress | None:
    """How much of the recorded objective a player holds; None where the objective is not known here."""
    objective = load_objectives().get(draft.objectives.get(player, ""))
    if objective is None:
        return None
    held = sum(draft.owners.get(land) == player for land in objective.territories)
    return Progress(held=held, whole=len(objective.territories))


def scores(state: Mapping[str, Any], draft: Draft, alive: Sequence[str]) -> Mapping[str, float]:
    """The Score of each player in points, where the system has one and everything that counts is there.

    Source:
        risiko 26.
    """
    ruleset = ruleset_of(state)
    if ruleset is None or ruleset.system != "risiko":
        return {}
    board = board_of_rules(ruleset.board, ruleset.edition())
    try:
        found = risiko.scores(position_of(draft, alive), board=board, objectives=draft.objectives, ruleset=ruleset)
    except RulesError:
        return {}
    return {score.player: score.points for score in found}


def most_armies(state: Mapping[str, Any]) -> int | None:
    """The most armies that a player may have on the board, where the rules set a cap."""
    ruleset = ruleset_of(state)
    return None if ruleset is None else ruleset.at("reinforcement.cap")


def cities_wanted(state: Mapping[str, Any], players: int) -> int | None:
    """Cities that win the game at a table of that size, where cities win it.

    Source:
        apoikia, winner.
    """
    ruleset = ruleset_of(state)
    return None if ruleset is None else ruleset.at(f"win.cities.{players}")
