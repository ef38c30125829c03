"""What the dice of a photograph stand on, what they could lean on, and what lies there unread.

Theory. A die can lean only on something. One around which nothing but bare ground is seen lies flat, however little of
the camera is known; one beside the wall of a box may not, and nothing in a picture without markers tells it for sure.
So the ground is told from what stands on it: light and shadow move a colour along the line from black through itself,
and the ground is what lies on one such line and hangs together around the dice. Where it ends along a straight line
there is a wall, or something as good to lean on:

      . . . . . . . . |          ring around each die -> colour of its ground
      . (o) . . . . . | wall     ground that hangs together -> its long straight sides
      . .(  ). . . .(o)          two sides that meet squarely -> a box
      . . . . . . . . |          bare ground all around -> a die that lies flat

In a box without markers dice that touch may lean on each other as well, and what lies outside is no throw. What lies
on the ground, is as large as a die and was not read is said, so that no die is quietly missed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np

from companion.vision.faces import Face
from companion.vision.stretch import Stretch, colours_of, stretch_at
from companion.vision.types import Floats, Image

# Ring around a face in which its ground is looked for, and how far other dice are kept out, in edges.
_RING, _KEPT_OUT = (1.1, 1.9), 1.0
# Least share of a ring that must be ground to know it.
_SAME_GROUND = 0.55
# How near the sides of a corner must come to each other, in edges, and how far from square they may be, as a sine.
_MEET, _SQUARE = 2.0, math.sin(math.radians(8.0))
# A wall nearer than this can be leant on; what is nearer than the first is no wall but an edge of the die itself.
_WALL = (0.3, 1.2)
# How far a body may reach beyond any shape that a die lying flat has, in edges.
_STRAY = 0.12
# A body that was not read: area in edges, least share of its hull and of its longer side, distance from the ground
# in its spreads, share of bare ground around it, and distance from every die that was told.
_BODY, _SOLID, _STOUT, _CLEAR, _ALONE, _AWAY = (0.45, 2.6), 0.8, 0.65, 1.9, 0.8, 0.85
_MOST_UNREAD = 12
# How sure the finder must be of a die where none was read, and how near to it the body must be, in edges.
_HINT, _POINTED = 0.5, 0.4
_FEW_PX = 3
_FACE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
_TURNS = np.arange(24) * math.pi / 12
_MOVES = np.concatenate(
    [np.zeros((1, 2)), *(step * np.stack([np.cos(_TURNS), np.sin(_TURNS)], 1) for step in np.arange(0.1, 1.25, 0.1))]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What was found around the dice of a photograph.

    Attributes:
        doubts: For each die the code of why nobody can say that it lies flat, or None.
        unread: Middles of bodies like dice that nobody has read, px, shape (2,).
        edge_px: Edge of the dice that was gone by, 0 where there was none.
    """

    doubts: tuple[str | None, ...]
    unread: tuple[Floats, ...]
    edge_px: float


def survey(image: Image, read: Sequence[Face], told: Sequence[Face], hints: Sequence[Face] = ()) -> Survey:
    """Look at what is around the dice of a photograph.

    Args:
        image: The picture, BGR.
        read: Faces of the dice that were read.
        told: Faces of all dice that are said to be there, read or not.
        hints: Where there may be dice; without a die that was read nothing is unread that no hint points to.
    """
    known = read or [hint for hint in hints if hint.seen > _HINT]
    if not known:
        return Survey(doubts=(), unread=(), edge_px=0.0)
    edge = float(np.median([face.size_px for face in known]))
    colours, factor = colours_of(image, edge)
    unit = edge * factor
    middles = [face.middle * factor for face in known]
    grounds, stands_on = _grounds(colours, middles, unit)
    boxes = [index for index, ground in enumerate(grounds) if index in stands_on and _is_box(ground.sides, unit)]
    others = [face.middle * factor for face in told]
    doubts: list[str | None] = []
    for face, middle, index in zip(read, middles, stands_on, strict=False):
        near = [side for ground in grounds for side in ground.sides if _is_by(middle, side, unit)]
        if index is not None and (near or boxes):
            across, ground = face.across * factor, grounds[index]
            beside = [other for other in told if boxes and other.middle is not face.middle]
            if not _is_free(ground, middle, across, [(o.middle * factor, o.across * factor) for o in beside], unit):
                doubts.append("lean-unsure")
                continue
        doubts.append("outside-floor" if boxes and index not in boxes else None)
    unread = [place / factor for ground in grounds for place in _unread(ground, others, unit)]
    if not read:
        unread = [place for place in unread if min(_distances(place, [h.middle for h in known])) < _POINTED * edge]
    if len(unread) > _MOST_UNREAD:
        # So many alike are stars, pebbles or a pattern of the cloth.
        unread = []
    return Survey(doubts=tuple(doubts), unread=tuple(unread), edge_px=edge)


def _grounds(colours: Floats, middles: Sequence[Floats], unit: float) -> tuple[list[Stretch], list[int | None]]:
    """Pieces of ground around the dice, and which of them each die stands on."""
    rows, cols = np.mgrid[: colours.shape[0], : colours.shape[1]].astype(np.float32)
    away = [np.hypot(cols - x, rows - y) / unit for x, y in middles]
    free = np.min(away, axis=0) > _KEPT_OUT
    found: list[Stretch] = []
    stands_on: list[int | None] = []
    for far in away:
        ring = free & (far > _RING[0]) & (far < _RING[1])
        known = next(
            (i for i, ground in enumerate(found) if ring.any() and ground.mask[ring].mean() > _SAME_GROUND), None
        )
        if known is None and (ground := stretch_at(colours, ring, unit)) is not None:
            found.append(ground)
            known = len(found) - 1
        stands_on.append(known)
    return found, stands_on


def _is_box(sides: Sequence[Floats], unit: float) -> bool:
    """Whether two sides meet at a right angle, as those of a box do."""
    for one, other in combinations(sides, 2):
        along, across = (np.diff(side, axis=0)[0] / math.dist(*side) for side in (one, other))
        if abs(along @ across) < _SQUARE and min(math.dist(p, q) for p in one for q in other) < _MEET * unit:
            return True
    return False


def _is_by(place: Floats, side: Floats, unit: float) -> bool:
    """Whether a side is near enough to lean on, and not an edge of the die itself."""
    return _WALL[0] < _from_side(place, side) / unit < _WALL[1]


def _is_free(
    ground: Stretch, middle: Floats, across: Floats, others: Sequence[tuple[Floats, Floats]], unit: float
) -> bool:
    """Whether bare ground is seen all around a die: its body meets no wall, no other die and no end of the picture.

    Seen from anywhere, the silhouette of a die that lies flat is the hull of its upper face and of the same face moved
    down by an edge. How far down looks moved is not known, so the move is chosen that explains most. What hangs
    together with the die beyond that is not its own.
    """
    room = round(2.2 * unit)
    size = 2 * room + 1
    rows, cols = ground.mask.shape
    low = np.clip(np.round(middle).astype(int), 0, [cols - 1, rows - 1]) - room
    bare = cv2.copyMakeBorder((~ground.mask).astype(np.uint8), room, room, room, room, cv2.BORDER_CONSTANT, value=1)
    body = bare[low[1] + room : low[1] + room + size, low[0] + room : low[0] + room + size]
    body = cv2.morphologyEx(body, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    neighbours = np.zeros_like(body)
    for place, edges in others:
        _fill(neighbours, _FACE @ edges.T + (place - low))
    own = body & ~neighbours & 1
    face = _FACE @ across.T + (middle - low)
    best, shape = -math.inf, own
    for move in _MOVES * unit:
        drawn = _fill(np.zeros_like(own), np.concatenate([face, face + move]))
        within = int(cv2.countNonZero(drawn & own))
        gain = within - 1.2 * (cv2.countNonZero(drawn) - within)
        if gain > best:
            best, shape = gain, drawn
    labels = cv2.connectedComponents(body | shape, connectivity=4)[1]
    strange = (labels == labels[room, room]) & (body > 0) & (shape == 0)
    away = np.sort(cv2.distanceTransform(1 - shape, cv2.DIST_L2, 3)[strange])
    return len(away) < _FEW_PX or float(away[-_FEW_PX]) < _STRAY * unit


def _fill(image: Image, corners: Floats) -> Image:
    """The hull of corners drawn into a picture of noughts and ones."""
    hull = cv2.convexHull(np.round(corners * 8).astype(np.int32))
    return np.asarray(cv2.fillConvexPoly(image, hull, 1, cv2.LINE_8, 3), dtype=np.uint8)


def _distances(middle: Floats, others: Sequence[Floats]) -> list[float]:
    return [math.dist(middle, other) for other in others]


def _from_side(place: Floats, side: Floats) -> float:
    """Distance of a place from a side, which may go on a little at both ends."""
    way = side[1] - side[0]
    part = float(np.clip((place - side[0]) @ way / (way @ way), -0.15, 1.15))
    return math.dist(place, side[0] + part * way)


def _unread(ground: Stretch, told: Sequence[Floats], unit: float) -> list[Floats]:
    """Middles of bodies on a piece of ground that are like a die and that nobody told of."""
    if not ground.trusted:
        return []
    bare = cv2.morphologyEx((~ground.mask).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, boxes, middles = cv2.connectedComponentsWithStats(bare, connectivity=4)
    rows, cols = bare.shape
    room = round(0.5 * unit)
    out = []
    for body in range(1, count):
        x, y, wide, high, area = boxes[body].tolist()
        if not _BODY[0] < area / unit**2 < _BODY[1] or min(x, y, cols - x - wide, rows - y - high) <= 0:
            continue
        if min(_distances(middles[body], told), default=math.inf) < _AWAY * unit:
            continue
        here = labels == body
        outline = max(cv2.findContours(here.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0], key=len)
        sides = cv2.minAreaRect(outline)[1]
        around = ground.mask[max(0, y - room) : y + high + room, max(0, x - room) : x + wide + room]
        bare_share = float(around.sum()) / max(1, around.size - wide * high)
        is_stout = min(sides) > _STOUT * max(sides) and area > _SOLID * cv2.contourArea(cv2.convexHull(outline))
        if is_stout and bare_share > _ALONE and float(np.median(ground.far[here])) > _CLEAR:
            out.append(middles[body])
    return out
