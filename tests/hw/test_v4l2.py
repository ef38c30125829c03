"""The kernel's cameras, driven with a stand-in for OpenCV's capture."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.hw import clock
from companion.hw.liveness import Liveness
from companion.hw.ports import Camera, RigError
from companion.hw.settings import BadRigSetting, CameraSettings
from companion.hw.v4l2 import V4l2Camera
from tests.hw.contract import CameraContract, next_frame

SETTINGS = CameraSettings(driver="v4l2", device="3", width=320, height=240, fps=100)


class FakeCapture:
    """What is used of `cv2.VideoCapture`, over a sensor with noise.

    Args:
        stamps: 'monotonic', 'boot' or 'none': the clock of its stamps.
    """

    def __init__(self, stamps: str = "monotonic") -> None:
        self.stamps = stamps
        self.opened = True
        self.released = False
        self.silent = False
        self.frozen = False
        self.controls: dict[int, float] = {}
        self.without: set[int] = set()
        self._rng = np.random.default_rng(1)
        self._image = self._new()

    def _new(self) -> np.ndarray:
        return self._rng.integers(90, 110, size=(240, 320, 3), dtype=np.uint8)

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        """Whether the device is there."""
        return self.opened

    def read(self) -> tuple[bool, np.ndarray | None]:
        """The next picture after a hundredth of a second, unless it is silent."""
        time.sleep(0.01)
        if not self.opened or self.silent:
            return False, None
        if not self.frozen:
            self._image = self._new()
        return True, self._image.copy()

    def get(self, prop: int) -> float:
        """The stamp of the last picture, ms."""
        assert cv2.CAP_PROP_POS_MSEC == prop
        sources = {"monotonic": time.CLOCK_MONOTONIC, "boot": time.CLOCK_BOOTTIME}
        return time.clock_gettime_ns(sources[self.stamps]) / 1e6 if self.stamps in sources else 0.0

    def set(self, prop: int, value: float) -> bool:
        """Take a control, unless the camera has none such."""
        self.controls[prop] = value
        return prop not in self.without

    def release(self) -> None:
        """Let go of the device."""
        self.released = True


def camera_over(capture: FakeCapture, settings: CameraSettings = SETTINGS) -> V4l2Camera:
    """A camera that opens the stand-in, quick to see faults."""
    return V4l2Camera(settings, lambda _settings: capture, silent_ms=120, frozen_ms=120)


class TestV4l2Camera(CameraContract):
    """The driver keeps the camera's laws."""

    @pytest.fixture
    def opened(self) -> Iterator[Camera]:
        """A camera whose kernel stamps with the monotonic clock."""
        camera = camera_over(FakeCapture())
        yield camera
        camera.close()


@pytest.mark.parametrize(("fault", "code"), [("silent", "silent"), ("frozen", "frozen"), ("unplugged", "unplugged")])
def test_a_camera_that_no_longer_looks_is_said_to_be_so(fault: str, code: str) -> None:
    """Silence, a repeated picture and a pulled plug each have their own code, and stay until it is opened anew."""
    capture = FakeCapture()
    camera = camera_over(capture)
    next_frame(camera)
    capture.silent, capture.frozen, capture.opened = fault == "silent", fault == "frozen", fault != "unplugged"

    for _ in range(2):
        with pytest.raises(RigError) as told:
            while True:
                camera.read(1000)
        assert (code, "/dev/video3") == (told.value.code, told.value.values["device"])
    camera.close()
    assert capture.released


def test_size_rate_and_exposure_are_asked_for() -> None:
    """The device is told what is configured, in its own units, and its focus stops hunting."""
    capture = FakeCapture()
    camera_over(capture, replace(SETTINGS, exposure_us=5000, gain=20.0)).close()

    assert (320, 240, 100) == tuple(
        capture.controls[prop] for prop in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT, cv2.CAP_PROP_FPS)
    )
    assert (1, 50, 20, 0) == tuple(
        capture.controls[prop]
        for prop in (cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_GAIN, cv2.CAP_PROP_AUTOFOCUS)
    )


@pytest.mark.parametrize(("name", "value"), [("exposure_us", 5000), ("gain", 2.0), ("colour_gains", (1.5, 2.0))])
def test_what_the_camera_cannot_fix_must_not_look_fixed(name: str, value: object) -> None:
    """A control that the camera does not have stops the start, and names the setting."""
    capture = FakeCapture()
    capture.without = {cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_GAIN}
    with pytest.raises(BadRigSetting) as told:
        camera_over(capture, replace(SETTINGS, **{name: value}))  # type: ignore[arg-type]

    assert (name, value) == (told.value.values["name"], told.value.values["value"])
    assert capture.released


def test_a_device_that_is_not_there_is_let_go_of() -> None:
    """Opening fails with the device's name, and nothing stays open."""
    capture = FakeCapture()
    capture.opened = False
    with pytest.raises(RigError) as told:
        camera_over(capture)

    assert "no-camera" == told.value.code
    assert capture.released


def test_a_driver_without_stamps_gets_the_time_of_arrival() -> None:
    """Where the kernel gives no usable stamp, half a frame before arrival is the best that is known."""
    camera = camera_over(FakeCapture("none"))
    frame = next_frame(camera)
    age_ns = clock.boot_ns() - frame.at_ns
    camera.close()

    assert 0 < age_ns < clock.NS_PER_S


@pytest.mark.parametrize(("stamp", "expected"), [(995, 995), (495, 995), (850, 850), (100, None), (2000, None)])
def test_a_stamp_is_placed_on_the_clock_that_makes_it_recent(stamp: int, expected: int | None) -> None:
    """With half a second slept, a stamp is moved only when that is what makes it recent, and not from the future."""
    ms = clock.NS_PER_MS

    placed = clock.recent_to_boot_ns(stamp * ms, now_boot_ns=1000 * ms, monotonic_offset_ns=500 * ms, oldest_ms=200)

    assert (None if expected is None else expected * ms) == placed


def test_a_stamp_that_both_clocks_would_allow_is_the_younger() -> None:
    """After a short sleep a monotonic stamp could pass for an old boot stamp; frames are young."""
    ms = clock.NS_PER_MS

    placed = clock.recent_to_boot_ns(900 * ms, now_boot_ns=1000 * ms, monotonic_offset_ns=80 * ms)

    assert 980 * ms == placed


def test_the_offset_between_the_clocks_is_the_time_slept() -> None:
    """Adding the measured offset to a monotonic stamp gives the boot clock, to well below a frame."""
    moved = time.clock_gettime_ns(time.CLOCK_MONOTONIC) + clock.monotonic_to_boot_offset_ns()

    assert abs(clock.boot_ns() - moved) < 5 * clock.NS_PER_MS


def test_a_black_or_burnt_out_picture_is_not_called_frozen() -> None:
    """A picture of one shade can't be told from the next: it is left to the reader to complain of."""
    watch = Liveness(silent_ms=1000, frozen_ms=1000, now_ns=0)
    for at_ms in range(0, 5000, 100):
        watch.saw(np.zeros((100, 100, 3), np.uint8), at_ms * clock.NS_PER_MS)

    assert watch.fault(5000 * clock.NS_PER_MS) is None
