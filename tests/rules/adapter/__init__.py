"""Rule vectors asked of the rules: one thin function per operation, fields as docs/rules.md#vectors lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.rules.errors import RulesError
from companion.rules.ruleset import Option, Ruleset, load_ruleset
from tests.rules.adapter import of_nl1996, of_others, of_risiko
from tests.rules.adapter.words import Answer, Given

OPERATIONS = {**of_nl1996.OPERATIONS, **of_risiko.OPERATIONS, **of_others.OPERATIONS}

# Words that the vectors use for options, where they differ from the option's own name.
_OPTION_WORDS = {"card_table": "cards.table", "bonus_mode": "owned_bonus"}
_PREFIXES = ("nl.", "it.", "ap.", "rb.", "cz.", "dice.")


def answer(system: str, given: Given) -> Answer:
    """What the rules say to one vector's `given`."""
    return OPERATIONS[given["op"]](given, _ruleset(system, given))


def differences(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The fields asked for that differ, as (expected, actual); lists that stand for a set in any order."""
    return {
        field: (wanted, actual.get(field))
        for field, wanted in expected.items()
        if _shaped(field, wanted) != _shaped(field, actual.get(field, "missing"))
    }


def _ruleset(system: str, given: Given) -> Ruleset:
    """The system with whatever options the vector names, among its fields or under `options`.

    Among the fields a name may mean something else, so only a value that the option has makes it one; under
    `options` nothing else can be meant, and what does not fit is refused.
    """
    choices = load_ruleset(system).choices
    spelt = {spelling: name for name in choices for spelling in (name.rsplit(".", 1)[-1], name.replace(".", "_"), name)}

    def name_of(key: str) -> str:
        plain = next((key.removeprefix(prefix) for prefix in _PREFIXES if key.startswith(prefix)), key)
        return _OPTION_WORDS.get(plain, spelt.get(plain, plain))

    fields = {name_of(key): value for key, value in _flat(given)}
    overrides = {name: value for name, value in fields.items() if name in choices and _fits(choices[name], value)}
    for where in ("options", "option"):
        overrides |= {name_of(key): value for key, value in _flat(given.get(where) or {})}
    return load_ruleset(system, overrides)


def _flat(fields: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in fields.items():
        if isinstance(value, Mapping) and key not in ("options", "option"):
            yield from _flat(value, f"{at}{key}.")
        else:
            yield f"{at}{key}", value


def _fits(option: Option, value: Any) -> bool:
    try:
        option.check(value)
    except RulesError:
        return False
    return True


def _shaped(field: str, value: Any) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str):
        if field == "unresolved" and value and all(isinstance(row, str) for row in value):
            value = [value]
        rows = [sorted(row) if isinstance(row, list) else row for row in value]
        return rows if field in ("order", "pick_order") else sorted(rows, key=repr)
    return value
