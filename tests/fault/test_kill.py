"""The plug is pulled: whatever was shown is still there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from companion.commands.kills import kill_again_and_again
from companion.journal import open_to_read

KILLS = 20


@pytest.mark.slow
def test_no_event_that_was_shown_is_lost_when_the_service_is_killed(tmp_path: Path) -> None:
    """Twenty SIGKILLs at random moments of play: each record that a client had seen is there, unchanged."""
    seen = asyncio.run(kill_again_and_again(tmp_path, kills=KILLS, seed=20261129))

    with open_to_read(tmp_path / "state" / "journal.sqlite") as journal:
        assert journal.verify().fault is None
        kept = {record.seq: record.hash for record in journal.all()}
    assert len(seen.records) > KILLS
    assert seen.records == {seq: kept.get(seq) for seq in seen.records}
