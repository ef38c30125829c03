"""The colour of a die's body by name, in the light that falls on the box.

The paper of the markers is the white of the scene; without markers the picture's own brightest grey stands in. A
name is given only when hue and strength are clear; between two names the answer is None.
"""

from __future__ import annotations

import numpy as np

from companion.vision.tray import Tray, marker_corners_mm
from companion.vision.types import Floats, Image, Places

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


def paper_places(tray: Tray) -> Places:
    """Pixels around the markers, column and row, shape (n, 2)."""
    rings = [
        corners.mean(0) + (corners - corners.mean(0)) * 1.2
        for marker, corners in marker_corners_mm(tray.geometry).items()
        if marker in tray.seen
    ]
    start = np.array(rings)
    part = np.linspace(0.1, 0.9, 9)[:, None, None, None]
    places = tray.project(start + (np.roll(start, -1, axis=1) - start) * part).reshape(-1, 2).round().astype(np.int64)
    return np.asarray(places[(places >= 0).all(1) & (places < np.array(tray.size_px)).all(1)])


def paper(image: Image, places: Places) -> Floats:
    """Colour of white paper, BGR: the middle one of some pixels around the markers, or white if there are none."""
    if not len(places):
        return np.array([255.0, 255.0, 255.0])
    return np.asarray(np.median(image[places[:, 1], places[:, 0]].astype(np.float64), axis=0))
