"""`companion read` at the command line."""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.commands.read import command
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from tests.vision import scenes

FIELDS = {"value", "verdict", "colour", "center_px", "box_px", "lean_deg", "height_mm", "confidence", "why"}


def png_of(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is so large."""
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"")),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def run(*words: str | Path) -> Result:
    """What the command did."""
    return CliRunner().invoke(command, [str(word) for word in words])


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A throw of the simulated rig as a JPEG."""
    path = tmp_path_factory.mktemp("read") / "throw.jpg"
    cv2.imwrite(str(path), scenes.thrown([6, 4, 2])[0])
    return path


def test_one_json_line_per_picture(picture: Path) -> None:
    """The line has the contract's fields and the throw's values; all read is exit code 0."""
    result = run("--json", picture)

    line = json.loads(result.stdout)
    assert str(picture) == line["source"]
    assert [2, 4, 6] == sorted(die["value"] for die in line["dice"])
    assert FIELDS == set(line["dice"][0])
    assert (False, 0) == (line["needs_referee"], result.exit_code)
    assert 2.0 < line["scale_px_per_mm"] < 3.0


def test_a_wrong_count_calls_the_referee(picture: Path) -> None:
    """With --dice a missing die is said, and the exit code is 1."""
    result = run("--json", "--dice", "4", picture)

    assert ["count-differs"] == json.loads(result.stdout)["warnings"]
    assert 1 == result.exit_code


def test_people_get_a_short_line(picture: Path) -> None:
    """Without --json there is one line with the values."""
    assert run(picture).stdout.startswith(f"{picture}: ")


def test_a_tray_picture_places_hidden_markers(picture: Path, tmp_path: Path) -> None:
    """A picture whose markers are covered is read by the tray of another."""
    image, _, _ = scenes.thrown([6, 4, 2])
    image[:200] = 90
    image[-170:] = 90
    covered = tmp_path / "covered.png"
    cv2.imwrite(str(covered), image)

    line = json.loads(run("--json", "--tray", picture, covered).stdout)

    assert line["tray_found"]
    assert [2, 4, 6] == sorted(die["value"] for die in line["dice"] if die["value"])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("text.jpg", b"this is no picture", "not a picture"),
        ("empty.jpg", b"", "is empty"),
        ("film.mp4", b"no film", "not a video"),
        ("huge.png", png_of(100_000, 100_000), "larger than a picture can be"),
    ],
)
def test_a_bad_file_is_one_problem_and_the_others_are_read(
    picture: Path, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    """What can't be read costs one line and exit code 2, never the other files."""
    bad = tmp_path / name
    bad.write_bytes(content)

    result = run("--json", bad, picture)

    (problem,) = [line for line in result.stderr.splitlines() if line.startswith("problem: ")]
    assert words in problem
    assert str(bad) in problem
    assert 2 == result.exit_code
    assert 3 == len(json.loads(result.stdout)["dice"])


def test_what_is_no_file_keeps_nobody_waiting(picture: Path, tmp_path: Path) -> None:
    """A pipe that nobody writes to would be read for ever."""
    pipe = tmp_path / "pipe.jpg"
    os.mkfifo(pipe)

    result = run("--json", pipe, picture)

    assert f"'{pipe}' is no file" in result.stderr
    assert 2 == result.exit_code
    assert 3 == len(json.loads(result.stdout)["dice"])


def test_a_truncated_jpeg_is_said_to_be_cut_short(picture: Path, tmp_path: Path) -> None:
    """Half a JPEG would decode to half grey: it is refused instead."""
    half = tmp_path / "half.jpg"
    half.write_bytes(picture.read_bytes()[:20000])

    result = run(half)

    assert "cut short" in result.stderr
    assert 2 == result.exit_code


def test_missing_files_and_empty_folders_are_named(tmp_path: Path) -> None:
    """Each is one problem with what to do."""
    result = run(tmp_path / "none.jpg", tmp_path)

    assert 2 == len([line for line in result.stderr.splitlines() if line.startswith("problem: ")])
    assert "no such file" in result.stderr
    assert "no pictures or videos" in result.stderr
    assert 2 == result.exit_code


def test_a_folder_is_read_in_order(tmp_path: Path) -> None:
    """Pictures of a folder come by name."""
    blank = np.full((120, 160, 3), 120, np.uint8)
    for name in ("b.png", "a.png"):
        cv2.imwrite(str(tmp_path / name), blank)

    lines = [json.loads(line) for line in run("--json", tmp_path).stdout.splitlines()]

    assert ["a.png", "b.png"] == [Path(line["source"]).name for line in lines]
    assert [["blank"], ["blank"]] == [line["warnings"] for line in lines]


def test_people_are_told_in_their_language_what_to_think_of_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --json: that there were no markers, and that somebody must look."""
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    path = tmp_path / "grey.png"
    cv2.imwrite(str(path), np.full((300, 400, 3), 90, dtype=np.uint8))

    result = CliRunner().invoke(command, [str(path)])

    assert f"{path}: geen stenen (niets te zien; een scheidsrechter moet kijken)" == result.stdout.strip()


def test_a_bump_in_a_video_has_its_line(tmp_path: Path) -> None:
    """Dice that are knocked at rest are no throw: the line says when, and people must look."""
    clock = ManualClock()
    rig = SimRig(SimSettings(width=960, height=540, seed=2), clock)
    rig.box.throw([6, 4, 2], in_ms=300)
    rig.box.bump(in_ms=2500)
    film = tmp_path / "bump.mp4"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"mp4v"), 30.0, (960, 540))
    for number in range(105):
        writer.write(rig.camera.picture(clock.now_ns() + number * 1_000_000_000 // 30, number))
    writer.release()

    result = run("--json", film)
    throw, bump = [json.loads(line) for line in result.stdout.splitlines()]

    assert (1, "bump") == (throw["throw"], bump["event"])
    assert ([], True, 1) == (bump["dice"], bump["needs_referee"], result.exit_code)
    assert abs(bump["started_ms"] - 2500) < 200
    assert "bumped" in run(film).stdout


def test_a_video_without_a_throw_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second of an empty box: no line, but a word on stderr in the language of the person."""
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    clock = ManualClock()
    rig = SimRig(SimSettings(width=960, height=540, seed=2), clock)
    film = tmp_path / "still.mp4"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"mp4v"), 30.0, (960, 540))
    for number in range(15):
        writer.write(rig.camera.picture(clock.now_ns() + number * 1_000_000_000 // 30, number))
    writer.release()

    result = CliRunner().invoke(command, ["--json", str(film)])

    assert ("", 0) == (result.stdout, result.exit_code)
    assert f"in '{film}' komt geen worp tot rust in de doos" == result.stderr.strip()


def film(path: Path, frames: int, *, lens: str = "") -> bytes:
    """A video of a throw that comes to rest after some 40 frames; with its cap on, the lens shows nothing of it."""
    clock = ManualClock()
    rig = SimRig(SimSettings(width=960, height=540, seed=2), clock)
    rig.box.throw([6, 4, 2], in_ms=300)
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30.0, (960, 540))
    for number in range(frames):
        shown = rig.camera.picture(clock.now_ns() + number * 1_000_000_000 // 30, number)
        writer.write(np.zeros_like(shown) if lens else shown)
    writer.release()
    return path.read_bytes()


def test_a_video_that_can_not_be_vouched_for_is_a_problem(tmp_path: Path) -> None:
    """Cut short by a copy, cut short by whoever filmed, or with the cap on the lens: each is told with its way out."""
    whole = film(tmp_path / "whole.avi", 75)
    (tmp_path / "copied.avi").write_bytes(whole[: len(whole) // 4])
    film(tmp_path / "early.avi", 22)
    film(tmp_path / "capped.avi", 12, lens="capped")

    copied, early, capped = (run("--json", tmp_path / f"{name}.avi") for name in ("copied", "early", "capped"))

    assert 0 == run("--json", tmp_path / "whole.avi").exit_code
    assert [2, 2, 2] == [result.exit_code for result in (copied, early, capped)]
    assert ["", "", ""] == [result.stdout for result in (copied, early, capped)]
    assert "of 75 frames can be read; copy it again" in copied.stderr
    assert "ends before the dice come to rest" in early.stderr
    assert "three of its markers" in capped.stderr
