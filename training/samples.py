"""Patches and cut-out faces in endless supply, the same ones for the same seed."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from training.nets import FACE_PX, NOMINAL_PX, STRIDE
from training.scene import Image, Truth, draw_patch

Floats = npt.NDArray[np.float32]

PATCH_PX = 160
_FACE_SHARE = 1.5
# Sizes that the finder must answer to, and between which and these it may do as it likes.
_TAUGHT_PX, _SILENT_PX = (16.0, 35.0), (12.0, 46.0)


def cut(image: Image, middle: Floats, across: Floats) -> Image:
    """A face squared, with a quarter of its edge around it; shape (36, 36, 3)."""
    edge = math.sqrt(abs(float(np.linalg.det(across))))
    step = across * _FACE_SHARE / FACE_PX
    shrink = edge * _FACE_SHARE / FACE_PX
    if shrink > 1.5:
        image = cv2.resize(image, None, fx=1.5 / shrink, fy=1.5 / shrink, interpolation=cv2.INTER_AREA)
        step, middle = step * (1.5 / shrink), middle * (1.5 / shrink)
    warp = np.column_stack([step, middle - step @ np.full(2, (FACE_PX - 1) / 2)])
    return np.asarray(
        cv2.warpAffine(
            image,
            warp,
            (FACE_PX, FACE_PX),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        ),
        dtype=np.uint8,
    )


def _nudged(rng: np.random.Generator, truth: Truth) -> tuple[Floats, Floats]:
    """A pose a little off the true one, at any quarter turn."""
    turn = rng.integers(4) * math.pi / 2 + rng.normal(0, 0.08)
    c, s = math.cos(turn), math.sin(turn)
    bend = np.array([[c, -s], [s, c]]) + rng.normal(0, 0.06, (2, 2))
    across = truth.across @ (bend * rng.uniform(0.86, 1.17))
    return truth.middle + truth.across @ rng.normal(0, 0.055, 2), across


def faces(rng: np.random.Generator) -> tuple[list[Image], list[int]]:
    """Cut-outs of one patch with their numbers, 0 for none."""
    edge = math.exp(rng.uniform(math.log(14), math.log(58)))
    image, truths = draw_patch(rng, PATCH_PX, edge, int(rng.integers(1, 9)), 2 if edge < 40 else 1)
    crops, values = [], []
    for truth in truths:
        if truth.unsure or truth.lean_deg:
            continue
        middle, across = _nudged(rng, truth)
        crops.append(cut(image, middle, across))
        values.append(truth.value)
        if rng.random() < 0.25:
            # Where a pose is quite wrong there is no number, whatever pips are seen.
            scale = rng.choice([1.0, 0.5, 0.55, 1.8, 2.2, 4.0, 6.0])
            angle, off = rng.uniform(0, 2 * math.pi), rng.uniform(0.45, 1.0) if scale == 1.0 else rng.uniform(0, 1.0)
            away = truth.across @ (off * np.array([math.cos(angle), math.sin(angle)]))
            crops.append(cut(image, middle + away, across * scale))
            values.append(0)
    if rng.random() < 0.5 and not truths:
        crops.append(cut(image, rng.uniform(20, PATCH_PX - 20, 2), np.eye(2) * edge))
        values.append(0)
    return crops, values


def patch(rng: np.random.Generator) -> tuple[Image, Floats]:
    """One patch and what the finder should say of its cells.

    Returns:
        The patch, and per cell (9, cells, cells): 1 for a face, 0 for none, -1 for anything; the number (-1 for
        anything); and the seven of place, size, turn and squeeze.
    """
    strange = rng.random() < 0.25
    # Quite other sizes: pips seen from near, and dice so far away that they look like pips.
    low, high = ((36.0, 240.0) if rng.random() < 0.6 else (3.5, 9.0)) if strange else (16.0, 35.0)
    edge = math.exp(rng.uniform(math.log(low), math.log(high)))
    count = int(rng.choice([0, 1, 2, 3, 5, 8, 14], p=[0.18, 0.12, 0.16, 0.18, 0.18, 0.1, 0.08]))
    image, truths = draw_patch(rng, PATCH_PX, edge, count, 2 if edge < 50 else 1)
    return image, targets(truths)


def targets(truths: list[Truth]) -> Floats:
    """What the finder should say of the cells of a patch."""
    cells = PATCH_PX // STRIDE
    out = np.zeros((9, cells, cells), np.float32)
    y, x = (np.mgrid[:cells, :cells].astype(np.float32) + 0.5) * STRIDE
    best = np.full((cells, cells), np.inf, np.float32)
    for truth in truths:
        size, *rest = truth.shape
        inverse = np.linalg.inv(truth.across)
        dx, dy = truth.middle[0] - x, truth.middle[1] - y
        off = np.stack([inverse[0, 0] * dx + inverse[0, 1] * dy, inverse[1, 0] * dx + inverse[1, 1] * dy])
        far = np.hypot(off[0], off[1])
        nearest = np.unravel_index(np.hypot(dx, dy).argmin(), far.shape)
        core = far < 0.27
        if np.hypot(dx, dy).min() < 0.75 * STRIDE:
            core[nearest] = True
        around = (far < 0.55) & ~core & (out[0] == 0)
        out[0][around] = -1
        if not _TAUGHT_PX[0] <= size <= _TAUGHT_PX[1]:
            if _SILENT_PX[0] <= size <= _SILENT_PX[1]:
                out[0][core] = -1
            continue
        mine = core & (far < best)
        best[mine] = far[mine]
        out[0][mine] = -1 if truth.unsure else 1
        out[1][mine] = truth.value
        shape = [dx / STRIDE, dy / STRIDE, np.full_like(dx, math.log(size / NOMINAL_PX))]
        shape += [np.full_like(dx, part) for part in rest]
        out[2:, mine] = np.stack(shape)[:, mine]
    return out
