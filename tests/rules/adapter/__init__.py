"""Rule vectors asked of the rules: one thin function per operation, fields as docs/rules.md#vectors lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.rules.errors import RulesError
from companion.rules.ruleset import Ruleset, load_ruleset
from tests.rules.adapter import of_nl1996, of_others, of_risiko
from tests.rules.adapter.words import Answer, Given

OPERATIONS = {**of_nl1996.OPERATIONS, **of_risiko.OPERATIONS, **of_others.OPERATIONS}

# Words that the vectors use for options, where they differ from the option's own name.
_OPTION_WORDS = {"card_table": "cards.table", "bonus_mode": "owned_bonus"}


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
    """The system with whatever options the vector names, spelt with or without their path."""
    plain = load_ruleset(system)
    short = {name.rsplit(".", 1)[-1]: name for name in plain.choices} | {name: name for name in plain.choices}
    named = {**given, **given.get("options", {})}
    overrides = {}
    for key, value in named.items():
        name = _OPTION_WORDS.get(key, short.get(key.split(".", 1)[-1] if "." in key else key))
        if name in plain.choices and isinstance(value, str | bool | int | float) and _fits(plain, name, value):
            overrides[name] = value
    return load_ruleset(system, overrides)


def _fits(ruleset: Ruleset, name: str, value: object) -> bool:
    try:
        ruleset.choices[name].check(value)
    except RulesError:
        return False
    return True


def _shaped(field: str, value: Any) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str):
        rows = [sorted(row) if isinstance(row, list) else row for row in value]
        return rows if field in ("order", "pick_order") else sorted(rows, key=repr)
    return value
