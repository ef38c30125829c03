"""The measures of `companion bench vision`, on readings made up to be right or wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import pytest
from click.testing import CliRunner

from companion.commands import bench_vision, vision_jobs, vision_table
from companion.commands.bench_vision import command
from companion.commands.vision_jobs import Result
from companion.commands.vision_score import PhotoScore, SceneScore
from companion.commands.vision_times import tutorial
from companion.sim import clips, examples, records
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


def test_one_answer_over_two_throws_merges_them() -> None:
    """Two throws told as one are both lost, and two answers for one throw split it."""
    throws: list[dict[str, Any]] = [{"start_ms": start, "settled_ms": start + 600, "dice": []} for start in (700, 2000)]
    truth = {"fps": 30, "camera": CAMERA, "throws": throws, "events": []}
    whole = answer() | {"started_ms": 700, "settled_ms": 2600}
    parts = [answer() | {"started_ms": start, "settled_ms": start + 250} for start in (700, 1000)]
    score = SceneScore()
    score.clip(truth, [whole], "merged")
    score.clip(truth, parts, "split")

    figures = score.summary()

    assert (2, 1, 1) == tuple(figures[f"throws_{fate}"] for fate in ("merged", "split", "missed"))


def test_a_knock_and_a_hand_explain_an_answer() -> None:
    """What people saw as a bump or a hand taking dice is no throw that was none."""
    events = [{"type": "hand", "start_ms": 3000, "end_ms": 3600}, {"type": "bump", "at_ms": 6000}]
    truth = {"fps": 30, "camera": CAMERA, "throws": [], "events": events}
    score = SceneScore()
    score.clip(truth, [answer() | {"started_ms": at, "settled_ms": at + 300} for at in (3100, 6100)], "clip")

    assert 0 == score.counts["throws_that_were_none"]


def labelled(folder: Path) -> Path:
    """A folder with one photograph and its labels."""
    cv2.imwrite(str(folder / "a.png"), scenes.thrown([6, 4, 2])[0])
    labels = {"image": "a.png", "view": "overhead", "dice": [{"value": 6}, {"value": 4}, {"value": 2}]}
    (folder / "labels.jsonl").write_text(json.dumps(labels) + "\n")
    return folder


def test_the_bench_measures_photographs_scenes_and_simulated_dice(tmp_path: Path) -> None:
    """Pictures with truth in, a table out; what was done is kept and not done again."""
    photos, rendered, kept = labelled(tmp_path), tmp_path / "scenes", tmp_path / "kept.jsonl"
    rendered.mkdir()
    (scene,) = examples.scenes(9000, 1, "valid")
    cv2.imwrite(str(rendered / "s.png"), scene.image)
    (rendered / "truth.jsonl").write_text(json.dumps(records.still(scene, "s.png")) + "\n")
    order = ["--photos", str(photos), "--scenes", str(rendered), "--dice", "1", "--processes", "1", "--json"]

    first = CliRunner().invoke(command, [*order, "--keep", str(kept)])
    told = json.loads(first.stdout)

    assert 1.0 == told["photos"]["few"]["exact"]
    assert 0.0 == told["photos"]["all"]["silent"]
    assert len(scene.dice) == told["scenes"]["stills"]["dice"]
    assert told["scenes"]["simulated"]["true_stacked"] >= 2
    measures = {row["measure"]: row for row in told["table"]}
    assert measures["photographs from above, at most 5 dice: exact"]["met"]
    assert measures["time: watch on a still box"]["met"] is not None
    assert measures["photographs and scenes taken for dark, covered or blank"]["value"] == "0 of 2 pictures"
    assert told["time"]["marker_search_ms"] > 0
    assert told["done"] == told["parts"] > 2 + len(vision_jobs.SHARES)
    assert told["scenes"]["films"]["throws"] >= len(clips.KINDS) - 1

    names = [json.loads(line)["part"] for line in kept.read_text().splitlines()]
    again = Result()
    for _, result in vision_jobs.kept(kept):
        again.join(result)

    assert told["parts"] == len(set(names))
    assert told["scenes"]["simulated"] == again.scenes["simulated"].summary()


def test_a_run_that_was_kept_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a file of results holds for this reader is taken from there; a line cut short is not."""
    kept = tmp_path / "kept.jsonl"
    name = f"{bench_vision._reader_digest()} fuzz {tmp_path.name} 1 0 3"
    vision_jobs.keep(kept, name, Result(counts=Counter(fuzz_pictures=3, fuzz_dice=9, fuzz_wrong=1)))
    kept.write_text(kept.read_text() + '{"part": "x", "res')
    monkeypatch.setattr(vision_jobs, "run", lambda _: pytest.fail("was run again"))

    result = CliRunner().invoke(
        command, ["--photos", str(labelled(tmp_path)), "--fuzz", "3", "--keep", str(kept), "--processes", "1"]
    )

    assert "111.11 per 1000 (1 of 9 dice in 3 pictures)" in result.stdout


def test_breaking_off_prints_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C leaves the table of the parts that were done, a code of its own, and no traceback."""
    done = iter([Result(counts=Counter(fuzz_pictures=10, fuzz_dice=30))])

    def run(_: object) -> Result:
        found = next(done, None)
        if found is None:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(vision_jobs, "run", run)

    result = CliRunner().invoke(command, ["--photos", str(labelled(tmp_path)), "--fuzz", "30", "--processes", "1"])

    assert 130 == result.exit_code
    assert "Broken off: 1 of 3 parts" in result.stdout
    assert "0.00 per 1000 (0 of 30 dice in 10 pictures)" in result.stdout
    assert "broken off after 1 of 3" in result.stderr


def test_ctrl_c_ends_all_processes_without_a_traceback(tmp_path: Path) -> None:
    """As a terminal sends it, to everybody at once, in the middle of the work."""
    order = [
        sys.executable,
        "-m",
        "companion",
        "bench",
        "vision",
        "--photos",
        str(labelled(tmp_path)),
        "--fuzz",
        "5000",
    ]
    # A shell starts what it runs in the background deaf to Ctrl-C, and so would the bench be: at a terminal it hears.
    hears = signal.signal(signal.SIGINT, signal.default_int_handler)
    bench = subprocess.Popen(
        [*order, "--processes", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    signal.signal(signal.SIGINT, hears)
    try:
        assert bench.stderr is not None
        first = bench.stderr.readline()
        os.killpg(bench.pid, signal.SIGINT)
        told, complained = bench.communicate(timeout=120)
    finally:
        if bench.poll() is None:
            os.killpg(bench.pid, signal.SIGKILL)
            bench.communicate()

    assert first.startswith("1 of 500")
    assert (130, "") == (bench.returncode, "".join(line for line in complained.splitlines() if "Traceback" in line))
    assert "Broken off: " in told


def test_processes_give_what_one_gives(tmp_path: Path) -> None:
    """Work that is spread over processes comes to the same counts."""
    order = ["--photos", str(labelled(tmp_path)), "--fuzz", "20", "--json", "--processes"]
    one, two = (json.loads(CliRunner().invoke(command, [*order, n]).stdout) for n in ("1", "2"))

    assert one["fuzz"] == two["fuzz"]
    assert 20 == two["fuzz"]["fuzz_pictures"]


def test_fuzz_needs_pictures() -> None:
    """Without a folder there is nothing to spoil, and the message says what to give."""
    result = CliRunner().invoke(command, ["--fuzz", "5"])

    assert 2 == result.exit_code
    assert "--photos or --scenes" in result.stderr


@pytest.mark.parametrize(("text", "said"), [(None, "can't open"), ("{}\nnot json\n", "line 2 of")])
def test_labels_that_cant_be_read_are_told(tmp_path: Path, text: str | None, said: str) -> None:
    """A folder without its labels, or with broken ones, costs one line that says what to do."""
    if text is not None:
        (tmp_path / "labels.jsonl").write_text(text)

    result = CliRunner().invoke(command, ["--photos", str(tmp_path), "--dice", "0"])

    assert 1 == result.exit_code
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_the_worst_pictures_come_gravest_first() -> None:
    """A silent wrong answer stands above any number of refusals, and all faults of a picture stand together."""
    score = SceneScore()
    score.add([die(4), die(2, at=(900.0, 300.0))], CAMERA, answer(die(None, "cocked"), die(None, "cocked")), "refused")
    score.add([die(None, "stacked")], CAMERA, answer(die(4)), "silent")

    first, second = vision_table.worst(Result(scenes={"stills": score}), 10)

    assert ("silent", "refused") == (first.where, second.where)
    assert "SILENT stacked" in first.what
    assert "false void, 4 called cocked" in second.what


def test_the_tutorial_counts_dark_blobs() -> None:
    """The yardstick itself does its plain job on a die with dark pips."""
    image, _, _ = scenes.thrown([5], attack="white")

    assert 5 in tutorial(image)
