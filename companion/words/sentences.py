"""Sentences for people, from the codes and values that the rest of the program speaks.

Theory: rules, session and table never hold a sentence; they return a code and its values. Here each becomes one, in
the reader's language. A value is shown by its own name: `colour` looks up `colour.red`, `territories` the board's own
name of each territory, `player` asks the names that the caller gives, `left_ms` becomes minutes and seconds, a number
gets the language's decimal sign. A code that has no sentence is shown as the code with its values, never swallowed: a
referee can still read it out to the organiser.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from companion.rules.board import load_board
from companion.rules.objectives import load_objectives
from companion.words.catalog import LANGUAGES, load

GAPS_MS = frozenset({"apart_ms", "window_ms"})
"""Short times, told in seconds with their tenths and not as a clock would."""

CAUSES = frozenset({"why", "reason", "cause"})
"""Value names whose value is the code of a cause that somebody picked."""


_SAID_ALREADY = frozenset({"all-count", "unreadable", "moving"})
"""Reasons that a throw's first two sentences tell by themselves."""

_REROLLS = frozenset({"cocked-reroll", "stacked-reroll", "outside-reroll", "floor-reroll"})
"""Reasons that say nothing but that a die is thrown again: their clause is enough."""

_WAITS = ("-reroll", "-dropped")
"""Ends of reasons that tell what becomes of a die: while people are asked what lies there, nothing becomes of any."""


class UnknownLanguage(ValueError):
    """A language was asked for that has no catalog.

    Attributes:
        code: Stable word for docs and translations.
    """

    code = "unknown-language"


class Words:
    """All sentences of one language.

    Args:
        lang: One of `LANGUAGES`.
        names: Names of the players by id, as they are to be shown.

    Raises:
        UnknownLanguage: There is no catalog for `lang`.
    """

    def __init__(self, lang: str, names: Mapping[str, str] | None = None) -> None:
        if lang not in LANGUAGES:
            raise UnknownLanguage(f"there are no words for language {lang!r}; choose from {', '.join(LANGUAGES)}")
        self.lang = lang
        self._catalog = load(lang)
        self._names = dict(names or {})

    def naming(self, names: Mapping[str, str]) -> Words:
        """The same words with other players' names."""
        return Words(self.lang, names)

    def knows(self, key: str) -> bool:
        """Whether this language has a sentence for the key."""
        return key in self._catalog.keys

    def say(self, key: str, /, **values: Any) -> str:
        """The sentence of a key, its values filled in.

        Args:
            key: Such as 'ui.start'; a key that is not in the catalog comes back with its values, in angle brackets.
            values: By placeholder; `n` also chooses the plural form.
        """
        if key not in self._catalog.keys:
            return f"⟨{key}⟩{self._loose(values)}"
        pattern = self._catalog.pattern(key, values.get("n"))
        shown = _Shown({name: self.shown(name, value) for name, value in values.items()})
        sentence = pattern.format_map(shown)
        # A sender that left a value out gave others perhaps: a referee can read them out.
        return sentence + self._loose(values) if shown.is_wanting else sentence

    def _loose(self, values: Mapping[str, Any]) -> str:
        if not values:
            return ""
        return " (" + ", ".join(f"{name}: {self.shown(name, value)}" for name, value in values.items()) + ")"

    def shown(self, name: str, value: Any) -> str:
        """A value in the reader's words, chosen by the value's own name."""
        if value is None:
            return "–"
        if isinstance(value, bool):
            return self.say("value.yes" if value else "value.no")
        if isinstance(value, str):
            return self._word(name, value)
        if isinstance(value, Mapping):
            return self.listed(f"{self._word(name, str(k))}: {self.shown(str(k), v)}" for k, v in value.items())
        if isinstance(value, Iterable):
            return self.listed(self.shown(name, item) for item in value)
        if name in GAPS_MS:
            return self.shown("seconds", value / 1000) + " s"
        if name.endswith("_ms"):
            return duration(int(value))
        if isinstance(value, float):
            rounded = f"{value:.1f}".removesuffix(".0")
            return rounded if self.lang == "en" else rounded.replace(".", ",")
        return str(value)

    def button(self, button: str) -> str:
        """What people call a button of the panel, 'Seat 2' or 'Referee's key'; any other word as it stands."""
        number = button.removeprefix("seat")
        if number.isdigit():
            return self.say("button.seat", number=number)
        return self.say("button.referee") if button == "referee" else button

    def _word(self, name: str, value: str) -> str:
        if _singular(name) in ("button", "part") and (value == "referee" or value.startswith("seat")):
            return self.button(value)
        places = _place_names(self.lang)
        for key in (f"{name}.{value}", f"{_singular(name)}.{value}", f"cause.{value}" if name in CAUSES else ""):
            if key in self._catalog.keys:
                return self._catalog.pattern(key, None)
            if key in places:
                return places[key]
        return self._names.get(value, value)

    def listed(self, items: Iterable[str]) -> str:
        """The items as people say them: '6, 4 and 1'."""
        rest = list(items)
        if not rest:
            return self.say("value.nothing")
        if len(rest) == 1:
            return rest[0]
        return self.say("value.and", first=", ".join(rest[:-1]), last=rest[-1])

    def name(self, player: str) -> str:
        """A player's name, or the id where no name is known."""
        return self._names.get(player, player)

    def reason(self, reason: Mapping[str, Any]) -> str:
        """The sentence of a reason of the rules: `{"code": …, "clause": …, "values": {…}}`, clause at its end."""
        return self._coded("reason", reason, clause=reason.get("clause"))

    def problem(self, problem: Mapping[str, Any]) -> str:
        """The sentence of an error body: `{"problem": …, "message": …, "values": {…}}`."""
        code = str(problem.get("problem", ""))
        if f"problem.{code}" not in self._catalog.keys and problem.get("message"):
            return self.say("problem.other", message=problem["message"])
        return self._coded("problem", {"code": code, "values": problem.get("values")})

    def health(self, item: Mapping[str, Any]) -> str:
        """The sentence of one line of the table's health: `{"part": …, "state": …, "code": …, "values": {…}}`."""
        part = str(item.get("part", ""))
        code = str(item.get("code", ""))
        values = {**(item.get("values") or {}), "part": part}
        for key in (f"health.{part}.{code}", f"health.{code}"):
            if key in self._catalog.keys:
                return self.say(key, **values)
        return self.say("health.other", code=code, **values)

    def event(self, record: Mapping[str, Any]) -> str:
        """What one record of the journal says happened: `{"type": "tijd.sounded", "data": {…}}`."""
        return self._coded("event", {"code": record.get("type"), "values": record.get("data")})

    def _coded(self, family: str, said: Mapping[str, Any], clause: object = None) -> str:
        code = str(said.get("code", ""))
        values = dict(said.get("values") or {})
        if isinstance(values.get("dice"), list):
            # The rules name dice by their place in the row; people count them.
            values.setdefault("n", len(values["dice"]))
        key = f"{family}.{code}"
        sentence = self.say(key, **values) if key in self._catalog.keys else f"{code}{self._loose(values)}"
        return f"{sentence} ({self.say('value.clause', clause=clause)})" if clause else sentence

    def throw(self, side: str, ruling: Mapping[str, Any]) -> tuple[str, ...]:
        """What the rules make of one side's dice, first what lies there, then what to do, then why.

        Args:
            side: 'attack' or 'defence'.
            ruling: One side of the state's throw: `dice`, `action`, `counted`, `dropped`, `reroll`, `reasons`.
        """
        dice: Sequence[Mapping[str, Any]] = ruling.get("dice") or ()
        told = self.listed(self._dice_told(dice))
        sentences = [self.say(f"throw.{side}", n=len(dice), dice=told)]
        action = str(ruling.get("action", ""))
        reasons = [reason for reason in ruling.get("reasons") or () if reason.get("code") not in _SAID_ALREADY]
        if action == "reroll_some":
            again = [reason for reason in reasons if reason.get("code") in _REROLLS]
            sentences.append(self.say("throw.reroll", n=int(ruling.get("reroll") or 0)) + self._clauses(again))
            reasons = [reason for reason in reasons if reason not in again]
        elif action == "referee":
            sentences.append(self.say("throw.referee"))
            reasons = [reason for reason in reasons if not str(reason.get("code")).endswith(_WAITS)]
        elif action == "rethrow_all" and not reasons:
            sentences.append(self.say("throw.rethrow_all"))
        elif action == "accept" and ruling.get("dropped"):
            sentences.append(self.say("throw.counts", dice=ruling.get("counted") or ()))
        return (*sentences, *(self.reason(reason) for reason in reasons))

    def _clauses(self, reasons: Sequence[Mapping[str, Any]]) -> str:
        clauses = dict.fromkeys(str(reason["clause"]) for reason in reasons if reason.get("clause"))
        return f" ({self.say('value.clause', clause=list(clauses))})" if clauses else ""

    def _dice_told(self, dice: Sequence[Mapping[str, Any]]) -> list[str]:
        told = [str(die["value"]) for die in dice if die.get("verdict") == "valid" and die.get("value")]
        faults = [die.get("verdict") for die in dice if not (die.get("verdict") == "valid" and die.get("value"))]
        for verdict in dict.fromkeys(faults):
            kind = "unreadable" if verdict == "valid" else verdict
            told.append(self.say(f"throw.some.{kind}", n=faults.count(verdict)))
        return told


@cache
def _place_names(lang: str) -> Mapping[str, str]:
    """Continents, territories and objectives; the boards' own files hold their names in every language."""
    named: dict[str, Mapping[str, str]] = {}
    for board in (load_board("classic"), load_board("apoikia")):
        named |= {f"continent.{id_}": continent.name for id_, continent in board.continents.items()}
        named |= {f"territory.{id_}": territory.name for id_, territory in board.territories.items()}
    places = {key: name.get(lang, next(iter(name.values()))) for key, name in named.items()}
    # An objective that is claimed travels where a mission would.
    for kind in ("objective", "mission"):
        places |= {f"{kind}.{id_}": objective.name for id_, objective in load_objectives().items()}
    return places


class _Shown(dict[str, str]):
    """The values of a sentence; one that is wanted and not there is shown as a dash, and remembered."""

    is_wanting = False

    def __missing__(self, name: str) -> str:
        self.is_wanting = True
        return "–"


def _singular(name: str) -> str:
    return name[:-3] + "y" if name.endswith("ies") else name.removesuffix("s")


def duration(length_ms: int) -> str:
    """Minutes and seconds, hours only where there are any: 89:59 is told as 1:29:59.

    Args:
        length_ms: Milliseconds; below zero counts as zero, a begun second is not yet over.
    """
    seconds = max(0, -(-length_ms // 1000))
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
