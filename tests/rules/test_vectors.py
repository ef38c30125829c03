"""Every rule vector of a file gets the answer that it expects."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.rules.adapter import answer, differences

DATA = Path(__file__).parents[1] / "data"
FILES = (
    [Path(os.environ["RULE_VECTORS"])]
    if "RULE_VECTORS" in os.environ
    else [DATA / "rules-vectors.json", DATA / "rules-vectors-own.json"]
)


def _vectors() -> list[dict[str, Any]]:
    vectors: list[dict[str, Any]] = []
    for path in FILES:
        found = json.loads(path.read_text(encoding="utf-8"))
        vectors += found["vectors"] if isinstance(found, dict) else found
    return vectors


@pytest.mark.parametrize("vector", _vectors(), ids=lambda vector: str(vector.get("id", "")))
def test_a_vector_gets_its_answer(vector: dict[str, Any]) -> None:
    """The rules answer a vector as its clause says."""
    given = answer(vector["system"], vector["given"])

    assert {} == differences(vector["expect"], given), vector.get("why", "")
