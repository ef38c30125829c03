"""Why: every verdict, score and rank carries its reasons as data.

A `Reason` names a code, the clause of the rule text that it rests on, and the values that filled it. The words
of four languages are made elsewhere from exactly these; `REASON_CODES` lists every code with the names of its
values, so that a translation can be checked for gaps without playing a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One step of an explanation.

    Attributes:
        code: A key of `REASON_CODES`.
        clause: The clause of the system's rule text, such as '4.8.4'; empty where the text is silent and a
            reading was chosen.
        values: What filled the step, by name; JSON-able.
    """

    code: str
    clause: str
    values: Mapping[str, Any] = field(default_factory=dict)


def because(code: str, clause: str, **values: Any) -> Reason:
    """A reason from its code, its clause and its values by name."""
    return Reason(code=code, clause=clause, values=values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """Whether something may be done, and why."""

    allowed: bool
    reason: Reason


REASON_CODES: Final[dict[str, tuple[str, ...]]] = {
    # which dice count
    "all-count": ("dice",),
    "outside-dropped": ("dice",),
    "outside-reroll": ("dice",),
    "outside-valid": ("dice",),
    "floor-reroll": ("dice",),
    "cocked-reroll": ("dice",),
    "stacked-reroll": ("dice",),
    "cocked-dropped": ("dice",),
    "stacked-dropped": ("dice",),
    "cocked-rethrow": ("dice",),
    "stacked-rethrow": ("dice",),
    "not-rolled-rethrow": ("dice",),
    "not-rolled-dropped": ("dice",),
    "too-many-dropped": ("dice", "allowed", "thrown"),
    "too-many-rethrow": ("allowed", "thrown"),
    "no-dice-rethrow": (),
    "no-dice-no-loss": (),
    "not-one-throw": ("apart_ms", "window_ms"),
    "unreadable": ("dice",),
    "moving": ("dice",),
    "no-dice": (),
    # combat
    "pairs": ("attack", "defence", "tie"),
    "rebels-highest": ("attack", "rebels", "units"),
    "attack-too-weak": ("armies",),
    "attack-dice-wanted": ("wanted", "most"),
    "attack-dice-must": ("wanted", "must"),
    "attack-fewer-than-defence": ("wanted", "defence"),
    "attack-allowed": ("wanted", "defence"),
    "defence-fewer-dice": ("thrown", "must"),
    # clock and signal
    "signal-losses-taken": (),
    "signal-nothing-thrown": (),
    "signal-pending-void": (),
    "signal-settled-counts": (),
    "signal-finish-combat": ("throws",),
    "signal-no-combat": (),
    "signal-combat-over": ("why",),
    "signal-finish-throw": (),
    "length-in-range": ("minutes", "least", "most"),
    "length-out-of-range": ("minutes", "least", "most"),
    "turn-reflection": ("seconds", "most"),
    "turn-total": ("seconds", "most"),
    # seats
    "start-order": ("dice",),
    "start-tie": ("players", "die"),
    # what is enough to decide
    "need-nothing-last-player": ("player",),
    "need-nothing-all-known": (),
    "need-nothing-knock-outs": (),
    "need-nothing-mission": ("player",),
    "need-nothing-domination": ("player",),
    "need-mission": ("player",),
    "need-scheme": (),
    "need-tie": ("level", "players"),
    "need-score": (),
    "need-cities": (),
    "need-territories": (),
    # results of a table
    "mission-first": ("mission",),
    "mission-target": ("by",),
    "mission-left-over": (),
    "knocked-out": ("left",),
    "beaten": ("by",),
    "last-player": (),
    "last-player-mission": ("mission",),
    "played-on-purpose": (),
    "ahead-continents": ("own", "other", "other_player"),
    "ahead-territories": ("own", "other", "other_player"),
    "ahead-armies": ("own", "other", "other_player"),
    "ahead-card-armies": ("own", "other", "other_player"),
    "ahead-cards": ("own", "other", "other_player"),
    "behind-continents": ("own", "other", "other_player"),
    "behind-territories": ("own", "other", "other_player"),
    "behind-armies": ("own", "other", "other_player"),
    "behind-card-armies": ("own", "other", "other_player"),
    "behind-cards": ("own", "other", "other_player"),
    "equal-shared": ("players",),
    "equal-lot": ("players", "number"),
    "equal-no-stake": ("players",),
    "ruled": ("by", "why"),
    "objective-first": ("objective",),
    "score": ("own", "other", "other_player"),
    "objective-points": ("own", "other", "other_player"),
    "knocked-out-zero": (),
    "domination": (),
    "win-islands": ("islands", "wanted"),
    "win-cities": ("cities", "wanted"),
    "not-won": (),
    # missions and objectives
    "mission-done": ("mission",),
    "mission-not-named": (),
    "mission-armies-unknown": ("mission",),
    "mission-continents-missing": ("mission", "missing"),
    "mission-extra-missing": ("mission", "wanted"),
    "mission-too-few": ("mission", "have", "wanted"),
    "mission-target-alive": ("mission", "colour"),
    "mission-target-gone": ("mission", "colour"),
    "mission-removed-list": ("mission",),
    "objective-missing": ("missing",),
    # turn bookkeeping
    "card-allowed": (),
    "card-nothing-conquered": (),
    "card-already-taken": (),
    "card-too-late": (),
    "armies-allowed": (),
    "armies-own-throw": (),
    "armies-next-throw": (),
    "advance-on": ("least", "most"),
    "advance-dice": ("dice",),
    "shift": ("armies", "most"),
    "must-trade": ("cards", "most"),
    "may-trade": ("cards",),
    "taken-cards-wait": (),
    "undeclared-attack": ("armies",),
    "reinforcement": ("territories", "continents", "set"),
    "reinforcement-minimum": ("minimum",),
    "reinforcement-cap": ("cap", "on_board"),
    # tournaments
    "rank-points": ("own", "other"),
    "rank-pluses": ("own", "other"),
    "rank-ones": ("own", "other"),
    "rank-twos": ("own", "other"),
    "rank-round": ("round", "own", "other"),
    "rank-shared": ("players",),
    "rank-lot": ("number",),
    "rank-first": (),
    "rank-weight": ("own", "other"),
    "rank-score": ("own", "other"),
    "finalist-winner": ("table",),
    "finalist-second": ("score",),
    "vote": ("a", "b"),
    "vote-tie": ("a", "b"),
    # rebels
    "rebels-from-triple": ("face", "rebels"),
    "rebels-ask": ("face",),
    "rebels-none": (),
    "rebels-block": ("rebels",),
    "rebels-few-armies": ("armies", "least"),
    "rebels-may-attack": (),
    "coup": ("armies", "rebels"),
    "no-coup": ("armies", "rebels"),
    "flight": ("armies", "lost"),
    # apoikia
    "fleet-not-arrived": ("position",),
    "fleet-used": (),
    "fleet-too-many": ("armies", "most"),
    "fleet-may": (),
    "city-cap": ("armies", "most"),
    "city-empty": (),
    "city-fits": (),
    "landings-used": ("most",),
    "landing-allowed": ("left",),
    "link-thin": (),
    "link-city-state": (),
    "link-allowed": (),
}
