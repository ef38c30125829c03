"""Nothing on the screen is written outside the words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import companion.ui
from companion.words.catalog import load

UI = Path(companion.ui.__file__).parent
SHOWN_BY = {"Text", "Button", "Buttons", "Bar", "Head", "DiceRow", "DieFace", "PlayerCard", "Stepper", "Picture"}
SHOWN_AS = {"text", "note", "label", "word", "name", "value", "missing", "place", "phase", "link", "clock", "menu_text"}
SENTENCE = re.compile(r"[A-Za-zÀ-ž]{2,}")


def sources() -> Iterator[tuple[Path, ast.Module]]:
    """Every module of the screen."""
    for path in sorted(UI.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def test_no_block_holds_a_literal_sentence() -> None:
    """What a block shows comes from the catalogs, never from the source."""
    found = []
    for path, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SHOWN_BY:
                for keyword in node.keywords:
                    shown = keyword.value
                    if (
                        keyword.arg in SHOWN_AS
                        and isinstance(shown, ast.Constant)
                        and SENTENCE.search(str(shown.value))
                    ):
                        found.append((path.name, node.lineno, shown.value))

    assert [] == found


def test_no_label_is_told_a_literal_sentence() -> None:
    """Widgets show what blocks say and write nothing themselves."""
    found = [
        (path.name, node.lineno)
        for path, tree in sources()
        if path.parent.name == "widgets"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "say"
        and any(isinstance(arg, ast.Constant) and SENTENCE.search(str(arg.value)) for arg in node.args)
    ]

    assert [] == found


def test_every_key_that_the_screen_says_is_in_the_catalogs() -> None:
    """A mistyped key would show as a key."""
    keys = load("en").keys
    found = []
    for path, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                key = node.args[0]
                if name == "say" and isinstance(key, ast.Constant) and "." in str(key.value) and key.value not in keys:
                    found.append((path.name, node.lineno, key.value))

    assert [] == found


def test_every_sentence_of_the_screen_is_used() -> None:
    """A key that nothing says is dead, and would be translated for nothing."""
    source = "\n".join(path.read_text(encoding="utf-8") for path, _ in sources())
    made = re.compile(
        r"ui\.(sure|why|tab|hand-out|tijd-throw|tijd-by|attack-short|defence-short|act|ask|finish|combat-ends)\b"
    )
    unused = {
        key for key in load("en").keys if key.startswith("ui.") and f'"{key}"' not in source and not made.match(key)
    }

    assert set() == unused


def test_the_screens_are_made_without_a_window() -> None:
    """Everything but the widgets, the window and its pictures can be tested without Kivy."""
    with_kivy = {
        path.relative_to(UI).as_posix()
        for path, tree in sources()
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("kivy")
    }
    allowed = {"app.py", "shots.py"}

    assert {path for path in with_kivy if not path.startswith("widgets/")} <= allowed
