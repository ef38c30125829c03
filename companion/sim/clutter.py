"""Things in the box that are no dice: coins, army pieces, a card, a pencil, a hand.

Each thing is a flat outline drawn up to a height, with marks on its upper side. They are there to be told from dice,
so what matters is their size, their outline and that they carry marks of their own; nobody would take them for real.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from companion.sim import hand
from companion.sim.light import Lamp
from companion.sim.optics import Optics
from companion.sim.scenery import Image
from companion.sim.turns import Floats

Bgr = tuple[float, float, float]

KINDS = ("coin", "piece", "card", "pencil", "hand")

_ARMIES: tuple[Bgr, ...] = (
    (40.0, 40.0, 200.0),
    (190.0, 70.0, 30.0),
    (50.0, 140.0, 40.0),
    (40.0, 190.0, 225.0),
    (40.0, 40.0, 42.0),
    (150.0, 60.0, 140.0),
)
_METALS: tuple[Bgr, ...] = ((165.0, 170.0, 172.0), (70.0, 110.0, 175.0), (90.0, 175.0, 205.0))
_ARM_TOWARDS = (0.15, -1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mark:
    """A spot of another colour on a thing's upper side: its outline there, shape (n, 2), mm."""

    outline: Floats
    colour: Bgr


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prop:
    """One thing that lies there.

    Attributes:
        kind: One of `KINDS`.
        at_mm: Its middle on the floor; of a hand, its palm.
        outline: Outline seen from above, shape (n, 2), mm, in the world; empty for a hand.
        height_mm: How far it rises from the floor; of a hand, how high its palm is.
        colour: Of its upper side.
        marks: What is on it.
    """

    kind: str
    at_mm: tuple[float, float]
    outline: Floats
    height_mm: float
    colour: Bgr
    marks: tuple[Mark, ...]

    @property
    def reach_mm(self) -> float:
        """Farthest point of its outline from its middle; of a hand, how far its fingers reach."""
        return 85.0 if self.kind == "hand" else float(np.linalg.norm(self.outline - self.at_mm, axis=1).max())

    def covers(self, optics: Optics) -> list[Floats]:
        """Convex outlines in the picture, each of shape (n, 2), that hide what lies under it."""
        if self.kind == "hand":
            palm = np.array([*self.at_mm, self.height_mm])
            return [optics.project(outline) for outline in hand.outlines(palm, _ARM_TOWARDS)]
        return [cv2.convexHull(optics.project(_raised(self.outline, (0.0, self.height_mm))).astype(np.float32))[:, 0]]


def any_prop(kind: str, at_mm: tuple[float, float], rng: np.random.Generator) -> Prop:
    """A thing of a kind at a place, turned and coloured by chance.

    Raises:
        KeyError: There is no such kind.
    """
    turn = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(turn), np.sin(turn)
    outline, height, colour, marks = _MAKERS[kind](rng)

    def placed(points: Floats) -> Floats:
        return np.asarray(points @ np.array([[c, s], [-s, c]]) + at_mm)

    return Prop(
        kind=kind,
        at_mm=at_mm,
        outline=placed(outline),
        height_mm=height,
        colour=colour,
        marks=tuple(Mark(outline=placed(mark.outline), colour=mark.colour) for mark in marks),
    )


def paint(picture: Image, optics: Optics, lamp: Lamp, prop: Prop, blur_px: float) -> None:
    """Paint a thing and its shadow into a picture (in place)."""
    if prop.kind == "hand":
        hand.paint(picture, optics, lamp, np.array([*prop.at_mm, prop.height_mm]), _ARM_TOWARDS)
        return
    top, whole = _raised(prop.outline, (prop.height_mm,)), _raised(prop.outline, (0.0, prop.height_mm))
    thrown = cv2.convexHull(optics.project(lamp.onto_floor(whole)).astype(np.float32))
    _blend(picture, thrown, None, 0.75 * (1 - lamp.ambient), lamp.penumbra_mm(prop.height_mm) + 1.0)
    light = lamp.ambient + (1 - lamp.ambient) * float(lamp.direct(top[0], np.array([0.0, 0.0, 1.0])))

    def lit(colour: Bgr, tone: float = 1.0) -> Bgr:
        blue, green, red = (min(255.0, c * light * t * tone) for c, t in zip(colour, lamp.tint, strict=True))
        return blue, green, red

    _blend(picture, optics.project(whole).astype(np.float32), lit(prop.colour, 0.62), 1.0, blur_px)
    _blend(picture, optics.project(top).astype(np.float32), lit(prop.colour), 1.0, blur_px)
    for mark in prop.marks:
        spot = optics.project(_raised(mark.outline, (prop.height_mm,)))
        _blend(picture, spot.astype(np.float32), lit(mark.colour), 1.0, blur_px)


def _blend(picture: Image, pixels: Floats, colour: Bgr | None, strength: float, blur_px: float) -> None:
    """Fill the hull of some pixels with a colour, or darken it where there is none (in place)."""
    hull = cv2.convexHull(np.asarray(pixels, np.float32))
    margin = int(3 * blur_px) + 3
    low = np.maximum(np.floor(hull[:, 0].min(axis=0)).astype(int) - margin, 0)
    high = np.minimum(np.ceil(hull[:, 0].max(axis=0)).astype(int) + margin, [picture.shape[1], picture.shape[0]])
    if np.any(high <= low):
        return
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    cv2.fillConvexPoly(mask, np.round((hull - low) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    if blur_px > 0:
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), blur_px), np.uint8)
    cover = (mask.astype(np.float32) * (strength / 255))[..., None]
    window = picture[low[1] : high[1], low[0] : high[0]]
    window[:] = np.clip(window * (1 - cover) + cover * np.array(colour or (0.0, 0.0, 0.0)) + 0.5, 0, 255)


def _raised(outline: Floats, heights: tuple[float, ...]) -> Floats:
    return np.concatenate([np.column_stack([outline, np.full(len(outline), height)]) for height in heights])


def _ring(radius_x: float, radius_y: float, middle: tuple[float, float] = (0.0, 0.0), corners: int = 28) -> Floats:
    angles = np.arange(corners) * (2 * np.pi / corners)
    return np.stack([radius_x * np.cos(angles), radius_y * np.sin(angles)], axis=-1) + middle


def _bar(width: float, depth: float, middle: tuple[float, float] = (0.0, 0.0)) -> Floats:
    return np.array([[-width, -depth], [width, -depth], [width, depth], [-width, depth]]) / 2 + middle


_Made = tuple[Floats, float, Bgr, list[Mark]]


def _tone(colour: Bgr, share: float) -> Bgr:
    return colour[0] * share, colour[1] * share, colour[2] * share


def _coin(rng: np.random.Generator) -> _Made:
    """Sixteen to twenty-six millimetres of metal, with a rim and a relief of a few blobs."""
    radius, metal = rng.uniform(8.1, 12.9), _METALS[int(rng.integers(len(_METALS)))]
    marks = [Mark(outline=_ring(0.86 * radius, 0.86 * radius), colour=_tone(metal, 0.93))]
    for _ in range(int(rng.integers(2, 7))):
        far, around = rng.uniform(0, 0.6) * radius, rng.uniform(0, 2 * np.pi)
        size = rng.uniform(0.08, 0.3, size=2) * radius
        spot = _ring(float(size[0]), float(size[1]), (float(far * np.cos(around)), float(far * np.sin(around))))
        marks.append(Mark(outline=spot, colour=_tone(metal, float(rng.uniform(0.55, 1.3)))))
    return _ring(radius, radius), 2.0, metal, marks


def _piece(rng: np.random.Generator) -> _Made:
    """Infantry, cavalry or artillery: smaller than a die, in the colour of an army."""
    colour = _ARMIES[int(rng.integers(len(_ARMIES)))]
    shape = int(rng.integers(3))
    outline = (_ring(4.2, 4.2), _ring(8.0, 3.6), _bar(14.0, 6.0))[shape]
    head = Mark(outline=_ring(2.0, 2.0, (1.5, 0.0)), colour=_tone(colour, 1.35))
    return outline, (13.0, 12.0, 9.0)[shape], colour, [head]


def _card(rng: np.random.Generator) -> _Made:
    """A playing card, face up: white, with a frame, a drawing and some lines of text."""
    width, height = 44.0, 68.0
    ink = _ARMIES[int(rng.integers(len(_ARMIES)))]
    marks = [
        Mark(outline=_bar(width - 5, height - 5), colour=_tone(ink, 0.9)),
        Mark(outline=_bar(width - 8, height - 8), colour=(214.0, 224.0, 228.0)),
    ]
    for _ in range(int(rng.integers(3, 9))):
        x, y = rng.uniform(-12, 12), rng.uniform(-18, 18)
        size = rng.uniform(1.2, 5.0, size=2)
        marks.append(
            Mark(outline=_ring(float(size[0]), float(size[1]), (float(x), float(y))), colour=(30.0, 28.0, 28.0))
        )
    marks += [Mark(outline=_bar(26.0, 1.2, (0.0, -26.0 + 3 * line)), colour=(60.0, 60.0, 60.0)) for line in range(2)]
    return _bar(width, height), 0.4, (228.0, 230.0, 232.0), marks


def _pencil(rng: np.random.Generator) -> _Made:
    colour = _ARMIES[int(rng.integers(len(_ARMIES)))]
    length = float(rng.uniform(90, 150))
    tip = Mark(outline=_bar(10.0, 7.0, (length / 2 - 5, 0.0)), colour=(150.0, 190.0, 220.0))
    edge = Mark(outline=_bar(length - 12, 2.0, (-6.0, 0.0)), colour=_tone(colour, 1.3))
    return _bar(length, 7.0), 7.0, colour, [tip, edge]


def _hand(rng: np.random.Generator) -> _Made:
    return np.zeros((0, 2)), float(rng.uniform(30, 70)), (0.0, 0.0, 0.0), []


_MAKERS: dict[str, Callable[[np.random.Generator], _Made]] = {
    "coin": _coin,
    "piece": _piece,
    "card": _card,
    "pencil": _pencil,
    "hand": _hand,
}
