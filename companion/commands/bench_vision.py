"""`companion bench vision`: how well dice are read on photographs, scenes and simulated pictures, and how fast.

The work is cut into parts. They run beside one another in processes of one thread each; with `--keep` what is done is
written down, and a run that was broken off goes on where it stopped, as long as the reader is the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from pathlib import Path

import click

from companion.commands import vision_jobs as jobs
from companion.commands.vision_jobs import Part, Result
from companion.commands.vision_table import Figures, rows, told, worst

_TIMED = 12
_FUZZ_PER_PART = 10


@click.command()
@click.option(
    "--photos", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Folder with labels.jsonl."
)
@click.option(
    "--scenes", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Folder with truth.jsonl."
)
@click.option("--dice", type=click.IntRange(0, 1_000_000), default=10_000, show_default=True, help="Simulated dice.")
@click.option("--fuzz", type=click.IntRange(0, 1_000_000), default=0, help="Read so many spoilt pictures instead.")
@click.option("--every", type=click.IntRange(1, 100), default=1, show_default=True, help="Take only each n-th picture.")
@click.option("--keep", type=click.Path(path_type=Path, dir_okay=False), help="File of results, to go on from.")
@click.option(
    "--processes", type=click.IntRange(1, 256), default=os.cpu_count() or 1, show_default=True, help="At once."
)
@click.option("--faults", is_flag=True, help="Name every mistake.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    *,
    photos: Path | None,
    scenes: Path | None,
    dice: int,
    fuzz: int,
    every: int,
    keep: Path | None,
    processes: int,
    faults: bool,
    as_json: bool,
) -> None:
    """Measure the dice reader on labelled photographs, rendered scenes and simulated pictures.

    Exit code 1: a target is not met. 130: broken off; what was done is printed.
    """
    import cv2

    cv2.setNumThreads(1)
    if fuzz:
        parts, times = list(_fuzz_parts(photos, scenes, every, fuzz)), {}
    else:
        parts = [
            *(jobs.photo_parts(photos, every) if photos else ()),
            *(jobs.scene_parts(scenes, every) if scenes else ()),
            *jobs.simulated_parts(dice),
            *jobs.film_parts(dice),
        ]
        times = _times(photos, scenes, every)
    result, done = _all(parts, keep, processes)
    figures = Figures(result=result, times=times, done=done, parts=len(parts))
    table = rows(figures)
    if as_json:
        click.echo(json.dumps(figures.to_json(table)))
    else:
        for line in told(figures, table):
            click.echo(line)
    if faults and not as_json:
        for fault in worst(result, None):
            click.echo(f"{fault.where}: {fault.what}")
    if done < len(parts):
        sys.exit(130)
    if any(row.met is False for row in table):
        sys.exit(1)


def _times(photos: Path | None, scenes: Path | None, every: int) -> dict[str, float]:
    """Ratios to the tutorial, before any other process works."""
    from companion.commands import vision_times
    from companion.commands.read import picture_of
    from companion.sim import examples

    if scenes is not None:
        records = [r for r in jobs.records_of(scenes / "truth.jsonl", every) if "image" in r and r["dice"]]
        pictures = ((picture_of(scenes / r["image"]), float(r["dice"][0]["size_mm"])) for r in records)
    else:
        made = examples.scenes(7, _TIMED, "valid")
        pictures = ((scene.image, scene.dice[0].truth.size_mm) for scene in made)
    times = vision_times.of_box(pictures)
    if photos is not None:
        labels = jobs.records_of(photos / "labels.jsonl", 1)
        some = labels[:: max(1, len(labels) // _TIMED)]
        times |= vision_times.of_photographs([photos / r["image"] for r in some])
    return times


def _fuzz_parts(photos: Path | None, scenes: Path | None, every: int, count: int) -> Iterator[Part]:
    """Spoilt pictures, the same number of each folder."""
    folders = [
        (folder, [r for r in jobs.records_of(folder / name, every) if "image" in r and r.get("labelled", True)])
        for folder, name in ((photos, "labels.jsonl"), (scenes, "truth.jsonl"))
        if folder is not None
    ]
    if not folders:
        raise click.UsageError("--fuzz spoils pictures of --photos or --scenes; give one of them or both")
    for at in range(0, count, _FUZZ_PER_PART):
        folder, records = folders[at // _FUZZ_PER_PART % len(folders)]
        size = min(_FUZZ_PER_PART, count - at)
        name = f"fuzz {folder.name} {every} {at} {size}"
        yield Part(kind="fuzz", name=name, folder=str(folder), records=tuple(records), seed=at, count=size)


def _all(parts: Sequence[Part], keep: Path | None, processes: int) -> tuple[Result, int]:
    """The joined result of all parts, and how many of them were done before somebody broke the run off."""
    reader = _reader_digest()
    known = dict(jobs.kept(keep)) if keep else {}
    total = Result()
    todo = []
    for part in parts:
        found = known.get(f"{reader} {part.name}")
        if found is None:
            todo.append(part)
        else:
            total.join(found)
    done = len(parts) - len(todo)
    try:
        for part, result in _done(todo, processes):
            total.join(result)
            done += 1
            if keep:
                jobs.keep(keep, f"{reader} {part.name}", result)
            _progress(f"{done} of {len(parts)}: {part.name}")
    except KeyboardInterrupt:
        _progress(f"broken off after {done} of {len(parts)}")
    return total, done


def _done(parts: Sequence[Part], processes: int) -> Iterator[tuple[Part, Result]]:
    """Each part with its result, as they get done."""
    if processes == 1:
        yield from ((part, jobs.run(part)) for part in parts)
        return
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        waiting: dict[Future[Result], Part] = {}
        rest = list(reversed(parts))
        # Workers begin deaf to Ctrl-C, which a terminal sends to all: the process that people see ends them.
        hears = signal.signal(signal.SIGINT, signal.SIG_IGN)
        for part in [rest.pop() for _ in parts[:processes]]:
            waiting[pool.submit(jobs.run, part)] = part
        signal.signal(signal.SIGINT, hears)
        try:
            while rest or waiting:
                while rest and len(waiting) < 2 * processes:
                    part = rest.pop()
                    waiting[pool.submit(jobs.run, part)] = part
                ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
                yield from ((waiting.pop(future), future.result()) for future in ready)
        except BrokenProcessPool as error:
            raise click.ClickException(
                "a process of the bench was ended from outside; take fewer with --processes, and --keep what is done"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            if waiting:
                for worker in active_children():
                    worker.terminate()


def _reader_digest() -> str:
    """Short name of the reader and the simulator as they are, so that kept results are never another program's."""
    import companion

    digest = hashlib.sha256()
    home = Path(companion.__file__).parent
    files = [*(home / "vision").rglob("*"), *(home / "sim").rglob("*"), *(home / "commands").glob("*vision*.py")]
    for path in sorted(path for path in files if path.is_file() and path.suffix != ".pyc"):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _progress(text: str) -> None:
    """A line on stderr; on a terminal always the same one."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
    else:
        sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
