"""The signal: sounded at once, ruled when the camera has looked at its moment, written until it is written.

Theory. The signal is the one thing at a table that is decided later than it happens. The buzzer goes from the alarm's
own thread; the ruling waits for the frames around that moment, a second at the most. What people ask for in between (a
claim, a press) came after the signal and is held until it has been ruled; what the camera saw in between is what the
ruling waits for. Only the first signal of a game counts, and one that sounded is never lost: a disk that refuses it is
asked again every second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

import structlog

from companion.hw.clock import NS_PER_MS, boot_ns
from companion.journal import JournalError
from companion.rules.ruleset import Ruleset
from companion.session import commands as c
from companion.session.errors import SessionError
from companion.session.snapshot import TableState
from companion.session.transitions import Asker, Phase
from companion.table.panel import TablePanel

CAMERA_CATCHES_UP_MS = 1000
"""How long the ruling of a signal waits for the camera to have looked at the moment of the signal."""

WRITE_AGAIN_S = 1.0
_LOOK_AGAIN_S = 0.01
_ROUNDING_MS = 5
"""Between real and game time on the way of an alarm."""

_log = structlog.get_logger()


class SignalEye(Protocol):
    """What the camera's side knows about the moment of the signal."""

    @property
    def frame_ns(self) -> int:
        """Time between two frames; 0 without a camera."""

    @property
    def rolling_since_ns(self) -> int | None:
        """First motion of dice that have not been read yet, or None."""

    def has_seen(self, at_ns: int) -> bool:
        """Whether every frame up to `at_ns` has been looked at; True without a camera."""


class Decider(Protocol):
    """The one writer, as the signal needs it."""

    @property
    def state(self) -> TableState:
        """The table as it stands."""

    @property
    def ruleset(self) -> Ruleset | None:
        """The rules of the game."""

    @property
    def length_ms(self) -> int | None:
        """Game time after which the table's own clock gives the signal; None where it must not, or can't know."""

    def carry_out(
        self,
        command: c.Command,
        asker: Asker,
        *,
        by: str | None = None,
        command_id: str | None = None,
        beside: Callable[[], None] | None = None,
    ) -> tuple[int, ...]:
        """Decide a command and write its facts."""


class Tijd:
    """The signal of one table.

    Args:
        decider: Decides and writes.
        panel: What sounds, or None on a rig without.
        eye: The camera's side, or None on a rig without.
    """

    def __init__(self, decider: Decider, *, panel: TablePanel | None, eye: SignalEye | None) -> None:
        self._decider = decider
        self._panel = panel
        self._eye = eye
        self._is_ruling = False
        self._rang_due_ns: int | None = None

    def due_ns(self) -> int | None:
        """When the table's own clock gives the signal; None where it stands or the organiser gives it."""
        state, length_ms = self._decider.state, self._decider.length_ms
        if state.phase is not Phase.PLAYING or state.clock is None or state.tijd is not None or length_ms is None:
            return None
        return state.clock.due_ns(length_ms)

    def to_arm_ns(self) -> int | None:
        """The moment for which an alarm must be armed: none for a signal that has sounded and is being ruled."""
        due_ns = self.due_ns()
        return None if due_ns == self._rang_due_ns else due_ns

    def ring(self) -> None:
        """The alarm rang: sound; safe from any thread, returns at once."""
        self._rang_due_ns = self.due_ns()
        if self._panel is not None:
            self._panel.tijd()

    def sound_now(self) -> int:
        """Give the signal by hand: buzzer and lamps at once; the stamp of the moment."""
        if self._panel is not None:
            self._panel.tijd()
        return boot_ns()

    @property
    def is_ending(self) -> bool:
        """Whether a signal has sounded that has not been ruled yet."""
        due_ns = self.due_ns()
        return self._is_ruling or (due_ns is not None and boot_ns() >= due_ns)

    async def ruled(self) -> None:
        """Wait until a signal that has sounded has been ruled; a disk that refuses it is not waited for longer."""
        give_up_ns = boot_ns() + 2 * CAMERA_CATCHES_UP_MS * NS_PER_MS
        while self.is_ending and boot_ns() < give_up_ns:  # noqa: ASYNC110  what ends it is the clock, not an event
            await asyncio.sleep(_LOOK_AGAIN_S)

    async def by_clock(self, rang_ns: int) -> None:
        """Rule the signal that the table's own clock gave at `rang_ns`."""
        clock, length_ms = self._decider.state.clock, self._decider.length_ms
        if clock is None or length_ms is None or clock.elapsed_at(rang_ns) < length_ms - _ROUNDING_MS:
            # Time was added, or the clock stopped, while the alarm was ringing already.
            self._decider.carry_out(c.Note(code="signal-false"), "rig", by="clock")
            return
        await self._until_written("clock", rang_ns, by="clock")

    async def by_key(self, signal_ns: int) -> None:
        """Rule the signal that the referee's key gave at `signal_ns`."""
        await self._until_written("referee", signal_ns, by="referee")

    async def _until_written(self, source: str, signal_ns: int, *, by: str) -> None:
        while True:
            try:
                await self.signal(source, signal_ns, by=by)
            except SessionError as error:
                # Somebody ended the game between the signal and its ruling.
                _log.info("not now", command="sound_tijd", why=str(error))
                return
            except JournalError as error:
                _log.error("signal could not be written", why=str(error))
                await asyncio.sleep(WRITE_AGAIN_S)
            else:
                return

    async def signal(
        self,
        source: str,
        signal_ns: int,
        *,
        by: str,
        command_id: str | None = None,
        beside: Callable[[], None] | None = None,
    ) -> tuple[int, ...]:
        """Rule the signal once the camera has looked at its moment; only the first signal of a game counts.

        Raises:
            SessionError: The game was over already.
            JournalError: It could not be written.
        """
        if self._is_ruling or self._decider.state.tijd is not None:
            return ()
        self._is_ruling = True
        try:
            rolling_ns = await self._look_at(signal_ns)
            command = c.SoundTijd(
                source="clock" if source == "clock" else "organiser" if source == "organiser" else "referee",
                signal_ns=signal_ns,
                rolling_since_ns=rolling_ns,
                frame_ns=self._eye.frame_ns if self._eye else 0,
            )
            return self._decider.carry_out(command, "rig", by=by, command_id=command_id, beside=beside)
        finally:
            self._is_ruling = False

    async def _look_at(self, signal_ns: int) -> int | None:
        """Since when dice were rolling at the signal, once the camera knows; None if the box was still."""
        if self._eye is None:
            return None
        give_up_ns = boot_ns() + CAMERA_CATCHES_UP_MS * NS_PER_MS
        since = self._eye.rolling_since_ns
        while boot_ns() < give_up_ns:
            # In this order: what is seen between the two questions is then asked for once more.
            has_seen = self._eye.has_seen(signal_ns)
            since = self._eye.rolling_since_ns
            if has_seen and (since is None or since > signal_ns):
                break
            await asyncio.sleep(_LOOK_AGAIN_S)
        # What the camera handed over before it said that the box is still waits in the loop's own queue.
        await asyncio.sleep(0)
        return since
