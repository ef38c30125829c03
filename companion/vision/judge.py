"""The verdict on each die of a body, from measures that must all close.

Theory. Three explanations are tried, simplest first. Flat dice side by side: every silhouette is confirmed where it
is exposed and nothing is left over. Flat dice and one that leans: what the flat ones leave is fitted by a die in
any pose. A stack: a whole upper face, flat, with a piece of another die left over below it. A die is valid only as
a part of an explanation that closes, when two opinions name the same number, and when no leaning pose explains it
better. Where nothing closes the dice are unreadable, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from companion.vision import face, light, pose, rig, solve
from companion.vision.case import Case, Judged, View
from companion.vision.doubt import TOUCHING
from companion.vision.explain import CLEAR, OPEN, SMALL_LEAN_DEG, Explanation, explain, usual_spread_px
from companion.vision.find import Body
from companion.vision.flat import LOOKS_LARGE_PX, by_its_face, flat_verdicts
from companion.vision.heap import Pile
from companion.vision.pose import DiePose
from companion.vision.settings import ReaderSettings
from companion.vision.solve import Solid, Spots
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image, Mask

__all__ = [
    "Judged",
    "Known",
    "View",
    "around_pips",
    "bare_colour",
    "common_growth_px",
    "doubt_heights",
    "doubt_leant_on",
    "doubt_size",
    "judge",
]

_LEFT_SHARE = 0.04
# From which size on a die may be raised, how far its size stands out beside the others, and from where on it surely is
# no die on the floor; how a die fits that is one, and one that is none.
_HARDLY_LARGE_PX, _STANDS_OUT_PX, _RATHER_LARGE_PX, _TOO_LARGE_PX, _DROWNED_PX = 0.25, 0.5, 0.65, 0.8, -0.4
_FITS_WELL, _ILL_FITTING = 0.25, 0.52
# From so many times the limit on an outline tells half a pixel.
_SURELY_LINED = 2.5
# From where on a die is surely too large that fits well: in a sharp picture, for each px of bloom, and at most.
_SHARP_PX, _BY_BLOOM, _MOST_TOO_LARGE_PX = 0.6, 1.3, 1.05
# From how much too small on dice of a size that nobody told are smaller ones that stand on others: by their pips, or
# where these don't tell by an outline that is so plain.
_PIPS_SMALL_MM, _TOO_SMALL_MM, _PLAIN_TIMES = -0.85, -0.7, 6.0
# How far grain lets outlines shrink, measured on stills with noise added: by each code more than usual that it leaves
# on felt, and at most.
_SHRUNK_PX, _NO_GRAIN, _MOST_SHRUNK_PX = 0.14, 1.5, 0.4
# What is common to the dice of a rig, at most, and how far beyond that a die stands on another; less if it fits ill.
_COMMON_PX, _BEYOND_COMMON_PX, _BEYOND_ILL_PX = 0.9, 0.6, 0.45
# So many dice that lie alone tell what is common.
_IN_COMMON = 2
# Leftover, in faces, from which on it is a die of its own, and up to which it may be a shadow's edge.
_WHOLE_DIE, _SLIVER = 0.85, 0.1
# Leftover near a flat die, and visible piece of a hidden one, in faces, that count.
_TOUCHED, _PIECE = 0.03, 0.2
# How a die closes that another one leans on: share of its outline, cost, pips, and size against the usual.
_CONFIRMED, _FITS_WELL_BESIDE, _ON_SITE_PX, _USUAL_SIZE_PX = 0.78, 0.4, 0.5, 0.35
# So many pips that stand out by so many codes are a die though no body shows around them.
_TELLING_PIPS, _STRONG = 2, 20.0
# How much more than a flat die one that leans may leave open to explain a body as well.
_AS_WELL = 0.15
# Spread of an outline below which its die is not raised.
_NOT_RAISED_PX = 0.65


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was worked out about bodies, by their identity, while the size of the dice was chosen.

    Attributes:
        spots: Their spots.
        solids: Flat dice that these propose, best first.
        ways: Ways to explain them, best first.
    """

    spots: dict[int, Spots] = field(default_factory=dict)
    solids: dict[int, list[Solid]] = field(default_factory=dict)
    ways: dict[int, list[Explanation]] = field(default_factory=dict)


def judge(scene: list[tuple[Body, Spots]], view: View, known: Known) -> list[list[Judged]]:
    """Verdicts on all dice of one picture, body by body; what is known of them already is not worked out again."""
    cases: list[Case] = []
    places: list[int] = []
    heaps: list[int] = []
    judged: list[list[Judged]] = [[] for _ in scene]
    fresh = [(body, spots) for body, spots in scene if id(body) not in known.solids]
    guessed = iter(solve.guesses(fresh, view.tray, view.size_mm))
    proposed = [known.solids[id(body)] if id(body) in known.solids else next(guessed) for body, _ in scene]
    for number, ((body, _), solids) in enumerate(zip(scene, proposed, strict=True)):
        flats = solve.choose(solids)
        if not flats and solids and by_its_face(Case(body, solids[0], []), view.tray):
            flats = solids[:1]
        _, left = solve.leftover(body, flats, view.tray)
        if flats and left < _LEFT_SHARE:
            cases.extend(Case(body, s, [o for o in flats if o is not s]) for s in flats)
            places.extend(number for _ in flats)
        else:
            heaps.append(number)
    beside = [case.solid.fit.pose for case in cases]
    for number in heaps:
        body, spots = scene[number]
        pile = Pile(body, spots, view.tray, view.size_mm)
        judged[number] = _heap(pile, proposed[number], view, known.ways.get(id(body)), beside)
    # All flat dice of the picture are asked at once whether they lean.
    beside = [one.pose for number in heaps for one in judged[number]]
    for number, one in zip(places, flat_verdicts(cases, view, beside), strict=True):
        judged[number].append(one)
    return judged


def _heap(
    pile: Pile, solids: list[Solid], view: View, ways: list[Explanation] | None, beside: list[DiePose]
) -> list[Judged]:
    """Verdicts on the dice of a body that flat dice side by side don't explain; beside it lie those."""
    body, spots = pile.body, pile.spots
    if not solids and not _could_be_die(body, spots, view):
        return []
    ways = explain(pile, solids) if ways is None else ways
    best = ways[0]
    if best.leaning is None and best.raised is None:
        others = [w for w in ways if w.leaning is not None or w.raised is not None]
        # A small lean is told better by the flat die's own fit than by what is left over, unless it explains as much.
        small = [w for w in others if w.leaning is not None and w.leaning.fit.pose.lean_deg <= SMALL_LEAN_DEG]
        if len(best.flats) == 1 and any(w.cost < best.cost + _AS_WELL for w in small):
            return [_doubted(best.flats[0], "lean-unsure")]
        rivals = [w for w in others if w.leaning is None or w.leaning.fit.pose.lean_deg > SMALL_LEAN_DEG]
        clear = best.left < _SLIVER and all(w.cost > best.cost + CLEAR for w in rivals)
        clear = clear and all(s.fit.pose.spread_px < _NOT_RAISED_PX for s in best.flats)
        named = bool(others) and others[0].cost < OPEN
        if clear or not named:
            judged = _flats_and_rest(body, spots, best, view, beside)
            if not named or all(one.verdict == "valid" for one in judged):
                return judged
        best = others[0]
    if best.cost > OPEN:
        flat = next(w for w in ways if w.leaning is None and w.raised is None)
        return _flats_and_rest(body, spots, flat, view, beside)
    top = best.leaning or best.raised
    assert top is not None  # noqa: S101
    dice = [*best.flats, top]
    cases = [Case(body, s, [o for o in dice if o is not s]) for s in best.flats]
    out = [
        _cocked(top, view.settings, "leans-on-die" if best.below or best.flats else "leans")
        if best.leaning is not None
        else _stacked(top)
    ]
    out.extend(flat_verdicts(cases, view, beside))
    out.extend(hidden for piece in best.below if (hidden := _hidden(body, piece, top, view)) is not None)
    return out


def _flats_and_rest(body: Body, spots: Spots, way: Explanation, view: View, beside: list[DiePose]) -> list[Judged]:
    """Flat dice of a body with a rest that no die explains: those that the rest touches are in doubt."""
    sliver = way.left < _SLIVER and way.cost < OPEN
    sound = [
        s
        for s in way.flats
        if sliver or solve.touches(body, way.rest, s, view.tray) < _TOUCHED or _surely_flat(s, view.tray)
    ]
    cases = [Case(body, s, [o for o in way.flats if o is not s], suspect=True) for s in sound]
    judged = flat_verdicts(cases, view, beside)
    judged.extend(_doubted(s, "outline-unsure") for s in way.flats if all(s is not o for o in sound))
    if not _could_be_die(body, spots, view):
        return judged
    if not way.flats or way.left >= _WHOLE_DIE:
        judged.append(_lost(body, view, way.rest if way.flats else None))
    elif len(way.open_spots) > 1:
        # Pips that no die explains are on a die, though its body can't be made out.
        lost = _somewhere(spots.at_px[list(way.open_spots)].mean(0), view, "no-pattern")
        judged.extend(_by_light(body, spots, way, view, beside) or [lost])
    return judged


def _by_light(body: Body, spots: Spots, way: Explanation, view: View, beside: list[DiePose]) -> list[Judged]:
    """Verdict on the die whose pips are left open, where light shows its outline; none where it does not."""
    taken = {spot for solid in way.flats for spot in solid.spots}
    found = light.outlined(body, spots, [spot for spot in range(len(spots.sign)) if spot not in taken], view)
    if found is None:
        return []
    solids = solve.choose(solve.guesses([found], view.tray, view.size_mm)[0])
    told = flat_verdicts([Case(found[0], s, way.flats) for s in solids[:1]], view, beside)
    return [one for one in told if one.verdict in {"valid", "cocked"}]


def _surely_flat(solid: Solid, tray: Tray) -> bool:
    """Whether outline, size and pips of a die all say that it lies on the floor, whatever leans on it."""
    fit = solid.fit
    excess = fit.pose.spread_px - usual_spread_px(tray)
    closes = solid.support > _CONFIRMED and fit.cost < _FITS_WELL_BESIDE and fit.off_px < _ON_SITE_PX
    return closes and solid.excess == 0.0 and abs(excess) < _USUAL_SIZE_PX


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


def _cocked(one: Solid, settings: ReaderSettings, why: str) -> Judged:
    found = one.fit.pose
    light = one.sign > 0
    if found.lean_deg <= settings.cocked_deg:
        return Judged(pose=found, verdict="unreadable", value=None, confidence=0.3, why="pose-unsure", light_pips=light)
    return Judged(pose=found, verdict="cocked", value=None, confidence=0.85, why=why, light_pips=light)


def doubt_heights(dice: list[Judged], tray: Tray, common_px: float = 0.0, grain: float = 0.0) -> list[Judged]:
    """The dice of one picture, those that look too large taken for standing on another die.

    Blur makes the black squares of the markers shrink and all dice grow, so the markers tell how much larger a die
    should look. Makers, light, and colour that a camera sends at half size let dice grow further, which black squares
    can't tell but the other dice do. A die that grew by clearly more is nearer to the camera, or something peeps out
    around it: it stands on a die that it hides. In a grainy picture all dice shrink: less of a soft edge stands out.

    Args:
        dice: The dice of one picture.
        tray: The camera over the box.
        common_px: How much more than the markers tell the dice of this rig were seen to grow before.
        grain: What grain leaves on bare felt (`Ground.noise`).
    """
    usual = usual_spread_px(tray) - min(_MOST_SHRUNK_PX, _SHRUNK_PX * max(0.0, grain - _NO_GRAIN))
    flat = [die for die in dice if die.verdict == "valid"]
    out = []
    for die in dice:
        excess = die.pose.spread_px - usual
        # The outline of a die that hardly differs from the felt strays by as much.
        least = _HARDLY_LARGE_PX if die.plain > _SURELY_LINED else LOOKS_LARGE_PX
        if die.verdict == "valid" and die.lone and excess > least:
            beside_it = [o.pose.spread_px - usual for o in flat if o is not die]
            # Dice whose outline drowns in their shadow tell nothing of the others' size.
            others = sorted(other for other in beside_it if other > _DROWNED_PX)
            beside = bool(others) and excess - others[len(others) // 2] > _STANDS_OUT_PX and die.cost > _FITS_WELL
            alone = sorted(o.pose.spread_px - usual for o in flat if o is not die and o.lone)
            common = min(_COMMON_PX, max(common_px, alone[(len(alone) - 1) // 2] if alone else 0.0))
            ill = die.cost > _ILL_FITTING and excess > max(_RATHER_LARGE_PX, common + _BEYOND_ILL_PX)
            if beside or ill or excess > max(_too_large_px(die, tray), common + _BEYOND_COMMON_PX):
                out.append(_raised(die))
                continue
        out.append(die)
    return out


def doubt_size(dice: list[Judged], tray: Tray) -> list[Judged]:
    """The dice of one picture by which alone their size was chosen, those taken for standing high that look too small.

    Dice that all stand on others look like larger ones on the floor, but not quite as large as these.
    """
    telling = [die for die in dice if die.verdict == "valid" and (die.value != 1 or die.plain > _PLAIN_TIMES)]
    if not telling or not all(_looks_small(die, tray) for die in telling):
        return dice
    return [_raised(die) if die.verdict == "valid" else die for die in dice]


def doubt_leant_on(dice: list[Judged]) -> list[Judged]:
    """The dice of one picture, those doubted that close ill, though they are plain, and touch one that leans.

    Of two dice that touch and of which one leans, either may be the one, unless the other surely lies flat.
    """
    leaning = [die.pose for die in dice if die.verdict == "cocked"]
    out = []
    for die in dice:
        ill = die.verdict == "valid" and die.cost > _ILL_FITTING and die.plain > _SURELY_LINED
        if ill and any(_touch(die.pose, at) for at in leaning):
            out.append(replace(die, verdict="unreadable", value=None, confidence=0.3, why="lean-unsure"))
        else:
            out.append(die)
    return out


def _touch(one: DiePose, other: DiePose) -> bool:
    """Whether two dice may touch, however they are turned."""
    away = one.center_mm[:2] - other.center_mm[:2]
    return float(np.hypot(away[0], away[1])) < TOUCHING * one.size_mm


def _looks_small(die: Judged, tray: Tray) -> bool:
    """Whether pips and outline of a die are those of a smaller one; where one pip tells nothing a plain outline may."""
    at = die.pose
    pips_mm = at.size_mm * (at.pitch / pose.PITCH - 1)
    if pips_mm < _PIPS_SMALL_MM and at.spread_px < usual_spread_px(tray):
        return True
    return die.plain > _PLAIN_TIMES and rig.size_off_mm([at], tray) < _TOO_SMALL_MM


def _raised(die: Judged) -> Judged:
    return replace(die, verdict="stacked", value=None, confidence=0.5, why="height-unsure")


def _too_large_px(die: Judged, tray: Tray) -> float:
    """From which excess on a die stands on another, whatever the others look like.

    What peeps out below a die spoils its fit. Where it fits well, blur can do more: light mixes before the camera lifts
    its dark tones, so a bright die on darker felt grows with the blur that the markers show, and a dark one doesn't.
    """
    if die.cost > _FITS_WELL:
        return _TOO_LARGE_PX
    return min(_MOST_TOO_LARGE_PX, max(_TOO_LARGE_PX, _SHARP_PX + _BY_BLOOM * tray.bloom_px))


def common_growth_px(dice: list[Judged], tray: Tray) -> float | None:
    """How much more than the markers tell the dice of one picture grew; None where too few lie alone to tell."""
    grown = sorted(die.pose.spread_px for die in dice if die.verdict == "valid" and die.lone)
    if len(grown) < _IN_COMMON:
        return None
    return grown[(len(grown) - 1) // 2] - usual_spread_px(tray)


def around_pips(places: Floats, view: View) -> list[Judged]:
    """Dice of which no body is seen but marks in some places, shape (n, 2), px: one for all within a die's edge."""
    reach = view.size_mm * view.tray.px_per_mm
    groups: list[list[Floats]] = []
    for place in places:
        near = [group for group in groups if np.hypot(*(np.mean(group, axis=0) - place)) < reach]
        if near:
            near[0].append(place)
        else:
            groups.append([place])
    return [_somewhere(np.mean(group, axis=0), view, "no-pattern") for group in groups]


def _could_be_die(body: Body, spots: Spots, view: View) -> bool:
    """Whether a body that nothing explains has the size of dice, pips, and lies on the floor."""
    side = view.size_mm * view.tray.px_per_mm
    x, y, w, h = body.box_px
    at = view.tray.lift(np.array([[x + w / 2, y + h / 2]]), view.size_mm / 2)[0]
    half_x, half_y = view.settings.rig.floor_mm[0] / 2, view.settings.rig.floor_mm[1] / 2
    on_floor = abs(at[0]) < half_x and abs(at[1]) < half_y
    strong = spots.contrast > _STRONG
    # Of a die as green as the felt little else shows than its pips.
    large = body.solid.sum() > 0.55 * side**2 or (strong.sum() >= _TELLING_PIPS and max(w, h) > 0.6 * side)
    return bool(on_floor and strong.any() and large and max(w, h) < 5 * side)


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
    between = np.sort(image[row, column].astype(np.float64), axis=0)
    return np.asarray((between[1] + between[2]) / 2)
