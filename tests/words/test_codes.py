"""Every code that the program can utter has a sentence in every language."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import companion
from companion.rules.errors import ERROR_CODES
from companion.rules.missions import mission_cards
from companion.rules.reason import REASON_CODES
from companion.session.commands import PEOPLE
from companion.session.events import ALL_EVENTS
from companion.session.transitions import Phase
from companion.ui.screens.menu import CAUSES
from companion.words import LANGUAGES, Words
from companion.words.catalog import load

PACKAGE = Path(companion.__file__).parent

REFUSING = ("session", "table", "lan", "journal")
"""Parts of the program whose refusals reach the screen."""


def calls(parts: tuple[str, ...], name: str) -> Iterator[ast.Call]:
    """Calls of `name` in the source of some parts."""
    for part in parts:
        for path in sorted((PACKAGE / part).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                    called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                    if called == name:
                        yield node


def literals(call: ast.Call) -> list[str]:
    """The words among a call's positional arguments."""
    return [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]


def problem_codes() -> set[str]:
    """Codes of refusals, wherever they are made."""
    codes = {literals(call)[0] for name in ("Refused", "Problem") for call in calls(REFUSING, name) if literals(call)}
    for part in REFUSING:
        for path in sorted(set((PACKAGE / part).rglob("*.py")) - STARTING):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
                value = getattr(node, "value", None)
                if isinstance(target, ast.Name) and target.id == "code" and isinstance(value, ast.Constant):
                    codes.add(str(value.value))
    return codes - NEVER_SHOWN


STARTING = {PACKAGE / "table" / "serving.py"}
"""Where a service refuses to start at all: nobody is connected yet who could be shown why."""

NEVER_SHOWN = {
    # Roots that are never raised, and failures that stop the service itself and are told on its own stderr.
    "session", "broken-fold", "pin", "peer", "bad-address", "export-refused", "unknown-record", "part-died",
    "robot-lost", "unreadable-game",
}  # fmt: skip


def keys() -> set[str]:
    """Every key that must have a sentence."""
    wanted = {f"reason.{code}" for code in REASON_CODES}
    wanted |= {f"problem.{code}" for code in (*ERROR_CODES, *problem_codes())}
    wanted |= {f"event.{event.wire}" for event in ALL_EVENTS}
    wanted |= {f"command.{command.name}" for command in PEOPLE}
    wanted |= {f"phase.{phase.value}" for phase in Phase}
    wanted |= {f"mission.{card}" for card in mission_cards()}
    wanted |= {f"cause.{cause}" for causes in CAUSES.values() for cause in causes}
    wanted |= {f"ui.why.{command}" for command in CAUSES}
    return wanted


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_code_has_a_sentence(lang: str) -> None:
    """A code without a sentence would reach a referee as a code."""
    missing = keys() - load(lang).keys

    assert set() == missing


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_health_code_of_the_table_has_a_sentence(lang: str) -> None:
    """What the table says of its parts is told in words."""
    words = Words(lang)
    items = [literals(call) for call in calls(("table",), "item")]
    untold = [
        (part, code)
        for part, _, code in (item for item in items if len(item) == 3)
        if not (words.knows(f"health.{part}.{code}") or words.knows(f"health.{code}"))
    ]

    assert [] == untold


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_camera_fault_has_a_sentence(lang: str) -> None:
    """A camera that fails says in words what is wrong with it."""
    raised = [literals(call) for call in calls(("hw", "sim"), "RigError")]
    codes = {found[1] for found in raised if found[:1] == ["camera"] and len(found) > 1}
    untold = {code for code in codes if not Words(lang).knows(f"health.camera.{code}")}

    assert set() == untold


@pytest.mark.parametrize("lang", LANGUAGES)
def test_whatever_stood_in_the_way_of_reading_has_words(lang: str) -> None:
    """Each code with which the reader explains itself is told in words, of a die or of the view."""
    words = Words(lang)
    codes = set()
    for path in sorted((PACKAGE / "vision").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "why":
                value: ast.expr | None = node.value
            elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "why":
                value = node.value
            else:
                continue
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                codes.add(value.value)

    assert set() == {code for code in codes if not (words.knows(f"why.{code}") or words.knows(f"health.camera.{code}"))}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sentences_ask_only_for_values_that_their_code_brings(lang: str) -> None:
    """A placeholder that no sender fills would show as a dash."""
    translations = load(lang)
    wrong = {}
    for family, codes in (("reason", REASON_CODES), ("problem", ERROR_CODES)):
        for code, values in codes.items():
            pattern = translations.pattern(f"{family}.{code}", 2)
            asked = {name for _, name, _, _ in Formatter().parse(pattern) if name}
            if asked - {*values, "n"}:
                wrong[code] = asked - set(values)

    assert {} == wrong
