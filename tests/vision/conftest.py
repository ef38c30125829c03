"""What several tests of the reader look through."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.settings import RigGeometry
from companion.vision.tray import Tray, fit_tray, marker_corners_mm


@pytest.fixture(scope="session")
def tray() -> Tray:
    """A camera half a metre above the box, looking straight down."""
    corners = marker_corners_mm(RigGeometry())
    pixels = {m: np.column_stack([767.5 + 2.36 * c[:, 0], 431.5 - 2.36 * c[:, 1]]) for m, c in corners.items()}
    fitted = fit_tray(pixels, (1536, 864), RigGeometry())
    assert fitted is not None
    return fitted
