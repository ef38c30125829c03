"""How well a die's upper face can be seen in a picture: what covers it, and how its pips stand out."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.sim import body, scenery, truth, turns
from companion.sim.body import SHELL_CORNERS
from companion.sim.motion import Motion
from companion.sim.optics import Optics
from companion.sim.scenery import Image
from companion.sim.turns import Floats


def visible(place: int, dice: Sequence[Motion], optics: Optics, hidden: Sequence[Floats] = ()) -> float:
    """Share of a die's upper face that nothing covers and that lies within the picture.

    Args:
        place: Which die.
        dice: All dice; the nearer ones may cover it.
        optics: The camera.
        hidden: Convex outlines in the picture, each of shape (n, 2), that hide whatever lies under them.
    """
    die = dice[place]
    spin = turns.matrices(die.quats[-1])
    up = truth.FACE_NORMALS[int(truth.top_faces(die.quats[-1])) - 1]
    face = SHELL_CORNERS[SHELL_CORNERS @ up > 0.5 - 1e-6] @ spin.T * die.size_mm + die.positions[-1]
    outline = cv2.convexHull(optics.project(face).astype(np.float32))
    mask = np.zeros((optics.height, optics.width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 255)
    x, y, width, height = cv2.boundingRect(outline)
    whole = np.zeros((height + 2, width + 2), np.uint8)
    cv2.fillConvexPoly(whole, np.round(outline - [x - 1, y - 1]).astype(np.int32), 255)
    for outline in hidden:
        cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 0)
    reach = float(np.linalg.norm(die.positions[-1] - optics.position_mm))
    for other in dice:
        nearer = float(np.linalg.norm(other.positions[-1] - optics.position_mm)) < reach
        if other is not die and nearer:
            shell = SHELL_CORNERS @ turns.matrices(other.quats[-1]).T * other.size_mm + other.positions[-1]
            hull = cv2.convexHull(optics.project(shell).astype(np.float32))
            cv2.fillConvexPoly(mask, np.round(hull).astype(np.int32), 0)
    if truth.is_beside_box(die.positions[-1]):
        mask[scenery.wall_mask(optics) > 127] = 0
    return min(1.0, cv2.countNonZero(mask) / max(1, cv2.countNonZero(whole)))


def pip_contrast(die: Motion, picture: Image, optics: Optics) -> float:
    """Distance in colour between the faintest pip of a die's upper face and the face around that pip."""
    spin, position = turns.matrices(die.quats[-1]), die.positions[-1]
    discs = body.pip_discs(die.look, die.true(0).top)
    middles = discs.mean(axis=1, keepdims=True)
    rings = middles + 1.6 * (discs - middles)
    pips = _sampled(picture, optics.project(middles @ spin.T * die.size_mm + position))
    faces = _sampled(picture, optics.project(rings @ spin.T * die.size_mm + position))
    return float(np.linalg.norm(pips[:, 0] - np.median(faces, axis=1), axis=1).min())


def _sampled(picture: Image, pixels: Floats) -> Floats:
    """Colours at pixels, shape (n, k, 2) to (n, k, 3)."""
    size = [picture.shape[1], picture.shape[0]]
    low = np.clip(np.floor(pixels.min(axis=(0, 1))).astype(int) - 2, 0, np.array(size) - 1)
    high = np.clip(np.ceil(pixels.max(axis=(0, 1))).astype(int) + 3, low + 1, size)
    found = cv2.remap(
        picture[low[1] : high[1], low[0] : high[0]].astype(np.float32),
        (pixels[..., 0] - low[0]).astype(np.float32),
        (pixels[..., 1] - low[1]).astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(found, np.float64)
