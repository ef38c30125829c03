"""Dice outside the box: on the table, on the rim, leaning on the outer wall.

Theory. Nothing is known about the ground out there: cloth with dots, a board, wood. So dice are looked for as in any
photograph, by pip pattern and body, but at a size that the tray fixes to a few per cent. Since such a die is void
whatever it shows, no number is asked for, and a body that only half closes is still worth a word to the referee.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision import photo
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image

# One or two spots on cloth are common: such a die must close well.
_CLEAR_MARGIN, _CLEAR_SUPPORT = 0.4, 0.72


def dice_outside(image: Image, tray: Tray, size_mm: float) -> list[photo.PhotoDie]:
    """Dice whose middle lies outside the inner floor.

    Args:
        image: The picture, BGR.
        tray: The camera over the box.
        size_mm: Edge of the dice.

    Returns:
        Dice in the picture, without a judgement on their number.
    """
    hidden = image.copy()
    _cover(hidden, tray)
    found: list[photo.PhotoDie] = []
    for height_mm in (size_mm, size_mm + tray.geometry.wall_height_mm):
        depth = float(tray.position_mm[2])
        size_px = size_mm * tray.px_per_mm * depth / (depth - height_mm)
        found.extend(photo.at_size(hidden, size_px, loose=True))
    half_x, half_y = tray.geometry.floor_mm[0] / 2, tray.geometry.floor_mm[1] / 2
    outside = []
    for die in photo.settled_at(found):
        at = tray.lift(np.array([die.center_px]), size_mm)[0]
        if die.proposed <= 2 and (die.margin < _CLEAR_MARGIN or die.support < _CLEAR_SUPPORT):
            continue
        if abs(at[0]) > half_x or abs(at[1]) > half_y:
            outside.append(die)
    return outside


def _cover(image: Image, tray: Tray) -> None:
    """Paint the box floor and the markers over, in place: no die of the table can be there."""
    x, y = tray.geometry.floor_mm[0] / 2 - 4, tray.geometry.floor_mm[1] / 2 - 4
    _paint(image, tray.project(np.array([[-x, y, 0.0], [x, y, 0.0], [x, -y, 0.0], [-x, -y, 0.0]])))
    out = tray.geometry.marker_out_mm
    half = tray.geometry.marker_mm / 2 + 7
    for across in (-1, 1):
        for up in (-1, 1):
            middle = np.array(
                [across * (tray.geometry.floor_mm[0] / 2 + out), up * (tray.geometry.floor_mm[1] / 2 + out), 0.0]
            )
            square = np.array([[-half, half, 0.0], [half, half, 0.0], [half, -half, 0.0], [-half, -half, 0.0]])
            _paint(image, tray.project(middle + square))


def _paint(image: Image, corners: Floats) -> None:
    cv2.fillConvexPoly(image, np.round(corners).astype(np.int32), (70, 70, 70))
