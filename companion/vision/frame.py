"""Whether a picture can show a box at all: too little light, too much of it, or nothing but noise.

Theory. A lens that is covered and one that sees a table differ in structure, not in brightness: a cover may let in a
glow, and a sensor in the dark adds its own grain. So the picture is averaged in cells, and each cell is compared
with the mean of its two neighbours. A glow is smooth, so little is left of it; grain of spread s leaves at most about
4 s sqrt(6) / k between cells of k x k pixels. Edges of markers and walls leave many times that, in any light in which
a pip could be seen. The grain itself is told by neighbouring pixels.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.types import Image

FAULTS: tuple[str, ...] = ("too-small", "saturated", "dark", "covered", "blank")
"""All that `fault` can say."""

_FULL, _FULL_SHARE = 250, 0.6
_CELL_PX, _WIDTH_PX = 8, 320
_SMALLEST_PX = 48
# Largest of a thousand values of pure grain, in its spreads; what stands above twice that is structure.
_LARGEST, _CLEAR = 4.0, 2.0
_LEAST_CODES = 2.5
_NO_LIGHT, _GLOW, _DIM = 3.0, 60.0, 16.0


def fault(image: Image) -> str | None:
    """The code of what makes a picture useless, or None.

    Args:
        image: The picture, BGR, or a small grey one.

    Returns:
        'too-small' (no die could be made out), 'saturated' (blown out), 'dark' (no light, or too little of it),
        'covered' (nothing but grain: something is on the lens) or 'blank' (one bright even surface).
    """
    if image.ndim < 2 or min(image.shape[:2]) < _SMALLEST_PX:
        return "too-small"
    step = max(1, image.shape[1] // _WIDTH_PX)
    # Whole rows first: a picture of every n-th pixel is slower to make than a grey one of every pixel.
    rows = image[::step]
    gray = np.ascontiguousarray((cv2.cvtColor(rows, cv2.COLOR_BGR2GRAY) if rows.ndim == 3 else rows)[:, ::step])
    if cv2.countNonZero(cv2.compare(gray, _FULL - 1, cv2.CMP_GT)) > _FULL_SHARE * gray.size:
        return "saturated"
    level = float(cv2.mean(gray)[0])
    if not _has_structure(gray):
        return "dark" if level < _NO_LIGHT else "covered" if level < _GLOW else "blank"
    # The white of the markers, or whatever is brightest: below this grain drowns the pips.
    return "dark" if level < _DIM and float(np.percentile(gray[::2, ::2], 99.5)) < _DIM else None


def _has_structure(gray: Image) -> bool:
    """Whether cells differ from their neighbours by more than grain and glow do."""
    rows = gray[::4]
    # Of so few different values the middle one is counted out.
    counts = np.cumsum(np.bincount(cv2.absdiff(rows[:, 1:], rows[:, :-1]).ravel(), minlength=256))
    middle = np.searchsorted(counts, [(counts[-1] - 1) // 2, counts[-1] // 2], side="right").mean()
    grain = 1.4826 / np.sqrt(2) * float(middle)
    size = (max(3, gray.shape[1] // _CELL_PX), max(3, gray.shape[0] // _CELL_PX))
    cells = cv2.resize(gray, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    along = np.abs(2 * cells[:, 1:-1] - cells[:, :-2] - cells[:, 2:]).max()
    down = np.abs(2 * cells[1:-1] - cells[:-2] - cells[2:]).max()
    most = _CLEAR * _LARGEST * grain * np.sqrt(6) / _CELL_PX
    return bool(max(along, down) > max(_LEAST_CODES, most))
