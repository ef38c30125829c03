"""Rulesets as data: the numbers and the options of one system, with a name and a hash that stand on every result.

A ruleset file has `[options.NAME]` tables (the allowed values, the first one being the default, or a range of
numbers) and sections of plain numbers and words. `base` inherits from another shipped file what the text leaves
to the box rules. A club's own copy says `extends = "nl1996"`, chooses options under `[options]` and changes what
it likes, but only what exists: an unknown key or another kind of value is refused.

The hash covers everything except the name, so two copies with the same rules have the same hash.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, cast

from companion.rules.copies import BOOKKEEPING, changed
from companion.rules.errors import RulesetError

SYSTEMS: Final = ("nl1996", "risiko", "classic", "apoikia", "rebels")
"""The shipped systems."""

OptionValue = bool | int | float | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice that a director makes before a tournament.

    Attributes:
        name: As in docs/rules.md, such as 'pending_throw'.
        default: What holds when nobody chose.
        values: All allowed values, the default first; empty for a number within a range.
        least: Lowest number allowed, when there are no values.
        most: Highest number allowed, when there are no values.
        clause: The clause that leaves the choice open.
        doubtful: True when the set-up must show it, because tables of different boxes differ.
    """

    name: str
    default: OptionValue
    values: tuple[OptionValue, ...]
    least: float
    most: float
    clause: str
    doubtful: bool

    def check(self, value: object) -> OptionValue:
        """The value in its own type; text such as 'true' or '3' is understood.

        Raises:
            RulesetError: The value is not allowed.
        """
        if self.values:
            for allowed in self.values:
                if _plain(allowed) == _plain(value):
                    return allowed
            allowed_text: object = list(self.values)
        else:
            try:
                number = float("nan") if isinstance(value, bool) else float(cast("str", value))
            except (TypeError, ValueError, OverflowError):
                number = float("nan")
            if self.least <= number <= self.most:
                return number
            allowed_text = f"{self.least:g} to {self.most:g}"
        raise RulesetError(
            "bad-option",
            f"option {self.name!r} can't be {value!r}; choose from {allowed_text}",
            option=self.name,
            value=value,
            allowed=allowed_text,
        )


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool | int | str) else repr(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """The rules that a table plays by.

    Attributes:
        name: The name on the result, such as 'nl1996' or a club's own.
        system: One of `SYSTEMS`.
        board: Id of the board file that belongs to the system.
        options: The value of every option.
        choices: Every option with what else it could be.
        data: The system's numbers and words by section.
        hash: SHA-256 over system, board, options and data, 64 hex digits.
    """

    name: str
    system: str
    board: str
    options: Mapping[str, OptionValue]
    choices: Mapping[str, Option]
    data: Mapping[str, Any]
    hash: str

    def option(self, name: str) -> OptionValue:
        """The chosen value of an option that this system has."""
        return self.options[name]

    def at(self, path: str) -> Any:
        """What the ruleset says under a path such as 'time.game_minutes'; None when it says nothing."""
        found: Any = self.data
        for key in path.split("."):
            if not isinstance(found, Mapping) or key not in found:
                return None
            found = found[key]
        return found

    def number(self, path: str) -> int:
        """The whole number under a path that this system has."""
        return cast("int", self.at(path))

    def word(self, path: str) -> str:
        """The word under a path that this system has."""
        return cast("str", self.at(path))

    def table(self, path: str) -> Mapping[str, Any]:
        """The section under a path that this system has."""
        return cast("Mapping[str, Any]", self.at(path))

    def doubtful(self) -> tuple[Option, ...]:
        """The choices that a set-up screen names to the director instead of hiding them in defaults."""
        return tuple(option for option in self.choices.values() if option.doubtful)

    def edition(self) -> str | None:
        """Edition of the board on the table; None for a system whose board has no editions."""
        return cast("str | None", self.options.get("board.edition"))


def load_ruleset(name: str, overrides: Mapping[str, object] | None = None) -> Ruleset:
    """A shipped ruleset with the options that the director chose.

    Args:
        name: One of `SYSTEMS`.
        overrides: Option name to value, for those that differ from the default.

    Raises:
        RulesetError: No such ruleset, no such option, or a value that the option does not have.
    """
    if name not in SYSTEMS:
        raise RulesetError(
            "unknown-ruleset",
            f"there is no ruleset {name!r}; choose one of {', '.join(SYSTEMS)}",
            name=name,
            known=list(SYSTEMS),
        )
    shipped = _shipped(name)
    return _made(name, name, shipped, overrides or {}, shipped)


def read_ruleset(text: str, overrides: Mapping[str, object] | None = None) -> Ruleset:
    """A club's own ruleset from the text of its TOML file.

    Args:
        text: `name`, `extends`, `[options]` with chosen values, and the sections that differ.
        overrides: Options that the director chose on top.

    Raises:
        RulesetError: The text is no TOML, extends nothing known, or changes what does not exist.
    """
    try:
        own = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesetError(
            "ruleset-unreadable", f"this is not a ruleset file: {error}; see docs/rules.md#rulesets", why=str(error)
        ) from error
    extends = own.pop("extends", None)
    if extends not in SYSTEMS:
        raise RulesetError(
            "unknown-ruleset",
            f"'extends' names {extends!r}; a ruleset extends one of {', '.join(SYSTEMS)}",
            name=extends,
            known=list(SYSTEMS),
        )
    name, options = own.pop("name", extends), own.pop("options", {})
    for key, value, kind in (("name", name, str), ("options", options, dict)):
        if not isinstance(value, kind) or value == "":
            wanted = "text" if kind is str else "a section [options]"
            raise RulesetError(
                "ruleset-wrong-type", f"{key!r} must be {wanted}, got {value!r}", key=key, value=value, wanted=wanted
            )
    chosen = {**dict(_flat(options)), **(overrides or {})}
    shipped = _shipped(extends)
    return _made(name, extends, shipped, chosen, changed(shipped, own, lambda path: _words(path, extends)))


@cache
def _shipped(name: str) -> dict[str, Any]:
    """What a shipped file says, its base included; parsed once, and never changed after."""
    path = files("companion.rules") / "data" / f"{name}.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    if "base" not in data:
        return data
    base = dict(_shipped(data["base"]))
    left_out = data["base_options_left_out"]
    base["options"] = {name: option for name, option in base["options"].items() if name not in left_out}
    return _merged(base, data)


def _merged(base: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in own.items():
        known = merged.get(key)
        merged[key] = _merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def _words(path: str, system: str) -> set[str]:
    """What the shipped rulesets have under a path, without the options that only others have."""
    found: set[str] = set()
    foreign = {name for other in SYSTEMS for name in _shipped(other)["options"]} - _shipped(system)["options"].keys()
    for shipped in map(_shipped, SYSTEMS):
        here: Any = shipped
        for key in path.split("."):
            here = here.get(key, {})
        found |= {here} if isinstance(here, str) else set()
    return found.difference(foreign)


def _flat(options: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, object]]:
    """Options as pairs; `cascade.mode` unquoted in TOML is a table, which means the same."""
    for key, value in options.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{at}{key}.")
        else:
            yield f"{at}{key}", value


def _made(
    name: str, system: str, shipped: Mapping[str, Any], chosen: Mapping[str, object], data: Mapping[str, Any]
) -> Ruleset:
    choices = {key: _option(key, table) for key, table in shipped["options"].items()}
    options = {key: option.default for key, option in choices.items()}
    for key, value in chosen.items():
        if key not in choices:
            raise RulesetError(
                "unknown-option",
                f"{system} has no option {key!r}; it has {', '.join(sorted(choices))}",
                option=key,
                system=system,
                known=sorted(choices),
            )
        options[key] = choices[key].check(value)
    sections = {key: value for key, value in data.items() if key not in BOOKKEEPING}
    table = options.get("cards.table")
    if table not in (None, "organiser") and table not in sections["cards"]["tables"]:
        raise RulesetError(
            "card-table-missing",
            f"the card table {table!r} is chosen, but the ruleset has no [cards.tables.{table}]; "
            "add it to the club's ruleset file, or choose a table that is there",
            table=table,
        )
    content = {"system": system, "board": shipped["board"], "options": options, "data": sections}
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return Ruleset(
        name=name,
        system=system,
        board=shipped["board"],
        options=MappingProxyType(options),
        choices=MappingProxyType(choices),
        data=_frozen(sections),
        hash=hashlib.sha256(canonical.encode()).hexdigest(),
    )


def _option(name: str, table: Mapping[str, Any]) -> Option:
    values = tuple(table.get("values", ()))
    return Option(
        name=name,
        default=values[0] if values else table["default"],
        values=values,
        least=table.get("least", 0.0),
        most=table.get("most", 0.0),
        clause=table["clause"],
        doubtful=table.get("doubtful", False),
    )


def _frozen(data: Any) -> Any:
    if isinstance(data, Mapping):
        return MappingProxyType({key: _frozen(value) for key, value in data.items()})
    return tuple(_frozen(value) for value in data) if isinstance(data, list) else data
