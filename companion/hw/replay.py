"""A camera that plays frames from a folder or a video, with the stamps that they had.

Frame n of a folder stands for n / fps seconds, that of a video for the time that the file gives it. Paced, the frames
come at the speed they were taken and a late reader misses some, as with a real camera; unpaced, each read gives the
next frame at once, and the stamps run ahead of the clock.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
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
        self._begin_ns = boot_ns()
        self._ahead: tuple[int, int, Image] | None = None
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
            number, at_ns, image = self._next()
            while self._paced:
                now_ns = boot_ns()
                if at_ns > now_ns:
                    self._ahead = (number, at_ns, image)
                    self._closed.wait(max(0, min(at_ns, deadline_ns) - now_ns) / NS_PER_S)
                    if at_ns > boot_ns():
                        return None
                    number, at_ns, image = self._next()
                newer = self._skip_to(boot_ns())
                if newer is None:
                    break
                number, at_ns, image = newer
            return Frame(image=image, luma=shrunk_luma(image), at_ns=at_ns, number=number)

    def close(self) -> None:
        """Stop; twice is fine."""
        self._closed.set()

    def _next(self) -> tuple[int, int, Image]:
        if self._closed.is_set():
            raise RigError("camera", "closed", "the camera was closed", driver="replay")
        if self._ahead is not None:
            frame, self._ahead = self._ahead, None
            return frame
        try:
            number, after_ns, image = next(self._frames)
        except StopIteration:
            raise RigError(
                "camera", "replay-ended", f"all frames of {self._path} were played", path=str(self._path)
            ) from None
        return number, self._begin_ns + after_ns, image

    def _skip_to(self, now_ns: int) -> tuple[int, int, Image] | None:
        """The newest frame whose time has come after the one in hand, or None."""
        newest = None
        while True:
            try:
                frame = self._next()
            except RigError as ended:
                if ended.code == "replay-ended":
                    return newest
                raise
            if frame[1] > now_ns:
                self._ahead = frame
                return newest
            newest = frame


def shrunk_luma(image: Image) -> Image:
    """The small luma picture of a picture, a quarter of its size each way."""
    small = (max(1, image.shape[1] // LUMA_SHRINK), max(1, image.shape[0] // LUMA_SHRINK))
    return np.asarray(
        cv2.cvtColor(cv2.resize(image, small, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY), np.uint8
    )


def _frames(path: Path, fps: float) -> Iterator[tuple[int, int, Image]]:
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURES)
        if not files:
            raise RigError("camera", "nothing-to-play", f"no pictures in {path}", path=str(path))
        return _pictures(files, fps)
    if not path.is_file():
        raise RigError("camera", "nothing-to-play", f"no such file or folder: {path}", path=str(path))
    video = cv2.VideoCapture(str(path))
    if not video.isOpened():
        raise RigError("camera", "nothing-to-play", f"{path} is not a video that can be played", path=str(path))
    return _video(video, fps)


def _pictures(files: list[Path], fps: float) -> Iterator[tuple[int, int, Image]]:
    for number, file in enumerate(files):
        image = cv2.imread(str(file), cv2.IMREAD_COLOR)
        if image is None:
            raise RigError("camera", "bad-picture", f"{file} is not a picture that can be read", path=str(file))
        yield number, int(number * NS_PER_S / fps), np.asarray(image, np.uint8)


def _video(video: cv2.VideoCapture, fps: float) -> Iterator[tuple[int, int, Image]]:
    rate = video.get(cv2.CAP_PROP_FPS) or fps
    number = 0
    try:
        while True:
            given, image = video.read()
            if not given:
                return
            yield number, int(number * NS_PER_S / rate), np.asarray(image, np.uint8)
            number += 1
    finally:
        video.release()
