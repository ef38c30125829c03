"""Dice that lie flat: the verdict on each, from measures that must all close.

Theory. A die is valid only when its outline confirms it where it is exposed, its pips sit on their sites, both
opinions name the same number and the network none other, and nothing says that it may lean or stand on another die. The
outline of a dark die drowns in its own shadow; lying free, such a die is told by its face alone.
"""

from __future__ import annotations

from dataclasses import replace

from companion.vision import face, pose, solve
from companion.vision.case import Case, Judged, View
from companion.vision.doubt import GAIN, Tilt, coarseness, may_lean, peeps_out, tilted
from companion.vision.explain import near_wall, usual_spread_px
from companion.vision.find import Body
from companion.vision.pose import DiePose
from companion.vision.second import square
from companion.vision.solve import Solid
from companion.vision.tray import Tray
from companion.vision.types import Floats

_SOUND_SUPPORT = 0.8
_SOUND_WITH_PIPS = 0.72
_SOUND_PIPS_PX = 0.95
# A die of one pip or two that closes so well as if it had more of them.
_CLOSES, _ON_SITE_PX = 0.2, 0.4
# How far a measured lean may err.
_LEAN_ERROR_DEG = 2.5
# How badly a die that could lean may fit flat at most; where a mm is fewer px, the misfit of a lean is less.
_MISFIT = 5.2
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


def flat_verdicts(cases: list[Case], view: View, beside: list[DiePose]) -> list[Judged]:
    """Verdicts on dice that the flat explanation takes as lying on the floor; in bodies of their own lie others."""
    tilts = tilted(cases, beside, view.tray)
    cases, tilts = _beside_leaning(cases, tilts, view, beside)
    poses = [case.solid.fit.pose for case in cases]
    said = view.net.read([square(view.image, pose.face_px(at, at.top, view.tray)) for at in poses])
    return [_of_flat(case, tilt, odds, view) for case, tilt, odds in zip(cases, tilts, said, strict=True)]


def _beside_leaning(
    cases: list[Case], tilts: list[Tilt | None], view: View, near: list[DiePose]
) -> tuple[list[Case], list[Tilt | None]]:
    """The same, where dice beside one that surely leans are held against it as it leans, not as if it lay flat."""
    leaning = {
        id(case.solid): replace(case.solid, fit=tilt.fit)
        for case, tilt in zip(cases, tilts, strict=True)
        if tilt is not None and may_lean(case, tilt, view) and _surely_leans(case, tilt, view)
    }
    beside = [
        at
        for at, case in enumerate(cases)
        if id(case.solid) not in leaning and any(id(other) in leaning for other in case.others)
    ]
    if not beside:
        return cases, tilts
    cases, tilts = list(cases), list(tilts)
    for at in beside:
        cases[at] = replace(cases[at], others=[leaning.get(id(other), other) for other in cases[at].others])
    for at, tilt in zip(beside, tilted([cases[at] for at in beside], near, view.tray), strict=True):
        tilts[at] = tilt
    return cases, tilts


def _surely_leans(case: Case, tilt: Tilt, view: View) -> bool:
    """Whether a die that may lean does, by a lean that is beyond its error, from a prop, and by its outline."""
    plainly = tilt.fit.pose.lean_deg > view.settings.cocked_deg + _LEAN_ERROR_DEG
    others = [other.fit for other in case.others]
    return (
        tilt.away
        and tilt.gain > GAIN
        and plainly
        and solve.support_where(case.body.outline, tilt.fit, others, view.tray) >= _SOUND_SUPPORT
    )


def _exposed_support(body: Body, here: Solid, others: list[Solid], tray: Tray) -> float:
    """Share of the silhouette that is confirmed, of the part that no other die hides or touches."""
    return solve.support_where(body.outline, here.fit, [o.fit for o in others], tray)


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


def _leaning(case: Case, tilt: Tilt, view: View) -> Judged:
    """Verdict on a die that may lean: cocked where it surely does, else in doubt."""
    at, light = tilt.fit.pose, case.solid.sign > 0
    if _surely_leans(case, tilt, view):
        return Judged(pose=at, verdict="cocked", value=None, confidence=0.85, why="leans", light_pips=light)
    return Judged(pose=at, verdict="unreadable", value=None, confidence=0.4, why="lean-unsure", light_pips=light)


def _of_flat(case: Case, tilt: Tilt | None, odds: Floats, view: View) -> Judged:
    """Verdict on one die of a flat explanation, which may have been tried leaning."""
    tray, here, others = view.tray, case.solid, case.others
    light = here.sign > 0
    if tilt is not None and may_lean(case, tilt, view):
        return _leaning(case, tilt, view)
    support = _exposed_support(case.body, here, others, tray) if others else here.support
    off_px, found = here.fit.off_px, here.fit.pose
    no_gain = tilt is None or tilt.gain < GAIN
    if not others and peeps_out(case.body, here.fit, view):
        return Judged(pose=found, verdict="stacked", value=None, confidence=0.5, why="height-unsure", light_pips=light)
    to_px = pose.top_to_px(found, tray)
    number, margin = face.second_opinion(view.image, to_px, light=light)
    if number is None and here.value == 1:
        number, margin = face.second_opinion(view.image, to_px, light=light, wide=True)
    if number is None and odds[here.value or 0] > _NET_SURE:
        number, margin = face.second_opinion(view.image, to_px, light=light, least=_SHADED)
    why = None
    excess = found.spread_px - usual_spread_px(tray)
    closes = here.fit.cost < _CLOSES and off_px < _ON_SITE_PX
    fixed_by_pips = ((here.value or 0) >= 3 or closes) and off_px < 0.7 and no_gain
    fixed_by_pips = fixed_by_pips and abs(found.spread_px) < 0.6 and excess < LOOKS_LARGE_PX
    # What it might lean on may seem to be a body of its own.
    free = (tilt is None or not tilt.propped) and by_its_face(case, tray)
    by_face = number == here.value and odds[here.value or 0] > _NET_SURE and free
    if (support < (_SOUND_WITH_PIPS if fixed_by_pips else _SOUND_SUPPORT) or here.excess > 0.25) and not by_face:
        why = "outline-unsure"
    elif tilt is not None and tilt.propped and here.fit.cost > _MISFIT * coarseness(tray) ** 3:
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
        # Beside others its own part of the outline tells, too, how well it closes.
        cost=here.fit.cost if tilt is None else min(here.fit.cost, tilt.flat_cost),
        lone=not others,
        plain=case.body.plain,
    )
