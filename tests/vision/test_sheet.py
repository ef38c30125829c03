"""The picture that proves a reading."""

from __future__ import annotations

import numpy as np

from companion.vision.reader import BoxReader, ReaderSettings
from companion.vision.sheet import CUT_PX, sheet
from tests.vision import scenes


def test_a_sheet_shows_the_box_marked_and_each_die_unmarked() -> None:
    """The dice's places are those of the sheet; below lies each die as the camera saw it, left to right."""
    image, _, _ = scenes.thrown([6, 5, 2], fault="cocked")
    reader = BoxReader(ReaderSettings())
    reading = reader.read(image)
    assert reader.tray is not None
    made = sheet(image, reading, reader.tray)

    rows = made.image.shape[0]
    assert [die.verdict for die in reading.dice] == [die.verdict for die in made.dice]
    for die in made.dice:
        x, y, wide, high = die.box_px
        assert 0 <= x < x + wide <= made.image.shape[1]
        assert 0 <= y < y + high <= rows - CUT_PX
        # A red die on green felt: its own red is where the sheet says that it lies.
        middle = made.image[round(die.center_px[1]) - 8 : round(die.center_px[1]) + 8]
        patch = middle[:, round(die.center_px[0]) - 8 : round(die.center_px[0]) + 8].astype(int)
        assert (patch[..., 2] - patch[..., 1]).mean() > 40
    assert np.abs(np.diff([die.center_px[0] for die in made.dice])).min() > 0


def test_a_die_beside_the_box_is_on_the_sheet() -> None:
    """The sheet grows as far as dice fell."""
    image, _, _ = scenes.thrown([6, 2], fault="off_box", faulty=(0,))
    reader = BoxReader(ReaderSettings())
    reading = reader.read(image)
    assert reader.tray is not None
    made = sheet(image, reading, reader.tray)
    outside = next(die for die in made.dice if die.verdict == "off_box")

    assert 0 <= outside.center_px[0] < made.image.shape[1]
    assert 0 <= outside.center_px[1] < made.image.shape[0] - CUT_PX


def test_a_reading_without_dice_is_the_box_alone() -> None:
    """Nothing is cut out of nothing."""
    image = scenes.empty()
    reader = BoxReader(ReaderSettings())
    reading = reader.read(image)
    assert reader.tray is not None

    assert (416, 536, 3) == sheet(image, reading, reader.tray).image.shape
