"""The one writer of this table's facts.

Everything that happens at a table comes through `TableService.carry_out`: people's commands from the API, and what the
buttons, the camera and the clock have to say. It decides, writes, folds, and only then tells; so what anybody has been
shown is on the disk. It runs in one asyncio loop; threads hand their part over with `post`.
The game's signal has a page of its own (`tijd.py`), and so has taking up what a journal tells (`taking_up.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from companion.hw.clock import NS_PER_MS, boot_id, boot_ns
from companion.journal import Journal, JournalError, NewRecord, Record
from companion.journal.errors import JournalFull, RecordRefused
from companion.journal.reserve import Reserve
from companion.rules.clock import signal_comes_from
from companion.rules.errors import RulesError
from companion.rules.ruleset import Ruleset, load_ruleset
from companion.session import commands as c
from companion.session import judging
from companion.session.decide import Moment, decide
from companion.session.decide.tijd import given_by_key
from companion.session.errors import SessionError
from companion.session.events import Event, TableOpened, ThrowAccepted
from companion.session.seal import Secret
from companion.session.state import fold
from companion.session.transitions import Asker, Phase
from companion.session.wire import to_data
from companion.table.buttons import ButtonWatch
from companion.table.health import Item, item
from companion.table.heart import BEAT_S, Heart, Pulse, absence, wall_ms, wall_text
from companion.table.lamps import burn
from companion.table.notes import RecentNotes
from companion.table.panel import TablePanel
from companion.table.secret import TableSecrets
from companion.table.signal import Alarm
from companion.table.taking_up import taken_up
from companion.table.tijd import CAMERA_CATCHES_UP_MS, SignalEye, Tijd

_log = structlog.get_logger()


class TableService:
    """One table: its journal, its state, its alarms.

    Args:
        journal: Opened for writing.
        heart: The heartbeat file.
        panel: Lamps, buzzer and buttons, or None on a rig without.
        eye: The camera's side.
        table_id: The table's own id.
        boot: Which run of the machine this is; the kernel's own word unless told.
        reserve: Room for facts on a full disk, or None where none is laid by.
        secrets: The secret lengths.
        is_wall_right: Whether a network or a battery keeps the wall clock right.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        heart: Heart,
        panel: TablePanel | None,
        eye: SignalEye | None,
        table_id: str,
        secrets: TableSecrets,
        boot: str | None = None,
        reserve: Reserve | None = None,
        is_wall_right: Callable[[], bool] = lambda: True,
    ) -> None:
        self.table_id = table_id
        self.secrets = secrets
        self._journal = journal
        self._panel = panel
        self._boot = boot if boot is not None else boot_id()
        self.pulse = Pulse(heart, self._boot, is_wall_right)
        self._listeners: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._signals: set[asyncio.Task[None]] = set()
        self._ruleset: Ruleset | None = None
        self._ruleset_of: TableOpened | None = None
        self._write_fault: str | None = None
        self._reserve = reserve
        self.state, self._opened_seq = taken_up(journal)
        self.notes = RecentNotes(journal, self._opened_seq)
        self._buttons = ButtonWatch(lambda: panel.pressed if panel is not None else {})
        self._tijd = Tijd(self, panel=panel, eye=eye)
        self._tijd_alarm = Alarm(self._tijd_due, name="tijd")
        self._attack_alarm = Alarm(self._attack_due, name="attack limit")

    # ------------------------------------------------------------ start and stop

    async def start(self, rig: c.OpenRig) -> None:
        """Take up the table where the journal leaves it, and begin to beat.

        Raises:
            JournalError: What was found could not be written.
        """
        self._loop = asyncio.get_running_loop()
        found = self._journal.head().seq
        if self.state.phase is not Phase.IDLE:
            # How long a closed table was away nobody needs to know.
            last = None if self.state.phase is Phase.CLOSED else self.pulse.heart.last()
            newest = next(iter(self._journal.after(found - 1, 1)), None)
            gap = absence(
                self.state,
                last,
                journal_boot=newest.boot if newest else "",
                newest_ns=newest.at_ns if newest else 0,
                opened_seq=self._opened_seq,
                boot=self._boot,
                now_ns=boot_ns(),
                now_wall_ms=wall_ms(),
                is_wall_right=self.pulse.is_wall_right(),
            )
            self.carry_out(
                c.Recover(events=found, same_boot=gap.same_boot, away_ms=gap.away_ms, elapsed_ms=gap.elapsed_ms), "rig"
            )
            self.pulse.came_back(last, gap)
        self.carry_out(rig, "rig")
        if self._rules_changed():
            opened, rules = self.state.opened, self.ruleset
            values = {"was": opened.ruleset_hash if opened else None, "now": rules.hash if rules else None}
            self.carry_out(c.Note(code="ruleset-changed", values=values), "rig")
        opening = self._journal.opening
        if opening.kept_aside is not None:
            cut = {"cut": opening.cut, "file": opening.kept_aside.name}
            self.carry_out(c.Note(code="journal-tail-cut", values=cut), "rig")
        lost = self.secrets.lost(self.state)
        if lost is not None:
            self.carry_out(lost, "rig", by="rig")
        self._reveal()
        self._spawn(self._beat())
        self._follow()

    async def stop(self) -> None:
        """Stop the alarms and let go of the journal; twice is fine.

        A signal that has sounded is ruled and written first.
        """
        if self._signals:
            await asyncio.wait(self._signals, timeout=1.5 * CAMERA_CATCHES_UP_MS / 1000)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tijd_alarm.close()
        self._attack_alarm.close()
        self._journal.close()

    def _rules_changed(self) -> bool:
        opened, rules = self.state.opened, self.ruleset
        runs = self.state.phase not in (Phase.IDLE, Phase.CLOSED)
        return runs and opened is not None and rules is not None and rules.hash != opened.ruleset_hash

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

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
        """The rules of the running game; None before one, and for a closed one whose rules are gone."""
        opened = self.state.opened
        if opened is None:
            return None
        if self._ruleset_of is not opened:
            try:
                self._ruleset = load_ruleset(opened.ruleset_name, opened.options)
            except RulesError:
                if self.state.phase is not Phase.CLOSED:
                    raise
                self._ruleset = None
            self._ruleset_of = opened
        return self._ruleset

    def health(self) -> tuple[Item, ...]:
        """What is wrong with the table's own memory; nothing while all is well."""
        found: list[Item] = []
        if self._write_fault is not None:
            found.append(item("journal", "fail", "not-written", why=self._write_fault))
        opening = self._journal.opening
        if opening.kept_aside is not None:
            found.append(item("journal", "warn", "tail-cut", file=opening.kept_aside.name))
        if self._rules_changed():
            found.append(item("rules", "warn", "ruleset-changed"))
        if self.state.sealed is not None and self.state.sealed.lost is not None:
            found.append(item("clock", "fail", "secret-lost"))
        return (*found, *self._buttons.health())

    def carry_out(
        self,
        command: c.Command,
        asker: Asker,
        *,
        by: str | None = None,
        command_id: str | None = None,
        beside: Callable[[], None] | None = None,
        received: Secret | None = None,
    ) -> tuple[int, ...]:
        """Decide a command, write its facts, and tell everybody; the numbers of the records that it made.

        Args:
            command: What is wanted.
            asker: Who asks, for the permissions.
            by: Who caused it, for the record; the asker unless told otherwise.
            command_id: Makes the command idempotent: the same id again answers the same and does nothing.
            beside: Puts down what lies beside the chain, once the command is sure to be carried out and before it is.
            received: The secret length that came with it.

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
        now_ns = boot_ns()
        drawn = self.secrets.drawn(self.state, command, ruleset=ruleset, now_ns=now_ns)
        seal = drawn.seal if drawn is not None else None
        facts = decide(self.state, command, Moment(now_ns=now_ns, asker=asker, ruleset=ruleset, seal=seal))
        rows = [
            NewRecord(type=fact.wire, v=fact.version, by=by or asker, at_ns=fact.at_ns, data=to_data(fact))
            for fact in facts
        ]
        if beside is not None:
            beside()
        self.secrets.keep(self.state, facts, drawn, received)
        records = self._append(rows, command_id, clears_draft=isinstance(command, c.ConfirmBoard | c.SetUpTable))
        self.state = fold(facts, self.state)
        if records:
            self.notes.saw(records)
            self._heard_buttons(facts)
            self._follow()
            for listener in self._listeners:
                listener.set()
            self._reveal()
        return tuple(record.seq for record in records)

    def _reveal(self) -> None:
        """Show the table's own secret length once it has had its time."""
        command = self.secrets.to_reveal(self.state)
        if command is not None:
            try:
                self.carry_out(command, "rig", by="clock")
            except JournalError as error:
                _log.error("length could not be revealed yet", why=str(error))

    @property
    def length_ms(self) -> int | None:
        """Game time after which the table's own clock gives the signal; None where it must not, or can't know."""
        rules = self.ruleset
        is_rung = rules is not None and signal_comes_from(rules) == "clock"
        return self.secrets.length_ms(self.state, is_rung_by_clock=is_rung)

    def _append(self, rows: list[NewRecord], command_id: str | None, *, clears_draft: bool) -> tuple[Record, ...]:
        def append() -> tuple[Record, ...]:
            return self._journal.append(
                rows, boot=self._boot, wall=wall_text(), command_id=command_id, clears_draft=clears_draft
            )

        try:
            try:
                records = append()
            except JournalFull:
                if self._reserve is None or not self._reserve.give_up():
                    raise
                records = append()
                self.post(c.Note(code="reserve-used"), by="rig")
        except RecordRefused:
            raise
        except JournalError as error:
            self._write_fault = error.code
            raise
        self._write_fault = None
        return records

    def _heard_buttons(self, facts: Sequence[Event]) -> None:
        """Count whose throws are taken without their button being heard."""
        for fact in facts:
            if isinstance(fact, TableOpened):
                self._buttons.forget()
            elif isinstance(fact, ThrowAccepted):
                throw = self.state.throw
                owner = next((p for p in self.state.players if throw is not None and p.id == throw.player), None)
                if owner is not None and owner.button is not None:
                    self._buttons.counted(owner.button)

    def post(self, command: c.Command, *, by: str) -> None:
        """Hand over what a button, the camera or the clock has to say; safe from any thread, returns at once."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._sensed, command, by)

    def _sensed(self, command: c.Command, by: str) -> None:
        if isinstance(command, c.PressButton) and given_by_key(
            self.state, command, clock_rings=self.length_ms is not None
        ):
            self._spawn(self._tijd.by_key(self._tijd.sound_now()))
            return
        if isinstance(command, c.PressButton) and self._tijd.is_ending:
            self._spawn(self._sensed_after(command, by))
            return
        try:
            self.carry_out(command, "rig", by=by)
        except (SessionError, RulesError) as error:
            # What the rig senses is no request: where it does not fit, that is noted and the game goes on.
            _log.info("not now", command=command.name, why=str(error))
        except JournalError as error:
            _log.error("could not be written", command=command.name, why=str(error))

    async def _sensed_after(self, command: c.Command, by: str) -> None:
        await self._tijd.ruled()
        self._sensed(command, by)

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
        self._tijd_alarm.arm(self._tijd.to_arm_ns())
        self._attack_alarm.arm(self._attack_due_ns())
        burn(self._panel, self.state)

    def _attack_due_ns(self) -> int | None:
        clock = self.state.clock
        if clock is None or clock.anchor_ns is None or self.state.attack_time_over:
            return None
        now_ns = boot_ns()
        left_ms = judging.attack_remaining_ms(self.state, clock.elapsed_at(now_ns), ruleset=self.ruleset)
        return None if left_ms is None else now_ns + round(left_ms * NS_PER_MS / clock.scale)

    def _attack_due(self, _rang_ns: int) -> None:
        self.post(c.EndAttackTime(), by="clock")

    def _tijd_due(self, rang_ns: int) -> None:
        """The game's time is over: sound first, from the alarm's own thread, then tell the loop."""
        self._tijd.ring()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._clock_rang, rang_ns)

    def _clock_rang(self, rang_ns: int) -> None:
        task = self._spawn(self._tijd.by_clock(rang_ns))
        self._signals.add(task)
        task.add_done_callback(self._signals.discard)

    @property
    def tijd(self) -> Tijd:
        """The signal."""
        return self._tijd

    async def _beat(self) -> None:
        while True:
            self.beat_once()
            burn(self._panel, self.state)
            if self._reserve is not None and not self._reserve.is_kept:
                await asyncio.to_thread(self._reserve.keep)
            await asyncio.sleep(BEAT_S)

    def beat_once(self) -> None:
        """Note where the clock stands, and whether the wall clock has jumped."""
        self.pulse.beat(self.state, self.seq)
        self.pulse.look_at_wall(lambda by_ms: self.carry_out(c.StepClock(by_ms=by_ms), "rig", by="clock"))
        self.pulse.tell_by_wall(self.post)

    def hear_hub(self, hub_ms: int) -> None:
        """The hub visits and tells its wall clock, which may know how long this table was away."""
        self.pulse.tell_by_hub(hub_ms, self.post)
        self._attack_alarm.arm(self._attack_due_ns())
