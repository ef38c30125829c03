"""Photographs without markers: dice of any size on any ground."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.faces import Finder
from companion.vision.photo import PhotoReader
from tests.vision import drawn


def test_a_face_is_found_where_it_is() -> None:
    """Middle, size and turn of an upper face, the turn up to a quarter."""
    (face,) = [f for f in Finder().at(drawn.photograph([5]), 60.0) if f.seen > 0.5]

    assert np.hypot(*(face.middle - [120.0, 120.0])) < 5.0
    assert abs(face.size_px - 60.0) < 8.0
    turn_deg = np.degrees(np.arctan2(face.across[1, 0], face.across[0, 0])) % 90
    assert abs(turn_deg - 17.0) < 8.0


@pytest.mark.parametrize("edge", [28.0, 60.0, 130.0])
def test_dice_of_any_size_are_read(edge: float) -> None:
    """The picture's scale is taken from the dice."""
    dice, size_px = PhotoReader().read(drawn.photograph([1, 4, 6, 3], edge=edge))

    assert [1, 4, 6, 3] == [die.value for die in dice]
    assert size_px is not None
    assert abs(size_px / edge - 1) < 0.15
    assert all(die.why is None and die.verdict == "valid" for die in dice)


def test_a_large_picture_gives_places_in_its_own_pixels() -> None:
    """Shrunk for the search, told in full size."""
    image = cv2.resize(drawn.photograph([2, 5], edge=60.0), None, fx=5, fy=5, interpolation=cv2.INTER_CUBIC)

    dice, _ = PhotoReader().read(image)

    assert [2, 5] == [die.value for die in dice]
    assert np.hypot(*np.subtract(dice[0].center_px, (600, 600))) < 25


def test_a_symbol_is_said_and_not_read() -> None:
    """A die that shows no number is there, without a value."""
    dice, _ = PhotoReader().read(drawn.photograph([4, 7, 5]))

    assert [4, None, 5] == [die.value for die in dice]
    assert "unreadable" == dice[1].verdict


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_grain_grows_no_dice(seed: int) -> None:
    """A carpet without dice reads as empty."""
    rng = np.random.default_rng(seed)
    rough = sum(
        cv2.resize(rng.normal(0, 14, (s, s)), (480, 480), interpolation=cv2.INTER_CUBIC) for s in (480, 160, 60)
    )
    image = np.repeat((120 + rough).clip(0, 255).astype(np.uint8)[..., None], 3, axis=2)

    assert ((), None) == PhotoReader().read(image)


def test_dotted_cloth_grows_no_dice() -> None:
    """Rows of dots make sixes and fours, but have no bodies."""
    image = drawn.table(400, 500, 150)
    for x in range(20, 500, 24):
        for y in range(20, 400, 24):
            cv2.circle(image, (x, y), 4, (40, 40, 40), -1, cv2.LINE_AA)

    assert [] == [die for die in PhotoReader().read(image)[0] if die.value is not None]


def test_a_glint_is_no_pip() -> None:
    """A single pip is round; what shines on a handle or a button is longer than wide."""
    dice = [drawn.photograph([0]) for _ in range(2)]
    cv2.circle(dice[0], (120, 120), 7, (20, 20, 20), -1, cv2.LINE_AA)
    cv2.ellipse(dice[1], (120, 120), (9, 5), 40, 0, 360, (20, 20, 20), -1, cv2.LINE_AA)

    pip, glint = (PhotoReader().read(cv2.GaussianBlur(image, (0, 0), 1.0))[0] for image in dice)

    assert [1] == [die.value for die in pip]
    assert [] == [die for die in glint if die.value is not None]


def test_a_die_that_nobody_reads_is_said() -> None:
    """A bare body beside a die that is read: the picture goes to people, and the body has its place."""
    image = np.concatenate([drawn.photograph([4]), drawn.table(240, 120)], axis=1)
    block = cv2.boxPoints(((270, 120), (50, 50), 30.0))
    cv2.fillConvexPoly(image, np.round(block).astype(np.int32), (60, 60, 150), cv2.LINE_AA)

    dice, _ = PhotoReader().read(image)

    assert [4, None] == [die.value for die in dice]
    assert np.hypot(*np.subtract(dice[1].center_px, (270, 120))) < 8


def test_a_face_smaller_than_those_beside_it_must_be_surer() -> None:
    """Four pips of six make a number too, and so does a side. Grain that hides the pips leaves it no value."""

    def read(edge: float, pip: int, grain: float) -> int | None:
        side = drawn.table(264, 190)
        drawn.draw(side, (95, 130), edge, 12, value=4, body=drawn.WHITE, pip=(pip, pip, pip))
        noise = np.random.default_rng(1).normal(0, grain, side.shape)
        side = np.clip(cv2.GaussianBlur(side, (0, 0), edge / 33) + noise, 0, 255).astype(np.uint8)
        dice, _ = PhotoReader().read(np.concatenate([drawn.photograph([6, 5], edge=66), side], axis=1))
        return dice[-1].value

    assert (4, 4) == (read(66, 25, 5), read(44, 25, 5))
    assert (4, None) == (read(66, 200, 55), read(44, 200, 55))
