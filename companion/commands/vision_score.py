"""How well readings fit the truth: pure counts over what `companion read` prints and what the labels say.

Photographs are compared as multisets of values, since their labels have no places for all dice. Scenes are compared
die by die, each answered die belonging to the nearest true one within 0.6 of its size; dice that can hardly be seen
need not be answered, but when they are answered as valid they must be right. The rules are those of the scorers that
come with the photographs and the scenes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_HIDDEN, _COVERED, _FAINT, _REACH = 0.35, 0.8, 40.0, 0.6
_BEFORE_MS, _AFTER_MS = 300.0, 400.0

Answer = Mapping[str, Any]
Truth = Mapping[str, Any]


class Fault(NamedTuple):
    """One mistake.

    Attributes:
        weight: How bad it is; a silent wrong answer weighs 100.
        where: The picture.
        what: What was wrong, with the reader's own code of why.
    """

    weight: int
    where: str
    what: str


SILENT, UNSEEN, VOID_MISSED, REFUSED = 100, 20, 5, 3


@dataclass(slots=True)
class PhotoScore:
    """Counts over photographs."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)

    def add(self, labels: Sequence[int | None], answer: Answer, where: str = "") -> None:
        """Count one photograph.

        Args:
            labels: Value of each die, None where nobody could say.
            answer: The line that was printed for it.
            where: Name of the picture.
        """
        values = Counter(d["value"] for d in answer["dice"] if d["verdict"] == "valid" and d["value"])
        refused = bool(answer["needs_referee"]) or any(d["verdict"] != "valid" for d in answer["dice"])
        known = Counter(v for v in labels if v is not None)
        right = (known & values).total()
        wrong = max(0, (values - known).total() - sum(v is None for v in labels))
        exact = right == known.total() and not wrong
        self.counts.update(
            pictures=1,
            exact=int(exact),
            dice=known.total(),
            right=right,
            wrong=wrong,
            silent=int(wrong > 0 and not refused),
            silent_any=int(not exact and not refused),
            false=values.total() if not labels else 0,
        )
        if exact:
            return
        weight = REFUSED * (known.total() - right + wrong) if refused else SILENT if wrong else UNSEEN
        why = Counter(str(d["why"]) for d in answer["dice"] if d.get("why"))
        told = ", ".join(f"{code} x{count}" for code, count in sorted(why.items())) or "no die refused"
        read = "".join(str(v) for v in sorted(values.elements())) or "nothing"
        self.faults.append(Fault(weight, where, f"{''.join(str(v or '?') for v in labels)} read as {read}; {told}"))

    def join(self, other: PhotoScore) -> None:
        """Add the counts of others."""
        self.counts.update(other.counts)
        self.faults.extend(other.faults)

    def summary(self) -> dict[str, Any]:
        """The figures by name; shares are of pictures, or of dice where the name says so."""
        c = self.counts
        pictures, dice = max(1, c["pictures"]), max(1, c["dice"])
        return {
            "pictures": c["pictures"],
            "dice": c["dice"],
            "exact": round(c["exact"] / pictures, 4),
            "dice_right": round(c["right"] / dice, 4),
            "dice_wrong": round(c["wrong"] / dice, 4),
            "silent": round(c["silent"] / pictures, 4),
            "silent_any": round(c["silent_any"] / pictures, 4),
            "false_values_on_empty": c["false"],
        }


@dataclass(slots=True)
class SceneScore:
    """Counts over stills, or over the throws of clips."""

    counts: Counter[str] = field(default_factory=Counter)
    errors: dict[str, list[float]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def add(self, dice: Sequence[Truth], camera: Truth, answer: Answer | None, where: str) -> None:
        """Count one still, or one throw with the answer that belongs to it."""
        self.counts["pictures"] += 1
        given = list(answer["dice"]) if answer else []
        pairs, ghosts = _matched(dice, given, camera)
        flagged = bool(answer and answer["needs_referee"])
        for true, die in pairs:
            self._die(true, die, camera, where, flagged=flagged)
        self.counts["ghosts"] += len(ghosts)
        for ghost in ghosts:
            valid = ghost["verdict"] == "valid"
            self.counts["ghosts_valid"] += valid
            self.faults.append(
                Fault(SILENT if valid else REFUSED, where, f"ghost {ghost['verdict']} at {_at(ghost)} ({ghost['why']})")
            )

    def _die(self, true: Truth, die: Answer | None, camera: Truth, where: str, *, flagged: bool) -> None:
        c, verdict = self.counts, true["verdict"]
        need = _required(true, camera)
        if need:
            c.update(("dice", f"true {verdict}"))
        if die is None:
            if need:
                c.update(("missed",) if flagged else ("missed", "missed_unflagged"))
                weight = VOID_MISSED if flagged else UNSEEN
                self.faults.append(Fault(weight, where, f"missed {verdict} {true['value'] or ''} at {_at(true)}"))
            return
        if need:
            c[f"hit {verdict}"] += die["verdict"] == verdict
            c[f"void {verdict}"] += die["verdict"] != "valid"
            self._measure(true, die)
        is_wrong = verdict != "valid" or (die["value"] is not None and die["value"] != true["value"])
        if die["verdict"] == "valid" and is_wrong:
            c["silent"] += 1
            c["silent_void"] += verdict != "valid"
            self.faults.append(
                Fault(SILENT, where, f"SILENT {verdict} {true['value'] or ''} read as {die['value']} at {_at(true)}")
            )
        elif verdict == "valid" and need:
            hard = true.get("pip_contrast", 99.0) < _FAINT or true.get("visible", 1.0) < _COVERED
            if die["verdict"] == "valid" and die["value"] == true["value"]:
                c["value_right"] += 1
            elif die["verdict"] != "valid" and hard:
                c["refused_hard"] += 1
            else:
                c["false_void"] += 1
                said = f"false void, {true['value']} called {die['verdict']} ({die['why']}) at {_at(true)}"
                self.faults.append(Fault(REFUSED, where, said))
        elif verdict != "valid" and need and die["verdict"] != verdict:
            lean = f"{true['lean_deg']:.0f} deg" if verdict == "cocked" else ""
            said = f"{verdict} {lean} called {die['verdict']} ({die['why']}) at {_at(true)}"
            self.faults.append(Fault(VOID_MISSED, where, said))

    def _measure(self, true: Truth, die: Answer) -> None:
        for key in ("lean_deg", "height_mm"):
            if die[key] is not None:
                self.errors.setdefault(key, []).append(abs(true[key] - die[key]))
        if die["lean_deg"] is not None and true["lean_deg"] >= 6.0:
            self.errors.setdefault("lean_of_leaning_deg", []).append(abs(true["lean_deg"] - die["lean_deg"]))
        if die.get("rolled") is not None and true.get("moved"):
            self.counts["rolled"] += 1
            self.counts["rolled_right"] += die["rolled"] == true["rolled"]

    def clip(self, truth: Truth, answers: Sequence[Answer], where: str) -> None:
        """Count all throws of a clip with the throws that were answered."""
        throws, frame_ms = truth["throws"], 1000.0 / truth["fps"]
        mine, merged, strange = belonging(truth, answers)
        for start, end in strange:
            self.counts["throws_that_were_none"] += 1
            self.faults.append(Fault(UNSEEN, where, f"a throw that was none, {start:.0f}..{end:.0f} ms"))
        for k, true in enumerate(throws):
            got, name = mine[k], f"{where} throw {k + 1}"
            self.counts["throws"] += 1
            fate = "merged" if k in merged else {0: "missed", 1: "found"}.get(len(got), "split")
            self.counts[f"throws_{fate}"] += 1
            if fate == "found":
                off = abs(float(got[0]["settled_ms"]) - true["settled_ms"]) / frame_ms
                self.errors.setdefault("settled_frames", []).append(off)
            else:
                self.faults.append(Fault(UNSEEN, name, f"throw {fate}"))
            self.add(true["dice"], truth["camera"], got[-1] if got else None, name)

    def join(self, other: SceneScore) -> None:
        """Add the counts of others."""
        self.counts.update(other.counts)
        self.faults.extend(other.faults)
        for key, values in other.errors.items():
            self.errors.setdefault(key, []).extend(values)

    def summary(self) -> dict[str, Any]:
        """The figures by name."""
        c = self.counts
        dice, seen = max(1, c["dice"]), max(1, c["true valid"] - c["refused_hard"])
        out: dict[str, Any] = {
            "pictures_or_throws": c["pictures"],
            "dice": c["dice"],
            "values_right": round(c["value_right"] / seen, 4),
            "refused_where_covered_or_faint": c["refused_hard"],
            "silent": c["silent"],
            "silent_per_1000": round(1000 * c["silent"] / dice, 2),
            "void_passed_as_valid": c["silent_void"],
            "false_voids_per_1000": round(1000 * c["false_void"] / dice, 2),
            "missed": c["missed"],
            "missed_unflagged": c["missed_unflagged"],
            "ghosts": c["ghosts"],
            "ghosts_valid": c["ghosts_valid"],
        }
        for verdict in ("valid", "cocked", "stacked", "off_box"):
            if true := c[f"true {verdict}"]:
                out[f"true_{verdict}"] = true
                out[f"recall_{verdict}"] = round(c[f"hit {verdict}"] / true, 4)
                if verdict != "valid":
                    out[f"void_{verdict}"] = round(c[f"void {verdict}"] / true, 4)
        for key, values in sorted(self.errors.items()):
            out[f"{key}_error_median"] = round(quantile(values, 0.5), 2)
            out[f"{key}_error_p95"] = round(quantile(values, 0.95), 2)
        if c["throws"]:
            names = (
                "throws",
                "throws_found",
                "throws_split",
                "throws_merged",
                "throws_missed",
                "throws_that_were_none",
            )
            out |= {key: c[key] for key in names}
            out["rolled_right"] = round(c["rolled_right"] / max(1, c["rolled"]), 4)
        return out


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies, straight between neighbours."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * share
    low, high = math.floor(at), math.ceil(at)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def _at(die: Truth | Answer) -> str:
    x, y = die["center_px"]
    return f"({x:.0f}, {y:.0f})"


def belonging(
    truth: Truth, answers: Sequence[Answer]
) -> tuple[list[list[Answer]], set[int], list[tuple[float, float]]]:
    """The answers that belong to each throw of a clip, the throws that one answer holds together, and the rest.

    Args:
        truth: The clip's.
        answers: Lines with `started_ms` and `settled_ms`.
    """
    throws = truth["throws"]
    mine: list[list[Answer]] = [[] for _ in throws]
    merged: set[int] = set()
    strange: list[tuple[float, float]] = []
    for answer in sorted(answers, key=lambda a: (a["started_ms"], a["settled_ms"])):
        start, end = float(answer["started_ms"]), float(answer["settled_ms"])
        cover = [_overlap(start, end, t["start_ms"], t["settled_ms"]) for t in throws]
        inside = [
            k
            for k, t in enumerate(throws)
            if cover[k] >= 0.5 * max(1.0, t["settled_ms"] - t.get("dice_start_ms", t["start_ms"]))
        ]
        near = [k for k, t in enumerate(throws) if t["start_ms"] - _BEFORE_MS <= end <= t["settled_ms"] + _AFTER_MS]
        if len(inside) > 1:
            merged.update(inside)
            mine[inside[-1]].append(answer)
        elif max(cover, default=0.0) > 0:
            mine[cover.index(max(cover))].append(answer)
        elif _tolerated(truth, start, end):
            continue
        elif near:
            mine[near[0]].append(answer)
        else:
            strange.append((start, end))
    return mine, merged, strange


def _overlap(start: float, end: float, first: float, last: float) -> float:
    if end > start:
        return max(0.0, min(end, last) - max(start, first))
    return 1.0 if first <= start <= last else 0.0


def _required(die: Truth, camera: Truth) -> bool:
    x, y = die["center_px"]
    return bool(die.get("visible", 1.0) >= _HIDDEN and 0 <= x < camera["width"] and 0 <= y < camera["height"])


def _matched(
    truth: Sequence[Truth], given: Sequence[Answer], camera: Truth
) -> tuple[list[tuple[Truth, Answer | None]], list[Answer]]:
    """Each true die with its answer, nearest first, dice that must be seen before the others; and the ghosts."""
    taken: dict[int, int] = {}
    for must in (True, False):
        near: list[tuple[float, int, int]] = []
        for i, true in enumerate(truth):
            size_px = true["size_mm"] * camera["fx"] / max(1.0, camera["position_mm"][2] - true["size_mm"] / 2)
            if _required(true, camera) is must:
                far = [(math.dist(true["center_px"], g["center_px"]), i, j) for j, g in enumerate(given)]
                near.extend(trial for trial in far if trial[0] <= _REACH * size_px)
        for _, i, j in sorted(near):
            if i not in taken and j not in taken.values():
                taken[i] = j
    pairs = [(true, given[taken[i]] if i in taken else None) for i, true in enumerate(truth)]
    return pairs, [g for j, g in enumerate(given) if j not in taken.values()]


def _tolerated(truth: Truth, start_ms: float, end_ms: float) -> bool:
    """Whether a knock or a hand explains an answer that is no throw."""
    return any(
        (event["type"] == "bump" and end_ms >= event["at_ms"] - 200)
        or (event["type"] == "hand" and event["start_ms"] - 200 <= start_ms and end_ms <= event["end_ms"] + 700)
        for event in truth["events"]
    )
