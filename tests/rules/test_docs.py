"""docs/rules.md says for every clause what does it, and its options and files are the real ones."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import companion.rules
from companion.rules.board import load_board
from companion.rules.objectives import read_objectives
from companion.rules.ruleset import SYSTEMS, load_ruleset, read_ruleset
from companion.rules.systems.apoikia_board import read_archipelago

PAGE = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
CLAUSES = tomllib.loads((Path(__file__).parent / "clauses.toml").read_text(encoding="utf-8"))


def section(system: str) -> str:
    """The part of the page on one system."""
    return PAGE.split(f"\n## {system}: ")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Cells of the table rows in a text, heads left out."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def found(name: str) -> Any:
    """What a name such as 'dice.judge' stands for in companion.rules; None when nothing does."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        path = Path(companion.rules.__path__[0]).joinpath(*parts[:length]).with_suffix(".py")
        if path.is_file():
            here: Any = importlib.import_module(".".join(["companion.rules", *parts[:length]]))
            for part in parts[length:]:
                here = getattr(here, part, None)
            return here
    return None


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_clause_has_its_function(system: str) -> None:
    """No clause of the list is missing or invented, and what does it is there and can be called."""
    done = {row[0]: re.findall(r"`([\w.]+)`", row[2]) for row in rows(section(system).split("### ")[0])[1:]}
    listed = CLAUSES[system]

    assert ({*listed["done"], *listed["help"]}, set(listed["help"])) == (
        set(done),
        {clause for clause, names in done.items() if not names},
    )
    assert [] == [name for names in done.values() for name in names if not callable(found(name))]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_option_is_listed(system: str) -> None:
    """All options with their values, the default first, and their clause."""
    listed = {row[0]: row[1:] for row in rows(section(system).split("### ")[1])[1:]}
    options = load_ruleset(system).choices

    assert {f"`{name}`" for name in options} == set(listed)
    for name, option in options.items():
        shown = re.findall(r"`([^`]+)`", listed[f"`{name}`"][0])
        values = [str(value).lower() for value in option.values or (option.default,)]
        assert (values, option.clause or "-") == (shown, listed[f"`{name}`"][1])


def examples(kind: str) -> list[str]:
    """The page's example files of one kind."""
    return re.findall(rf"<!-- {kind} -->\n```toml\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_files_are_read() -> None:
    """Rulesets, objectives and Apoikia's board as shown are accepted and mean what the page says."""
    club, organiser = (read_ruleset(text) for text in examples("ruleset"))
    (objectives,) = (read_objectives(text, board=load_board("risiko")) for text in examples("objectives"))
    (archipelago,) = map(read_archipelago, examples("archipelago"))

    assert ("Utrecht", "own", 75) == (club.name, club.option("cards.table"), club.number("time.game_minutes"))
    assert (8, "add_rebels") == (
        organiser.number("rebels.by_face.6"),
        organiser.at("rebels.by_combination.6-6-5.effect"),
    )
    assert ({"north"}, ("links", "island_bonus")) == (set(objectives), archipelago.unknown())
