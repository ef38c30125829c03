"""Pieces of markers tell a rig whose box can't be placed from a photograph."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings, RigGeometry
from companion.vision.traces import has_markers
from companion.vision.tray import find_markers
from companion.vision.types import Image
from tests.vision import drawn, scenes

RIG = RigGeometry()
HALF = 36
"""Half the side of a marker's black square on the simulated rig, px."""


def rig() -> tuple[Image, tuple[int, int]]:
    """Dice in the box with all markers seen, and the middle of the first marker, px."""
    image = scenes.thrown([6, 4, 2])[0]
    x, y = find_markers(image, RIG)[0].mean(0).round().astype(int)
    return image, (int(x), int(y))


@pytest.mark.parametrize("share", [0.4, 0.6, 0.9])
@pytest.mark.parametrize("side", ["top", "left"])
def test_markers_cut_by_the_edge_are_told(side: str, share: float) -> None:
    """Two markers of which a part is seen: no box can be placed, and no value is given."""
    image, (x, y) = rig()
    at = round(HALF * (1 - 2 * share))
    cut = image[y + at : 640] if side == "top" else image[:, x + at : 1040]

    reading = BoxReader(ReaderSettings()).read(np.ascontiguousarray(cut))

    assert ((), ("markers-few",), True) == (reading.dice, reading.warnings, reading.needs_referee)


def test_a_corner_of_one_marker_is_told() -> None:
    """A third of it is cut off to the left and a third at the top."""
    image, (x, y) = rig()

    assert has_markers(np.ascontiguousarray(image[y - 12 : 640, x - 12 : 1000]), RIG)


def test_two_bars_as_far_apart_as_markers_are_told() -> None:
    """Little more than the frames of two markers is seen; one of them alone could be anything black on paper."""
    image, (x, y) = rig()
    other = find_markers(image, RIG)[1].mean(0)
    level = cv2.getRotationMatrix2D((x, y), float(np.degrees(np.arctan2(other[1] - y, other[0] - x))), 1.0)
    image = cv2.warpAffine(image, level, (image.shape[1], image.shape[0]))
    bars = np.ascontiguousarray(image[y + HALF - 14 : 640])
    one = np.ascontiguousarray(bars[:, :900])

    assert (True, False) == (has_markers(bars, RIG), has_markers(one, RIG))


@pytest.mark.parametrize("angle", [25.0, -140.0])
def test_a_piece_is_told_however_it_is_turned(angle: float) -> None:
    """A cut marker in a picture that was turned afterwards is no square to the picture's edges."""
    image, (x, y) = rig()
    image = np.ascontiguousarray(image[y - 10 : 640, x - 70 : 1000])
    rows, columns = image.shape[:2]
    turn = cv2.getRotationMatrix2D((columns / 2, rows / 2), angle, 0.6)
    turned = cv2.warpAffine(image, turn, (columns, rows), borderValue=(90, 90, 90))

    assert has_markers(np.asarray(turned, np.uint8), RIG)


def test_a_marker_of_another_rig_is_told() -> None:
    """Its id is none of ours: whose box this is nobody knows."""
    image = np.full((400, 600, 3), 120, np.uint8)
    image[80:200, 100:220] = 230
    marker = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), 17, 78)
    image[101:179, 121:199] = marker[..., None]

    assert has_markers(image, RIG)


@pytest.mark.parametrize("edge", [24.0, 60.0, 130.0])
def test_dice_are_no_markers(edge: float) -> None:
    """Not black ones with white pips on white paper either, whole or cut by the edge."""
    image = drawn.photograph([4, 5, 6], edge=edge, body=(25, 25, 25), pip=(235, 235, 235))
    image[image.min(2) > 100] = 230

    assert not has_markers(image, RIG)
    assert not has_markers(np.ascontiguousarray(image[round(2 * edge) :]), RIG)


def test_a_box_without_markers_is_none() -> None:
    """The box cut out between its markers stays a photograph."""
    assert not has_markers(np.ascontiguousarray(rig()[0][220:660, 450:1060]), RIG)
