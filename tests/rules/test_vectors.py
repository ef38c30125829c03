"""Every rule vector of a file gets the answer that it expects."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.rules.adapter import answer, differences

VECTORS = Path(os.environ.get("RULE_VECTORS", Path(__file__).parents[1] / "data" / "rules-vectors.json"))


def _vectors() -> list[dict[str, Any]]:
    found = json.loads(VECTORS.read_text(encoding="utf-8"))
    vectors: list[dict[str, Any]] = found["vectors"] if isinstance(found, dict) else found
    return vectors


@pytest.mark.parametrize("vector", _vectors(), ids=lambda vector: str(vector["id"]))
def test_a_vector_gets_its_answer(vector: dict[str, Any]) -> None:
    """The rules answer a vector as its clause says."""
    given = answer(vector["system"], vector["given"])

    assert {} == differences(vector["expect"], given), vector["why"]
