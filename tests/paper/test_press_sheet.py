"""One truth about presses: docs/buttons.md and the sheet beside the box have the same rows in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.commands.saying import Sayings
from companion.paper.page import HEIGHT_MM, MARGIN_MM, Page
from companion.paper.press_sheet import draw, on_screen, press_rows, press_sheet, told
from companion.rules.ruleset import SYSTEMS
from companion.session.presses import CLOSES, Press
from companion.words import LANGUAGES

PAGE = Path(__file__).parents[2] / "docs" / "buttons.md"
SAY = Sayings("paper", "en")


def line(row: Press, before: str) -> str:
    """One row as the page has it."""
    when, whose, means = told(SAY, row)
    only = f" ({row.system})" if row.system else ""
    noted = f"`{row.noted}`" if row.noted else ""
    return f"| {'' if when == before else when + only} | {whose} | {means} | {noted} |".replace("|  |", "| |")


def lines() -> list[str]:
    """The whole table."""
    found, before = [], ""
    for row in press_rows():
        found.append(line(row, before))
        before = told(SAY, row)[0]
    return found


def test_the_page_has_the_rows_of_the_sheet() -> None:
    """Each row, in order, and none besides."""
    text = PAGE.read_text(encoding="utf-8")
    table = text.split("|---|---|---|---|\n")[1].split("\n\n")[0].splitlines()

    assert lines() == table


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_page_tells_what_each_system_has_of_its_own(system: str) -> None:
    """In the words of the sheet, and so does what the screen is for and what closes a throw."""
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    words = [f"paper.press.system.{system}", *(f"paper.press.closes.{word}" for word in CLOSES)]
    words += [f"paper.press.screen.{word}" for word in on_screen(system)]

    assert [] == [SAY(word) for word in words if SAY(word) not in text]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_sheet_is_one_page(system: str, lang: str) -> None:
    """Nothing falls off its lower edge, in no language."""
    say = Sayings("paper", lang)

    assert draw(Page("x"), say, system) <= HEIGHT_MM - MARGIN_MM
    assert press_sheet(say, system).startswith(b"%PDF")


def test_only_who_has_a_choice_is_asked_against_what() -> None:
    """Rebels and fleets; and only RisiKo! goes on with its combat."""
    assert {"apoikia", "rebels"} == {system for system in SYSTEMS if "against" in on_screen(system)}
    assert ["risiko"] == [system for system in SYSTEMS if any(row.when == "combat" for row in press_rows(system))]
