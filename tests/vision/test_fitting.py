"""Many poses fitted at once."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.vision import pose
from companion.vision.fitting import Task, closeness_all, fit_all
from companion.vision.tray import Tray
from companion.vision.types import Floats


def seen(die: pose.DiePose, tray: Tray) -> tuple[Floats, Floats]:
    """Outline and the pips of an upper five as a perfect camera sees them."""
    hull = pose.silhouette_px(die, tray)
    ring = np.concatenate([hull + (np.roll(hull, -1, axis=0) - hull) * part for part in (0.0, 0.25, 0.5, 0.75)])
    return ring, tray.project(die.sites_mm()[die.top, [0, 2, 4, 6, 8]])


def leaning(at: pose.DiePose, lean_deg: float, base_mm: float = 0.0) -> pose.DiePose:
    """The same die tilted about the world's y, its lowest point at a height."""
    tilted = replace(at, rotation=cv2.Rodrigues(np.radians([0.0, lean_deg, 0.0]))[0] @ at.rotation)
    return replace(tilted, center_mm=tilted.center_mm + np.array([0.0, 0.0, base_mm - tilted.reach_mm[0]]))


def test_dice_of_one_batch_do_not_touch_each_other(tray: Tray) -> None:
    """A die fitted beside others comes out as it does alone, whatever the lengths of their outlines are."""
    true = [pose.flat_pose(50.0, -30.0, 0.5, 16.0), pose.flat_pose(-70.0, 40.0, 1.1, 12.0)]
    tasks = []
    for number, die in enumerate(true):
        outline, pips = seen(die, tray)
        start = replace(die, center_mm=die.center_mm + np.array([1.0, -1.0, 0.0]))
        tasks.append(Task(pose=start, outline=outline[:: number + 1], pips=pips, reach_px=6.0))

    together = fit_all(tasks, tray)
    alone = [fit_all([task], tray)[0] for task in tasks]

    for one, other, die in zip(together, alone, true, strict=True):
        assert np.allclose(one.pose.center_mm, die.center_mm, atol=0.15)
        assert np.allclose(one.pose.center_mm, other.pose.center_mm, atol=0.02)


def test_a_fit_is_the_same_alone_as_among_others(tray: Tray) -> None:
    """What lies still is fitted no further, so it doesn't matter how long the others of a batch take."""
    true = [pose.flat_pose(30.0, -20.0, 0.4, 16.0), leaning(pose.flat_pose(-40.0, 10.0, 0.9, 16.0), 20.0)]
    tasks = []
    for die, off_mm, free in ((true[0], 0.2, False), (true[0], 2.5, False), (true[1], 1.5, True), (true[1], 0.1, True)):
        outline, pips = seen(die, tray)
        start = replace(die, center_mm=die.center_mm + np.array([off_mm, -off_mm, 0.0]))
        tasks.append(Task(pose=start, outline=outline, pips=pips, free=free, reach_px=5.0))

    together = fit_all(tasks, tray, rounds=6)

    for task, one in zip(tasks, together, strict=True):
        (alone,) = fit_all([task], tray, rounds=6)
        assert np.allclose(alone.pose.center_mm, one.pose.center_mm, atol=1e-4)
        assert np.allclose(alone.pose.rotation, one.pose.rotation, atol=1e-5)
        assert alone.cost == pytest.approx(one.cost, abs=1e-4)


def test_outline_points_of_a_neighbour_are_left_out(tray: Tray) -> None:
    """With a reach, a strip of somebody else's outline does not pull the die."""
    true = pose.flat_pose(0.0, 0.0, 0.3, 16.0)
    outline, pips = seen(true, tray)
    stray = outline.mean(0) + np.column_stack([np.full(30, 30.0), np.linspace(-15, 15, 30)])
    task = Task(pose=true, outline=np.concatenate([outline, stray]), pips=pips, reach_px=4.0)

    (found,) = fit_all([task], tray)

    assert np.allclose(true.center_mm, found.pose.center_mm, atol=0.05)
    assert len(found.outline_px) == len(outline)


@pytest.mark.parametrize("base_mm", [0.0, 9.0])
def test_a_free_die_rests_between_the_heights_given(tray: Tray, base_mm: float) -> None:
    """A die that leans on another one hangs above the floor, and is measured there."""
    true = leaning(pose.flat_pose(30.0, 10.0, 0.2, 16.0), 25.0, base_mm)
    outline, pips = seen(true, tray)
    start = leaning(pose.flat_pose(31.0, 9.0, 0.25, 16.0), 18.0)

    (found,) = fit_all(
        [Task(pose=start, outline=outline, pips=pips, free=True, base_mm=(base_mm, base_mm))], tray, rounds=12
    )

    assert abs(25.0 - found.pose.lean_deg) < 1.5
    assert abs(true.reach_mm[1] - found.pose.reach_mm[1]) < 0.8


def test_the_truth_is_closer_than_what_is_off(tray: Tray) -> None:
    """The cost of poses as they are orders them by how far off they are."""
    true = pose.flat_pose(20.0, 20.0, 0.1, 14.0)
    outline, pips = seen(true, tray)
    moved = [replace(true, center_mm=true.center_mm + np.array([shift, 0.0, 0.0])) for shift in (0.0, 0.5, 2.0)]

    costs = closeness_all([Task(pose=at, outline=outline, pips=pips) for at in moved], tray)

    assert costs[0] < costs[1] < costs[2]
