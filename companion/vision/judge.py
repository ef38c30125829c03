"""The verdict on each die of a body, from measures that must all close.

Theory. Three explanations are tried, simplest first. Flat dice side by side: every silhouette is confirmed where it
is exposed and nothing is left over. Flat dice and one that leans: what the flat ones leave is fitted by a die in
any pose. A stack: a whole upper face, flat, with a piece of another die left over below it. A die is valid only as
a part of an explanation that closes, when two opinions name the same number, and when no leaning pose explains it
better. Where nothing closes the dice are unreadable, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from companion.vision import face, lean, pose, solve
from companion.vision.explain import Explanation, explain, near_wall
from companion.vision.find import Body
from companion.vision.fitting import Task, fit_all
from companion.vision.heap import Pile
from companion.vision.pose import DiePose, Fit
from companion.vision.settings import ReaderSettings
from companion.vision.solve import Solid, Spots
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image, Mask, Verdict

_SOUND_SUPPORT = 0.8
_SOUND_WITH_PIPS = 0.72
_SOUND_PIPS_PX = 1.3
_LEFT_SHARE = 0.04
# Chi square by which a leaning pose must explain a die better before it is believed, and how far its lean may err.
_GAIN = 12.0
_LEAN_ERROR_DEG = 2.5
_CLOSES = 0.5
_SMALL_LEAN_DEG = 9.0
_STANDS_OUT_PX = 0.8
# Leftover, in faces, from which on it is a die of its own, and up to which it may be a shadow's edge.
_WHOLE_DIE, _SLIVER = 0.85, 0.1
# Leftover near a flat die, and visible piece of a hidden one, in faces, that count.
_TOUCHED, _PIECE = 0.03, 0.2
# Spread of an outline below which its die is not raised.
_NOT_RAISED_PX = 0.65
# What the best explanation of a heap may leave open, and by how much it must beat the next when it calls dice good.
_OPEN, _CLEAR = 4.5, 0.6


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
    """

    pose: DiePose
    verdict: Verdict
    value: int | None
    confidence: float
    why: str | None
    light_pips: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What all dice of one picture share.

    Attributes:
        image: The picture, BGR.
        tray: The camera over the box.
        settings: The rig and its limits.
        size_mm: Edge of the dice in this picture.
    """

    image: Image
    tray: Tray
    settings: ReaderSettings
    size_mm: float


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


@dataclass(frozen=True, slots=True)
class _Case:
    """One flat die of an explanation, with its body and its neighbours in it; suspect when something is left over."""

    body: Body
    solid: Solid
    others: list[Solid]
    suspect: bool = False


def judge(scene: list[tuple[Body, Spots]], view: View) -> list[list[Judged]]:
    """Verdicts on all dice of one picture, body by body."""
    cases: list[_Case] = []
    places: list[int] = []
    judged: list[list[Judged]] = [[] for _ in scene]
    guessed = solve.guesses(scene, view.tray, view.size_mm)
    for number, ((body, spots), solids) in enumerate(zip(scene, guessed, strict=True)):
        flats = solve.choose(solids)
        _, left = solve.leftover(body, flats, view.tray)
        if flats and left < _LEFT_SHARE:
            cases.extend(_Case(body, s, [o for o in flats if o is not s]) for s in flats)
            places.extend(number for _ in flats)
        else:
            judged[number] = _heap(body, spots, solids, view)
    # All flat dice of the picture are asked at once whether they lean.
    for number, one in zip(places, _flat(cases, view), strict=True):
        judged[number].append(one)
    return judged


def _heap(body: Body, spots: Spots, solids: list[Solid], view: View) -> list[Judged]:
    """Verdicts on the dice of a body that flat dice side by side don't explain."""
    tray, size_mm = view.tray, view.size_mm
    ways = explain(Pile(body, spots, tray, size_mm), solids)
    best = ways[0]
    if best.leaning is None and best.raised is None:
        others = [w for w in ways if w.leaning is not None or w.raised is not None]
        # A small lean is told better by the flat die's own fit than by what is left over.
        rivals = [w for w in others if w.leaning is None or w.leaning.fit.pose.lean_deg > _SMALL_LEAN_DEG]
        clear = best.left < _SLIVER and all(w.cost > best.cost + _CLEAR for w in rivals)
        clear = clear and all(s.fit.pose.spread_px < _NOT_RAISED_PX for s in best.flats)
        named = bool(others) and others[0].cost < _OPEN
        if clear or not named:
            judged = _flats_and_rest(body, spots, best, view)
            if not named or all(one.verdict == "valid" for one in judged):
                return judged
        best = others[0]
    if best.cost > _OPEN:
        return _flats_and_rest(body, spots, next(w for w in ways if w.leaning is None and w.raised is None), view)
    top = best.leaning or best.raised
    assert top is not None  # noqa: S101
    dice = [*best.flats, top]
    cases = [_Case(body, s, [o for o in dice if o is not s]) for s in best.flats]
    out = [
        _cocked(top, view.settings, "leans-on-die" if best.below or best.flats else "leans")
        if best.leaning is not None
        else _stacked(top)
    ]
    out.extend(_flat(cases, view))
    out.extend(hidden for piece in best.below if (hidden := _hidden(body, piece, top, view)) is not None)
    return out


def _flats_and_rest(body: Body, spots: Spots, way: Explanation, view: View) -> list[Judged]:
    """Flat dice of a body with a rest that no die explains: those that the rest touches are in doubt."""
    sliver = way.left < _SLIVER and way.cost < _OPEN
    sound = [s for s in way.flats if sliver or solve.touches(body, way.rest, s, view.tray) < _TOUCHED]
    judged = _flat([_Case(body, s, [o for o in way.flats if o is not s], suspect=True) for s in sound], view)
    judged.extend(_doubted(s, "outline-unsure") for s in way.flats if all(s is not o for o in sound))
    if (not way.flats or way.left >= _WHOLE_DIE) and _could_be_die(body, spots, view):
        judged.append(_lost(body, view, way.rest if way.flats else None))
    return judged


def _doubted(solid: Solid, why: str) -> Judged:
    return Judged(
        pose=solid.fit.pose, verdict="unreadable", value=None, confidence=0.3, why=why, light_pips=solid.sign > 0
    )


def _stacked(solid: Solid) -> Judged:
    return Judged(
        pose=solid.fit.pose,
        verdict="stacked",
        value=None,
        confidence=0.7,
        why="on-another-die",
        light_pips=solid.sign > 0,
    )


def _hidden(body: Body, piece: Mask, top: Solid, view: View) -> Judged | None:
    """A die of which a topmost one leaves only a piece to be seen; None when the piece is too small to tell."""
    size_px = view.size_mm * view.tray.px_per_mm
    if piece.sum() < _PIECE * size_px**2:
        return None
    places = np.argwhere(piece)[:, ::-1] + np.array(body.box_px[:2], dtype=np.float64)
    middle = view.tray.project(top.fit.pose.center_mm)
    arm = places.mean(0) - middle
    arm /= np.hypot(*arm)
    # Its far edge is seen; its middle lies half an edge nearer.
    place = middle + arm * (float(np.percentile((places - middle) @ arm, 98)) - 0.55 * size_px)
    return _somewhere(place, view, "hidden")


def _flat(cases: list[_Case], view: View) -> list[Judged]:
    """Verdicts on dice that the flat explanation takes as lying on the floor."""
    tray = view.tray
    tasks: list[Task] = []
    places: list[int | None] = []
    for case in cases:
        found = case.solid.fit
        off_px = _off_px(case.solid)
        props = _props(found.pose, [o.fit.pose for o in case.others], tray)
        if props or case.suspect or found.cost > 1.4 or off_px > 1.0:
            outline = _own_outline(case.body, case.solid, case.others, tray)
            places.append(len(tasks))
            tasks.append(Task(pose=found.pose, outline=outline, pips=case.solid.pips_px))
            tasks.extend(lean.tilts(found.pose, outline, case.solid.pips_px))
        else:
            places.append(None)
    fits = fit_all(tasks, tray)
    out = []
    for case, place in zip(cases, places, strict=True):
        tilted: Fit | None = None
        gain = 0.0
        if place is not None:
            count = len(tasks[place].outline) + 2 * len(tasks[place].pips)
            tilted = min(fits[place + 1 : place + 5], key=lambda f: f.cost)
            gain = (fits[place].cost - tilted.cost) * count
            # The leaning pose must close by itself: where neither closes, light and not lean is the reason.
            if tilted.cost > _CLOSES * fits[place].cost:
                gain = min(gain, 0.0)
        out.append(_of_flat(case, tilted, gain, view))
    return out


def _off_px(solid: Solid) -> float:
    return float(solid.fit.pips_px.mean()) if len(solid.fit.pips_px) else 9.0


def _of_flat(case: _Case, tilted: Fit | None, gain: float, view: View) -> Judged:
    """Verdict on one die of a flat explanation, given the best leaning pose near it and what that gains."""
    tray, settings = view.tray, view.settings
    here, others = case.solid, case.others
    support = _exposed_support(case.body, here, others, tray)
    off_px = _off_px(here)
    light = here.sign > 0
    found = here.fit.pose
    if tilted is not None:
        props = _props(found, [o.fit.pose for o in others], tray)
        leans = tilted.pose.lean_deg > settings.cocked_deg and _leans_away(tilted.pose, props)
        leans = leans and gain > _GAIN
        fits = [o.fit for o in others]
        if (
            leans
            and tilted.pose.lean_deg > settings.cocked_deg + _LEAN_ERROR_DEG
            and solve.support_where(case.body.outline, tilted, fits, tray) >= _SOUND_SUPPORT
        ):
            return Judged(
                pose=tilted.pose, verdict="cocked", value=None, confidence=0.85, why="leans", light_pips=light
            )
        if leans or (tilted.pose.lean_deg > 10.0 and gain > 8 * _GAIN):
            return Judged(
                pose=tilted.pose, verdict="unreadable", value=None, confidence=0.4, why="lean-unsure", light_pips=light
            )
    number, margin = face.second_opinion(view.image, pose.top_to_px(found, tray))
    if number is None and here.value == 1:
        number, margin = face.second_opinion(view.image, pose.top_to_px(found, tray), wide=True)
    why = None
    fixed_by_pips = (here.value or 0) >= 3 and off_px < 0.7 and abs(found.spread_px) < 0.6 and gain < _GAIN
    if support < (_SOUND_WITH_PIPS if fixed_by_pips else _SOUND_SUPPORT) or here.excess > 0.25:
        why = "outline-unsure"
    elif off_px > _SOUND_PIPS_PX:
        why = "pips-off-centre"
    elif number is None:
        why = "pips-faint"
    elif number != here.value:
        why = "opinions-differ"
    if why:
        return Judged(pose=found, verdict="unreadable", value=None, confidence=0.4, why=why, light_pips=light)
    confidence = min(0.999, 0.9 + 0.05 * min(support, 1.0) + 0.05 * min(1.0, 2 * margin))
    return Judged(pose=found, verdict="valid", value=here.value, confidence=confidence, why=None, light_pips=light)


def _cocked(one: Solid, settings: ReaderSettings, why: str) -> Judged:
    found = one.fit.pose
    light = one.sign > 0
    if found.lean_deg <= settings.cocked_deg:
        return Judged(pose=found, verdict="unreadable", value=None, confidence=0.3, why="pose-unsure", light_pips=light)
    return Judged(pose=found, verdict="cocked", value=None, confidence=0.85, why=why, light_pips=light)


def doubt_heights(dice: list[Judged]) -> list[Judged]:
    """The dice of one picture, those that look larger than the others taken for standing on another die.

    Light and blur make all outlines of a picture grow alike. A die that grew by much more than the rest is nearer to
    the camera: it stands on a die that it hides.
    """
    spreads = [d.pose.spread_px for d in dice if d.verdict == "valid"]
    out = []
    for die in dice:
        others = sorted(spreads)
        if die.verdict == "valid" and len(spreads) > 1:
            others.remove(die.pose.spread_px)
            if die.pose.spread_px - others[len(others) // 2] > _STANDS_OUT_PX and die.pose.spread_px > _STANDS_OUT_PX:
                out.append(replace(die, verdict="stacked", value=None, confidence=0.5, why="height-unsure"))
                continue
        out.append(die)
    return out


def _could_be_die(body: Body, spots: Spots, view: View) -> bool:
    """Whether a body that nothing explains has the size of dice, pips, and lies on the floor."""
    side = view.size_mm * view.tray.px_per_mm
    x, y, w, h = body.box_px
    at = view.tray.lift(np.array([[x + w / 2, y + h / 2]]), view.size_mm / 2)[0]
    half_x, half_y = view.settings.rig.floor_mm[0] / 2, view.settings.rig.floor_mm[1] / 2
    on_floor = abs(at[0]) < half_x and abs(at[1]) < half_y
    strong = spots.contrast > 30.0
    return bool(on_floor and strong.any() and body.solid.sum() > 0.55 * side**2 and max(w, h) < 5 * side)


def _lost(body: Body, view: View, part: Mask | None = None) -> Judged:
    """A body with pips, or a part of one, that no explanation closes on."""
    x, y, w, h = body.box_px
    middle = np.array([w / 2, h / 2]) if part is None else np.argwhere(part)[:, ::-1].mean(0)
    return _somewhere(middle + np.array([x, y]), view, "no-pattern")


def _somewhere(place_px: Floats, view: View, why: str) -> Judged:
    at = view.tray.lift(place_px[None], view.size_mm / 2)[0]
    return Judged(
        pose=pose.flat_pose(float(at[0]), float(at[1]), 0.0, view.size_mm),
        verdict="unreadable",
        value=None,
        confidence=0.1,
        why=why,
        light_pips=None,
    )


def bare_colour(image: Image, at: DiePose, tray: Tray) -> Floats:
    """Colour of the upper face between its pips, BGR."""
    places = pose.top_to_px(at, tray)(face.BARE_UV)
    column = np.clip(places[:, 0].round().astype(int), 0, image.shape[1] - 1)
    row = np.clip(places[:, 1].round().astype(int), 0, image.shape[0] - 1)
    return np.asarray(np.median(image[row, column].astype(np.float64), axis=0))
