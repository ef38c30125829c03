"""Where the dice are: what is not felt inside the box, its outline to a fraction of a pixel, and the pips on it.

Theory. Light and shadow move a surface's colour along the line from black through its own colour. The distance of
a pixel from the felt's line is therefore blind to shadows and still large for every die that is not felt green,
even in the dark corner under a wall. The same holds for the four inner walls, each with a line of its own. A pip
is what differs from the median of its neighbourhood: the window is chosen so wide that pips are a minority in it
and so narrow that it stays on one face.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.tray import Tray
from companion.vision.types import Floats, Image, Mask

# Cosine between the colours of lit and shaded felt; below it the dark part is something else.
_SAME_FELT = 0.93


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The part of a picture that holds the box, and how far each pixel is from being felt or wall.

    Attributes:
        origin_px: Left and top of the part in the whole picture.
        image: The part, BGR.
        smooth: The same, float32, with the grain taken off.
        lines: Unit colours of the felt, lit and in shadow.
        far: Distance from the colour line of the ground under each pixel, shape (rows, cols), float32.
        noise: Robust standard deviation of `far` on bare ground.
        floor: Inside the inner floor as projected at floor height.
        inside: Inside the walls' upper inner edge: floor and inner walls.
    """

    origin_px: tuple[int, int]
    image: Image
    smooth: Floats
    lines: list[Floats]
    far: Floats
    noise: float
    floor: Mask
    inside: Mask


def _polygon(shape: tuple[int, int], points: Floats) -> Mask:
    mask = np.zeros(shape, dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 1)
    return mask.astype(bool)


def _rim(tray: Tray, z_mm: float, out_mm: float = 0.0) -> Floats:
    x, y = tray.geometry.floor_mm[0] / 2 + out_mm, tray.geometry.floor_mm[1] / 2 + out_mm
    return tray.project(np.array([[-x, y, z_mm], [x, y, z_mm], [x, -y, z_mm], [-x, -y, z_mm]]))


def line_of(colours: Floats) -> Floats:
    """Unit colour of the bright half of pixels of one surface, shape (3,)."""
    bright = colours.sum(1)
    chosen = colours[bright >= np.median(bright)]
    units = chosen / np.maximum(np.linalg.norm(chosen, axis=1, keepdims=True), 1.0)
    line = np.median(units, axis=0)
    return np.asarray(line / max(float(np.linalg.norm(line)), 1e-6))


def off_lines(image: Floats, lines: list[Floats]) -> Floats:
    """Distance of each pixel from the nearest of some lines through black, shape (rows, cols), float32."""
    along = cv2.transform(image, np.array(lines, dtype=np.float32))
    if along.ndim == 3:
        along = along.max(2)
    blue, green, red = cv2.split(image)
    square = cv2.multiply(blue, blue)
    cv2.accumulateSquare(green, square)
    cv2.accumulateSquare(red, square)
    return np.asarray(cv2.sqrt(cv2.max(square - cv2.multiply(along, along), 0.0)))


def _felt_lines(colours: Floats) -> list[Floats]:
    """The felt's own colour, and that of felt in shadow, where the light has another tint."""
    bright = colours.sum(1)
    dark = colours[bright < 0.6 * np.median(bright)]
    lines = [line_of(colours)]
    if len(dark) > 0.01 * len(colours):
        shaded = line_of(dark)
        if float(shaded @ lines[0]) > _SAME_FELT:
            lines.append(shaded)
    return lines


def look(image: Image, tray: Tray, margin_mm: float = 12.0) -> Ground:
    """The box part of a picture, measured against its own felt and walls."""
    corners = np.concatenate([_rim(tray, tray.geometry.wall_height_mm, margin_mm), _rim(tray, 0.0, margin_mm)])
    left, top = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(corners.max(0)).astype(int) + 1, [image.shape[1], image.shape[0]])
    part = image[top:bottom, left:right]
    shift = np.array([left, top], dtype=np.float64)
    shape = part.shape[:2]
    smooth = cv2.GaussianBlur(part, (0, 0), 0.8).astype(np.float32)
    floor = _polygon(shape, _rim(tray, 0.0) - shift)
    inside = _polygon(shape, _rim(tray, tray.geometry.wall_height_mm) - shift)
    lines = _felt_lines(smooth[floor][::23])
    far = off_lines(smooth, lines)
    noise = max(0.6, float(np.percentile(far[floor][::7], 30)) / 0.85)
    low, high = _rim(tray, 0.0) - shift, _rim(tray, tray.geometry.wall_height_mm) - shift
    for side in range(4):
        quad = np.array([low[side], low[(side + 1) % 4], high[(side + 1) % 4], high[side]])
        wall = _polygon(shape, quad) & ~floor
        if wall.sum() < 50:
            continue
        line = line_of(smooth[wall][::5])
        off = off_lines(smooth[wall][None], [line])[0]
        rough = max(1.0, float(np.percentile(off, 60)) / (1.6 * noise))
        far[wall] = np.minimum(off / rough, far[wall])
        seam = np.zeros(shape, dtype=np.uint8)
        ends = np.round(low[[side, (side + 1) % 4]]).astype(int)
        cv2.line(seam, ends[0].tolist(), ends[1].tolist(), 1, 3)
        here = seam > 0
        # Where felt and wall meet, a pixel holds some of each: so much of either as there is light on it, no more.
        pair = np.column_stack([lines[0], line])
        parts = smooth[here] @ np.linalg.pinv(pair).T
        rest = np.linalg.norm(smooth[here] - parts @ pair.T, axis=1)
        most = 1.25 * np.median(smooth[wall] @ line)
        mixed = (parts[:, 0] > -4.0) & (parts[:, 1] > -4.0) & (parts[:, 1] < most)
        far[here] = np.where(mixed, np.minimum(far[here], rest), far[here])
    inside &= cv2.erode(inside.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    return Ground(
        origin_px=(int(left), int(top)),
        image=part,
        smooth=smooth,
        lines=lines,
        far=far,
        noise=noise,
        floor=floor,
        inside=inside,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Something on the ground that is no ground.

    Attributes:
        mask: Its pixels within `box_px`, holes filled.
        box_px: x, y, width, height in the whole picture.
        outline: Points on its outline, shape (k, 2), px of the whole picture.
        solid: Pixels of the mask that differ from the ground about as much as the body does.
    """

    mask: Mask
    box_px: tuple[int, int, int, int]
    outline: Floats
    solid: Mask


def bodies(ground: Ground, tray: Tray, smallest_mm: float) -> list[Body]:
    """Bodies inside the walls, each at least a quarter of the smallest die's face."""
    limit = max(6.0 * ground.noise, 7.0)
    least = 0.25 * (smallest_mm * tray.px_per_mm) ** 2
    strong = (ground.far > limit) & ground.inside
    found = []
    weak: list[Body] = []
    for body in _pieces(strong, ground.far, ground, least / 8):
        if np.median(ground.far[_window(body, ground)][body.mask]) < 3.2 * limit or body.mask.sum() < least:
            weak.append(body)
        else:
            found.append(body)
    if weak:
        found.extend(_weak_bodies(weak, ground, limit, least))
    return found


def _window(body: Body, ground: Ground) -> tuple[slice, slice]:
    x, y, w, h = body.box_px
    left, top = ground.origin_px
    return slice(y - top, y - top + h), slice(x - left, x - left + w)


def _weak_bodies(weak: list[Body], ground: Ground, limit: float, least: float) -> list[Body]:
    """Bodies that hardly differ from the ground, traced on the softer picture around the pieces that do."""
    seed = np.zeros(ground.far.shape, dtype=np.uint8)
    for body in weak:
        seed[_window(body, ground)] |= body.mask.astype(np.uint8)
    reach = 2 * int(0.6 * np.sqrt(4 * least)) + 1
    near = cv2.dilate(seed, np.ones((reach, reach), np.uint8)) > 0
    soft = np.where(ground.floor, off_lines(cv2.GaussianBlur(ground.smooth, (0, 0), 1.6), ground.lines), ground.far)
    bare = float(np.percentile(soft[ground.floor][::7], 40))
    faint = (soft > max(3.2 * bare, 0.33 * limit)) & ground.inside & near
    return [b for b in _pieces(faint | (seed > 0), soft, ground, least) if seed[_window(b, ground)].any()]


def _pieces(mask: Mask, far: Floats, ground: Ground, least: float) -> list[Body]:
    cleaned = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    cleaned = cv2.morphologyEx(cleaned, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    contours, _ = cv2.findContours(cleaned, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    shift = np.array(ground.origin_px, dtype=np.float64)
    found = []
    for contour in contours:
        if cv2.contourArea(contour) < least or len(contour) < 8:
            continue
        x, y, w, h = cv2.boundingRect(contour)
        filled = np.zeros((h, w), np.uint8)
        cv2.drawContours(filled, [contour - [x, y]], -1, 1, cv2.FILLED)
        points, level = _sharpen(far, contour.reshape(-1, 2))
        inside = filled.astype(bool)
        found.append(
            Body(
                mask=inside,
                box_px=(x + ground.origin_px[0], y + ground.origin_px[1], w, h),
                outline=points + shift,
                solid=inside & (far[y : y + h, x : x + w] > 0.35 * float(np.median(level))),
            )
        )
    return found


def _sharpen(far: Floats, contour: Floats) -> tuple[Floats, Floats]:
    """Outline points moved along their normal to half of the level just inside."""
    count = len(contour)
    ring = contour.astype(np.float64)
    smooth = np.zeros_like(ring)
    for shift in range(-3, 4):
        smooth += np.roll(ring, shift, axis=0)
    smooth /= 7.0
    tangent = np.roll(smooth, -3, axis=0) - np.roll(smooth, 3, axis=0)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-6)
    inward = np.column_stack([-tangent[:, 1], tangent[:, 0]])
    centre = ring.mean(0)
    if float(((centre - ring) * inward).sum()) < 0:
        inward = -inward
    reach = np.arange(-4.0, 5.01, 0.5)
    spots = ring[:, None] + inward[:, None] * reach[None, :, None]
    values = cv2.remap(
        far,
        spots[..., 0].astype(np.float32),
        spots[..., 1].astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    zero = int(np.argmin(np.abs(reach)))
    level = np.median(values[:, zero + 2 : zero + 8], axis=1)
    outside = values[:, : zero - 3].min(1)
    half = (level + outside) / 2
    above = values > half[:, None]
    first = np.argmax(above & (np.arange(len(reach)) > 0), axis=1)
    rows = np.arange(count)
    before, after = values[rows, first - 1], values[rows, first]
    part = np.clip((half - before) / np.maximum(after - before, 1e-3), 0.0, 1.0)
    place = reach[first - 1] + part * 0.5
    return ring + inward * place[:, None], level


def _body_only(image: Image, mask: Mask, reach_px: int) -> Image:
    """The picture with everything off the body painted in the body's nearby colour.

    Without this the median at a corner of the die is felt, and the corner itself looks like a pip.
    """
    weight = mask.astype(np.float32)
    size = (reach_px, reach_px)
    total = cv2.boxFilter(weight, -1, size, normalize=False)
    colour = cv2.boxFilter(image.astype(np.float32) * weight[..., None], -1, size, normalize=False)
    near = (~mask) & (total > 0.5)
    painted = image.copy()
    painted[near] = (colour[near] / total[near][:, None]).astype(np.uint8)
    return painted


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
    if mask is not None:
        image = _body_only(image, mask, window)
    flat = cv2.medianBlur(image, max(5, window)).astype(np.float32)
    smooth = cv2.GaussianBlur(image, (0, 0), 0.7).astype(np.float32)
    rest = smooth - flat
    out = []
    radius = size_px * 0.1
    area = np.pi * radius * radius
    # Channel by channel: a reduction over three neighbours is the slowest way through an array.
    blue, green, red = cv2.split(rest)
    light = blue + green + red
    size_of = np.maximum(np.maximum(np.abs(blue), np.abs(green)), np.abs(red))
    for sign in (1.0, -1.0):
        strong = np.where(light * sign > 0, size_of, np.float32(0.0))
        peak = cv2.dilate(strong, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (window // 2 * 2 + 1,) * 2))
        mask = ((strong > 0.5 * peak) & (strong > 14.0)).astype(np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
        wide, high, sizes = stats[:, 2], stats[:, 3], stats[:, 4]
        fits = (sizes >= 0.25 * area) & (sizes <= 4.0 * area) & (sizes >= 0.5 * wide * high)
        fits &= np.maximum(wide, high) <= 2.6 * np.minimum(wide, high)
        for label in np.flatnonzero(fits[:count]):
            if label == 0:
                continue
            x, y, w, h, size = stats[label]
            weight = strong[y : y + h, x : x + w] * (labels[y : y + h, x : x + w] == label)
            total = float(weight.sum())
            cx = float((weight.sum(0) * np.arange(w)).sum()) / total + x
            cy = float((weight.sum(1) * np.arange(h)).sum()) / total + y
            out.append((cx, cy, float(size), float(weight.max()), sign))
    return out
