"""The box by markers that are covered in part."""

from __future__ import annotations

from itertools import islice

import cv2
import numpy as np
import pytest

from companion.sim import examples
from companion.sim.drivers import SimRig
from companion.vision.corners import fit_covered
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings, RigGeometry
from companion.vision.tray import Tray, find_markers, fit_tray, marker_corners_mm
from companion.vision.types import Floats, Image
from tests.vision import drawn, scenes

RIG = RigGeometry()
POINTS = np.array([[x, y, z] for x in (-120.0, 0.0, 120.0) for y in (-90.0, 0.0, 90.0) for z in (0.0, 16.0)])
INK, PAPER = (22, 22, 22), (200, 204, 205)


def rig() -> tuple[Image, SimRig]:
    """Dice in the box of a camera that hangs a little askew and bends what it sees, all markers seen."""
    image, _, rig = scenes.thrown([6, 4, 2], tilt_deg=2.0, roll_deg=-3.0, k1=0.04)
    return image, rig


def die_on(image: Image, corner_px: Floats, edge: float = 36.0) -> None:
    """A die's picture across one place."""
    drawn.draw(image, (float(corner_px[0]), float(corner_px[1])), edge, 25.0, value=5, body=drawn.RED, pip=drawn.WHITE)


def sheet_on(image: Image, quad: Floats, ink: tuple[int, int, int] = PAPER) -> None:
    """One even patch, with its edge as soft as the picture's."""
    patch = np.zeros(image.shape[:2], np.float32)
    cv2.fillPoly(patch, [np.round(quad * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
    share = cv2.GaussianBlur(patch, (0, 0), 0.8)[..., None]
    image[:] = np.round(image * (1 - share) + np.array(ink) * share).astype(np.uint8)


def largest_gap_px(tray: Tray | None, rig: SimRig) -> float:
    """How far points over the floor and at a die's height are from where the camera sees them."""
    assert tray is not None
    return float(np.hypot(*(tray.project(POINTS) - rig.settings.optics().project(POINTS)).T).max())


def left_of(image: Image) -> dict[int, Floats]:
    """The markers that are still found whole."""
    return find_markers(image, RIG)


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2)])
def test_two_markers_under_dice_place_the_box_as_well_as_whole_ones(pair: tuple[int, int]) -> None:
    """Three corners of each stay free; points of the box are put within half a pixel of where the camera sees them."""
    image, camera = rig()
    markers = left_of(image)
    for marker in pair:
        die_on(image, markers[marker][marker])

    tray = fit_covered(image, left_of(image), RIG)

    assert tray is not None
    assert 0.5 > largest_gap_px(tray, camera)
    assert (set(pair), {0, 1, 2, 3} - set(pair)) == (set(tray.parts), set(tray.seen))


def test_one_whole_marker_is_enough_where_the_others_show_corners() -> None:
    """Three dice, on three markers."""
    image, camera = rig()
    markers = left_of(image)
    for marker in (0, 1, 3):
        die_on(image, markers[marker][2])

    tray = fit_covered(image, left_of(image), RIG)

    assert tray is not None
    assert ((2,), 0.6 > largest_gap_px(tray, camera)) == (tray.seen, True)


@pytest.mark.parametrize("beside", [(2.0, 2.0), (4.0, 1.0), (9.0, 9.0)])
def test_a_false_corner_bends_nothing(beside: tuple[float, float]) -> None:
    """Black that lies against a black square's corner, edges along its edges, has a corner a few pixels beside it."""
    image, camera = rig()
    markers = left_of(image)
    for marker in (0, 2):
        out = np.sign(markers[marker][1] - markers[marker].mean(0))
        middle = markers[marker][1] + out * (np.array(beside) - 9.0)
        sheet_on(image, middle + 9.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), INK)
        die_on(image, markers[marker][3], edge=30.0)
    whole = left_of(image)

    tray = fit_covered(image, whole, RIG)

    assert {1, 3} == set(whole)
    assert tray is None or 0.7 > largest_gap_px(tray, camera)


def test_a_false_corner_of_a_whole_marker_is_left_out() -> None:
    """A quad of which one corner is 4 px beside the square's: the others place the box, and all four stay seen."""
    image, camera = rig()
    markers = left_of(image)
    markers[0][2] += [4.0, -1.0]

    tray = fit_tray(markers, (image.shape[1], image.shape[0]), RIG)

    assert 0.5 > largest_gap_px(tray, camera)
    assert tray is not None
    assert (0, 1, 2, 3) == tray.seen


def test_two_covered_markers_stay_refused() -> None:
    """A card on each: no corner can be seen, so nothing is measured, and nothing is read."""
    image, _ = rig()
    for marker in (0, 1):
        quad = left_of(image)[marker]
        sheet_on(image, quad.mean(0) + 1.5 * (quad - quad.mean(0)), (90, 120, 160))

    assert fit_covered(image, left_of(image), RIG) is None
    assert ("markers-few",) == BoxReader(ReaderSettings()).read(image).warnings


def test_a_sheet_across_two_markers_leaves_too_few_corners() -> None:
    """Of each two corners are free, and the sheet's edge makes two false ones: three are asked for."""
    image, _ = rig()
    for marker in (0, 1):
        quad = left_of(image)[marker]
        down = quad[3] - quad[0]
        sheet_on(image, quad - 0.45 * down)

    whole = left_of(image)

    assert {2, 3} == set(whole)
    assert fit_covered(image, whole, RIG) is None


@pytest.mark.parametrize("size", [0.94, 1.06])
def test_dark_squares_that_are_no_markers_make_no_tray(size: float) -> None:
    """What lies in the stead of two markers and is a little smaller or larger is none: its corners do not agree."""
    image, _ = rig()
    markers = left_of(image)
    for marker in (2, 3):
        quad, middle = markers[marker], markers[marker].mean(0)
        sheet_on(image, middle + 1.4 * (quad - middle))
        sheet_on(image, middle + size * (quad - middle), INK)

    assert fit_covered(image, left_of(image), RIG) is None


def test_whole_markers_that_contradict_each_other_make_no_tray() -> None:
    """One of two that was moved agrees with nothing, nor do three that were left by the fit of whole ones."""
    image, _ = rig()
    markers = left_of(image)
    moved = {0: markers[0], 1: markers[1] + 60.0}

    assert fit_covered(image, {}, RIG) is None
    assert fit_covered(image, moved | {2: markers[2] - 30.0}, RIG) is None
    for marker in (1, 2, 3):
        quad = markers[marker]
        sheet_on(image, quad.mean(0) + 1.5 * (quad - quad.mean(0)), (90, 120, 160))
    assert fit_covered(image, moved, RIG) is None


def test_dice_on_two_markers_are_called_off_the_box_and_those_in_it_are_read() -> None:
    """One picture alone, with two dice that lie on a marker each: both are found, and nothing else grows there."""
    (scene,) = islice(examples.scenes(96006, 2, "off_box"), 1, 2)
    outside = [die.centre_px for die in scene.dice if die.truth.verdict == "off_box"]
    inside = sorted(die.truth.value or 0 for die in scene.dice if die.truth.verdict == "valid")

    reading = BoxReader(ReaderSettings()).read(scene.image)

    off = [die.center_px for die in reading.dice if die.verdict == "off_box"]
    assert 2 == len(find_markers(scene.image, RIG))
    assert ("marker-hidden",) == reading.warnings
    assert len(outside) == len(off)
    assert all(min(np.hypot(*np.subtract(place, one)) for one in off) < 20 for place in outside)
    assert inside == sorted(die.value or 0 for die in reading.dice if die.verdict == "valid")


def test_a_box_that_is_where_it_was_keeps_its_tray() -> None:
    """Dice that come to lie on two markers later change nothing: the tray of all four stays."""
    image, _, _ = scenes.thrown([6, 4, 2])
    reader = BoxReader(ReaderSettings(markers_every=1))
    reader.read(image, look_outside=False)
    before = reader.tray
    corners = marker_corners_mm(RIG)
    assert before is not None
    for marker in (0, 1):
        die_on(image, before.project(corners[marker][:1])[0])

    reading = reader.read(image, look_outside=False)

    assert 2 == len(find_markers(image, RIG))
    assert before is reader.tray
    assert (3, True) == (len(reading.dice), reading.tray_found)


@pytest.mark.parametrize("cut", [(0, 325), (0, -410), (130, 0), (-82, 0)], ids=["left", "right", "top", "bottom"])
def test_a_marker_across_the_pictures_edge_is_no_marker_in_part(cut: tuple[int, int]) -> None:
    """Its corners would lie outside: two whole markers are left, and no third one places the box."""
    image, _ = rig()
    (rows, cols) = (slice(max(0, at), min(0, at) or None) for at in cut)
    image = np.ascontiguousarray(image[rows, cols])

    assert len(markers := left_of(image)) == 2
    assert fit_covered(image, markers, RIG) is None
