"""What speaks against a die that seems to lie flat: it may lean on something, or stand on a die that it hides.

Theory. A die can lean only on something: near a wall or another die a small tilt towards every side is fitted too. By
a small lean a die hardly leaves the place that it would cover lying flat, so what it leans on is no farther away. A
tilt away from the prop that explains the die better makes it cocked, or doubtful where it hardly leans. A small lean
moves the outline by a pixel, so two things more are asked. Shadow hides a side, light hides none: a die whose sides are
not where light falls leans. And a dark die's outline that drowned in its shadow tells nothing at all there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from companion.vision import lean, pose
from companion.vision.case import Case, View
from companion.vision.explain import near_wall, usual_spread_px
from companion.vision.find import Body
from companion.vision.fitting import Task, fit_all
from companion.vision.pose import DiePose, Fit
from companion.vision.solve import Solid
from companion.vision.tray import Tray
from companion.vision.types import Floats

# Share of a lone die's outline that may run so many px outside of it; less where the die fits so badly, and where the
# outline is plain; how far a die below it peeps out at most.
_PEEPS_SHARE, _PEEPS_SHARE_ILL, _ILL_COST, _PEEPS_SHARE_PLAIN = 0.2, 0.16, 0.8, 0.11
_CLEARLY_OUT_PX, _PEEPS_MM = 1.5, 4.0
# A body is plain whose outline differs from the ground by so many times the limit.
_PLAIN = 4.5
# So far within a silhouette lit felt may show on such a share of it at most; felt differs by less than such a share of
# what the body does.
_WITHIN_PX, _BARE_SHARE, _FELT = 2.5, 0.15, 0.25
# Chi square by which a leaning pose must explain a die better before it is believed, and how well it must close beside
# the flat one.
GAIN, _CLOSES = 12.0, 0.5
# The scale at which these were found. Where a mm is fewer px, a lean moves the outline by fewer too.
_USUAL_PX_PER_MM = 2.36
# How badly a die that leans on nothing seen must fit flat before tilted poses are tried, and by what gain one is heard.
_ILL_FITTING, _ILL_PIPS_PX, _GAIN_UNPROPPED, _LEAN_UNPROPPED_DEG = 1.4, 1.0, 96.0, 10.0
# By how much a fit that gains may fall short of a lean, and by how much it must exceed one: unless it closes so well,
# and where it gains nothing.
_LEAN_SHORT_DEG, _LEAN_PLAIN_DEG, _CLOSES_WELL, _LEAN_OVER_DEG = 1.5, 1.5, 0.2, 0.5
TOUCHING = 1.6
"""Middles of dice that touch are at most so many edges apart: a diagonal, and some room for errors."""
# How much farther apart than by the lean two dice, drawn flat, may seem to be of which one leans on the other; a poor
# outline may hide a lean of so much.
_REACH_MM, _HIDDEN_DEG = 1.0, 7.0
# By what gain a die is heard that leans not away from what is near it.
_GAIN_ASKEW = 60.0
# A lean that exceeds the limit by so much spoils the flat fit: a die that closes so well flat, with so little gained by
# leaning, lies flat.
_LEAN_TELLS_DEG, _FITS_FLAT, _HARDLY_GAINS = 3.0, 0.15, 7.0
# A lean that exceeds the limit by so much is no error of a flat die: it is heard where it fits about as well.
_LEAN_LARGE_DEG, _ALIKE = 2.5, 1.1
# Share of the flat pose's cost up to which a leaning pose explains a die better, or like it where the flat one needs an
# outline that is larger by so much; and by how much so many pips may lie farther off their sites then.
_BETTER, _LIKE, _GROWN_PX = 0.85, 1.5, 0.25
_TELLING_PIPS, _PIPS_WORSE = 4, 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class _Poor:
    """A way in which an outline is too poor to tell how a die lies.

    Attributes:
        over_deg: The best tilt leans by more.
        drowned_px: The outline lies farther inside of where it usually does.
        cost: The die fits worse lying flat.
        own_cost: It does so on the part of the outline that is its own.
        off_px: Its pips lie farther off their sites.
        pips: It shows no more of them.
        away: The best tilt is one away from what is near.
    """

    over_deg: float
    drowned_px: float = math.inf
    cost: float = 0.0
    own_cost: float = 0.0
    off_px: float = 0.0
    pips: int = 6
    away: bool = False


_POOR = (
    # It fits so badly that no tilt is believed; less so where its sides drowned.
    _Poor(cost=1.3, over_deg=0.0),
    _Poor(drowned_px=-0.6, cost=0.65, over_deg=4.5),
    _Poor(drowned_px=-0.6, cost=0.65, over_deg=2.0, away=True),
    # Hardly more than its upper face shows; or few pips, which tell nothing either.
    _Poor(drowned_px=-2.0, over_deg=3.0),
    _Poor(drowned_px=-1.0, pips=3, over_deg=1.5),
    # It fits badly though nothing drowned, and the worse its pips do, the smaller a lean is heard.
    _Poor(cost=0.9, over_deg=3.0),
    _Poor(own_cost=1.1, over_deg=3.0, away=True),
    _Poor(cost=0.8, off_px=0.6, over_deg=3.0),
    _Poor(cost=0.8, off_px=0.75, over_deg=2.0),
)


@dataclass(frozen=True, slots=True)
class Prop:
    """What might be leant on: how a die that does would face, shape (2,), and how far apart the two are drawn flat."""

    away: Floats
    gap_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tilt:
    """A die tried leaning.

    Attributes:
        fit: The best leaning pose near the flat one.
        gain: Chi square by which it explains the die better; 0 at most where it does not close by itself.
        flat_cost: How well the flat pose closes on the same outline.
        propped: Whether a wall or a die is near enough to be leant on so.
        away: Whether the upper face turns away from one of these, as it must.
    """

    fit: Fit
    gain: float
    flat_cost: float
    propped: bool
    away: bool


def tilted(cases: list[Case], beside: list[DiePose], tray: Tray) -> list[Tilt | None]:
    """Each die tried leaning; None for one that can't lean, since nothing is near and nothing is wrong with it.

    Args:
        cases: The dice.
        beside: Dice of other bodies that are none of them.
        tray: The camera over the box.
    """
    coarse = coarseness(tray)
    tasks: list[Task] = []
    tried: list[tuple[int, list[Prop]] | None] = []
    for case in cases:
        found = case.solid.fit
        # What a dark die leans on may seem to be a body of its own.
        near = [c.solid.fit.pose for c in cases if c.body is not case.body]
        near_it = props(found.pose, [*(o.fit.pose for o in case.others), *near, *beside], tray)
        ill = found.cost > _ILL_FITTING * coarse**2 or found.off_px > _ILL_PIPS_PX * coarse
        if near_it or case.suspect or ill:
            outline = _own_outline(case.body, case.solid, case.others, tray)
            tried.append((len(tasks), near_it))
            tasks.append(Task(pose=found.pose, outline=outline, pips=case.solid.pips_px))
            tasks.extend(lean.tilts(found.pose, outline, case.solid.pips_px))
        else:
            tried.append(None)
    fits = fit_all(tasks, tray, rounds=5)
    return [one and best(one[1], tasks[one[0]], fits[one[0] : one[0] + 5]) for one in tried]


def best(near: list[Prop], flat: Task, fits: list[Fit]) -> Tilt:
    """Of a flat fit and some leaning ones the best that leans."""
    leaning = min(fits[1:], key=lambda f: f.cost)
    gain = (fits[0].cost - leaning.cost) * (len(flat.outline) + 2 * len(flat.pips))
    # A die that leans a little hardly leaves its flat silhouette, so what it leans on is no farther away.
    lean_deg = max(leaning.pose.lean_deg, _HIDDEN_DEG)
    reach_mm = leaning.pose.size_mm * math.sin(math.radians(lean_deg)) + _REACH_MM
    away = [prop.away for prop in near if prop.gap_mm < reach_mm]
    # The leaning pose must close by itself: where neither closes, light and not lean is the reason.
    return Tilt(
        fit=leaning,
        gain=min(gain, 0.0) if leaning.cost > _CLOSES * fits[0].cost else gain,
        flat_cost=fits[0].cost,
        propped=bool(away),
        away=_leans_away(leaning.pose, away),
    )


def may_lean(case: Case, tilt: Tilt, view: View) -> bool:
    """Whether a die that was tried leaning may lean."""
    coarse, flat = coarseness(view.tray), case.solid.fit
    beyond_deg = tilt.fit.pose.lean_deg - view.settings.cocked_deg
    if tilt.propped:
        plainly = beyond_deg > _LEAN_PLAIN_DEG or tilt.fit.cost < _CLOSES_WELL
        gains = tilt.gain > GAIN * (coarse**2 if beyond_deg > 0.0 else 1.0)
        if tilt.away and plainly and gains and beyond_deg > -_LEAN_SHORT_DEG:
            return True
        fits_flat = beyond_deg > _LEAN_TELLS_DEG and tilt.flat_cost < _FITS_FLAT and tilt.gain < _HARDLY_GAINS
        if tilt.away and beyond_deg > _LEAN_OVER_DEG and not fits_flat and _no_worse(tilt, flat):
            return True
        if tilt.away and beyond_deg > _LEAN_LARGE_DEG and tilt.fit.cost < _ALIKE * tilt.flat_cost:
            return True
        # A die may lean on a wall by its edge, and so small a lean is seen towards a wrong side.
        if tilt.gain > _GAIN_ASKEW * coarse**2:
            return True
        if untold(tilt, flat, usual_spread_px(view.tray)) or _shows_felt(case, view):
            return True
    return tilt.fit.pose.lean_deg > _LEAN_UNPROPPED_DEG and tilt.gain > _GAIN_UNPROPPED * coarse**2


def untold(tilt: Tilt, flat: Fit, usual_px: float) -> bool:
    """Whether the outline of a die that could lean is too poor to tell how it lies.

    The sides of a dark die drown in its shadow. Its outline is then that of a smaller die, flat or tilted a little:
    where it fits badly too, it speaks for neither. Neither does one that fits badly though it did not drown, as that of
    a die of the felt's hue may, if the best tilt is no small one.
    """
    drowned_px = flat.pose.spread_px - usual_px
    return any(
        tilt.fit.pose.lean_deg > poor.over_deg
        and drowned_px < poor.drowned_px
        and flat.cost > poor.cost
        and tilt.flat_cost > poor.own_cost
        and flat.off_px > poor.off_px
        and len(flat.pips_px) <= poor.pips
        and (tilt.away or not poor.away)
        for poor in _POOR
    )


def coarseness(tray: Tray) -> float:
    """How many px a mm is, as a share of what it usually is; 1 at most."""
    return min(1.0, tray.px_per_mm / _USUAL_PX_PER_MM)


def _own_outline(body: Body, here: Solid, others: list[Solid], tray: Tray, reach_px: float = 4.0) -> Floats:
    """Outline points that belong to one die: near it and not nearer to another."""
    gap = np.abs(pose.outside_px(body.outline, pose.silhouette_px(here.fit.pose, tray)))
    mine = gap < reach_px
    for other in others:
        mine &= gap < np.abs(pose.outside_px(body.outline, pose.silhouette_px(other.fit.pose, tray))) - 0.5
    points = body.outline[mine]
    return points[:: max(1, len(points) // 50)]


def props(at: DiePose, others: list[DiePose], tray: Tray) -> list[Prop]:
    """Each wall or die near enough to be leant on."""
    found = [Prop(away, 0.0) for away in near_wall(at, tray)]
    for other in others:
        arm = at.center_mm[:2] - other.center_mm[:2]
        far = float(np.hypot(*arm))
        if far < TOUCHING * at.size_mm:
            found.append(Prop(arm / far, _gap_px(at, other, tray) / tray.px_per_mm))
    return found


def _gap_px(one: DiePose, other: DiePose, tray: Tray) -> float:
    """How far the silhouettes of two dice are apart; negative where they overlap."""
    ours, theirs = (pose.lines_px(at, tray).ring for at in (one, other))
    return float(
        min(
            pose.outside_px(ours, pose.silhouette_px(other, tray)).min(),
            pose.outside_px(theirs, pose.silhouette_px(one, tray)).min(),
        )
    )


def _leans_away(tilted: DiePose, away: list[Floats]) -> bool:
    """Whether the upper face turns away from something that could prop the die, as it must."""
    facing = (tilted.rotation @ pose.NORMALS[tilted.top])[:2]
    length = float(np.hypot(*facing))
    return any(float(facing @ direction) > 0.6 * length for direction in away)


def _no_worse(tilt: Tilt, flat: Fit) -> bool:
    """Whether a die explains its outline leaning as it does flat.

    A flat die that is free to lean stays flat within two degrees or so; one that leans on something by five and fits no
    worse there may well do so, whichever part of the outline both are held against. The outline of a dark one is poor,
    but as a flat die it must be taken for a larger one.
    """
    leaning = tilt.fit
    grown = flat.pose.spread_px - leaning.pose.spread_px
    many = len(flat.pips_px) >= _TELLING_PIPS
    against = many and leaning.off_px > _PIPS_WORSE * flat.off_px and leaning.cost > _CLOSES_WELL
    better = leaning.cost < _BETTER * max(flat.cost, tilt.flat_cost) and not against
    return better or (grown > _GROWN_PX and leaning.cost < _LIKE * flat.cost)


def _shows_felt(case: Case, view: View) -> bool:
    """Whether lit felt shows just inside a flat die's silhouette, where its sides should be.

    Shadow hides a side, and then nobody can say where it ends. Light hides none: a die whose sides are not where light
    falls leans away from there.
    """
    found, tray = case.solid.fit.pose, view.tray
    lines = pose.lines_px(found, tray)
    within = pose.spread_out(lines.ring, -_WITHIN_PX - found.spread_px)
    bare = pose.outside_px(within, pose.top_px(found, tray)) > 1.0
    for other in case.others:
        bare &= pose.outside_px(within, pose.silhouette_px(other.fit.pose, tray)) > _WITHIN_PX
    return bool((bare & view.ground.is_lit_felt(within, _FELT * case.body.level)).mean() > _BARE_SHARE)


def peeps_out(body: Body, found: Fit, view: View) -> bool:
    """Whether corners of a die below are seen around a die: too small each to be a leftover, too many to be noise.

    What reaches farther out is no die below but something beside it, which others look at. The outline of a body that
    hardly differs from the felt strays by itself.
    """
    beyond = pose.outside_px(body.outline, pose.seen_px(found.pose, view.tray))
    strays = _PEEPS_SHARE_ILL if found.cost > _ILL_COST else _PEEPS_SHARE
    least = _PEEPS_SHARE_PLAIN if body.plain > _PLAIN else strays
    return bool((beyond > _CLEARLY_OUT_PX).mean() > least and beyond.max() < _PEEPS_MM * view.tray.px_per_mm)
