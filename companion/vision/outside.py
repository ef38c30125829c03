"""Dice outside the box: on the table, on the rim, leaning on the outer wall.

Theory. Nothing is known about the ground out there: cloth with dots, a board, wood. But the size of a pip is known to
a few per cent. A pip stands alone: seen from its middle, everything on a ring halfway to where the next pip could be
is darker, or everything is lighter, but for the little of the ring that reaches over the edge of its face. Edges,
grain and letters have no such ring, so few spots are left of a whole table, markers included. These propose faces as
in a heap: laid into a fan of tilted planes they must make a whole number. A proposal counts when both opinions, the
colours at the nine sites and the network that knows no lattice, name that number too. Such a die is void whatever it
shows, so nobody asks for more; its outline may be half hidden by the wall.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.vision import face, layout, pose, second, stance
from companion.vision.case import Judged
from companion.vision.heap import PLANES
from companion.vision.lean import spin
from companion.vision.pose import PITCH, DiePose
from companion.vision.stance import SeenFace
from companion.vision.tray import Tray, marker_corners_mm
from companion.vision.types import Floats, Image, Mask, Places

# The picture is made so small that pips stand this far apart.
_WORK_PITCH_PX = 4.6
_RING = 0.58
# The share of a marker's side within its black edge.
_CELLS = 4 / 6
# So many of the twelve places of a ring may lie beyond the edge of the face.
_BEYOND_EDGE = 2
_LEAST_CODES = 10.0
# The farthest that two pips of a face lie apart, and some more for dice on the rim and makers that differ.
_ACROSS_PX = 3.5 * _WORK_PITCH_PX
_AROUND = [
    (round(_RING * _WORK_PITCH_PX * math.cos(a)), round(_RING * _WORK_PITCH_PX * math.sin(a)))
    for a in np.arange(12) * math.pi / 6
]
# How sure the two opinions must be, and how well few spots must lie on their sites.
_NET, _MARGIN = 0.8, 0.3
_NET_ONE, _NET_HEARD, _MARGIN_ONE, _ONE_CODES = 0.86, 0.5, 0.5, 16.0
# How sure the network must be of pips near an edge: those that stand out against their whole ring by less than such a
# share of what they do against most of it.
_NET_EDGE, _PLAIN = 0.97, 0.5
# Least share of a lone pip's surroundings, a face's width away, that must have another colour than the face.
_LEAST_AROUND = 0.5
_TURNS = (0.0, math.pi / 6, math.pi / 3)
# Faces nearer to each other than this share of an edge are of one die.
_ONE_DIE = 1.35
_FEW_MISS = 0.2
_MOST_SPOTS = 160
# How much smaller the picture is made once more for the single pip of Asian dice, which is nearly twice as large.
_LARGE_PIP = 0.55
_HALF = 0.55


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideDie:
    """A die that lies outside.

    Attributes:
        pose: About where it stands.
        number: What its clearest face shows, 0 where nothing tells; void all the same.
        sure: The network's word on that number, or on its being a die, 0 to 1.
        light_pips: Whether its pips are lighter than its face; None where nobody knows.
        is_posed: Whether its lean and its height are known.
    """

    pose: DiePose
    number: int
    sure: float
    light_pips: bool | None
    is_posed: bool = True

    def judged(self) -> Judged:
        """The same as any die that was judged: off the box, without a value."""
        return Judged(
            pose=self.pose,
            verdict="off_box",
            value=None,
            confidence=round(0.5 + 0.5 * self.sure, 3),
            why="outside-floor" if self.is_posed else "no-pattern",
            light_pips=self.light_pips,
        )


@dataclass(frozen=True, slots=True)
class _Vouched:
    """A face whose number both opinions name."""

    face: SeenFace
    sure: float
    light: bool


def ground_mask(tray: Tray, shape: tuple[int, ...], factor: float) -> Mask:
    """Where on a smaller picture a die outside can be: neither on the box floor nor on the cells of a seen marker."""
    mask = np.ones(shape[:2], dtype=np.uint8)
    half_x, half_y = tray.geometry.floor_mm[0] / 2, tray.geometry.floor_mm[1] / 2
    _leave_out(mask, tray, np.zeros(2), (half_x - 4, half_y - 4), factor)
    half = tray.geometry.marker_mm / 2 * _CELLS
    for marker, corners in marker_corners_mm(tray.geometry).items():
        # A marker that could be read has nothing on its cells; on its edge and its paper a die may well lie.
        if marker in tray.seen:
            _leave_out(mask, tray, corners[:, :2].mean(0), (half, half), factor)
    return mask > 0


def _leave_out(mask: Image, tray: Tray, middle: Floats, half: tuple[float, float], factor: float) -> None:
    square = np.array([[-half[0], half[1]], [half[0], half[1]], [half[0], -half[1]], [-half[0], -half[1]]])
    corners = tray.project(np.column_stack([middle + square, np.zeros(4)]))
    cv2.fillConvexPoly(mask, np.round(corners * factor).astype(np.int32), 0)


def work_factor(tray: Tray, size_mm: float) -> float:
    """How much smaller the picture is made for the search."""
    return _WORK_PITCH_PX / (PITCH * size_mm * tray.px_per_mm)


def lone_spots(gray: Image, mask: Mask) -> Floats:
    """Round spots that stand alone, or do but for what lies beyond an edge.

    Args:
        gray: A small grey picture on which pips would stand 4.6 px apart.
        mask: Where to look.

    Returns:
        Shape (n, 5): x, y, contrast, 1 for lighter or -1 for darker, and the contrast against the whole ring, which is
        less where something lies beyond an edge.
    """
    smooth = np.asarray(cv2.blur(gray, (3, 3)), dtype=np.uint8)
    reach = math.ceil(_RING * _WORK_PITCH_PX)
    framed = cv2.copyMakeBorder(smooth, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    rows, columns = smooth.shape
    around = [framed[reach + y : reach + y + rows, reach + x : reach + x + columns] for x, y in _AROUND]
    found = []
    for sign, more, less in ((1.0, cv2.max, cv2.min), (-1.0, cv2.min, cv2.max)):
        leads = [
            cv2.subtract(*((smooth, other) if sign > 0 else (other, smooth))) for other in _outmost(around, more, less)
        ]
        lead = leads[-1]
        peak = (lead >= _LEAST_CODES) & (lead == cv2.dilate(lead, np.ones((3, 3), np.uint8))) & mask
        ys, xs = np.nonzero(peak)
        # A flat top is one spot.
        count, labels = cv2.connectedComponents(peak.astype(np.uint8), connectivity=8)
        _, first, at = np.unique(labels[ys, xs], return_index=True, return_inverse=True)
        size = np.bincount(at, minlength=count - 1)
        middle = [np.bincount(at, places, count - 1) / size for places in (xs, ys)]
        top = (ys[first], xs[first])
        spots = np.column_stack([*middle, lead[top], np.full(len(first), sign), leads[0][top]]).astype(np.float64)
        found.append(_near_clear(spots))
    return np.concatenate(found)


def _near_clear(spots: Floats) -> Floats:
    """Those spots of one polarity that stand alone, and those that can be of a face with one of them."""
    clear = spots[:, 4] >= _LEAST_CODES
    if clear.all() or not clear.any():
        return spots[clear]
    gap = spots[:, None, :2] - spots[None, clear, :2]
    return np.asarray(spots[(gap * gap).sum(2).min(1) < _ACROSS_PX**2])


def _outmost(around: list[Image], more: Callable[..., Image], less: Callable[..., Image]) -> list[Image]:
    """Pixel by pixel the largest (or smallest) of some pictures, then the next, as far as they may lie over an edge."""
    kept: list[Image] = []
    for part in around:
        rest = part
        for place, held in enumerate(kept):
            kept[place], rest = more(held, rest), less(held, rest)
        if len(kept) <= _BEYOND_EDGE:
            kept.append(rest)
    return kept


class OutsideSearch:
    """Searches the table around one placed box for dice of one size."""

    def __init__(self, tray: Tray, size_mm: float, net: second.FaceNet) -> None:
        self.tray = tray
        self.size_mm = size_mm
        self._net = net
        self._factor = work_factor(tray, size_mm)
        width, height = (round(v * self._factor) for v in tray.size_px)
        self._shape = (width, height)
        self._mask = ground_mask(tray, (height, width), self._factor)
        smaller = (round(width * _LARGE_PIP), round(height * _LARGE_PIP))
        self._coarse_mask = cv2.resize(self._mask.astype(np.uint8), smaller, interpolation=cv2.INTER_NEAREST) > 0

    def spots(self, gray: Image) -> tuple[Floats, Floats]:
        """Lone spots of the table, those of a pip's size and those of a large single pip's.

        Returns:
            Two arrays, shape (n, 5): as those of `lone_spots`, but with x and y in px of the whole picture.
        """
        if self._factor < _HALF:
            # Halving is quick and takes in every pixel; what is left to do is too little to lose any.
            gray = np.asarray(cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        small = np.asarray(cv2.resize(gray, self._shape, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
        rows, columns = self._coarse_mask.shape
        smaller = np.asarray(cv2.resize(small, (columns, rows), interpolation=cv2.INTER_AREA), dtype=np.uint8)
        pips = self._placed(lone_spots(small, self._mask), self._factor)
        large = self._placed(lone_spots(smaller, self._coarse_mask), self._factor * _LARGE_PIP)
        return pips, large[large[:, 4] >= _ONE_CODES]

    @staticmethod
    def _placed(found: Floats, factor: float) -> Floats:
        """The strongest spots of a smaller picture, at their places in the whole one."""
        found[:, :2] = (found[:, :2] + 0.5) / factor - 0.5
        return found[np.argsort(-found[:, 2])[:_MOST_SPOTS]]

    def dice(self, image: Image) -> list[OutsideDie]:
        """Dice whose middle lies outside the inner floor, each once."""
        spots, large = self.spots(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8))
        groups = [
            group
            for sign in (1.0, -1.0)
            for group in [*self._groups(spots[spots[:, 3] == sign]), *large[large[:, 3] == sign][:, None]]
        ]
        # Most dice lie flat, or nearly so: the whole fan is opened only where that shows nothing.
        found = self._vouched(image, groups, PLANES[:1])
        shown = {number for number, one in found if one.face.number > 2}
        rest = [group for number, group in enumerate(groups) if len(group) > 1 and number not in shown]
        found += self._vouched(image, rest, PLANES[1:])
        half_x, half_y = self.tray.geometry.floor_mm[0] / 2, self.tray.geometry.floor_mm[1] / 2
        out: list[OutsideDie] = []
        reach_px = _ONE_DIE * self.size_mm * self.tray.px_per_mm
        taken: list[Floats] = []
        for one in sorted((one for _, one in found), key=_rank):
            x, y = one.face.pose.center_mm[:2]
            place = self.tray.project(one.face.pose.center_mm)
            apart = all(np.hypot(*(place - other)) > reach_px for other in taken)
            if apart and (abs(x) > half_x or abs(y) > half_y):
                taken.append(place)
                stands = stance.stands(image, one.face, self.tray, self._net)
                out.append(OutsideDie(pose=stands, number=one.face.number, sure=one.sure, light_pips=one.light))
        return out

    def _groups(self, spots: Floats) -> list[Floats]:
        """Spots that may belong to one die with each other."""
        reach = self.size_mm * self.tray.px_per_mm
        near = ((spots[:, None, :2] - spots[None, :, :2]) ** 2).sum(-1) < reach * reach
        labels = _linked(near)
        return [spots[labels == label] for label in np.unique(labels)]

    def _faces(self, group: Floats, planes: Floats) -> list[SeenFace]:
        """Upper faces that the spots of one group make, in any plane, on the table and on the rim."""
        middle_px = group[:, :2].mean(0)
        rim_mm = self.tray.geometry.wall_height_mm
        best: dict[tuple[int, ...], list[tuple[float, SeenFace]]] = {}
        for base_mm in (0.0, rim_mm) if self._by_the_rim(middle_px) else (0.0,):
            height = base_mm + self.size_mm
            middle = np.append(self.tray.lift(middle_px[None], height)[0], height)
            lifted = np.column_stack([self.tray.lift(group[:, :2], height), np.full(len(group), height)])
            rays = lifted - self.tray.position_mm
            for plane in planes:
                reach = ((middle - self.tray.position_mm) @ plane[:, 2]) / (rays @ plane[:, 2])
                local = (self.tray.position_mm + rays * reach[:, None] - middle) @ plane
                for guess in face.flat_guesses(local[:, :2], group[:, 2], self.size_mm, PITCH):
                    if guess.value <= 2 and guess.miss > _FEW_MISS:
                        continue
                    alone = group[list(guess.spots), 4]
                    if alone.max() < (_ONE_CODES if guess.value == 1 else _LEAST_CODES):
                        continue
                    at = middle + plane @ np.array([guess.x_mm, guess.y_mm, -self.size_mm / 2])
                    turn = plane @ spin(guess.turn_rad or 0.0)
                    die = DiePose(center_mm=at, rotation=turn, size_mm=self.size_mm)
                    # Of two planes that fit alike the flatter one is tried first.
                    plain = bool((alone >= _PLAIN * group[list(guess.spots), 2]).all())
                    net = _NET_ONE if guess.value == 1 else _NET if plain else _NET_EDGE
                    shown = SeenFace(die, guess.value, group[list(guess.spots), :2], base_mm, net)
                    best.setdefault(guess.spots, []).append((guess.miss + 0.001 * die.lean_deg, shown))
        return [shown for rivals in best.values() for _, shown in sorted(rivals, key=lambda r: r[0])[:3]]

    def _by_the_rim(self, place_px: Floats) -> bool:
        x, y = np.abs(self.tray.lift(place_px[None], self.tray.geometry.wall_height_mm)[0])
        room = self.tray.geometry.wall_thick_mm + self.size_mm
        half_x, half_y = self.tray.geometry.floor_mm[0] / 2, self.tray.geometry.floor_mm[1] / 2
        return bool(x < half_x + room and y < half_y + room)

    def _vouched(self, image: Image, groups: list[Floats], planes: Floats) -> list[tuple[int, _Vouched]]:
        """Those faces on which both opinions name the number that the spots make, each with its group."""
        kept = []
        for number, group in enumerate(groups):
            light = bool(group[0, 3] > 0)
            for shown in self._faces(group, planes):
                to_px = pose.top_to_px(shown.pose, self.tray)
                named, margin = face.second_opinion(image, to_px, light=light)
                if named is None and shown.number == 1:
                    named, margin = face.second_opinion(image, to_px, light=light, wide=True)
                if named == shown.number and margin >= (_MARGIN_ONE if named == 1 else _MARGIN):
                    kept.append((number, shown))
        turned = [(number, one) for number, shown in kept for one in _turned(shown)]
        odds = self._odds(image, [shown for _, shown in turned], turns=1)
        # A single pip is looked at from four sides: knots and dots look like one from some.
        ones = [i for i, (_, shown) in enumerate(turned) if shown.number == 1 and odds[i] >= _NET_HEARD]
        odds[ones] = self._odds(image, [turned[i][1] for i in ones], turns=4)
        odds[ones] *= [self._ends(image, turned[i][1]) for i in ones]
        return [
            (number, _Vouched(shown, float(sure), bool(groups[number][0, 3] > 0)))
            for (number, shown), sure in zip(turned, odds, strict=True)
            if sure >= shown.net
        ]

    def _ends(self, image: Image, shown: SeenFace) -> bool:
        """Whether what surrounds a face has another colour: a dot on a cloth has no face around it that ends."""
        corners = pose.face_px(shown.pose, shown.pose.top, self.tray)
        return layout.read(second.square(image, corners)).around >= _LEAST_AROUND

    def _odds(self, image: Image, faces: list[SeenFace], *, turns: int) -> Floats:
        """How sure the network is of the number of each face, shape (n,)."""
        crops = [second.square(image, pose.face_px(s.pose, s.pose.top, self.tray)) for s in faces]
        said = self._net.read(crops, turns=turns)
        return np.asarray(said[np.arange(len(faces)), [shown.number for shown in faces]])


def _turned(shown: SeenFace) -> list[SeenFace]:
    """A face at the turns that are to be looked at: a single pip does not tell how its face is turned."""
    if shown.number > 1:
        return [shown]
    at = shown.pose
    return [replace(shown, pose=replace(at, rotation=at.rotation @ spin(turn))) for turn in _TURNS]


def _rank(one: _Vouched) -> float:
    """Order in which faces are taken for upper ones: plain numbers first, steep faces last."""
    return -(one.face.number + one.sure - one.face.pose.lean_deg / 30.0)


def _linked(near: Mask) -> Places:
    """Label of each point's group, from which points are near each other."""
    labels = np.arange(len(near))
    while len(labels):
        lowest = np.where(near, labels[None], len(labels)).min(1)
        if np.array_equal(lowest, labels):
            break
        labels = lowest
    return labels
