"""Pictures of the simulated rig read whole."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.sim import examples
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.types import Image
from tests.vision import scenes

SETTINGS = ReaderSettings(die_mm=16.0)


@pytest.mark.parametrize(("values", "seed"), [([1, 2, 3], 1), ([4, 5, 6], 2), ([6, 6, 1], 4)])
def test_dice_at_rest_are_read(values: list[int], seed: int) -> None:
    """Every value, its colour and its place come out of a plain throw, and nobody need look."""
    image, truth, rig = scenes.thrown(values, seed=seed)

    reading = BoxReader(SETTINGS).read(image)

    assert sorted(values) == sorted(d.value for d in reading.dice if d.value)
    assert {"red"} == {d.colour for d in reading.dice}
    assert all(scenes.found(reading, die, rig) for die in truth)
    assert not reading.needs_referee


@pytest.mark.parametrize("look", ["white", "black", "asian"])
def test_other_makes_are_never_misread(look: str) -> None:
    """Dice of other colours are read right or not at all."""
    image, truth, rig = scenes.thrown([1, 4, 5], seed=7, attack=look)

    reading = BoxReader(SETTINGS).read(image)

    read = [(die.value, scenes.found(reading, die, rig)) for die in truth]
    assert [] == [(true, die) for true, die in read if die and die.value not in {None, true}]


@pytest.mark.parametrize("fault", ["cocked", "stacked", "off_box", "rim"])
@pytest.mark.parametrize("seed", [3, 11])
def test_void_dice_are_never_valid(fault: str, seed: int) -> None:
    """A die that leans, stands on another or lies outside has no value, and people are called."""
    image, truth, rig = scenes.thrown([6, 5, 1], seed=seed, fault=fault)

    reading = BoxReader(SETTINGS).read(image)

    void = [scenes.found(reading, die, rig) for die in truth if die.verdict != "valid"]
    assert void
    assert [] == [die for die in void if die and die.verdict == "valid"]
    assert reading.needs_referee


def test_a_leaning_die_is_measured() -> None:
    """A cocked die is called so, with its lean to a few degrees."""
    image, truth, rig = scenes.thrown([6, 5, 1], seed=1, fault="cocked")
    (true,) = [die for die in truth if die.verdict == "cocked"]

    die = scenes.found(BoxReader(SETTINGS).read(image), true, rig)

    assert die is not None
    assert (None, "cocked") == (die.value, die.verdict)
    assert die.lean_deg is not None
    assert abs(true.lean_deg - die.lean_deg) < 6.0


def test_an_empty_box_reads_empty() -> None:
    """No die grows on felt, wall or table."""
    reading = BoxReader(SETTINGS).read(scenes.empty())

    assert () == reading.dice
    assert reading.tray_found
    assert not reading.needs_referee


def test_a_missing_die_is_said() -> None:
    """Where the count is known and differs, people look."""
    image, _, _ = scenes.thrown([2, 3])

    reading = BoxReader(SETTINGS).read(image, expect=3)

    assert "count-differs" in reading.warnings
    assert reading.needs_referee


@pytest.mark.parametrize(("level", "code"), [(2, "dark"), (255, "saturated"), (120, "blank")])
def test_useless_pictures_have_their_own_code(level: int, code: str) -> None:
    """Dark, blown out and blank pictures give no die and say why."""
    reading = BoxReader(SETTINGS).read(np.full((864, 1536, 3), level, np.uint8))

    assert ((), (code,), True) == (reading.dice, reading.warnings, reading.needs_referee)


def test_noise_without_markers_grows_no_dice() -> None:
    """A photograph of nothing but texture has no dice that anybody vouches for."""
    grain = np.random.default_rng(5).normal(120, 30, (240, 320, 3)).clip(0, 255).astype(np.uint8)

    reading = BoxReader(SETTINGS).read(grain)

    assert [] == [die for die in reading.dice if die.value is not None]
    assert not reading.tray_found


def test_a_photograph_without_markers_takes_its_scale_from_the_dice() -> None:
    """The box cut out of its markers still gives the values, and the reading says where its scale is from."""
    image, _, _ = scenes.thrown([3, 5, 6], seed=2)

    reading = BoxReader(SETTINGS).read(image[230:640, 480:1060])

    assert "no-tray" in reading.warnings
    assert [] == [d.value for d in reading.dice if d.value not in {None, 3, 5, 6}]


@pytest.mark.parametrize("seed", [3, 5, 11])
def test_a_stacked_die_is_named_so(seed: int) -> None:
    """A die that lies on another one is told from one that leans, wherever the lower one peeps out."""
    image, truth, rig = scenes.thrown([6, 5, 3], seed=seed, fault="stacked")
    (true,) = [die for die in truth if die.verdict == "stacked"]

    die = scenes.found(BoxReader(SETTINGS).read(image), true, rig)

    assert die is not None
    assert ("stacked", None) == (die.verdict, die.value)


def as_a_webcam_sends_it(image: Image) -> Image:
    """The picture as JPEG with its colour at half size, as USB cameras send it."""
    how = [cv2.IMWRITE_JPEG_QUALITY, 92, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420]
    raw = cv2.imencode(".jpg", image, how)[1]
    return np.asarray(cv2.imdecode(raw, cv2.IMREAD_COLOR), dtype=np.uint8)


def test_colour_at_half_size_makes_no_stacks() -> None:
    """Dice on the floor stay so where colour spreads; what two dice told of the rig holds for one alone."""
    reader = BoxReader(SETTINGS)

    both = reader.read(as_a_webcam_sends_it(scenes.thrown([1, 6])[0]), look_outside=False)
    alone = reader.read(as_a_webcam_sends_it(scenes.thrown([5])[0]), look_outside=False)

    assert [1, 6] == sorted(d.value for d in both.dice if d.value)
    assert [5] == [d.value for d in alone.dice]


@pytest.mark.parametrize("nth", [25, 49, 53])
def test_a_lean_is_not_missed_where_pixels_are_few(nth: int) -> None:
    """At a little more than a pixel per mm a die that leans by 27 degrees on a wall has no value; flat ones have."""
    rig = SimRig(SimSettings(width=768, height=432, fps=10.0), ManualClock())
    for _ in range(nth):
        rig.box.throw([6, 5, 3], cocked=[2])
        rig.box.clear()
    throw = rig.box.throw([6, 5, 3], cocked=[2])

    reading = BoxReader(SETTINGS).read(rig.camera.picture(throw.settled_ns), look_outside=False)

    assert [5, 6] == sorted(d.value for d in reading.dice if d.value)
    assert reading.needs_referee


@pytest.mark.parametrize("times", [2.0, 3.0])
def test_dice_of_a_picture_with_many_more_pixels_are_not_missed(times: float) -> None:
    """A 3K or a 4.6K picture of the box: each die is told, read or not; none vanishes."""
    (scene,) = examples.scenes(7, 1, "valid")
    image = cv2.resize(scene.image, None, fx=times, fy=times, interpolation=cv2.INTER_CUBIC)

    reading = BoxReader(ReaderSettings()).read(image, look_outside=False)

    places = np.array([one.center_px for one in reading.dice]) / times
    for die in scene.dice:
        near = np.flatnonzero(np.hypot(*(places - die.centre_px).T) < 15)
        assert 1 == len(near)
        assert reading.dice[near[0]].value in (None, die.truth.value)
    assert reading.needs_referee is any(one.verdict != "valid" for one in reading.dice)


@pytest.mark.parametrize("light", [0.5, 0.35, 0.2])
def test_a_dim_picture_is_read_as_brighter_light_would_show_it(light: float) -> None:
    """A fifth of the light, and the grain of a sensor: the same values; a tenth is too dark, and nothing is read."""
    image, _truth, _rig = scenes.thrown([4, 5, 6], seed=3)
    grain = np.random.default_rng(1).normal(0, 0.7, image.shape)

    dim, dark = (
        BoxReader(ReaderSettings()).read(np.clip(image * share + grain, 0, 255).astype(np.uint8))
        for share in (light, light / 5)
    )

    assert [4, 5, 6] == sorted(die.value or 0 for die in dim.dice)
    assert ((), ("dark",)) == (dark.dice, dark.warnings)


def test_a_green_die_in_the_dark_is_told() -> None:
    """Green on green felt in a quarter of the light: unread, but people are called to it."""
    image, _truth, _rig = scenes.thrown([3], seed=5, attack="green")
    dim = np.clip(image * 0.25, 0, 255).astype(np.uint8)

    reading = BoxReader(ReaderSettings()).read(dim)

    assert 1 == len(reading.dice)
    assert reading.dice[0].value in {None, 3}
