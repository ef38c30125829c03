"""`companion bench rules` measures every job."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.commands import bench_rules


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_every_job_is_measured(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """One line for the board, and one for each job and field."""
    monkeypatch.setattr(bench_rules, "FIELDS", (9, 30))
    monkeypatch.setattr(bench_rules, "REPEATS", 1)
    result = CliRunner().invoke(main, ["bench", "rules", *words])
    count = len(json.loads(result.stdout)["rules"]) if words else len(result.stdout.splitlines())

    assert (0, 7) == (result.exit_code, count)
