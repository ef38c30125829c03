"""Dice in the box that are no body."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import cv2
import numpy as np
import pytest

from companion.sim import examples
from companion.vision import find, ground, pose, things, unseen
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image
from tests.vision import scenes

DIM, LIT = (8, 24, 6), (24, 72, 18)


def glaring(tray: Tray, draw: Callable[[Image], object]) -> list[tuple[Floats, float]]:
    """The bright squares in a box on whose floor something of the felt's hue was drawn."""
    image: Image = np.full((864, 1536, 3), DIM, np.uint8)
    draw(image)
    seen = ground.look(cv2.GaussianBlur(image, (0, 0), 0.8), ground.plan(tray), 12.0)
    return unseen.squares(seen, unseen.bare_floor(seen, find.bodies(seen)), 16.0 * tray.px_per_mm)


@pytest.mark.parametrize("edge_mm", [9.0, 12.0, 16.0])
def test_a_square_far_brighter_than_the_felt_is_no_felt(tray: Tray, edge_mm: float) -> None:
    """In the dark a green die shows neither colour nor pips, but where it is and how large."""
    middle, edge_px = np.array([740.0, 500.0]), edge_mm * tray.px_per_mm
    corners = cv2.boxPoints((middle.tolist(), (edge_px, edge_px), 25.0))

    ((place, seen_px),) = glaring(tray, lambda image: cv2.fillPoly(image, [np.round(corners).astype(int)], LIT))

    assert np.hypot(*(place - middle)) < 1.5
    assert abs(seen_px - edge_px) < 2.5


@pytest.mark.parametrize(
    ("low", "high"),
    [((700, 400), (713, 720)), ((600, 400), (860, 560)), ((740, 500), (746, 506))],
    ids=["a slit's light", "a window's light", "a glint"],
)
def test_light_on_the_felt_is_no_die(tray: Tray, low: tuple[int, int], high: tuple[int, int]) -> None:
    """What light makes of the felt is longer than a die, larger, or a speck."""
    assert [] == glaring(tray, lambda image: cv2.rectangle(image, low, high, LIT, -1))


def test_green_dice_in_the_dark_are_not_passed_over() -> None:
    """A six and a one, green on green in hardly any light: nothing can be read, and people are told where they lie."""
    (scene,) = islice(examples.scenes(10030, 5, "hard_light"), 1, 2)

    reading = BoxReader(ReaderSettings()).read(scene.image, look_outside=False)

    assert reading.needs_referee
    for die in scene.dice:
        (near,) = (d for d in reading.dice if np.hypot(*np.subtract(d.center_px, die.centre_px)) < 8)
        assert near.value in {None, die.truth.value}


def test_green_pieces_on_green_felt_are_called_pieces(tray: Tray) -> None:
    """Squares much smaller than dice are no dice, and each kind is told once."""
    squares = [(np.array([700.0, 400.0]), 20.0), (np.array([800.0, 400.0]), 39.0), (np.array([900.0, 400.0]), 21.0)]

    places, codes = things.by_size(squares, 16.0 * tray.px_per_mm)

    assert ([[800.0, 400.0]], ("piece-in-box",)) == (places.tolist(), codes)


def test_pips_in_deep_shade_tell_that_a_die_lies_there(tray: Tray) -> None:
    """Pips of the felt's own hue on a die of the felt's own: no colour shows them, and one by one their light does."""
    at = pose.flat_pose(40.0, -30.0, 0.3, 16.0)
    image: Image = np.full((864, 1536, 3), DIM, np.uint8)
    pips = tray.project(at.sites_mm())[at.top, [0, 2, 4, 6, 8]]
    for x, y in pips:
        cv2.circle(image, (round(x * 8), round(y * 8)), 3 * 8, LIT, -1, cv2.LINE_AA, 3)
    seen, plan = ground.look(image, ground.plan(tray), 12.0), ground.plan(tray)

    found = unseen.pips_by_light(image, plan, [], 16.0)

    assert 0 == len(unseen.lone_pips(seen, unseen.bare_floor(seen, find.bodies(seen)), 40.0))
    assert [True] * 5 == [bool((np.hypot(*(found - pip).T) < 2).any()) for pip in pips]
    assert 5 == len(found)
    (told,) = tray.project(at.center_mm[None])
    assert 0 == len(unseen.pips_by_light(image, plan, [(float(told[0]), float(told[1]))], 16.0))


def test_dice_that_were_told_and_an_empty_box_have_no_lone_pips() -> None:
    """Pips of dice that were read are no dice of their own; nor is anything in an empty box."""
    image, _truth, _rig = scenes.thrown([2, 6, 5], seed=4)
    reader = BoxReader(ReaderSettings())
    reading = reader.read(image, look_outside=False)

    assert [] == reader.unheard(reading.dice)
    assert 3 <= len(reader.unheard([]))
    reader.read(scenes.empty(), look_outside=False)
    assert [] == reader.unheard([])
