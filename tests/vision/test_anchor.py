"""Whether the box is where it was found: told by edges of markers and walls, before anything is read against it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.anchor import Anchor
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings, RigGeometry
from companion.vision.tray import find_tray
from companion.vision.types import Image
from tests.vision import scenes

SETTINGS = ReaderSettings(die_mm=16.0)


def anchored(image: Image) -> Anchor:
    """What is remembered of a picture with all markers."""
    tray = find_tray(image, RigGeometry())
    assert tray is not None
    return Anchor.of(image, tray)


def moved(image: Image, x_px: float = 0.0, y_px: float = 0.0, turn_deg: float = 0.0) -> Image:
    """The whole picture shifted or turned about its middle."""
    rows, columns = image.shape[:2]
    move = cv2.getRotationMatrix2D((columns / 2, rows / 2), turn_deg, 1.0)
    move[:, 2] += x_px, y_px
    return np.asarray(cv2.warpAffine(image, move, (columns, rows), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def without(image: Image, *, markers: bool = True, walls: int = 0) -> Image:
    """The picture with cards over the markers, and over so many walls from the top and from the bottom."""
    out = image.copy()
    if markers:
        out[:180, :480] = out[:180, 1020:] = out[690:, :480] = out[690:, 1020:] = (200, 190, 180)
    for rows in (slice(150, 250), slice(630, 760))[:walls]:
        out[rows] = (200, 190, 180)
    return out


@pytest.mark.parametrize("grain", [0.0, 12.0])
def test_light_grain_and_other_dice_move_nothing(grain: float) -> None:
    """Half the light, any noise, a die on the wall: the box holds."""
    anchor = anchored(scenes.thrown([6, 4, 2])[0])
    later = scenes.thrown([1, 3], fault="cocked")[0].astype(float) * 0.5
    later += np.random.default_rng(1).normal(0, grain, later.shape)

    assert anchor.holds(np.clip(later, 0, 255).astype(np.uint8))


@pytest.mark.parametrize(("x_px", "y_px", "turn_deg"), [(3, 0, 0), (0, -3, 0), (30, 20, 0), (0, 0, 0.6), (0, 0, 8)])
@pytest.mark.parametrize("covered", [False, True])
def test_a_moved_box_does_not_hold(x_px: float, y_px: float, turn_deg: float, covered: bool) -> None:
    """By 1.3 mm, by a hand's breadth, by little more than half a degree; with markers and without."""
    image = scenes.thrown([6, 4, 2])[0]
    later = moved(image, x_px, y_px, turn_deg)

    assert not anchored(image).holds(without(later) if covered else later)


def test_walls_speak_where_markers_are_covered() -> None:
    """Three walls hold a box, two could be those of a box that slid along them."""
    image = scenes.thrown([6, 4, 2])[0]
    anchor = anchored(image)

    assert anchor.holds(without(image))
    assert anchor.holds(without(image, walls=1))
    assert not anchor.holds(without(image, walls=2))
    assert not anchor.holds(np.asarray(cv2.resize(image, (1280, 720)), np.uint8))


@pytest.mark.parametrize("markers_every", [1, 30])
def test_a_box_that_moved_while_markers_were_covered_is_not_read(markers_every: int) -> None:
    """What was read against the old place could be wrong: nothing is vouched for until it is found again."""
    image = scenes.thrown([6, 4, 2])[0]
    reader = BoxReader(ReaderSettings(die_mm=16.0, markers_every=markers_every))
    first = reader.read(image, look_outside=False)
    pushed = moved(image, 14.0, -9.0)

    hidden = reader.read(without(pushed), look_outside=False)
    seen = reader.read(pushed, look_outside=False)

    assert [2, 4, 6] == sorted(die.value or 0 for die in first.dice)
    assert ((), ("markers-few",), True) == (hidden.dice, hidden.warnings, hidden.needs_referee)
    assert [2, 4, 6] == sorted(die.value or 0 for die in seen.dice)
    assert np.hypot(*np.subtract(seen.dice[0].center_px, first.dice[0].center_px) - [14, -9]) < 1.5


def test_a_tray_that_was_kept_must_be_seen() -> None:
    """A tray handed over from elsewhere is taken from the picture itself, or not at all."""
    image = scenes.thrown([6, 4, 2])[0]
    tray = find_tray(image, RigGeometry())
    assert tray is not None
    reader = BoxReader(SETTINGS)
    reader.keep(tray)

    assert ("markers-few",) == reader.read(without(moved(image, 9.0)), look_outside=False).warnings
    assert [2, 4, 6] == sorted(die.value or 0 for die in reader.read(moved(image, 9.0), look_outside=False).dice)
