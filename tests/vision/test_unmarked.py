"""The rig's box in a picture without its markers: nothing is read there, and nothing else is taken for it."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.types import DieReading, Image
from companion.vision.unmarked import shows_box
from tests.vision import scenes

EDGE = 30
FELT, GREY, INNER, RIM, TABLE = (50, 90, 40), (90, 90, 90), (60, 85, 110), (90, 130, 170), (150, 150, 160)
# The floor is 16 by 12 dice, wall and rim are each half a die thick.
FLOOR = (12 * EDGE, 16 * EDGE)


def a_die(x: float, y: float, verdict: str = "valid", edge: int = EDGE) -> DieReading:
    """A die as a photograph gives it, square on."""
    low_x, low_y, high_x, high_y = x - edge / 2, y - edge / 2, x + edge / 2, y + edge / 2
    return DieReading(
        value=3,
        verdict=verdict,  # type: ignore[arg-type]
        colour="red",
        center_px=(x, y),
        box_px=(int(low_x), int(low_y), edge, edge),
        outline_px=((low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y)),
        lean_deg=None,
        height_mm=None,
        confidence=0.9,
        why=None,
    )


def picture(
    *, felt: tuple[int, int, int] = FELT, floor: tuple[int, int] = FLOOR, walls: bool = True, moved: tuple[int, int]
) -> Image:
    """A floor with or without walls on a table, its upper left corner at a place that may lie outside."""
    image = np.full((460, 560, 3), TABLE, dtype=np.float64)
    (rows, cols), (down, right) = floor, moved
    for colour, by in ((RIM, EDGE), (INNER, EDGE // 2), (felt, 0)):
        if walls or by == 0:
            top, left = max(0, down - by), max(0, right - by)
            image[top : max(0, down + rows + by), left : max(0, right + cols + by)] = colour
    image += np.random.default_rng(4).normal(0, 3, image.shape)
    return np.asarray(image.clip(0, 255), np.uint8)


@pytest.mark.parametrize("moved", [(-120, 60), (40, 40), (60, -200)], ids=["cut above", "whole", "one corner"])
def test_green_floor_inside_walls_is_the_rig(moved: tuple[int, int]) -> None:
    """However much of it is seen, as long as a corner is."""
    assert shows_box(picture(moved=moved), [a_die(200, 150)], ReaderSettings())


def test_two_walls_that_face_each_other_at_the_rigs_distance_are_enough() -> None:
    """Cut off at both ends, it shows no corner."""
    image = picture(floor=(800, FLOOR[1]), moved=(-100, 40))

    assert shows_box(image, [a_die(200, 150)], ReaderSettings())


@pytest.mark.parametrize(
    "image",
    [
        picture(walls=False, moved=(40, 40)),
        picture(felt=GREY, moved=(40, 40)),
        picture(floor=(6 * EDGE, 7 * EDGE), moved=(40, 40)),
        picture(felt=TABLE, moved=(40, 40)),
    ],
    ids=["green mat", "grey box", "small box", "no floor"],
)
def test_what_is_not_the_rig_is_read_as_a_photograph(image: Image) -> None:
    """A mat has no rim, another box another floor or too small a one."""
    assert not shows_box(image, [a_die(150, 150)], ReaderSettings())


def test_a_box_on_a_green_table_is_no_floor_around_itself() -> None:
    """The table's green ends along the box too, but lies around it."""
    image = picture(felt=GREY, moved=(80, 60))
    table = np.abs(image.astype(int) - TABLE).max(2) < 30
    image[table] = FELT

    assert not shows_box(image, [a_die(150, 150)], ReaderSettings())


def test_without_a_die_that_is_vouched_for_nobody_need_ask() -> None:
    """There is no scale, and no value that could be wrong."""
    assert not shows_box(picture(moved=(40, 40)), [a_die(200, 150, verdict="unreadable")], ReaderSettings())


@pytest.mark.parametrize("seed", [2, 3, 11])
def test_grain_hides_no_box(seed: int) -> None:
    """In the dark it is coarser than the felt is green, pixel by pixel; floor and walls are large."""
    image, _, _ = scenes.thrown([3, 5, 6], seed=seed)
    noise = np.random.default_rng(5).normal(15, 25, (500, 631, 3))
    dim = np.clip(image[188:688, 437:1068] * 0.35 + noise, 0, 255).astype(np.uint8)

    assert shows_box(dim, [a_die(200, 150, edge=37)], ReaderSettings())


@pytest.mark.parametrize(("seed", "fault"), [(3, None), (3, "cocked"), (11, "stacked"), (11, "off_box")])
def test_the_rig_cut_out_of_its_markers_gives_no_value(seed: int, fault: str | None) -> None:
    """Leaning, stacked and fallen dice can't be told there, so people are asked for the markers."""
    image, _, _ = scenes.thrown([3, 5, 6], seed=seed, fault=fault)

    reading = BoxReader(ReaderSettings()).read(np.ascontiguousarray(image[188:688, 437:1068]))

    assert ((), ("markers-few",), True) == (reading.dice, reading.warnings, reading.needs_referee)
