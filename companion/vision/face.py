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
from functools import lru_cache

import cv2
import numpy as np

from companion.vision.types import Floats, Image, Mask, Places

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
_REACH, _REACH_ALONE = 1.25, 0.6
# Codes by which the strongest site must differ from the bare face, and the least margin of the second opinion.
_FAINT = 16.0
_MARGIN = 0.18
EQUALLY_LIGHT = 0.6
"""Up to this share of light among the differences of their colours two colours differ in hue alone."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Guesses:
    """Spots that look like one face seen square on, laid into some planes; one row per guess.

    Attributes:
        plane: Index of the plane, shape (g,).
        middle_mm: Middle of the face in that plane, shape (g, 2).
        turn_rad: Turn of the lattice, 0 to a quarter turn; 0 where one pip leaves it open, shape (g,).
        value: The number, shape (g,).
        taken: Which spots are its pips, shape (g, m).
        miss: Mean distance of these from their sites, in lattice pitches, shape (g,).
    """

    plane: Places
    middle_mm: Floats
    turn_rad: Floats
    value: Places
    taken: Mask
    miss: Floats


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
    found = guesses(spots_mm[None], strength, size_mm, pitch)
    return [
        FlatGuess(
            x_mm=x,
            y_mm=y,
            turn_rad=None if value == 1 else turn,
            size_mm=size_mm,
            value=value,
            miss=miss,
            spots=tuple(np.flatnonzero(taken).tolist()),
        )
        for (x, y), turn, value, miss, taken in zip(
            found.middle_mm.tolist(),
            found.turn_rad.tolist(),
            found.value.tolist(),
            found.miss.tolist(),
            found.taken,
            strict=True,
        )
    ]


@dataclass(frozen=True, slots=True)
class _Starts:
    """Where a face may lie: plane, middle and turn of each; the first are single pips, which leave the turn open."""

    plane: Places
    x: Floats
    y: Floats
    turn: Floats
    alone: int


@lru_cache(maxsize=256)
def _pairs(count: int) -> tuple[Places, Places]:
    """All pairs of so many spots."""
    first, second = np.triu_indices(count, 1)
    return first, second


def _starts(x: Floats, y: Floats, step: float) -> _Starts:
    """A single pip on each spot, and faces of which two spots are opposite corners, or the middle and a corner."""
    planes, count = x.shape
    first, second = _pairs(count)
    across, down = x[:, second] - x[:, first], y[:, second] - y[:, first]
    length = np.sqrt(across * across + down * down)
    plane, pair = (np.abs(length - 8**0.5 * step) < 0.65 * step).nonzero()
    near, side = (np.abs(length - 2**0.5 * step) < 0.35 * step).nonzero()
    i, j, one, other = first[pair], second[pair], first[side], second[side]
    turn = np.arctan2(down[plane, pair], across[plane, pair]) - np.pi / 4
    beside = np.arctan2(down[near, side], across[near, side]) - np.pi / 4
    alone = np.repeat(np.arange(planes), count)
    return _Starts(
        np.concatenate([alone, plane, near, near]),
        np.concatenate([x.ravel(), (x[plane, i] + x[plane, j]) / 2, x[near, one], x[near, other]]),
        np.concatenate([y.ravel(), (y[plane, i] + y[plane, j]) / 2, y[near, one], y[near, other]]),
        np.concatenate([np.zeros(len(alone)), turn, beside, beside]),
        len(alone),
    )


def guesses(spots_mm: Floats, strength: Floats, size_mm: float, pitch: float) -> Guesses:
    """All ways in which spots, laid into some planes, form a whole face; each set of spots of a plane once.

    Args:
        spots_mm: Spot centres in each plane, shape (p, m, 2).
        strength: Contrast of each spot, shape (m,).
        size_mm: Edge of the die.
        pitch: Distance of neighbouring sites as a share of the edge.

    Returns:
        Guesses plane by plane, in each the largest numbers first.
    """
    step = pitch * size_mm
    x, y = spots_mm[..., 0] / step, spots_mm[..., 1] / step
    starts = _starts(x, y, 1.0)
    reach = np.full(len(starts.x), _REACH)
    reach[: starts.alone] = _REACH_ALONE
    room = reach[:, None] * 2**0.5
    across, down = x[starts.plane] - starts.x[:, None], y[starts.plane] - starts.y[:, None]
    # Few spots are near any one place, so all that follows is a list of starts and spots near them.
    row, spot = ((np.abs(across) < room) & (np.abs(down) < room)).nonzero()
    c, s, dx, dy = np.cos(starts.turn)[row], np.sin(starts.turn)[row], across[row, spot], down[row, spot]
    u, v = c * dx + s * dy, c * dy - s * dx
    inside = np.maximum(np.abs(u), np.abs(v)) < reach[row]
    row, spot, u, v = row[inside], spot[inside], u[inside], v[inside]
    strongest = np.zeros(len(reach))
    np.maximum.at(strongest, row, strength[spot])
    plain = strength[spot] > _WEAK * strongest[row]
    row, spot, u, v = row[plain], spot[plain], u[plain], v[plain]
    column, line = np.rint(u), np.rint(v)
    du, dv = u - column, v - line
    miss = np.sqrt(du * du + dv * dv)
    bits = 1 << (4 + column + 3 * line).astype(np.int64)
    # Every start has spots of its own, so each has its part of the list.
    begin = np.searchsorted(row, np.arange(len(reach)))
    pattern = np.bitwise_or.reduceat(bits, begin)
    value = _BY_BITS[pattern]
    good = (value > 0) & (np.add.reduceat(bits, begin) == pattern) & (np.maximum.reduceat(miss, begin) <= _SLACK)
    good[: starts.alone] &= value[: starts.alone] == 1
    good[starts.alone :] &= value[starts.alone :] > 1
    start = good.nonzero()[0]
    taken = np.zeros((len(reach), x.shape[1]), dtype=bool)
    taken[row, spot] = True
    taken = taken[start]
    mean = np.add.reduceat(miss, begin)[start] / taken.sum(1)
    kept = _once(starts.plane[start], value[start], mean, taken)
    start = start[kept]
    return Guesses(
        plane=starts.plane[start],
        middle_mm=np.column_stack([starts.x[start], starts.y[start]]) * step,
        turn_rad=starts.turn[start] % (np.pi / 2),
        value=value[start],
        taken=taken[kept],
        miss=mean[kept],
    )


def _once(plane: Places, value: Places, miss: Floats, taken: Mask) -> Places:
    """Rows of which each set of spots of a plane comes once, by its least miss; by plane, largest numbers first."""
    best: dict[tuple[int, bytes], int] = {}
    words = np.packbits(taken, axis=1)
    raw, width, misses = words.tobytes(), words.shape[1], miss.tolist()
    for row, where in enumerate(plane.tolist()):
        key = (where, raw[row * width : (row + 1) * width])
        if key not in best or misses[row] < misses[best[key]]:
            best[key] = row
    kept = np.fromiter(best.values(), dtype=np.int64, count=len(best))
    return np.asarray(kept[np.lexsort((miss[kept], -value[kept], plane[kept]))])


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
_PLACES_UV, _PLACES_WIDE_UV = np.concatenate([_SITE_UV, BARE_UV]), np.concatenate([_SITE_UV, _WIDE_UV])
_CROSS_PX = np.array([[0.0, 0.0], [0.8, 0.0], [-0.8, 0.0], [0.0, 0.8], [0.0, -0.8]])
_LOCAL = np.array([[np.hypot(*(site - bare)) < 0.8 for bare in BARE_UV] for site in _SITE_UV], dtype=np.float64)
_LOCAL /= _LOCAL.sum(1, keepdims=True)


def second_opinion(
    image: Image, to_px: Callable[[Floats], Floats], *, light: bool, wide: bool = False, least: float = _MARGIN
) -> tuple[int | None, float]:
    """The number by colour samples at the nine sites of a posed face.

    Args:
        image: The picture, BGR.
        to_px: Turns face points, in pitches from the middle, shape (n, 2), into picture pixels.
        light: Whether the spots are lighter than the face; what stands out on the other side is a glare's edge, no pip.
        wide: Take the bare colour farther out, for the large single pip of Asian dice.
        least: From which margin on a pattern stands out.

    Returns:
        The number (None when no pattern stands out) and the margin: how far, on a scale where the strongest pip
        is 1, the faintest pip lies above the strongest bare site.
    """
    places = to_px(_PLACES_WIDE_UV if wide else _PLACES_UV)
    spots = (places[:, None] + _CROSS_PX).astype(np.float32)
    colours = cv2.remap(image, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mean = colours.sum(1, dtype=np.float64) / len(_CROSS_PX)
    bare = _LOCAL @ mean[9:]
    rest = mean[:9] - bare
    lengths = np.sqrt((rest * rest).sum(1))
    strongest = int(lengths.argmax())
    length = float(lengths[strongest])
    apart = rest[strongest]
    sided = float(apart.sum()) * (1.0 if light else -1.0)
    # Pips of about the face's light are told by their hue, which has no side.
    if length < _FAINT or sided < -EQUALLY_LIGHT * float(np.abs(apart).sum()):
        return None, 0.0
    height = rest @ (apart / length) / (bare.sum(1) + 60.0)
    height = height / height.max()
    margins = np.where(_TAKEN, height, np.inf).min(1) - np.where(_TAKEN, -np.inf, height).max(1)
    best = int(margins.argmax())
    margin = float(margins[best])
    return (int(_NUMBERS[best]) if margin >= least else None), margin
