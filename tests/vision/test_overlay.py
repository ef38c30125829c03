"""Marks for people on the pictures."""

from __future__ import annotations

import numpy as np

from companion.vision import overlay
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from tests.vision import scenes


def test_marks_are_drawn_on_a_copy() -> None:
    """The picture stays as it was; the copy differs only near the dice."""
    image, _, _ = scenes.thrown([2, 5])
    before = image.copy()
    reading = BoxReader(ReaderSettings(die_mm=16.0)).read(image)

    marked = overlay.draw(image, reading)

    assert np.array_equal(before, image)
    changed = np.argwhere((marked != image).any(2))
    assert len(changed) > 50
    low, high = changed.min(0), changed.max(0)
    boxes = np.array([die.box_px for die in reading.dice])
    assert (boxes[:, 1].min() - 15 <= low[0]) and (high[0] <= (boxes[:, 1] + boxes[:, 3]).max() + 15)


def test_the_straightened_box_has_its_corners_in_place() -> None:
    """The inner floor's corners come to lie at the margin, whatever the camera's roll."""
    image, _, _ = scenes.thrown([3], roll_deg=4.0)
    reader = BoxReader(ReaderSettings(die_mm=16.0))
    reader.read(image)
    assert reader.tray is not None

    box = overlay.rectified(image, reader.tray, px_per_mm=2.0, margin_mm=10.0)

    assert (400, 520, 3) == box.shape
    floor = box[40:-40, 40:-40].reshape(-1, 3).astype(int)
    assert (floor[:, 1] > floor[:, 2]).mean() > 0.85


def test_a_crop_shows_the_die() -> None:
    """The cut is square and its middle has the die's colour."""
    image, _, _ = scenes.thrown([2])
    (die,) = BoxReader(ReaderSettings(die_mm=16.0)).read(image).dice

    cut = overlay.crop(image, die, 64)

    assert (64, 64, 3) == cut.shape
    blue, green, red = np.median(cut[22:42, 22:42].reshape(-1, 3), axis=0)
    assert red > 1.5 * max(blue, green)
