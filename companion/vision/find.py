"""Where the dice are: what is no ground inside the box, its outline to a fraction of a pixel, and the pips on it.

Theory. An outline point is where the distance from the ground falls to half of what it is just inside. A pip is what
differs from the median of its neighbourhood: the window is chosen so wide that pips are a minority in it and so
narrow that it stays on one face.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.face import EQUALLY_LIGHT
from companion.vision.ground import Ground, off_lines
from companion.vision.types import Floats, Image, Mask

# From so many codes on a pixel differs plainly; and so wide is the edge of a body.
_PLAIN_CODES, _EDGE_PX = 24.0, 9
# What stands out by less than this share of what its body does is no part of it.
_HAZE = 0.25
# What hangs on a body that hardly differs and is narrower than this share of the smallest die's edge is grain, or the
# seam of a wall; but where less than such a share of a piece is broader it all is.
_SPUR, _MOSTLY = 0.22, 0.85
# A smaller piece is grain, and cleaned away with it.
_SPECK_PX = 9
# Points on either side of an outline point that tell its direction.
_AROUND = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Something on the ground that is no ground.

    Attributes:
        mask: Its pixels within `box_px`, holes filled.
        box_px: x, y, width, height in the whole picture.
        outline: Points on its outline, shape (k, 2), px of the whole picture.
        solid: Pixels of the mask that differ from the ground about as much as the body does.
        level: How much its outline differs from the ground.
        plain: By how many times the limit it does so; dark dice differ by few.
    """

    mask: Mask
    box_px: tuple[int, int, int, int]
    outline: Floats
    solid: Mask
    level: float
    plain: float


def bodies(ground: Ground) -> list[Body]:
    """Bodies inside the walls, each at least a quarter of the smallest die's face."""
    limit, least = ground.limit, ground.least_px
    found: list[Body] = []
    bare: float | None = None
    for window in ground.windows:
        weak: list[Body] = []
        clear: list[Body] = []
        far, inside = ground.far[window], ground.inside[window]
        for body in _pieces((far > limit) & inside, ground.far, ground, least / 8, window):
            faint = _median(ground.far[_window(body, ground)][body.mask]) < 3.2 * limit or body.mask.sum() < least
            (weak if faint else clear).append(body)
        if weak:
            bare = ground.bare() if bare is None else bare
            clear.extend(_weak_bodies((weak, clear), ground, window, bare))
        found.extend(clear)
    return found


def _median(values: Floats) -> float:
    """The middle one of some values; some times as quick as the general function."""
    places = sorted({(len(values) - 1) // 2, len(values) // 2})
    return float(np.partition(values, places)[places].mean())


def _window(body: Body, ground: Ground) -> tuple[slice, slice]:
    x, y, w, h = body.box_px
    left, top = ground.origin_px
    return slice(y - top, y - top + h), slice(x - left, x - left + w)


def _weak_bodies(
    weak_and_clear: tuple[list[Body], list[Body]], ground: Ground, window: tuple[slice, slice], bare: float
) -> list[Body]:
    """Bodies that hardly differ from the ground, traced on the softer picture around the pieces that do.

    Args:
        weak_and_clear: The pieces of one window that hardly differ, and those that do plainly.
        ground: The box.
        window: The window.
        bare: What the softer picture's distance is on bare ground.
    """
    weak, clear = weak_and_clear
    seed, taken = (np.zeros(ground.far.shape, dtype=np.uint8) for _ in range(2))
    for body in weak:
        seed[_window(body, ground)] |= body.mask.astype(np.uint8)
    for body in clear:
        taken[_window(body, ground)] |= body.mask.astype(np.uint8)
    # What glows beside a clear body is that body's own light on the wall.
    free = cv2.dilate(taken[window], np.ones((5, 5), np.uint8)) == 0
    reach = 2 * int(0.6 * np.sqrt(4 * ground.least_px)) + 1
    near = cv2.dilate(seed[window], np.ones((reach, reach), np.uint8)) > 0
    blurred = np.asarray(cv2.GaussianBlur(ground.smooth[window].astype(np.float32), (0, 0), 1.6))
    soft = ground.far.copy()
    soft[window] = np.where(ground.floor[window], off_lines(blurred, ground.lines), ground.far[window])
    faint = (soft[window] > max(3.2 * bare, 0.33 * ground.limit)) & ground.inside[window] & near
    whole = without_haze((faint | (seed[window] > 0)) & free, soft[window])
    whole = without_spurs(whole, round(_SPUR * 2 * np.sqrt(ground.least_px)) | 1)
    pieces = _pieces(whole, soft, ground, ground.least_px, window)
    return [b for b in pieces if seed[_window(b, ground)].any()]


def without_spurs(mask: Mask, wide_px: int) -> Mask:
    """A mask without what hangs on its pieces narrower than so much; a piece that is narrow all over stays whole."""
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide_px, wide_px))
    broad = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, disk) > 0
    _, labels = cv2.connectedComponents(mask.astype(np.uint8), connectivity=4)
    areas = np.bincount(labels.ravel())
    narrow = np.bincount(labels[broad], minlength=len(areas)) < _MOSTLY * areas
    narrow[0] = False
    return np.asarray(broad | narrow[labels])


def without_haze(mask: Mask, far: Floats) -> Mask:
    """The pieces of a mask without what stands out much less than they do: the edge of a shadow, a reflection."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    kept = mask.copy()
    for label, (x, y, w, h, area) in enumerate(stats.tolist()):
        if label and area >= _SPECK_PX:
            part = (slice(y, y + h), slice(x, x + w))
            piece = labels[part] == label
            kept[part] &= ~(piece & (far[part] < _HAZE * _median(far[part][piece])))
    return kept


def _pieces(mask: Mask, far: Floats, ground: Ground, least: float, window: tuple[slice, slice]) -> list[Body]:
    cleaned = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    cleaned = cv2.morphologyEx(cleaned, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(
        cleaned, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE, offset=(window[1].start, window[0].start)
    )
    shift = np.array(ground.origin_px, dtype=np.float64)
    found = []
    for contour in contours:
        if cv2.contourArea(contour) < least or len(contour) < 8:
            continue
        x, y, w, h = cv2.boundingRect(contour)
        filled = np.zeros((h, w), np.uint8)
        cv2.drawContours(filled, [contour - [x, y]], -1, 1, cv2.FILLED)
        points, level = _sharpen(far, contour.reshape(-1, 2))
        inside, usual = filled.astype(bool), _median(level)
        found.append(
            Body(
                mask=inside,
                box_px=(x + ground.origin_px[0], y + ground.origin_px[1], w, h),
                outline=points + shift,
                solid=inside & (far[y : y + h, x : x + w] > 0.35 * usual),
                level=usual,
                plain=usual / ground.limit,
            )
        )
    return found


def _wrapped(ring: Floats) -> Floats:
    """A closed line with its ends repeated before and behind."""
    return np.concatenate([ring[-_AROUND:], ring, ring[:_AROUND]])


def _sharpen(far: Floats, contour: Floats) -> tuple[Floats, Floats]:
    """Outline points moved along their normal to half of the level just inside."""
    count = len(contour)
    ring = contour.astype(np.float64)
    closed, width = _wrapped(ring), 2 * _AROUND + 1
    smooth = _wrapped(np.sum([closed[at : at + count] for at in range(width)], axis=0) / width)
    tangent = smooth[2 * _AROUND :] - smooth[: -2 * _AROUND]
    tangent /= np.maximum(np.hypot(tangent[:, 0], tangent[:, 1]), 1e-6)[:, None]
    inward = np.column_stack([-tangent[:, 1], tangent[:, 0]])
    centre = ring.mean(0)
    if float(((centre - ring) * inward).sum()) < 0:
        inward = -inward
    reach = np.arange(-4.0, 5.01, 0.5)
    values = cv2.remap(
        far,
        (ring[:, :1] + inward[:, :1] * reach).astype(np.float32),
        (ring[:, 1:] + inward[:, 1:] * reach).astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    zero = int(np.argmin(np.abs(reach)))
    sorted_inside = np.sort(values[:, zero + 2 : zero + 8], axis=1)
    level = (sorted_inside[:, 2] + sorted_inside[:, 3]) / 2
    outside = values[:, : zero - 3].min(1)
    half = (level + outside) / 2
    above = values > half[:, None]
    above[:, 0] = False
    first = above.argmax(1)
    rows = np.arange(count)
    before, after = values[rows, first - 1], values[rows, first]
    part = np.clip((half - before) / np.maximum(after - before, 1e-3), 0.0, 1.0)
    place = reach[first - 1] + part * 0.5
    return ring + inward * place[:, None], level


def _body_only(image: Image, mask: Mask, reach_px: int) -> Image:
    """The picture with everything off the body painted in the body's nearby colour.

    Without this the median at a corner of the die is felt, and the corner itself looks like a pip.
    """
    weight, size = mask.astype(np.uint8), (reach_px, reach_px)
    total = cv2.boxFilter(weight, cv2.CV_32F, size, normalize=False)
    colour = cv2.boxFilter(cv2.bitwise_and(image, image, mask=weight), cv2.CV_32F, size, normalize=False)
    near = (~mask) & (total > 0.5)
    mean = cv2.divide(colour, cv2.merge([cv2.max(total, 1.0)] * 3)).astype(np.uint8)
    return np.asarray(cv2.copyTo(mean, near.astype(np.uint8), image.copy()), dtype=np.uint8)


def _lightness(smooth: Image, flat: Image, size_of: Image, inner: Mask) -> Floats:
    """How much lighter each pixel is than its neighbourhood; where only the hue differs, on which side of it it lies.

    Args:
        smooth: The picture, BGR.
        flat: Its neighbourhood, BGR.
        size_of: The largest of each pixel's differences.
        inner: Where faces are.
    """
    rest = cv2.subtract(smooth, flat, dtype=cv2.CV_16S)
    # Channel by channel: a reduction over three neighbours is the slowest way through an array.
    blue, green, red = cv2.split(rest)
    light = blue + green + red
    plain = rest[inner & (size_of > _PLAIN_CODES)].astype(np.float32)
    plain = plain[np.abs(plain.sum(1)) < EQUALLY_LIGHT * np.abs(plain).sum(1)]
    if not len(plain):
        return np.asarray(light)
    # Pips of another hue differ from their face all along one colour; which of its ends is called lighter is no matter.
    _, axes = np.linalg.eigh(plain.T @ plain)
    along = axes[:, -1].astype(np.float32)
    hue = np.abs(light) < np.float32(EQUALLY_LIGHT) * (np.abs(blue) + np.abs(green) + np.abs(red))
    sided = blue * along[0] + green * along[1] + red * along[2]
    return np.asarray(np.where(hue, sided * math.copysign(1.0, float(along.sum())), light))


def pip_spots(image: Image, size_px: float, mask: Mask | None = None) -> list[tuple[float, float, float, float, float]]:
    """Pip-like spots of a part of the picture.

    Args:
        image: The part, BGR.
        size_px: Edge of a die.
        mask: Where the body is, when it is known.

    Returns:
        One (x, y, area, contrast, lightness) per spot, px of the part; lightness is positive for spots lighter than
        their face.
    """
    window = int(size_px * 0.46) // 2 * 2 + 1
    inner = np.ones(image.shape[:2], dtype=bool)
    if mask is not None:
        image = _body_only(image, mask, window)
        # The edge of a body differs from its faces as pips do.
        inner = cv2.erode(mask.astype(np.uint8), np.ones((_EDGE_PX, _EDGE_PX), np.uint8)) > 0
    flat = np.asarray(cv2.medianBlur(image, max(5, window)), dtype=np.uint8)
    smooth = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.7), dtype=np.uint8)
    out: list[tuple[float, float, float, float, float]] = []
    radius = size_px * 0.1
    area = np.pi * radius * radius
    blue, green, red = cv2.split(cv2.absdiff(smooth, flat))
    size_of = np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.uint8)
    light = _lightness(smooth, flat, size_of, inner)
    round_px = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (window // 2 * 2 + 1,) * 2)
    for sign in (1.0, -1.0):
        strong = size_of * (light > 0 if sign > 0 else light < 0)
        if not (strong > 14).any():
            continue
        mask = ((strong > cv2.dilate(strong, round_px) // 2) & (strong > 14)).astype(np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
        wide, high, sizes = stats[:, 2], stats[:, 3], stats[:, 4]
        fits = (sizes >= 0.25 * area) & (sizes <= 4.0 * area) & (sizes >= 0.5 * wide * high)
        fits &= np.maximum(wide, high) <= 2.6 * np.minimum(wide, high)
        fits[0] = False
        if not fits.any():
            continue
        ys, xs = np.nonzero(fits[labels])
        at, weight = labels[ys, xs], strong[ys, xs]
        total, strongest = np.bincount(at, weight, count), np.zeros(count)
        np.maximum.at(strongest, at, weight)
        cx, cy = np.bincount(at, weight * xs, count), np.bincount(at, weight * ys, count)
        out.extend(
            (float(cx[i] / total[i]), float(cy[i] / total[i]), float(sizes[i]), float(strongest[i]), sign)
            for i in np.flatnonzero(fits).tolist()
        )
    return out
