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

from companion.vision import pose
from companion.vision.pose import DiePose, Fit
from companion.vision.tray import Tray
from companion.vision.types import Floats


def _tilt(azimuth_rad: float, lean_rad: float) -> Floats:
    axis = np.array([-math.sin(azimuth_rad), math.cos(azimuth_rad), 0.0]) * lean_rad
    return np.asarray(cv2.Rodrigues(axis)[0])


def _spin(angle_rad: float) -> Floats:
    return np.asarray(cv2.Rodrigues(np.array([0.0, 0.0, angle_rad]))[0])


_STARTS = [
    _tilt(azimuth, lean) @ _spin(spin)
    for lean in np.radians([14.0, 28.0, 42.0])
    for azimuth in np.arange(8) * math.pi / 4
    for spin in np.arange(4) * math.pi / 8
]


def near_flat(start: DiePose, tray: Tray, outline: Floats, pips: Floats, base_mm: float | None = 0.0) -> Fit:
    """The best free fit in the neighbourhood of a flat pose."""
    best: Fit | None = None
    for azimuth in np.arange(4) * math.pi / 2 + math.pi / 4:
        tilted = replace(start, rotation=_tilt(azimuth, 0.14) @ start.rotation)
        found = pose.fit(tilted, tray, outline, pips, free=True, base_mm=base_mm)
        if best is None or found.cost < best.cost:
            best = found
    assert best is not None  # noqa: S101
    return best


def anywhere(
    tray: Tray,
    outline: Floats,
    pips: Floats,
    size_mm: float,
    *,
    base_mm: float | None = 0.0,
    finalists: int = 4,
) -> list[Fit]:
    """Free fits from all ways to stand, best first.

    Args:
        tray: The camera over the box.
        outline: Outline to be explained, shape (k, 2), px.
        pips: Spots to be explained, shape (m, 2), px.
        size_mm: Edge of the die.
        base_mm: Height of the lowest point, None when unknown.
        finalists: How many starts are fitted to the end.
    """
    low, high = outline.min(0), outline.max(0)
    middle = (low + high) / 2
    scored: list[tuple[float, DiePose]] = []
    for rotation in _STARTS:
        start = DiePose(center_mm=np.zeros(3), rotation=rotation, size_mm=size_mm)
        height = (base_mm or 0.0) - start.reach_mm[0]
        at = tray.lift(middle[None], height)[0]
        start = replace(start, center_mm=np.array([at[0], at[1], height]))
        hull = pose.silhouette_px(start, tray)
        off = middle - (hull.min(0) + hull.max(0)) / 2
        at = tray.lift((middle + off)[None], height)[0]
        start = replace(start, center_mm=np.array([at[0], at[1], height]))
        scored.append((pose.closeness(start, tray, outline, pips), start))
    scored.sort(key=lambda pair: pair[0])
    fits = [
        pose.fit(start, tray, outline, pips, free=True, base_mm=base_mm, rounds=10) for _, start in scored[:finalists]
    ]
    return sorted(fits, key=lambda f: f.cost)
