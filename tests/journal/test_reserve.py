"""Room for a game's facts: really taken, given up once, taken again when there is plenty."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.journal import reserve
from companion.journal.reserve import Reserve

SIZE = 256 * 1024


def test_the_room_is_really_taken(tmp_path: Path) -> None:
    """Blocks, not only a length; and again nothing."""
    kept = Reserve(tmp_path / "reserve.bin", size_bytes=SIZE)

    assert (False, True, True) == (kept.is_kept, kept.keep(), kept.keep())
    assert (tmp_path / "reserve.bin").stat().st_blocks * 512 >= SIZE
    assert (True, False, False) == (kept.give_up(), kept.give_up(), kept.is_kept)


@pytest.mark.parametrize("spare", [0, 2 * SIZE - 1])
def test_a_disk_that_has_not_twice_the_room_keeps_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: int
) -> None:
    """What was just given up must not be taken away from the facts again."""
    usage = type("Usage", (), {"free": spare})
    monkeypatch.setattr(reserve.shutil, "disk_usage", lambda _folder: usage)

    assert not Reserve(tmp_path / "reserve.bin", size_bytes=SIZE).keep()


def test_a_disk_that_refuses_leaves_no_half_reserve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file without its blocks would only pretend."""

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(reserve.os, "posix_fallocate", refuse)

    assert not Reserve(tmp_path / "reserve.bin", size_bytes=SIZE).keep()
    assert [] == list(tmp_path.iterdir())
