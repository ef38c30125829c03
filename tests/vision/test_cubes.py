"""Many cubes held against what is seen: the silhouette by seen faces, and how it moves with the pose."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.vision import cubes, pose
from companion.vision.compare import compare
from companion.vision.tray import Tray
from companion.vision.types import Floats


@pytest.fixture(scope="module")
def tray(tray: Tray) -> Tray:
    """The same through a lens that bends the picture a little."""
    return replace(tray, k1=-0.03)


def poses() -> list[pose.DiePose]:
    """Dice all over the box, turned every way."""
    chance = np.random.default_rng(4)
    out = []
    for _ in range(40):
        at = pose.flat_pose(*chance.uniform(-90, 90, 2).tolist(), 0.0, 16.0)
        out.append(replace(at, rotation=cv2.Rodrigues(chance.normal(0, 0.5, 3))[0]))
    return out


def batch(dice: list[pose.DiePose], tray: Tray, outline: Floats, spots: Floats) -> cubes.Cubes:
    """Dice against an outline and spots that are common to all."""
    return cubes.Cubes.of(
        tray,
        center=np.array([at.center_mm for at in dice]),
        turn=np.array([at.rotation for at in dice]),
        size_mm=16.0,
        outline=(outline, np.ones((len(dice), len(outline)), bool)),
        spots=(spots, np.ones((len(dice), len(spots)), bool)),
    )


def test_the_silhouette_is_the_hull_of_the_rounded_corners(tray: Tray) -> None:
    """In every pose, points on the hull of eight circles lie on the silhouette of the edges that the table names."""
    for at in poses():
        hull = pose.silhouette_px(at, tray)

        look = compare(batch([at], tray, hull, np.zeros((0, 2))))

        assert np.abs(look.far).max() < 0.7, "a hull of twelve points per circle lies half a pixel inside it"
        assert np.median(np.abs(look.far)) < 0.35


@pytest.mark.parametrize("columns", [cubes.FREE, cubes.FLAT])
def test_slopes_tell_how_residuals_change(tray: Tray, columns: Floats) -> None:
    """Each slope is what a small step of its unknown changes, for points and pips all around the dice."""
    dice = [replace(at, center_mm=np.array([3.0, -5.0, 9.0])) for at in poses()]
    middle = tray.project(dice[0].center_mm)
    around = np.random.default_rng(5).uniform(-30, 30, (80, 2)) + middle
    one = batch(dice, tray, around, around[:12])
    look, step = compare(one, columns), 1e-6

    for place, unknown in enumerate(columns.tolist()):
        moved = batch(dice, tray, around, around[:12])
        if unknown < 3:
            moved.center = moved.center + step * np.eye(3)[unknown]
        elif unknown < 6:
            moved.turn = cv2.Rodrigues(step * np.eye(3)[unknown - 3])[0] @ moved.turn
        elif unknown == 6:
            moved.pitch = moved.pitch + step
        else:
            moved.spread = moved.spread + step
        change = (compare(moved).residuals - look.residuals) / step

        # All of a die is taken to be as far from the camera as its middle is, which is off by two per cent.
        off = np.abs(change - look.slopes[:, place])
        assert np.percentile(off, 98) < 0.12 + 0.02 * np.abs(change).max()
