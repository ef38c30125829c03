"""docs/faults.md: every fault that is listed has its test, and every test of a fault is listed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
NOT_OF_A_FAULT = {"test_docs.py", "test_journal.py::test_an_orderly_start_puts_nothing_aside"}


def listed() -> list[str]:
    """Each test in the page's table of faults."""
    return re.findall(r"\| `(tests/[\w/]+\.py::\w+)` \|$", PAGE, re.MULTILINE)


def cases_of(path: Path) -> set[str]:
    """Names of the tests in a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, kinds) and node.name.startswith("test_")}


def test_every_fault_on_the_page_has_its_test() -> None:
    """The test that a line names is there."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and line.count("|") == 6]

    missing = [name for name in listed() if name.split("::")[1] not in cases_of(ROOT / name.split("::")[0])]

    assert [] == missing
    assert len(rows) - 1 == len(listed())


def test_every_test_of_a_fault_is_on_the_page() -> None:
    """Whoever adds a fault tells of it."""
    here = Path(__file__).parent
    found = {f"{path.name}::{name}" for path in here.glob("test_*.py") for name in cases_of(path)}
    told = {name.removeprefix("tests/fault/") for name in listed()}

    assert set() == {name for name in found - told if not name.startswith(tuple(NOT_OF_A_FAULT))}
