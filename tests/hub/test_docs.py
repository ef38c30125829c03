"""docs/hub.md and docs/journal.md tell what the programs do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.commands.hub import command
from companion.hub.app import hub_app
from companion.hub.hall import Hall
from companion.words.keys_hub import SENTENCES

from .conftest import Bench

DOCS = Path(__file__).parents[2] / "docs"


def test_every_option_is_explained() -> None:
    """docs/hub.md names each option of the command."""
    page = (DOCS / "hub.md").read_text(encoding="utf-8")
    missing = [option.opts[0] for option in command.params if f"`{option.opts[0]}" not in page]

    assert [] == missing


async def test_every_address_is_explained(bench: Bench) -> None:
    """docs/hub.md names each address that the hub serves."""
    page = (DOCS / "hub.md").read_text(encoding="utf-8")
    app = hub_app(Hall([]), bench.ledger, lang="nl", now_ns=bench.clock)
    served = {route.resource.canonical for route in app.router.routes() if route.resource is not None}
    shown = {re.sub(r"\{(\w+)\}", lambda part: part[1].upper(), path) for path in served - {"/static/{name}"}}

    assert set() == {path for path in shown if f"`{path}`" not in page}


@pytest.mark.parametrize("family", ["hub.contradiction.", "hub.chapter."])
def test_every_flag_is_explained(family: str) -> None:
    """docs/hub.md explains each thing that the page warns of."""
    page = (DOCS / "hub.md").read_text(encoding="utf-8")
    codes = {key.removeprefix(family) for key in SENTENCES if key.startswith(family)}

    assert set() == {code for code in codes if f"`{code}`" not in page}


def test_every_finding_is_explained() -> None:
    """docs/journal.md explains each finding of `companion journal verify`."""
    page = (DOCS / "journal.md").read_text(encoding="utf-8")
    source = (DOCS.parent / "companion" / "journal" / "checking.py").read_text(encoding="utf-8")
    codes = [word for word in ("picture-missing", "picture-altered", "picture-given-up", "picture-left-behind",
                               "picture-orphan", "torn-tail") if f'"{word}"' in source]  # fmt: skip

    assert (6, []) == (len(codes), [code for code in codes if f"`{code}`" not in page])
