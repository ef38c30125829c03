"""Dice that lie flat: the verdict on each, from measures that must all close.

Theory. A die is valid only when its outline confirms it where it is exposed, its pips sit on their sites, both
opinions name the same number and the network none other, and no leaning pose explains it better. A die can lean only
on something: near a wall or another die a small tilt towards every side is fitted too. The outline of a dark die
drowns in its own shadow; lying free, such a die is told by its face alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.vision import face, lean, pose, solve
from companion.vision.explain import near_wall, usual_spread_px
from companion.vision.find import Body
from companion.vision.fitting import Task, fit_all
from companion.vision.ground import Ground
from companion.vision.pose import DiePose, Fit
from companion.vision.second import FaceNet, square
from companion.vision.settings import ReaderSettings
from companion.vision.solve import Solid
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image, Verdict

_SOUND_SUPPORT = 0.8
_SOUND_WITH_PIPS = 0.72
_SOUND_PIPS_PX = 0.95
# Share of a lone die's outline that may run so many px outside of it; less where the die fits so badly, and where the
# outline is plain; how far a die below it peeps out at most.
_PEEPS_SHARE, _PEEPS_SHARE_ILL, _ILL_COST, _PEEPS_SHARE_PLAIN = 0.2, 0.16, 0.8, 0.11
_CLEARLY_OUT_PX, _PEEPS_MM = 1.5, 4.0
# A body is plain whose outline differs from the ground by so many times the limit.
_PLAIN = 4.5
# So far within a silhouette lit felt may show on such a share of it at most; felt differs by less than such a share of
# what the body does.
_WITHIN_PX, _BARE_SHARE, _FELT = 2.5, 0.15, 0.25
# Chi square by which a leaning pose must explain a die better before it is believed, how far its lean may err, and how
# well it must close beside the flat one.
_GAIN = 12.0
_LEAN_ERROR_DEG = 2.5
_CLOSES = 0.5
# The scale at which these were found. Where a mm is fewer px, a lean moves the outline by fewer too.
_USUAL_PX_PER_MM = 2.36
# How badly a die that leans on nothing seen must fit flat before tilted poses are tried, and by what gain one is heard.
_ILL_FITTING, _ILL_PIPS_PX, _GAIN_UNPROPPED, _LEAN_UNPROPPED_DEG = 1.4, 1.0, 96.0, 10.0
# How badly a die that could lean may fit flat at most: with the px both the misfit of a lean and the points that show
# it become fewer. By how much a fit that gains may fall short of a lean, and by how much it must exceed one unless it
# closes so well.
_MISFIT, _LEAN_SHORT_DEG, _LEAN_OVER_DEG, _LEAN_PLAIN_DEG, _CLOSES_WELL = 5.2, 1.5, 0.5, 1.5, 0.2
# Share of the flat pose's cost up to which a leaning pose explains a die better, or like it where the flat one needs an
# outline that is larger by so much; and by how much so many pips may lie farther off their sites then.
_BETTER, _LIKE, _GROWN_PX = 0.85, 1.5, 0.25
_TELLING_PIPS, _PIPS_WORSE = 4, 1.05
# A die whose outline drowned by so many px beside the usual, and fits so badly, may lean on what is near it: away from
# that by more than so many degrees, or towards any side by more.
_UNTOLD_PX, _UNTOLD_COST, _UNTOLD_AWAY_DEG, _UNTOLD_DEG = -0.6, 0.65, 2.0, 4.5
# From which odds the network is sure, names another number, or sees none.
_NET_SURE, _NET_OTHER, _NET_NONE = 0.95, 0.3, 0.8
# The margin of the second opinion from which on pips half in shadow stand out where the network is sure.
_SHADED = 0.05
# The margin of the second opinion from which on a face is plain, and what the network must say against that.
_CLEAR, _NET_OTHER_CLEAR = 0.85, 0.6
# A dark die's outline runs this far inside its place, around an area no larger than its face.
_DROWNED_PX, _DROWNED_AREA = -0.5, 1.15
# How much larger than usual a die looks that may stand on another one.
LOOKS_LARGE_PX = 0.55


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One die with its verdict.

    Attributes:
        pose: Where it stands.
        verdict: How it lies.
        value: Its number, only for a valid die.
        confidence: 0 to 1.
        why: Code for anything but plainly valid.
        light_pips: Whether its pips are lighter than its face; None when unknown.
        cost: How well its fit closes; 1 is what honest noise gives.
        lone: Whether nothing else is in its body.
    """

    pose: DiePose
    verdict: Verdict
    value: int | None
    confidence: float
    why: str | None
    light_pips: bool | None
    cost: float = 1.0
    lone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What all dice of one picture share.

    Attributes:
        image: The picture, BGR.
        tray: The camera over the box.
        settings: The rig and its limits.
        size_mm: Edge of the dice in this picture.
        net: The opinion on a face that knows no lattice.
        ground: The box, measured against its own felt.
    """

    image: Image
    tray: Tray
    settings: ReaderSettings
    size_mm: float
    net: FaceNet
    ground: Ground


@dataclass(frozen=True, slots=True)
class Case:
    """One flat die of an explanation, with its body and its neighbours in it; suspect when something is left over."""

    body: Body
    solid: Solid
    others: list[Solid]
    suspect: bool = False


def _own_outline(body: Body, here: Solid, others: list[Solid], tray: Tray, reach_px: float = 4.0) -> Floats:
    """Outline points that belong to one die: near it and not nearer to another."""
    gap = np.abs(pose.outside_px(body.outline, pose.silhouette_px(here.fit.pose, tray)))
    mine = gap < reach_px
    for other in others:
        mine &= gap < np.abs(pose.outside_px(body.outline, pose.silhouette_px(other.fit.pose, tray))) - 0.5
    points = body.outline[mine]
    return points[:: max(1, len(points) // 50)]


def _exposed_support(body: Body, here: Solid, others: list[Solid], tray: Tray) -> float:
    """Share of the silhouette that is confirmed, of the part that no other die hides or touches."""
    return solve.support_where(body.outline, here.fit, [o.fit for o in others], tray)


def _props(at: DiePose, others: list[DiePose], tray: Tray) -> list[Floats]:
    """Directions, away from each wall or die near enough to be leant on, in which a leaning die would face."""
    away = near_wall(at, tray)
    for other in others:
        arm = at.center_mm[:2] - other.center_mm[:2]
        far = float(np.hypot(*arm))
        if far < 1.6 * at.size_mm:
            away.append(arm / far)
    return away


def _leans_away(tilted: DiePose, away: list[Floats]) -> bool:
    """Whether the upper face turns away from something that could prop the die, as it must."""
    facing = (tilted.rotation @ pose.NORMALS[tilted.top])[:2]
    length = float(np.hypot(*facing))
    return any(float(facing @ direction) > 0.6 * length for direction in away)


def flat_verdicts(cases: list[Case], view: View) -> list[Judged]:
    """Verdicts on dice that the flat explanation takes as lying on the floor."""
    tray = view.tray
    coarse = _coarseness(tray)
    tasks: list[Task] = []
    places: list[int | None] = []
    for case in cases:
        found = case.solid.fit
        off_px = case.solid.fit.off_px
        props = _props(found.pose, [o.fit.pose for o in case.others], tray)
        ill = found.cost > _ILL_FITTING * coarse**2 or off_px > _ILL_PIPS_PX * coarse
        if props or case.suspect or ill:
            outline = _own_outline(case.body, case.solid, case.others, tray)
            places.append(len(tasks))
            tasks.append(Task(pose=found.pose, outline=outline, pips=case.solid.pips_px))
            tasks.extend(lean.tilts(found.pose, outline, case.solid.pips_px))
        else:
            places.append(None)
    fits = fit_all(tasks, tray, rounds=5)
    poses = [case.solid.fit.pose for case in cases]
    said = view.net.read([square(view.image, pose.face_px(at, at.top, tray)) for at in poses])
    out = []
    for case, place, odds in zip(cases, places, said, strict=True):
        tilted: Fit | None = None
        gain = 0.0
        if place is not None:
            count = len(tasks[place].outline) + 2 * len(tasks[place].pips)
            tilted = min(fits[place + 1 : place + 5], key=lambda f: f.cost)
            gain = (fits[place].cost - tilted.cost) * count
            # The leaning pose must close by itself: where neither closes, light and not lean is the reason.
            if tilted.cost > _CLOSES * fits[place].cost:
                gain = min(gain, 0.0)
        out.append(_of_flat(case, tilted, gain, odds, view))
    return out


def _coarseness(tray: Tray) -> float:
    """How many px a mm is, as a share of what it usually is; 1 at most."""
    return min(1.0, tray.px_per_mm / _USUAL_PX_PER_MM)


def by_its_face(case: Case, tray: Tray) -> bool:
    """Whether a die lies so free that its face alone tells how it lies.

    The outline of a dark die drowns in its own shadow, and then runs inside its true place. Where nothing is near
    enough to lean on, a die whose pips sit as on the floor lies on the floor.
    """
    here, found = case.solid, case.solid.fit.pose
    alone = not case.others and not near_wall(found, tray)
    area = float(case.body.mask.sum()) / (found.size_mm * tray.px_per_mm) ** 2
    drowned = found.spread_px < _DROWNED_PX and area < _DROWNED_AREA
    return alone and drowned and (here.value or 0) >= 2 and here.fit.off_px < 0.6


def _contradicts(odds: Floats, number: int, margin: float) -> bool:
    """Whether the network names another number, or surely none; where the colours are clear it must name it clearly."""
    others = odds.copy()
    others[[0, number]] = 0.0
    return bool(others.max() > (_NET_OTHER_CLEAR if margin > _CLEAR else _NET_OTHER) or odds[0] > _NET_NONE)


def _no_worse(tilted: Fit, flat: Fit) -> bool:
    """Whether a die explains its outline leaning as it does flat.

    A flat die that is free to lean stays flat within two degrees or so; one that leans on something by five and fits no
    worse there may well do so. The outline of a dark one is poor, but as a flat die it must be taken for a larger one.
    """
    grown = flat.pose.spread_px - tilted.pose.spread_px
    many = len(flat.pips_px) >= _TELLING_PIPS
    against = many and tilted.off_px > _PIPS_WORSE * flat.off_px
    better = tilted.cost < _BETTER * flat.cost and not against
    return better or (grown > _GROWN_PX and tilted.cost < _LIKE * flat.cost)


def _untold(tilted: Fit, flat: Fit, usual_px: float, *, away: bool) -> bool:
    """Whether the outline of a die that could lean is too poor to tell how it lies.

    The sides of a dark die drown in its shadow. Its outline is then that of a smaller die, flat or tilted a little:
    where it fits badly too, it speaks for neither.
    """
    poor = flat.pose.spread_px - usual_px < _UNTOLD_PX and flat.cost > _UNTOLD_COST
    return poor and tilted.pose.lean_deg > (_UNTOLD_AWAY_DEG if away else _UNTOLD_DEG)


def _peeps_out(body: Body, found: Fit, view: View) -> bool:
    """Whether corners of a die below are seen around a die: too small each to be a leftover, too many to be noise.

    What reaches farther out is no die below but something beside it, which others look at. The outline of a body that
    hardly differs from the felt strays by itself.
    """
    beyond = pose.outside_px(body.outline, pose.seen_px(found.pose, view.tray))
    strays = _PEEPS_SHARE_ILL if found.cost > _ILL_COST else _PEEPS_SHARE
    least = _PEEPS_SHARE_PLAIN if body.level > _PLAIN * view.ground.limit else strays
    return bool((beyond > _CLEARLY_OUT_PX).mean() > least and beyond.max() < _PEEPS_MM * view.tray.px_per_mm)


def _shows_felt(case: Case, view: View) -> bool:
    """Whether lit felt shows just inside a flat die's silhouette, where its sides should be.

    Shadow hides a side, and then nobody can say where it ends. Light hides none: a die whose sides are not where light
    falls leans away from there.
    """
    found, tray = case.solid.fit.pose, view.tray
    lines = pose.lines_px(found, tray)
    within = pose.inside_px(lines.ring, _WITHIN_PX + found.spread_px)
    bare = pose.outside_px(within, pose.top_px(found, tray)) > 1.0
    for other in case.others:
        bare &= pose.outside_px(within, pose.silhouette_px(other.fit.pose, tray)) > _WITHIN_PX
    return bool((bare & view.ground.is_lit_felt(within, _FELT * case.body.level)).mean() > _BARE_SHARE)


def _of_flat(case: Case, tilted: Fit | None, gain: float, odds: Floats, view: View) -> Judged:
    """Verdict on one die of a flat explanation, given the best leaning pose near it and what that gains."""
    tray, settings = view.tray, view.settings
    here, others = case.solid, case.others
    support = _exposed_support(case.body, here, others, tray) if others else here.support
    off_px = here.fit.off_px
    light = here.sign > 0
    found = here.fit.pose
    coarse = _coarseness(tray)
    props = [] if tilted is None else _props(found, [o.fit.pose for o in others], tray)
    if tilted is not None:
        away = _leans_away(tilted.pose, props)
        beyond_deg = tilted.pose.lean_deg - settings.cocked_deg
        # What is hardly a lean is one only where it closes well.
        plainly = beyond_deg > _LEAN_PLAIN_DEG or tilted.cost < _CLOSES_WELL
        leans = away and plainly and beyond_deg > 0.0 and gain > _GAIN * coarse**2
        leans = leans or (away and plainly and beyond_deg > -_LEAN_SHORT_DEG and gain > _GAIN)
        surely = beyond_deg > _LEAN_OVER_DEG
        leans = leans or (away and surely and _no_worse(tilted, here.fit))
        leans = leans or (bool(props) and _untold(tilted, here.fit, usual_spread_px(tray), away=away))
        leans = leans or (bool(props) and _shows_felt(case, view))
        fits = [o.fit for o in others]
        if (
            leans
            and gain > _GAIN
            and beyond_deg > _LEAN_ERROR_DEG
            and solve.support_where(case.body.outline, tilted, fits, tray) >= _SOUND_SUPPORT
        ):
            return Judged(
                pose=tilted.pose, verdict="cocked", value=None, confidence=0.85, why="leans", light_pips=light
            )
        if leans or (tilted.pose.lean_deg > _LEAN_UNPROPPED_DEG and gain > _GAIN_UNPROPPED * coarse**2):
            return Judged(
                pose=tilted.pose, verdict="unreadable", value=None, confidence=0.4, why="lean-unsure", light_pips=light
            )
    if not others and _peeps_out(case.body, here.fit, view):
        return Judged(pose=found, verdict="stacked", value=None, confidence=0.5, why="height-unsure", light_pips=light)
    number, margin = face.second_opinion(view.image, pose.top_to_px(found, tray))
    if number is None and here.value == 1:
        number, margin = face.second_opinion(view.image, pose.top_to_px(found, tray), wide=True)
    if number is None and odds[here.value or 0] > _NET_SURE:
        number, margin = face.second_opinion(view.image, pose.top_to_px(found, tray), least=_SHADED)
    why = None
    excess = found.spread_px - usual_spread_px(tray)
    fixed_by_pips = (here.value or 0) >= 3 and off_px < 0.7 and gain < _GAIN
    fixed_by_pips = fixed_by_pips and abs(found.spread_px) < 0.6 and excess < LOOKS_LARGE_PX
    by_face = number == here.value and odds[here.value or 0] > _NET_SURE and by_its_face(case, tray)
    if (support < (_SOUND_WITH_PIPS if fixed_by_pips else _SOUND_SUPPORT) or here.excess > 0.25) and not by_face:
        why = "outline-unsure"
    elif props and here.fit.cost > _MISFIT * coarse**3:
        why = "pose-unsure"
    elif off_px > _SOUND_PIPS_PX:
        why = "pips-off-centre"
    elif number is None:
        why = "pips-faint"
    elif number != here.value or _contradicts(odds, number, margin):
        why = "opinions-differ"
    if why in {"outline-unsure", "pips-off-centre"} and excess > LOOKS_LARGE_PX:
        # Outline and pips don't meet as on one die, and it looks too large: it stands on one that it nearly hides.
        return Judged(pose=found, verdict="stacked", value=None, confidence=0.5, why="height-unsure", light_pips=light)
    if why:
        return Judged(pose=found, verdict="unreadable", value=None, confidence=0.4, why=why, light_pips=light)
    confidence = min(0.999, 0.9 + 0.05 * min(support, 1.0) + 0.05 * min(1.0, 2 * margin))
    return Judged(
        pose=found,
        verdict="valid",
        value=here.value,
        confidence=confidence,
        why=None,
        light_pips=light,
        cost=here.fit.cost,
        lone=not others,
    )
