"""Explaining a body as dice: guesses from the pips, fits to the outline, and what is left unexplained.

Theory. A body on the felt is one die, several that touch, or dice on and against each other. Every whole pip
pattern in it proposes a die lying flat; the fit tells how much of that die's silhouette the outline supports. Dice
are taken best first, never two in one place. What the taken silhouettes leave of the body is then the witness: a
flat die explains its body to the last strip, while a leaning one shows a side that no flat die could show, and a
stacked one leaves a piece of the die below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.vision import face, pose
from companion.vision.find import Body, pip_spots
from companion.vision.fitting import Task, closeness_all, fit_all
from companion.vision.pose import DiePose, Fit
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image, Mask

_PROBE = np.array([[np.cos(a), np.sin(a)] for a in np.arange(12) * np.pi / 6] + [[0.0, 0.0]])
_SQUARE = np.array([[u, v] for u in (-1, -0.5, 0, 0.5, 1) for v in (-1, -0.5, 0, 0.5, 1)])
_BOTH = np.ones(2)
# A body up to this many faces large is one die; its number is plain when all other spots are that much weaker.
_ONE_DIE, _PLAIN, _PLAIN_MISS = 1.75, 0.4, 0.15
# A spot stands above a crowd when the next is that much weaker, and the one after that about like the next.
_CROWD, _CROWD_ALIKE = 0.6, 0.6
_TURNS = tuple(np.arange(6) * np.pi / 12)
# A pip covers at least this share of the square of the die's edge.
_WHOLE_AREA = 0.024
# An outline point this near confirms a point of a silhouette.
_CONFIRMS_PX = 1.7
# One in so many points of an outline is enough for a fit.
THIN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Spots:
    """Pip-like spots of one body.

    Attributes:
        at_px: Centres in the whole picture, shape (m, 2).
        area_px: Areas, shape (m,).
        contrast: Contrasts, lessened for spots smaller than a pip, shape (m,).
        sign: 1 for lighter than the face, -1 for darker, shape (m,).
    """

    at_px: Floats
    area_px: Floats
    contrast: Floats
    sign: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Solid:
    """One die of a body.

    Attributes:
        fit: Its pose and how it closes.
        value: What the spots say, None when they say nothing whole.
        support: Share of the silhouette that the outline confirms, 0 to 1; 0 for a die that leans, where none asks.
        excess: Outline that runs through the upper face's inside, as a share of the silhouette's length; likewise.
        sign: Polarity of its pips.
        spots: Indices of its spots.
        pips_px: Places of its pips, shape (m, 2).
    """

    fit: Fit
    value: int | None
    support: float
    excess: float
    sign: float
    spots: tuple[int, ...]
    pips_px: Floats

    @property
    def quality(self) -> float:
        """Order in which dice are taken; a sound lone die has about 1."""
        pips = self.fit.off_px if len(self.fit.pips_px) else 1.0
        return self.support - self.excess - 0.25 * pips + 0.03 * (self.value or 0) - 0.03 * self.strain

    @property
    def strain(self) -> float:
        """How far size and pip pitch had to be bent to fit, in squared standard deviations, at most 20."""
        at = self.fit.pose
        return min(20.0, (at.spread_px / 0.6) ** 2 + ((at.pitch - pose.PITCH) / 0.012) ** 2)


def spots_of(body: Body, image: Image, size_px: float) -> Spots:
    """Spots on one body; those off its mask are left out."""
    x, y, w, h = body.box_px
    pad = 6
    left, top = max(0, x - pad), max(0, y - pad)
    part = image[top : y + h + pad, left : x + w + pad]
    mask = np.zeros(part.shape[:2], dtype=np.uint8)
    mask[y - top : y - top + h, x - left : x - left + w] = body.mask
    lean_mask = cv2.erode(mask, np.ones((3, 3), np.uint8)) > 0
    rows = pip_spots(np.ascontiguousarray(part), size_px, lean_mask)
    kept = []
    for cx, cy, area, contrast, sign in rows:
        column, row = round(cx + left - x), round(cy + top - y)
        if 0 <= column < w and 0 <= row < h and body.mask[row, column]:
            kept.append((cx + left, cy + top, area, contrast, sign))
    table = np.array(kept, dtype=np.float64).reshape(-1, 5)
    # A highlight on a corner is smaller than a pip: it speaks with so much less weight.
    whole = np.minimum(1.0, table[:, 2] / (_WHOLE_AREA * size_px**2))
    return Spots(at_px=table[:, :2], area_px=table[:, 2], contrast=table[:, 3] * whole, sign=table[:, 4])


def alike(spots: Spots, chosen: list[int]) -> bool:
    """Whether spots are about of one size and one strength, as the pips of a face are."""
    area, contrast = spots.area_px[chosen].tolist(), spots.contrast[chosen].tolist()
    return bool(max(area) <= 2.6 * min(area) and max(contrast) <= 4.0 * min(contrast))


def _pattern(found: Fit, lifted: Floats, contrast: Floats) -> int | None:
    """The number that all spots on the fitted upper face make, None when they make none."""
    pose_now = found.pose
    local = (lifted - pose_now.center_mm[:2]) @ pose_now.rotation[:2, :2]
    local /= pose_now.pitch * pose_now.size_mm
    return face.number(local, contrast)


def measure(body_outline: Floats, found: Fit, tray: Tray) -> tuple[float, float]:
    """Support and excess of a fitted die against an outline."""
    if not len(body_outline):
        return 0.0, 1.0
    lines = pose.lines_px(found.pose, tray)
    near = _beside(body_outline, lines.ring)
    support = float(_confirmed(lines.ring, lines.inner, near).mean())
    return support, float((pose.outside_px(near, lines.face) < -2.0).sum() / len(lines.ring))


def support_where(outline: Floats, found: Fit, others: list[Fit], tray: Tray) -> float:
    """Share of a silhouette confirmed by an outline, of the part that no other die covers or touches."""
    lines = pose.lines_px(found.pose, tray)
    exposed = np.ones(len(lines.ring), dtype=bool)
    for other in others:
        exposed &= pose.outside_px(lines.ring, pose.silhouette_px(other.pose, tray)) > 3.0
    if exposed.sum() < 8:
        return 0.0
    return float(_confirmed(lines.ring[exposed], lines.inner[exposed], _beside(outline, lines.ring)).mean())


def _beside(outline: Floats, ring: Floats) -> Floats:
    """Outline points in the rectangle around a die: all that can confirm it or run through it."""
    low, high = ring.min(0) - _CONFIRMS_PX, ring.max(0) + _CONFIRMS_PX
    x, y = outline[:, 0], outline[:, 1]
    return np.asarray(outline[(x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1])])


def _confirmed(ring: Floats, inner: Floats, outline: Floats) -> Mask:
    """Which points of a silhouette have an outline point near them or near their place on the upper face."""
    if not len(outline):
        return np.zeros(len(ring), dtype=bool)
    near = _nearest(np.concatenate([ring, inner]), outline) < _CONFIRMS_PX
    return np.asarray(near[: len(ring)] | near[len(ring) :])


def _filled(hull: Floats, body: Body) -> Mask:
    x, y, w, h = body.box_px
    canvas = np.zeros((h, w), np.uint8)
    cv2.fillConvexPoly(canvas, np.round((hull - [x, y]) * 8).astype(np.int32), 1, shift=3)
    return canvas > 0


def spill(body: Body, found: Fit, tray: Tray) -> float:
    """Share of a die's upper face and sides that lies off the body."""
    hull = pose.silhouette_px(found.pose, tray)
    inside = _filled(hull, body)
    area = max(1.0, float(cv2.contourArea(hull.astype(np.float32))))
    return 1.0 - min(1.0, float((inside & body.mask).sum()) / area)


def touches(body: Body, rest: Mask, solid: Solid, tray: Tray) -> float:
    """Leftover within a few pixels of a die, as a share of its face."""
    near = cv2.dilate(
        _filled(pose.silhouette_px(solid.fit.pose, tray), body).astype(np.uint8), np.ones((9, 9), np.uint8)
    )
    size_px = solid.fit.pose.size_mm * tray.px_per_mm
    return float(((near > 0) & rest).sum()) / size_px**2


def _nearest(points: Floats, others: Floats) -> Floats:
    """Distance of each point from the nearest of some others."""
    least = ((others * others) @ _BOTH - (2.0 * points) @ others.T).min(1)
    return np.asarray(np.sqrt(np.maximum((points * points) @ _BOTH + least, 0.0)))


_Proposal = tuple[face.FlatGuess, list[int], float]


def guesses(scene: list[tuple[Body, Spots]], tray: Tray, size_mm: float) -> list[list[Solid]]:
    """Flat dice that the spots of each body propose, fitted to its outline, best first."""
    cleared = [(body, _cleared(spots)) for body, spots in scene]
    out = _guessed(cleared, tray, size_mm)
    # Where one spot in light and no crowd made no die, the crowd may be its pips in shadow.
    again = [i for i, one in enumerate(cleared) if one[1] is not scene[i][1] and not choose(out[i])]
    for i, solids in zip(again, _guessed([scene[i] for i in again], tray, size_mm), strict=True):
        out[i] = sorted([*out[i], *solids], key=lambda s: -s.quality)
    return out


def _guessed(scene: list[tuple[Body, Spots]], tray: Tray, size_mm: float) -> list[list[Solid]]:
    """The same by the spots as they are."""
    proposals: list[tuple[int, _Proposal]] = []
    lifted = [tray.lift(spots.at_px, size_mm) for _, spots in scene]
    for number, (body, spots) in enumerate(scene):
        here: list[_Proposal] = []
        for sign in (1.0, -1.0):
            index = np.nonzero(spots.sign == sign)[0]
            if not len(index):
                continue
            for guess in face.flat_guesses(lifted[number][index], spots.contrast[index], size_mm, pose.PITCH):
                chosen = [int(index[i]) for i in guess.spots]
                if alike(spots, chosen):
                    here.append((guess, chosen, sign))
        here = [one for one, good in zip(here, _covered(body, here, tray), strict=True) if good]
        proposals.extend((number, proposal) for proposal in _worth_a_fit(body, spots, here, tray))
    tasks = _tasks(scene, proposals, tray)
    out: list[list[Solid]] = [[] for _ in scene]
    for (number, proposal), found in zip(proposals, fit_all(tasks, tray, rounds=3), strict=True):
        solid = _solid(scene[number], lifted[number], proposal, found, tray)
        if solid is not None:
            out[number].append(solid)
    return [sorted(solids, key=lambda s: -s.quality) for solids in out]


def _cleared(spots: Spots) -> Spots:
    """The spots of a body; where one stands far above a crowd of others the crowd counts half.

    In the dark grain has spots. A face of two pips lit unlike has no crowd beside them.
    """
    order = np.argsort(-spots.contrast)
    if len(order) < 3:
        return spots
    first, second, third = spots.contrast[order[:3]]
    if second > _CROWD * first or third < _CROWD_ALIKE * second:
        return spots
    lessened = spots.contrast * 0.5
    lessened[order[0]] = first
    return replace(spots, contrast=lessened)


def _worth_a_fit(body: Body, spots: Spots, proposals: list[_Proposal], tray: Tray) -> list[_Proposal]:
    """All proposals of a body; of a body as large as one die only the one that takes nearly all spots, if any does."""
    if not proposals or body.mask.sum() > _ONE_DIE * (proposals[0][0].size_mm * tray.px_per_mm) ** 2:
        return proposals
    first = max(proposals, key=lambda p: float(spots.contrast[p[1]].sum()))
    others = np.ones(len(spots.contrast), dtype=bool)
    others[first[1]] = False
    weakest = float(spots.contrast[first[1]].min())
    plain = float(spots.contrast[others].max(initial=0.0)) < _PLAIN * weakest and first[0].miss < _PLAIN_MISS
    return [first] if plain else proposals


def _tasks(scene: list[tuple[Body, Spots]], proposals: list[tuple[int, _Proposal]], tray: Tray) -> list[Task]:
    """What is to be fitted; where a single pip leaves the turn open, the best of some turns."""
    tasks: list[Task] = []
    places: list[int] = []
    for place, (number, (guess, chosen, _)) in enumerate(proposals):
        body, spots = scene[number]
        turns = _TURNS if guess.turn_rad is None else (guess.turn_rad,)
        start = pose.flat_pose(guess.x_mm, guess.y_mm, turns[0], guess.size_mm)
        outline = around(body.outline, start, tray)
        for turn in turns:
            at = start if turn == turns[0] else pose.flat_pose(guess.x_mm, guess.y_mm, turn, guess.size_mm)
            places.append(place)
            tasks.append(
                Task(
                    pose=at,
                    outline=outline,
                    pips=spots.at_px[chosen],
                    reach_px=6.0 if guess.turn_rad is None else 3.0,
                )
            )
    if len(tasks) == len(proposals):
        return tasks
    best: dict[int, int] = {}
    closeness = closeness_all(tasks, tray)
    for number, place in enumerate(places):
        if place not in best or closeness[number] < closeness[best[place]]:
            best[place] = number
    return [tasks[best[place]] for place in range(len(proposals))]


def around(outline: Floats, at: DiePose, tray: Tray) -> Floats:
    """Outline points, one in three, that can be of a die at about this place."""
    middle = tray.project(at.center_mm)
    reach = 1.05 * at.size_mm * tray.px_per_mm
    thin = outline[::THIN]
    return np.asarray(thin[((thin - middle) ** 2).sum(1) < reach * reach])


def near_all(outline: Floats, middles_px: Floats, size_mm: float, tray: Tray) -> Mask:
    """Which outline points, one in three, can be of a die with its middle at each of some places, shape (n, k)."""
    thin = outline[::THIN].T
    reach = 1.05 * size_mm * tray.px_per_mm
    return np.asarray((thin[0] - middles_px[:, :1]) ** 2 + (thin[1] - middles_px[:, 1:]) ** 2 < reach * reach)


def _covered(body: Body, proposals: list[_Proposal], tray: Tray) -> list[bool]:
    """Whether the body is where each upper face would be: asked at the face's middle and around it."""
    if not proposals:
        return []
    found = [guess for guess, _, _ in proposals]
    rings = [_PROBE if guess.turn_rad is None else _SQUARE @ _turn(guess.turn_rad).T for guess in found]
    counts = np.array([len(ring) for ring in rings])
    middles = np.repeat([[guess.x_mm, guess.y_mm] for guess in found], counts, axis=0)
    points = middles + np.concatenate(rings) * (0.42 * found[0].size_mm)
    places = tray.project(np.column_stack([points, np.full(len(points), found[0].size_mm)]))
    x, y, w, h = body.box_px
    column, row = (places[:, 0] - x).round().astype(int), (places[:, 1] - y).round().astype(int)
    within = (column >= 0) & (column < w) & (row >= 0) & (row < h)
    within[within] = body.mask[row[within], column[within]]
    hits = np.add.reduceat(within.astype(np.int64), np.cumsum(counts) - counts)
    return [bool(hit) for hit in hits >= 0.74 * counts]


def _turn(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _solid(of: tuple[Body, Spots], lifted: Floats, proposal: _Proposal, found: Fit, tray: Tray) -> Solid | None:
    """A fitted guess, None when the fitted face no longer shows the guessed number."""
    (body, spots), (guess, chosen, sign) = of, proposal
    same = spots.sign == sign
    if _pattern(found, lifted[same], spots.contrast[same]) != guess.value:
        return None
    support, excess = measure(body.outline, found, tray)
    return Solid(
        fit=found,
        value=guess.value,
        support=support,
        excess=excess,
        sign=sign,
        spots=tuple(chosen),
        pips_px=spots.at_px[chosen],
    )


def choose(solids: list[Solid], least: float = 0.25) -> list[Solid]:
    """The best dice that don't stand in each other's place."""
    taken: list[Solid] = []
    for solid in solids:
        if solid.quality < least:
            break
        here = solid.fit.pose
        if all(
            np.hypot(*(here.center_mm - other.fit.pose.center_mm)[:2]) > 0.8 * here.size_mm
            and not set(solid.spots) & set(other.spots)
            for other in taken
        ):
            taken.append(solid)
    return taken


def leftover(body: Body, taken: list[Solid], tray: Tray) -> tuple[Mask, float]:
    """What no taken die explains: its mask and its largest piece as a share of a die's face."""
    rest = body.solid.astype(np.uint8)
    for solid in taken:
        covered = _filled(pose.silhouette_px(solid.fit.pose, tray), body).astype(np.uint8)
        rest[cv2.dilate(covered, np.ones((5, 5), np.uint8)) > 0] = 0
    rest = cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    return rest.astype(bool), largest(rest, taken, tray)


def largest(rest: Mask, taken: list[Solid], tray: Tray) -> float:
    """The largest piece of a rest, as a share of a die's face."""
    count, _, stats, _ = cv2.connectedComponentsWithStats(rest.astype(np.uint8))
    size_px = (taken[0].fit.pose.size_mm if taken else 14.0) * tray.px_per_mm
    return float(stats[1:, cv2.CC_STAT_AREA].max()) / size_px**2 if count > 1 else 0.0
