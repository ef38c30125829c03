"""What reading costs: as a ratio to the usual tutorial on the same pictures, and from the last motion to the verdict.

Time is the processor time of one thread, so that whatever else the machine does hardly counts. A ratio means the same
on a laptop and on a Pi.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.commands.read import picture_of
from companion.commands.vision_score import belonging, quantile

if TYPE_CHECKING:
    from companion.vision.types import Image

_REPEATS = 3
_RATE = 30.0
_NS_PER_MS = 1_000_000


def _ms(job: Callable[[], object], repeats: int = _REPEATS) -> float:
    """Processor milliseconds of the quickest of some runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.thread_time_ns()
        job()
        best = min(best, (time.thread_time_ns() - start) / 1e6)
    return best


def of_box(pictures: Iterable[tuple[Image, float]]) -> dict[str, float]:
    """Medians over pictures of the box, as milliseconds and as ratios to the tutorial on the same picture.

    Args:
        pictures: Each with the size of its dice, mm.
    """
    from companion.vision.motion import small_of
    from companion.vision.reader import BoxReader
    from companion.vision.settings import ReaderSettings
    from companion.vision.settle import ThrowWatch

    spans: dict[str, list[float]] = defaultdict(list)
    for image, die_mm in pictures:
        settings = ReaderSettings(die_mm=die_mm)
        reader = BoxReader(settings)
        search_ms = _ms(partial(reader.place, image), 1)
        if reader.tray is None:
            continue
        tutorial_ms = _ms(partial(tutorial, image))
        watch, luma = ThrowWatch(settings, reader), small_of(image, None)
        for number in range(30):
            watch.feed(image, luma, number * 33 * _NS_PER_MS)
        for name, took_ms in (
            ("reading", _ms(partial(reader.read, image, look_outside=False))),
            ("reading_with_table", _ms(partial(reader.read, image))),
            ("watch", _ms(partial(watch.feed, image, luma, 1000 * _NS_PER_MS), 20)),
            ("marker_search", search_ms),
        ):
            spans[f"{name}_ms"].append(took_ms)
            spans[f"{name}_to_tutorial"].append(took_ms / tutorial_ms)
        spans["tutorial_ms"].append(tutorial_ms)
    medians = {name: round(quantile(spans[name], 0.5), 4 if "watch" in name else 2) for name in sorted(spans)}
    return medians | {"timed_pictures": len(spans["tutorial_ms"])}


def of_photographs(paths: Sequence[Path]) -> dict[str, float]:
    """What a photograph without markers costs, its search for a scale included, against the tutorial."""
    from companion.vision.reader import BoxReader
    from companion.vision.settings import ReaderSettings

    spans: dict[str, list[float]] = defaultdict(list)
    for path in paths:
        image = picture_of(path)
        took_ms = _ms(partial(BoxReader(ReaderSettings()).read, image), 1)
        spans["photograph_ms"].append(took_ms)
        spans["photograph_to_tutorial"].append(took_ms / _ms(partial(tutorial, image)))
    return {name: round(quantile(values, 0.5), 2) for name, values in sorted(spans.items())}


def latencies_ms(path: Path, truth: Mapping[str, Any]) -> list[float]:
    """From the last motion of each throw of a clip to its verdict, as a table would live it.

    Frames come at 30 a second. Whoever reads takes the newest one when the last is done with, so a long reading drops
    frames; the time that each frame costs is measured, the clock is reckoned.
    """
    frames = list(_frames(path))
    throws: list[dict[str, Any]] = []
    at_ms: list[float] = []
    for event_ms, started_ms, settled_ms in _lived(frames):
        throws.append({"started_ms": started_ms, "settled_ms": settled_ms})
        at_ms.append(event_ms)
    mine, _, _ = belonging(truth, throws)
    out = []
    for true, got in zip(truth["throws"], mine, strict=True):
        if len(got) == 1:
            last_ms = max(true["settled_ms"], true.get("hand_gone_ms") or 0.0)
            out.append(round(at_ms[throws.index(dict(got[0]))] - last_ms, 1))
    return out


def _frames(path: Path) -> Iterator[Image]:
    import cv2
    import numpy as np

    source = cv2.VideoCapture(str(path))
    try:
        while True:
            there, frame = source.read()
            if not there:
                return
            yield np.asarray(frame, dtype=np.uint8)
    finally:
        source.release()


def _lived(frames: Sequence[Image]) -> Iterator[tuple[float, float, float]]:
    """Each throw that a watch tells of: when it does, and the throw's own start and rest, all in ms."""
    from companion.vision.motion import small_of
    from companion.vision.reader import BoxReader
    from companion.vision.settings import ReaderSettings
    from companion.vision.settle import ThrowWatch
    from companion.vision.types import ThrowRead

    settings = ReaderSettings()
    watch = ThrowWatch(settings, BoxReader(settings))
    step_ms, now_ms, number = 1000.0 / _RATE, 0.0, -1
    while True:
        number = max(number + 1, int(now_ms / step_ms))
        if number >= len(frames):
            return
        now_ms = max(now_ms, number * step_ms)
        luma = small_of(frames[number], None)
        start = time.thread_time_ns()
        events = watch.feed(frames[number], luma, round(number * step_ms * _NS_PER_MS))
        now_ms += (time.thread_time_ns() - start) / 1e6
        for event in events:
            if isinstance(event, ThrowRead):
                yield now_ms, event.started_ns / 1e6, event.settled_ns / 1e6


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
