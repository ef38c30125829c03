"""A camera that plays frames from a folder or a video, with the stamps that they had.

Frame n stands for n / fps seconds after the first; a video says its own rate. Paced, the frames
come at the speed they were taken and a late reader misses some, as with a real camera; unpaced, each read gives the
next frame at once, and the stamps run ahead of the clock.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from companion.hw.clock import NS_PER_MS, NS_PER_S, boot_ns
from companion.hw.ports import Frame, Image, RigError
from companion.hw.settings import CameraSettings

PICTURES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp"})
LUMA_SHRINK = 4


class ReplayCamera:
    """Frames from files; a `companion.hw.ports.Camera`.

    Args:
        settings: `device` is the folder or the video, `fps` the rate of a folder, `paced` the speed.

    Raises:
        RigError: There is nothing to play there.
    """

    def __init__(self, settings: CameraSettings) -> None:
        self._path = settings.path
        self._paced = settings.paced
        self._frames = _frames(self._path, settings.fps)
        self._ahead: Frame | None = None
        self._closed = threading.Event()
        self._reading = threading.Lock()

    @property
    def name(self) -> str:
        """'replay' and the file's name."""
        return f"replay {self._path.name}"

    def read(self, timeout_ms: int) -> Frame | None:
        """The next frame, newest first when paced and late; None when its time has not come.

        Raises:
            RigError: The frames have come to their end, one can't be read, or the camera was closed.
        """
        with self._reading:
            deadline_ns = boot_ns() + timeout_ms * NS_PER_MS
            frame = self._next()
            if self._paced:
                due_ns = min(frame.at_ns, deadline_ns)
                self._closed.wait(max(0, due_ns - boot_ns()) / NS_PER_S)
                self._check()
                if frame.at_ns > boot_ns():
                    self._ahead = frame
                    return None
                frame = self._newest(frame, boot_ns())
            return replace(frame, luma=shrunk_luma(frame.image))

    def close(self) -> None:
        """Stop; twice is fine."""
        self._closed.set()

    def _check(self) -> None:
        if self._closed.is_set():
            raise RigError("camera", "closed", "the camera was closed", driver="replay")

    def _next(self) -> Frame:
        self._check()
        frame = self._peek()
        if frame is None:
            raise RigError("camera", "replay-ended", f"all frames of {self._path} were played", path=str(self._path))
        self._ahead = None
        return frame

    def _peek(self) -> Frame | None:
        """The next frame, left where it is; None at the end."""
        if self._ahead is None:
            self._ahead = next(self._frames, None)
        return self._ahead

    def _newest(self, frame: Frame, now_ns: int) -> Frame:
        """The last frame whose time has come: a late reader misses those between."""
        while (later := self._peek()) is not None and later.at_ns <= now_ns:
            frame = self._next()
        return frame


def shrunk_luma(image: Image) -> Image:
    """The small luma picture of a picture, a quarter of its size each way."""
    small = (max(1, image.shape[1] // LUMA_SHRINK), max(1, image.shape[0] // LUMA_SHRINK))
    return np.asarray(
        cv2.cvtColor(cv2.resize(image, small, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY), np.uint8
    )


def _frames(path: Path, fps: float) -> Iterator[Frame]:
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURES)
        if not files:
            raise RigError("camera", "nothing-to-play", f"no pictures in {path}", path=str(path))
        return _stamped(_pictures(files), fps)
    if not path.is_file():
        raise RigError("camera", "nothing-to-play", f"no such file or folder: {path}", path=str(path))
    video = cv2.VideoCapture(str(path))
    if not video.isOpened():
        raise RigError("camera", "nothing-to-play", f"{path} is not a video that can be played", path=str(path))
    return _stamped(_video(video), video.get(cv2.CAP_PROP_FPS) or fps)


def _stamped(images: Iterator[Image], fps: float) -> Iterator[Frame]:
    begin_ns = boot_ns()
    for number, image in enumerate(images):
        yield Frame(image=image, luma=None, at_ns=begin_ns + int(number * NS_PER_S / fps), number=number)


def _pictures(files: list[Path]) -> Iterator[Image]:
    for file in files:
        image = cv2.imread(str(file), cv2.IMREAD_COLOR)
        if image is None:
            raise RigError("camera", "bad-picture", f"{file} is not a picture that can be read", path=str(file))
        yield np.asarray(image, np.uint8)


def _video(video: cv2.VideoCapture) -> Iterator[Image]:
    try:
        while True:
            given, image = video.read()
            if not given:
                return
            yield np.asarray(image, np.uint8)
    finally:
        video.release()
