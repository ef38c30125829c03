"""The measures of `companion bench vision`, on readings made up to be right or wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
from click.testing import CliRunner

from companion.commands.bench_vision import command, tutorial
from companion.commands.vision_score import PhotoScore, SceneScore
from tests.vision import scenes

CAMERA = {"width": 1536, "height": 864, "fx": 1190.0, "position_mm": [0.0, 0.0, 500.0]}


def die(value: int | None, verdict: str = "valid", at: tuple[float, float] = (700.0, 400.0)) -> dict[str, Any]:
    """A die, good as truth and as answer."""
    measures = {"lean_deg": 0.0, "height_mm": 16.0, "size_mm": 16.0, "why": None}
    return {"value": value, "verdict": verdict, "center_px": at, **measures}


def answer(*dice: dict[str, Any]) -> dict[str, Any]:
    """A line as the reader prints it."""
    return {"needs_referee": any(d["verdict"] != "valid" for d in dice), "dice": list(dice)}


def test_a_wrong_value_without_a_warning_is_silent() -> None:
    """Wrong and sure is silent, wrong beside a refusal is not, right is exact."""
    score = PhotoScore()
    score.add([3, 5], answer(die(3), die(5)))
    score.add([3, 5], answer(die(3), die(6)))
    score.add([3, 5], answer(die(6), die(None, "unreadable")))

    figures = score.summary()

    assert (3, 0.3333, 0.3333) == (figures["pictures"], figures["exact"], figures["silent"])


def test_values_on_an_empty_table_are_false() -> None:
    """A picture without dice must have no value."""
    score = PhotoScore()
    score.add([], answer(die(4)))

    assert 1 == score.summary()["false_values_on_empty"]


def test_a_void_die_passed_as_valid_is_silent() -> None:
    """A cocked die read as a four is the unforgivable fault."""
    score = SceneScore()
    score.add([die(None, "cocked")], CAMERA, answer(die(4)), "here")
    score.add([die(4)], CAMERA, answer(die(4)), "there")

    figures = score.summary()

    assert 500.0 == figures["silent_per_1000"]
    assert (0.0, 1.0) == (figures["recall_cocked"], figures["recall_valid"])


def test_false_voids_misses_and_ghosts_are_told_apart() -> None:
    """A refused good die, a die without an answer, and an answer without a die."""
    score = SceneScore()
    score.add([die(4), die(2, at=(900.0, 300.0))], CAMERA, answer(die(None, "cocked"), die(6, at=(300.0, 700.0))), "x")

    figures = score.summary()

    assert (500.0, 1, 1) == (figures["false_voids_per_1000"], figures["missed"], figures["ghosts"])


def test_throws_of_a_clip_are_found_by_their_time() -> None:
    """An answer that overlaps a throw belongs to it; one at another time is a throw that was none."""
    throw = {"start_ms": 700, "settled_ms": 1300, "dice": [die(4) | {"rolled": True, "moved": True}]}
    truth = {"fps": 30, "camera": CAMERA, "throws": [throw], "events": []}
    found = answer(die(4) | {"rolled": True}) | {"started_ms": 733, "settled_ms": 1333}
    other = answer(die(4)) | {"started_ms": 4000, "settled_ms": 4300}
    score = SceneScore()
    score.clip(truth, [found, other], "clip")

    figures = score.summary()

    assert (1, 1) == (figures["throws_found"], figures["throws_that_were_none"])
    assert 1.0 == figures["rolled_right"]
    assert 0.99 == figures["settled_frames_error_median"]


def test_the_bench_measures_a_folder_of_its_own(tmp_path: Path) -> None:
    """Pictures with labels in, figures by name out, as JSON."""
    cv2.imwrite(str(tmp_path / "a.png"), scenes.thrown([6, 4, 2])[0])
    labels = {"image": "a.png", "view": "overhead", "dice": [{"value": 6}, {"value": 4}, {"value": 2}]}
    (tmp_path / "labels.jsonl").write_text(json.dumps(labels) + "\n")

    result = CliRunner().invoke(command, ["--photos", str(tmp_path), "--json"])

    figures = json.loads(result.stdout)
    assert 1.0 == figures["photos: overhead, at most 5 dice"]["exact"]
    assert 0.0 == figures["photos: all"]["silent"]


def test_the_tutorial_counts_dark_blobs() -> None:
    """The yardstick itself does its plain job on a die with dark pips."""
    image, _, _ = scenes.thrown([5], attack="white")

    assert 5 in tutorial(image)
