"""A hand in the picture: it takes dice away or puts one down, and hides what is under it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.hw.clock import NS_PER_MS
from companion.sim.light import Lamp
from companion.sim.optics import Optics
from companion.sim.scenery import Image
from companion.sim.turns import Floats

_SKIN = (128.0, 160.0, 206.0)
_SLEEVE = (96.0, 78.0, 70.0)
_COARSE = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gesture:
    """One movement of a hand through the picture.

    Attributes:
        start_ns: When it begins.
        keys: Where the palm is, rows of (ms after the start, x, y, z in mm), at least two.
        arm_towards: Direction in which the arm leaves the picture, (x, y).
    """

    start_ns: int
    keys: Floats
    arm_towards: tuple[float, float]

    @property
    def end_ns(self) -> int:
        """When the hand has left."""
        return self.start_ns + int(self.keys[-1, 0] * NS_PER_MS)

    def palm(self, at_ns: int) -> Floats | None:
        """Middle of the palm at a time, shape (3,), mm, or None while there is no hand."""
        if not self.start_ns <= at_ns < self.end_ns:
            return None
        at_ms = (at_ns - self.start_ns) / NS_PER_MS
        return np.array([np.interp(at_ms, self.keys[:, 0], self.keys[:, axis]) for axis in (1, 2, 3)])


def reach_and_leave(start_ns: int, over_mm: Floats, *, reach_ms: float, stay_ms: float, z_mm: float) -> Gesture:
    """A hand that comes from the nearer long side, stays over a place for a while and goes back."""
    side = -1.0 if over_mm[1] <= 0 else 1.0
    outside = [over_mm[0], side * 420.0, z_mm + 30]
    keys = [
        [0.0, *outside],
        [reach_ms, over_mm[0], over_mm[1], z_mm],
        [reach_ms + stay_ms, over_mm[0], over_mm[1], z_mm],
        [2 * reach_ms + stay_ms, *outside],
    ]
    return Gesture(start_ns=start_ns, keys=np.array(keys), arm_towards=(0.15, side))


def paint(picture: Image, optics: Optics, lamp: Lamp, palm_mm: Floats, arm_towards: tuple[float, float]) -> None:
    """Paint a hand and its shadow into a picture (in place)."""
    parts = _parts(palm_mm, arm_towards)
    _shade(picture, optics, lamp, [outline for outline, _, _ in parts])
    light = lamp.ambient + (1 - lamp.ambient) * float(lamp.direct(palm_mm, np.array([0.0, 0.0, 1.0])))
    for outline, colour, tone in parts:
        pixels = np.round(optics.project(outline) * 16).astype(np.int32)
        shade = [min(255.0, channel * light * tone) for channel in colour]
        cv2.fillConvexPoly(picture, pixels, shade, cv2.LINE_AA, 4)


def outlines(palm_mm: Floats, arm_towards: tuple[float, float]) -> list[Floats]:
    """Convex outlines in the world, each of shape (n, 3), of a hand's parts."""
    return [outline for outline, _, _ in _parts(palm_mm, arm_towards)]


def _parts(palm: Floats, arm_towards: tuple[float, float]) -> list[tuple[Floats, tuple[float, float, float], float]]:
    """Outlines (n, 3) with colour and tone, from back to front."""
    arm = np.array([*arm_towards, 0.0])
    arm /= np.linalg.norm(arm)
    across = np.array([-arm[1], arm[0], 0.0])
    parts = [
        (_capsule(palm + 110 * arm, palm + 700 * arm, 44.0), _SLEEVE, 0.8),
        (_capsule(palm + 20 * arm, palm + 130 * arm, 29.0), _SKIN, 0.85),
        (_capsule(palm - 12 * arm, palm + 22 * arm, 37.0), _SKIN, 0.92),
        (_capsule(palm + 20 * arm + 34 * across, palm - 22 * arm + 46 * across, 10.5), _SKIN, 0.9),
    ]
    for finger, length in zip((-28, -10, 9, 27), (46, 58, 62, 54), strict=True):
        root = palm - 24 * arm + finger * across
        parts.append((_capsule(root, root - length * arm, 9.5), _SKIN, 1.0 - 0.03 * (finger % 2)))
    return parts


def _capsule(start: Floats, end: Floats, radius: float) -> Floats:
    """Outline of a bar with round ends lying level, shape (n, 3)."""
    along = np.arctan2(end[1] - start[1], end[0] - start[0])
    half = np.linspace(-np.pi / 2, np.pi / 2, 12)

    def arc(middle: Floats, angles: Floats) -> Floats:
        return middle + radius * np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=-1)

    return np.concatenate([arc(end, along + half), arc(start, along + np.pi + half)])


def _shade(picture: Image, optics: Optics, lamp: Lamp, outlines: list[Floats]) -> None:
    mask = np.zeros((-(-optics.height // _COARSE), -(-optics.width // _COARSE)), np.uint8)
    for outline in outlines:
        pixels = optics.project(lamp.onto_floor(outline)) / _COARSE
        cv2.fillConvexPoly(mask, np.round(pixels * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    soft_px = lamp.penumbra_mm(float(outlines[0][0, 2])) * optics.scale_px_per_mm() / 2.5
    mask = cv2.GaussianBlur(mask, (0, 0), max(soft_px / _COARSE, 0.5))
    keep: npt.NDArray[np.uint8] = (255 - mask * (0.75 * (1 - lamp.ambient))).astype(np.uint8)
    full = cv2.resize(keep, (optics.width, optics.height), interpolation=cv2.INTER_LINEAR)
    cv2.multiply(picture, cv2.merge([full, full, full]), dst=picture, scale=1 / 255)
