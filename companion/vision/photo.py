"""Dice in any photograph: no markers, so scale and plane come from the dice themselves.

Theory. The finder proposes upper faces at all sizes. Each is cut out and squared, and two readers that know nothing of
each other name its number: a network, and drawn pip patterns. A number is given only where the two agree, each by a
margin of its own. What looks like a die but can't be read is said, never left out: the picture then goes to people. The
dice of one picture are of about one size; what is found at quite another size is grain, or a part of a larger die.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.vision import colour, layout, second
from companion.vision.faces import Face, Finder, ladder
from companion.vision.layout import Layout
from companion.vision.types import DieReading, Floats, Image

_PHOTO_PX = 1280
# Faces of one size that are looked at closely; more than these is a texture.
_MOST = 40
_READ_SURE, _READ_LAYOUT, _READ_MARGIN, _READ_CONTRAST = 0.7, 0.25, 0.08, 10.0
_FOUND_SURE, _BODY_SURE, _BARE_SURE = 0.5, 0.75, 0.6
# Dice of one picture differ by make and by distance: up to so much in size.
_SAME_SIZE = 2.2
# Five dice may lie like the pips of a large one, so the search goes on to a fifth of what was read.
_FAR_SMALLER = 6.5
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
    def why(self) -> str | None:
        """Code of what stands against its number, None when nothing does."""
        if self.doubt is not None:
            return self.doubt
        if self.number == 0 or float(self.face.odds[0]) > _BARE_SURE:
            return "no-pattern"
        if self.number != self.layout.value:
            return "opinions-differ"
        if float(self.odds.max()) < _READ_SURE or self.face.seen < _FOUND_SURE:
            return "pips-faint"
        if self.layout.explained < _READ_LAYOUT or self.layout.contrast < _READ_CONTRAST:
            return "pips-faint"
        return "pips-faint" if self.layout.margin < _READ_MARGIN else None


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
        seen = _settled(self._looked_at(small))
        dice = sorted((_reading(one, 1.0 / factor, white) for one in seen), key=lambda die: die.center_px)
        return tuple(dice), float(np.median([one.face.size_px for one in seen])) / factor if seen else None

    def _looked_at(self, image: Image) -> list[_Seen]:
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
        odds = self._face_net.read(crops, turns=4)
        return [_Seen(face=f, odds=o, layout=layout.read(c)) for f, o, c in zip(placed, odds, crops, strict=True)]


def _put_right(face: Face, seen: Layout) -> Face:
    if seen.explained < _READ_LAYOUT:
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
    dice = [_agreed(place) for place in places]
    return [die for die in dice if die.why is None or die.face.seen > _BODY_SURE]


def _agreed(place: list[_Seen]) -> _Seen:
    """What all looks at one place say together, the surest look first."""
    clear = [one for one in place if one.why is None]
    if not clear:
        return place[0]
    best = max(clear, key=lambda one: one.weight)
    others = {one.number for one in clear} | ({place[0].number} if place[0].odds[place[0].number] > 0.5 else set())
    return best if others <= {best.number, 0} else replace(best, doubt="opinions-differ")


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
    agreed = min(float(seen.odds.max()), seen.face.seen, 0.5 + seen.layout.margin)
    return DieReading(
        value=seen.number if why is None else None,
        verdict="valid" if why is None else "unreadable",
        colour=colour.name_of(np.array(seen.layout.body), white, light_pips=seen.layout.light_pips),
        center_px=(round(float(middle[0]), 1), round(float(middle[1]), 1)),
        box_px=(int(low[0]), int(low[1]), int(high[0] - low[0]) + 1, int(high[1] - low[1]) + 1),
        outline_px=tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners),
        lean_deg=None,
        height_mm=None,
        confidence=round(min(0.95, agreed if why is None else 0.5 * seen.face.seen), 3),
        why=why,
    )
