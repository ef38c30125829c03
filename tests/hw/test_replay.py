"""Frames from files behave like a camera's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.hw.ports import Camera, RigError
from companion.hw.replay import ReplayCamera
from companion.hw.settings import CameraSettings
from tests.hw.contract import CameraContract, next_frame


def picture(shade: int) -> np.ndarray:
    """A picture that can be told from the others by its shade."""
    image = np.full((120, 160, 3), shade, np.uint8)
    image[:, 80:] = 255 - shade
    return image


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Eight pictures and a file that is none."""
    for number in range(8):
        cv2.imwrite(str(tmp_path / f"{number:03}.png"), picture(10 * number))
    (tmp_path / "notes.txt").write_text("not a picture", encoding="ascii")
    return tmp_path


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """A short video."""
    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20.0, (160, 120))
    for number in range(6):
        writer.write(picture(10 * number))
    writer.release()
    return path


def replay(path: Path, *, paced: bool, fps: float = 50.0) -> ReplayCamera:
    """A camera over files."""
    return ReplayCamera(CameraSettings(driver="replay", device=str(path), fps=fps, paced=paced))


class TestPacedReplay(CameraContract):
    """A folder at its own speed keeps the camera's laws."""

    @pytest.fixture
    def opened(self, folder: Path) -> Iterator[Camera]:
        """A folder played at 20 frames a second."""
        camera = replay(folder, paced=True, fps=20)
        yield camera
        camera.close()


class TestUnpacedReplay(CameraContract):
    """A video as fast as it is read keeps the camera's laws."""

    @pytest.fixture
    def opened(self, video: Path) -> Iterator[Camera]:
        """A video played at once."""
        camera = replay(video, paced=False)
        yield camera
        camera.close()


def test_every_frame_of_a_folder_comes_once_and_then_the_end(folder: Path) -> None:
    """Unpaced, all pictures come in the order of their names, then the replay says that it has ended."""
    camera = replay(folder, paced=False)
    shades = [int(next_frame(camera).image[0, 0, 0]) for _ in range(8)]

    assert [10 * number for number in range(8)] == shades
    with pytest.raises(RigError) as told:
        camera.read(10)
    assert "replay-ended" == told.value.code


def test_frame_times_are_those_of_the_recording(video: Path) -> None:
    """Stamps lie as far apart as the frames were, however fast they are read."""
    camera = replay(video, paced=False)
    stamps = [next_frame(camera).at_ns for _ in range(3)]

    assert [50_000_000, 50_000_000] == [later - earlier for earlier, later in pairwise(stamps)]


def test_a_late_reader_gets_the_newest_frame_and_sees_the_gap(folder: Path) -> None:
    """Paced, frames whose time passed while nobody read are left out."""
    camera = replay(folder, paced=True, fps=50)
    first = next_frame(camera)
    time.sleep(0.1)
    second = next_frame(camera)

    assert second.number - first.number >= 4


def test_a_frame_whose_time_has_not_come_is_not_given(folder: Path) -> None:
    """A read that ends before the next frame is due gives None, and the frame comes later."""
    camera = replay(folder, paced=True, fps=2)
    first = next_frame(camera)

    assert camera.read(20) is None
    assert first.number + 1 == next_frame(camera).number


@pytest.mark.parametrize("kind", ["missing", "empty", "text", "broken"])
def test_what_cannot_be_played_is_refused(tmp_path: Path, kind: str) -> None:
    """A missing path, an empty folder, a text and a broken picture each say what is wrong with them."""
    path = tmp_path / kind
    if kind != "missing":
        path.mkdir()
    if kind == "text":
        path = path / "a.mp4"
        path.write_text("no video", encoding="ascii")
    if kind == "broken":
        (path / "a.jpg").write_bytes(b"no picture")

    with pytest.raises(RigError) as told:
        replay(path, paced=False).read(10)

    assert ("bad-picture" if kind == "broken" else "nothing-to-play") == told.value.code
    assert kind in told.value.values["path"]
