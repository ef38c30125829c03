"""Whether a picture can be read at all: dark, blown out, or showing nothing."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.types import Image

_DARK, _BLANK, _FULL = 9.0, 2.5, 250
_FULL_SHARE = 0.6


def fault(image: Image) -> str | None:
    """The code of what makes a picture useless, or None.

    Args:
        image: The picture, BGR, or a small grey one.

    Returns:
        'dark' (no light, or a covered lens), 'saturated' (blown out) or 'blank' (one even surface).
    """
    step = max(1, image.shape[1] // 320)
    small = image[::step, ::step]
    gray = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY) if small.ndim == 3 else small
    if float((gray >= _FULL).mean()) > _FULL_SHARE:
        return "saturated"
    if float(np.percentile(gray, 99.5)) < _DARK:
        return "dark"
    return "blank" if float(gray.std()) < _BLANK else None
