"""The heartbeat: where the game's clock stood a moment ago, for the start after a power cut.

The boot clock begins anew with each boot, so a journal alone can't tell how much of a game had gone when the plug was
pulled. Once a second the service notes boot, stamps and game time in a small file; after a power cut that note is at
most a second or two old. It is no fact and no evidence: losing it only means that the service says "I don't know".
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import msgspec
import structlog

from companion.hw.clock import NS_PER_MS, boot_ns
from companion.journal import JournalError
from companion.session.commands import TellAbsence
from companion.session.snapshot import TableState
from companion.session.transitions import Phase

BEAT_S = 1.0
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """One heartbeat.

    Attributes:
        boot: Which run of the machine.
        at_ns: Boot-clock stamp.
        wall_ms: Wall clock, ms since 1970.
        elapsed_ms: Game time.
        seq: Newest record of the journal.
        hub_ms: The hub's wall clock at that moment, if it was heard in this run of the machine.
    """

    boot: str
    at_ns: int
    wall_ms: int
    elapsed_ms: int
    seq: int
    hub_ms: int | None = None


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


def wall_ms() -> int:
    """The wall clock, ms since 1970; for people and for guessing an absence, never for intervals."""
    return int(datetime.now(UTC).timestamp() * 1000)


def wall_text() -> str:
    """The wall clock as ISO 8601 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


STEP_MS = 1000
"""A wall clock that is set right by less than this between two looks did not jump."""

_GLANCE_NS = 5_000_000


class WallClock:
    """Notices when the wall clock jumps against the boot clock.

    Theory: what is compared is the difference of the two clocks, so it does not matter how long ago it was looked at.
    A look that took long (the process was held up between the two readings) proves nothing and is left for the next.

    Args:
        wall: The wall clock, ms since 1970.
        boot: The boot clock, ns.
    """

    def __init__(self, wall: Callable[[], int] = wall_ms, boot: Callable[[], int] = boot_ns) -> None:
        self.read = wall
        self._boot = boot
        self._offset_ms: int | None = None
        self._seen_ms: int | None = None

    def stepped_ms(self) -> int | None:
        """By how much it has jumped since the last look, once that is noted; None if it has not."""
        before_ns = self._boot()
        wall_now_ms = self.read()
        if self._boot() - before_ns > _GLANCE_NS:
            return None
        self._seen_ms = wall_now_ms - before_ns // NS_PER_MS
        by_ms = 0 if self._offset_ms is None else self._seen_ms - self._offset_ms
        if abs(by_ms) >= STEP_MS:
            return by_ms
        # The slow putting right by the network's time is followed and never adds up to a jump.
        self._offset_ms = self._seen_ms
        return None

    def note(self) -> None:
        """The jump was written down: from here on it is the wall clock as it is."""
        self._offset_ms = self._seen_ms


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


@dataclass(frozen=True, slots=True)
class Untold:
    """An absence whose length nothing could tell at the start; a clock that is right may tell it later.

    Attributes:
        last: The newest heartbeat before it.
        back_ms: Boot clock when the table was back, ms.
    """

    last: Beat
    back_ms: int

    def by(self, clock_ms: int, now_ms: int, before_ms: int | None) -> int | None:
        """How long it was by a clock that shows `clock_ms` now and showed `before_ms` at the last beat."""
        if before_ms is None:
            return None
        away_ms = clock_ms - (now_ms - self.back_ms) - before_ms
        return away_ms if away_ms > 0 else None


class Tell(Protocol):
    """Hands a command to the service."""

    def __call__(self, command: TellAbsence, *, by: str) -> None:
        """Hand it over; returns at once."""


class Pulse:
    """The service's own beat: where the game's clock stands, and whether the wall clock has jumped.

    Args:
        heart: The heartbeat file.
        boot: This run of the machine.
        is_wall_right: Whether a network or a battery keeps the wall clock right.
    """

    def __init__(self, heart: Heart, boot: str, is_wall_right: Callable[[], bool]) -> None:
        self.heart = heart
        self.is_wall_right = is_wall_right
        self.wall = WallClock()
        self._untold: Untold | None = None
        self._boot = boot
        self._fails = False
        self._hub_offset_ms: int | None = None

    def came_back(self, last: Beat | None, gap: Absence) -> None:
        """The table is back; where nothing tells how long it was away, a clock that is right may tell it later."""
        if last is not None and gap.away_ms is None:
            self._untold = Untold(last, boot_ns() // NS_PER_MS)

    def tell_by_hub(self, hub_ms: int, tell: Tell) -> None:
        """The hub said what its wall clock shows."""
        now_ms = boot_ns() // NS_PER_MS
        self._hub_offset_ms = hub_ms - now_ms
        if self._untold is not None:
            self._tell(self._untold.by(hub_ms, now_ms, self._untold.last.hub_ms), tell, by="hub")

    def tell_by_wall(self, tell: Tell) -> None:
        """The table's own wall clock may have been set right since."""
        if self._untold is not None and self.is_wall_right():
            self._tell(self._untold.by(wall_ms(), boot_ns() // NS_PER_MS, self._untold.last.wall_ms), tell, by="clock")

    def _tell(self, away_ms: int | None, tell: Tell, *, by: str) -> None:
        if away_ms is not None:
            tell(TellAbsence(away_ms=away_ms), by=by)
            self._untold = None

    def beat(self, state: TableState, seq: int) -> None:
        """Note where the clock stands, as long as the table is not closed."""
        if state.clock is None or state.phase is Phase.CLOSED:
            return
        now_ns = boot_ns()
        elapsed_ms = state.clock.elapsed_at(now_ns)
        offset_ms = self._hub_offset_ms
        beat = Beat(
            boot=self._boot,
            at_ns=now_ns,
            wall_ms=wall_ms(),
            elapsed_ms=elapsed_ms,
            seq=seq,
            hub_ms=None if offset_ms is None else offset_ms + now_ns // NS_PER_MS,
        )
        try:
            self.heart.beat(beat)
        except OSError as error:
            # Said once and not each second: a full disk needs no log that grows.
            if not self._fails:
                _log.warning("heartbeat not written", why=str(error))
            self._fails = True
        else:
            self._fails = False

    def look_at_wall(self, note: Callable[[int], object]) -> None:
        """Have it noted where the wall clock jumped; a disk that refuses is asked again at the next look."""
        by_ms = self.wall.stepped_ms()
        if by_ms is None:
            return
        try:
            note(by_ms)
        except JournalError as error:
            _log.error("step of the wall clock not written", by_ms=by_ms, why=str(error))
        else:
            self.wall.note()


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
    is_wall_right: bool,
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
        is_wall_right: Whether a network or a battery has kept it right while the machine was off.
    """
    if journal_boot == boot:
        elapsed_ms = state.clock.elapsed_at(now_ns) if state.clock else 0
        away = None
        if last is not None and last.boot == boot:
            # What was written after the last beat shows that the service still ran then.
            away = (now_ns - max(last.at_ns, newest_ns)) // NS_PER_MS
        return Absence(same_boot=True, away_ms=away, elapsed_ms=elapsed_ms)
    known_ms = state.clock.elapsed_at(newest_ns) if state.clock else 0
    if last is None or last.boot != journal_boot or last.seq < opened_seq:
        return Absence(same_boot=False, away_ms=None, elapsed_ms=known_ms)
    away_ms = now_wall_ms - last.wall_ms
    # A machine without a real-time clock wakes up in the past or keeps the hour of its shutdown; then nobody knows.
    elapsed_ms = max(known_ms, last.elapsed_ms)
    return Absence(same_boot=False, away_ms=away_ms if is_wall_right and away_ms > 0 else None, elapsed_ms=elapsed_ms)
