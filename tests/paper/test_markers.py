"""The marker sheet is to scale, and the camera's library reads it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.commands.saying import Sayings
from companion.paper.markers import CELLS, CORNERS, PATTERNS, BoxPlan, marker_sheet
from companion.vision.settings import RigGeometry
from companion.words import LANGUAGES
from tests.paper.drawn import boxes, lines_mm, picture

PX_PER_MM = 4


@pytest.fixture(scope="module")
def sheet() -> bytes:
    """The English sheet of the standard rig."""
    return marker_sheet(Sayings("paper", "en"))


@pytest.mark.parametrize("number", range(4))
def test_patterns_are_those_of_the_dictionary(number: int) -> None:
    """The bits kept as data are OpenCV's own 4x4_50, for each of the four ids."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    theirs = cv2.aruco.generateImageMarker(dictionary, number, CELLS, borderBits=1) > 127

    assert theirs.tolist() == [[bit == "X" for bit in row] for row in PATTERNS[number]]


def test_the_detector_finds_four_markers_of_thirty_millimetres(sheet: bytes) -> None:
    """Seen as a picture, the page holds ids 0 to 3 from left to right, upright, each 30 mm wide."""
    top_half = picture(sheet, PX_PER_MM)[: 110 * PX_PER_MM]
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))

    corners, ids, _ = detector.detectMarkers(top_half)

    found = sorted(zip(ids.ravel().tolist(), (quad[0] for quad in corners), strict=True), key=lambda one: one[0])
    assert [0, 1, 2, 3] == [number for number, _ in found]
    assert sorted(quad[0][0] for _, quad in found) == [quad[0][0] for _, quad in found]
    for _, quad in found:
        width_mm, height_mm = (quad[2] - quad[0]) / PX_PER_MM
        assert (30.0, 30.0) == (pytest.approx(width_mm, abs=0.6), pytest.approx(height_mm, abs=0.6))


def test_black_squares_measure_thirty_and_pieces_fortytwo(sheet: bytes) -> None:
    """A black square of 30 mm lies 6 mm inside each piece that is cut out."""
    black = [box for box in boxes(sheet) if box.grey == 0 and box.width == pytest.approx(30, abs=0.01)]
    pieces = [box for box in boxes(sheet) if box.grey is None and box.width == pytest.approx(42, abs=0.01)]

    assert (4, 4) == (len(black), len(pieces))
    for square, piece in zip(black, pieces, strict=True):
        assert pytest.approx((6.0, 6.0), abs=0.01) == (square.x - piece.x, square.y - piece.y)


def test_the_ruler_is_a_hundred_millimetres(sheet: bytes) -> None:
    """The line by which a volunteer checks the printer is as long as it says."""
    assert 1 == sum(length == pytest.approx(100, abs=0.01) for length in lines_mm(sheet))


def test_a_reader_is_asked_not_to_scale(sheet: bytes) -> None:
    """The PDF itself asks for its own size."""
    assert b"/PrintScaling /None" in sheet


def test_the_drawing_is_the_rig_of_the_reader() -> None:
    """Sheet and reader speak of the same box."""
    plan, rig = BoxPlan(), RigGeometry()

    assert (rig.floor_mm, rig.wall_thick_mm, rig.marker_mm, rig.marker_out_mm) == (
        plan.floor_mm,
        plan.wall_mm,
        plan.marker_mm,
        plan.out_mm,
    )
    assert ((-160, -130), (160, -130), (160, 130), (-160, 130)) == plan.centres_mm()
    assert len(rig.marker_ids) == len(CORNERS) == len(PATTERNS)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_fits_on_the_page(lang: str) -> None:
    """The sheet is one page in each language, and nothing is drawn beside the paper."""
    pdf = marker_sheet(Sayings("paper", lang))

    assert 1 == pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ")
    assert all(0 <= box.x and box.x + box.width <= 210 and box.y + box.height <= 297 for box in boxes(pdf))


def test_the_same_sheet_is_the_same_file() -> None:
    """Printed twice, the sheet does not differ by a byte."""
    assert marker_sheet(Sayings("paper", "nl")) == marker_sheet(Sayings("paper", "nl"))


def test_the_picture_is_black_and_white_where_it_matters(sheet: bytes) -> None:
    """The squares are full black and full white: a grey marker has less contrast than its maker thinks."""
    greys = np.unique(picture(sheet)[: 100 * PX_PER_MM])

    assert [0, 255] == greys.tolist()
