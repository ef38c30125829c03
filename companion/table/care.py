"""The care of the camera, in its own thread: is the rig as it was, and is it fit to read dice at all?

A cheap glance at the markers once a second, and oftener while something moves; a thorough look every quarter of a
minute, when nothing moves, or when a glance says that the markers lie elsewhere. A box that was pushed, or a camera
that was knocked, is found again at once, with the dice that lie in it; where too few markers are seen for that, no
value is vouched for until they are. What is wrong stands on the health page until it is put right, and a push for a
quarter of a minute, so that people know why the table said something.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.hw.ports import Frame, Image
from companion.session import commands as c
from companion.table.health import Item, item
from companion.vision.calibration import Measured, measure, problems
from companion.vision.drift import DriftWatch, Glance, Looked
from companion.vision.motion import small_of
from companion.vision.settings import ReaderSettings
from companion.vision.settle import ThrowWatch
from companion.vision.sheet import sheet
from companion.vision.tray import find_tray
from companion.vision.types import Reading

GLANCE_NS = NS_PER_S
GLANCE_MOVING_NS = 60 * NS_PER_MS
LOOK_NS = 15 * NS_PER_S
LOOK_AGAIN_NS = 160 * NS_PER_MS
"""However often a glance is alarmed, the whole picture is searched no oftener than this."""

HIDDEN_NS = 4 * NS_PER_S
"""For so long a hand may lie over the markers before it is worth a word."""

TOLD_NS = 15 * NS_PER_S
TOLD_MM = 0.8
"""A push by less is no news."""

PLACES = ("top-left", "top-right", "bottom-right", "bottom-left")
"""Where the markers lie, in the order of the rig's ids."""

MEASURE_NS = NS_PER_S
LEAST_FRAMES = 5
_MOVED = {"box": "box-moved", "camera": "camera-knocked", "either": "rig-moved"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """A calibration as it was measured, what stands in the way, and the picture of the empty box."""

    measured: Measured
    problems: tuple[str, ...]
    image: Image


@dataclass(slots=True)
class _Asked:
    future: Future[Calibrated]
    first: Frame | None = None
    last: Frame | None = None
    lumas: list[Image] | None = None


class BoxCare:
    """Looks after one rig.

    Args:
        settings: The rig and its dice.
        post: Hands a command to the service's loop.
    """

    def __init__(self, settings: ReaderSettings, post: Callable[[c.Command], None]) -> None:
        self._settings = settings
        self._post = post
        self._drift = DriftWatch(settings)
        self._glanced_ns = self._looked_ns = self._thorough_ns = 0
        self._hidden_since_ns: int | None = None
        self._lost = False
        self._problems: tuple[str, ...] = ()
        self._said: tuple[str, ...] = ()
        self._hidden: tuple[int, ...] = ()
        self._moved: tuple[str, float, int] | None = None
        self._shift_mm = 0.0
        self._now_ns = 0
        self._asked: _Asked | None = None
        self._asking = threading.Lock()

    # ------------------------------------------------------------ what others ask

    def health(self) -> tuple[Item, ...]:
        """What drifted; nothing while all is as it was."""
        found: list[Item] = []
        if self._lost:
            found.append(item("box", "fail", "markers-lost"))
        for code in self._problems:
            values = {"markers": self._places(self._hidden)} if code == "marker-hidden" else {}
            found.append(item("box", "warn", code, **values))
        if self._moved is not None and self._now_ns - self._moved[2] < TOLD_NS:
            code, moved_mm, _ = self._moved
            found.append(item("box", "warn", code, moved_mm=round(moved_mm, 1)))
        return tuple(found)

    def _places(self, markers: tuple[int, ...]) -> list[str]:
        """Where markers lie, by words."""
        ids = self._settings.rig.marker_ids
        return [place for marker, place in zip(ids, PLACES, strict=True) if marker in markers]

    def ask_calibration(self) -> Future[Calibrated]:
        """Measure the rig over the coming second; one that is asked for already is the same."""
        with self._asking:
            if self._asked is None:
                self._asked = _Asked(Future())
            return self._asked.future

    def calibrated(self, edge_px: float | None, paper: tuple[float, float] | None) -> None:
        """Compare with what a calibration measured from now on, also after a start."""
        self._drift.calibrated(edge_px, paper[0] if paper is not None else None)

    # ------------------------------------------------------------ the camera's thread

    def saw(self, frame: Frame, watch: ThrowWatch) -> None:
        """A frame that the watch has been fed with."""
        self._now_ns = frame.at_ns
        self._measure(frame, watch)
        if watch.tray is None:
            return
        every_ns = GLANCE_NS if watch.is_still else GLANCE_MOVING_NS
        if frame.at_ns - self._glanced_ns < every_ns:
            return
        self._glanced_ns = frame.at_ns
        luma = small_of(frame.image, frame.luma)
        if self._drift.knows is None or self._drift.knows.size_px != watch.tray.size_px:
            if watch.is_still:
                self._drift.remember(luma, watch.tray)
            return
        self._judge(self._drift.glance(luma), frame, luma, watch)

    def is_sure(self, frame: Frame) -> bool:
        """Whether the box lies where a reading of this frame took it to lie."""
        if self._drift.knows is None:
            return True
        return self._drift.glance(small_of(frame.image, frame.luma)) is Glance.THERE

    def forget(self) -> None:
        """The camera failed or was opened anew: how things were is not known any more."""
        edge_px, paper = self._drift.reference
        self._drift = DriftWatch(self._settings, edge_px=edge_px, paper=paper)
        self._hidden_since_ns, self._lost = None, False
        self._problems, self._said, self._hidden = (), (), ()

    def _judge(self, glance: Glance, frame: Frame, luma: Image, watch: ThrowWatch) -> None:
        at_ns = frame.at_ns
        if glance is Glance.THERE:
            if self._lost:
                # What else was said of the rig was said of another view.
                self._thorough_ns = 0
            self._hidden_since_ns, self._lost = None, False
            self._tell_moved(at_ns)
            if watch.is_still and at_ns - self._thorough_ns >= LOOK_NS:
                self._take(self._look(frame, luma), luma, watch, is_still=True)
            return
        if glance is Glance.HIDDEN:
            since_ns = self._hidden_since_ns = self._hidden_since_ns or at_ns
            if at_ns - since_ns < HIDDEN_NS:
                return
        if at_ns - self._looked_ns >= LOOK_AGAIN_NS:
            self._take(self._look(frame, luma), luma, watch, is_still=watch.is_still)

    def _look(self, frame: Frame, luma: Image) -> Looked:
        self._looked_ns = frame.at_ns
        return self._drift.look(frame.image, luma)

    def _take(self, looked: Looked, luma: Image, watch: ThrowWatch, *, is_still: bool) -> None:
        """Follow the box if it is seen; what is wrong is only believed of a rig at rest."""
        if looked.tray is not None and (looked.moved is not None or self._drift.glance(luma) is not Glance.THERE):
            watch.follow(looked.tray, luma)
            self._drift.remember(luma, looked.tray)
            self._shift_mm += looked.moved_mm
            if looked.moved is not None:
                self._moved = (_MOVED[looked.moved], self._shift_mm, self._now_ns)
            self._hidden_since_ns, self._lost = None, False
        if is_still:
            self._thorough_ns = self._now_ns
            self._lost = looked.tray is None
            self._say(looked)

    def _say(self, looked: Looked) -> None:
        news = [code for code in looked.problems if code not in self._said]
        self._said, self._hidden = looked.problems, looked.hidden
        # That the box is lost has a line of its own, which goes as soon as it is seen again.
        self._problems = () if looked.tray is None else looked.problems
        for code in news:
            self._post(c.Note(code="rig-drifted", values={"drift": code, "markers": self._places(looked.hidden)}))

    def _tell_moved(self, at_ns: int) -> None:
        """Once the markers rest: how far they went in all."""
        shift_mm, self._shift_mm = self._shift_mm, 0.0
        if self._moved is not None and shift_mm > TOLD_MM:
            code = self._moved[0]
            self._moved = (code, shift_mm, at_ns)
            self._post(c.Note(code="rig-drifted", values={"drift": code, "moved_mm": round(shift_mm, 1)}))

    # ------------------------------------------------------------ calibration

    def _measure(self, frame: Frame, watch: ThrowWatch) -> None:
        asked = self._asked
        if asked is None:
            return
        if asked.first is None or asked.lumas is None:
            asked.first, asked.lumas = frame, []
        asked.lumas.append(small_of(frame.image, frame.luma))
        asked.last = frame
        if frame.at_ns - asked.first.at_ns < MEASURE_NS or len(asked.lumas) < LEAST_FRAMES:
            return
        with self._asking:
            self._asked = None
        try:
            asked.future.set_result(self._measured(asked.first, frame, asked.lumas, watch))
        except Exception as error:  # noqa: BLE001  whoever waits must hear of it; the thread goes on looking
            asked.future.set_exception(error)

    def _measured(self, first: Frame, last: Frame, lumas: list[Image], watch: ThrowWatch) -> Calibrated:
        measured = measure([first.image, last.image], lumas, self._settings)
        wrong = problems(measured, self._settings)
        tray = find_tray(last.image, self._settings.rig)
        if tray is None:
            return Calibrated(measured=measured, problems=wrong, image=last.image)
        if watch.tray is not None:
            watch.follow(tray, lumas[-1])
        self._drift.remember(lumas[-1], tray)
        if not wrong:
            self.calibrated(measured.edge_px, measured.paper)
        self._lost, self._problems, self._said, self._hidden, self._moved = False, (), (), (), None
        bare = Reading(dice=(), needs_referee=False, scale_px_per_mm=tray.px_per_mm, tray_found=True, warnings=())
        return Calibrated(measured=measured, problems=wrong, image=sheet(last.image, bare, tray).image)
