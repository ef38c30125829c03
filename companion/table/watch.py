"""The camera's thread: frames in, facts out.

It owns the camera, so that a slow or dead one can stop nothing else: when the camera fails it is closed, said to be
missing on the health page, and opened again every few seconds until it is back; meanwhile the table goes on by hand.
The evidence picture is on the disk before the reading is handed over, and the reading carries the picture's hash.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from companion.hw.clock import NS_PER_MS, NS_PER_S, boot_ns
from companion.hw.ports import Camera, Frame, Image, RigError
from companion.journal import Evidence, EvidenceError
from companion.session import commands as c
from companion.session.events import DieFact, Side
from companion.vision.jpeg import encode_jpeg
from companion.vision.settle import ThrowWatch
from companion.vision.types import (
    Bumped,
    CameToRest,
    DiceLifted,
    DieReading,
    MotionBegan,
    ThrowRead,
    ViewBack,
    ViewLost,
    WatchEvent,
)

READ_TIMEOUT_MS = 500
RETRY_S = 2.0
_SILENT_NS = 2 * NS_PER_S
_READ_WITHIN_NS = NS_PER_S

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class SideColours:
    """Which colours throw for which side; empty sets where the dice have no colours of their own."""

    attack: frozenset[str]
    defence: frozenset[str]

    def side(self, die: DieReading) -> Side | None:
        """The side of a die by its colour, or None if colours don't tell at this table."""
        if die.colour in self.attack:
            return "attack"
        return "defence" if die.colour in self.defence else None

    @property
    def tell(self) -> bool:
        """Whether the table's dice have colours at all."""
        return bool(self.attack or self.defence)


def die_fact(die: DieReading, colours: SideColours) -> DieFact:
    """A die as a fact.

    A die whose colour should tell its side and does not is nobody's: it becomes unreadable, and people look at it.
    """
    is_nobodys = colours.tell and colours.side(die) is None and die.verdict == "valid"
    return DieFact(
        value=None if is_nobodys else die.value,
        verdict="unreadable" if is_nobodys else die.verdict,
        colour=die.colour,
        lean_deg=_short(die.lean_deg, 1),
        height_mm=_short(die.height_mm, 1),
        confidence=round(die.confidence, 3),
        why="colour-unknown" if is_nobodys else die.why,
        rolled=die.rolled,
        center_px=(round(die.center_px[0], 1), round(die.center_px[1], 1)),
        box_px=(
            round(die.box_px[0], 1),
            round(die.box_px[1], 1),
            round(die.box_px[2], 1),
            round(die.box_px[3], 1),
        ),
    )


def _short(value: float | None, digits: int) -> float | None:
    return None if value is None else round(float(value), digits)


class BoxWatch:
    """Looks at the box in a thread of its own.

    Args:
        open_camera: Opens the camera; called again after it failed.
        watch: Turns frames into motion, rest and readings.
        evidence: Where pictures go.
        colours: Which colours throw for which side.
        post: Hands a command to the service's loop.
    """

    def __init__(
        self,
        *,
        open_camera: Callable[[], Camera],
        watch: ThrowWatch,
        evidence: Evidence,
        colours: SideColours,
        post: Callable[[c.Command], None],
    ) -> None:
        self._open_camera = open_camera
        self._watch = watch
        self._evidence = evidence
        self._colours = colours
        self._post = post
        self._stop = threading.Event()
        self._stamps: deque[int] = deque(maxlen=60)
        self._rolling_since_ns: int | None = None
        self._rest_ns: int | None = None
        self._newest: Image | None = None
        self._fault: str | None = "starting"
        self._view_lost: str | None = None
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

    def has_seen(self, at_ns: int) -> bool:
        """Whether a frame later than `at_ns` has been looked at; True while there is no camera to wait for."""
        stamps = tuple(self._stamps)
        return self._fault is not None or bool(stamps and stamps[-1] > at_ns)

    def live_jpeg(self) -> bytes | None:
        """The newest frame as JPEG, or None."""
        newest = self._newest
        return None if newest is None or self._fault else encode_jpeg(newest)

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
        return ({"part": "camera", "state": "ok", "code": "running", "values": values},)

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                camera = self._open_camera()
            except RigError as error:
                self._failed(error)
                self._stop.wait(RETRY_S)
                continue
            try:
                self._name = camera.name
                self._look_through(camera)
            except RigError as error:
                self._failed(error)
                self._stop.wait(RETRY_S)
            finally:
                camera.close()

    def _failed(self, error: RigError) -> None:
        self._still()
        if self._fault != error.code:
            self._fault = error.code
            _log.warning("camera failed", code=error.code, why=str(error))
            self._post(c.Note(code="camera-failed", values={"why": error.code}))

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
        for event in self._watch.feed(frame.image, frame.luma, frame.at_ns):
            self._tell(event)
        if self._rest_ns is not None and frame.at_ns - self._rest_ns > _READ_WITHIN_NS:
            # It came to rest and nothing was read: a hand passed, no dice.
            self._still()
        self._newest = frame.image
        self._stamps.append(frame.at_ns)

    def _still(self) -> None:
        self._rolling_since_ns, self._rest_ns = None, None

    def _tell(self, event: WatchEvent) -> None:
        match event:
            case MotionBegan(at_ns=at_ns):
                self._rolling_since_ns, self._rest_ns = at_ns, None
            case ThrowRead():
                self._read(event)
                self._still()
            case DiceLifted(at_ns=at_ns, left=left):
                self._still()
                self._post(c.SeeLift(left=left, lifted_ns=at_ns))
            case Bumped(at_ns=at_ns):
                self._still()
                self._post(c.Note(code="box-bumped", values={"at_ms": at_ns // NS_PER_MS}))
            case ViewLost(why=why):
                self._still()
                self._view_lost = why
                self._post(c.Note(code="view-lost", values={"why": why}))
            case ViewBack():
                self._view_lost = None
                self._post(c.Note(code="view-back"))
            case CameToRest(at_ns=at_ns):
                self._rest_ns = at_ns

    def _read(self, event: ThrowRead) -> None:
        dice = sorted(event.reading.dice, key=lambda die: die.center_px)
        moved = [die.moved is not False for die in dice]
        try:
            picture = self._evidence.put(encode_jpeg(event.image))
        except EvidenceError as error:
            # Pictures are given up before facts: the throw counts, and the journal says that its picture is missing.
            _log.error("evidence not kept", why=str(error))
            self._post(c.Note(code="evidence-lost", values={"why": error.code}))
            picture = None
        self._post(
            c.SeeDice(
                dice=tuple(die_fact(die, self._colours) for die in dice),
                sides=tuple(self._colours.side(die) for die in dice),
                moved=tuple(moved),
                started_ns=event.started_ns,
                settled_ns=event.settled_ns,
                evidence=picture,
            )
        )
