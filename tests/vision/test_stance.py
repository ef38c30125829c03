"""How dice outside the box stand, by the pips of one face."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from companion.sim import examples
from companion.vision.outside import OutsideSearch
from companion.vision.second import FaceNet
from companion.vision.settings import RigGeometry
from companion.vision.tray import find_tray


def nearest_miss(kind: str, seed: int, number: int, place: tuple[int, int]) -> tuple[float, float]:
    """How far from its true middle a die is found, in edges, and how far it leans there."""
    (shown,) = islice(examples.scenes(seed, 5, kind), number, number + 1)
    size = shown.dice[0].truth.size_mm
    tray = find_tray(shown.image, RigGeometry())
    assert tray is not None
    found = OutsideSearch(tray, size, FaceNet()).dice(shown.image)
    gaps = [float(np.hypot(*(tray.project(die.pose.center_mm) - place))) / (size * tray.px_per_mm) for die in found]
    nearest = int(np.argmin(gaps))
    return gaps[nearest], found[nearest].pose.lean_deg


@pytest.mark.parametrize(("seed", "number", "place"), [(96008, 0, (18, 491)), (96009, 3, (17, 291))])
def test_a_side_is_no_upper_face(seed: int, number: int, place: tuple[int, int]) -> None:
    """A die cut by the picture's edge shows one side whole: it lies flat, and its middle is where the cube's is."""
    miss, lean_deg = nearest_miss("picture_edge", seed, number, place)

    assert 0.2 > miss
    assert 1.0 > lean_deg


@pytest.mark.parametrize(("seed", "number", "place"), [(96010, 1, (736, 194)), (96016, 1, (663, 707))])
def test_a_die_that_leans_on_the_wall_is_not_inside_it(seed: int, number: int, place: tuple[int, int]) -> None:
    """Towards the camera and away from it look alike; only one of the two leaves room for the wall."""
    miss, lean_deg = nearest_miss("rim", seed, number, place)

    assert 0.3 > miss
    assert 30.0 < lean_deg


def test_a_die_on_the_table_lies_flat() -> None:
    """Nothing is made of pips that a flat die explains."""
    (shown,) = islice(examples.scenes(96001, 5, "off_box"), 1)
    size = shown.dice[0].truth.size_mm
    tray = find_tray(shown.image, RigGeometry())
    assert tray is not None

    found = OutsideSearch(tray, size, FaceNet()).dice(shown.image)

    assert len([die for die in shown.dice if die.truth.verdict == "off_box"]) == len(found)
    assert all(die.pose.lean_deg < 1.0 for die in found)
