"""`companion bench vision`: how well dice are read on labelled photographs and scenes, and how fast.

Time is told as a ratio to the plain tutorial's image part (blur, grey, blobs, grouping), measured in the same run on
the same pictures with one thread: a figure that means the same on a laptop and on a Pi.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.commands.read import lines_of, picture_of
from companion.commands.vision_score import PhotoScore, SceneScore, quantile

if TYPE_CHECKING:
    from companion.vision.types import Image

_TIMED = 12
_FEW = 5


@click.command()
@click.option(
    "--photos", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Folder with labels.jsonl."
)
@click.option(
    "--scenes", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Folder with truth.jsonl."
)
@click.option("--every", type=click.IntRange(1, 100), default=1, show_default=True, help="Take only each n-th picture.")
@click.option("--faults", is_flag=True, help="Name every mistake.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, photos: Path | None, scenes: Path | None, every: int, faults: bool, as_json: bool) -> None:
    """Measure the dice reader on labelled photographs and on rendered scenes."""
    import cv2

    if photos is None and scenes is None:
        raise click.UsageError("give --photos, --scenes or both")
    cv2.setNumThreads(1)
    figures: dict[str, Any] = {}
    named: list[str] = []
    if photos is not None:
        figures |= _photographs(photos, every)
    if scenes is not None:
        figures |= _scenes(scenes, every, named)
        figures["time"] = _times(scenes)
    if as_json:
        click.echo(json.dumps(figures))
    else:
        for part, values in figures.items():
            click.echo(f"{part}")
            for name, value in values.items():
                click.echo(f"  {name:28s} {value}")
    if faults:
        for line in named:
            click.echo(line)


def _records(path: Path, every: int) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"can't open '{path}': {error.strerror}; give the folder that holds it") from error
    lines = [line for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines[::every]):
        _progress(number, len(lines[::every]), path.name)
        yield json.loads(line)
    _progress(0, 0, "")


def _photographs(folder: Path, every: int) -> dict[str, Any]:
    scores: dict[str, PhotoScore] = defaultdict(PhotoScore)
    for record in _records(folder / "labels.jsonl", every):
        if not record.get("labelled", True):
            continue
        (answer,) = lines_of(folder / record["image"])
        labels = [die["value"] for die in record["dice"]]
        groups = ["photos: all", f"photos: {record.get('view', 'other')}"]
        if record.get("view") == "overhead" and len(labels) <= _FEW:
            groups.append(f"photos: overhead, at most {_FEW} dice")
        for group in groups:
            scores[group].add(labels, answer)
    return {group: score.summary() for group, score in sorted(scores.items())}


def _scenes(folder: Path, every: int, named: list[str]) -> dict[str, Any]:
    stills, clips = SceneScore(), SceneScore()
    for record in _records(folder / "truth.jsonl", every):
        name = record.get("image") or record["clip"]
        answers = list(lines_of(folder / name))
        if "image" in record:
            stills.add(record["dice"], record["camera"], answers[0], Path(name).name)
        else:
            clips.clip(record, answers, Path(name).name)
    named.extend([*stills.faults, *clips.faults])
    return {"scenes: stills": stills.summary(), "scenes: clips": clips.summary()}


def _times(folder: Path) -> dict[str, Any]:
    """Milliseconds and ratios to the tutorial, medians over some stills of the scenes."""
    from companion.vision.motion import BoxMotion, small_of
    from companion.vision.reader import BoxReader
    from companion.vision.settings import ReaderSettings

    spans: dict[str, list[float]] = defaultdict(list)
    records = [r for r in _records(folder / "truth.jsonl", 1) if "image" in r and r["dice"]]
    for record in records[:: max(1, len(records) // _TIMED)]:
        image = picture_of(folder / record["image"])
        settings = ReaderSettings(die_mm=record["dice"][0]["size_mm"])
        reader = BoxReader(settings)
        spans["marker_search_ms"].append(_ms(partial(reader.place, image)))
        if reader.tray is None:
            continue
        spans["tutorial_ms"].append(_ms(partial(tutorial, image)))
        spans["reading_ms"].append(_ms(partial(reader.read, image)))
        small = small_of(image, None)
        motion = BoxMotion(settings, reader.tray, small.shape)
        spans["watch_ms"].append(_ms(partial(motion.moves, small, small)))
    if not spans["tutorial_ms"]:
        return {}
    out: dict[str, Any] = {name: round(quantile(values, 0.5), 2) for name, values in spans.items()}
    out["reading_to_tutorial"] = round(out["reading_ms"] / out["tutorial_ms"], 2)
    out["watch_to_tutorial"] = round(out["watch_ms"] / out["tutorial_ms"], 3)
    return out


def _ms(job: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        job()
        best = min(best, 1000 * (time.perf_counter() - start))
    return best


def tutorial(image: Image) -> list[int]:
    """The usual way to read dice: blur, grey, dark round blobs, grouped when near each other; pips per group."""
    import cv2
    import numpy as np

    gray = cv2.cvtColor(cv2.medianBlur(image, 5), cv2.COLOR_BGR2GRAY)
    wish = cv2.SimpleBlobDetector.Params()
    wish.filterByArea, wish.minArea, wish.maxArea = True, 25, 5000
    wish.filterByCircularity, wish.minCircularity = True, 0.7
    wish.filterByInertia, wish.minInertiaRatio = True, 0.6
    wish.filterByConvexity = False
    points = np.array([key.pt for key in cv2.SimpleBlobDetector.create(wish).detect(gray)]).reshape(-1, 2)
    groups = np.arange(len(points))
    for i, point in enumerate(points):
        near = np.hypot(*(points - point).T) <= 40
        groups[np.isin(groups, groups[near])] = groups[i]
    return [int(count) for count in np.unique(groups, return_counts=True)[1]]


def _progress(done: int, total: int, name: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{done + 1}/{total} {name}" if total else "\r\x1b[K")
        sys.stderr.flush()
