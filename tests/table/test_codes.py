"""Every code that session and table can utter is on a list, and every code of the lists has a sentence."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import companion
from companion.session.events import NOTE_CODES
from companion.table.health import HEALTH_CODES
from companion.words import LANGUAGES, Words

PACKAGE = Path(companion.__file__).parent


def _calls(*names: str) -> Iterator[ast.Call]:
    for part in ("session", "table"):
        for path in sorted((PACKAGE / part).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                    if called in names:
                        yield node


def _words(node: ast.Call) -> set[str]:
    given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
    given += [way for arg in given if isinstance(arg, ast.IfExp) for way in (arg.body, arg.orelse)]
    return {arg.value for arg in given if isinstance(arg, ast.Constant) and isinstance(arg.value, str)}


def test_every_note_is_on_the_list() -> None:
    """A note that nobody listed would be shown as a code."""
    made = set().union(*(_words(call) for call in _calls("Note", "_noted", "_noted_once")))
    said = {word for call in _calls("_say_fault", "_on_fault", "_on_note") for word in _words(call)}
    buttons = {"button-stuck", "button-noisy", "button-healed"}

    assert set(NOTE_CODES) == made | said | buttons


def test_every_line_of_the_health_page_is_on_the_list() -> None:
    """Each literal code of an item."""
    found = {
        (part.value, code.value)
        for call in _calls("item")
        for part, code in [(call.args[0], call.args[2])]
        if isinstance(part, ast.Constant) and isinstance(code, ast.Constant)
    }

    assert [] == [pair for pair in found if f"{pair[0]}.{pair[1]}" not in HEALTH_CODES and pair[1] not in HEALTH_CODES]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_code_of_the_lists_has_a_sentence(lang: str) -> None:
    """In each language, so that a referee reads words."""
    words = Words(lang)

    assert [] == [code for code in NOTE_CODES if not words.knows(f"code.{code}")]
    assert [] == [code for code in HEALTH_CODES if not words.knows(f"health.{code}")]
