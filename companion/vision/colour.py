"""The colour of a die's body by name, in the light that falls on the box.

The paper of the markers is the white of the scene; without markers the picture's own brightest grey stands in. A
name is given only when hue and strength are clear; between two names the answer is None.
"""

from __future__ import annotations

import numpy as np

from companion.vision.types import Floats

_HUES = (
    ("red", 0.0, 22.0),
    ("yellow", 52.0, 18.0),
    ("green", 130.0, 45.0),
    ("blue", 225.0, 38.0),
    ("purple", 290.0, 24.0),
)


def name_of(body: Floats, white: Floats, *, light_pips: bool) -> str | None:
    """Name of a body colour.

    Args:
        body: Mean colour of the bare face, BGR.
        white: Colour of white paper in the same light, BGR.
        light_pips: Whether the pips are lighter than the face.

    Returns:
        red, yellow, green, blue, purple, black, white, or None.
    """
    blue, green, red = (np.asarray(body, dtype=np.float64) / np.maximum(white, 8.0) * float(np.mean(white))).tolist()
    high, low = max(blue, green, red), min(blue, green, red)
    if high <= 0:
        return None
    strength = (high - low) / high
    if strength < 0.3:
        if light_pips:
            return "black" if high < 0.55 * float(np.mean(white)) else None
        return "white"
    if strength < 0.4:
        return "black" if high < 60 and light_pips else None
    span = high - low
    if high == red:
        hue = (60.0 * (green - blue) / span) % 360.0
    elif high == green:
        hue = 60.0 * (blue - red) / span + 120.0
    else:
        hue = 60.0 * (red - green) / span + 240.0
    for name, middle, reach in _HUES:
        if abs((hue - middle + 180.0) % 360.0 - 180.0) <= reach:
            return name
    return None
