"""A club's copy of a ruleset changes what exists, into something that can stand there, and nothing else."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import companion.rules
from companion.rules.cards import card_table
from companion.rules.dice import DieSeen, judge
from companion.rules.errors import RulesetError
from companion.rules.ruleset import SYSTEMS, load_ruleset, read_ruleset

OPEN = ("cards.tables", "rebels.by_face", "rebels.by_combination")


def leaves(data: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    """Every path of a ruleset's data with its value."""
    for key, value in data.items():
        path = f"{at}.{key}".lstrip(".")
        if isinstance(value, Mapping):
            yield from leaves(value, path)
        else:
            yield path, value


def copy(system: str, path: str, value: str) -> str:
    """A copy that changes one thing, the value as TOML."""
    return f'extends = "{system}"\n{".".join(json.dumps(key) for key in path.split("."))} = {value}'


LEAVES = [(system, path, value) for system in SYSTEMS for path, value in leaves(load_ruleset(system).data)]


@pytest.mark.parametrize(("system", "path", "value"), LEAVES)
def test_nothing_but_its_own_kind_can_stand_anywhere(system: str, path: str, value: Any) -> None:
    """Every number, word and list of every shipped ruleset refuses another kind, and what it can't be."""
    wrong = {
        bool: ["1", '"true"', "[]", "{a = 1}"],
        int: ["-1", "1000000", "1.0", "nan", "true", '"3"', "[3]", "{a = 1}"],
        str: ["1", "true", "[]", "{a = 1}"],
        tuple: ["1", '"x"', "[[]]", "[true]", "[-1, 2]", "{a = 1}"],
    }[type(value)]
    if type(value) is str and not path.rsplit(".", 1)[-1].startswith("clause"):
        wrong.append('"no such word"')
    for text in wrong:
        with pytest.raises(RulesetError) as refusal:
            read_ruleset(copy(system, path, text))
        assert refusal.value.code in ("ruleset-wrong-type", "ruleset-unknown-key"), text


@pytest.mark.parametrize(("system", "path", "value"), LEAVES)
def test_what_is_shipped_may_be_said_again(system: str, path: str, value: Any) -> None:
    """A copy that repeats what is shipped is the same rules."""
    text = json.dumps(value).replace("null", '""')

    assert load_ruleset(system).hash == read_ruleset(copy(system, path, text)).hash


@pytest.mark.parametrize(
    ("system", "text", "code"),
    [
        ("nl1996", "reinforcement.divisor = 0", "ruleset-wrong-type"),
        ("nl1996", "players.least = 5", "ruleset-wrong-type"),
        ("nl1996", "cards = 3", "ruleset-wrong-type"),
        ("nl1996", "name = 3", "ruleset-wrong-type"),
        ("nl1996", 'name = ""', "ruleset-wrong-type"),
        ("nl1996", "options = 3", "ruleset-wrong-type"),
        ("nl1996", "cards.tables.own = 3", "ruleset-wrong-type"),
        ("nl1996", "cards.tables.own = {infantry = 1}", "ruleset-wrong-type"),
        ("nl1996", "cards.tables.cz.tank = 1", "ruleset-unknown-key"),
        ("nl1996", 'cards.tables.cz.joker = "x"', "ruleset-wrong-type"),
        ("nl1996", 'cards.tables.cz.joker = "with_two_same"', "ruleset-wrong-type"),
        ("nl1996", "cards.tables.cz.joker_set = 12", "ruleset-wrong-type"),
        ("classic", 'dice.not_flat = "not_readable"', "ruleset-wrong-type"),
        ("risiko", "time.minutes.final = [150, 120]", "ruleset-wrong-type"),
        ("risiko", "time.minutes.final = [120]", "ruleset-wrong-type"),
        ("risiko", 'borders.deemed = [["egypt"]]', "ruleset-wrong-type"),
        ("risiko", 'borders.deemed = [["egypt", "siam"], ["egypt", 3]]', "ruleset-wrong-type"),
        ("nl1996", 'missions.removed = ["occupy_24", 3]', "ruleset-wrong-type"),
        ("rebels", "rebels.by_face.7 = 1", "ruleset-unknown-key"),
        ("rebels", "rebels.by_face.6 = -1", "ruleset-wrong-type"),
        ("rebels", 'rebels.by_combination.6-6 = {effect = "none"}', "ruleset-unknown-key"),
        ("rebels", 'rebels.by_combination.5-6-6 = {effect = "none"}', "ruleset-unknown-key"),
        ("rebels", "rebels.by_combination.6-6-5 = {amount = 2}", "ruleset-wrong-type"),
        ("rebels", 'rebels.by_combination.6-6-5 = {effect = "boom"}', "ruleset-wrong-type"),
        ("rebels", 'rebels.by_combination.6-6-5 = {effect = "add_rebels", amount = -2}', "ruleset-wrong-type"),
        ("rebels", 'rebels.by_combination.6-6-5 = {effect = "none", who = "me"}', "ruleset-unknown-key"),
    ],
)
def test_a_copy_that_means_nothing_is_refused(system: str, text: str, code: str) -> None:
    """Zero to divide by, a range upside down, half a card table, a die with seven faces."""
    with pytest.raises(RulesetError) as refusal:
        read_ruleset(f'extends = "{system}"\n{text}')

    assert code == refusal.value.code


def test_a_table_may_be_changed_in_part() -> None:
    """A number of a shipped card table, or a new table beside it."""
    rules = read_ruleset('extends = "nl1996"\ncards.tables.cz.infantry = 5')
    table = card_table(rules)

    assert table is not None
    assert (5, 6, 8) == table.same


def test_a_range_may_hold_one_length() -> None:
    """A club that always plays two hours says so."""
    rules = read_ruleset('extends = "risiko"\ntime.minutes.final = [120, 120]')

    assert (120, 120) == rules.at("time.minutes.final")


def test_a_word_of_another_system_may_stand() -> None:
    """A club that lets dice beside the box fall in the box rules is judged so, also when none is left."""
    rules = read_ruleset('extends = "classic"\ndice.outside = "drop"')
    ruling = judge([DieSeen(value=6, where="outside")], allowed=1, ruleset=rules)

    assert ("rethrow_all", "no-dice-rethrow") == (ruling.action, ruling.reasons[-1].code)


def test_no_number_stands_there_for_nothing() -> None:
    """Whatever a shipped ruleset says is asked for by name somewhere in the code, or its whole section is."""
    root = Path(companion.rules.__path__[0])
    code = "\n".join(path.read_text(encoding="utf-8") for path in root.parent.rglob("*.py"))
    asked = set(re.findall(r"[\"'.]([a-z_0-9]+)[\"'}]", code))
    whole = ("scheme.", "setup.units.", "win.cities.", "time.minutes.", "repechage_points.", "material.pieces.")
    said = {
        path
        for system in SYSTEMS
        for path, _ in leaves(tomllib.loads((files("companion.rules") / "data" / f"{system}.toml").read_text("utf-8")))
        if "." in path and not path.startswith(("options.", "cards.tables.", *whole))
    }

    assert set() == {path for path in said if path.rsplit(".", 1)[-1] not in asked}
