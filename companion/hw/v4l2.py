"""Any USB or laptop camera through OpenCV's V4L2 back end.

A thread takes every frame from the kernel as it comes, so that the one handed out is never one that waited in a
queue. Its stamp is the kernel's own (monotonic clock, start of the transfer) moved to the boot clock; a driver that
gives no usable stamp gets the time of arrival less half a frame, which is the best that can be known.

A camera that was unplugged, hangs or repeats itself raises a `RigError` from then on: close it and open it anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

from companion.hw.clock import NS_PER_MS, NS_PER_S, boot_ns, monotonic_to_boot_offset_ns, recent_to_boot_ns
from companion.hw.liveness import Liveness
from companion.hw.ports import Frame, Image, RigError
from companion.hw.replay import shrunk_luma
from companion.hw.settings import BadRigSetting, CameraSettings
from companion.hw.slot import Slot

SILENT_MS = 1500.0
FROZEN_MS = 2000.0
_WAIT_FOR_FRAME_MS = 500

_SAID = {
    "unplugged": "{device} is gone: push the camera's plug in",
    "silent": "{device} delivers no pictures: pull its plug and push it in again",
    "frozen": "{device} delivers the same picture again and again: pull its plug and push it in again",
    "no-camera": "{device} can't be opened: is a camera plugged in, and may this user read it (group 'video')?",
    "closed": "{device} was closed",
}

Raw = tuple[Image, int, int]
OpenCapture = Callable[[CameraSettings], Any]


def open_capture(settings: CameraSettings) -> Any:
    """OpenCV's capture on the device, not yet set up."""
    device = settings.device or "0"
    return cv2.VideoCapture(int(device) if device.isdigit() else device, cv2.CAP_V4L2)


def set_up(capture: Any, settings: CameraSettings) -> None:
    """Ask an opened capture for size, rate and format, and fix what is to be fixed.

    Raises:
        BadRigSetting: Fixed exposure, gain or white balance is asked for and this camera has no such control. What
            can't be fixed must not look fixed.
    """
    # Over USB 2 only compressed frames reach 30 a second at this size.
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, settings.width)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.height)
    capture.set(cv2.CAP_PROP_FPS, settings.fps)
    capture.set(cv2.CAP_PROP_READ_TIMEOUT_MSEC, _WAIT_FOR_FRAME_MS)
    # Many lenses are fixed and have no such control; one that hunts for focus must stop.
    capture.set(cv2.CAP_PROP_AUTOFOCUS, 0)
    if settings.colour_gains is not None:
        raise BadRigSetting("camera", "colour_gains", settings.colour_gains, "be empty with driver 'v4l2'")
    wanted: dict[str, tuple[tuple[int, float], ...]] = {}
    if settings.exposure_us:
        # V4L2 counts exposure in units of 100 microseconds; its menu calls manual exposure 1.
        wanted["exposure_us"] = ((cv2.CAP_PROP_AUTO_EXPOSURE, 1), (cv2.CAP_PROP_EXPOSURE, settings.exposure_us / 100))
    if settings.gain:
        wanted["gain"] = ((cv2.CAP_PROP_GAIN, settings.gain),)
    for name, controls in wanted.items():
        accepted = [capture.set(control, value) for control, value in controls]
        if not all(accepted):
            raise BadRigSetting("camera", name, getattr(settings, name), "be 0: this camera can't fix it")


class V4l2Camera:
    """A camera of the kernel; a `companion.hw.ports.Camera`.

    Args:
        settings: Device, size and rate.
        open_device: How the device is opened.
        silent_ms: After how long without a frame it counts as silent.
        frozen_ms: After how long of equal frames it counts as frozen.

    Raises:
        RigError: The device can't be opened, or has no control that the settings ask for.
    """

    def __init__(
        self,
        settings: CameraSettings,
        open_device: OpenCapture = open_capture,
        *,
        silent_ms: float = SILENT_MS,
        frozen_ms: float = FROZEN_MS,
    ) -> None:
        self._device = f"/dev/video{settings.device or '0'}" if not settings.device.startswith("/") else settings.device
        capture = open_device(settings)
        if not capture.isOpened():
            capture.release()
            raise _error("no-camera", self._device)
        try:
            set_up(capture, settings)
        except RigError:
            capture.release()
            raise
        liveness = Liveness(silent_ms=silent_ms, frozen_ms=frozen_ms, now_ns=boot_ns())
        self._grabber = _Grabber(capture, liveness, settings.fps, self._device)

    @property
    def name(self) -> str:
        """'v4l2' and the device."""
        return f"v4l2 {self._device}"

    def read(self, timeout_ms: int) -> Frame | None:
        """The newest frame not yet handed out, or None when none came in time.

        Raises:
            RigError: The camera is gone, silent, frozen or closed.
        """
        raw = self._grabber.slot.take(timeout_ms)
        if raw is None:
            return None
        image, at_ns, number = raw
        return Frame(image=image, luma=shrunk_luma(image), at_ns=at_ns, number=number)

    def close(self) -> None:
        """Let go of the device; twice is fine."""
        self._grabber.stop()


class _Grabber:
    """The thread that takes frames from one opened device."""

    def __init__(self, capture: Any, liveness: Liveness, fps: float, device: str) -> None:
        self.slot: Slot[Raw] = Slot()
        self._capture = capture
        self._liveness = liveness
        self._half_frame_ns = int(NS_PER_S / fps / 2)
        self._offset_ns = monotonic_to_boot_offset_ns()
        self._device = device
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="v4l2", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread and let go of the device."""
        self._ended.set()
        self._thread.join()
        self.slot.clear()
        self.slot.fail(_error("closed", self._device))

    def _run(self) -> None:
        number = 0
        try:
            while not self._ended.is_set():
                given, picture = self._capture.read()
                now_ns = boot_ns()
                if given:
                    image = np.asarray(picture, np.uint8)
                    self._liveness.saw(image, now_ns)
                    self.slot.put((image, self._stamp_ns(now_ns), number))
                    number += 1
                fault = self._liveness.fault(now_ns)
                if fault is None and not given and not self._capture.isOpened():
                    fault = "unplugged"
                if fault is not None:
                    self.slot.fail(_error(fault, self._device))
                    return
                if not given:
                    self._ended.wait(0.01)
        finally:
            self._capture.release()

    def _stamp_ns(self, now_ns: int) -> int:
        given_ms = float(self._capture.get(cv2.CAP_PROP_POS_MSEC))
        stamp = recent_to_boot_ns(int(given_ms * NS_PER_MS), now_boot_ns=now_ns, monotonic_offset_ns=self._offset_ns)
        return now_ns - self._half_frame_ns if stamp is None else stamp


def _error(code: str, device: str) -> RigError:
    return RigError("camera", code, _SAID[code].format(device=device), driver="v4l2", device=device)
