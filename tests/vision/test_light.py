"""Dice of the felt's hue, outlined by the light on the felt around them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision import ground, light, pose
from companion.vision.case import View
from companion.vision.find import Body
from companion.vision.second import FaceNet
from companion.vision.settings import ReaderSettings
from companion.vision.solve import Spots
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image

FELT, SHADE, BLACK, GREEN = (40, 120, 30), (10, 30, 8), (3, 9, 2), (64, 192, 48)
SITES = {2: [0, 8], 3: [0, 4, 8], 6: [0, 3, 6, 2, 5, 8]}
AT = pose.flat_pose(10.0, 5.0, 0.3, 16.0)


def picture(tray: Tray, value: int, *, body: tuple[int, int, int] = BLACK, shaded: bool = False) -> tuple[View, Spots]:
    """A die of the felt's own hue with white pips; its right half may lie in a shadow on the felt."""
    image: Image = np.full((864, 1536, 3), FELT, np.uint8)
    middle = tray.project(AT.center_mm)
    if shaded:
        left, top = (middle - [0, 60]).astype(int)
        image[top : top + 120, left : left + 90] = SHADE
    cv2.fillPoly(image, [np.round(pose.silhouette_px(AT, tray)).astype(np.int32)], body)
    at: Floats = tray.project(AT.sites_mm())[AT.top, SITES[value]]
    for x, y in at:
        cv2.circle(image, (round(x * 8), round(y * 8)), 3 * 8, (230, 230, 230), -1, cv2.LINE_AA, 3)
    seen = ground.look(image, ground.plan(tray), 12.0)
    view = View(image=image, tray=tray, settings=ReaderSettings(), size_mm=16.0, net=FaceNet(), ground=seen)
    count = len(at)
    spots = Spots(at_px=at, area_px=np.full(count, 40.0), contrast=np.full(count, 90.0), sign=np.ones(count))
    return view, spots


def unlined() -> Body:
    """A body of which no outline is known near the die."""
    mask = np.ones((1, 1), bool)
    return Body(mask=mask, box_px=(0, 0, 1, 1), outline=np.zeros((1, 2)), solid=mask, level=60.0, plain=6.0)


def off_px(body: Body, tray: Tray) -> Floats:
    """How far the points of an outline lie from the die's silhouette."""
    return np.abs(pose.outside_px(body.outline, pose.silhouette_px(AT, tray)))


@pytest.mark.parametrize("colour", [BLACK, GREEN])
def test_light_outlines_a_die_of_the_felts_own_hue(tray: Tray, colour: tuple[int, int, int]) -> None:
    """Six pips foretell where it is; its outline runs where light ends, on all sides; all its pips are on it."""
    view, spots = picture(tray, 6, body=colour)

    found = light.outlined(unlined(), spots, list(range(6)), view)

    assert found is not None
    body, on_it = found
    sides = {(x > 0, y > 0) for x, y in body.outline - tray.project(AT.center_mm)}
    assert 4 == len(sides)
    assert np.percentile(off_px(body, tray), 90) < 1.0
    assert 6 == len(on_it.sign)


def test_where_no_light_falls_nothing_is_outlined(tray: Tray) -> None:
    """In a shadow on the felt the die may end anywhere: only the lit half of its outline is told."""
    view, spots = picture(tray, 6, shaded=True)

    found = light.outlined(unlined(), spots, list(range(6)), view)

    assert found is not None
    right = found[0].outline[:, 0] - tray.project(AT.center_mm)[0]
    assert len(right) > 20
    assert right.max() < 3.0


def test_a_die_lighter_than_felt_ends_where_its_light_does(tray: Tray) -> None:
    """A green die's outline is told in the shadow on the felt too, by its three pips and its own light."""
    view, spots = picture(tray, 3, body=GREEN, shaded=True)

    found = light.outlined(unlined(), spots, [0, 1, 2], view)

    assert found is not None
    assert (found[0].outline[:, 0] - tray.project(AT.center_mm)[0]).max() > 15.0
    assert np.percentile(off_px(found[0], tray), 90) < 1.0


def test_two_pips_foretell_no_silhouette(tray: Tray) -> None:
    """Two spots lie anywhere by chance."""
    view, spots = picture(tray, 2)

    assert light.outlined(unlined(), spots, [0, 1], view) is None
