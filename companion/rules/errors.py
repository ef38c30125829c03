"""What the rules refuse, and why: one family, each error with a stable code and its offenders.

The message is an English sentence for a log or a terminal: rule, offender, way out. A screen makes its own
sentence from `code` and `values`; `ERROR_CODES` lists every code with the names of its values, so that a
translation can be checked for gaps.
"""

from __future__ import annotations

from typing import Any, Final


class RulesError(ValueError):
    """Something was asked that the rules can't answer; the person who asked can mend it.

    Attributes:
        code: Stable word for docs and translations, a key of `ERROR_CODES`.
        values: The offenders by name.
    """

    def __init__(self, code: str, message: str, **values: Any) -> None:
        super().__init__(message)
        self.code = code
        self.values: dict[str, Any] = values


class RulesetError(RulesError):
    """A ruleset has an unknown name, option, value or section."""


class BoardError(RulesError):
    """A board file contradicts itself."""


class PositionError(RulesError):
    """A recorded board can't be true."""


class ThrowError(RulesError):
    """Dice were given that no throw can show."""


class ResultsError(RulesError):
    """Results of a tournament don't fit together."""


class DrawError(RulesError):
    """These players can't be drawn into tables."""


ERROR_CODES: Final[dict[str, tuple[str, ...]]] = {
    # rulesets
    "unknown-ruleset": ("name", "known"),
    "unknown-option": ("option", "system", "known"),
    "bad-option": ("option", "value", "allowed"),
    "card-table-missing": ("table",),
    "ruleset-unknown-key": ("key", "known"),
    "ruleset-wrong-type": ("key", "value", "wanted"),
    "ruleset-unreadable": ("why",),
    # boards
    "unknown-board": ("name", "known"),
    "unknown-edition": ("edition", "known"),
    "board-count": ("what", "count", "wanted"),
    "board-one-way": ("first", "second"),
    "board-self": ("territory",),
    "board-stranger": ("territory", "neighbour"),
    "board-apart": ("territory",),
    "board-coefficient": ("territory", "coefficient", "borders"),
    "board-edition-line": ("edition", "first", "second"),
    "board-unreadable": ("why",),
    # positions
    "unknown-player": ("player", "known"),
    "player-twice": ("player",),
    "player-missing": ("player",),
    "player-out-owns": ("player",),
    "too-few-players": ("count", "least"),
    "too-many-players": ("count", "most"),
    "unknown-territory": ("territory",),
    "territory-twice": ("territory", "first", "second"),
    "territories-missing": ("count", "wanted", "missing"),
    "armies-missing": ("player",),
    "armies-not-positive": ("player", "territory", "armies"),
    "armies-stranger": ("player", "territory"),
    "armies-below-territories": ("player", "armies", "territories"),
    "no-territory": ("player",),
    "negative-cards": ("player", "symbol", "count"),
    "too-many-cards": ("symbol", "count", "most"),
    "hand-missing": ("player",),
    "colour-twice": ("colour", "first", "second"),
    "unknown-colour": ("player", "colour", "colours"),
    "unknown-continent": ("continent", "known"),
    "unknown-mission": ("mission", "known"),
    "mission-removed": ("mission", "clause"),
    "mission-not-done": ("player", "mission"),
    "unknown-objective": ("objective", "known"),
    "claim-of-stranger": ("player",),
    "destroyed-is-alive": ("player",),
    "destroyed-by-other": ("player", "by", "claimant"),
    "knocked-out-count": ("player", "players_left_before", "wanted"),
    "played-on-without-claim": (),
    "not-a-whole-number": ("what", "value"),
    # dice and cards
    "bad-die": ("value",),
    "dice-missing": ("side",),
    "bad-die-word": ("what", "value", "allowed"),
    "not-a-set": ("cards",),
    "no-such-phase": ("phase", "known"),
    "negative-number": ("what", "value"),
    # tournaments
    "unknown-result": ("player", "result", "known"),
    "rounds-differ": ("player", "rounds", "wanted"),
    "round-twice": ("player", "round", "first", "second"),
    "result-missing": ("player", "round"),
    "no-results": (),
    "table-size": ("size", "allowed"),
    "objective-by-stranger": ("player",),
    "semi-final-size": ("count", "wanted"),
    "cannot-split": ("players", "sizes"),
    "sizes-missing": ("players",),
    "prize-missing": (),
    "name-twice": ("player",),
    "bad-lot-number": ("number",),
    "no-tournament": ("system",),
}
