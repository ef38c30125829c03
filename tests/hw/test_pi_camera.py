"""The Pi's camera, driven with a stand-in of exactly the part of picamera2 that is used."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion.hw.clock import NS_PER_S, boot_ns
from companion.hw.pi import camera as pi_camera
from companion.hw.pi.camera import PiCamera, Request
from companion.hw.ports import Camera, RigError
from companion.hw.settings import CameraSettings
from tests.hw.contract import CameraContract, next_frame

SETTINGS = CameraSettings(driver="picamera2", width=320, height=240, fps=100, exposure_us=4000, gain=2.0)
_PAD = 16


class FakeRequest:
    """One completed frame that counts who holds it."""

    def __init__(self, shade: int, metadata: dict[str, Any]) -> None:
        self.held = 0
        self._shade = shade
        self._metadata = metadata
        self._rng = np.random.default_rng(shade)

    def acquire(self) -> None:
        """Keep it."""
        self.held += 1

    def release(self) -> None:
        """Give it back."""
        assert self.held > 0
        self.held -= 1

    def make_array(self, name: str) -> Any:
        """The full picture, or the small one with its padding and its colour planes below."""
        assert self.held > 0
        if name == "main":
            return self._rng.integers(self._shade, self._shade + 20, size=(240, 320, 3), dtype=np.uint8)
        return np.full((60 * 3 // 2, 80 + _PAD), self._shade + 10, np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        """What is known of the frame."""
        return self._metadata


class FakeSensor:
    """What is used of `picamera2.Picamera2`: a thread that completes a request every hundredth of a second."""

    def __init__(self, *, refuse: bool = False, stamp: Callable[[], int | None] = boot_ns) -> None:
        self.post_callback: Callable[[Request], None] | None = None
        self.requests: list[FakeRequest] = []
        self.configured: dict[str, Any] = {}
        self.calls: list[str] = []
        self._refuse = refuse
        self._stamp = stamp
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def create_video_configuration(self, **how: Any) -> Any:
        """Remember what was asked for."""
        self.configured = how
        return how

    def configure(self, configuration: Any) -> None:
        """Take it, or refuse as libcamera does."""
        assert configuration is self.configured
        if self._refuse:
            raise RuntimeError("no such mode")

    def start(self) -> None:
        """Begin to complete requests."""
        self.calls.append("start")
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self.calls.append("stop")
        self._ended.set()
        self._thread.join()

    def close(self) -> None:
        """Let go."""
        self.calls.append("close")

    def _run(self) -> None:
        while not self._ended.wait(0.01):
            request = FakeRequest(len(self.requests) % 200, {"SensorTimestamp": self._stamp(), "ExposureTime": 4000})
            self.requests.append(request)
            callback = self.post_callback
            if callback is not None:
                callback(request)


class TestPiCamera(CameraContract):
    """The driver keeps the camera's laws."""

    @pytest.fixture
    def opened(self) -> Iterator[Camera]:
        """A camera over the stand-in."""
        camera = PiCamera(SETTINGS, FakeSensor())
        yield camera
        camera.close()


def test_a_stream_has_the_full_picture_and_a_small_luma_and_nothing_left_to_chance() -> None:
    """The configuration asks for BGR and YUV420, a fixed rate, and fixed exposure, gain and focus."""
    sensor = FakeSensor()
    PiCamera(SETTINGS, sensor).close()

    assert {"size": (320, 240), "format": "RGB888"} == sensor.configured["main"]
    assert {"size": (80, 60), "format": "YUV420"} == sensor.configured["lores"]
    assert {
        "FrameDurationLimits": (10_000, 10_000),
        "AfMode": 0,
        "LensPosition": 2.0,
        "AeEnable": False,
        "ExposureTime": 4000,
        "AnalogueGain": 2.0,
    } == sensor.configured["controls"]


def test_what_is_not_configured_is_left_to_the_camera() -> None:
    """Zero exposure and gain leave the automatic ones on; colour gains switch the white balance off."""
    free = pi_camera.controls(CameraSettings(driver="picamera2", colour_gains=(1.5, 2.5)))

    assert {"FrameDurationLimits", "AfMode", "LensPosition", "AwbEnable", "ColourGains"} == set(free)


def test_the_padding_of_the_small_picture_is_cut_off() -> None:
    """The luma picture has its own size, without the stride's padding and the colour planes."""
    camera = PiCamera(SETTINGS, FakeSensor())
    luma = next_frame(camera).luma
    camera.close()

    assert luma is not None
    assert (60, 80) == luma.shape


def test_the_stamp_is_the_middle_of_the_exposure() -> None:
    """The sensor stamps the end of the first row's exposure; half of it before that is the middle."""
    moment = boot_ns()
    camera = PiCamera(SETTINGS, FakeSensor(stamp=lambda: moment))
    frame = next_frame(camera)
    camera.close()

    assert moment - 2_000_000 == frame.at_ns


def test_every_request_is_given_back() -> None:
    """Frames that were read and frames that were not both return their buffers, or the camera would starve."""
    sensor = FakeSensor()
    camera = PiCamera(SETTINGS, sensor)
    for _ in range(3):
        next_frame(camera)
        time.sleep(0.035)
    camera.close()

    assert {0} == {request.held for request in sensor.requests}
    assert len(sensor.requests) > 6
    assert ["start", "stop", "close"] == sensor.calls


@pytest.mark.parametrize("stamp", [lambda: None, lambda: boot_ns() + 3600 * NS_PER_S])
def test_a_stamp_that_fits_no_clock_is_an_error_not_a_guess(stamp: Callable[[], int | None]) -> None:
    """Photo finishes hang on these stamps: one that can't be placed is refused."""
    camera = PiCamera(SETTINGS, FakeSensor(stamp=stamp))
    with pytest.raises(RigError) as told:
        camera.read(2000)
    camera.close()

    assert "bad-stamp" == told.value.code


def test_a_sensor_that_refuses_its_configuration_is_let_go_of() -> None:
    """A size that the sensor can't do is said with the size, and the device is free again."""
    sensor = FakeSensor(refuse=True)
    with pytest.raises(RigError) as told:
        PiCamera(SETTINGS, sensor)

    assert ("refused", ["close"]) == (told.value.code, sensor.calls)
    assert "320x240" in str(told.value)


def test_a_sensor_that_falls_silent_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without frames for long enough, reading fails instead of waiting for ever."""
    monkeypatch.setattr(pi_camera, "SILENT_MS", 100.0)
    sensor = FakeSensor()
    camera = PiCamera(SETTINGS, sensor)
    next_frame(camera)
    sensor.stop()
    with pytest.raises(RigError) as told:
        while True:
            camera.read(50)
    sensor.calls.clear()

    assert "silent" == told.value.code


def test_the_driver_opens_picamera2_by_the_cameras_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where picamera2 is installed, its object for the configured camera is what runs."""
    opened: list[int] = []

    def make(number: int) -> FakeSensor:
        opened.append(number)
        return FakeSensor()

    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=make))
    camera = pi_camera.open_camera(replace(SETTINGS, device="1"))

    assert "picamera2 320x240" == camera.name
    assert [1] == opened
    camera.close()


def test_a_pi_without_a_camera_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library answers a camera that is not there with an IndexError; the user is told of the cable."""

    def make(number: int) -> FakeSensor:
        raise IndexError(number)

    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=make))
    with pytest.raises(RigError) as told:
        pi_camera.open_camera(SETTINGS)

    assert "no-camera" == told.value.code
    assert "ribbon cable" in str(told.value)


def test_a_sensor_that_repeats_its_picture_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same picture for long enough is not a still box: noise would make it differ."""
    monkeypatch.setattr(pi_camera, "FROZEN_MS", 100.0)
    same = np.random.default_rng(1).integers(0, 255, size=(240, 320, 3), dtype=np.uint8)
    monkeypatch.setattr(
        FakeRequest, "make_array", lambda _self, name: same if name == "main" else np.zeros((90, 96), np.uint8)
    )
    camera = PiCamera(SETTINGS, FakeSensor())
    with pytest.raises(RigError) as told:
        while True:
            camera.read(1000)
    camera.close()

    assert "frozen" == told.value.code
