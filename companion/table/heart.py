"""The heartbeat: where the game's clock stood a moment ago, for the start after a power cut.

The boot clock begins anew with each boot, so a journal alone can't tell how much of a game had gone when the plug was
pulled. Once a second the service notes boot, stamps and game time in a small file; after a power cut that note is at
most a second or two old. It is no fact and no evidence: losing it only means that the service says "I don't know".
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from companion.hw.clock import NS_PER_MS
from companion.session.snapshot import TableState

BEAT_S = 1.0
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """One heartbeat.

    Attributes:
        boot: Which run of the machine.
        at_ns: Boot-clock stamp.
        wall_ms: Wall clock, ms since 1970.
        elapsed_ms: Game time.
        seq: Newest record of the journal.
    """

    boot: str
    at_ns: int
    wall_ms: int
    elapsed_ms: int
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """How the service finds itself after a stop.

    Attributes:
        same_boot: Only the service had stopped; the boot clock still tells the time.
        away_ms: How long it was away, or None if nothing can tell.
        elapsed_ms: Game time to go on from.
    """

    same_boot: bool
    away_ms: int | None
    elapsed_ms: int


def boot_id() -> str:
    """The name of this run of the machine, as the kernel gives it."""
    return _BOOT_ID.read_text(encoding="ascii").strip()


def wall_ms() -> int:
    """The wall clock, ms since 1970; for people and for guessing an absence, never for intervals."""
    return int(datetime.now(UTC).timestamp() * 1000)


def wall_text() -> str:
    """The wall clock as ISO 8601 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Heart:
    """The heartbeat file of one table."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def beat(self, beat: Beat) -> None:
        """Note where the clock stands.

        Raises:
            OSError: The disk refuses.
        """
        fresh = self._path.with_suffix(".new")
        with fresh.open("wb") as file:
            file.write(msgspec.json.encode(beat))
            file.flush()
            os.fdatasync(file.fileno())
        fresh.replace(self._path)

    def last(self) -> Beat | None:
        """The newest beat, or None if there is none that can be read: it is a hint, and a torn one is worth nothing."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Beat)
        except (OSError, msgspec.MsgspecError):
            return None


def absence(
    state: TableState,
    last: Beat | None,
    *,
    journal_boot: str,
    newest_ns: int,
    opened_seq: int,
    boot: str,
    now_ns: int,
    now_wall_ms: int,
) -> Absence:
    """What can be known about the time that the service was away.

    Args:
        state: The table as the journal leaves it.
        last: The newest heartbeat.
        journal_boot: Boot of the journal's newest record.
        newest_ns: Stamp of that record.
        opened_seq: Number of the record that opened this game: an older heartbeat tells of another one.
        boot: This boot.
        now_ns: Boot clock now.
        now_wall_ms: Wall clock now.
    """
    if journal_boot == boot:
        elapsed_ms = state.clock.elapsed_at(now_ns) if state.clock else 0
        away = (now_ns - last.at_ns) // NS_PER_MS if last is not None and last.boot == boot else None
        return Absence(same_boot=True, away_ms=away, elapsed_ms=elapsed_ms)
    known_ms = state.clock.elapsed_at(newest_ns) if state.clock else 0
    if last is None or last.boot != journal_boot or last.seq < opened_seq:
        return Absence(same_boot=False, away_ms=None, elapsed_ms=known_ms)
    away_ms = now_wall_ms - last.wall_ms
    # A machine without a real-time clock wakes up in the past or keeps the hour of its shutdown; then nobody knows.
    elapsed_ms = max(known_ms, last.elapsed_ms)
    return Absence(same_boot=False, away_ms=away_ms if away_ms > 0 else None, elapsed_ms=elapsed_ms)
