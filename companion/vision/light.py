"""Dice beside others of which little shows but pips, outlined by where light ends.

Theory. A die of the felt's own hue, black or green, hardly differs from the felt's colour; its pips do. Three and more
of them that make a number tell where its face is, but not whether it leans by a little: for that its outline is needed.
Where light falls on the felt beside a dark die, the die ends where the light does, and a die lighter than felt can be
ends where its own light does. So the outline is looked for along the silhouette that the pips foretell, and counts only
where the light plainly ends. The rest of a dark die, in shadow, stays open; one of which too much does is not read.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision import face, pose, solve
from companion.vision.case import View
from companion.vision.find import Body
from companion.vision.fitting import Task, fit_all
from companion.vision.pose import DiePose
from companion.vision.solve import Spots
from companion.vision.types import Floats

# So many pips foretell a silhouette.
_LEAST_PIPS = 3
# How far off the foretold silhouette the light may end, and the step at which it is looked for, px.
_REACH_PX, _STEP_PX = 4.0, 0.5
# A body's own outline so near to the silhouette is the die's, where no light ends within so much of it.
_NEAR_PX, _APART_PX = 2.5, 4.0
# Felt is plainly lit from this share of its usual light on, and a die is dark up to such a share of the felt's beside
# it; it is lighter than felt from so many times that light on, where it fades to such a share of its own.
_LIT, _DARK = 0.6, 0.6
_BRIGHT, _FADES = 1.3, 0.8
# Points of a silhouette for each of `pose.lines_px`, which lie 2.5 px apart.
_DENSER = 3


def outlined(whole: Body, spots: Spots, left: list[int], view: View) -> tuple[Body, Spots] | None:
    """A body for the die whose pips some spots are; None where they make no number of three or more.

    Args:
        whole: A body that other dice explain in part; its outline counts where it runs along the die's own.
        spots: Its spots.
        left: Those that are on none of these.
        view: The picture.

    Returns:
        The body, with the outline that light shows, and the spots on it.
    """
    tray, size_mm = view.tray, view.size_mm
    for sign in (1.0, -1.0):
        index = [i for i in left if spots.sign[i] == sign]
        if len(index) < _LEAST_PIPS:
            continue
        # How strong they are told nothing while the body was not known.
        lifted, alike = tray.lift(spots.at_px[index], size_mm), np.ones(len(index))
        for guess in face.flat_guesses(lifted, alike, size_mm, pose.PITCH):
            if guess.value >= _LEAST_PIPS and guess.turn_rad is not None:
                start = pose.flat_pose(guess.x_mm, guess.y_mm, guess.turn_rad, size_mm)
                first = _body(whole, start, view)
                chosen = spots.at_px[[index[i] for i in guess.spots]]
                # The pips alone foretell the silhouette by a few px: from where they and a first outline put it, again.
                (fit,) = fit_all([Task(pose=start, outline=first.outline[:: solve.THIN], pips=chosen)], tray)
                body = _body(whole, fit.pose, view)
                return body, solve.spots_of(body, view.image, size_mm * tray.px_per_mm)
    return None


def _body(whole: Body, at: DiePose, view: View) -> Body:
    hull = pose.silhouette_px(at, view.tray)
    low = np.floor(hull.min(0)).astype(int)
    width, height = np.ceil(hull.max(0)).astype(int) + 1 - low
    mask = np.zeros((int(height), int(width)), np.uint8)
    cv2.fillConvexPoly(mask, np.round((hull - low) * 8).astype(np.int32), 1, shift=3)
    by_light = _where_light_ends(at, view)
    plain = whole.outline[np.abs(pose.outside_px(whole.outline, hull)) < _NEAR_PX]
    if len(by_light):
        apart = np.hypot(*(plain[:, None] - by_light[None]).transpose(2, 0, 1)).min(1)
        plain = plain[apart > _APART_PX]
    limit = view.ground.limit
    return Body(
        mask=mask > 0,
        box_px=(int(low[0]), int(low[1]), int(width), int(height)),
        outline=np.concatenate([by_light, plain]),
        solid=mask > 0,
        level=limit,
        plain=1.0,
    )


def _where_light_ends(at: DiePose, view: View) -> Floats:
    """Points at which the light on the felt ends near a silhouette, shape (k, 2), px."""
    ground = view.ground
    ring = pose.lines_px(at, view.tray).ring
    part = np.arange(_DENSER)[:, None, None] / _DENSER
    ring = (ring + (np.roll(ring, -1, axis=0) - ring) * part).transpose(1, 0, 2).reshape(-1, 2)
    arm = ring - ring.mean(0)
    arm /= np.hypot(arm[:, 0], arm[:, 1])[:, None]
    reach = np.arange(-_REACH_PX, _REACH_PX + _STEP_PX, _STEP_PX)
    places = (ring[:, None] + arm[:, None] * reach[:, None] - ground.origin_px).astype(np.float32)
    light = ground.light_of(ground.smooth)
    shades = cv2.remap(light, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    third = len(reach) // 3
    inside, outside = np.median(shades[:, :third], axis=1), np.median(shades[:, -third:], axis=1)
    lit = ground.is_lit_felt(ring + arm * (_REACH_PX - 1.0), ground.limit)
    dark = lit & (outside > _LIT * ground.lit) & (inside < _DARK * outside)
    # What is lighter than the felt ends where the light does, whatever falls on the felt beside it.
    bright = (inside > _BRIGHT * ground.lit) & (outside < _BRIGHT * ground.lit) & (outside < _FADES * inside)
    half = ((inside + outside) / 2)[:, None]
    beyond = np.where(bright[:, None], shades < half, shades > half)
    beyond[:, 0] = False
    first = beyond.argmax(1)
    rows = np.arange(len(ring))
    before, after = np.abs(shades - half)[rows, first - 1], np.abs(shades - half)[rows, first]
    step = before / np.maximum(before + after, 1e-3)
    ends = reach[first - 1] + step * _STEP_PX
    return np.asarray((ring + arm * ends[:, None])[(dark | bright) & (first > 0)])
