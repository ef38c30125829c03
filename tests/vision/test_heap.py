"""Heaps: what leans or stands on top is found from its faces, what it hides is said to be there."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.vision import explain, pose
from companion.vision.find import Body
from companion.vision.heap import Pile, standings
from companion.vision.solve import Spots
from companion.vision.tray import Tray
from companion.vision.types import Floats

SITES = {1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 3, 6, 2, 5, 8]}


def leaning(turn_rad: float, lean_deg: float) -> pose.DiePose:
    """A die of 16 mm on the floor, away from walls, tilted about the world's y."""
    flat = pose.flat_pose(40.0, 20.0, turn_rad, 16.0)
    tilted = replace(flat, rotation=cv2.Rodrigues(np.radians([0.0, lean_deg, 0.0]))[0] @ flat.rotation)
    return replace(tilted, center_mm=tilted.center_mm - np.array([0.0, 0.0, tilted.reach_mm[0]]))


def pile(die: pose.DiePose, faces: dict[int, int], tray: Tray) -> Pile:
    """The body and the spots of one die as a perfect camera sees it, with the numbers of its faces."""
    hull = pose.silhouette_px(die, tray)
    ring = np.concatenate([hull + (np.roll(hull, -1, axis=0) - hull) * p for p in np.arange(0, 1, 0.1)])
    low = np.floor(hull.min(0)).astype(int) - 2
    width, height = np.ceil(hull.max(0)).astype(int) + 3 - low
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [np.round(hull - low).astype(np.int32)], 1)
    body = Body(
        mask=mask > 0,
        box_px=(int(low[0]), int(low[1]), int(width), int(height)),
        outline=ring,
        solid=mask > 0,
        level=60.0,
        plain=6.0,
    )
    places = tray.project(die.sites_mm())
    at: Floats = np.concatenate([places[side, SITES[number]] for side, number in faces.items()])
    count = len(at)
    spots = Spots(at_px=at, area_px=np.full(count, 40.0), contrast=np.full(count, 150.0), sign=np.ones(count))
    return Pile(body, spots, tray, 16.0)


@pytest.mark.parametrize("lean_deg", [20.0, 33.0, 40.0])
def test_two_faces_measure_a_lean(tray: Tray, lean_deg: float) -> None:
    """With the pips of two faces a leaning die stands first, its lean within a degree and a half."""
    die = leaning(0.15, lean_deg)
    side = int(np.argsort(-die.seen_faces(tray))[1])

    best = standings(pile(die, {die.top: 5, side: 4}, tray))[0]

    assert abs(lean_deg - best.solid.fit.pose.lean_deg) < 1.5
    assert (5, 0, 0) == (best.solid.value, best.stray, best.wrong)


def test_faces_that_no_die_has_beside_each_other_count_against_it(tray: Tray) -> None:
    """Five beside two adds up to seven: these two are on opposite faces of every die."""
    die = leaning(0.15, 40.0)
    side = int(np.argsort(-die.seen_faces(tray))[1])

    assert all(one.wrong for one in standings(pile(die, {die.top: 5, side: 2}, tray)) if one.solid.value == 5)


def test_a_face_half_in_shade_is_one_face(tray: Tray) -> None:
    """The edge of a shadow lies across a six: four of its pips stand out by a third of what the other two do."""
    die = leaning(0.15, 20.0)
    lit = pile(die, {die.top: 6}, tray)
    shaded = replace(lit.spots, contrast=np.where(np.array(SITES[6]) < 3, 150.0, 52.0))

    best = standings(replace(lit, spots=shaded))[0]

    assert (6, 0, 0) == (best.solid.value, best.stray, best.wrong)
    assert abs(20.0 - best.solid.fit.pose.lean_deg) < 1.5


def test_a_side_tells_how_a_die_leans_whose_upper_face_is_not_read(tray: Tray) -> None:
    """One pip of the upper five is lost; with the whole four of its side the die is found, without a number."""
    die = leaning(0.15, 33.0)
    side = int(np.argsort(-die.seen_faces(tray))[1])
    whole = pile(die, {die.top: 5, side: 4}, tray)
    left = np.arange(len(whole.spots.sign)) != 1
    spots = Spots(**{name: getattr(whole.spots, name)[left] for name in ("at_px", "area_px", "contrast", "sign")})

    best = standings(replace(whole, spots=spots))[0]

    assert best.solid.value is None
    assert best.wrong == 1
    assert abs(33.0 - best.solid.fit.pose.lean_deg) < 1.5


def test_a_body_in_the_dark_is_not_all_seen(tray: Tray) -> None:
    """A quarter of a die drowned in shadow speaks half as much against it where its body differs half as plainly."""
    die = leaning(0.15, 33.0)
    side = int(np.argsort(-die.seen_faces(tray))[1])
    plain = pile(die, {die.top: 5, side: 4}, tray)
    mask = plain.body.mask.copy()
    mask[: mask.shape[0] // 4] = False
    cut = replace(plain, body=replace(plain.body, mask=mask))
    dark = replace(cut, body=replace(cut.body, plain=0.5))
    fit = standings(plain)[0].solid.fit

    assert plain.off_body(fit) == 0.0
    assert cut.off_body(fit) > 0.05
    assert dark.off_body(fit) == pytest.approx(cut.off_body(fit) / 2)


def test_a_sharper_picture_lets_dice_look_smaller(tray: Tray) -> None:
    """The size at which a die looks too large follows the bloom of the markers."""
    blurred = replace(tray, bloom_px=tray.bloom_px + 0.5)

    assert explain.usual_spread_px(tray) + 0.5 < explain.usual_spread_px(blurred)
