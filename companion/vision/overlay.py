"""Pictures for people: each die's outline, lean and verdict as shapes, never as words.

The screen writes the words, in the people's language. A valid die has a whole green outline, a void one a thick red
outline with a cross at its corner, an unreadable one a broken amber outline; a leaning die carries an arrow the way
its upper face looks, the longer the more it leans. Shape and stroke differ as well as colour, so that nobody
needs to tell red from green.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.tray import Tray
from companion.vision.types import DieReading, Floats, Image, Reading

_GREEN, _RED, _AMBER, _DARK = (80, 200, 60), (50, 50, 235), (30, 180, 250), (20, 20, 20)


def draw(image: Image, reading: Reading) -> Image:
    """A copy of the picture with every die marked.

    Args:
        image: The picture that was read, BGR.
        reading: What was read in it.

    Returns:
        The marked copy, same shape.
    """
    out = image.copy()
    width = max(1, round(image.shape[1] / 700))
    for die in reading.dice:
        _mark(out, die, width)
    return out


def _mark(image: Image, die: DieReading, width: int) -> None:
    ring = np.array(die.outline_px, dtype=np.float64)
    if len(ring) < 3:
        return
    middle = ring.mean(0)
    arm = ring - middle
    ring = middle + arm * (1 + 3.0 * width / np.maximum(np.hypot(arm[:, 0], arm[:, 1]), 1.0))[:, None]
    if die.verdict == "valid":
        _outline(image, ring, _GREEN, width)
        return
    if die.verdict in {"unreadable", "moving"}:
        _outline(image, ring, _AMBER, width, broken=True)
        return
    _outline(image, ring, _RED, 2 * width)
    corner = np.round(ring[np.argmin(ring.sum(1))]).astype(int)
    for dx, dy in ((1, 1), (1, -1)):
        reach = np.array([dx, dy]) * 5 * width
        start, end = corner - reach, corner + reach
        cv2.line(image, start.tolist(), end.tolist(), _DARK, 3 * width, cv2.LINE_AA)
        cv2.line(image, start.tolist(), end.tolist(), _RED, width, cv2.LINE_AA)
    if die.verdict == "cocked" and die.lean_deg:
        tip = middle + np.array([0.0, -1.0]) * np.hypot(*arm.T).max() * min(1.0, die.lean_deg / 45.0)
        foot = np.round(middle).astype(int).tolist()
        cv2.arrowedLine(image, foot, np.round(tip).astype(int).tolist(), _RED, width, cv2.LINE_AA, tipLength=0.4)


def stroke(image: Image, die: DieReading, start_px: tuple[int, int], length_px: int) -> None:
    """A level line (in place) that says how a die was judged, in the manner of its outline.

    Args:
        image: What to draw on, BGR.
        die: The die.
        start_px: Left end of the line.
        length_px: Its length.
    """
    x, y = start_px
    if die.verdict == "valid":
        cv2.line(image, (x, y), (x + length_px, y), _GREEN, 2)
    elif die.verdict in {"unreadable", "moving"}:
        for part in range(0, length_px, 16):
            cv2.line(image, (x + part, y), (min(x + part + 8, x + length_px), y), _AMBER, 3)
    else:
        cv2.line(image, (x, y), (x + length_px, y), _RED, 5)


def _outline(image: Image, ring: Floats, colour: tuple[int, int, int], width: int, *, broken: bool = False) -> None:
    points = np.round(ring).astype(np.int32)
    if not broken:
        cv2.polylines(image, [points], isClosed=True, color=_DARK, thickness=width + 2, lineType=cv2.LINE_AA)
        cv2.polylines(image, [points], isClosed=True, color=colour, thickness=width, lineType=cv2.LINE_AA)
        return
    for start, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        for part in (0.0, 0.5):
            a = np.round(start + (end - start) * part).astype(int).tolist()
            b = np.round(start + (end - start) * (part + 0.3)).astype(int).tolist()
            cv2.line(image, a, b, colour, 2 * width, cv2.LINE_AA)


def rectified(image: Image, tray: Tray, px_per_mm: float = 2.5, margin_mm: float = 14.0) -> Image:
    """The box seen straight from above, walls included.

    Args:
        image: The picture, BGR.
        tray: The camera over the box.
        px_per_mm: Scale of the result at the floor.
        margin_mm: How much around the inner floor is shown.

    Returns:
        The box, upright, BGR.
    """
    half_x = tray.geometry.floor_mm[0] / 2 + margin_mm
    half_y = tray.geometry.floor_mm[1] / 2 + margin_mm
    cols, rows = round(2 * half_x * px_per_mm), round(2 * half_y * px_per_mm)
    # Distortion bends a straight line by less than a pixel over a few millimetres: a coarse grid is enough.
    x = np.linspace(-half_x, half_x, 33)
    y = np.linspace(half_y, -half_y, 25)
    grid = np.dstack([*np.meshgrid(x, y), np.zeros((25, 33))])
    places = cv2.resize(tray.project(grid).astype(np.float32), (cols, rows), interpolation=cv2.INTER_LINEAR)
    flat = cv2.remap(image, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(flat, dtype=np.uint8)


def box_part(image: Image, tray: Tray, margin_mm: float = 22.0) -> Image:
    """The part of a picture that shows the box with its walls, as the camera saw it; a view, not a copy."""
    half_x, half_y = (side / 2 + margin_mm for side in tray.geometry.floor_mm)
    ring = np.array([[-half_x, half_y], [half_x, half_y], [half_x, -half_y], [-half_x, -half_y]])
    corners = np.concatenate([tray.project(np.column_stack([ring, np.full(4, z)])) for z in (0.0, 30.0)])
    left, top = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    right, low = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, [image.shape[1], image.shape[0]])
    return image[top:low, left:right] if right > left and low > top else image


def crop(image: Image, die: DieReading, side_px: int = 96) -> Image:
    """One die cut out, square, with a little room around it.

    Args:
        image: The picture that was read, BGR.
        die: The die.
        side_px: Edge of the result.

    Returns:
        The die's part of the picture, shape (side, side, 3); what lies off the picture is black.
    """
    reach = 0.75 * max(die.box_px[2], die.box_px[3], 8)
    scale = side_px / (2 * reach)
    move = np.array(
        [[scale, 0.0, side_px / 2 - scale * die.center_px[0]], [0.0, scale, side_px / 2 - scale * die.center_px[1]]]
    )
    cut = cv2.warpAffine(image, move, (side_px, side_px), flags=cv2.INTER_LINEAR)
    return np.asarray(cut, dtype=np.uint8)
