"""Dice in any photograph: no markers, so scale and plane come from the dice themselves.

Theory. The finder proposes upper faces at all sizes. Each is cut out and squared, and two readers that know nothing of
each other name its number: a network, and drawn pip patterns. A number is given only where the two agree, each by a
margin of its own. What looks like a die but can't be read is said, never left out: the picture then goes to people. The
dice of one picture are of about one size; what is found at quite another size is grain, or a part of a larger die. What
the dice stand on and beside (`standing.py`) tells which of them may lean, and which were not seen by either reader.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.vision import colour, layout, second, standing
from companion.vision.faces import Face, Finder, ladder
from companion.vision.layout import Layout
from companion.vision.types import DieReading, Floats, Image

_PHOTO_PX = 1280
# Faces of one size that are looked at closely; more than these is a texture.
_MOST = 40
# Logarithm of the odds that a number is right, from `evidence`: fitted by training/calibrate.py to 3400 looks at faces
# in rendered pictures. With the least odds one such picture in a hundred has a wrong number and no doubt.
_WEIGHTS, _CONSTANT, _LEAST = np.array([1.28, 0.69, 1.44, -1.33]), -3.1, 0.8
# A face is read at these shares of its size as well; odds are joined as logarithms, none of them from nought.
_OTHER_SIZES, _LEAST_ODDS = (0.95, 1.05), 1e-4
# Least margin of the pattern, share that it explains, and codes between pips and face; and the share that must be
# explained to move a face.
_MARGIN, _EXPLAINED, _CONTRAST, _PLACED = 0.08, 0.4, 10.0, 0.25
# A pattern that explains no more than this while the finder gives its number no chance either is a letter or a cross;
# and where pips stand out by so many codes, no blur excuses it.
_UNLIKE, _UNHEARD, _UNLIKE_CRISP, _CRISP = 0.6, 0.1, 0.55, 100.0
# A pip is round, a glint need not be: how much longer than wide a single one may look.
_MOST_STRETCH = 1.5
# Least share of a face's surroundings that must have another colour than the face.
_LEAST_AROUND = 0.3
# The least odds where a picture shows nothing but ones and twos.
_FEW_LEAST = 2.5
# How sure the finder must be of a die without a number, beside dice that were read and without, and of a bare face.
_BODY_SURE, _ALONE_SURE, _BARE_SURE = 0.75, 0.85, 0.6
# Foreshortening at which a camera looks down, turn of its long axis that an upright one gives (both as the squeeze
# tells them), and how far upper faces of one picture may differ in it.
_DOWN, _UPRIGHT, _ONE_PLANE = 0.14, 1.1, 0.14
# Dice side by side lie an edge apart, but for errors; and how much surer the upper face of one die must be than a side.
_BESIDE, _CLEARLY = 0.93, 0.4
# Dice of one picture differ by make and by distance: up to so much in size.
_SAME_SIZE = 2.2
# Four pips of six make a number, and so does a side, on a face this much smaller than the others: the least odds there.
# Six pips are a part of no other number.
_SMALLER, _PART_LEAST = 0.8, 1.5
# Five dice may lie like the pips of a large one, so the search goes on to a fifth of what was read.
_FAR_SMALLER = 6.5
# How sure it is that something is a die which only its size and shape make one.
_UNREAD_SURE = 0.3
_CORNERS = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """One proposal with both opinions.

    Attributes:
        face: Where it is.
        odds: What the network says: none and 1 to 6.
        layout: What the patterns say.
        doubt: What other looks at the same place have against it.
    """

    face: Face
    odds: Floats
    layout: Layout
    doubt: str | None = None

    @property
    def number(self) -> int:
        return int(self.odds.argmax())

    @property
    def weight(self) -> float:
        """How much this speaks for being a die that shows a number, 0 to 1."""
        if self.number == 0 or self.number != self.layout.value:
            return 0.0
        return self.face.seen * float(self.odds[self.number]) * self.layout.explained

    @property
    def evidence(self) -> Floats:
        """What speaks for the number: sureness of finder and network as logarithms of odds, pattern, single pip."""
        sure = np.clip([self.face.seen, self.odds[self.number]], 0.01, 0.99)
        return np.array([*np.log(sure / (1 - sure)), self.layout.explained, float(self.number == 1)])

    @property
    def chance(self) -> float:
        """Logarithm of the odds that the number is right."""
        return float(self.evidence @ _WEIGHTS) + _CONSTANT

    @property
    def why(self) -> str | None:
        """Code of what stands against its number, None when nothing does."""
        if self.doubt is not None:
            return self.doubt
        said = self.layout
        if self.number == 0 or float(self.face.odds[0]) > _BARE_SURE or said.around < _LEAST_AROUND:
            return "no-pattern"
        unlike = said.explained < _UNLIKE and float(self.face.odds[self.number]) < _UNHEARD
        if self.number != said.value or unlike:
            return "opinions-differ"
        if said.stretch > _MOST_STRETCH or (said.contrast > _CRISP and said.explained < _UNLIKE_CRISP):
            return "no-pattern"
        faint = said.contrast < _CONTRAST or said.margin < _MARGIN or said.explained < _EXPLAINED
        if faint or self.chance < _LEAST:
            return "pips-faint"
        return None if _may_be_upper(self.face.squeeze) else "pose-unsure"


def _may_be_upper(squeeze: complex) -> bool:
    """Whether a face foreshortened like this can be an upper one: cameras are held upright, or look down."""
    return abs(squeeze) < _DOWN or abs(cmath.phase(squeeze)) < _UPRIGHT


class PhotoReader:
    """Reads dice in photographs without markers; one per thread."""

    def __init__(self) -> None:
        self._finder, self._face_net = Finder(), second.FaceNet()

    def read(self, image: Image) -> tuple[tuple[DieReading, ...], float | None]:
        """Dice of a photograph, one per place, left to right, and the edge of a die as it is seen, px.

        Args:
            image: The picture, BGR.
        """
        factor = min(1.0, _PHOTO_PX / max(image.shape[:2]))
        small = image
        if factor < 1.0:
            small = np.asarray(
                cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), dtype=np.uint8
            )
        white = np.percentile(small.reshape(-1, 3)[::97], 98, axis=0)
        looks = self.looks(small)
        seen = _settled(looks)
        read, told = [one.face for one in seen if one.why is None], [one.face for one in seen]
        around = standing.survey(small, read, told, [look.face for look in looks])
        doubts = iter(around.doubts)
        seen = [replace(one, doubt=next(doubts)) if one.why is None else one for one in seen]
        size_px = float(np.median([one.face.size_px for one in seen])) if seen else around.edge_px
        dice = [_reading(one, 1.0 / factor, white) for one in seen]
        dice += [_unread(middle, size_px, 1.0 / factor) for middle in around.unread]
        dice.sort(key=lambda die: die.center_px)
        return tuple(dice), size_px / factor if dice else None

    def looks(self, image: Image) -> list[_Seen]:
        """Proposals of all sizes, from the largest down to where nothing is to be expected any more."""
        found: list[_Seen] = []
        for size in ladder(image.shape):
            read = [one.face.size_px for one in found if one.why is None]
            if read and size < min(read) / _FAR_SMALLER:
                break
            faces = self._finder.at(image, size)[:_MOST]
            found += self._opinions(image, faces)
        return found

    def _opinions(self, image: Image, faces: list[Face]) -> list[_Seen]:
        """Both opinions on each face, the face first put where its pips say that it is."""
        crops = [second.cut(image, face.middle, face.across) for face in faces]
        placed = [_put_right(face, layout.read(crop)) for face, crop in zip(faces, crops, strict=True)]
        crops = [second.cut(image, face.middle, face.across) for face in placed]
        patterns = [layout.read(crop) for crop in crops]
        odds = self._face_net.read(crops, turns=4)
        agree = [i for i, seen in enumerate(patterns) if int(odds[i].argmax()) == seen.value]
        others = [second.cut(image, placed[i].middle, placed[i].across * size) for i in agree for size in _OTHER_SIZES]
        looks = self._face_net.read(others, turns=4).reshape(len(agree), len(_OTHER_SIZES), 7)
        for i, more in zip(agree, looks, strict=True):
            # The finder's size may be off: a number that hangs on it is none.
            joint = np.log(np.concatenate([odds[i][None], more]) + _LEAST_ODDS).mean(0)
            odds[i] = np.exp(joint) / np.exp(joint).sum()
        return [_Seen(face=f, odds=o, layout=p) for f, o, p in zip(placed, odds, patterns, strict=True)]


def _put_right(face: Face, seen: Layout) -> Face:
    if seen.explained < _PLACED:
        return face
    c, s = math.cos(seen.turn_rad), math.sin(seen.turn_rad)
    return replace(
        face,
        middle=face.middle + face.across @ np.array(seen.shift),
        across=face.across @ np.array([[c, -s], [s, c]]),
    )


def _settled(seen: list[_Seen]) -> list[_Seen]:
    """One opinion per die, of those that are dice by their size among the others."""
    if not seen:
        return []
    common = _common_size(seen)
    places: list[list[_Seen]] = []
    for one in sorted(seen, key=lambda s: -s.face.seen):
        if abs(math.log(one.face.size_px / common)) > math.log(_SAME_SIZE):
            continue
        here = next((place for place in places if not _apart(one.face, place[0].face)), None)
        if here is None:
            places.append([one])
        else:
            here.append(one)
    dice = _without_parts(_one_plane(_without_sides([_agreed(place) for place in places])))
    if all(die.number <= 2 for die in dice if die.why is None):
        # Nothing but one or two pips: knots, screws and stars look like that, so they must be surer.
        dice = [
            replace(die, doubt="scale-unsure") if die.why is None and die.chance < _FEW_LEAST else die for die in dice
        ]
    whole = [die for die in dice if die.why is None]
    return whole + [die for die in dice if die.why is not None and _stands_alone(die, whole)]


def _without_sides(dice: list[_Seen]) -> list[_Seen]:
    """The same dice without faces that lie nearer to a surer one than two upper faces can: these are its sides."""
    out: list[_Seen] = []
    for die in sorted(dice, key=lambda d: (d.why is not None, -d.chance)):
        rivals = [o for o in out if o.why is None and die.why is None and _edges_apart(die.face, o.face) < _BESIDE]
        if any(o.chance - die.chance < _CLEARLY for o in rivals):
            out = [replace(o, doubt="pose-unsure") if o in rivals else o for o in out]
        if not rivals:
            out.append(die)
    return out


def _without_parts(dice: list[_Seen]) -> list[_Seen]:
    """The same dice; what is smaller than those beside it may be a part of one, so it must be surer, but for a six."""
    sizes = [die.face.size_px for die in dice if die.why is None]
    out = []
    for die in dice:
        if die.why is None and die.number < 6 and die.chance < _PART_LEAST:
            others = sorted(sizes)
            others.remove(die.face.size_px)
            if others and die.face.size_px < _SMALLER * float(np.median(others)):
                out.append(replace(die, doubt="scale-unsure"))
                continue
        out.append(die)
    return out


def _edges_apart(one: Face, other: Face) -> float:
    """Distance of two faces on the plane that they share, in edges."""
    plane = (one.across @ one.across.T + other.across @ other.across.T) / 2
    away = one.middle - other.middle
    return math.sqrt(float(away @ np.linalg.solve(plane, away)))


def _one_plane(dice: list[_Seen]) -> list[_Seen]:
    """The same dice; those not parallel to the others are doubted, as side faces or leaning."""
    read = [die for die in dice if die.why is None]
    if len(read) < 2:
        return dice
    weights = [die.weight for die in read]
    centre = min(
        (die.face.squeeze for die in read),
        key=lambda at: sum(w * abs(at - d.face.squeeze) for w, d in zip(weights, read, strict=True)),
    )
    return [
        replace(die, doubt="pose-unsure") if die.why is None and abs(die.face.squeeze - centre) > _ONE_PLANE else die
        for die in dice
    ]


def _stands_alone(die: _Seen, whole: list[_Seen]) -> bool:
    """Whether something without a number is a die, and not a part or a side of one that was read."""
    near = any(math.dist(die.face.middle, w.face.middle) < 1.05 * w.face.size_px for w in whole)
    return die.face.seen > (_BODY_SURE if whole else _ALONE_SURE) and not near


def _agreed(place: list[_Seen]) -> _Seen:
    """What all looks at one place say together, the surest look first."""
    clear = [one for one in place if one.why is None]
    if not clear:
        return place[0]
    best = max(clear, key=lambda one: one.weight)
    others = {one.number for one in clear} | ({place[0].number} if place[0].odds[place[0].number] > 0.5 else set())
    if not others <= {best.number, 0}:
        return replace(best, doubt="opinions-differ")
    return best


def _apart(one: Face, other: Face) -> bool:
    """Whether two faces can belong to two dice: neither's middle lies on the other's body."""
    return math.dist(one.middle, other.middle) > 0.7 * max(one.size_px, other.size_px)


def _common_size(seen: list[_Seen]) -> float:
    """The size that most of the evidence speaks for, px."""
    sizes = np.log([one.face.size_px for one in seen])
    # Much grain that looks a little like dice must not outweigh one die.
    weights = np.array([one.weight**2 for one in seen])
    near = np.abs(sizes[:, None] - sizes[None]) < math.log(1.3)
    best = int((near @ weights).argmax())
    return float(math.exp(np.average(sizes[near[best]], weights=weights[near[best]] + 1e-9)))


def _reading(seen: _Seen, unscale: float, white: Floats) -> DieReading:
    corners = (_CORNERS @ seen.face.across.T + seen.face.middle) * unscale
    low, high = corners.min(0), corners.max(0)
    middle, why = seen.face.middle * unscale, seen.why
    return DieReading(
        value=seen.number if why is None else None,
        verdict="valid" if why is None else "unreadable",
        colour=colour.name_of(np.array(seen.layout.body), white, light_pips=seen.layout.light_pips),
        center_px=(round(float(middle[0]), 1), round(float(middle[1]), 1)),
        box_px=(int(low[0]), int(low[1]), int(high[0] - low[0]) + 1, int(high[1] - low[1]) + 1),
        outline_px=tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners),
        lean_deg=None,
        height_mm=None,
        confidence=round(1.0 / (1.0 + math.exp(-seen.chance)) if why is None else 0.5 * seen.face.seen, 3),
        why=why,
    )


def _unread(middle: Floats, size_px: float, unscale: float) -> DieReading:
    """A body like a die that neither reader saw."""
    corners = (_CORNERS * size_px + middle) * unscale
    (x, y), side = corners[0], size_px * unscale
    return DieReading(
        value=None,
        verdict="unreadable",
        colour=None,
        center_px=(round(float(middle[0] * unscale), 1), round(float(middle[1] * unscale), 1)),
        box_px=(int(x), int(y), int(side) + 1, int(side) + 1),
        outline_px=tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners),
        lean_deg=None,
        height_mm=None,
        confidence=_UNREAD_SURE,
        why="no-pattern",
    )
