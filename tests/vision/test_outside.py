"""Dice on the table around the box."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.outside import OutsideSearch, lone_spots
from companion.vision.second import FaceNet
from companion.vision.settings import RigGeometry
from companion.vision.tray import find_tray
from tests.vision import scenes


def test_a_pip_stands_alone_and_an_edge_does_not() -> None:
    """Discs of a pip's size are found in both polarities; a bar, a corner and a large dot are not."""
    gray = np.full((60, 120), 90, np.uint8)
    cv2.circle(gray, (15, 20), 1, 220, -1)
    cv2.circle(gray, (15, 40), 1, 10, -1)
    cv2.line(gray, (35, 5), (35, 55), 220, 2)
    cv2.rectangle(gray, (55, 20), (75, 40), 220, -1)
    cv2.circle(gray, (100, 30), 8, 10, -1)

    found = lone_spots(gray, np.ones(gray.shape, bool))

    assert [(15, 20, 1), (15, 40, -1)] == [(round(x), round(y), int(sign)) for x, y, _, sign in found]


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
