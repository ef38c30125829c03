"""Things in the box that are no dice: a hand, a card, a coin, an army piece, anything else; each told by its name.

Theory. A die has a known size, so whatever judging leaves unexplained is measured as a flat figure: area and the sides
of the smallest rectangle around it, in millimetres on the floor. A hand is larger than anything else and longer than
it is wide; a card is a rectangle of a card's size; a coin is rounder than any die, however its edges are rounded or
it leans; a piece is smaller than a die or much longer than wide. Names are only for people: a wrong one costs a
smile, and no thing ever has a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import cv2
import numpy as np

from companion.vision.find import Body
from companion.vision.ground import Ground
from companion.vision.judge import Judged
from companion.vision.tray import Tray
from companion.vision.types import Floats

NAMES: tuple[str, ...] = ("hand-in-box", "card-in-box", "coin-in-box", "piece-in-box", "thing-in-box")
"""Codes of things, the gravest first."""

_HAND_MM2, _HAND_MM = 4000.0, (24.0, 80.0)
_CARD_MM, _CARD_FILL = (34.0, 52.0, 55.0, 95.0), 0.9
_COIN_MM = (14.5, 30.0)
# How much an outline's distance from its middle varies: a coin's by half a per cent, a die's by 5 or more in any pose.
_ROUND = 0.02
_PIECE_SLIM, _PIECE_MM, _PIECE_EDGE, _PIECE_BY_LIGHT = 0.72, 24.0, 0.88, 0.8
# Distance from the ground's colour, in its grain, from which on a left-over body is more than a shadow.
_CLEAR = 8.0
_ON_FLOOR = 0.7
# Grain leaves 1 to 3 levels on bare felt, the strongest sensor noise that dice can be read in less than 6.
_MOST_NOISE = 7.0
# Least light of the felt where no shadow falls, codes; and how far its colour is from that of paper at least, a sine:
# dark green felt has 0.22 and more, a picture of one hue up to 0.14.
_LEAST_LIGHT, _LEAST_COLOUR = 14.0, 0.16


def sorted_out(
    bodies: Sequence[tuple[Body, list[Judged]]], ground: Ground, tray: Tray, size_mm: float
) -> tuple[list[Judged], tuple[str, ...]]:
    """The dice among the bodies of a picture, and the codes of what is no die.

    Args:
        bodies: Each body with what judging made of it.
        ground: The box.
        tray: The camera over the box.
        size_mm: Edge of the dice.

    Returns:
        All judged dice but those made of the marks on things; and codes from `NAMES`, none twice.
    """
    dice: list[Judged] = []
    codes: set[str] = set()
    for body, judged in bodies:
        name = _name(body, judged, ground, tray, size_mm)
        if name is not None:
            codes.add(name)
        if name in {"hand-in-box", "card-in-box"}:
            # A die may lie on it or under it: what looked like one is not vouched for, the rest are its marks.
            dice.extend(_doubted(one) for one in judged if one.verdict == "valid")
        elif name != "coin-in-box":
            dice.extend(judged)
    if "hand-in-box" in codes:
        # The rest of a hand is its shadow.
        codes.discard("thing-in-box")
        codes.discard("piece-in-box")
    return dice, each_once(codes)


def each_once(codes: Iterable[str]) -> tuple[str, ...]:
    """Codes of things without repetition, the gravest first."""
    found = set(codes)
    return tuple(name for name in NAMES if name in found)


def by_size(squares: Sequence[tuple[Floats, float]], die_px: float) -> tuple[Floats, tuple[str, ...]]:
    """Of squares on the floor, each a place and the length of its edges, those as large as dice, and the others' codes.

    Returns:
        Places, shape (n, 2), px; and codes from `NAMES`.
    """
    dice = [place for place, edge_px in squares if edge_px >= _PIECE_BY_LIGHT * die_px]
    return np.array(dice).reshape(-1, 2), ("piece-in-box",) if len(dice) < len(squares) else ()


def floor_fault(ground: Ground, white: Floats) -> str | None:
    """The code of why the floor of the box is not seen well enough to tell anything from it, or None.

    Felt has one colour, and what is not of it is a small part. Where the usual distance from that colour is many times
    what grain leaves, something else was taken for the felt: a hand or a sheet covers most of it. Felt that is black
    in the picture has no colour, and whatever lies or stands in its shadow is as black: pips are still seen there, but
    not what they lean or stand on. Black, grey and white dice are told from felt by its colour alone: where it has
    that of white paper, or the camera shows but one, they would not be seen at all.

    Args:
        ground: The box.
        white: Colour of white paper in the same light, BGR.
    """
    if ground.noise >= _MOST_NOISE:
        return "floor-covered"
    if ground.lit < _LEAST_LIGHT:
        return "dark"
    along = float(ground.lines[0] @ white) / max(1.0, float(np.linalg.norm(white)))
    return "no-colour" if 1.0 - along**2 < _LEAST_COLOUR**2 else None


def _doubted(die: Judged) -> Judged:
    return replace(die, verdict="unreadable", value=None, confidence=0.2, why="thing-beside")


def _name(body: Body, judged: Sequence[Judged], ground: Ground, tray: Tray, size_mm: float) -> str | None:
    """What a body is if it is no die, or None."""
    outline = body.outline.astype(np.float32).reshape(-1, 1, 2)
    scale = tray.px_per_mm
    short, long = sorted(side / scale for side in cv2.minAreaRect(outline)[1])
    area = float(body.mask.sum()) / scale**2
    fill = area / max(1.0, short * long)
    if area > _HAND_MM2 and short > _HAND_MM[0] and long > _HAND_MM[1]:
        return "hand-in-box"
    if fill > _CARD_FILL and _CARD_MM[0] < short < _CARD_MM[1] and _CARD_MM[2] < long < _CARD_MM[3]:
        return "card-in-box"
    if _COIN_MM[0] < short and long < _COIN_MM[1] and _out_of_round(body.outline) < _ROUND:
        return "coin-in-box"
    if any(one.why != "no-pattern" for one in judged):
        return None
    if not _lies_on_floor(body, ground):
        return None
    if long < _PIECE_MM and (short < _PIECE_EDGE * size_mm or short < _PIECE_SLIM * long):
        return "piece-in-box"
    return None if judged else "thing-in-box"


def _out_of_round(outline: Floats) -> float:
    """Spread of an outline's distance from the middle of the circle that fits it best, as a share of that distance."""
    x, y = (outline - outline.mean(0)).T
    square = x * x + y * y
    # The middle solves two equations, and where all points lie on one line there is no circle.
    xx, xy, yy = float(x @ x), float(x @ y), float(y @ y)
    across, down, det = float(x @ square) / 2, float(y @ square) / 2, xx * yy - xy * xy
    if det <= 0.0:
        return float("inf")
    reach = np.hypot(x - (yy * across - xy * down) / det, y - (xx * down - xy * across) / det)
    return float(reach.std() / reach.mean())


def _lies_on_floor(body: Body, ground: Ground) -> bool:
    """Whether a body lies on the floor and is no shadow; what is seen on a wall may be a die that shines in it."""
    x, y, w, h = body.box_px
    left, top = ground.origin_px
    at = (slice(y - top, y - top + h), slice(x - left, x - left + w))
    far, floor = ground.far[at][body.mask], ground.floor[at][body.mask]
    return float(np.median(far)) > _CLEAR * ground.noise and float(floor.mean()) > _ON_FLOOR
