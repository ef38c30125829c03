"""Score sheet, standings, and the typeface they are printed in."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from companion.commands.saying import Sayings, spoken_language
from companion.paper import fonts
from companion.paper.fonts import FontMissing, face_for
from companion.paper.page import Page, text_width
from companion.paper.score_sheet import ScoreForm, score_sheet
from companion.paper.standings import Column, StandingsList, standings_sheet
from companion.words import LANGUAGES
from companion.words.catalog import read_po
from tests.paper.drawn import boxes

CATALOGS = sorted(
    file.name.removesuffix(".po") for file in (files("companion.words") / "locale/en/LC_MESSAGES").iterdir()
)
FORM = ScoreForm(continents=(("Azië", 20), ("Europa", 15)), territories=42)


def pages(pdf: bytes) -> int:
    """How many pages a PDF has."""
    return pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_score_sheet_is_one_page_in_every_language(lang: str) -> None:
    """All rows, the explanation and the lines to sign fit on one page."""
    pdf = score_sheet(Sayings("paper", lang), FORM)

    assert 1 == pages(pdf)
    assert max(box.y + box.height for box in boxes(pdf)) < 297 - 15


def test_every_continent_has_a_box_to_tick_per_seat() -> None:
    """Two continents and four seats are eight boxes of four millimetres."""
    pdf = score_sheet(Sayings("paper", "nl"), FORM)

    ticks = [box for box in boxes(pdf) if box.width == pytest.approx(4, abs=0.01)]

    assert 8 == len(ticks)


def test_a_name_that_is_too_long_stays_in_its_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long name is written smaller and then cut, never across the next player's column."""
    written: list[tuple[str, float]] = []
    monkeypatch.setattr(Page, "text", lambda _self, _x, _y, text, *, size=10, **_: written.append((text, size)))

    Page("t").fitted(0, 0, 30, "Wilhelmina " * 8, size=10)

    ((text, size),) = written
    assert text.endswith("…")
    assert text_width(text, size=size) <= 30


def test_a_short_name_keeps_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fits is left alone."""
    written: list[tuple[str, float]] = []
    monkeypatch.setattr(Page, "text", lambda _self, _x, _y, text, *, size=10, **_: written.append((text, size)))

    Page("t").fitted(0, 0, 30, "Anna", size=10)

    assert [("Anna", 10)] == written


@pytest.mark.parametrize(("players", "expected"), [(0, 1), (33, 1), (34, 2), (500, 16)])
def test_standings_take_as_many_pages_as_they_need(players: int, expected: int) -> None:
    """No player is left out, and no page is empty."""
    listing = StandingsList(
        title="Risktoernooi",
        note="",
        columns=(Column(head="1", width_mm=20), Column(head="2", width_mm=160)),
        rows=tuple((str(place), f"Player {place}") for place in range(1, players + 1)),
    )

    assert expected == pages(standings_sheet(Sayings("paper", "en"), listing))


def test_the_typeface_has_czech_letters() -> None:
    """Where the typeface is found, it is used for everything."""
    assert fonts.FACE == face_for("Příliš žluťoučký kůň úpěl ďábelské ódy")


def test_letters_that_no_typeface_has_are_refused() -> None:
    """A name is never printed with holes in it."""
    with pytest.raises(FontMissing) as caught:
        face_for("Anna 王")

    assert "王" == caught.value.letters


def test_without_the_typeface_western_names_still_print(monkeypatch: pytest.MonkeyPatch) -> None:
    """The built-in face serves as far as it goes, and says where it ends."""
    monkeypatch.setattr(fonts, "face_file", lambda: None)

    assert fonts.BUILT_IN == face_for("Zoë Müller – €5")
    with pytest.raises(FontMissing) as caught:
        face_for("Jiří")
    assert "ř" == caught.value.letters


def test_a_typeface_is_looked_for_in_the_system_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The system's file wins over the one that Kivy ships."""
    (tmp_path / "DejaVuSans.ttf").touch()
    monkeypatch.setattr(fonts, "SYSTEM_FOLDERS", (tmp_path,))
    fonts.face_file.cache_clear()

    found = fonts.face_file()

    fonts.face_file.cache_clear()
    assert tmp_path / "DejaVuSans.ttf" == found


@pytest.mark.parametrize("catalog", CATALOGS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_the_same_words(catalog: str, lang: str) -> None:
    """No sentence of the command line is missing in any language."""

    def keys(of: str) -> set[str]:
        file = files("companion.words") / "locale" / of / "LC_MESSAGES" / f"{catalog}.po"
        return set(read_po(file.read_text(encoding="utf-8"), source=of))

    assert keys("en") == keys(lang)


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({"LANG": "nl_NL.UTF-8"}, "nl"),
        ({"LC_ALL": "it_IT", "LANG": "nl_NL"}, "it"),
        ({"LC_ALL": "", "LC_MESSAGES": "cs_CZ", "LANG": "nl_NL"}, "cs"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE"}, "en"),
        ({}, "en"),
    ],
)
def test_the_terminal_chooses_the_language(environment: dict[str, str], lang: str) -> None:
    """Sheets speak the terminal's language, and English where we do not."""
    assert lang == spoken_language(environment)
