"""What the camera sees of the rig before a game: markers, focus, light. Looked at now and then, never at each frame.

Theory. A marker is printed: its edges are as sharp as paper can be. How many pixels its black takes to become white is
therefore the camera's doing alone, and tells a lens that is out of focus, a greasy one, or a camera that shakes. The
steepest gradient of a patch against its whole range is that width, whatever the light.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.settings import RigGeometry
from companion.vision.tray import find_markers
from companion.vision.types import Floats, Image

BLURRED_PX = 4.0
"""From here on dice become unreadable: of three on the simulated rig all were read at 4.0 px, and two at 4.8."""

DIM = 40.0
"""Mean grey of the picture under which noise begins to show in the pips."""

_STEEPEST = 99.0


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What was seen in one picture.

    Attributes:
        markers: How many of the rig's markers were found.
        wanted: How many it has.
        edge_px: Width of the markers' edges; None without a marker.
        mean: Mean grey, 0 to 255.
        glare: Share of the picture that is blown out, 0 to 1.
    """

    markers: int
    wanted: int
    edge_px: float | None
    mean: float
    glare: float


def look_over(image: Image, geometry: RigGeometry) -> View:
    """Look over one picture.

    Args:
        image: BGR, shape (rows, columns, 3).
        geometry: The rig.
    """
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    found = find_markers(image, geometry)
    widths = [width for corners in found.values() if (width := _edge_px(gray, corners)) is not None]
    return View(
        markers=len(found),
        wanted=len(geometry.marker_ids),
        edge_px=float(np.median(widths)) if widths else None,
        mean=float(gray.mean()),
        glare=float((gray >= 250).mean()),
    )


def _edge_px(gray: Image, corners: Floats) -> float | None:
    """Width of the edges within one marker, px; None where its patch has no contrast."""
    low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int)
    patch = gray[max(0, low[1]) : high[1] + 1, max(0, low[0]) : high[0] + 1].astype(np.float64)
    dark, bright = np.percentile(patch, (10.0, 90.0))
    if bright - dark < 30:
        return None
    across, down = np.abs(np.diff(patch, axis=1)), np.abs(np.diff(patch, axis=0))
    steepest = max(float(np.percentile(across, _STEEPEST)), float(np.percentile(down, _STEEPEST)))
    return float((bright - dark) / steepest)
