"""What changed between two small grey pictures of the box, and whether it was a hand.

Theory. A change of light is common to the whole box: the median ratio of the two pictures takes it out. What is left
is compared with the grain of the two pictures themselves. A hand is wider than a die, even one that is smeared along
its way: what remains of the changed pixels after everything narrower than two dice is worn away is a hand.
"""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.settings import ReaderSettings
from companion.vision.tray import Tray
from companion.vision.types import DieReading, Floats, Image, Mask

_SMALL_WIDTH = 384
_HAND_EDGE_PX = 7
_ROLLING_CODES = 9.0
_WIDER = 2.2
_LEAST_CODES, _GRAINS, _OUTSIDE_CODES = 7.0, 5.0, 14.0


def small_of(image: Image, luma: Image | None) -> Image:
    """The small grey picture of a frame: the driver's own when there is one."""
    if luma is not None:
        return luma
    height = round(image.shape[0] * _SMALL_WIDTH / image.shape[1])
    small = cv2.resize(image, (_SMALL_WIDTH, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


class BoxMotion:
    """Compares small grey pictures of one placed box.

    Args:
        settings: The rig and its dice.
        tray: The camera over the box.
        shape: Rows and columns of the small pictures.
    """

    def __init__(self, settings: ReaderSettings, tray: Tray, shape: tuple[int, ...]) -> None:
        self.shape = shape[:2]
        self._scale = shape[1] / tray.size_px[0]
        self._region = _region(tray, self.shape, self._scale)
        self._corner = tuple(int(v) for v in np.argwhere(self._region).min(0))
        far = np.argwhere(self._region).max(0) + 1
        self._part = (slice(self._corner[0], int(far[0])), slice(self._corner[1], int(far[1])))
        self._inside = self._region[self._part]
        largest = settings.die_mm or max(settings.die_sizes_mm)
        self._hand_px = 2 * round(_WIDER * largest * tray.px_per_mm * self._scale / 2) + 1
        smallest = min(settings.die_sizes_mm) * tray.px_per_mm * self._scale
        self._least_px = max(3, int(0.06 * smallest**2))

    def changed(self, one: Image, other: Image) -> Mask:
        """Pixels of the box that differ beyond grain and a change of light common to all, shape as the pictures."""
        new, old = one[self._part].astype(np.float32), other[self._part].astype(np.float32)
        gain = float(np.median(new[self._inside])) / max(1.0, float(np.median(old[self._inside])))
        rest = np.abs(new - old * np.float32(gain))
        grain = float(np.median(rest[self._inside])) * 1.48
        out = np.zeros(self.shape, dtype=bool)
        out[self._part] = (rest > max(_LEAST_CODES, _GRAINS * grain)) & self._inside
        return out

    def changed_outside(self, one: Image, other: Image) -> Mask | None:
        """Pixels that differ clearly on the table around the box, or None when there are too few for a die."""
        changed = (cv2.absdiff(one, other) > _OUTSIDE_CODES) & ~self._region
        cleaned = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        return cleaned > 0 if int(cleaned.sum()) >= 4 * self._least_px else None

    def differs(self, one: Image, other: Image) -> Mask:
        """Pixels that differ, in the box and on the table around it, shape as the pictures."""
        return np.asarray(self.changed(one, other) | ((cv2.absdiff(one, other) > _OUTSIDE_CODES) & ~self._region))

    def around(self, hand: Mask) -> Mask:
        """A hand with the room that its edge and its shadow take."""
        return np.asarray(cv2.dilate(hand.astype(np.uint8), np.ones((_HAND_EDGE_PX, _HAND_EDGE_PX), np.uint8)) > 0)

    def rolls_outside(self, one: Image, other: Image) -> bool:
        """Whether something no larger than a die moved on the table around the box between two frames.

        A hand that leaves is no die: as long as one is seen out there nothing is said to roll.
        """
        changed = ((cv2.absdiff(one, other) > _ROLLING_CODES) & ~self._region).astype(np.uint8)
        if not changed.any():
            return False
        changed = cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        if int(changed.sum()) < self._least_px:
            return False
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (self._hand_px, self._hand_px))
        wide = cv2.erode(cv2.dilate(changed, np.ones((5, 5), np.uint8)), kernel)
        return not bool(wide.any()) and int(changed.sum()) < 4 * self._hand_px**2

    def moves(self, one: Image, other: Image) -> bool:
        """Whether something of at least a small part of a die moved between two frames."""
        # Most frames of a still box end here, long before anything is measured.
        if not bool((cv2.absdiff(one[self._part], other[self._part]) > _LEAST_CODES).any()):
            return False
        changed = self.changed(one, other).astype(np.uint8)
        return int(cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)).sum()) >= self._least_px

    def hand(self, now: Image, before: Image) -> Mask | None:
        """Where a hand is that was not there before, or None."""
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (self._hand_px, self._hand_px))
        worn = cv2.morphologyEx(self.changed(now, before).astype(np.uint8), cv2.MORPH_OPEN, kernel)
        return worn.astype(bool) if worn.any() else None

    def place(self, die: DieReading, room_px: int = 0) -> Mask:
        """The place of a die in the small picture, with some room around it."""
        spot = np.zeros(self.shape, dtype=np.uint8)
        cv2.fillPoly(spot, [np.round(np.array(die.outline_px) * self._scale).astype(np.int32)], 1)
        if room_px:
            spot = cv2.dilate(spot, np.ones((2 * room_px + 1, 2 * room_px + 1), np.uint8))
        return spot > 0


def _region(tray: Tray, shape: tuple[int, ...], scale: float) -> Mask:
    """The box with its walls in the small picture."""
    x, y = tray.geometry.floor_mm[0] / 2 + 10, tray.geometry.floor_mm[1] / 2 + 10
    corners: Floats = tray.project(np.array([[-x, y, 20.0], [x, y, 20.0], [x, -y, 20.0], [-x, -y, 20.0]]))
    mask = np.zeros(shape, dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(corners * scale).astype(np.int32)], 1)
    return mask > 0
