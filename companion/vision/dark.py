"""Dice beside others so dark that only their pips are seen, outlined by the light on the felt around them.

Theory. A black die on dim felt hardly differs from the felt's colour; its pips do. Four and more of them that make a
number tell where its face is, but not whether it leans by a little: for that its outline is needed. Where light falls
on the felt beside a die, the die ends where the light does, whatever its colour. So the outline is looked for along the
silhouette that the pips foretell, and counts only where the felt outside is plainly lit and the inside plainly is not.
What lies in shadow stays open, and a die of which too much does is not read.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision import face, pose, solve
from companion.vision.case import View
from companion.vision.find import Body
from companion.vision.pose import DiePose
from companion.vision.solve import Spots
from companion.vision.types import Floats

# So many pips foretell a silhouette.
_LEAST_PIPS = 4
# How far off the foretold silhouette the light may end, and the step at which it is looked for, px.
_REACH_PX, _STEP_PX = 4.0, 0.5
# A body's own outline so near to the silhouette is the die's.
_NEAR_PX = 2.5
# Felt is plainly lit from this share of its usual light on; a die is dark up to such a share of the felt's beside it.
_LIT, _DARK = 0.6, 0.6
# Points of a silhouette for each of `pose.lines_px`, which lie 2.5 px apart.
_DENSER = 3


def outlined(whole: Body, spots: Spots, left: list[int], view: View) -> tuple[Body, Spots] | None:
    """A body for the die whose pips some spots are; None where they make no number of four pips or more.

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
                body = _body(whole, pose.flat_pose(guess.x_mm, guess.y_mm, guess.turn_rad, size_mm), view)
                return body, solve.spots_of(body, view.image, size_mm * tray.px_per_mm)
    return None


def _body(whole: Body, at: DiePose, view: View) -> Body:
    hull = pose.silhouette_px(at, view.tray)
    low = np.floor(hull.min(0)).astype(int)
    width, height = np.ceil(hull.max(0)).astype(int) + 1 - low
    mask = np.zeros((int(height), int(width)), np.uint8)
    cv2.fillConvexPoly(mask, np.round((hull - low) * 8).astype(np.int32), 1, shift=3)
    plain = whole.outline[np.abs(pose.outside_px(whole.outline, hull)) < _NEAR_PX]
    limit = view.ground.limit
    return Body(
        mask=mask > 0,
        box_px=(int(low[0]), int(low[1]), int(width), int(height)),
        outline=np.concatenate([_where_light_ends(at, view), plain]),
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
    light = cv2.transform(ground.smooth.astype(np.float32), np.array(ground.lines[:1], dtype=np.float32))
    shades = cv2.remap(light, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    third = len(reach) // 3
    inside, outside = np.median(shades[:, :third], axis=1), np.median(shades[:, -third:], axis=1)
    lit = ground.is_lit_felt(ring + arm * (_REACH_PX - 1.0), ground.limit)
    plain = lit & (outside > _LIT * ground.lit) & (inside < _DARK * outside)
    above = shades > ((inside + outside) / 2)[:, None]
    above[:, 0] = False
    first = above.argmax(1)
    rows = np.arange(len(ring))
    half, before, after = (inside + outside) / 2, shades[rows, first - 1], shades[rows, first]
    step = np.clip((half - before) / np.maximum(after - before, 1e-3), 0.0, 1.0)
    ends = reach[first - 1] + step * _STEP_PX
    return np.asarray((ring + arm * ends[:, None])[plain & (first > 0)])
