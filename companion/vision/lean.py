"""Dice that don't lie flat: a search over all ways to stand, then the free fit.

Theory. A leaning die has two unknowns more than a flat one: how far it leans and towards where. With the spin about
its own axis and the symmetry of the cube some hundred starts cover all poses to within a few degrees of a basin.
Each start is put so that its silhouette sits on the piece of outline to be explained and its lowest point on the
floor; the few that explain outline and pips best are fitted. Near a flat pose a handful of small tilts is enough.
"""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np

from companion.vision.cubes import CORNERS
from companion.vision.fitting import Task, closeness_all, fit_all
from companion.vision.pose import ROUND, DiePose, Fit
from companion.vision.tray import Tray
from companion.vision.types import Floats


def tilt(azimuth_rad: float, lean_rad: float) -> Floats:
    """Rotation that leans something upright towards an azimuth, shape (3, 3)."""
    axis = np.array([-math.sin(azimuth_rad), math.cos(azimuth_rad), 0.0]) * lean_rad
    return np.asarray(cv2.Rodrigues(axis)[0])


def spin(angle_rad: float) -> Floats:
    """Rotation about the vertical, shape (3, 3)."""
    return np.asarray(spins(np.array([angle_rad]))[0])


def spins(angles_rad: Floats) -> Floats:
    """Rotations about the vertical, shape (n, 3, 3)."""
    out = np.zeros((len(angles_rad), 3, 3))
    out[:, 0, 0] = out[:, 1, 1] = np.cos(angles_rad)
    out[:, 1, 0] = np.sin(angles_rad)
    out[:, 0, 1] = -out[:, 1, 0]
    out[:, 2, 2] = 1.0
    return out


_STARTS = [
    tilt(azimuth, lean) @ spin(about)
    for lean in np.radians([14.0, 28.0, 42.0])
    for azimuth in np.arange(8) * math.pi / 4
    for about in np.arange(4) * math.pi / 8
]
_TURNS = np.array(_STARTS)
_SMALL = tuple(tilt(azimuth, 0.14) for azimuth in np.arange(4) * math.pi / 2 + math.pi / 4)


def tilts(start: DiePose, outline: Floats, pips: Floats, base_mm: tuple[float, float] = (0.0, 0.0)) -> list[Task]:
    """Free fits that begin with a small tilt of a flat pose, one towards each side."""
    return [
        Task(pose=replace(start, rotation=by @ start.rotation), outline=outline, pips=pips, free=True, base_mm=base_mm)
        for by in _SMALL
    ]


def near_flat(
    start: DiePose, tray: Tray, outline: Floats, pips: Floats, base_mm: tuple[float, float] = (0.0, 0.0)
) -> Fit:
    """The best free fit in the neighbourhood of a flat pose."""
    return min(fit_all(tilts(start, outline, pips, base_mm), tray), key=lambda f: f.cost)


def anywhere(
    tray: Tray,
    outline: Floats,
    pips: Floats,
    size_mm: float,
    *,
    base_mm: tuple[float, float] = (0.0, 0.0),
    finalists: int = 6,
) -> list[Fit]:
    """Free fits from all ways to stand, best first.

    Args:
        tray: The camera over the box.
        outline: Outline to be explained, shape (k, 2), px.
        pips: Spots to be explained, shape (m, 2), px.
        size_mm: Edge of the die.
        base_mm: Least and greatest height of the lowest point.
        finalists: How many starts are fitted to the end.
    """
    middle = (outline.min(0) + outline.max(0)) / 2
    rest = (base_mm[0] + base_mm[1]) / 2
    heights = rest + (np.abs(_TURNS[:, 2]).sum(1) * (0.5 - ROUND) + ROUND) * size_mm
    at = tray.lift(middle[None], float(heights.mean()))[0]
    centers = np.column_stack([np.broadcast_to(at, (len(heights), 2)), heights])
    # The silhouette of each start is put with its middle on the middle of the outline.
    corners = tray.project((CORNERS * size_mm) @ _TURNS.transpose(0, 2, 1) + centers[:, None])
    off = middle - (corners.min(1) + corners.max(1)) / 2
    centers[:, :2] += tray.lift(middle + off, float(heights.mean())) - at
    tasks = [
        Task(
            pose=DiePose(center_mm=center, rotation=turn, size_mm=size_mm),
            outline=outline,
            pips=pips,
            free=True,
            base_mm=base_mm,
        )
        for center, turn in zip(centers, _TURNS, strict=True)
    ]
    order = np.argsort(closeness_all(tasks, tray))[:finalists]
    return sorted(fit_all([tasks[i] for i in order], tray, rounds=10), key=lambda f: f.cost)
