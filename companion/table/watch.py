"""The camera's thread: frames in, facts out.

It owns the camera, so that a slow or dead one can stop nothing else: when the camera fails it is closed, said to be
missing on the health page, and opened again every few seconds until it is back; meanwhile the table goes on by hand.
What proves a reading is on the disk before it is handed over, and the reading carries the picture's hash.

Nobody may be credited with dice that were not seen to come. What lies in the box when the camera begins to look is no
throw: a service that crashed while dice lay there must not count them twice. They are handed over as dice that were
found, and whether the throw under way was waiting for them is told by their places (`session.decide.found`). Dice that
came while the view was lost are a throw of which nobody can say whether it rolled.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import structlog

from companion.hw.clock import NS_PER_MS, NS_PER_S, boot_ns
from companion.hw.ports import Camera, Frame, Image, RigError
from companion.journal import EvidenceError
from companion.session import commands as c
from companion.table.care import BoxCare
from companion.table.keeping import Keeper, Kept
from companion.table.sides import SideColours, die_fact
from companion.vision import things
from companion.vision.jpeg import encode_jpeg
from companion.vision.settle import ThrowWatch
from companion.vision.tray import Tray
from companion.vision.types import (
    Bumped,
    CameToRest,
    DiceLifted,
    DieReading,
    FoundLying,
    MotionBegan,
    Reading,
    ThrowRead,
    ViewBack,
    ViewLost,
    WatchEvent,
)

READ_TIMEOUT_MS = 500
RETRY_S = 2.0
LIVE_EVERY_NS = NS_PER_S // 5
"""The live picture is made anew at most five times a second, however many ask for it."""

_SILENT_NS = 2 * NS_PER_S
_READ_WITHIN_NS = NS_PER_S
# What a reading may say of the box that people should put right, though its dice may be good.
_AMISS = {*things.NAMES, "dark", "floor-covered", "no-colour", "die-size", "dice-many", "marker-hidden"}

_log = structlog.get_logger()


class BoxWatch:
    """Looks at the box in a thread of its own.

    Args:
        open_camera: Opens the camera; called again after it failed.
        make_watch: Makes what turns frames into motion, rest and readings; called again after it failed.
        count_in_box: How many dice lie in the box in a picture; those beside it do not count.
        keeper: Stores what proves a throw.
        care: Looks whether the rig is as it was.
        colours: Which colours throw for which side.
        post: Hands a command to the service's loop.
    """

    def __init__(
        self,
        *,
        open_camera: Callable[[], Camera],
        make_watch: Callable[[], ThrowWatch],
        count_in_box: Callable[[Image, Tray | None], int],
        keeper: Keeper,
        care: BoxCare,
        colours: SideColours,
        post: Callable[[c.Command], None],
    ) -> None:
        self._open_camera = open_camera
        self._make_watch = make_watch
        self._watch = make_watch()
        self._count_in_box = count_in_box
        self._keeper = keeper
        self._care = care
        self._colours = colours
        self._post = post
        self._stop = threading.Event()
        self._stamps: deque[int] = deque(maxlen=60)
        self._rolling_since_ns: int | None = None
        self._rest_ns: int | None = None
        self._newest: Image | None = None
        self._live: tuple[int, bytes] | None = None
        self._has_baseline = False
        self._is_unseen = True
        self._frames_in_view = 0
        self._fault: str | None = "starting"
        self._view_lost: str | None = None
        self._amiss: str | None = None
        self._name = ""
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Stop looking; twice is fine."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    # ------------------------------------------------------------ what others ask

    @property
    def frame_ns(self) -> int:
        """Time between two frames, as measured; 0 while nothing comes."""
        stamps = tuple(self._stamps)
        return (stamps[-1] - stamps[0]) // (len(stamps) - 1) if len(stamps) > 1 else 0

    @property
    def rolling_since_ns(self) -> int | None:
        """First motion of dice that have not been read yet."""
        return self._rolling_since_ns

    @property
    def newest(self) -> Image | None:
        """The newest frame, not to be written into; None while nothing comes."""
        return None if self._fault is not None else self._newest

    def has_seen(self, at_ns: int) -> bool:
        """Whether a frame later than `at_ns` has been looked at; True while there is no camera to wait for."""
        stamps = tuple(self._stamps)
        return self._fault is not None or bool(stamps and stamps[-1] > at_ns)

    def live_jpeg(self) -> bytes | None:
        """The newest frame as JPEG, or None; a picture of a moment ago will do."""
        newest, live = self._newest, self._live
        if newest is None or self._fault:
            return None
        if live is not None and boot_ns() - live[0] < LIVE_EVERY_NS:
            return live[1]
        picture = encode_jpeg(newest)
        self._live = (boot_ns(), picture)
        return picture

    def health(self) -> tuple[Mapping[str, Any], ...]:
        """The camera's item of the health page."""
        values: dict[str, Any] = {"driver": self._name}
        if self._fault is not None:
            return ({"part": "camera", "state": "fail", "code": self._fault, "values": values},)
        stamps = tuple(self._stamps)
        if stamps and boot_ns() - stamps[-1] > _SILENT_NS:
            values["silent_s"] = (boot_ns() - stamps[-1]) // NS_PER_S
            return ({"part": "camera", "state": "fail", "code": "silent", "values": values},)
        frame_ns = self.frame_ns
        values["fps"] = round(NS_PER_S / frame_ns, 1) if frame_ns else 0.0
        if self._view_lost is not None:
            return ({"part": "camera", "state": "warn", "code": self._view_lost, "values": values},)
        if self._amiss is not None:
            return ({"part": "camera", "state": "warn", "code": self._amiss, "values": values}, *self._care.health())
        return ({"part": "camera", "state": "ok", "code": "running", "values": values}, *self._care.health())

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                camera = self._open_camera()
            except RigError as error:
                self._failed(error.code, error)
                self._stop.wait(RETRY_S)
                continue
            try:
                self._name = camera.name
                self._look_through(camera)
            except RigError as error:
                self._failed(error.code, error)
                self._stop.wait(RETRY_S)
            except Exception as error:  # noqa: BLE001  the thread's last line of defence, see below
                # A picture that the reader was not made for must not end the reading for the rest of the game: it is
                # logged whole, said on the health page, and the reader begins anew with nothing remembered.
                _log.exception("reader failed")
                self._watch = self._make_watch()
                self._has_baseline = False
                self._failed("reader-failed", error)
                self._stop.wait(RETRY_S)
            finally:
                camera.close()

    def _failed(self, code: str, error: Exception) -> None:
        self._still()
        # Two frames with the outage between them would make every stamp look unsure.
        self._stamps.clear()
        self._is_unseen, self._frames_in_view = True, 0
        self._care.forget()
        if self._fault != code:
            self._fault = code
            _log.warning("camera failed", code=code, why=str(error))
            self._post(c.Note(code="camera-failed", values={"why": code}))

    def _look_through(self, camera: Camera) -> None:
        while not self._stop.is_set():
            frame = camera.read(READ_TIMEOUT_MS)
            if frame is None:
                continue
            if self._fault is not None:
                if self._fault != "starting":
                    self._post(c.Note(code="camera-back", values={"driver": self._name}))
                self._fault = None
            self._look_at(frame)

    def _look_at(self, frame: Frame) -> None:
        self._frames_in_view += 1
        for event in self._watch.feed(frame.image, frame.luma, frame.at_ns):
            self._tell(event, frame)
        is_still = self._watch.is_still
        # From here on the reader knows what lies there, and so what is new.
        self._has_baseline = self._has_baseline or is_still
        self._keeper.saw(frame, self._watch.tray, is_moving=not is_still and self._view_lost is None)
        self._care.saw(frame, self._watch)
        if is_still:
            self._keeper.tidy()
        if self._rest_ns is not None and frame.at_ns - self._rest_ns > _READ_WITHIN_NS:
            # It came to rest and nothing was read: a hand passed, no dice.
            self._still()
        self._newest = frame.image
        self._stamps.append(frame.at_ns)

    def _still(self) -> None:
        self._rolling_since_ns, self._rest_ns = None, None

    def _tell(self, event: WatchEvent, frame: Frame) -> None:
        # What was found is handed over before the box is said to be still: whoever rules a signal looks in that order.
        match event:
            case FoundLying():
                self._found(_as_read(event), frame)
            case MotionBegan(at_ns=at_ns):
                self._rolling_since_ns, self._rest_ns = at_ns, None
                # Against the last picture before an outage everything seems to move.
                self._is_unseen = self._is_unseen and self._frames_in_view <= 1
            case ThrowRead():
                self._read(event, frame)
                self._still()
            case DiceLifted(at_ns=at_ns, left=left):
                self._amiss = None
                in_box = self._count_in_box(frame.image, self._watch.tray) if left else 0
                self._post(c.SeeLift(left=in_box, lifted_ns=at_ns))
                self._still()
            case Bumped(at_ns=at_ns):
                self._post(c.Note(code="box-bumped", values={"at_ms": at_ns // NS_PER_MS}))
                self._still()
            case ViewLost(why=why):
                self._view_lost = why
                self._is_unseen = True
                self._post(c.Note(code="view-lost", values={"why": why}))
                self._still()
            case ViewBack():
                self._view_lost = None
                self._frames_in_view = 0
                self._post(c.Note(code="view-back"))
            case CameToRest(at_ns=at_ns):
                self._rest_ns = at_ns

    def _read(self, event: ThrowRead, frame: Frame) -> None:
        if not self._has_baseline:
            # Something moved before the reader knew what lay there: which of it came, it can't tell.
            self._found(event, frame)
            return
        kept, dice = self._kept(event, frame)
        moved = [die.moved is not False for die in dice]
        is_unseen, self._is_unseen = self._is_unseen, False
        if is_unseen:
            dice = [replace(die, rolled=None) if has_moved else die for die, has_moved in zip(dice, moved, strict=True)]
        self._post(
            c.SeeDice(
                dice=tuple(die_fact(die, self._colours) for die in dice),
                sides=tuple(self._colours.side(die) for die in dice),
                moved=tuple(moved),
                started_ns=event.started_ns,
                settled_ns=event.settled_ns,
                evidence=kept.sheet,
                pictures=kept.pictures,
            )
        )

    def _found(self, event: ThrowRead, frame: Frame) -> None:
        """What lies there when the camera begins to look; an empty box is no picture worth keeping."""
        if not event.reading.dice:
            self._post(c.FindDice(dice=(), sides=(), found_ns=event.settled_ns))
            return
        kept, dice = self._kept(event, frame)
        self._post(
            c.FindDice(
                dice=tuple(die_fact(die, self._colours) for die in dice),
                sides=tuple(self._colours.side(die) for die in dice),
                found_ns=event.settled_ns,
                evidence=kept.sheet,
                pictures=kept.pictures,
            )
        )

    def _kept(self, event: ThrowRead, frame: Frame) -> tuple[Kept, list[DieReading]]:
        """What proves a reading, stored, and the reading's dice from left to right."""
        if not self._care.is_sure(frame):
            event = replace(event, reading=_doubted(event.reading))
        self._amiss = next((code for code in event.reading.warnings if code in _AMISS), None)
        kept = self._keeper.reading(event, self._watch.tray, self._refused)
        return kept, sorted(kept.dice, key=lambda die: die.center_px)

    def _refused(self, error: EvidenceError) -> None:
        """Pictures are given up before facts: the throw counts, and the journal says that its picture is missing."""
        _log.error("evidence not kept", why=str(error))
        self._post(c.Note(code="evidence-lost", values={"why": error.code}))


def _as_read(found: FoundLying) -> ThrowRead:
    """What was found as a reading that nothing came before."""
    return ThrowRead(number=0, started_ns=found.at_ns, settled_ns=found.at_ns, reading=found.reading, image=found.image)


def _doubted(reading: Reading) -> Reading:
    """A reading against a box of which nobody knows where it lies: no value of what moved is vouched for."""
    dice = tuple(
        replace(die, value=None, verdict="unreadable", why="box-unsure") if die.moved is not False else die
        for die in reading.dice
    )
    return replace(reading, dice=dice, needs_referee=True)
