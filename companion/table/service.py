"""The one writer of this table's facts.

Everything that happens at a table comes through `TableService.carry_out`: people's commands from the API, and what the
buttons, the camera and the clock have to say. It decides, writes, folds, and only then tells; so what anybody has been
shown is on the disk. It runs in one asyncio loop; threads hand their part over with `post`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import structlog

from companion.hw.clock import NS_PER_MS, boot_ns
from companion.journal import Journal, JournalError, NewRecord, Record
from companion.rules.errors import RulesError
from companion.rules.ruleset import Ruleset, load_ruleset
from companion.session import commands as c
from companion.session.decide import Moment, decide
from companion.session.errors import SessionError
from companion.session.state import TableState, fold
from companion.session.transitions import Asker, Phase
from companion.session.wire import from_record, to_data
from companion.table.heart import BEAT_S, Beat, Heart, absence, boot_id, wall_ms, wall_text
from companion.table.panel import Lights, TablePanel
from companion.table.signal import Alarm
from companion.table.view import attack_remaining_ms

CAMERA_CATCHES_UP_MS = 1000
"""How long the ruling of a signal waits for the camera to have looked at the moment of the signal."""

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


class TableService:
    """One table: its journal, its state, its alarms.

    Args:
        journal: Opened for writing.
        heart: The heartbeat file.
        panel: Lamps, buzzer and buttons, or None on a rig without.
        eye: The camera's side.
        table_id: The table's own id.
        boot: Which run of the machine this is; the kernel's own word unless told.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        heart: Heart,
        panel: TablePanel | None,
        eye: SignalEye | None,
        table_id: str,
        boot: str | None = None,
    ) -> None:
        self.table_id = table_id
        self._journal = journal
        self._heart = heart
        self._panel = panel
        self._eye = eye
        self._boot = boot if boot is not None else boot_id()
        self._listeners: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._ruleset: Ruleset | None = None
        self._ruling_signal = False
        self.state = self._replay(journal.all())
        self._tijd_alarm = Alarm(self._tijd_due, name="tijd")
        self._attack_alarm = Alarm(self._attack_due, name="attack limit")

    # ------------------------------------------------------------ start and stop

    async def start(self, rig: c.OpenRig) -> None:
        """Take up the table where the journal leaves it, and begin to beat."""
        self._loop = asyncio.get_running_loop()
        found = self._journal.head().seq
        if self.state.phase not in (Phase.IDLE, Phase.CLOSED):
            last = self._heart.last()
            newest = next(iter(self._journal.after(found - 1, 1)), None)
            gap = absence(
                self.state,
                last,
                journal_boot=newest.boot if newest else "",
                boot=self._boot,
                now_ns=boot_ns(),
                now_wall_ms=wall_ms(),
            )
            self.carry_out(
                c.Recover(events=found, same_boot=gap.same_boot, away_ms=gap.away_ms, elapsed_ms=gap.elapsed_ms), "rig"
            )
        self.carry_out(rig, "rig")
        self._spawn(self._beat())
        self._follow()

    async def stop(self) -> None:
        """Stop the alarms and let go of the journal; twice is fine."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tijd_alarm.close()
        self._attack_alarm.close()
        self._journal.close()

    def _replay(self, records: Iterable[Record]) -> TableState:
        return fold(from_record(r.type, r.v, r.at_ns, r.data) for r in records)

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ------------------------------------------------------------ deciding and writing

    @property
    def seq(self) -> int:
        """Newest record of the journal."""
        return self._journal.head().seq

    @property
    def journal(self) -> Journal:
        """The journal, to read from."""
        return self._journal

    @property
    def ruleset(self) -> Ruleset | None:
        """The rules of the running game."""
        opened = self.state.opened
        if opened is None:
            return None
        if self._ruleset is None or self._ruleset.hash != opened.ruleset_hash:
            self._ruleset = load_ruleset(opened.ruleset_name, opened.options)
        return self._ruleset

    def carry_out(
        self, command: c.Command, asker: Asker, *, by: str | None = None, command_id: str | None = None
    ) -> tuple[int, ...]:
        """Decide a command, write its facts, and tell everybody; the numbers of the records that it made.

        Args:
            command: What is wanted.
            asker: Who asks, for the permissions.
            by: Who caused it, for the record; the asker unless told otherwise.
            command_id: Makes the command idempotent: the same id again answers the same and does nothing.

        Raises:
            SessionError: Refused.
            RulesError: The rules refuse what was given.
            JournalError: It could not be written; then nothing happened.
        """
        if command_id is not None:
            known = self._journal.seqs_of(command_id)
            if known is not None:
                return known
        ruleset = self.ruleset
        if isinstance(command, c.SetUpTable):
            ruleset = load_ruleset(command.system, command.options)
        facts = decide(self.state, command, Moment(now_ns=boot_ns(), asker=asker, ruleset=ruleset))
        rows = [
            NewRecord(type=fact.wire, v=fact.version, by=by or asker, at_ns=fact.at_ns, data=to_data(fact))
            for fact in facts
        ]
        records = self._journal.append(
            rows,
            boot=self._boot,
            wall=wall_text(),
            command_id=command_id,
            clears_draft=isinstance(command, c.ConfirmBoard),
        )
        self.state = fold(facts, self.state)
        if records:
            self._follow()
            for listener in self._listeners:
                listener.set()
        return tuple(record.seq for record in records)

    def post(self, command: c.Command, *, by: str) -> None:
        """Hand over what a button, the camera or the clock has to say; safe from any thread, returns at once."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._sensed, command, by)

    def _sensed(self, command: c.Command, by: str) -> None:
        try:
            self.carry_out(command, "rig", by=by)
        except (SessionError, RulesError) as error:
            # What the rig senses is no request: where it does not fit, that is noted and the game goes on.
            _log.info("not now", command=command.name, why=str(error))
        except JournalError as error:
            _log.error("could not be written", command=command.name, why=str(error))

    def listen(self) -> asyncio.Event:
        """An event that is set whenever facts were written; give it back with `unlisten`."""
        listener = asyncio.Event()
        self._listeners.add(listener)
        return listener

    def unlisten(self, listener: asyncio.Event) -> None:
        """Stop telling; twice is fine."""
        self._listeners.discard(listener)

    # ------------------------------------------------------------ what follows from the state

    def _follow(self) -> None:
        """Arm the alarms and light the lamps as the state asks."""
        self._tijd_alarm.arm(self._due_ns())
        self._attack_alarm.arm(self._attack_due_ns())
        if self._panel is not None:
            self._panel.show(lights(self.state))

    def _due_ns(self) -> int | None:
        clock = self.state.clock
        if self.state.phase is not Phase.PLAYING or clock is None:
            return None
        return clock.due_ns(clock.length_ms)

    def _attack_due_ns(self) -> int | None:
        clock = self.state.clock
        if clock is None or clock.anchor_ns is None or self.state.attack_time_over:
            return None
        now_ns = boot_ns()
        left_ms = attack_remaining_ms(self.state, clock.elapsed_at(now_ns), self.ruleset)
        return None if left_ms is None else now_ns + round(left_ms * NS_PER_MS / clock.scale)

    def _attack_due(self, _rang_ns: int) -> None:
        self.post(c.EndAttackTime(), by="clock")

    def _tijd_due(self, rang_ns: int) -> None:
        """The game's time is over: sound first, from the alarm's own thread, then tell the loop."""
        if self._panel is not None:
            self._panel.tijd()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._signal_later, "clock", rang_ns)

    def _signal_later(self, source: str, signal_ns: int) -> None:
        self._spawn(self.signal(source, signal_ns, by="clock"))

    async def signal(self, source: str, signal_ns: int, *, by: str, command_id: str | None = None) -> tuple[int, ...]:
        """Rule the signal once the camera has looked at its moment; only the first signal of a game counts."""
        if self._ruling_signal or self.state.tijd is not None:
            return ()
        self._ruling_signal = True
        try:
            rolling_ns = await self._look_at(signal_ns)
            command = c.SoundTijd(
                source="clock" if source == "clock" else "organiser" if source == "organiser" else "referee",
                signal_ns=signal_ns,
                rolling_since_ns=rolling_ns,
                frame_ns=self._eye.frame_ns if self._eye else 0,
            )
            if self.state.phase is not Phase.PLAYING:
                return ()
            return self.carry_out(command, "rig", by=by, command_id=command_id)
        finally:
            self._ruling_signal = False

    def sound_now(self) -> int:
        """Give the signal by hand: buzzer and lamps at once; the stamp of the moment."""
        if self._panel is not None:
            self._panel.tijd()
        return boot_ns()

    async def _look_at(self, signal_ns: int) -> int | None:
        """Since when dice were rolling at the signal, once the camera knows; None if the box was still."""
        if self._eye is None:
            return None
        give_up_ns = boot_ns() + CAMERA_CATCHES_UP_MS * NS_PER_MS
        since = self._eye.rolling_since_ns
        while boot_ns() < give_up_ns:
            since = self._eye.rolling_since_ns
            still = since is None or since > signal_ns
            if self._eye.has_seen(signal_ns) and still:
                break
            await asyncio.sleep(0.01)
        return since

    async def _beat(self) -> None:
        while True:
            self.beat_once()
            await asyncio.sleep(BEAT_S)

    def beat_once(self) -> None:
        """Note where the clock stands, while a game runs."""
        clock = self.state.clock
        if clock is None or self.state.phase is not Phase.PLAYING:
            return
        now_ns = boot_ns()
        beat = Beat(
            boot=self._boot,
            at_ns=now_ns,
            wall_ms=wall_ms(),
            elapsed_ms=clock.elapsed_at(now_ns),
            seq=self.seq,
        )
        try:
            self._heart.beat(beat)
        except OSError as error:
            _log.warning("heartbeat not written", why=str(error))
        self._attack_alarm.arm(self._attack_due_ns())


def lights(state: TableState) -> Lights:
    """Which lamps burn in a state."""
    steady: set[str] = set()
    blinking: set[str] = set()
    buttons: Mapping[str, str] = {p.id: p.button for p in state.players if p.button}
    if state.phase in (Phase.SEATING, Phase.READY):
        steady |= set(buttons.values())
    lamp = buttons.get(state.turn_player or "")
    if state.phase is Phase.PLAYING and lamp is not None:
        is_called = state.throw is not None and state.throw.is_open and state.throw.called
        (blinking if is_called else steady).add(lamp)
    if state.referee_called_ns is not None:
        steady.add("beacon")
    return Lights(steady=frozenset(steady), blinking=frozenset(blinking))
