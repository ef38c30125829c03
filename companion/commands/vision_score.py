"""How well readings fit the truth: pure counts over what `companion read` prints and what the labels say.

Photographs are compared as multisets of values, since their labels have no places for all dice. Scenes are compared
die by die, each answered die belonging to the nearest true one within 0.6 of its size; dice that can hardly be seen
need not be answered, but when they are answered as valid they must be right.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_HIDDEN, _COVERED, _FAINT, _REACH = 0.35, 0.8, 40.0, 0.6
_BEFORE_MS, _AFTER_MS = 300.0, 400.0

Answer = Mapping[str, Any]
Truth = Mapping[str, Any]


@dataclass(slots=True)
class PhotoScore:
    """Counts over photographs."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, labels: Sequence[int | None], answer: Answer) -> None:
        """Count one photograph.

        Args:
            labels: Value of each die, None where nobody could say.
            answer: The line that was printed for it.
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
    faults: list[str] = field(default_factory=list)

    def add(self, dice: Sequence[Truth], camera: Truth, answer: Answer | None, where: str) -> None:
        """Count one still, or one throw with the answer that belongs to it."""
        self.counts["pictures"] += 1
        given = list(answer["dice"]) if answer else []
        pairs, ghosts = _matched(dice, given, camera)
        flagged = bool(answer and answer["needs_referee"])
        for true, die in pairs:
            self._die(true, die, camera, where, flagged=flagged)
        self.counts["ghosts"] += len(ghosts)
        self.faults.extend(f"{where}: ghost {g['verdict']} at {g['center_px']}" for g in ghosts)

    def _die(self, true: Truth, die: Answer | None, camera: Truth, where: str, *, flagged: bool) -> None:
        c, verdict = self.counts, true["verdict"]
        need = _required(true, camera)
        if need:
            c.update(("dice", f"true {verdict}"))
        if die is None:
            if need:
                c.update(("missed",) if flagged else ("missed", "missed_unflagged"))
                self.faults.append(f"{where}: missed {verdict} at {true['center_px']}")
            return
        if need:
            c[f"hit {verdict}"] += die["verdict"] == verdict
            self._measure(true, die)
        is_wrong = verdict != "valid" or (die["value"] is not None and die["value"] != true["value"])
        if die["verdict"] == "valid" and is_wrong:
            c["silent"] += 1
            self.faults.append(f"{where}: SILENT {verdict} {true['value']} read as {die['value']}")
        elif verdict == "valid" and need:
            hard = true.get("pip_contrast", 99.0) < _FAINT or true.get("visible", 1.0) < _COVERED
            if die["verdict"] == "valid" and die["value"] == true["value"]:
                c["value_right"] += 1
            elif die["verdict"] != "valid" and hard:
                c["refused_hard"] += 1
            else:
                c["false_void"] += 1
                self.faults.append(f"{where}: false void, {true['value']} called {die['verdict']} ({die['why']})")

    def _measure(self, true: Truth, die: Answer) -> None:
        for key in ("lean_deg", "height_mm"):
            if die[key] is not None:
                self.errors.setdefault(key, []).append(abs(true[key] - die[key]))
        if die.get("rolled") is not None and true.get("moved"):
            self.counts["rolled"] += 1
            self.counts["rolled_right"] += die["rolled"] == true["rolled"]

    def clip(self, truth: Truth, answers: Sequence[Answer], where: str) -> None:
        """Count all throws of a clip with the throws that were answered."""
        throws, frame_ms = truth["throws"], 1000.0 / truth["fps"]
        mine: dict[int, list[Answer]] = {k: [] for k in range(len(throws))}
        for answer in answers:
            start, end = float(answer["started_ms"]), float(answer["settled_ms"])
            near = [
                k
                for k, t in enumerate(throws)
                if start <= t["settled_ms"] + _AFTER_MS and end >= t["start_ms"] - _BEFORE_MS
            ]
            if near:
                mine[near[0]].append(answer)
            elif not _tolerated(truth, start, end):
                self.counts["throws_that_were_none"] += 1
                self.faults.append(f"{where}: a throw that was none, {start:.0f}..{end:.0f} ms")
        for k, true in enumerate(throws):
            got = mine[k]
            self.counts["throws"] += 1
            self.counts["throws_found" if len(got) == 1 else "throws_lost"] += 1
            if len(got) == 1:
                off = abs(float(got[0]["settled_ms"]) - true["settled_ms"]) / frame_ms
                self.errors.setdefault("settled_frames", []).append(off)
            self.add(true["dice"], truth["camera"], got[-1] if got else None, f"{where} throw {k + 1}")

    def summary(self) -> dict[str, Any]:
        """The figures by name."""
        c = self.counts
        dice, seen = max(1, c["dice"]), max(1, c["true valid"] - c["refused_hard"])
        out: dict[str, Any] = {
            "pictures_or_throws": c["pictures"],
            "dice": c["dice"],
            "values_right": round(c["value_right"] / seen, 4),
            "silent_per_1000": round(1000 * c["silent"] / dice, 2),
            "false_voids_per_1000": round(1000 * c["false_void"] / dice, 2),
            "missed": c["missed"],
            "missed_unflagged": c["missed_unflagged"],
            "ghosts": c["ghosts"],
        }
        for verdict in ("valid", "cocked", "stacked", "off_box"):
            if c[f"true {verdict}"]:
                out[f"recall_{verdict}"] = round(c[f"hit {verdict}"] / c[f"true {verdict}"], 4)
        for key, values in self.errors.items():
            out[f"{key}_error_median"] = round(quantile(values, 0.5), 2)
            out[f"{key}_error_p95"] = round(quantile(values, 0.95), 2)
        if c["throws"]:
            out |= {key: c[key] for key in ("throws", "throws_found", "throws_lost", "throws_that_were_none")}
            out["rolled_right"] = round(c["rolled_right"] / max(1, c["rolled"]), 4)
        return out


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies, straight between neighbours."""
    ordered = sorted(values)
    at = (len(ordered) - 1) * share
    low, high = math.floor(at), math.ceil(at)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


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
