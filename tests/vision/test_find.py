"""What stands on the ground, and the pips on it."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision import find, ground
from companion.vision.tray import Tray
from companion.vision.types import Image
from tests.vision import drawn

ORANGE, TEAL, GREEN, VIOLET = (40, 140, 220), (220, 140, 40), (60, 200, 60), (190, 20, 110)
EDGE_PX = 40.0


def face(value: int, body: drawn.Colour, pip: drawn.Colour) -> Image:
    """One die, square on."""
    image = drawn.table(80, 80)
    drawn.draw(image, (40.0, 40.0), EDGE_PX, 20.0, value=value, body=body, pip=pip)
    return image


@pytest.mark.parametrize(("body", "pip"), [(ORANGE, TEAL), (TEAL, ORANGE), (GREEN, VIOLET)])
def test_pips_as_light_as_their_face_are_found_by_their_hue(body: drawn.Colour, pip: drawn.Colour) -> None:
    """All five pips are found, all on one side, at their sites, though no pixel is lighter or darker than the face."""
    mask = np.zeros((80, 80), bool)
    mask[20:60, 20:60] = True

    spots = np.array(find.pip_spots(face(5, body, pip), EDGE_PX, mask))

    sites = drawn.edges(EDGE_PX, 20.0) @ (np.array([(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)]) * 0.25).T
    strong = spots[(spots[:, 3] > 60) & (np.hypot(*(spots[:, :2] - 40.0).T) < 0.45 * EDGE_PX)]
    assert 5 == len(strong)
    assert 1 == len(set(strong[:, 4]))
    for site in sites.T + 40.0:
        assert 1.0 > np.hypot(*(strong[:, :2] - site).T).min()


def test_a_faint_body_ends_where_the_haze_of_its_shadow_begins() -> None:
    """What stands out by a tenth of what the body does is left out; a piece of it in shade stays."""
    far = np.zeros((60, 60), np.float32)
    far[10:50, 10:20], far[10:50, 20:40], far[10:50, 40:50] = 3.0, 30.0, 12.0

    kept = find.without_haze(far > 0, far)

    np.testing.assert_array_equal(far > 5.0, kept)


def test_what_hangs_narrow_on_a_body_is_no_part_of_it() -> None:
    """A strip of grain on a square goes; the square keeps all but its corners, a piece narrow all over stays."""
    square, strip, narrow = np.zeros((3, 60, 60), bool)
    square[10:40, 10:40], strip[20:23, 40:55], narrow[50:53, 5:30] = True, True, True

    kept = find.without_spurs(square | strip | narrow, 7)

    assert not (kept & strip)[:, 42:].any()
    np.testing.assert_array_equal(narrow, kept & narrow)
    assert (square & ~kept).sum() < 0.02 * square.sum()


def test_lines_of_a_ground_are_blind_to_shadow() -> None:
    """Felt in light and felt in shade are equally near to the felt's line; grey is far from it."""
    felt = np.array([[[30.0, 90.0, 20.0], [10.0, 30.0, 6.7], [60.0, 60.0, 60.0]]], np.float32)

    off = ground.off_lines(felt, [ground.line_of(felt[0, :1])])

    assert off[0, :2].max() < 0.5
    assert off[0, 2] > 20.0


def test_lit_felt_is_told_from_shadow_and_from_dice(tray: Tray) -> None:
    """Felt in light is plain felt; felt under a third of that light, a die, and what no picture shows are not."""
    image = np.full((864, 1536, 3), (40, 120, 30), np.uint8)
    image[:, 800:] = (13, 40, 10)
    image[380:420, 700:740] = (30, 30, 200)
    seen = ground.look(image, ground.plan(tray), 12.0)

    told = seen.is_lit_felt(np.array([[650.0, 400.0], [850.0, 400.0], [720.0, 400.0], [-5.0, 400.0]]), 60.0)

    assert [True, False, False, False] == told.tolist()
