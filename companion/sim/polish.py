"""What light does within one flat face of a die: the mirrored lamp on it, and the edge of a shadow across it.

A face is so small that the camera sees it as a parallelogram. So places on it are a linear function of the pixel, and
whatever depends on the place can be had for every pixel of it at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.sim.light import Lamp, Screen
from companion.sim.scenery import Image
from companion.sim.turns import Floats

_ROUGH = 0.05
"""How unsharp a moulded face mirrors, as a share of the die's size."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeenFace:
    """One flat face in the fine picture around its die.

    Attributes:
        corners_mm: Its corners in the world, shape (4, 3).
        pixels: The same in the fine picture, shape (4, 2).
        normal: The way it looks.
        size_mm: Edge length of the die.
    """

    corners_mm: Floats
    pixels: Floats
    normal: Floats
    size_mm: float

    def mask(self, canvas: Image) -> npt.NDArray[np.bool_]:
        """Its pixels, shape (rows, columns)."""
        mask = np.zeros(canvas.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.round(self.pixels * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        return np.asarray(mask > 0)

    def places(self, mask: npt.NDArray[np.bool_]) -> Floats:
        """World points under the pixels of a mask, shape (n, 3)."""
        rows, columns = np.nonzero(mask)
        known = np.column_stack([self.pixels, np.ones(4)])
        linear = np.linalg.lstsq(known, self.corners_mm, rcond=None)[0]
        return np.asarray(np.column_stack([columns, rows, np.ones(len(rows))]) @ linear)


def mirror(canvas: Image, face: SeenFace, lamp: Lamp, eye: Floats, strength: float) -> None:
    """Paint the lamp's image that a polished face mirrors (in place); nothing where it falls beside the face."""
    middle, light = face.corners_mm.mean(axis=0), np.array(lamp.position_mm)
    behind = light - 2 * float((light - middle) @ face.normal) * face.normal
    way = behind - eye
    along = float((middle - eye) @ face.normal) / float(way @ face.normal)
    spot, radius = eye + along * way, along * lamp.radius_mm
    soft = _ROUGH * face.size_mm
    if not 0 < along < 1 or np.linalg.norm(spot - middle) > 0.75 * face.size_mm + radius + 3 * soft:
        return
    mask = face.mask(canvas)
    away = np.linalg.norm(face.places(mask) - spot, axis=1)
    shine = 255 * strength * lamp.strength / (1 + np.exp(np.clip((away - radius) / soft, -30, 30)))
    canvas[mask, :3] = np.minimum(canvas[mask, :3] + shine[:, None], 255)


def shade(canvas: Image, face: SeenFace, lamp: Lamp, screen: Screen, direct: float) -> None:
    """Darken the part of a face that a screen keeps from the lamp (in place).

    Args:
        canvas: The fine picture.
        face: Where.
        lamp: The light.
        screen: What stands in it.
        direct: Share of the face's light that comes straight from the lamp.
    """
    mask = face.mask(canvas)
    seen = screen.seen(face.places(mask), lamp)
    canvas[mask, :3] = canvas[mask, :3] * (1 - direct * (1 - seen))[:, None]
