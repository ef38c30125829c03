"""Is this rig fit to read dice? Measured over a second of pictures, with everything that stands in the way.

Theory. Nothing is set here: each number is measured against what the reader needs, and the rig is ready when nothing
is wrong. The markers tell sharpness, light and the scale of the print (see `print.py`); the pictures of one second
tell whether the lamp flickers, band by band, because a rolling shutter shows flicker as stripes that wander; the box
itself must be as empty as the felt that it shows. The limits come from the reader: with softer edges than these it
begins to refuse good dice, and in glare a pip drowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision import colour, find, frame, ground, things
from companion.vision.print import print_scale, read_print
from companion.vision.rig import MOST_TURNED_DEG, turned_deg
from companion.vision.settings import ReaderSettings
from companion.vision.tray import Tray, find_markers, fit_tray
from companion.vision.types import Floats, Image, Mask

SOFTEST_MM = 0.9
"""Width of an edge from which on good dice begin to be refused."""
DARKEST, BRIGHTEST = 80.0, 247.0
"""Levels between which white paper must lie."""
LEAST_EVEN = 0.45
"""Least share of the light that the darkest marker may have of the brightest one's."""
MOST_GLARE_MM2 = 12.0
"""Blown-out floor: about the area of two pips."""
MOST_FLICKER = 0.06
MOST_ERROR_PX = 1.0
MOST_PRINT_OFF = 0.015
SMALLEST_PX_PER_MM = 1.5
MOST_SHAKE_PX = 1.0

_BLOWN = 245
_BANDS = 12

PROBLEMS: tuple[str, ...] = (
    *frame.FAULTS,
    "marker-missing",
    "camera-turned",
    "unsteady",
    "print-off",
    "marker-off",
    "too-far",
    "not-sharp",
    "too-dark",
    "too-bright",
    "uneven-light",
    "flicker",
    "glare",
    "no-colour",
    "not-empty",
)
"""What can stand in the way, in the order in which it is best put right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one second of pictures says of a rig.

    Attributes:
        size_px: Width and height of the pictures.
        fault: Why no die could be read, whatever else is right (one of `frame.FAULTS`, or 'no-colour'), or None.
        corners_px: Corners of each marker by id, clockwise from its own top left, px.
        error_px: Root mean square distance of the corners from where they should be; None without a fit.
        px_per_mm: Scale at the box floor.
        print_scale: How large the marker sheet was printed; None unless all markers are seen.
        edge_px: Width of a black-white edge, standard deviation.
        paper: Levels of the darkest and the brightest marker's white paper.
        floor: Level of the box floor.
        flicker: How far the light swings, as a share of it.
        glare_mm2: Blown-out area of the box floor.
        shake_px: How far the markers moved within the second.
        bodies: How many things lie in the box.
        turned_deg: How far the camera is turned against the box.
    """

    size_px: tuple[int, int]
    fault: str | None = None
    corners_px: tuple[tuple[int, tuple[tuple[float, float], ...]], ...] = ()
    error_px: float | None = None
    px_per_mm: float | None = None
    print_scale: float | None = None
    edge_px: float | None = None
    paper: tuple[float, float] | None = None
    floor: float | None = None
    flicker: float = 0.0
    glare_mm2: float = 0.0
    shake_px: float = 0.0
    bodies: int = 0
    turned_deg: float = 0.0


def measure(images: Sequence[Image], lumas: Sequence[Image], settings: ReaderSettings) -> Measured:
    """Measure a rig with an empty box.

    Args:
        images: A few whole pictures, first and last of the second among them, BGR.
        lumas: The small grey pictures of the same second.
        settings: The rig and its dice.

    Raises:
        ValueError: No picture was given.
    """
    if not images:
        raise ValueError("a calibration needs at least one picture")
    image = images[-1]
    size_px = (image.shape[1], image.shape[0])
    why = frame.fault(image)
    if why is not None:
        return Measured(size_px=size_px, fault=why)
    markers = find_markers(image, settings.rig)
    tray = fit_tray(markers, size_px, settings.rig)
    flicker = _flicker(lumas)
    if tray is None:
        return Measured(size_px=size_px, corners_px=_listed(markers), flicker=flicker)
    prints = read_print(image, tray, markers)
    whites = [one.white for one in prints]
    scale = print_scale(prints, settings.rig)
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    floor = _floor(tray, gray.shape)
    blown = (image.min(axis=2) >= _BLOWN) & floor
    seen = ground.look(image, ground.plan(tray), min(settings.die_sizes_mm))
    # What covers the floor is told by what lies there.
    why = things.floor_fault(seen, colour.paper(image, colour.paper_places(tray)))
    return Measured(
        size_px=size_px,
        fault=None if why == "floor-covered" else why,
        corners_px=_listed(markers),
        error_px=round(tray.error_px, 2),
        px_per_mm=round(tray.px_per_mm, 3),
        print_scale=None if scale is None else round(scale, 4),
        edge_px=round(float(np.median([one.edge_px for one in prints])), 2) if prints else None,
        paper=(round(min(whites), 1), round(max(whites), 1)) if whites else None,
        floor=round(float(np.median(gray[floor])), 1),
        flicker=flicker,
        glare_mm2=round(float(blown.sum()) / tray.px_per_mm**2, 1),
        shake_px=_shake(images[0], markers, settings),
        bodies=len(find.bodies(seen)),
        turned_deg=round(turned_deg(tray), 1),
    )


def problems(found: Measured, settings: ReaderSettings) -> tuple[str, ...]:
    """What stands in the way, the first to be put right first; nothing when the rig is ready."""
    if found.fault is not None:
        return (found.fault,)
    wrong = {
        "marker-missing": len(found.corners_px) < len(settings.rig.marker_ids),
        "camera-turned": abs(found.turned_deg) > MOST_TURNED_DEG,
        "unsteady": found.shake_px > MOST_SHAKE_PX,
        "flicker": found.flicker > MOST_FLICKER,
        "glare": found.glare_mm2 > MOST_GLARE_MM2,
        "not-empty": found.bodies > 0,
    }
    if found.error_px is None or found.px_per_mm is None:
        wrong["marker-off"] = len(found.corners_px) > 1
    else:
        is_soft = found.edge_px is None or found.edge_px > SOFTEST_MM * found.px_per_mm
        # What a soft picture says of the print is not to be trusted: first it must be sharp.
        is_print_off = not is_soft and found.print_scale is not None and abs(found.print_scale - 1) > MOST_PRINT_OFF
        wrong["print-off"] = is_print_off
        # A sheet that shrank explains an error of the corners by itself.
        wrong["marker-off"] = found.error_px > MOST_ERROR_PX and not is_print_off
        wrong["too-far"] = found.px_per_mm < SMALLEST_PX_PER_MM
        wrong["not-sharp"] = is_soft
    if found.paper is not None:
        darkest, brightest = found.paper
        wrong["too-dark"] = darkest < DARKEST
        wrong["too-bright"] = brightest > BRIGHTEST
        wrong["uneven-light"] = darkest < LEAST_EVEN * brightest
    return tuple(code for code in PROBLEMS if wrong.get(code))


def _listed(markers: dict[int, Floats]) -> tuple[tuple[int, tuple[tuple[float, float], ...]], ...]:
    return tuple(
        (marker, tuple((round(float(x), 2), round(float(y), 2)) for x, y in quad))
        for marker, quad in sorted(markers.items())
    )


def _floor(tray: Tray, shape: tuple[int, ...]) -> Mask:
    half_x, half_y = tray.geometry.floor_mm[0] / 2 - 4, tray.geometry.floor_mm[1] / 2 - 4
    corners = np.array([[-half_x, half_y, 0], [half_x, half_y, 0], [half_x, -half_y, 0], [-half_x, -half_y, 0]])
    mask = np.zeros(shape[:2], dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(tray.project(corners)).astype(np.int32)], 1)
    return mask > 0


def _flicker(lumas: Sequence[Image]) -> float:
    """Largest swing of the light in any band of the picture, as a share of it."""
    if len(lumas) < 2:
        return 0.0
    bands = np.array([[float(part.mean()) for part in np.array_split(luma, _BANDS)] for luma in lumas])
    return round(float(((bands.max(0) - bands.min(0)) / np.maximum(bands.mean(0), 1.0)).max()), 3)


def _shake(first: Image, markers: dict[int, Floats], settings: ReaderSettings) -> float:
    before = find_markers(first, settings.rig)
    gaps = [
        float(np.hypot(*(quad.mean(0) - before[marker].mean(0))))
        for marker, quad in markers.items()
        if marker in before
    ]
    return round(max(gaps, default=0.0), 2)
