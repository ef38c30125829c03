"""The verdict on each die of a body, from measures that must all close.

Theory. Three explanations are tried, simplest first. Flat dice side by side: every silhouette is confirmed where it
is exposed and nothing is left over. Flat dice and one that leans: what the flat ones leave is fitted by a die in
any pose. A stack: a whole upper face, flat, with a piece of another die left over below it. A die is valid only as
a part of an explanation that closes, when two opinions name the same number, and when no leaning pose explains it
better. Where nothing closes the dice are unreadable, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from companion.vision import face, lean, pose, solve
from companion.vision.find import Body
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
_LEAN_ERROR_DEG = 3.0
_STANDS_OUT_PX = 0.8
# Leftover, in faces, from which on it is a die of its own; spread of an outline below which its die is not raised.
_WHOLE_DIE, _NOT_RAISED_PX = 0.85, 0.6


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


def top_to_px(at: DiePose, tray: Tray) -> Callable[[Floats], Floats]:
    """The map from the upper face, in pitches from its middle, to picture pixels."""
    top = at.top
    tangent = pose.TANGENTS[top]
    other = np.cross(pose.NORMALS[top], tangent)

    def to_px(points: Floats) -> Floats:
        local = pose.NORMALS[top] / 2 + at.pitch * (points[:, :1] * tangent + points[:, 1:] * other)
        return tray.project((local * at.size_mm) @ at.rotation.T + at.center_mm)

    return to_px


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


def _props(at: DiePose, others: list[DiePose], settings: ReaderSettings) -> list[Floats]:
    """Directions, away from each wall or die near enough to be leant on, in which a leaning die would face."""
    x, y = float(at.center_mm[0]), float(at.center_mm[1])
    half_x, half_y = settings.rig.floor_mm[0] / 2, settings.rig.floor_mm[1] / 2
    reach = 0.98 * at.size_mm
    away = []
    for gap, direction in (
        (half_x - x, (-1.0, 0.0)),
        (half_x + x, (1.0, 0.0)),
        (half_y - y, (0.0, -1.0)),
        (half_y + y, (0.0, 1.0)),
    ):
        if gap < reach:
            away.append(np.array(direction))
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


def judge(body: Body, spots: Spots, view: View) -> list[Judged]:
    """Verdicts on all dice of one body."""
    tray, size_mm = view.tray, view.size_mm
    flats = solve.choose(solve.guesses(body, spots, tray, size_mm))
    rest_mask, left = solve.leftover(body, flats, tray)
    face_px = (size_mm * tray.px_per_mm) ** 2
    area = float(body.mask.sum()) / face_px
    if flats and left < _LEFT_SHARE:
        return [_flat(body, s, flats, view) for s in flats]
    if len(flats) == 1 and _square_on(flats[0]) and left < _WHOLE_DIE:
        return _pile(body, flats, view)
    if area < 2.3:
        one = _leaning(body, [], spots, view, flats[0].fit.pose if flats else None)
        if one is not None:
            return [_cocked(one, view.settings, 0.9)]
    if flats:
        rest = _leaning(body, flats, spots, view, None)
        if rest is not None:
            judged = [_flat(body, s, flats, view) for s in flats]
            return [*judged, _cocked(rest, view.settings, 0.8)]
        if left >= _WHOLE_DIE and all(solid.fit.pose.spread_px < _NOT_RAISED_PX for solid in flats):
            # A whole die more than the flat ones: it leans on them, or they would look larger than they do.
            judged = [_flat(body, s, flats, view) for s in flats]
            return [*judged, _lost(body, view, rest_mask)]
        return _pile(body, flats, view)
    return [_lost(body, view)] if _could_be_die(body, spots, view) else []


def _square_on(solid: Solid) -> bool:
    """Whether pips and outline agree so well on a flat face that no leaning die could show them."""
    return solid.fit.cost < 0.5 and float(solid.fit.pips_px.mean()) < 0.55 and solid.support < 0.9


def _flat(body: Body, here: Solid, all_flats: list[Solid], view: View) -> Judged:
    """Verdict on a die that the flat explanation takes as lying on the floor."""
    tray, settings = view.tray, view.settings
    others = [s for s in all_flats if s is not here]
    support = _exposed_support(body, here, others, tray)
    off_px = float(here.fit.pips_px.mean()) if len(here.fit.pips_px) else 9.0
    light = here.sign > 0
    found = here.fit.pose
    gain = 0.0
    props = _props(found, [o.fit.pose for o in others], settings)
    if props or here.fit.cost > 1.4 or off_px > 1.0:
        tilted, gain = _tilted(body, here, others, tray)
        leans = tilted.pose.lean_deg > settings.cocked_deg and _leans_away(tilted.pose, props)
        if leans and gain > _GAIN and support >= 0.7 and tilted.pose.lean_deg > settings.cocked_deg + _LEAN_ERROR_DEG:
            return Judged(
                pose=tilted.pose, verdict="cocked", value=None, confidence=0.85, why="leans", light_pips=light
            )
        if (leans and gain > _GAIN) or (tilted.pose.lean_deg > 10.0 and gain > 8 * _GAIN):
            return Judged(
                pose=tilted.pose, verdict="unreadable", value=None, confidence=0.4, why="lean-unsure", light_pips=light
            )
    number, margin = face.second_opinion(view.image, top_to_px(found, tray))
    if number is None and here.value == 1:
        number, margin = face.second_opinion(view.image, top_to_px(found, tray), wide=True)
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


def _tilted(body: Body, here: Solid, others: list[Solid], tray: Tray) -> tuple[Fit, float]:
    """The best free pose near a flat one and how much better it explains outline and pips (chi square)."""
    outline = _own_outline(body, here, others, tray)
    pips = here.pips_px
    flat = pose.fit(here.fit.pose, tray, outline, pips)
    free = lean.near_flat(flat.pose, tray, outline, pips)
    return free, (flat.cost - free.cost) * (len(outline) + 2 * len(pips))


def _leaning(body: Body, flats: list[Solid], spots: Spots, view: View, start: DiePose | None) -> Solid | None:
    """One die in any pose that explains what flat dice leave of a body, or None."""
    tray, size_mm = view.tray, view.size_mm
    outline = body.outline
    for solid in flats:
        outline = outline[np.abs(pose.outside_px(outline, pose.silhouette_px(solid.fit.pose, tray))) > 2.2]
    if len(outline) < 16:
        return None
    outline = outline[:: max(1, len(outline) // 60)]
    used = {i for solid in flats for i in solid.spots}
    free = [i for i in range(len(spots.at_px)) if i not in used]
    best: Solid | None = None
    for sign in (1.0, -1.0):
        index = [i for i in free if spots.sign[i] == sign]
        if not index:
            continue
        strongest = spots.contrast[index].max()
        index = [i for i in index if spots.contrast[i] > 0.35 * strongest]
        pips = spots.at_px[index]
        fits = lean.anywhere(tray, outline, pips, size_mm)
        if flats:
            fits += lean.anywhere(tray, outline, pips, size_mm, base_mm=size_mm / 2)
        if start is not None:
            fits.append(lean.near_flat(start, tray, outline, pips))
        for found in fits:
            on_lattice = found.pips_px < 1.6
            if on_lattice.sum() < 1 or on_lattice.mean() < 0.6:
                continue
            support, excess = solve.measure(body.outline, found, tray)
            whole = Solid(
                fit=found, value=None, support=support, excess=excess, sign=sign, spots=tuple(index), pips_px=pips
            )
            _, left = solve.leftover(body, [*flats, whole], tray)
            spill = solve.spill(body, found, tray)
            if left > 0.07 or spill > 0.1 or (not flats and (support < 0.85 or excess > 0.15)):
                continue
            if best is None or found.cost < best.fit.cost:
                best = whole
    return best


def _is_under(one: Solid, other: Solid) -> bool:
    """Whether two dice overlap as none can side by side, the other looking larger: it lies on top."""
    here, there = one.fit.pose, other.fit.pose
    apart = float(np.hypot(*(here.center_mm - there.center_mm)[:2]))
    return apart < 0.97 * here.size_mm and there.spread_px > here.spread_px


def _cocked(one: Solid, settings: ReaderSettings, confidence: float) -> Judged:
    found = one.fit.pose
    if found.lean_deg <= settings.cocked_deg:
        return Judged(
            pose=found, verdict="unreadable", value=None, confidence=0.3, why="pose-unsure", light_pips=one.sign > 0
        )
    return Judged(pose=found, verdict="cocked", value=None, confidence=confidence, why="leans", light_pips=one.sign > 0)


def _pile(body: Body, flats: list[Solid], view: View) -> list[Judged]:
    """Flat dice with something left over that no single die explains: a stack, most likely."""
    tray, settings = view.tray, view.settings
    rest, _ = solve.leftover(body, flats, tray)
    out = []
    for solid in flats:
        others = [s for s in flats if s is not solid]
        touch = solve.touches(body, rest, solid, tray)
        if touch < 0.03:
            out.append(_flat(body, solid, flats, view))
            continue
        if any(_is_under(solid, other) for other in others):
            out.append(
                Judged(
                    pose=solid.fit.pose,
                    verdict="unreadable",
                    value=None,
                    confidence=0.3,
                    why="outline-unsure",
                    light_pips=solid.sign > 0,
                )
            )
            continue
        raised = pose.flat_pose(0.0, 0.0, 0.0, solid.fit.pose.size_mm, solid.fit.pose.size_mm)
        middle = tray.project(solid.fit.pose.center_mm + np.array([0, 0, solid.fit.pose.size_mm / 2]))
        at = tray.lift(middle[None], 2 * solid.fit.pose.size_mm)[0]
        raised = replace(solid.fit.pose, center_mm=np.array([at[0], at[1], 1.5 * raised.size_mm]))
        outline = _own_outline(body, solid, others, tray, 3.0)
        lifted = pose.fit(raised, tray, outline, solid.pips_px)
        tilted = lean.near_flat(lifted.pose, tray, outline, solid.pips_px, base_mm=None)
        gain = (lifted.cost - tilted.cost) * (len(outline) + 2 * len(solid.pips_px))
        if gain > 2 * _GAIN and tilted.pose.lean_deg > 2 * settings.cocked_deg:
            out.append(
                Judged(
                    pose=tilted.pose,
                    verdict="cocked",
                    value=None,
                    confidence=0.6,
                    why="leans-on-die",
                    light_pips=solid.sign > 0,
                )
            )
        else:
            out.append(
                Judged(
                    pose=lifted.pose,
                    verdict="stacked",
                    value=None,
                    confidence=0.7,
                    why="on-another-die",
                    light_pips=solid.sign > 0,
                )
            )
    return out


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
    at = view.tray.lift((middle + np.array([x, y]))[None], view.size_mm / 2)[0]
    return Judged(
        pose=pose.flat_pose(float(at[0]), float(at[1]), 0.0, view.size_mm),
        verdict="unreadable",
        value=None,
        confidence=0.1,
        why="no-pattern",
        light_pips=None,
    )


def bare_colour(image: Image, at: DiePose, tray: Tray) -> Floats:
    """Colour of the upper face between its pips, BGR."""
    places = top_to_px(at, tray)(face.BARE_UV)
    column = np.clip(places[:, 0].round().astype(int), 0, image.shape[1] - 1)
    row = np.clip(places[:, 1].round().astype(int), 0, image.shape[0] - 1)
    return np.asarray(np.median(image[row, column].astype(np.float64), axis=0))
