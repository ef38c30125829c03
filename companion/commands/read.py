"""`companion read`: dice from pictures, videos and folders of frames, one JSON line each.

The line is the contract of docs/read.md. A file that can't be read costs one line on stderr and the exit code, never
the other files.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.commands.saying import Sayings, spoken_language
from companion.words import Words

if TYPE_CHECKING:
    from companion.vision.reader import BoxReader
    from companion.vision.settings import ReaderSettings
    from companion.vision.types import DieReading, Image, Reading

_VIDEOS = {".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v"}
_PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff", ".ppm"}
_NS_PER_S = 1_000_000_000
# Some files promise a frame or two more than they hold.
_AT_THE_END = 2


class Unreadable(click.ClickException):
    """A file or folder that can't be read; the message says why and what to do."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON line per picture, or per throw or bump of a video.")
@click.option("--dice", "expect", type=click.IntRange(0, 40), help="How many dice should be there.")
@click.option("--tray", "tray_file", type=click.Path(path_type=Path), help="A picture of the box with all its markers.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
def command(*, as_json: bool, expect: int | None, tray_file: Path | None, paths: tuple[Path, ...]) -> None:
    """Read dice from pictures, videos and folders of pictures.

    Exit code 0: all was read. 1: people must look at something. 2: a file could not be read; the others were.
    """
    from companion.vision.settings import ReaderSettings

    settings = ReaderSettings()
    tray_image = picture_of(tray_file) if tray_file else None
    failed = referee = False
    files = list(_expanded(paths))
    for done, path in enumerate(files):
        _progress(done, len(files), path)
        try:
            if isinstance(path, Unreadable):
                raise path
            is_quiet = True
            for line in lines_of(path, settings, tray_image, expect):
                is_quiet = False
                referee |= bool(line["needs_referee"])
                _say(line, as_json=as_json)
            if is_quiet:
                _progress_off()
                click.echo(Sayings("read", spoken_language(os.environ))("no-throw", source=path), err=True)
        except Unreadable as problem:
            failed = True
            _progress_off()
            click.echo(f"problem: {problem.message}", err=True)
    _progress_off()
    if failed or referee:
        sys.exit(2 if failed else 1)


def _expanded(paths: tuple[Path, ...]) -> Iterator[Path | Unreadable]:
    """The files behind the arguments, in order; a folder gives its pictures and videos."""
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in _PICTURES | _VIDEOS)
            if inside:
                yield from inside
            else:
                yield Unreadable(f"no pictures or videos in the folder '{path}'; give one that has some")
        elif not path.exists():
            yield Unreadable(f"no such file '{path}'; check the name")
        else:
            yield path


def lines_of(
    path: Path, settings: ReaderSettings | None = None, tray_image: Image | None = None, expect: int | None = None
) -> Iterator[dict[str, Any]]:
    """What `companion read --json` says of one file: a line for a picture, one per throw or bump of a video.

    Raises:
        Unreadable: The file can't be read.
    """
    from companion.vision.reader import BoxReader
    from companion.vision.settings import ReaderSettings

    settings = settings or ReaderSettings()
    reader = BoxReader(settings)
    if tray_image is not None:
        reader.place(tray_image)
    if path.suffix.lower() in _VIDEOS:
        yield from _video(path, settings, reader)
        return
    image = picture_of(path)
    yield line_of(path, reader.read(image, expect=expect))


def picture_of(path: Path) -> Image:
    """The picture in a file, BGR.

    Raises:
        Unreadable: The file can't be opened, is cut short, or is no picture.
    """
    import cv2
    import numpy as np

    if path.exists() and not path.is_file():
        raise Unreadable(f"'{path}' is no file that holds a picture; give JPEG, PNG or a video")
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"can't open '{path}': {error.strerror}; check the name and the rights") from error
    if not raw:
        raise Unreadable(f"'{path}' is empty; take the picture again")
    if raw[:2] == b"\xff\xd8" and b"\xff\xd9" not in raw[-4096:]:
        raise Unreadable(f"'{path}' is a JPEG cut short; copy it again from where it was taken")
    try:
        image = cv2.imdecode(np.frombuffer(raw, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise Unreadable(f"'{path}' says of itself to be larger than a picture can be; take it again") from error
    if image is None:
        raise Unreadable(f"'{path}' is not a picture that can be read; give JPEG, PNG or a video")
    return np.asarray(image, dtype=np.uint8)


def _video(path: Path, settings: ReaderSettings, reader: BoxReader) -> Iterator[dict[str, Any]]:
    import cv2
    import numpy as np

    from companion.vision.settle import ThrowWatch
    from companion.vision.types import Bumped, ThrowRead

    # FFmpeg says on its own what it thinks of a file cut short; the one line that people get is ours.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    source = cv2.VideoCapture(str(path))
    if not source.isOpened():
        raise Unreadable(f"'{path}' is not a video that can be read; give H.264 in MP4")
    rate = source.get(cv2.CAP_PROP_FPS) or 30.0
    watch = ThrowWatch(settings, reader)
    number = said = 0
    try:
        while True:
            there, frame = source.read()
            if not there:
                break
            at_ns = round(number * _NS_PER_S / rate)
            number += 1
            for event in watch.feed(np.asarray(frame, dtype=np.uint8), None, at_ns):
                said += isinstance(event, ThrowRead | Bumped)
                if isinstance(event, ThrowRead):
                    yield {
                        **line_of(path, event.reading, clip=True),
                        "throw": event.number,
                        "started_ms": round(event.started_ns / 1e6),
                        "settled_ms": round(event.settled_ns / 1e6),
                    }
                elif isinstance(event, Bumped):
                    yield _bump_of(path, at_ms=round(event.at_ns / 1e6))
        promised = int(source.get(cv2.CAP_PROP_FRAME_COUNT))
    finally:
        source.release()
    if number == 0:
        raise Unreadable(f"'{path}' holds no frame; record it again")
    if number < promised - _AT_THE_END:
        raise Unreadable(f"'{path}' is damaged or cut short: {number} of {promised} frames can be read; copy it again")
    if watch.tray is None:
        raise Unreadable(f"'{path}' never shows the box with three of its markers; see that they are in the picture")
    if not said and not watch.is_still:
        raise Unreadable(f"'{path}' ends before the dice come to rest; record until they have lain still for a second")


def _bump_of(path: Path, *, at_ms: int) -> dict[str, Any]:
    """The line of dice that were shaken or pushed at rest: no throw, and nothing is read."""
    return {
        "source": str(path),
        "event": "bump",
        "needs_referee": True,
        "warnings": [],
        "dice": [],
        "started_ms": at_ms,
    }


def line_of(path: Path, reading: Reading, *, clip: bool = False) -> dict[str, Any]:
    """What is printed of one reading: the line of docs/read.md.

    Args:
        path: The picture or video.
        reading: What was read in it.
        clip: Whether it is a throw of a video.
    """
    return {
        "source": str(path),
        "needs_referee": reading.needs_referee,
        "scale_px_per_mm": None if reading.scale_px_per_mm is None else round(reading.scale_px_per_mm, 3),
        "tray_found": reading.tray_found,
        "warnings": list(reading.warnings),
        "dice": [_die(die, clip=clip) for die in reading.dice],
    }


def _die(die: DieReading, *, clip: bool) -> dict[str, Any]:
    out: dict[str, Any] = {
        "value": die.value,
        "verdict": die.verdict,
        "colour": die.colour,
        "center_px": list(die.center_px),
        "box_px": list(die.box_px),
        "lean_deg": die.lean_deg,
        "height_mm": die.height_mm,
        "confidence": die.confidence,
        "why": die.why,
    }
    if clip:
        out |= {"rolled": die.rolled, "moved": die.moved}
    return out


def _say(line: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(line))
        return
    lang = spoken_language(os.environ)
    words, say = Words(lang), Sayings("read", lang)
    dice = " ".join(
        str(d["value"]) if d["value"] else f"[{words.shown('verdict', d['verdict'])}]" for d in line["dice"]
    )
    notes = [say(code) if say.knows(code) else say("other", code=code) for code in line["warnings"]]
    if line["needs_referee"]:
        notes.append(say("referee"))
    click.echo(
        f"{line['source']}: {dice or say('bumped' if 'event' in line else 'nothing')}"
        + (f" ({'; '.join(notes)})" if notes else "")
    )


def _progress(done: int, total: int, path: object) -> None:
    if sys.stderr.isatty() and total > 1:
        name = getattr(path, "name", "")
        sys.stderr.write(f"\r\x1b[K{done + 1}/{total} {name}")
        sys.stderr.flush()


def _progress_off() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
