"""Poses from outline and pips."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.vision import lean, pose
from companion.vision.fitting import Task, fit_all
from companion.vision.tray import Tray
from companion.vision.types import Floats


def seen(die: pose.DiePose, tray: Tray, sites: list[int]) -> tuple[Floats, Floats]:
    """Outline and upper pips of a die as a perfect camera sees them."""
    hull = pose.silhouette_px(die, tray)
    ring = np.concatenate([hull + (np.roll(hull, -1, axis=0) - hull) * part for part in (0.0, 0.25, 0.5, 0.75)])
    return ring, tray.project(die.sites_mm()[die.top, sites])


def test_a_flat_fit_finds_place_and_turn(tray: Tray) -> None:
    """From two millimetres and ten degrees off the flat fit comes back to the truth."""
    true = pose.flat_pose(50.0, -30.0, 0.5, 16.0)
    outline, pips = seen(true, tray, [0, 2, 4, 6, 8])

    (found,) = fit_all([Task(pose=pose.flat_pose(52.0, -31.5, 0.67, 16.0), outline=outline, pips=pips)], tray)

    assert np.allclose(true.center_mm, found.pose.center_mm, atol=0.15)
    assert 0.3 > found.cost


@pytest.mark.parametrize("lean_deg", [9.0, 20.0, 33.0])
def test_a_free_fit_measures_lean_and_height(tray: Tray, lean_deg: float) -> None:
    """Lean comes out within two degrees, height within a millimetre."""
    tilt = cv2.Rodrigues(np.radians([0.0, lean_deg, 0.0]))[0]
    flat = pose.flat_pose(-60.0, 20.0, 0.2, 14.0)
    leaning = replace(flat, rotation=tilt @ flat.rotation)
    true = replace(leaning, center_mm=leaning.center_mm - [0.0, 0.0, leaning.reach_mm[0]])
    outline, pips = seen(true, tray, [0, 2, 4, 6, 8])

    starts = [
        replace(flat, rotation=lean.tilt(azimuth, np.radians(degrees)) @ flat.rotation)
        for degrees in (14.0, 28.0)
        for azimuth in np.arange(4) * np.pi / 2
    ]
    tasks = [Task(pose=start, outline=outline, pips=pips, free=True) for start in starts]
    found = min(fit_all(tasks, tray, rounds=10), key=lambda fit: fit.cost).pose

    assert abs(lean_deg - found.lean_deg) < 2.0
    assert abs(true.reach_mm[1] - found.reach_mm[1]) < 1.0


def test_height_of_a_flat_die_is_its_edge(tray: Tray) -> None:
    """A flat die reaches from the floor to its own height."""
    low, high = pose.flat_pose(0.0, 0.0, 0.3, 12.0).reach_mm

    assert np.isclose(0.0, low)
    assert np.isclose(12.0, high)
