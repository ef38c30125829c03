"""What the dice of a photograph stand on and beside: what may lean has no value, and no die is quietly missed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.faces import Face
from companion.vision.photo import PhotoReader
from companion.vision.standing import survey
from companion.vision.types import Image
from tests.vision import drawn, scenes

EDGE = 40.0
GREEN, WALL = (50, 90, 40), (90, 130, 170)


def face(x: float, y: float, turn_deg: float = 0.0) -> Face:
    """An upper face as the finder tells it, seen square on."""
    return Face(
        middle=np.array([x, y]),
        across=drawn.edges(EDGE, turn_deg),
        size_px=EDGE,
        seen=0.9,
        odds=np.full(7, 1 / 7),
        squeeze=0j,
    )


def ground(rows: int = 400, cols: int = 600) -> Image:
    """Green felt with some grain."""
    grain = np.random.default_rng(3).normal(0, 3, (rows, cols, 3))
    return np.asarray(np.clip(np.array(GREEN) + grain, 0, 255), np.uint8)


def with_dice(image: Image, *faces: Face) -> Image:
    """The same picture with red dice at these places, no shadow about them."""
    corner = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    for at in faces:
        square = (corner @ at.across.T + at.middle) * 16
        cv2.fillPoly(image, [np.round(square).astype(np.int32)], drawn.RED, cv2.LINE_AA, 4)
    return image


def boxed() -> Image:
    """Felt with walls to the left and below, and a table of another colour behind them."""
    image = ground()
    for area, colour in (((slice(None), slice(0, 60)), WALL), ((slice(340, None), slice(None)), WALL)):
        image[area] = colour
    image[380:, :] = image[:, :20] = (150, 150, 160)
    return image


@pytest.mark.parametrize(("x", "doubt"), [(95.0, "lean-unsure"), (300.0, None)])
def test_a_die_beside_a_wall_may_lean(x: float, doubt: str | None) -> None:
    """Two thirds of an edge from the wall nobody can say, far from it everybody can."""
    die = face(x, 150)

    assert (doubt,) == survey(with_dice(boxed(), die), [die], [die]).doubts


def test_a_shadow_is_no_wall() -> None:
    """Its edge is as straight, but behind it lies the same felt in more light."""
    die = face(95, 150)
    image = with_dice(ground(), die)
    image[:, :55] = np.clip(image[:, :55].astype(float) * 2.2, 0, 255)

    assert (None,) == survey(image, [die], [die]).doubts


@pytest.mark.parametrize(("image", "doubt"), [(boxed(), "lean-unsure"), (ground(), None)])
def test_dice_that_touch_may_lean_in_a_box(image: Image, doubt: str | None) -> None:
    """On a table people put dice side by side; in a box they fell there."""
    dice = [face(300, 150), face(300 + 1.1 * EDGE, 150)]

    assert (doubt, doubt) == survey(with_dice(image.copy(), *dice), dice, dice).doubts


def test_a_die_on_a_piece_of_another_may_not_lie_flat() -> None:
    """A corner of a die that was not read looks out under it."""
    upper, lower = face(300, 150), face(306, 158, 45.0)
    stacked = with_dice(boxed(), lower, upper)

    assert ("lean-unsure",) == survey(stacked, [upper], [upper]).doubts
    assert (None,) == survey(with_dice(boxed(), upper), [upper], [upper]).doubts


def test_a_die_behind_the_wall_is_outside() -> None:
    """The box is known by the corner of its floor; the other die lies on other ground."""
    image = boxed()
    image[:, 20:60], image[:, :20] = (150, 150, 160), (150, 150, 160)
    image[:, 180:220] = WALL
    image[:, :180] = (150, 150, 160)
    inside, outside = face(400, 150), face(90, 150)

    doubts = survey(with_dice(image, inside, outside), [inside, outside], [inside, outside]).doubts

    assert (None, "outside-floor") == doubts


def test_a_body_that_nobody_read_is_said() -> None:
    """As large as a die and alone on the ground; a coin's half and a table's edge are none."""
    read, missed = face(150, 150), face(400, 250, 20.0)
    image = with_dice(ground(), read, missed)
    cv2.rectangle(image, (300, 60), (312, 64), (200, 200, 200), -1)
    image[:, 560:] = 180

    (unread,) = survey(image, [read], [read]).unread

    assert np.hypot(*(unread - missed.middle)) < 0.2 * EDGE
    assert () == survey(image, [read], [read, missed]).unread


def test_nothing_read_nothing_said() -> None:
    """Without a die there is no ground to start from."""
    assert ((), ()) == ((found := survey(ground(), [], [])).doubts, found.unread)


@pytest.mark.parametrize(("x", "y"), [(-6.0, 150.0), (599.0, 398.0), (604.0, 405.0), (300.0, -3.0)])
def test_a_die_at_the_very_edge_of_the_picture_is_no_trouble(x: float, y: float) -> None:
    """Its middle may be guessed outside; what is not seen of it could lean on anything."""
    inside, cut = face(300, 150), face(x, y)

    doubts = survey(with_dice(boxed(), inside, cut), [inside, cut], [inside, cut]).doubts

    assert doubts[0] is None
    assert doubts[1] is not None


def test_a_hint_is_enough_to_say_that_a_die_was_missed() -> None:
    """Where no number was read at all the finder's guess must lie on a body; many alike are no dice."""
    dice = [face(100.0 + 110 * (n % 5), 70.0 + 90 * (n // 5)) for n in range(20)]
    one = with_dice(ground(), dice[7])

    assert 1 == len(survey(one, [], [], [dice[7]]).unread)
    assert () == survey(one, [], [], [dice[12]]).unread
    assert () == survey(with_dice(ground(), *dice), [], [], dice).unread


@pytest.mark.parametrize("fault", ["cocked", "off_box"])
@pytest.mark.parametrize("seed", [3, 11])
def test_a_box_without_markers_gives_void_dice_no_value(fault: str, seed: int) -> None:
    """The box cut out of its markers: a die that leans on the wall or lies behind it is not vouched for."""
    image, truth, rig = scenes.thrown([6, 5, 1], seed=seed, fault=fault)
    left, top = 437, 188
    cut = np.ascontiguousarray(image[top:688, left:1068])

    dice, _ = PhotoReader().read(cut)

    for die in truth:
        at = rig.settings.optics().project(np.array(die.position_mm)) - (left, top)
        near = [d.value for d in dice if np.hypot(*np.subtract(d.center_px, at)) < 25 and d.value is not None]
        assert near in ([], [die.value] if die.verdict == "valid" else [])
