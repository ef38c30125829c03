"""`companion bench table` measures every promise and says which are kept; the figures are no test's business."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from companion.commands.bench_table import command


@pytest.mark.slow
def test_every_promise_is_measured() -> None:
    """One figure each, and the exit code tells whether all limits hold."""
    few = ["--kills", "1", "--signals", "10", "--presses", "10", "--hours", "1", "--throws", "2", "--answers", "20"]

    result = CliRunner().invoke(command, [*few, "--json"])

    figures = json.loads(result.stdout)["table"]
    assert 18 == len(figures)
    assert ["10 of 10 right"] == [f["value"] for f in figures if f["measure"].startswith("order")]
    assert ["0"] == [f["value"] for f in figures if f["measure"].startswith("events lost")]
    assert ["2"] == [f["value"] for f in figures if f["measure"].startswith("2 clean throws")]
    assert ["1, 0"] == [f["value"] for f in figures if "touches of the screen" in f["measure"]]
    assert (0 if all(f["met"] for f in figures) else 1) == result.exit_code
