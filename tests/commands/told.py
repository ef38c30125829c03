"""Examples in the docs: files that a page shows, commands that it runs, and what they print there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from companion.cli import main

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"<!-- (file|run): (.+?) -->\n```\w*\n(.*?)```\n", re.DOTALL)


class Said(NamedTuple):
    """What one command of a page printed, and what the page says that it prints."""

    command: str
    shown: Any
    printed: Any


def told_by(page: str, folder: Path) -> list[Said]:
    """Every command of a page, run in a folder with the page's files."""
    found = []
    for kind, words, text in _BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
        if kind == "file":
            (folder / words).write_text(text, encoding="utf-8")
            continue
        command, _, target = words.partition(" > ")
        result = CliRunner().invoke(main, shlex.split(command)[1:])
        if target:
            (folder / target).write_text(result.stdout, encoding="utf-8")
        found.append(Said(words, _plain(text), _plain((result.stdout or result.stderr).replace("\r\n", "\n"))))
    return found


def _plain(text: str) -> Any:
    """JSON as data without what other parts decide: the sentences and the hash of the rules; text as it is."""
    if not text.startswith("{"):
        return text
    return json.loads(text, object_hook=lambda row: {k: v for k, v in row.items() if k not in ("said", "hash")})
