"""The number on a face: which sites of the pip lattice are taken, and a second look that never sees the spots.

Theory. Six numbers are six subsets of a 3 x 3 lattice, each known up to a quarter turn. The first opinion places
spots on the lattice and asks for exactly one subset, nothing missing, nothing left over. The second opinion takes
only the pose and the picture: it measures, at each of the nine sites, how far the colour is from that of the bare
face between the sites, and asks which subset explains the nine figures with a clear margin. The spots come from
region shapes, the second opinion from samples at fixed places, so a smear, a glare or a lost pip seldom fools both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.types import Floats, Image

# Sites are numbered row by row: 0 1 2 / 3 4 5 / 6 7 8.
PATTERNS: dict[frozenset[int], int] = {
    frozenset({4}): 1,
    frozenset({0, 8}): 2,
    frozenset({2, 6}): 2,
    frozenset({0, 4, 8}): 3,
    frozenset({2, 4, 6}): 3,
    frozenset({0, 2, 6, 8}): 4,
    frozenset({0, 2, 4, 6, 8}): 5,
    frozenset({0, 3, 6, 2, 5, 8}): 6,
    frozenset({0, 1, 2, 6, 7, 8}): 6,
}
_BY_BITS = np.zeros(512, dtype=np.int64)
for _sites, _value in PATTERNS.items():
    _BY_BITS[sum(1 << site for site in _sites)] = _value
_TAKEN = np.array([[site in sites for site in range(9)] for sites in PATTERNS])
_NUMBERS = np.array(list(PATTERNS.values()))
_SITE_UV = np.array([[u, v] for v in (-1, 0, 1) for u in (-1, 0, 1)], dtype=np.float64)


# Beside a strong spot of the same face a spot this much weaker is grain or a highlight on an edge.
_WEAK = 0.35
_HIGHLIGHT = 0.6
# Pips lie one pitch from the middle, the shining corners of a rounded face a third of a pitch farther out.
_REACH = 1.25
# Codes by which the strongest site must differ from the bare face, and the least margin of the second opinion.
_FAINT = 16.0
_MARGIN = 0.18
# How far a spot may lie from its site while nothing is fitted yet, in pitches.
_SLACK = 0.28


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatGuess:
    """Spots that look like one upper face seen square on.

    Attributes:
        x_mm: Middle of the face.
        y_mm: Middle of the face.
        turn_rad: Turn of the lattice, 0 to a quarter turn; None when one pip leaves it open.
        size_mm: Edge of the die.
        value: The number.
        spots: Indices of the spots.
        miss: Mean distance of the spots from their sites, in lattice pitches.
    """

    x_mm: float
    y_mm: float
    turn_rad: float | None
    size_mm: float
    value: int
    spots: tuple[int, ...]
    miss: float


def flat_guesses(spots_mm: Floats, strength: Floats, size_mm: float, pitch: float) -> list[FlatGuess]:
    """All ways in which spots form a whole upper face of a die of one size, largest numbers first.

    Args:
        spots_mm: Spot centres lifted to the height of the upper face, shape (m, 2).
        strength: Contrast of each spot, shape (m,); beside a strong spot a weak one is grain or a highlight.
        size_mm: Edge of the die.
        pitch: Distance of neighbouring sites as a share of the edge.

    Returns:
        Guesses with no spot left over inside the face.
    """
    step = pitch * size_mm
    starts: list[tuple[Floats, float | None]] = [(spot, None) for spot in spots_mm]
    first, second = np.nonzero(np.triu(_gaps(spots_mm) < 3.6 * step, 1))
    arms = spots_mm[second] - spots_mm[first]
    lengths, bearings = np.hypot(arms[:, 0], arms[:, 1]) / step, np.arctan2(arms[:, 1], arms[:, 0]) - np.pi / 4
    for i, j, length, bearing in zip(first, second, lengths, bearings, strict=True):
        if abs(length - 8**0.5) < 0.65:
            starts.append(((spots_mm[i] + spots_mm[j]) / 2, float(bearing)))
        elif abs(length - 2**0.5) < 0.35:
            starts.extend([(spots_mm[i], float(bearing)), (spots_mm[j], float(bearing))])
    if not len(spots_mm):
        return []
    found: dict[tuple[int, ...], FlatGuess] = {}
    for guess in _matches(spots_mm, strength, starts, size_mm, step):
        if guess.spots not in found or found[guess.spots].miss > guess.miss:
            found[guess.spots] = guess
    return sorted(found.values(), key=lambda g: (-g.value, g.miss))


def _gaps(points: Floats) -> Floats:
    """Distance of each point from each other, shape (n, n)."""
    apart = points[:, None] - points[None]
    return np.asarray(np.sqrt((apart**2).sum(-1)))


def _matches(
    spots: Floats, strength: Floats, starts: list[tuple[Floats, float | None]], size_mm: float, step: float
) -> list[FlatGuess]:
    """Those starts around which the spots make a whole number, asked of all starts at once."""
    middles = np.array([middle for middle, _ in starts])
    open_turn = np.array([turn is None for _, turn in starts])
    angles = np.array([0.0 if turn is None else turn for _, turn in starts])
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    x, y = (spots[None, :, 0] - middles[:, :1]) / step, (spots[None, :, 1] - middles[:, 1:]) / step
    u, v = c * x + s * y, c * y - s * x
    inside = np.maximum(np.abs(u), np.abs(v)) < np.where(open_turn, 0.6, _REACH)[:, None]
    strongest = np.where(inside, strength, 0.0).max(1)
    inside &= strength > _WEAK * strongest[:, None]
    column, row = np.clip(np.rint(u), -1, 1), np.clip(np.rint(v), -1, 1)
    miss = np.where(inside, np.hypot(u - column, v - row), 0.0)
    bits = np.where(inside, 1 << (4 + column + 3 * row).astype(np.int64), 0)
    number = _BY_BITS[np.bitwise_or.reduce(bits, axis=1)]
    good = (number > 0) & (bits.sum(1) == np.bitwise_or.reduce(bits, axis=1)) & (miss.max(1) <= _SLACK)
    good &= (number == 1) == open_turn
    return [
        FlatGuess(
            x_mm=float(middles[i, 0]),
            y_mm=float(middles[i, 1]),
            turn_rad=None if open_turn[i] else float(angles[i] % (np.pi / 2)),
            size_mm=size_mm,
            value=int(number[i]),
            spots=tuple(np.flatnonzero(inside[i]).tolist()),
            miss=float(miss[i].sum() / inside[i].sum()),
        )
        for i in np.flatnonzero(good)
    ]


def _inside(local: Floats, strength: Floats, reach: float) -> tuple[Floats, Floats, Floats]:
    """Spots on the face: their indices, nearest sites, and distances from these in pitches."""
    inside = np.nonzero(np.abs(local).max(1) < reach)[0]
    inside = inside[strength[inside] > _WEAK * strength[inside].max(initial=0.0)]
    gap = np.linalg.norm(local[inside, None] - _SITE_UV[None], axis=-1)
    site = gap.argmin(1)
    return inside, site, gap[np.arange(len(inside)), site]


def number(local: Floats, strength: Floats, slack: float = 0.33) -> int | None:
    """The number that spots make on a face whose pose is known.

    Args:
        local: Spots in the face's own frame, in pitches from its middle, shape (m, 2).
        strength: Contrast of each spot, shape (m,).
        slack: How far a spot may lie from its site, in pitches.

    Returns:
        1 to 6, or None when the spots on the face are no whole pattern.
    """
    inside, site, miss = _inside(local, strength, _REACH)
    # A weak spot away from all sites is a highlight on an edge.
    pips = (miss <= slack) | (strength[inside] > _HIGHLIGHT * strength[inside].max(initial=0.0))
    site, miss = site[pips], miss[pips]
    taken = frozenset(site.tolist())
    if len(taken) != len(site) or float(miss.max(initial=0.0)) > slack:
        return None
    return PATTERNS.get(taken)


def upright(image: Image, corners_px: Floats, side_px: int = 48) -> Image:
    """One face cut out and squared, shape (side, side, 3)."""
    square = np.array([[0, 0], [side_px, 0], [side_px, side_px], [0, side_px]], dtype=np.float32) - np.float32(0.5)
    warp = cv2.getPerspectiveTransform(corners_px.astype(np.float32), square)
    return np.asarray(cv2.warpPerspective(image, warp, (side_px, side_px), flags=cv2.INTER_LINEAR), dtype=np.uint8)


_WIDE_UV = np.array([[-1.1, -0.5], [0.5, -1.1], [-0.5, 1.1], [1.1, 0.5]])
BARE_UV = np.array([[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]])
_CROSS_PX = np.array([[0.0, 0.0], [0.8, 0.0], [-0.8, 0.0], [0.0, 0.8], [0.0, -0.8]])
_LOCAL = np.array([[np.hypot(*(site - bare)) < 0.8 for bare in BARE_UV] for site in _SITE_UV], dtype=np.float64)
_LOCAL /= _LOCAL.sum(1, keepdims=True)


def second_opinion(image: Image, to_px: Callable[[Floats], Floats], *, wide: bool = False) -> tuple[int | None, float]:
    """The number by colour samples at the nine sites of a posed face.

    Args:
        image: The picture, BGR.
        to_px: Turns face points, in pitches from the middle, shape (n, 2), into picture pixels.
        wide: Take the bare colour farther out, for the large single pip of Asian dice.

    Returns:
        The number (None when no pattern stands out) and the margin: how far, on a scale where the strongest pip
        is 1, the faintest pip lies above the strongest bare site.
    """
    places = to_px(np.concatenate([_SITE_UV, _WIDE_UV if wide else BARE_UV]))
    spots = (places[:, None] + _CROSS_PX[None]).astype(np.float32)
    colours = cv2.remap(image, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mean = colours.astype(np.float64).mean(1)
    bare = _LOCAL @ mean[9:]
    rest = mean[:9] - bare
    lead = rest[np.argmax(np.linalg.norm(rest, axis=1))]
    length = float(np.linalg.norm(lead))
    if length < _FAINT:
        return None, 0.0
    height = rest @ (lead / length) / (bare.sum(1) + 60.0)
    height = height / height.max()
    margins = np.where(_TAKEN, height, np.inf).min(1) - np.where(_TAKEN, -np.inf, height).max(1)
    best = int(margins.argmax())
    margin = float(margins[best])
    return (int(_NUMBERS[best]) if margin >= _MARGIN else None), margin
