"""The camera over the box, from its markers."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from companion.sim import examples
from companion.vision.settings import RigGeometry
from companion.vision.tray import find_markers, find_tray, fit_tray
from tests.vision import scenes

RIG = RigGeometry()


def test_markers_place_the_camera() -> None:
    """Points of the box, on the floor and above it, are put within half a pixel of where the camera sees them."""
    image, _, rig = scenes.thrown([3])
    points = np.array([[x, y, z] for x in (-120, 0, 120) for y in (-90, 0, 90) for z in (0.0, 16.0)])

    tray = find_tray(image, RIG)

    assert tray is not None
    gaps = np.linalg.norm(tray.project(points) - rig.settings.optics().project(points), axis=1)
    assert 1.0 > gaps.max()
    assert (0, 1, 2, 3) == tray.seen


def test_lift_undoes_project() -> None:
    """A pixel lifted to the height that it came from gives the point again."""
    image, _, _ = scenes.thrown([3])
    tray = find_tray(image, RIG)
    assert tray is not None

    back = tray.lift(tray.project(np.array([[40.0, -25.0, 14.0]])), 14.0)

    assert np.allclose([[40.0, -25.0]], back, atol=0.02)


@pytest.mark.parametrize("hidden", [0, 3])
def test_one_hidden_marker_changes_little(hidden: int) -> None:
    """Three markers place the box as well as four, to a pixel."""
    image, _, _ = scenes.thrown([3])
    markers = find_markers(image, RIG)
    whole = fit_tray(markers, (image.shape[1], image.shape[0]), RIG)
    part = fit_tray({m: q for m, q in markers.items() if m != hidden}, (image.shape[1], image.shape[0]), RIG)
    corner = np.array([[120.0, 90.0, 0.0], [-120.0, -90.0, 16.0]])

    assert whole is not None
    assert part is not None
    assert np.allclose(whole.project(corner), part.project(corner), atol=1.5)


def test_a_picture_without_markers_has_no_tray() -> None:
    """Nothing is made up where no marker is seen."""
    assert find_tray(np.full((480, 640, 3), 90, np.uint8), RIG) is None


def test_a_marker_is_found_though_it_holds_a_square_of_its_own() -> None:
    """A large black part within a marker is taken in its stead by nobody: all four are found, a little blurred."""
    (scene,) = islice(examples.scenes(1150, 5, "cocked_die"), 1)

    assert {0, 1, 2, 3} == set(find_markers(scene.image, RIG))
