"""Where the upper faces of dice are in any picture, by a network that is run over a ladder of sizes.

Theory. The network answers to faces of 16 to 35 px, best at 24, so the picture is shrunk or enlarged by steps until a
die of any likely size comes near that. A face is told by its middle, its size as seen square on, its turn (known up to
a quarter, so four times the angle is used), and its squeeze by a slanting view. With the map from the unit square
written z -> p z + q conj(z), a quarter turn sends (p, q) to (i p, -i q): p**4 and p q are what a picture can tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.net import Net, odds
from companion.vision.types import Floats, Image

STRIDE, NOMINAL_PX = 8, 24.0
_SEEN = 0.3
_LADDER = 1.45
# Dice are searched from so many px and such a part of the longer side up to this share of the shorter side.
_SMALLEST_PX, _SMALLEST_PART, _LARGEST_SHARE = 14.5, 64, 0.6
# Faces nearer to each other than this, in edges, are one face seen twice.
_SAME = 0.55
_MOST_SQUEEZE = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """One upper face.

    Attributes:
        middle: Its middle in the picture, px, shape (2,).
        across: Its edges in the picture as columns, px, shape (2, 2).
        size_px: Its edge as it would be seen square on.
        seen: How sure the network is that a face is there, 0 to 1.
        odds: Probabilities of none and of 1 to 6, shape (7,).
        squeeze: How the plane of the face is foreshortened: 0 seen square on, positive when it looks wider than high.
            It does not depend on the face's turn, so all faces of one plane share it.
    """

    middle: Floats
    across: Floats
    size_px: float
    seen: float
    odds: Floats
    squeeze: complex


class Finder:
    """Finds upper faces; one per thread."""

    def __init__(self) -> None:
        self._net = Net("finder")

    def at(self, image: Image, size_px: float) -> list[Face]:
        """Faces of about one size.

        Args:
            image: The picture, BGR.
            size_px: Edge of a die; three quarters to four thirds of it are found as well.
        """
        factor = NOMINAL_PX / size_px
        rows, cols = (max(STRIDE, round(side * factor / STRIDE) * STRIDE) for side in image.shape[:2])
        how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
        scaled = cv2.resize(image, (cols, rows), interpolation=how).astype(np.float32) * np.float32(1 / 255)
        said = self._net.run(np.ascontiguousarray(scaled.transpose(2, 0, 1)[None]))[0]
        back = np.array([image.shape[1] / cols, image.shape[0] / rows])
        return _faces(said.astype(np.float64), back)


def ladder(shape: tuple[int, ...]) -> Iterator[float]:
    """Sizes at which to search a picture of a given shape, largest first, px."""
    rows, cols = shape[:2]
    least = max(_SMALLEST_PX, max(rows, cols) / _SMALLEST_PART)
    size = _LARGEST_SHARE * min(rows, cols)
    while size > least:
        yield size
        size /= _LADDER


def _faces(said: Floats, back: Floats) -> list[Face]:
    """Faces out of what the network says of each cell, shape (15, rows, cols)."""
    seen = 1 / (1 + np.exp(-said[0]))
    rows, cols = np.nonzero(seen > _SEEN)
    if not len(rows):
        return []
    sure, told = seen[rows, cols], said[:, rows, cols]
    middles = (np.stack([cols + 0.5 + told[8], rows + 0.5 + told[9]], 1)) * STRIDE
    sizes = NOMINAL_PX * np.exp(np.clip(told[10], -1.5, 1.5))
    left = np.ones(len(rows), dtype=bool)
    out = []
    for index in np.argsort(-sure):
        if not left[index]:
            continue
        group = left & (np.hypot(*(middles - middles[index]).T) < _SAME * sizes[index])
        left &= ~group
        weight = sure[group] / sure[group].sum()
        mean = told[:, group] @ weight
        size = NOMINAL_PX * math.exp(float(np.clip(mean[10], -1.5, 1.5)))
        squeeze = complex(mean[13], mean[14])
        squeeze *= min(1.0, _MOST_SQUEEZE / max(abs(squeeze), 1e-9))
        across = _across(size, math.atan2(mean[12], mean[11]) / 4, squeeze) * back[:, None]
        out.append(
            Face(
                middle=np.asarray(weight @ middles[group] * back),
                across=across,
                size_px=size * float(back.mean()),
                seen=float(sure[index]),
                odds=np.asarray(odds(told[1:8, group].T).T @ weight),
                squeeze=squeeze,
            )
        )
    return out


def _across(size: float, turn_rad: float, squeeze: complex) -> Floats:
    """Edges of a face as columns."""
    p = size * np.exp(1j * turn_rad)
    q = squeeze * size**2 / p
    u, v = p + q, 1j * (p - q)
    return np.array([[u.real, v.real], [u.imag, v.imag]])
