"""Looking again: calibration, disputes and second readings as people ask for them, and the pictures of the signal.

What people ask for here takes a while (a second of pictures, a reading), and its facts hold what only the table knows.
So it is first seen whether it may be asked at all, then measured, stored or read beside the loop, and only then decided
and written: the pictures that a fact names are on the disk before it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import structlog

from companion.hw.clock import boot_ns
from companion.journal import Evidence, EvidenceError, JournalError
from companion.rules.errors import RulesError
from companion.session import commands as c
from companion.session.decide import Moment, decide
from companion.session.errors import Refused, SessionError
from companion.session.events import DiceSettled, MeasuredFact, TableOpened, ThrowDisputed, TijdSounded
from companion.session.looked import thrown
from companion.session.looking import FILLED
from companion.session.snapshot import ThrowState
from companion.session.transitions import Asker
from companion.session.wire import MalformedCommand, command_from, from_record
from companion.table.care import BoxCare, Calibrated
from companion.table.health import Item, item
from companion.table.keeping import AROUND_MS, Keeper
from companion.table.rereading import read_again
from companion.table.service import TableService
from companion.table.sides import SideColours
from companion.vision.jpeg import encode_jpeg
from companion.vision.settings import ReaderSettings

MEASURES_WITHIN_S = 4.0
"""A camera that shows nothing for longer calibrates nothing."""

_PAGE = 1000
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """The camera's side of looking again; a table without a camera has none.

    Attributes:
        care: Measures the rig.
        keeper: Stores pictures.
        settings: The rig and its dice.
        colours: Which colours throw for which side.
    """

    care: BoxCare
    keeper: Keeper
    settings: ReaderSettings
    colours: SideColours


class Looking:
    """What is looked at again.

    Args:
        service: The one writer.
        evidence: Stored pictures.
        eyes: The camera's side, or None without a camera.
        software: Version of the reader, for the record.
    """

    def __init__(self, service: TableService, evidence: Evidence, eyes: Eyes | None, *, software: str) -> None:
        self._service = service
        self._evidence = evidence
        self._eyes = eyes
        self._software = software
        self._tasks: set[asyncio.Task[None]] = set()
        self._seen = 0

    # ------------------------------------------------------------ start and stop

    def start(self) -> None:
        """Take up what the journal tells, and follow it from now on."""
        looked = self._service.state.looked
        if self._eyes is not None:
            if looked.calibration is not None and looked.calibration.ready:
                measured = looked.calibration.measured
                self._eyes.care.calibrated(measured.edge_px, measured.paper)
            throws = [past.throw for past in looked.past]
            throws += [self._service.state.throw] if self._service.state.throw is not None else []
            for throw in throws:
                for half in (throw.attack, throw.defence):
                    if half is not None:
                        self._eyes.keeper.settled(half.settled)
        self._seen = self._service.seq
        self._spawn(self._follow())

    async def stop(self) -> None:
        """Let go; twice is fine."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self) -> None:
        changed = self._service.listen()
        try:
            while True:
                for record in self._service.journal.after(self._seen, _PAGE):
                    self._seen = record.seq
                    if record.type in _FOLLOWED:
                        self._heard(from_record(record.type, record.v, record.at_ns, record.data), record.at_ns)
                if self._seen < self._service.seq:
                    continue
                await changed.wait()
                changed.clear()
        finally:
            self._service.unlisten(changed)

    def _heard(self, fact: object, at_ns: int) -> None:
        if self._eyes is None:
            return
        match fact:
            case DiceSettled():
                self._eyes.keeper.settled(fact)
            case TableOpened():
                self._eyes.keeper.new_game()
            case TijdSounded():
                self._spawn(self._keep_signal(at_ns, self._eyes.keeper))
            case ThrowDisputed():
                self._spawn(self._second(fact.throw))

    def health(self) -> tuple[Item, ...]:
        """Whether the camera was measured and found ready; nothing at a table without one."""
        if self._eyes is None:
            return ()
        newest = self._service.state.looked.calibration
        if newest is None:
            return (item("box", "ok", "not-measured"),)
        return (item("box", "ok", "measured") if newest.ready else item("box", "warn", "not-ready"),)

    # ------------------------------------------------------------ what people ask for

    async def carry_out(
        self,
        name: str,
        args: dict[str, Any],
        asker: Asker,
        *,
        command_id: str,
        beside: Callable[[], None],
    ) -> tuple[int, ...]:
        """Carry out one of the commands that the table completes.

        Raises:
            SessionError: Refused.
            JournalError: It could not be written.
        """
        strange = args.keys() - FILLED[name]
        if strange:
            raise MalformedCommand(f"{name} does not take {sorted(strange)}", command=name, fields=sorted(strange))
        command = command_from(name, args)
        match command:
            case c.Calibrate():
                command = await self._calibrated(command, asker)
            case c.DisputeThrow():
                command = await self._with_pictures(command, asker)
            case c.ReadAgain():
                command = await self._with_readings(command, asker)
        return self._service.carry_out(command, asker, command_id=command_id, beside=beside)

    def _may(self, command: c.Command, asker: Asker) -> None:
        """Refuse now what would be refused after all the work."""
        decide(self._service.state, command, Moment(now_ns=boot_ns(), asker=asker, ruleset=self._service.ruleset))

    def _camera(self) -> Eyes:
        if self._eyes is None:
            raise Refused("no-camera", "this table has no camera: there is nothing to calibrate or to read again")
        return self._eyes

    async def _calibrated(self, command: c.Calibrate, asker: Asker) -> c.Calibrate:
        self._may(replace(command, measured=MeasuredFact()), asker)
        asked = self._camera().care.ask_calibration()
        try:
            found = await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(asked)), MEASURES_WITHIN_S)
        except TimeoutError as error:
            raise Refused("camera-silent", "the camera shows nothing: see the health page, then try again") from error
        evidence = await asyncio.to_thread(self._stored_box, found)
        return replace(command, problems=found.problems, measured=self._fact(found), evidence=evidence)

    def _stored_box(self, found: Calibrated) -> str | None:
        try:
            name = self._evidence.put(encode_jpeg(found.image))
            self._evidence.keep(name)
        except EvidenceError as error:
            _log.error("picture of the empty box not kept", why=str(error))
            return None
        return name

    def _fact(self, found: Calibrated) -> MeasuredFact:
        measured = found.measured
        seen = tuple(marker for marker, _ in measured.corners_px)
        wanted = self._camera().settings.rig.marker_ids
        return MeasuredFact(
            markers=seen,
            missing=tuple(marker for marker in wanted if marker not in seen),
            error_px=measured.error_px,
            px_per_mm=measured.px_per_mm,
            print_scale=measured.print_scale,
            edge_px=measured.edge_px,
            paper=measured.paper,
            floor=measured.floor,
            flicker=measured.flicker,
            glare_mm2=measured.glare_mm2,
            shake_px=measured.shake_px,
            bodies=measured.bodies,
        )

    async def _with_pictures(self, command: c.DisputeThrow, asker: Asker) -> c.DisputeThrow:
        self._may(command, asker)
        throw = self._throw(command.throw)
        if self._eyes is None or throw is None:
            return command
        pictures = await asyncio.to_thread(self._eyes.keeper.pictures_of, throw)
        return replace(command, pictures=pictures)

    async def _with_readings(self, command: c.ReadAgain, asker: Asker) -> c.ReadAgain:
        throw = self._throw(command.throw)
        if throw is None:
            return command
        eyes = self._camera()
        readings = await asyncio.to_thread(
            read_again, throw, pictures=self._evidence, settings=eyes.settings, colours=eyes.colours
        )
        command = replace(command, readings=readings, software=self._software)
        self._may(command, asker)
        return command

    def _throw(self, number: int) -> ThrowState | None:
        found = thrown(self._service.state, number)
        return found[1] if found is not None else None

    # ------------------------------------------------------------ what follows by itself

    async def _second(self, throw: int) -> None:
        """A disputed throw is read again at once, without anybody asking."""
        try:
            command = await self._with_readings(c.ReadAgain(throw=throw), "rig")
            self._service.carry_out(command, "rig", by="camera")
        except (SessionError, RulesError, JournalError) as error:
            # The dispute stands all the same; its pictures are kept, and people look at them.
            _log.info("not read again", throw=throw, why=str(error))

    async def _keep_signal(self, at_ns: int, keeper: Keeper) -> None:
        """The frames on both sides of the signal, once those after it have come."""
        await asyncio.sleep(AROUND_MS / 1000)
        try:
            pictures = await asyncio.to_thread(keeper.around, at_ns)
            if pictures:
                self._service.carry_out(c.KeepFrames(why="tijd", around_ns=at_ns, pictures=pictures), "rig")
        except (SessionError, JournalError) as error:
            _log.error("pictures of the signal not kept", why=str(error))


_FOLLOWED = frozenset(kind.wire for kind in (DiceSettled, TableOpened, TijdSounded, ThrowDisputed))
