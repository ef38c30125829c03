"""The lists of codes hold what the source can produce, and nothing else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import companion.rules
from companion.rules.errors import ERROR_CODES
from companion.rules.reason import REASON_CODES

LISTS = ("errors.py", "reason.py")
SOURCES = sorted(path for path in Path(companion.rules.__path__[0]).rglob("*.py") if path.name not in LISTS)


def _texts() -> tuple[set[str], set[str]]:
    """Literal strings of the rules outside the two lists, and composed ones as patterns."""
    literal: set[str] = set()
    composed: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [re.escape(p.value) if isinstance(p, ast.Constant) else ".+" for p in node.values]
                composed.add("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                literal.add(node.value)
    return literal, composed


def test_every_listed_code_can_be_produced() -> None:
    """No list promises a code that the source never uses."""
    literal, composed = _texts()
    patterns = [
        pattern for pattern in composed if re.search(r"[a-z]", pattern) and "-" in pattern and " " not in pattern
    ]

    unused = {
        code
        for code in (*REASON_CODES, *ERROR_CODES)
        if code not in literal and not any(re.fullmatch(pattern.replace("\\-", "-"), code) for pattern in patterns)
    }

    assert set() == unused
