"""The work of `companion bench vision` in parts that can run in any order, in any process, and be kept.

A part's result is plain counts, so results are joined by adding, written down as JSON, and found again after a run
that was broken off.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from companion.commands.read import lines_of
from companion.commands.vision_score import Fault, PhotoScore, SceneScore

FEW = 5
_PER_PART = 5
_FILMS = 2

SHARES: Mapping[str, int] = {
    "cocked_wall": 300,
    "cocked_die": 260,
    "stacked": 450,
    "stack_alone": 150,
    "off_box": 280,
    "rim": 260,
    "picture_edge": 60,
    "touching": 120,
    "many": 75,
    "valid": 150,
    "hard_light": 150,
    "glare": 150,
    "hard_shadow": 100,
    "colours": 200,
    "clutter": 100,
    "empty": 25,
}
"""Simulated pictures of each kind in a run of 10,000 dice: over 1,000 each of cocked, stacked and off the box."""

_OUTSIDE = {"off_box", "rim", "picture_edge", "clutter", "empty"}
"""Kinds for which the table is searched too; elsewhere nothing lies there, and the search takes most of the time."""


@dataclass(slots=True)
class Result:
    """What a part found; any of it may be empty.

    Attributes:
        photos: Scores by group of photographs.
        scenes: Scores by group of stills or clips.
        latency_ms: From the last motion of each throw to its verdict.
        counts: Anything else that is counted, by name.
        notes: What people should look at, one line each.
    """

    photos: dict[str, PhotoScore] = field(default_factory=dict)
    scenes: dict[str, SceneScore] = field(default_factory=dict)
    latency_ms: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def join(self, other: Result) -> None:
        """Add what another part found."""
        for name, photo in other.photos.items():
            self.photos.setdefault(name, PhotoScore()).join(photo)
        for name, scene in other.scenes.items():
            self.scenes.setdefault(name, SceneScore()).join(scene)
        self.latency_ms.extend(other.latency_ms)
        self.counts.update(other.counts)
        self.notes.extend(other.notes)

    def to_json(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return {
            "photos": {name: {"counts": s.counts, "faults": s.faults} for name, s in self.photos.items()},
            "scenes": {
                name: {"counts": s.counts, "errors": s.errors, "faults": s.faults} for name, s in self.scenes.items()
            },
            "latency_ms": self.latency_ms,
            "counts": self.counts,
            "notes": self.notes,
        }

    @staticmethod
    def from_json(said: Mapping[str, Any]) -> Result:
        """A result as it was written down."""
        return Result(
            photos={
                name: PhotoScore(Counter(s["counts"]), [Fault(*fault) for fault in s["faults"]])
                for name, s in said["photos"].items()
            },
            scenes={
                name: SceneScore(Counter(s["counts"]), s["errors"], [Fault(*fault) for fault in s["faults"]])
                for name, s in said["scenes"].items()
            },
            latency_ms=said["latency_ms"],
            counts=Counter(said["counts"]),
            notes=said["notes"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the work.

    Attributes:
        kind: 'photos', 'stills', 'clip', 'simulated', 'film' or 'fuzz'.
        name: Of the whole part, the same in every run.
        folder: Where its pictures are, "" for none.
        records: What the labels or the truth say of them.
        seed: Where chance starts.
        count: How many pictures are made.
        what: The kind of simulated scene.
    """

    kind: str
    name: str
    folder: str = ""
    records: tuple[Mapping[str, Any], ...] = ()
    seed: int = 0
    count: int = 0
    what: str = ""


def run(part: Part) -> Result:
    """Do one part of the work."""
    import cv2

    from companion.commands import vision_fuzz

    cv2.setNumThreads(1)
    match part.kind:
        case "photos":
            return _photographs(Path(part.folder), part.records)
        case "stills":
            return _stills(Path(part.folder), part.records)
        case "clip":
            return _clip(Path(part.folder), part.records[0])
        case "simulated":
            return _simulated(part.what, part.seed, part.count)
        case "film":
            return _film(part.what, part.seed)
        case _:
            return vision_fuzz.run(Path(part.folder), part.records, part.seed, part.count)


def records_of(path: Path, every: int) -> list[dict[str, Any]]:
    """The labels or truths in a file of JSON lines, each n-th of them.

    Raises:
        click.ClickException: The file can't be read, or a line of it is no object that is understood.
    """
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise click.ClickException(f"can't open '{path}': {error.strerror}; give the folder that holds it") from error
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(json.loads(line))
        except ValueError as error:
            raise click.ClickException(f"line {number} of '{path}' is no JSON; get the file anew") from error
    return found[::every]


def photo_parts(folder: Path, every: int) -> Iterator[Part]:
    """The labelled photographs, a few to a part."""
    records = [r for r in records_of(folder / "labels.jsonl", every) if r.get("labelled", True)]
    for at in range(0, len(records), 10):
        yield Part(kind="photos", name=f"photos {every} {at}", folder=str(folder), records=tuple(records[at : at + 10]))


def scene_parts(folder: Path, every: int) -> Iterator[Part]:
    """The rendered stills, some to a part, and the clips, each of its own."""
    records = records_of(folder / "truth.jsonl", every)
    stills = [r for r in records if "image" in r]
    for at in range(0, len(stills), 10):
        yield Part(kind="stills", name=f"stills {every} {at}", folder=str(folder), records=tuple(stills[at : at + 10]))
    for clip in (r for r in records if "clip" in r):
        yield Part(kind="clip", name=f"clip {clip['clip']}", folder=str(folder), records=(clip,))


def simulated_parts(dice: int) -> Iterator[Part]:
    """Simulated pictures with about so many dice."""
    for number, (what, share) in enumerate(SHARES.items()):
        count = math.ceil(share * dice / 10_000)
        for at in range(0, count, _PER_PART):
            size = min(_PER_PART, count - at)
            seed = 1_000 * number + at
            yield Part(kind="simulated", name=f"simulated {what} {seed} {size}", seed=seed, count=size, what=what)


def film_parts(dice: int) -> Iterator[Part]:
    """Simulated films, two of each kind in a run of 10,000 dice; those that physics must compute where it can."""
    from companion.sim import clips

    can_knock = find_spec("mujoco") is not None
    for number, what in enumerate(clips.KINDS):
        for seed in range(math.ceil(_FILMS * dice / 10_000)):
            if what != "knock" or can_knock:
                yield Part(kind="film", name=f"film {what} {seed}", seed=100 * number + seed, what=what)


def _photographs(folder: Path, records: tuple[Mapping[str, Any], ...]) -> Result:
    from companion.vision import frame

    out = Result()
    for record in records:
        (answer,) = lines_of(folder / record["image"])
        out.counts.update(blind_of=1, blind=int(bool(set(answer["warnings"]) & set(frame.FAULTS))))
        labels = [die["value"] for die in record["dice"]]
        groups = ["all", str(record.get("view", "other"))]
        if record.get("view") == "overhead" and len(labels) <= FEW:
            groups.append("few")
        for group in groups:
            out.photos.setdefault(group, PhotoScore()).add(labels, answer, record["image"])
    return out


def _stills(folder: Path, records: tuple[Mapping[str, Any], ...]) -> Result:
    from companion.vision import frame

    out = Result()
    for record in records:
        (answer,) = lines_of(folder / record["image"])
        out.counts.update(blind_of=1, blind=int(bool(set(answer["warnings"]) & set(frame.FAULTS))))
        for group in ("stills", f"stills {record.get('category', '-')}"):
            score = out.scenes.setdefault(group, SceneScore())
            score.add(record["dice"], record["camera"], answer, Path(record["image"]).name)
    return out


def _clip(folder: Path, record: Mapping[str, Any]) -> Result:
    from companion.commands.vision_times import latencies_ms

    out = Result()
    path = folder / record["clip"]
    for group in ("clips", f"clips {record.get('category', '-')}"):
        out.scenes[group] = SceneScore()
    answers = [line for line in lines_of(path) if "throw" in line]
    for score in out.scenes.values():
        score.clip(record, answers, path.name)
    out.latency_ms.extend(latencies_ms(path, record))
    return out


def _simulated(kind: str, seed: int, count: int) -> Result:
    from companion.commands.read import line_of
    from companion.sim import examples, records
    from companion.vision.reader import BoxReader
    from companion.vision.settings import ReaderSettings

    out = Result()
    groups = [out.scenes.setdefault(group, SceneScore()) for group in ("simulated", f"simulated {kind}")]
    for number, scene in enumerate(examples.scenes(seed, count, kind)):
        name = f"scenes({seed}, {count}, '{kind}')[{number}]"
        reading = BoxReader(ReaderSettings()).read(scene.image, look_outside=kind in _OUTSIDE)
        truth, answer = records.still(scene, name), line_of(Path(name), reading)
        for score in groups:
            score.add(truth["dice"], truth["camera"], answer, name)
    return out


def _film(kind: str, seed: int) -> Result:
    """One simulated film, watched frame by frame."""
    from companion.commands.read import line_of
    from companion.sim import clips, records
    from companion.vision.motion import small_of
    from companion.vision.reader import BoxReader
    from companion.vision.settings import ReaderSettings
    from companion.vision.settle import ThrowWatch
    from companion.vision.types import ThrowRead

    (clip,) = clips.clips(seed, 1, kind)
    settings = ReaderSettings()
    watch, answers = ThrowWatch(settings, BoxReader(settings)), []
    name = f"clips({seed}, 1, '{kind}')"
    for at_ns, image in clip.film():
        for event in watch.feed(image, small_of(image, None), at_ns):
            if isinstance(event, ThrowRead):
                times = {
                    "started_ms": (event.started_ns - clip.start_ns) / 1e6,
                    "settled_ms": (event.settled_ns - clip.start_ns) / 1e6,
                }
                answers.append({**line_of(Path(name), event.reading, clip=True), **times})
    out = Result()
    for group in ("films", f"films {kind}"):
        out.scenes[group] = SceneScore()
        out.scenes[group].clip(records.film(clip, name), answers, name)
    return out


def kept(path: Path) -> Iterator[tuple[str, Result]]:
    """Results that an earlier run wrote down, by the name of their part; a line cut short is passed over."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        yield said["part"], Result.from_json(said["result"])


def keep(path: Path, name: str, result: Result) -> None:
    """Write down the result of a part, so that a run that is broken off can be taken up.

    Raises:
        click.ClickException: The file can't be written.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"part": name, "result": result.to_json()}) + "\n")
    except OSError as error:
        raise click.ClickException(f"can't write '{path}': {error.strerror}; give another file to --keep") from error
