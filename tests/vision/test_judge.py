"""Dice that look too large for the floor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from companion.sim import examples
from companion.sim.examples import Scene
from companion.sim.settings import LOOKS, Look
from companion.vision import pose
from companion.vision.explain import usual_spread_px
from companion.vision.judge import Judged, common_growth_px, doubt_heights, doubt_leant_on, doubt_size
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.tray import Tray


def valid(tray: Tray, excess_px: float, *, cost: float = 0.2, lone: bool = True, plain: float = 6.0) -> Judged:
    """A valid four whose outline lies so far outside what is usual in this picture."""
    at = replace(pose.flat_pose(10.0, 5.0, 0.3, 16.0), spread_px=usual_spread_px(tray) + excess_px)
    return Judged(
        pose=at, verdict="valid", value=4, confidence=0.99, why=None, light_pips=True, cost=cost, lone=lone, plain=plain
    )


def verdicts(dice: list[Judged], tray: Tray) -> list[str]:
    """The verdicts after the heights of a picture were held against each other."""
    return [die.verdict for die in doubt_heights(dice, tray)]


def test_a_die_far_too_large_stands_on_another(tray: Tray) -> None:
    """Alone in the picture, only the markers tell how large a die should look; its value goes with the verdict."""
    (die,) = doubt_heights([valid(tray, 1.0)], tray)

    assert ("stacked", None, "height-unsure") == (die.verdict, die.value, die.why)
    assert ["valid"] == verdicts([valid(tray, 0.6)], tray)


def test_what_is_common_to_a_picture_is_no_height(tray: Tray) -> None:
    """Three dice a little too large are of another make; one among usual ones is not."""
    assert ["valid"] * 3 == verdicts([valid(tray, e, cost=0.3) for e in (0.7, 0.6, 0.65)], tray)
    assert ["stacked", "valid", "valid"] == verdicts([valid(tray, e, cost=0.3) for e in (0.7, 0.0, 0.1)], tray)


def test_one_die_beside_it_is_enough_to_tell_a_height(tray: Tray) -> None:
    """Of two dice the larger one stands on another, unless it closes well, is hardly larger than usual, or dark."""
    assert ["stacked", "valid"] == verdicts([valid(tray, 0.7, cost=0.3), valid(tray, 0.1)], tray)
    assert ["valid"] * 2 == verdicts([valid(tray, 0.7, cost=0.2), valid(tray, 0.1)], tray)
    assert ["valid"] * 2 == verdicts([valid(tray, 0.2, cost=0.3), valid(tray, -0.35)], tray)
    assert ["valid"] * 2 == verdicts([valid(tray, 0.7, cost=0.3), valid(tray, 0.3)], tray)
    assert ["valid"] * 2 == verdicts([valid(tray, 0.6, cost=0.3), valid(tray, -0.5)], tray)
    assert ["stacked", "valid"] == verdicts([valid(tray, 0.4, cost=0.3), valid(tray, -0.2)], tray)
    assert ["valid"] * 2 == verdicts([valid(tray, 0.4, cost=0.3, plain=1.8), valid(tray, -0.2)], tray)


def test_grain_lets_all_dice_shrink(tray: Tray) -> None:
    """What would be a usual size in a clear picture is too large in a grainy one; so is a step between two dice."""
    assert ["valid"] == [die.verdict for die in doubt_heights([valid(tray, 0.6)], tray, grain=1.5)]
    assert ["stacked"] == [die.verdict for die in doubt_heights([valid(tray, 0.6)], tray, grain=3.5)]
    assert ["valid"] == [die.verdict for die in doubt_heights([valid(tray, 0.3)], tray, grain=9.0)]
    pair = [valid(tray, 0.1, cost=0.3), valid(tray, -0.45)]
    assert ["valid", "valid"] == [die.verdict for die in doubt_heights(pair, tray)]
    assert ["stacked", "valid"] == [die.verdict for die in doubt_heights(pair, tray, grain=2.8)]


def test_the_one_of_two_that_touch_and_closes_ill_may_be_the_one_that_leans(tray: Tray) -> None:
    """A die beside one that leans is not vouched for if it closes ill; black ones, and dice out of reach, may."""
    leaning = replace(valid(tray, 0.0), verdict="cocked", value=None, why="leans")
    beside = replace(valid(tray, 0.0, cost=0.7), pose=pose.flat_pose(10.0, 22.0, 0.3, 16.0), plain=5.0)
    others = [
        replace(beside, cost=0.4),
        replace(beside, plain=1.5),
        replace(beside, pose=pose.flat_pose(40.0, 5.0, 0.3, 16.0)),
    ]

    doubted = doubt_leant_on([leaning, beside, *others])

    assert ["cocked", "unreadable", "valid", "valid", "valid"] == [die.verdict for die in doubted]
    assert (None, "lean-unsure") == (doubted[1].value, doubted[1].why)
    assert ["valid"] == [die.verdict for die in doubt_leant_on([beside])]


def test_dice_drowned_in_their_shadow_are_no_measure(tray: Tray) -> None:
    """Black dice that look far too small don't make the others too large."""
    assert ["valid"] * 3 == verdicts([valid(tray, e, cost=0.3) for e in (0.6, -1.5, -1.2)], tray)


def test_blur_lets_a_bright_die_grow_that_fits_well(tray: Tray) -> None:
    """Blurred, a lone die may look larger by nearly a pixel; not in a sharp picture, nor where it fits badly."""
    blurred = replace(tray, bloom_px=0.33)

    assert ["valid"] == verdicts([valid(blurred, 0.95, cost=0.1)], blurred)
    assert ["stacked"] == verdicts([valid(blurred, 0.95, cost=0.4)], blurred)
    assert ["stacked"] == verdicts([valid(blurred, 1.1, cost=0.1)], blurred)
    assert ["stacked"] == verdicts([valid(tray, 0.95, cost=0.1)], tray)


def test_a_large_die_that_fits_badly_stands_on_another(tray: Tray) -> None:
    """A rim that no single die explains tips the scale; in a heap other dice make such a rim."""
    assert ["stacked"] == verdicts([valid(tray, 0.7, cost=0.8)], tray)
    assert ["valid"] == verdicts([valid(tray, 0.7, cost=0.8, lone=False)], tray)


def test_dice_that_grew_alike_lie_on_the_floor(tray: Tray) -> None:
    """Colour that a camera sends at half size lets all dice grow; one that grew beyond the others stands on another."""
    assert ["valid"] * 2 == verdicts([valid(tray, e) for e in (0.85, 0.9)], tray)
    assert ["valid", "stacked"] == verdicts([valid(tray, e) for e in (0.85, 1.5)], tray)
    assert ["stacked"] * 2 == verdicts([valid(tray, e) for e in (1.9, 2.0)], tray)


def test_how_the_dice_of_a_rig_grew_is_known_from_earlier_pictures(tray: Tray) -> None:
    """A single die is held against what two told before; one die alone tells nothing."""
    common = common_growth_px([valid(tray, 0.8), valid(tray, 0.9)], tray)

    assert common is not None
    assert pytest.approx(0.8) == common
    assert ["valid"] == [die.verdict for die in doubt_heights([valid(tray, 1.2)], tray, common)]
    assert ["stacked"] == [die.verdict for die in doubt_heights([valid(tray, 1.5)], tray, common)]
    assert common_growth_px([valid(tray, 0.8), valid(tray, 0.9, lone=False)], tray) is None


def read_although(verdict: str, scenes: Iterable[Scene]) -> tuple[int, int]:
    """How many dice of some scenes have a verdict, and at how many of their places a valid one is read all the same."""
    there = read = 0
    for scene in scenes:
        reading = BoxReader(ReaderSettings()).read(scene.image, look_outside=False)
        valid = [die.center_px for die in reading.dice if die.verdict == "valid"]
        for die in scene.dice:
            if die.truth.verdict == verdict:
                there += 1
                read += any(np.hypot(*np.subtract(die.centre_px, place)) < 15 for place in valid)
    return there, read


@pytest.mark.parametrize(
    ("pitch", "plain", "verdict"), [(0.2385, 8.0, "stacked"), (0.2385, 3.0, "stacked"), (0.257, 3.0, "valid")]
)
def test_dice_too_small_for_a_size_that_nobody_told_are_smaller_ones_that_stand(
    tray: Tray, pitch: float, plain: float, verdict: str
) -> None:
    """Taken for 16 mm, dice of 14 mm on others have pips too close; a dark die's outline alone says nothing."""
    one = valid(tray, -0.6)
    high = replace(one, pose=replace(one.pose, pitch=pitch), plain=plain)
    low = replace(valid(tray, 0.0), plain=8.0)

    assert [verdict] == [die.verdict for die in doubt_size([high], tray)]
    assert ["valid"] == [die.verdict for die in doubt_size([low], tray)]
    assert ["valid", "valid"] == [die.verdict for die in doubt_size([high, low], tray)]


def test_a_stack_alone_in_the_first_picture_is_not_taken_for_a_larger_die() -> None:
    """14 mm on 14 mm, squarely: nothing but its size tells, and nobody told the size."""
    assert (1, 0) == read_although("stacked", islice(examples.scenes(3055, 5, "stack_alone"), 1))


@pytest.mark.parametrize(
    ("kind", "seed", "there"), [("cocked_wall", 70012, 6), ("cocked_wall", 70002, 6), ("cocked_die", 70005, 6)]
)
def test_dice_that_lean_a_little_are_never_read(
    kind: str, seed: int, there: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dice that lean by 5 to 17 degrees on a wall or a die are void; nothing at their places is called valid."""
    monkeypatch.setattr(examples, "_LEAST_LEAN_DEG", 5.0)
    monkeypatch.setattr(examples, "_MOST_LEAN_DEG", 17.0)

    assert (there, 0) == read_although("cocked", islice(examples.scenes(seed, 5, kind), 3))


def test_a_lean_that_closes_nearly_perfectly_is_not_taken_back_for_a_twentieth_of_a_pixel() -> None:
    """A white die leans by seven degrees; its pips fit flat a little better by chance, its outline clearly worse."""
    assert (2, 0) == read_although("cocked", islice(examples.scenes(130, 5, "cocked_wall"), 3, 4))


@pytest.mark.parametrize(("seed", "there"), [(97101, 6), (97105, 6)])
def test_black_dice_that_lean_a_little_are_never_read(seed: int, there: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A black die's sides drown in shadow; where they do, or where lit felt shows in their place, it may lean."""
    monkeypatch.setattr(examples, "_LEAST_LEAN_DEG", 5.0)
    monkeypatch.setattr(examples, "_MOST_LEAN_DEG", 17.0)
    monkeypatch.setattr(examples, "_looks", lambda _rng, *, any_colour: (LOOKS["black"], LOOKS["black"]))

    assert (there, 0) == read_although("cocked", islice(examples.scenes(seed, 5, "cocked_wall"), 3))


def test_a_plain_die_that_hides_another_but_for_its_corners_stands_on_it() -> None:
    """Blue on red, and nothing else in the picture: the corners below are too small to be what is left of a die."""
    assert (2, 0) == read_although("stacked", islice(examples.scenes(96000, 5, "stacked"), 1))


def test_corners_of_a_die_below_that_peep_out_all_around_are_no_die_on_the_floor() -> None:
    """Dice that stand turned on others, of which only small corners show, are never valid."""
    assert (4, 0) == read_although("stacked", islice(examples.scenes(91006, 5, "stacked"), 2))


def test_a_die_as_green_as_the_felt_is_not_passed_over() -> None:
    """Where only pips show, the die that they are on is said to be there, though nothing can be read."""
    *_, scene = examples.scenes(91003, 5, "hard_light")
    (green,) = (die for die in scene.dice if np.hypot(*np.subtract(die.centre_px, (634, 522))) < 3)

    reading = BoxReader(ReaderSettings()).read(scene.image, look_outside=False)

    (near,) = (die for die in reading.dice if np.hypot(*np.subtract(die.center_px, green.centre_px)) < 12)
    assert ("unreadable", True) == (near.verdict, reading.needs_referee)


def test_dice_across_the_edge_of_a_shadow_are_read() -> None:
    """One pip in light and others in shade make one number, and so does a pip that shade leaves faint."""
    for scene in islice(examples.scenes(96009, 5, "hard_shadow"), 1, 5):
        reading = BoxReader(ReaderSettings()).read(scene.image, look_outside=False)

        for die in scene.dice:
            values = [d.value for d in reading.dice if np.hypot(*np.subtract(d.center_px, die.centre_px)) < 15]
            assert [die.truth.value] == values


@pytest.fixture
def _dark_leaning_a_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Black dice, some of the others red, that lean by 5 to 17 degrees."""
    looks = examples._looks

    def dark(rng: np.random.Generator, *, any_colour: bool) -> tuple[Look, Look]:
        made = looks(rng, any_colour=any_colour)[0]
        colours = LOOKS["black"], LOOKS["black" if rng.random() < 0.6 else "red"]
        one, other = (
            replace(look, left_handed=made.left_handed, turned=made.turned, gloss=made.gloss) for look in colours
        )
        return one, other

    monkeypatch.setattr(examples, "_looks", dark)
    monkeypatch.setattr(examples, "_LEAST_LEAN_DEG", 5.0)
    monkeypatch.setattr(examples, "_MOST_LEAN_DEG", 17.0)


@pytest.mark.usefixtures("_dark_leaning_a_little")
def test_a_die_beside_one_that_leans_is_held_against_it_as_it_leans() -> None:
    """A black six beside a die that leans on it: what they share runs along the leaning one, not along a flat one."""
    (scene,) = islice(examples.scenes(97001, 5, "cocked_die"), 3, 4)

    reading = BoxReader(ReaderSettings()).read(scene.image, look_outside=False)

    near = [die for die in reading.dice if np.hypot(*np.subtract(die.center_px, (824.0, 575.0))) < 10]
    assert [("valid", 6)] == [(die.verdict, die.value) for die in near]


@pytest.mark.parametrize(("kind", "seed"), [("cocked_wall", 97000), ("cocked_die", 97005)])
@pytest.mark.usefixtures("_dark_leaning_a_little")
def test_a_dark_die_that_fits_badly_is_not_read_where_a_lean_is_seen_at_once(kind: str, seed: int) -> None:
    """Two black dice that lean by 8 degrees, their pips as on the floor, their outlines of no die at all."""
    assert (2, 0) == read_although("cocked", islice(examples.scenes(seed, 5, kind), 3, 4))
