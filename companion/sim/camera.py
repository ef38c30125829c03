"""The simulated camera: it looks at the box when somebody reads, and costs nothing while nobody does.

A frame is painted on demand for its own moment. Dice that lie still are painted once over the empty rig and kept; a
frame of a still box is that picture plus noise cut from a field made beforehand, which is about a millisecond.
"""

from __future__ import annotations

import threading

import cv2
import numpy as np

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.hw.ports import Frame, RigError
from companion.sim import hand
from companion.sim.box import SimBox
from companion.sim.clock import SimClock
from companion.sim.motion import Motion
from companion.sim.painter import Posed
from companion.sim.scenery import Image
from companion.sim.settings import SimSettings
from companion.sim.stage import stage_of

LUMA_SHRINK = 4
_FROZEN_NS = NS_PER_S
_SMEAR_PX = 1.0


class SimCamera:
    """A camera over a simulated box; a `companion.hw.ports.Camera`.

    Args:
        settings: What kind of rig it is.
        clock: The rig's clock.
        box: What it looks at.
    """

    def __init__(self, settings: SimSettings, clock: SimClock, box: SimBox) -> None:
        self._settings = settings
        self._clock = clock
        self._box = box
        self._optics = settings.optics()
        self._period_ns = round(NS_PER_S / settings.fps)
        self._begin_ns = clock.now_ns()
        self._last = -1
        self._wake = threading.Event()
        self._reading = threading.Lock()
        self._covered = False
        self._frozen_ns: int | None = None
        self._closed = False
        self._faults: dict[str, str] = {}
        self._light = 1.0
        self._flicker = (0, 0.0, 0.0, 1.0)
        self._shift = (0.0, 0.0)
        self._still: tuple[tuple[tuple[int, int], ...], Image] | None = None

    @property
    def name(self) -> str:
        """'sim' with the picture's size."""
        return f"sim {self._settings.width}x{self._settings.height}"

    def read(self, timeout_ms: int) -> Frame | None:
        """The newest frame not yet handed out, or None when none came in time.

        Raises:
            RigError: Closed, unplugged, without power, or frozen for more than a second.
        """
        with self._reading:
            deadline_ns = self._clock.now_ns() + timeout_ms * NS_PER_MS
            while True:
                now_ns = self._clock.now_ns()
                self._check(now_ns)
                number = (now_ns - self._begin_ns) // self._period_ns
                if self._frozen_ns is None and number > self._last:
                    self._last = number
                    return self._frame(number)
                if now_ns >= deadline_ns:
                    return None
                self._clock.wait_until(min(self._next_ns(), deadline_ns), self._wake)

    def close(self) -> None:
        """Stop; a reader that waits is told at once. Twice is fine."""
        self._closed = True
        self._wake.set()

    def reopen(self) -> SimCamera:
        """Open it anew after a fault or `close`, as whoever uses it does.

        Raises:
            RigError: The fault is still there.
        """
        self._closed = False
        self._wake.clear()
        self._check(self._clock.now_ns())
        return self

    def cover(self) -> None:
        """Something lies on the lens: frames go on and are dark."""
        self._covered = True

    def uncover(self) -> None:
        """The lens is free again."""
        self._covered = False

    def light(self, share: float) -> None:
        """The lamp over the table is turned up or down for good: 1 is as it was at the start."""
        self._light = share

    def flicker(self, *, ms: float = 600.0, depth: float = 0.35, hz: float = 6.0, in_ms: float = 0.0) -> None:
        """The lamp flickers for a while.

        Args:
            ms: How long.
            depth: How much light is lost at its darkest, 0 to 1.
            hz: How often a second it darkens.
            in_ms: When it begins, from now.
        """
        self._flicker = (self._clock.now_ns() + int(in_ms * NS_PER_MS), ms, depth, hz)

    def knock(self, right_px: float, down_px: float) -> None:
        """Somebody knocks the camera: everything is seen elsewhere from now on."""
        self._shift = (self._shift[0] + right_px, self._shift[1] + down_px)

    def unplug(self) -> None:
        """The cable is out: reading fails until `plug`."""
        self._faults["unplugged"] = "the camera is unplugged: push its cable in"

    def plug(self) -> None:
        """The cable is in again."""
        self._faults.pop("unplugged", None)

    def freeze(self) -> None:
        """The sensor hangs: no new frames; after a second reading fails, until `thaw`."""
        self._frozen_ns = self._clock.now_ns()

    def thaw(self) -> None:
        """The sensor delivers again."""
        self._frozen_ns = None

    def lose_power(self) -> None:
        """The rig is dark: reading fails until `gain_power`."""
        self._faults["no-power"] = "the rig has no power"

    def gain_power(self) -> None:
        """The rig has power again."""
        self._faults.pop("no-power", None)

    def picture(self, at_ns: int, number: int = 0) -> Image:
        """The picture that a frame exposed around a time shows, shape (rows, columns, 3), BGR.

        Args:
            at_ns: Middle of the exposure, boot-clock ns.
            number: Number of the frame; it picks the noise.
        """
        stage = stage_of(self._settings)
        if self._covered:
            return stage.noisy(np.full_like(stage.empty, 5), number)
        dice, hands = self._box.scene(at_ns)
        resting = [die for die in dice if not die.is_moving(at_ns)]
        moving = [die for die in dice if die.is_moving(at_ns)]
        picture = self._resting(resting, at_ns)
        if moving or hands:
            picture = picture.copy()
            stage.painter.paint(picture, [self._smeared(die, at_ns) for die in moving])
            for gesture in hands:
                palm = gesture.palm(at_ns)
                if palm is not None:
                    hand.paint(picture, self._optics, self._settings.lamp, palm, gesture.arm_towards)
        return stage.noisy(self._lit(self._shifted(picture), at_ns), number)

    def _lit(self, picture: Image, at_ns: int) -> Image:
        begin_ns, ms, depth, hz = self._flicker
        share, after_s = self._light, (at_ns - begin_ns) / NS_PER_S
        if 0 <= after_s < ms / 1000:
            share *= 1 - depth * (0.5 - 0.5 * np.cos(2 * np.pi * hz * after_s))
        return picture if share == 1.0 else np.asarray(cv2.convertScaleAbs(picture, alpha=share), np.uint8)

    def _shifted(self, picture: Image) -> Image:
        if self._shift == (0.0, 0.0):
            return picture
        move = np.array([[1.0, 0.0, self._shift[0]], [0.0, 1.0, self._shift[1]]])
        size = (picture.shape[1], picture.shape[0])
        return np.asarray(cv2.warpAffine(picture, move, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def _frame(self, number: int) -> Frame:
        at_ns = self._begin_ns + number * self._period_ns
        image = self.picture(at_ns, number)
        small = (image.shape[1] // LUMA_SHRINK, image.shape[0] // LUMA_SHRINK)
        luma = cv2.cvtColor(cv2.resize(image, small, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        return Frame(image=image, luma=np.asarray(luma), at_ns=at_ns, number=number)

    def _resting(self, dice: list[Motion], at_ns: int) -> Image:
        key = tuple((die.id, die.rest_ns) for die in dice)
        if self._still is None or self._still[0] != key:
            stage = stage_of(self._settings)
            picture = stage.empty.copy()
            stage.painter.paint(picture, [_posed(die, at_ns) for die in dice])
            self._still = (key, picture)
        return self._still[1]

    def _smeared(self, die: Motion, at_ns: int) -> Posed:
        """A moving die as the exposure smears it."""
        half_ns = int(self._settings.exposure_ms * NS_PER_MS / 2)
        poses = [die.pose(at_ns + step * half_ns) for step in (-1, 0, 1)]
        positions = np.array([pose[0] for pose in poses])
        pixels = self._optics.project(positions)
        if np.linalg.norm(pixels[-1] - pixels[0]) < _SMEAR_PX:
            return _posed(die, at_ns)
        return Posed(
            look=die.look,
            size_mm=die.size_mm,
            position_mm=positions[1],
            quat=poses[1][1],
            smear=(positions, np.array([pose[1] for pose in poses])),
        )

    def _next_ns(self) -> int:
        if self._frozen_ns is not None:
            return self._frozen_ns + _FROZEN_NS
        return self._begin_ns + (self._last + 1) * self._period_ns

    def _check(self, now_ns: int) -> None:
        if self._closed:
            raise RigError("camera", "closed", "the camera was closed", driver="sim")
        for code, message in self._faults.items():
            raise RigError("camera", code, message, driver="sim")
        if self._frozen_ns is not None and now_ns >= self._frozen_ns + _FROZEN_NS:
            raise RigError("camera", "frozen", "the camera delivers no new pictures: check its cable", driver="sim")


def _posed(die: Motion, at_ns: int) -> Posed:
    position, quat = die.pose(at_ns)
    return Posed(look=die.look, size_mm=die.size_mm, position_mm=position, quat=quat)
