"""The number on a face by a small network: an opinion that knows no lattice.

The network sees a face cut out and squared, 36 px wide, of which the face itself takes the middle 24. It was
taught to bear a pose that is off by a twentieth of the edge, and to say `none` where it is off by a third or more,
or where a face carries no pips.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from companion.vision.net import Net, odds
from companion.vision.types import Floats, Image

FACE_PX = 36
_FACE_SHARE = 1.5


def cut(image: Image, middle: Floats, across: Floats, side_px: int = FACE_PX) -> Image:
    """One face cut out and squared, with a quarter of its edge around it.

    Args:
        image: The picture, BGR.
        middle: Middle of the face, px, shape (2,).
        across: The face's edges in the picture as columns, px, shape (2, 2).
        side_px: Width of what comes out; the face takes two thirds of it.

    Returns:
        The face, shape (side_px, side_px, 3).
    """
    step = across * (_FACE_SHARE / side_px)
    finest = math.sqrt(abs(float(np.linalg.det(step))))
    reach = 0.6 * _FACE_SHARE * (np.abs(across[:, 0]) + np.abs(across[:, 1])) + 4.0
    low = np.maximum(np.floor(middle - reach).astype(int), 0)
    high = np.minimum(np.ceil(middle + reach).astype(int), [image.shape[1], image.shape[0]])
    if (high - low < 2).any():
        return np.zeros((side_px, side_px, 3), dtype=np.uint8)
    part, at = image[low[1] : high[1], low[0] : high[0]], middle - low
    if finest > 1.5:
        # A large face is made small first, or its grain would turn into spots.
        factor = 1.5 / finest
        part = np.asarray(cv2.resize(part, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        step, at = step * factor, (at + 0.5) * factor - 0.5
    warp = np.column_stack([step, at - step @ np.full(2, (side_px - 1) / 2)])
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(part, warp, (side_px, side_px), flags=how, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
    )


def square(image: Image, corners_px: Floats) -> Image:
    """One face cut out by its four corners, for `FaceNet.read`.

    Args:
        image: The picture, BGR.
        corners_px: Corners of the face's full square (edges not rounded), in order round it, shape (4, 2).

    Returns:
        The face with a quarter of its edge around it, shape (36, 36, 3).
    """
    low, high = FACE_PX / 6 - 0.5, FACE_PX * 5 / 6 - 0.5
    there = np.array([[low, low], [high, low], [high, high], [low, high]], dtype=np.float32)
    warp = cv2.getPerspectiveTransform(corners_px.astype(np.float32), there)
    return np.asarray(
        cv2.warpPerspective(image, warp, (FACE_PX, FACE_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        dtype=np.uint8,
    )


class FaceNet:
    """Names the numbers of faces that were cut out; one per thread."""

    def __init__(self) -> None:
        self._net = Net("face")

    def read(self, crops: Sequence[Image], *, turns: int = 1) -> Floats:
        """How likely each number is.

        Args:
            crops: Faces as `cut` or `square` makes them, BGR.
            turns: 1, or 4 to look at each face from four sides: slower, and surer.

        Returns:
            Probabilities of none and of 1 to 6, shape (n, 7).
        """
        if not len(crops):
            return np.zeros((0, 7))
        stack = np.stack(crops).astype(np.float32) / np.float32(255.0)
        views = [np.rot90(stack, turn, (1, 2)) for turn in range(turns)]
        said = self._net.run(np.ascontiguousarray(np.concatenate(views).transpose(0, 3, 1, 2)))
        return np.asarray(odds(said.astype(np.float64)).reshape(turns, len(crops), 7).mean(0))
