"""Dice on the table around the box."""

from __future__ import annotations

from itertools import islice

import cv2
import numpy as np
import pytest

from companion.sim import examples
from companion.vision.outside import OutsideSearch, lone_spots
from companion.vision.reader import BoxReader
from companion.vision.second import FaceNet
from companion.vision.settings import ReaderSettings, RigGeometry
from companion.vision.tray import find_tray, marker_corners_mm
from tests.vision import drawn, scenes


def test_a_pip_stands_alone_and_an_edge_does_not() -> None:
    """Discs of a pip's size are found in both polarities; a bar, a corner and a large dot are not."""
    gray = np.full((60, 120), 90, np.uint8)
    cv2.circle(gray, (15, 20), 1, 220, -1)
    cv2.circle(gray, (15, 40), 1, 10, -1)
    cv2.line(gray, (35, 5), (35, 55), 220, 2)
    cv2.rectangle(gray, (55, 20), (75, 40), 220, -1)
    cv2.circle(gray, (100, 30), 8, 10, -1)

    found = lone_spots(gray, np.ones(gray.shape, bool))

    alone = [(round(x), round(y), int(sign)) for x, y, _, sign, clear in found if clear >= 10]
    assert [(15, 20, 1), (15, 40, -1)] == alone


def test_a_pip_beside_the_edge_of_its_face_counts_but_not_as_one_that_stands_alone() -> None:
    """A dark pip with a little of its ring on dark ground is found, once and marked so, where another stands alone."""
    gray = np.full((40, 60), 120, np.uint8)
    gray[:, 42:] = 20
    for x in (29, 39):
        cv2.circle(gray, (x, 20), 1, 10, -1)
    alone = gray.copy()
    alone[:, :34] = 120

    found = lone_spots(gray, np.ones(gray.shape, bool))

    told = [(round(x), round(y), int(sign), clear < 10) for x, y, _, sign, clear in found]
    assert [(29, 20, -1, False), (39, 20, -1, True)] == sorted(told)
    assert 0 == len(lone_spots(alone, np.ones(gray.shape, bool)))


@pytest.mark.parametrize("fault", ["off_box", "rim"])
def test_dice_on_table_and_rim_are_found_where_they_lie(fault: str) -> None:
    """A die outside is found once, at its place; nothing else is."""
    image, truth, rig = scenes.thrown([6, 5, 4], seed=3, fault=fault)
    tray = find_tray(image, RigGeometry())
    assert tray is not None
    outside = [die for die in truth if die.verdict == "off_box"]

    found = OutsideSearch(tray, 16.0, FaceNet()).dice(image)

    places = [rig.settings.optics().project(np.array(die.position_mm)) for die in outside]
    assert len(outside) == len(found)
    for die in found:
        assert min(float(np.hypot(*(tray.project(die.pose.center_mm) - place))) for place in places) < 10.0


def test_an_empty_table_has_no_dice() -> None:
    """No die grows on the table, on the rim or on the markers."""
    image = scenes.empty()
    tray = find_tray(image, RigGeometry())
    assert tray is not None

    assert [] == OutsideSearch(tray, 16.0, FaceNet()).dice(image)


def test_a_large_single_pip_is_seen_and_a_star_of_a_cloth_is_not() -> None:
    """A white die with a large red pip is found; the same pip on white cloth, with no die around it, isn't."""
    image = scenes.empty()
    tray = find_tray(image, RigGeometry())
    assert tray is not None
    x, y = tray.project(np.array([0.0, 135.0, 16.0])).tolist()
    edge = 16.0 * tray.px_per_mm
    with_die, on_cloth = image.copy(), image.copy()
    drawn.draw(with_die, (x, y), edge, 20.0, value=0, body=drawn.WHITE, pip=drawn.RED)
    reach = int(1.2 * edge)
    on_cloth[round(y) - reach : round(y) + reach, round(x) - reach : round(x) + reach] = drawn.WHITE
    for picture in (with_die, on_cloth):
        cv2.circle(picture, (round(x), round(y)), round(0.17 * edge), drawn.RED, -1, cv2.LINE_AA)

    found = OutsideSearch(tray, 16.0, FaceNet()).dice(cv2.GaussianBlur(with_die, (0, 0), 0.8))

    assert [1] == [die.number for die in found]
    assert [] == OutsideSearch(tray, 16.0, FaceNet()).dice(cv2.GaussianBlur(on_cloth, (0, 0), 0.8))


def test_a_die_on_a_marker_is_seen() -> None:
    """A marker that a die hides is no reason not to look there."""
    image, _truth, _rig = scenes.thrown([6, 5, 4], seed=3)
    tray = find_tray(image, RigGeometry())
    assert tray is not None
    x, y = tray.project(np.array([-158.0, 128.0, 16.0])).tolist()
    drawn.draw(image, (x, y), 16.0 * tray.px_per_mm, 20.0, value=5, body=drawn.RED, pip=drawn.WHITE)
    image = cv2.GaussianBlur(image, (0, 0), 0.7)

    reading = BoxReader(ReaderSettings()).read(image)

    assert [("off_box", "outside-floor")] == [
        (die.verdict, die.why) for die in reading.dice if np.hypot(*np.subtract(die.center_px, (x, y))) < 12
    ]


def test_a_die_across_the_edge_of_a_marker_that_is_still_read_is_seen() -> None:
    """Only the cells of a marker that could be read are surely free; a die may lie on its paper and black edge."""
    image, _truth, _rig = scenes.thrown([6, 5, 4], seed=3)
    geometry = RigGeometry()
    corner = marker_corners_mm(geometry)[0][:, :2].mean(0) + np.array([0.0, geometry.marker_mm / 2 + 5.0])
    tray = find_tray(image, geometry)
    assert tray is not None
    x, y = tray.project(np.array([*corner, 16.0])).tolist()
    drawn.draw(image, (x, y), 16.0 * tray.px_per_mm, 20.0, value=3, body=drawn.RED, pip=drawn.WHITE)
    image = cv2.GaussianBlur(image, (0, 0), 0.7)
    reader = BoxReader(ReaderSettings())

    reading = reader.read(image)

    assert reader.tray is not None
    assert 0 in reader.tray.seen
    assert [("off_box", "outside-floor")] == [
        (die.verdict, die.why) for die in reading.dice if np.hypot(*np.subtract(die.center_px, (x, y))) < 12
    ]


@pytest.mark.parametrize(
    ("seed", "number", "place"),
    [
        (5230, 4, (693, 646)),
        (5235, 3, (721, 217)),
        (5250, 2, (912, 669)),
        (5050, 2, (639, 712)),
        (5085, 1, (1052, 464)),
    ],
)
def test_a_die_that_hangs_from_the_rim_over_the_floor_is_off_the_box(
    seed: int, number: int, place: tuple[int, int]
) -> None:
    """What is seen of it in the box can't be read there; around the box it can, and it is one die."""
    (scene,) = islice(examples.scenes(seed, 5, "rim"), number, number + 1)

    reading = BoxReader(ReaderSettings()).read(scene.image)

    near = [die for die in reading.dice if np.hypot(*np.subtract(die.center_px, place)) < 30]
    assert ["off_box"] == [die.verdict for die in near]
    assert np.hypot(*np.subtract(near[0].center_px, place)) < 5
