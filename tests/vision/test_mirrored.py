"""Dice that the picture's edge cuts."""

from __future__ import annotations

from itertools import islice

import cv2
import numpy as np
import pytest

from companion.sim import examples
from companion.sim.examples import Scene
from companion.vision.mirrored import MirrorSearch
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings, RigGeometry
from companion.vision.tray import Tray, find_tray
from companion.vision.types import Image
from tests.vision import scenes


def scene(kind: str, seed: int, number: int) -> Scene:
    """One of five pictures of a kind."""
    (found,) = islice(examples.scenes(seed, 5, kind), number, number + 1)
    return found


def placed(image: Image) -> Tray:
    """The box in a picture."""
    tray = find_tray(image, RigGeometry())
    assert tray is not None
    return tray


@pytest.mark.parametrize(("seed", "number", "place"), [(6005, 1, (10, 522)), (6010, 0, (1527, 415))])
def test_a_die_that_the_edge_cuts_is_off_the_box(seed: int, number: int, place: tuple[int, int]) -> None:
    """Two pips are left of its upper face: no number, no lean, no height, but a die, where it lies."""
    reading = BoxReader(ReaderSettings()).read(scene("picture_edge", seed, number).image)

    near = [die for die in reading.dice if np.hypot(*np.subtract(die.center_px, place)) < 12]
    assert [("off_box", "outside-floor", None, None, None)] == [
        (die.verdict, die.why, die.value, die.lean_deg, die.height_mm) for die in near
    ]
    assert reading.needs_referee


@pytest.mark.parametrize("is_flipped", [False, True])
@pytest.mark.parametrize(("seed", "number", "axis"), [(71000, 0, 0), (71010, 4, 1)])
def test_a_die_is_found_across_every_edge(seed: int, number: int, axis: int, *, is_flipped: bool) -> None:
    """A picture that is cut through a die on the table, to the right or below, and the same mirrored."""
    shown = scene("off_box", seed, number)
    tray = placed(shown.image)
    outside = [die for die in shown.dice if die.truth.verdict == "off_box"]
    die = max(outside, key=lambda die: die.centre_px[axis])
    length = round(die.centre_px[axis]) + 4
    image = shown.image[:length] if axis else shown.image[:, :length]
    place = np.array(die.centre_px)
    if is_flipped:
        image, place[axis] = np.flip(image, 1 - axis), length - 1 - place[axis]

    found = MirrorSearch(tray, die.truth.size_mm).dice(np.ascontiguousarray(image), [])

    (at,) = [tray.project(one.pose.center_mm) for one in found]
    assert np.hypot(*(at - place)) < 12


def test_what_is_no_die_is_none_at_the_edge_either() -> None:
    """The corner of a score sheet, a chip and a long strip of a cloth's border are cut by the edge; none is a die."""
    image = scenes.empty()
    rows, columns = image.shape[:2]
    cv2.fillConvexPoly(image, np.array([[0, 540], [11, 553], [29, 567], [0, 590]]), (173, 168, 178), cv2.LINE_AA)
    cv2.circle(image, (columns - 1, 300), 17, (40, 40, 190), -1, cv2.LINE_AA)
    cv2.rectangle(image, (250, rows - 12), (640, rows), (120, 40, 40), -1)

    assert [] == MirrorSearch(placed(scenes.empty()), 16.0).dice(cv2.GaussianBlur(image, (0, 0), 0.8), [])


def test_a_die_that_was_found_is_not_found_again() -> None:
    """What the other searches have found near the edge is looked at no more."""
    shown = scene("picture_edge", 6010, 0)
    search = MirrorSearch(placed(shown.image), shown.dice[0].truth.size_mm)
    (once,) = search.dice(shown.image, [])

    assert [] == search.dice(shown.image, [once])
