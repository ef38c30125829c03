"""How a die can be turned: tilted towards a side, spun about the vertical.

Theory. A leaning die has two unknowns more than a flat one: how far it leans and towards where. Near a flat pose a
handful of small tilts is enough to find it; in a heap, planes that lean by more are tried one after another.
"""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np

from companion.vision.fitting import Task
from companion.vision.pose import DiePose
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


_SMALL = tuple(tilt(azimuth, 0.14) for azimuth in np.arange(4) * math.pi / 2 + math.pi / 4)


def tilts(start: DiePose, outline: Floats, pips: Floats) -> list[Task]:
    """Free fits that begin with a small tilt of a flat pose, one towards each side."""
    return [
        Task(pose=replace(start, rotation=by @ start.rotation), outline=outline, pips=pips, free=True) for by in _SMALL
    ]
