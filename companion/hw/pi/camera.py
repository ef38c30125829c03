"""The Raspberry Pi's own camera through picamera2: full pictures and the small luma picture of the same moment.

picamera2 comes from apt and is imported when the camera is opened. What is used of it is `Sensor` below and no more;
the tests drive this module with a stand-in of exactly that.

Theory of the stamp: libcamera stamps a frame when its first row is read out, which is the end of that row's exposure.
Half of the exposure before that is the middle of what the first row saw, and the box lies in the middle rows, half of
a read-out later. The read-out (about 17 ms for this mode of the Camera Module 3) is not in the metadata, so the stamp
here is the first row's middle: early by at most half a read-out, always the same way. libcamera's documents promise
the boot clock; where a kernel stamps with the monotonic clock the stamp is moved (see `companion.hw.clock`).

Requests are taken by picamera2's own thread and kept until the next one comes, so a reader that is late gets the
newest, and only frames that are read are copied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from companion.hw.clock import boot_ns, monotonic_to_boot_offset_ns, recent_to_boot_ns
from companion.hw.liveness import Liveness
from companion.hw.ports import Frame, RigError
from companion.hw.settings import CameraSettings
from companion.hw.slot import Slot

LUMA_SHRINK = 4
BUFFERS = 6
SILENT_MS = 1500.0
FROZEN_MS = 2000.0


class Request(Protocol):
    """One completed frame, as picamera2 hands it out."""

    def acquire(self) -> None:
        """Keep its buffers."""

    def release(self) -> None:
        """Give its buffers back."""

    def make_array(self, name: str) -> Any:
        """A copy of the picture of one stream."""

    def get_metadata(self) -> dict[str, Any]:
        """What is known of the frame."""


class Sensor(Protocol):
    """The part of `picamera2.Picamera2` that is used."""

    post_callback: Callable[[Request], None] | None

    def create_video_configuration(self, **how: Any) -> Any:
        """A configuration for a stream of frames."""

    def configure(self, configuration: Any) -> None:
        """Take a configuration."""

    def start(self) -> None:
        """Begin."""

    def stop(self) -> None:
        """End."""

    def close(self) -> None:
        """Let go."""


def open_camera(settings: CameraSettings) -> PiCamera:
    """The camera of the Pi, running.

    Raises:
        RigError: picamera2 is not installed, or there is no such camera.
    """
    try:
        from picamera2 import Picamera2
    except ImportError as missing:
        raise RigError(
            "camera",
            "driver-missing",
            "the driver 'picamera2' needs the package python3-picamera2: sudo apt install python3-picamera2",
            driver="picamera2",
        ) from missing
    try:
        sensor = Picamera2(int(settings.device or "0"))
    except (IndexError, RuntimeError, ValueError) as gone:
        raise RigError(
            "camera",
            "no-camera",
            f"no camera {settings.device or '0'} on this Pi: check the ribbon cable ({gone})",
            driver="picamera2",
        ) from gone
    return PiCamera(settings, sensor)


def controls(settings: CameraSettings) -> dict[str, Any]:
    """What the sensor is told: everything that could change a picture by itself is fixed where it is configured."""
    frame_us = int(1_000_000 / settings.fps)
    fixed: dict[str, Any] = {
        "FrameDurationLimits": (frame_us, frame_us),
        # 0 is libcamera's AfModeManual; the enumeration itself would need libcamera to be imported here.
        "AfMode": 0,
        "LensPosition": settings.focus_dpt,
    }
    if settings.exposure_us and settings.gain:
        fixed |= {"AeEnable": False, "ExposureTime": settings.exposure_us, "AnalogueGain": settings.gain}
    elif settings.exposure_us:
        fixed["ExposureTime"] = settings.exposure_us
    elif settings.gain:
        fixed["AnalogueGain"] = settings.gain
    if settings.colour_gains is not None:
        fixed |= {"AwbEnable": False, "ColourGains": settings.colour_gains}
    return fixed


class PiCamera:
    """The camera of the Pi; a `companion.hw.ports.Camera`.

    Args:
        settings: Size, rate, exposure and focus.
        sensor: picamera2's object, not yet configured.

    Raises:
        RigError: The sensor refuses the configuration.
    """

    def __init__(self, settings: CameraSettings, sensor: Sensor) -> None:
        self._settings = settings
        self._sensor = sensor
        self._slot: Slot[tuple[Request, int]] = Slot(lambda kept: kept[0].release())
        self._number = -1
        self._offset_ns = monotonic_to_boot_offset_ns()
        self._liveness = Liveness(silent_ms=SILENT_MS, frozen_ms=FROZEN_MS, now_ns=boot_ns())
        self._closed = False
        size = (settings.width, settings.height)
        small = (settings.width // LUMA_SHRINK, settings.height // LUMA_SHRINK)
        try:
            configuration = sensor.create_video_configuration(
                # picamera2's RGB888 lies in memory as blue, green, red: OpenCV's order.
                main={"size": size, "format": "RGB888"},
                lores={"size": small, "format": "YUV420"},
                controls=controls(settings),
                buffer_count=BUFFERS,
            )
            sensor.configure(configuration)
            sensor.post_callback = self._completed
            sensor.start()
        except RuntimeError as refused:
            sensor.close()
            raise self._error(
                "refused", f"the camera refuses {size[0]}x{size[1]} at {settings.fps:g}/s: {refused}"
            ) from refused

    @property
    def name(self) -> str:
        """'picamera2' and the picture's size."""
        return f"picamera2 {self._settings.width}x{self._settings.height}"

    def read(self, timeout_ms: int) -> Frame | None:
        """The newest frame not yet handed out, or None when none came in time.

        Raises:
            RigError: The camera is silent, frozen or closed, or its stamps fit no clock.
        """
        if self._closed:
            raise self._error("closed", "the camera was closed")
        kept = self._slot.take(timeout_ms)
        if kept is None:
            fault = self._liveness.fault(boot_ns())
            if fault is not None:
                raise self._error(
                    fault, "the camera delivers no pictures: check the ribbon cable, then restart the table"
                )
            return None
        request, number = kept
        try:
            image = np.asarray(request.make_array("main"), np.uint8)
            planes = np.asarray(request.make_array("lores"), np.uint8)
            metadata = request.get_metadata()
        finally:
            request.release()
        now_ns = boot_ns()
        self._liveness.saw(image, now_ns)
        fault = self._liveness.fault(now_ns)
        if fault is not None:
            raise self._error(fault, "the camera delivers the same picture again and again: restart the table")
        rows, columns = self._settings.height // LUMA_SHRINK, self._settings.width // LUMA_SHRINK
        return Frame(image=image, luma=planes[:rows, :columns], at_ns=self._stamp_ns(metadata, now_ns), number=number)

    def close(self) -> None:
        """Let go of the camera; twice is fine."""
        if self._closed:
            return
        self._closed = True
        self._sensor.post_callback = None
        self._sensor.stop()
        self._slot.clear()
        self._sensor.close()

    def _completed(self, request: Request) -> None:
        """On picamera2's thread: keep the newest request."""
        request.acquire()
        self._number += 1
        self._slot.put((request, self._number))

    def _stamp_ns(self, metadata: dict[str, Any], now_ns: int) -> int:
        given = metadata.get("SensorTimestamp")
        stamp = None
        if given is not None:
            stamp = recent_to_boot_ns(int(given), now_boot_ns=now_ns, monotonic_offset_ns=self._offset_ns)
        if stamp is None:
            raise self._error("bad-stamp", f"the camera's time stamp {given!r} fits no clock of this machine")
        half_exposure_ns = int(metadata.get("ExposureTime", 0)) * 1000 // 2
        return stamp - half_exposure_ns

    def _error(self, code: str, message: str) -> RigError:
        return RigError("camera", code, message, driver="picamera2")
