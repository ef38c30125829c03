"""Whether the rig in a picture is the one that was agreed on; no die is read in a rig that is another.

Theory. The markers fix the camera, so what is wrong with the rig shows in them: their order turns with the camera, and
their own size against their distances tells whether the sheet was printed to scale (see `print.py`). With fewer than
three of them, whole or in part, the lens's bend can't be told from the camera's place, and a pip may lie where it does
not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from companion.vision.pose import PITCH, DiePose
from companion.vision.print import print_scale, read_print
from companion.vision.settings import RigGeometry
from companion.vision.traces import has_markers
from companion.vision.tray import GOOD_MARKERS, Tray
from companion.vision.types import Floats, Image

REFUSALS: tuple[str, ...] = ("markers-few", "camera-turned", "print-off", "too-far")
"""What can be wrong with a rig so that no die is read in it."""

MOST_TURNED_DEG = 45.0
"""An eighth of a turn: from here on another side of the box is nearer to the top of the picture."""
_MOST_PRINT_OFF = 0.02
# A pip of a 12 mm die is 2.4 mm wide: less than two pixels and a half of it are no shape.
_LEAST_PX_PER_MM = 1.1


def refusal(image: Image, tray: Tray | None, markers: dict[int, Floats], geometry: RigGeometry) -> str | None:
    """The code of what is wrong with a rig, or None.

    Args:
        image: The picture in which the markers were found.
        tray: The camera fitted to them, None where none fits.
        markers: Corners by marker id, shape (4, 2), px.
        geometry: The rig that was agreed on.

    Returns:
        'markers-few' (too few markers are seen to measure by, or pieces of them), 'camera-turned' (by more than an
        eighth of a turn), 'print-off' (the sheet was not printed to scale), 'too-far' (a pip is too few pixels) or
        None; None too where no piece of a marker is seen at all.
    """
    if not markers:
        return "markers-few" if has_markers(image, geometry) else None
    if tray is None or len(tray.seen) + len(tray.parts) < GOOD_MARKERS:
        return "markers-few"
    if abs(turned_deg(tray)) > MOST_TURNED_DEG:
        return "camera-turned"
    if tray.px_per_mm < _LEAST_PX_PER_MM:
        return "too-far"
    scale = print_scale(read_print(image, tray, {m: markers[m] for m in tray.seen}), tray.geometry)
    return "print-off" if scale is not None and abs(scale - 1.0) > _MOST_PRINT_OFF else None


def turned_deg(tray: Tray) -> float:
    """How far the picture is turned against the box, degrees, anticlockwise; 0 where the box's x runs to the right."""
    right, down = tray.rotation[0, 0], tray.rotation[1, 0]
    return math.degrees(math.atan2(down, right))


MOST_SIZE_OFF_MM = 1.25
"""Over half of the step between the sizes that dice are made in, since makers and light differ by about one."""
# How far blur usually pushes an outline out.
_USUAL_SPREAD_PX = 0.35
# A pitch so near to the usual one was not measured.
_NO_PIPS_MM = 0.05


def size_off_mm(poses: Sequence[DiePose], tray: Tray) -> float:
    """By how much flat dice are larger than they were taken for, 0 where there are none.

    Blur moves outlines and makers place pips as they like; only a die of another size does both at once, in the same
    sense and by the same share. A single pip says nothing of its distance to others, so there the outline speaks alone.
    """
    off = []
    for at in poses:
        outline = 2 * (at.spread_px - _USUAL_SPREAD_PX) / tray.px_per_mm
        pips = at.size_mm * (at.pitch / PITCH - 1)
        off.append(0.9 * outline if abs(pips) < _NO_PIPS_MM else (outline + pips) / 2)
    return float(np.median(off)) if off else 0.0
