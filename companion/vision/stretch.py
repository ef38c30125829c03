"""A stretch of ground in a photograph: one colour, lit or shaded, that hangs together, and its long straight sides.

Theory. Light and shadow move a colour along the line from black through itself, so ground is what lies on one such
line, told from a few samples of it. Where it ends along a straight line there is a wall, or something as good to lean
on; the edge of a shadow is as straight, but behind it lies the same ground in more light, and the edge of the picture
is no end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.types import Floats, Image, Mask

# Width of a die in the picture that is looked at, px; the ground needs no finer one.
_EDGE_PX = 16.0
# Darker than this nothing is told of a colour. Spreads that still belong to the line, and least distance, codes.
BLACK, _SPREADS, _LEAST_OFF = 10.0, 4.0, 5.0
# How dark a shadow may be, and how bright a light, as shares of the ground's level.
_SHADE = (0.12, 1.5)
# The same ground in more light: how far off its line it may be, in its spreads, from which level on; and the share of
# a side behind which it must lie to make it the edge of a shadow.
_TINTED, _LIGHTER, _LIGHT_EDGE = 2.0, 1.25, 0.5
# Least share of the samples that must be ground to trust what stands on it, and the most grain of it, codes.
_BARE, _MOST_GRAIN = 0.75, 26.0
# A side: its least length, how far it may wander, the part of a picture's edge that is none; all in edges but the last.
_LONG, _WANDER, _EDGE_OF_PICTURE = 4.0, 0.22, 2.5
# How far from a side it is looked at what lies before it and behind it, px.
_BEHIND_PX = 2.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch of ground that hangs together.

    Attributes:
        mask: Where it is seen.
        far: Distance of all colours from its line, in what still belongs to it.
        trusted: Whether it is even enough to tell what stands on it.
        sides: Ends of its long straight sides, each shape (2, 2).
    """

    mask: Mask
    far: Floats
    trusted: bool
    sides: tuple[Floats, ...]


def colours_of(image: Image, edge_px: float) -> tuple[Floats, float]:
    """A picture as small as the ground needs it, and its size as a share of the whole.

    Args:
        image: The picture, BGR.
        edge_px: Edge of the dice in it.
    """
    factor = min(1.0, _EDGE_PX / edge_px)
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA) if factor < 1.0 else image
    return cv2.GaussianBlur(small, (0, 0), 0.7).astype(np.float32), factor


def stretch_at(colours: Floats, samples_at: Mask, unit: float) -> Stretch | None:
    """The ground in a part of a picture, as far as it hangs together; None where that part shows no colour.

    Args:
        colours: The picture, BGR.
        samples_at: Where the ground is for the most part.
        unit: Edge of the dice, px.
    """
    samples = colours[samples_at]
    samples = samples[np.linalg.norm(samples, axis=1) > BLACK]
    if len(samples) < unit:
        return None
    line = np.median(samples / np.linalg.norm(samples, axis=1)[:, None], axis=0)
    line /= np.linalg.norm(line)
    for _ in range(3):
        off = _off(samples, line)
        line = samples[off <= 2.5 * np.median(off) + 1].sum(0)
        line /= np.linalg.norm(line)
    off = _off(samples, line)
    spread = float(np.median(off))
    level = float(np.percentile(samples[off < 2.5 * spread + 1] @ line, 70))
    most = max(_LEAST_OFF, _SPREADS * spread)
    along, far = colours @ line / level, _off(colours, line) / most
    alike = (far < 1.0) & (along > _SHADE[0]) & (along < _SHADE[1])
    labels = cv2.connectedComponents(alike.astype(np.uint8), connectivity=4)[1]
    sizes = np.bincount(labels[samples_at & alike])
    if not len(sizes):
        return None
    mask: Mask = labels == int(sizes.argmax())
    lit = (far < _TINTED) & (along > _LIGHTER)
    sides = tuple(side for side in _sides(mask, unit) if _share_beyond(lit, mask, side) < _LIGHT_EDGE)
    trusted = most < _MOST_GRAIN and float(mask[samples_at].mean()) > _BARE
    return Stretch(mask=mask, far=far, trusted=trusted, sides=sides)


def places_along(side: Floats, out: Floats, shape: tuple[int, ...]) -> Floats:
    """Places along a side moved by a step, column and row, shape (25, 2); those outside the picture at its edge."""
    at = side[0] + np.linspace(0.1, 0.9, 25)[:, None] * (side[1] - side[0]) + out
    return np.asarray(np.clip(np.round(at), 0, [shape[1] - 1, shape[0] - 1]).astype(int))


def outward(side: Floats, mask: Mask) -> Floats:
    """The way across a side that leads off the ground, of length one, shape (2,)."""
    way = (side[1] - side[0]) / math.dist(*side)
    across = np.array([-way[1], way[0]])
    here, there = (_share(mask, side, _BEHIND_PX * turn) for turn in (across, -across))
    return across if here < there else -across


def _share(mask: Mask, side: Floats, out: Floats) -> float:
    at = places_along(side, out, mask.shape)
    return float(mask[at[:, 1], at[:, 0]].mean())


def _off(colours: Floats, line: Floats) -> Floats:
    """Distance of colours from a line through black, codes."""
    return np.asarray(np.linalg.norm(colours - (colours @ line)[..., None] * line, axis=-1))


def _sides(mask: Mask, unit: float) -> list[Floats]:
    """Long straight sides of a stretch of ground, those along the picture's edge left out; dice on it are no gaps."""
    rows, cols = mask.shape
    wide = round(1.3 * unit) | 1
    filled = cv2.copyMakeBorder(mask.astype(np.uint8), wide, wide, wide, wide, cv2.BORDER_REPLICATE)
    for how, size in ((cv2.MORPH_CLOSE, wide), (cv2.MORPH_OPEN, max(3, wide // 3))):
        filled = cv2.morphologyEx(filled, how, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    within = cv2.copyMakeBorder(filled[wide:-wide, wide:-wide], 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    out = []
    for outline in cv2.findContours(within, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)[0]:
        corners = cv2.approxPolyDP(outline, _WANDER * unit, closed=True).reshape(-1, 2) - 1.0
        for side in np.stack([corners, np.roll(corners, -1, axis=0)], 1):
            edges = [(side[:, 0], 0), (side[:, 1], 0), (side[:, 0], cols - 1), (side[:, 1], rows - 1)]
            of_picture = any((np.abs(at - edge) < _EDGE_OF_PICTURE).all() for at, edge in edges)
            if math.dist(*side) > _LONG * unit and not of_picture:
                out.append(side)
    return out


def _share_beyond(lit: Mask, mask: Mask, side: Floats) -> float:
    """Share of what lies right behind a side that is only the same ground in more light."""
    return _share(lit, side, _BEHIND_PX * outward(side, mask))
