"""The picture that proves a reading."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.vision.jpeg import decode_jpeg, encode_jpeg
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


def test_a_die_beside_the_box_is_cut_out_like_any_other() -> None:
    """Wherever it lies; and the places of the others do not move for it."""
    image, _, _ = scenes.thrown([6, 2], fault="off_box", faulty=(0,))
    reader = BoxReader(ReaderSettings())
    reading = reader.read(image)
    assert reader.tray is not None
    made = sheet(image, reading, reader.tray)
    inside = tuple(die for die in reading.dice if die.verdict != "off_box")
    alone = sheet(image, replace(reading, dice=inside), reader.tray)

    assert "off_box" in [die.verdict for die in made.dice]
    assert made.image.shape == alone.image.shape
    assert [die.center_px for die in alone.dice] == [die.center_px for die in made.dice if die.verdict != "off_box"]
    at = [die.verdict for die in made.dice].index("off_box")
    cut = made.image[-CUT_PX - 6 : -6, 6 + at * 102 : 6 + at * 102 + CUT_PX].astype(int)
    assert (cut[..., 2] - cut[..., 1]).max() > 80


def test_a_die_that_nobody_touched_has_one_place_whoever_was_pushed() -> None:
    """The sheet's places are the box's own."""
    rig = SimRig(SimSettings(), ManualClock())
    thrown = rig.box.throw([6, 5, 2])
    places = []
    for knock in ((0, 0), (14, -9)):
        rig.camera.knock(*knock)
        image = rig.camera.picture(thrown.settled_ns)
        reader = BoxReader(ReaderSettings())
        reading = reader.read(image)
        assert reader.tray is not None
        places.append([die.center_px for die in sheet(image, reading, reader.tray).dice])

    assert np.abs(np.subtract(*places)).max() < 2.0


def test_a_reading_without_dice_is_the_box_alone() -> None:
    """Nothing is cut out of nothing."""
    image = scenes.empty()
    reader = BoxReader(ReaderSettings())
    reading = reader.read(image)
    assert reader.tray is not None

    assert (464, 584, 3) == sheet(image, reading, reader.tray).image.shape


def test_a_stored_picture_keeps_the_colour_of_each_pixel() -> None:
    """A thin red line on green comes back red: where JPEG spreads it, a die would grow."""
    image = np.full((64, 64, 3), (30, 110, 30), np.uint8)
    image[:, 31] = (30, 30, 200)
    whole, spread = (decode_jpeg(encode_jpeg(image, quality=92, full_colour=full)) for full in (True, False))
    assert whole is not None
    assert spread is not None
    missed = [int(np.abs(found[8:56, 28:35].astype(int) - image[8:56, 28:35]).max()) for found in (whole, spread)]

    assert missed[0] < 20 < missed[1]
    assert decode_jpeg(b"no picture") is None
    assert decode_jpeg(b"") is None
