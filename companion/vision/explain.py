"""What a body is made of: flat dice, one that leans or stands on top, and pieces of those below.

Theory. Several explanations of a body are compared by what they leave unexplained: spots, area, outline, dice that
are bent to fit. A flat die with a piece left over that is too narrow for a die beside it stands on the die that the
piece belongs to; a leaning one must have something to lean on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.vision import pose, solve
from companion.vision.fitting import Task, fit_all
from companion.vision.heap import STRONG, Pile, standings
from companion.vision.pose import DiePose
from companion.vision.solve import Solid
from companion.vision.tray import Tray
from companion.vision.types import Floats, Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One way to explain a body.

    Attributes:
        flats: Dice that lie on the floor.
        leaning: A die that leans, None when there is none.
        raised: A die that stands flat on another, None when there is none.
        rest: What is left of the body.
        below: Pieces of dice that a leaning or raised one hides.
        open_spots: Strong spots that no die explains.
        left: The largest piece of the rest, as a share of a die's face.
        cost: What the explanation leaves open; 0 is a perfect one.
    """

    flats: list[Solid]
    leaning: Solid | None = None
    raised: Solid | None = None
    rest: Mask
    below: list[Mask]
    open_spots: tuple[int, ...]
    left: float
    cost: float


# Costs, in units of one spot that no die explains.
_AREA, _SPILL, _FIT = 8.0, 25.0, 0.7
_LEANING, _RAISED = 0.6, 1.2
_FREE_LEFT = 0.04
# A die below shows pieces smaller than this share of a face, and not farther out than this share of its edge.
_WHOLE, _BELOW = 0.85, 0.8
# A die that another one leans on is hidden by less.
_WHOLE_BESIDE, _BESIDE = 1.2, 1.15
_TRIED = 8
# What the best explanation of a heap may leave open, and by how much it must beat the next when it calls dice good; a
# smaller lean than this is told better by the flat die's own fit.
OPEN, CLEAR, SMALL_LEAN_DEG = 4.5, 0.6, 9.0
_LEAST_QUALITY, _SMALLER_PX = 0.1, -0.1
_WELL_LINED = 0.7
# A spot this much weaker than the pips of its die is a highlight or a shade.
_WEAKER = 0.6
_UNSUPPORTED = 2.0
# A die can lean only on something.
_UNPROPPED = 1.5
# A die whose whole outline is that of a die on the floor stands on nothing.
_SURELY_FLAT, _LIES_ALONE = 0.85, 1.5
# Spread of a die's outline for each px of the markers' bloom, and without any.
_SPREAD_PER_BLOOM, _SPREAD_PX = 1.36, -0.33
# What a px of size too much speaks for standing on something.
_BY_SIZE = 0.8


def explain(pile: Pile, solids: list[Solid]) -> list[Explanation]:
    """Ways to explain a body, best first.

    Args:
        pile: The body.
        solids: Flat dice that its spots propose, best first.
    """
    spots, tray, size_mm = pile.spots, pile.tray, pile.size_mm
    strong = set(np.flatnonzero(spots.contrast > STRONG * spots.contrast.max(initial=0.0)).tolist())
    out = [_weighed(pile, strong, solve.choose(solids))]
    # What must cost more than this is never taken; nor is what must cost more than one that plainly leans or is raised.
    least = max(OPEN, out[0].cost + CLEAR)
    for top in standings(pile)[:_TRIED]:
        if top.score < -2.0 or top.solid.fit.pose.lean_deg < 4.0:
            continue
        extra = _LEANING + 2.0 * (top.stray + top.wrong) + _SPILL * top.spill
        if extra + _bent(top.solid) > least:
            continue
        hull = pose.silhouette_px(top.solid.fit.pose, tray)
        beside = [s for s in solids if not set(s.spots) & set(top.solid.spots) and _beside(s, hull, tray)]
        found = _weighed(pile, strong, solve.choose(beside), leaning=top.solid, sure=top.faces > 1)
        if not (found.flats or found.below or near_wall(top.solid.fit.pose, tray)):
            extra += _UNPROPPED
        out.append(replace(found, cost=found.cost + extra))
        if top.solid.fit.pose.lean_deg > SMALL_LEAN_DEG:
            least = min(least, out[-1].cost)
    tried = [(solid, extra) for solid in solids[:_TRIED] if (extra := _above(solid, tray)) <= least]
    for (solid, extra), raised in zip(tried, _raised(pile, [solid for solid, _ in tried]), strict=True):
        if extra + _bent(raised) > least:
            continue
        others = [s for s in solids if s is not solid and not set(s.spots) & set(solid.spots)]
        beside = [s for s in others if _apart_mm(s, solid) > 0.45 * size_mm]
        found = _weighed(pile, strong, solve.choose(beside), raised=raised)
        out.append(replace(found, cost=found.cost + extra))
        least = min(least, out[-1].cost)
    return sorted(out, key=lambda e: e.cost)


def _bent(solid: Solid) -> float:
    """What a die costs by how it closes, wherever it is taken."""
    return _FIT * solid.fit.cost + 0.1 * solid.strain


def _above(solid: Solid, tray: Tray) -> float:
    """What it costs to take a flat die for one that stands on another; infinite for one that can't."""
    # A raised die is nearer to the camera: taken as lying on the floor it looks too large, not too small.
    if solid.fit.pose.spread_px < _SMALLER_PX or (solid.quality < _LEAST_QUALITY and solid.support < _WELL_LINED):
        return float("inf")
    sure = _LIES_ALONE if solid.quality > _SURELY_FLAT else 0.0
    excess = solid.fit.pose.spread_px - usual_spread_px(tray)
    return _RAISED + sure - _BY_SIZE * min(1.0, max(0.0, excess))


def _beside(solid: Solid, hull: Floats, tray: Tray) -> bool:
    """Whether the middle of a flat die's upper face is seen beside a silhouette."""
    at = solid.fit.pose
    middle = tray.project(at.center_mm + np.array([0.0, 0.0, at.size_mm / 2]))
    return bool(pose.outside_px(middle[None], hull)[0] > 0.0)


def _apart_mm(one: Solid, other: Solid) -> float:
    return float(np.hypot(*(one.fit.pose.center_mm - other.fit.pose.center_mm)[:2]))


def _raised(pile: Pile, solids: list[Solid]) -> list[Solid]:
    """The same upper faces one die higher."""
    body, tray = pile.body, pile.tray
    tasks = []
    for solid in solids:
        at = solid.fit.pose
        middle = tray.project(at.center_mm + np.array([0.0, 0.0, at.size_mm / 2]))
        place = tray.lift(middle[None], 2 * at.size_mm)[0]
        start = replace(at, center_mm=np.array([place[0], place[1], 1.5 * at.size_mm]), spread_px=0.0)
        outline = solve.around(body.outline, start, tray)
        tasks.append(Task(pose=start, outline=outline, pips=solid.pips_px, reach_px=3.0))
    return [replace(solid, fit=fit) for solid, fit in zip(solids, fit_all(tasks, tray, rounds=5), strict=True)]


def _weighed(
    pile: Pile,
    strong: set[int],
    flats: list[Solid],
    *,
    leaning: Solid | None = None,
    raised: Solid | None = None,
    sure: bool = False,
) -> Explanation:
    """An explanation with its cost; of a sure leaning die the pieces around it are of dice that it hides."""
    body, tray = pile.body, pile.tray
    taken = [*flats, *(s for s in (leaning, raised) if s is not None)]
    rest, left = solve.leftover(body, taken, tray)
    open_spots = strong - {i for s in taken for i in _on(pile, s)}
    below: list[Mask] = []
    if raised is not None:
        rest, below, open_spots = _less_below(pile, rest, open_spots, raised, (_WHOLE, _BELOW))
    elif leaning is not None and sure:
        rest, below, open_spots = _less_below(pile, rest, open_spots, leaning, (_WHOLE_BESIDE, _BESIDE))
    if below:
        left = solve.largest(rest, taken, tray)
    cost = len(open_spots) + _AREA * max(0.0, left - _FREE_LEFT)
    cost += sum(_bent(s) for s in taken)
    for solid in taken:
        others = [o.fit for o in taken if o is not solid]
        cost += _UNSUPPORTED * (1.0 - solve.support_where(body.outline, solid.fit, others, tray))
    return Explanation(
        flats=flats,
        leaning=leaning,
        raised=raised,
        rest=rest,
        below=below,
        open_spots=tuple(sorted(open_spots)),
        left=left,
        cost=cost,
    )


def _on(pile: Pile, solid: Solid) -> set[int]:
    """The spots that a die explains: its pips, and whatever shines or shades on it more weakly than they do."""
    spots = pile.spots
    if not solid.spots:
        return set()
    inside = pose.outside_px(spots.at_px, pose.silhouette_px(solid.fit.pose, pile.tray)) < 1.0
    weak = spots.contrast < _WEAKER * float(np.median(spots.contrast[list(solid.spots)]))
    return {*solid.spots, *np.flatnonzero(inside & weak).tolist()}


def _less_below(
    pile: Pile, rest: Mask, open_spots: set[int], top: Solid, limits: tuple[float, float]
) -> tuple[Mask, list[Mask], set[int]]:
    """What is left when a topmost die hides others: their visible pieces, and the spots on them, are explained.

    Args:
        pile: The body.
        rest: What no die explains.
        open_spots: Spots that no die explains.
        top: The topmost die.
        limits: Largest piece of a hidden die as a share of a face, and how far out it may reach as a share of the
            edge.

    Returns:
        The rest, the pieces, and the spots that stay unexplained.
    """
    body, spots, tray = pile.body, pile.spots, pile.tray
    size_px = top.fit.pose.size_mm * tray.px_per_mm
    hull = pose.silhouette_px(top.fit.pose, tray)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(rest.astype(np.uint8))
    kept, pieces = rest.copy(), []
    for label in range(1, count):
        piece = labels == label
        far = float(pose.outside_px(np.argwhere(piece)[:, ::-1] + np.array(body.box_px[:2], float), hull).max())
        if stats[label, cv2.CC_STAT_AREA] < limits[0] * size_px**2 and far < limits[1] * size_px:
            pieces.append(piece)
            kept &= ~piece
    order = sorted(open_spots)
    beyond = pose.outside_px(spots.at_px[order], hull) if order else np.zeros(0)
    # Whatever shows inside the silhouette of the topmost die is on that die.
    still = {i for i, away in zip(order, beyond, strict=True) if away < -1.0 or away > limits[1] * size_px}
    return kept, pieces, still


def near_wall(at: DiePose, tray: Tray) -> list[Floats]:
    """Directions away from the walls that a die is near enough to lean on."""
    reach = 0.98 * at.size_mm
    half_x, half_y = tray.geometry.floor_mm[0] / 2, tray.geometry.floor_mm[1] / 2
    x, y = float(at.center_mm[0]), float(at.center_mm[1])
    gaps = ((half_x - x, (-1.0, 0.0)), (half_x + x, (1.0, 0.0)), (half_y - y, (0.0, -1.0)), (half_y + y, (0.0, 1.0)))
    return [np.array(direction) for gap, direction in gaps if gap < reach]


def usual_spread_px(tray: Tray) -> float:
    """How far the outline of a die on the floor lies outside its true place, by the sharpness of the markers."""
    return _SPREAD_PER_BLOOM * tray.bloom_px + _SPREAD_PX
