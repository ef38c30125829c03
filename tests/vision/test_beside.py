"""Dice on the rim and at the foot of the outer wall that their pips alone do not tell."""

from __future__ import annotations

from itertools import islice

import cv2
import numpy as np
import pytest

from companion.sim import examples
from companion.sim.examples import Scene
from companion.vision.beside import BesideSearch
from companion.vision.outside import OutsideSearch
from companion.vision.reader import BoxReader
from companion.vision.second import FaceNet
from companion.vision.settings import ReaderSettings, RigGeometry
from companion.vision.tray import Tray, find_tray
from companion.vision.types import Image
from tests.vision import scenes

RIG = RigGeometry()


def scene(seed: int, number: int) -> Scene:
    """One of five pictures with dice on the rim or leaning on the outer wall."""
    (found,) = islice(examples.scenes(seed, 5, "rim"), number, number + 1)
    return found


def placed(image: Image) -> Tray:
    """The box in a picture."""
    tray = find_tray(image, RIG)
    assert tray is not None
    return tray


@pytest.mark.parametrize(
    ("seed", "number", "place"), [(96004, 0, (978, 220)), (96022, 0, (571, 697)), (5095, 3, (466, 366))]
)
def test_a_die_that_leans_on_the_wall_is_found_where_its_pips_do_not_tell(
    seed: int, number: int, place: tuple[int, int]
) -> None:
    """Its pips are foreshortened or cut off by the wall's top; it is off the box, without value, lean and height."""
    shown = scene(seed, number)
    size = shown.dice[0].truth.size_mm
    by_pips = OutsideSearch(placed(shown.image), size, FaceNet()).dice(shown.image)

    reading = BoxReader(ReaderSettings(die_mm=size)).read(shown.image)

    tray = placed(shown.image)
    assert all(np.hypot(*(tray.project(die.pose.center_mm) - place)) > 2 * size for die in by_pips)
    near = [die for die in reading.dice if np.hypot(*np.subtract(die.center_px, place)) < 0.6 * size * tray.px_per_mm]
    assert [("off_box", "outside-floor", None, None, None)] == [
        (die.verdict, die.why, die.value, die.lean_deg, die.height_mm) for die in near
    ]


def test_no_die_is_found_twice() -> None:
    """What the search by pips has found is looked at no more."""
    shown = scene(96004, 0)
    search = BesideSearch(placed(shown.image), shown.dice[0].truth.size_mm, FaceNet())
    found = search.dice(shown.image, [])

    assert len(found) > 0
    assert [] == search.dice(shown.image, found)


def test_an_empty_rim_has_no_dice() -> None:
    """Wood, table and shadow of the box alone."""
    image = scenes.empty()

    assert [] == BesideSearch(placed(image), 16.0, FaceNet()).dice(image, [])


@pytest.mark.parametrize("thing", ["coin", "pencil", "card", "shadow"])
def test_other_things_at_the_wall_are_no_dice(thing: str) -> None:
    """A coin, a pencil along the wall, a card that sticks out from under the box, a shadow's edge."""
    image = scenes.empty()
    tray = placed(image)
    middle = tray.project(np.array([20.0, -108.0, 0.0]))
    across = tray.project(np.array([60.0, -104.0, 0.0]))
    x, y = (int(part) for part in middle.round())
    if thing == "coin":
        cv2.circle(image, (x, y), 24, (60, 150, 190), -1, cv2.LINE_AA)
    elif thing == "pencil":
        cv2.line(image, (x, y), tuple(int(part) for part in across.round()), (30, 190, 230), 16, cv2.LINE_AA)
    elif thing == "card":
        cv2.rectangle(image, (x - 60, y - 40), (x + 60, y + 60), (235, 235, 235), -1)
    else:
        image[:, x:] = (image[:, x:] * 0.55).astype(np.uint8)
    image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8), dtype=np.uint8)

    assert [] == BesideSearch(tray, 16.0, FaceNet()).dice(image, [])
