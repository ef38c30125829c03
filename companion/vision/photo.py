"""Dice in any photograph: no markers, so scale and plane come from the dice themselves.

Theory. A die seen from above is a square with a pip lattice of fixed proportion in it. The picture is searched at a
ladder of sizes; at each it is scaled so that a die would be 36 px wide and the spots of the rig reader are reused. A
pattern of spots only proposes. The proposal must then show its body: rays from its middle must meet an edge on all
four sides, at distances that make a square of the right size for the lattice. A side face of a die seen obliquely
has no edge towards the upper face, a letter or a knot in wood has no square around it, and both fall out here. Two
opinions must name the same number, and two proposals that share one body are both refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.vision import face, find
from companion.vision.pose import PITCH
from companion.vision.types import Floats, Image

_WORK_PX = 36.0
_LADDER = 1.22
_SMALLEST_PX = 14.0
_LARGEST_WORK = 2.5e6
_MOST_SPOTS = 350
_RAYS = 48
_SURE = 0.9
_BODILESS_MARGIN = 0.45
# Dice of one picture differ in size by make and by distance: once the size is known, these are tried around it.
_FINE = (0.76, 0.84, 0.92, 1.0, 1.09, 1.19, 1.3)
_SAME_SIZE = 1.6

_DISC = np.array(
    [[r * math.cos(a), r * math.sin(a)] for r in (0.18, 0.3, 0.42) for a in np.arange(12) * math.pi / 6 + r]
)
_MOAT = np.array([[r * math.cos(a), r * math.sin(a)] for r in (0.74, 0.82) for a in np.arange(16) * math.pi / 8 + r])
_GRID = np.array([[u, v] for u in np.linspace(-0.42, 0.42, 9) for v in np.linspace(-0.42, 0.42, 9)])
# A colour counts as another one when it differs by this many codes at least, and by more than the face does in itself.
_APART = 13.0


_Proposal = tuple[face.FlatGuess, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoDie:
    """One die of a photograph.

    Attributes:
        value: The number, None when the body is sure but the number is not.
        proposed: The number that the spots propose.
        center_px: Middle of the upper face.
        size_px: Edge of the upper face.
        turn_rad: Its turn in the picture.
        support: Share of the rays that meet the square's edge.
        margin: Margin of the second opinion.
        light_pips: Whether its pips are lighter than its face.
        colour: Mean colour of the bare face, BGR.
        why: Code when the number is refused.
    """

    value: int | None
    proposed: int
    center_px: tuple[float, float]
    size_px: float
    turn_rad: float
    support: float
    margin: float
    light_pips: bool
    colour: tuple[float, float, float]
    why: str | None

    @property
    def score(self) -> float:
        """Order in which rivals for one place are taken."""
        return self.support + 0.25 * min(self.margin, 1.0) + 0.06 * self.proposed


def read_photo(image: Image) -> list[PhotoDie]:
    """Dice of a photograph, one per place, left to right."""
    shorter = min(image.shape[:2])
    found: list[PhotoDie] = []
    size, least = 0.42 * shorter, max(_SMALLEST_PX, shorter / 60)
    while size > least:
        found.extend(at_size(image, size))
        sure = [die.size_px for die in found if die.support > _SURE and (die.value or 0) >= 3]
        if sure and size < 0.5 * min(sure):
            break
        size /= _LADDER
    if found:
        common = _common_size(found)
        for step in _FINE:
            found.extend(at_size(image, common * step))
    return sorted(_settled(found), key=lambda d: d.center_px)


def at_size(image: Image, size_px: float, *, loose: bool = False) -> list[PhotoDie]:
    """All proposals with a body, for dice of about one size in px; rivals for one place are all there.

    Args:
        image: The picture, BGR.
        size_px: Edge of a die.
        loose: Take also whole patterns of three and more whose body does not close, when both opinions agree.
    """
    factor = min(_WORK_PX / size_px, math.sqrt(_LARGEST_WORK / (image.shape[0] * image.shape[1])))
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    scaled = np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=how), dtype=np.uint8)
    work = size_px * factor
    spots = sorted(find.pip_spots(scaled, work), key=lambda s: -s[3])[:_MOST_SPOTS]
    if not spots:
        return []
    smooth = np.asarray(cv2.GaussianBlur(scaled, (0, 0), 0.9), dtype=np.uint8)
    table = np.array(spots)
    out: list[PhotoDie] = []
    for sign in (1.0, -1.0):
        rows = table[table[:, 4] == sign]
        if not len(rows):
            continue
        whole = [(guess, 1.0) for guess in face.flat_guesses(rows[:, :2], rows[:, 3], work, PITCH)]
        proposals = [
            (guess, ratio)
            for guess, ratio in whole + face.six_guesses(rows[:, :2], rows[:, 3], work)
            if _alike(rows[list(guess.spots)])
        ]
        for guess, ratio in _with_body(smooth, proposals, work):
            die = _verified(smooth, guess, ratio, rows[list(guess.spots)], 1.0 / factor)
            if die is not None:
                out.append(die)
        if loose:
            many = [p for p in proposals if p[0].value >= 3]
            out.extend(d for p in many if (d := _bodiless(smooth, p, rows[list(p[0].spots)], 1.0 / factor)))
    return out


def _alike(spots: Floats) -> bool:
    return bool(spots[:, 2].max() <= 2.2 * spots[:, 2].min() and spots[:, 3].max() <= 2.5 * spots[:, 3].min())


def _sampled(image: Image, places: Floats) -> Floats:
    """Colours at places, shape (..., 2) to (..., 3)."""
    flat = places.reshape(-1, 1, 2).astype(np.float32)
    # OpenCV's remap takes no more than 32767 rows at once.
    parts = [
        cv2.remap(image, part[..., 0], part[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        for part in np.array_split(flat, len(flat) // 30000 + 1)
    ]
    return np.concatenate(parts).reshape(*places.shape[:-1], 3).astype(np.float64)


def _with_body(smooth: Image, guesses: list[_Proposal], work: float) -> list[_Proposal]:
    """Those guesses whose disc is of one colour and whose moat is of another; asked of all at once."""
    if not guesses:
        return []
    middles = np.array([[g.x_mm, g.y_mm] for g, _ in guesses])
    inner = _sampled(smooth, middles[:, None] + _DISC[None] * work)
    outer = _sampled(smooth, middles[:, None] + _MOAT[None] * work)
    body = np.median(inner, axis=1, keepdims=True)
    rough = np.percentile(np.abs(inner - body).max(2), 62, axis=1)
    apart = np.percentile(np.abs(outer - body).max(2), 35, axis=1)
    good = apart > np.maximum(_APART, 2.0 * rough)
    return [guess for guess, fine in zip(guesses, good, strict=True) if fine]


def _verified(smooth: Image, guess: face.FlatGuess, ratio: float, spots: Floats, unscale: float) -> PhotoDie | None:
    """A proposal with its body around it, or None when there is no body."""
    middle, work = np.array([guess.x_mm, guess.y_mm]), guess.size_mm
    turns = [guess.turn_rad] if guess.turn_rad is not None else list(np.arange(12) * math.pi / 24)
    body, limit = _face_colour(smooth, guess)
    points, met = _edges(smooth, middle, work, body, limit)
    best: tuple[float, float, float, Floats] = (-1.0, 0.0, 0.0, middle)
    for turn in turns:
        support, half, centre = _square(points[met], turn, middle)
        best = max(best, (support, half, turn, centre), key=lambda b: b[0])
    support, half, turn, centre = best
    support *= float(met.mean())
    size = 2 * half
    if (
        support < 0.6
        or not 0.78 * work < size < 1.3 * work
        or np.hypot(*(centre - middle)) > (0.1 if guess.value == 1 else 0.17) * size
    ):
        return None
    c, s = math.cos(turn), math.sin(turn)
    across = _steps(guess, ratio, spots, work)

    def to_px(local: Floats) -> Floats:
        return np.asarray((local * across) @ np.array([[c, s], [-s, c]]) + middle)

    number, margin = face.second_opinion(smooth, to_px)
    if number is None and guess.value == 1:
        number, margin = face.second_opinion(smooth, to_px, wide=True)
    why = None if number == guess.value else ("pips-faint" if number is None else "opinions-differ")
    if support < 0.8:
        why = "outline-unsure"
    return PhotoDie(
        value=guess.value if why is None else None,
        proposed=guess.value,
        center_px=(float(centre[0] * unscale), float(centre[1] * unscale)),
        size_px=float(size * unscale),
        turn_rad=turn,
        support=support,
        margin=margin,
        light_pips=bool(spots[0, 4] > 0),
        colour=(float(body[0]), float(body[1]), float(body[2])),
        why=why,
    )


def _bodiless(smooth: Image, proposal: _Proposal, spots: Floats, unscale: float) -> PhotoDie | None:
    """A pattern on which both opinions agree clearly, whatever its surroundings are."""
    guess, ratio = proposal
    middle, turn = np.array([guess.x_mm, guess.y_mm]), guess.turn_rad or 0.0
    c, s = math.cos(turn), math.sin(turn)
    across = _steps(guess, ratio, spots, guess.size_mm)
    number, margin = face.second_opinion(
        smooth, lambda local: np.asarray((local * across) @ np.array([[c, s], [-s, c]]) + middle)
    )
    if number != guess.value or margin < _BODILESS_MARGIN:
        return None
    body, limit = _face_colour(smooth, guess)
    moat = np.abs(_sampled(smooth, middle + _MOAT * guess.size_mm) - body).max(1)
    if guess.value < 5 and float(np.percentile(moat, 40)) < limit:
        return None
    return PhotoDie(
        value=None,
        proposed=guess.value,
        center_px=(guess.x_mm * unscale, guess.y_mm * unscale),
        size_px=guess.size_mm * unscale,
        turn_rad=turn,
        support=0.5,
        margin=margin,
        light_pips=bool(spots[0, 4] > 0),
        colour=(float(body[0]), float(body[1]), float(body[2])),
        why="outline-unsure",
    )


def _steps(guess: face.FlatGuess, ratio: float, spots: Floats, work: float) -> Floats:
    """Distance of neighbouring sites along the face's two axes."""
    if guess.value == 1 or guess.turn_rad is None:
        return np.array([PITCH * work, PITCH * work])
    c, s = math.cos(guess.turn_rad), math.sin(guess.turn_rad)
    local = (spots[:, :2] - np.array([guess.x_mm, guess.y_mm])) @ np.array([[c, -s], [s, c]])
    if guess.value == 6 and ratio < 1.0:
        return np.array([float(np.abs(local[:, 0]).max()), float(np.abs(local[:, 1]).mean())])
    taken = np.abs(local)[np.abs(local) > 0.13 * work]
    return np.full(2, float(taken.mean()) if len(taken) else PITCH * work)


def _face_colour(smooth: Image, guess: face.FlatGuess) -> tuple[Floats, float]:
    """Colour of the bare face and the distance from which on a colour is no longer the face's."""
    middle, work = np.array([guess.x_mm, guess.y_mm]), guess.size_mm
    grid = middle + _GRID * work
    colours = _sampled(smooth, grid)
    body = np.median(colours, axis=0)
    apart = np.abs(colours - body).max(1)
    return body, max(_APART, 1.8 * float(np.percentile(apart, 50 if guess.value > 3 else 65)))


def _edges(smooth: Image, middle: Floats, work: float, body: Floats, limit: float) -> tuple[Floats, Floats]:
    """Where each ray leaves the colour of the face for good, and whether it does so within a die's reach."""
    angles = np.arange(_RAYS) * 2 * math.pi / _RAYS
    reach = np.arange(0.40, 0.92, 0.02) * work
    rays = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    colours = _sampled(smooth, middle + rays[:, None] * reach[None, :, None])
    other = np.abs(colours - body).max(2) > limit
    # For good: also at the next two steps, so that a pip near the edge does not count.
    lasting = other[:, :-3] & other[:, 1:-2] & other[:, 2:-1] & other[:, 3:]
    first = lasting.argmax(1)
    radius = reach[first]
    met = lasting.any(1) & (radius > 0.41 * work)
    return middle + rays * radius[:, None], np.asarray(met)


def _square(points: Floats, turn: float, middle: Floats) -> tuple[float, float, Floats]:
    """The square of a given turn that most edge points support: support, half edge, middle."""
    if len(points) < 12:
        return 0.0, 0.0, middle
    c, s = math.cos(turn), math.sin(turn)
    local = (points - middle) @ np.array([[c, -s], [s, c]])
    side_x = np.abs(local[:, 0]) >= np.abs(local[:, 1])
    right, left = local[side_x & (local[:, 0] > 0), 0], local[side_x & (local[:, 0] <= 0), 0]
    upper, lower = local[~side_x & (local[:, 1] > 0), 1], local[~side_x & (local[:, 1] <= 0), 1]
    if min(len(right), len(left), len(upper), len(lower)) < 3:
        return 0.0, 0.0, middle
    east, west, north, south = (float(np.median(v)) for v in (right, left, upper, lower))
    width, height = east - west, north - south
    if not 0.8 < width / max(height, 1e-6) < 1.25:
        return 0.0, 0.0, middle
    half = (width + height) / 4
    x, y = (east + west) / 2, (north + south) / 2
    far = np.maximum(np.abs(local[:, 0] - x) - width / 2, np.abs(local[:, 1] - y) - height / 2)
    support = float((np.abs(far) < 0.13 * half * 2).mean())
    centre = middle + np.array([[c, s], [-s, c]]).T @ np.array([x, y])
    return support, half, centre


_WEIGHT = {1: 0.4, 2: 0.7, 3: 1.1, 4: 1.5, 5: 2.0, 6: 2.2}


def _common_size(found: list[PhotoDie]) -> float:
    """The size that most of the evidence speaks for.

    Single pips are weak evidence and there are many of them in any texture, so of these only the best one counts.
    """
    sizes = np.log([die.size_px for die in found])
    weights = np.array([_WEIGHT[die.value] * max(0.0, die.support - 0.5) if die.value else 0.0 for die in found])
    single = np.array([die.value == 1 for die in found])
    near = np.abs(sizes[:, None] - sizes[None]) < math.log(1.25)
    total = near @ np.where(single, 0.0, weights) + (near * np.where(single, weights, 0.0)).max(1)
    return float(math.exp(sizes[int(total.argmax())]))


def _settled(found: list[PhotoDie]) -> list[PhotoDie]:
    """One die per place, all of about one size."""
    if not found:
        return []
    common = _common_size(found)
    whole = [die.value or 0 for die in found if die.support > 0.8]
    anchored = max(whole, default=0) >= 3 or whole.count(2) >= 2
    found = [
        die
        for die in found
        if abs(math.log(die.size_px / common)) < math.log(_SAME_SIZE if (die.value or 0) >= 3 else 1.35)
        and (die.support >= 0.8 or (die.support > 0.7 and die.proposed >= 3))
        and (die.proposed >= 2 or (die.margin > 0.5 and die.support > (0.87 if anchored else 0.93)))
    ]
    taken = settled_at(found)
    if anchored:
        return taken
    # Nothing but one or two pips: knots, screws and buttons look like that, so people decide.
    return [replace(die, value=None, why=die.why or "scale-unsure") for die in taken]


def settled_at(found: list[PhotoDie]) -> list[PhotoDie]:
    """The best proposal for each place."""
    taken: list[PhotoDie] = []
    for die in sorted(found, key=lambda d: -d.score):
        rival = next(
            (t for t in taken if math.dist(t.center_px, die.center_px) < 0.7 * max(t.size_px, die.size_px)), None
        )
        if rival is None:
            taken.append(die)
    return taken
