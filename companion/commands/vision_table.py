"""The table of `companion bench vision`: each measure beside what it must reach, and the worst pictures with why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from companion.commands.vision_jobs import Result
from companion.commands.vision_score import Fault, PhotoScore, SceneScore, quantile

_WORST = 10
_VOID = ("cocked", "stacked", "off_box")


class Row(NamedTuple):
    """One line of the table.

    Attributes:
        measure: What was measured.
        value: What came out.
        target: What it must reach, "" where nothing is asked.
        met: Whether it does; None where nothing is asked.
    """

    measure: str
    value: str
    target: str
    met: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All that was measured.

    Attributes:
        result: The joined counts.
        times: Processor times and their ratios to the tutorial, by name.
        done: How many parts of the work were done.
        parts: Of how many.
    """

    result: Result
    times: dict[str, float]
    done: int
    parts: int

    def to_json(self, table: Sequence[Row]) -> dict[str, Any]:
        """Everything as a JSON object."""
        result = self.result
        return {
            "done": self.done,
            "parts": self.parts,
            "table": [row._asdict() for row in table],
            "worst": [fault._asdict() for fault in worst(result, _WORST)],
            "photos": {name: score.summary() for name, score in sorted(result.photos.items())},
            "scenes": {name: score.summary() for name, score in sorted(result.scenes.items())},
            "time": self.times,
            "fuzz": dict(result.counts),
            "notes": result.notes,
        }


def rows(figures: Figures) -> list[Row]:
    """The table, with the lines for which something was measured."""
    result = figures.result
    out: list[Row] = []
    stills, clips, own = (result.scenes.get(name) for name in ("stills", "clips", "simulated"))
    if stills is not None:
        out += _still_rows(stills)
    if stills is not None or clips is not None:
        silent = sum(score.counts["silent"] + score.counts["ghosts_valid"] for score in (stills, clips) if score)
        out.append(Row("scenes and clips: silently wrong", f"{silent}", "0", silent == 0))
    if clips is not None:
        out += _clip_rows(clips)
    if own is not None:
        out += _simulated_rows(own)
    if "films" in result.scenes:
        out += _film_rows(result.scenes["films"])
    out += _photo_rows(result.photos)
    if seen := result.counts["blind_of"]:
        value = f"{result.counts['blind']} of {seen} pictures"
        out.append(Row("photographs and scenes taken for dark, covered or blank", value, "", None))
    if result.latency_ms:
        late = quantile(result.latency_ms, 0.95)
        value = f"{late:.0f} ms (median {quantile(result.latency_ms, 0.5):.0f}, {len(result.latency_ms)} throws)"
        out.append(Row("last motion to verdict, 30 fps, 95th percentile", value, "<= 300 ms", late <= 300.0))
    out += _time_rows(figures.times)
    if result.counts["fuzz_pictures"]:
        out += _fuzz_rows(result)
    return out


def _limit(score: SceneScore, key: str) -> float | None:
    values = score.errors.get(key)
    return quantile(values, 0.5) if values else None


def _still_rows(score: SceneScore) -> Iterator[Row]:
    c, seen = score.counts, score.summary()
    right, voids = seen["values_right"], seen["false_voids_per_1000"]
    where = f"{c['true valid'] - c['refused_hard']} dice"
    yield Row("scenes: valid dice read right", f"{100 * right:.2f} % of {where}", ">= 99.5 %", right >= 0.995)
    yield Row("scenes: false voids of good dice", f"{voids:.1f} per 1000", "<= 5 per 1000", voids <= 5.0)
    true = sum(c[f"true {verdict}"] for verdict in _VOID)
    lost = true - sum(c[f"hit {verdict}"] for verdict in _VOID)
    called = sum(c[f"void {verdict}"] for verdict in _VOID)
    value = f"{lost} of {true} not named so, {true - called} not called void, {c['silent_void']} passed as valid"
    yield Row(
        "scenes: cocked, stacked, off the box missed", value, "<= 1, 0 passed", lost <= 1 and not c["silent_void"]
    )
    for key, name, unit, most in (
        ("lean_of_leaning_deg", "lean of leaning dice", "deg", 2.0),
        ("height_mm", "height", "mm", 1.0),
    ):
        median = _limit(score, key)
        if median is not None:
            value = f"{median:.2f} {unit}"
            yield Row(f"scenes: {name}, median error", value, f"<= {most:.0f} {unit}", median <= most)


def _clip_rows(score: SceneScore) -> Iterator[Row]:
    c, seen = score.counts, score.summary()
    lost = c["throws"] - c["throws_found"]
    value = f"{c['throws_found']} of {c['throws']}, {c['throws_that_were_none']} that were none"
    yield Row("clips: throws found", value, "at most 1 missed or split", lost <= 1)
    if c["rolled"]:
        right = seen["rolled_right"]
        yield Row("clips: rolled or not, told right", f"{100 * right:.1f} %", ">= 95 %", right >= 0.95)
    if score.errors.get("settled_frames"):
        off = seen["settled_frames_error_p95"]
        yield Row("clips: rest found, 95th percentile", f"{off:.1f} frames off", "<= 3 frames", off <= 3.0)


def _simulated_rows(score: SceneScore) -> Iterator[Row]:
    c, seen = score.counts, score.summary()
    silent = 1000 * (c["silent"] + c["ghosts_valid"]) / max(1, c["dice"])
    value = f"{silent:.2f} per 1000 ({c['silent']} of {c['dice']} dice, {c['ghosts_valid']} where none was)"
    yield Row("simulator: silently wrong", value, "<= 1 per 1000", silent <= 1.0)
    for verdict in _VOID:
        if c[f"true {verdict}"]:
            recall = seen[f"recall_{verdict}"]
            value = (
                f"{100 * recall:.1f} % of {c[f'true {verdict}']} named so, "
                f"{100 * seen[f'void_{verdict}']:.1f} % called void"
            )
            yield Row(f"simulator: {verdict}", value, ">= 99 %", recall >= 0.99)
    yield Row("simulator: valid dice read right", f"{100 * seen['values_right']:.1f} %", "", None)
    yield Row("simulator: false voids of good dice", f"{seen['false_voids_per_1000']:.1f} per 1000", "", None)


def _film_rows(score: SceneScore) -> Iterator[Row]:
    c, seen = score.counts, score.summary()
    value = f"{c['throws_found']} of {c['throws']}, {c['throws_that_were_none']} that were none"
    yield Row("simulated films: throws found", value, "", None)
    silent = c["silent"] + c["ghosts_valid"]
    yield Row("simulated films: silently wrong", f"{silent} of {c['dice']} dice", "0", silent == 0)
    yield Row("simulated films: rolled or not, told right", f"{100 * seen['rolled_right']:.1f} %", "", None)


def _photo_rows(photos: dict[str, PhotoScore]) -> Iterator[Row]:
    if "few" in photos:
        seen = photos["few"].summary()
        where = f"{seen['pictures']} pictures"
        exact, silent = seen["exact"], seen["silent"]
        name = "photographs from above, at most 5 dice"
        yield Row(f"{name}: exact", f"{100 * exact:.1f} % of {where}", ">= 80 %", exact >= 0.80)
        yield Row(f"{name}: silent", f"{100 * silent:.1f} %", "<= 2 %", silent <= 0.02)
    if "all" in photos:
        seen = photos["all"].summary()
        silent = seen["silent"]
        yield Row("photographs, all: silent", f"{100 * silent:.1f} %", "<= 3 %", silent <= 0.03)
        value = f"{100 * seen['exact']:.1f} % of {seen['pictures']} pictures"
        yield Row("photographs, all: exact", value, "", None)
        yield Row("photographs of empty tables: values read", f"{seen['false_values_on_empty']}", "", None)


def _time_rows(times: dict[str, float]) -> Iterator[Row]:
    for key, name, most in (
        ("reading", "full reading at rest, tray known", 2.0),
        ("reading_with_table", "the same with the table around the box", None),
        ("watch", "watch on a still box", 0.1),
        ("marker_search", "search for the markers", None),
        ("photograph", "a photograph with its search for a scale", None),
    ):
        ratio = times.get(f"{key}_to_tutorial")
        if ratio is not None:
            count = f", {times['timed_pictures']} pictures" if key == "reading" else ""
            value = f"{ratio:.4g} x the tutorial ({times[f'{key}_ms']:.4g} ms{count})"
            yield Row(f"time: {name}", value, f"<= {most:g} x" if most else "", ratio <= most if most else None)


def _fuzz_rows(result: Result) -> Iterator[Row]:
    c = result.counts
    wrong = 1000 * c["fuzz_wrong"] / max(1, c["fuzz_dice"])
    value = f"{wrong:.2f} per 1000 ({c['fuzz_wrong']} of {c['fuzz_dice']} dice in {c['fuzz_pictures']} pictures)"
    yield Row("spoilt pictures: wrong values vouched for", value, "", None)
    silent = 1000 * c["fuzz_wrong_unflagged"] / max(1, c["fuzz_dice"])
    yield Row("  of these in pictures that call nobody", f"{silent:.2f} per 1000", "", None)


def worst(result: Result, most: int | None) -> list[Fault]:
    """The pictures that went worst, gravest first, each with all that was wrong with it; None gives all."""
    by_place: dict[str, list[Fault]] = defaultdict(list)
    scores: list[PhotoScore | SceneScore] = [result.photos[name] for name in ("all",) if name in result.photos]
    scores += [result.scenes[name] for name in ("stills", "clips", "simulated", "films") if name in result.scenes]
    for score in scores:
        for fault in score.faults:
            by_place[fault.where].append(fault)
    whole = [
        Fault(sum(fault.weight for fault in faults), where, "; ".join(fault.what for fault in faults))
        for where, faults in by_place.items()
    ]
    return sorted(whole, key=lambda fault: (-fault.weight, fault.where))[:most]


def told(figures: Figures, table: Sequence[Row]) -> Iterator[str]:
    """The table as lines for people."""
    if figures.done < figures.parts:
        yield f"Broken off: {figures.done} of {figures.parts} parts of the work were done. What they show:"
    wide = max((len(row.measure) for row in table), default=0)
    far = max((len(row.value) for row in table), default=0)
    for row in table:
        mark = {True: "met", False: "NOT MET", None: ""}[row.met]
        yield f"{row.measure:{wide}s}  {row.value:{far}s}  {row.target:16s} {mark}".rstrip()
    gravest = worst(figures.result, _WORST)
    if gravest:
        yield ""
        yield "The worst pictures:"
        yield from (f"  {fault.where}: {fault.what}" for fault in gravest)
    if figures.result.notes:
        yield ""
        yield from figures.result.notes
