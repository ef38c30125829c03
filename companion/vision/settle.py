"""Frames in, throws out: empty, rolling, at rest; did it roll; was it bumped.

Theory. A small grey picture is compared with the one before, after the change of light common to the whole box is
taken out, so a flickering lamp moves nothing. Motion opens an episode, a few still frames close it; only then the
full reading is made, and two frames must agree on it. What happened in between is told from the two readings, before
and after: dice that lie as before did not take part, dice that are gone were lifted, dice that moved a little with
no hand and nobody new were bumped, anything else is a throw. When dice came to rest is found afterwards, by going
back through the small pictures until the places of the new dice no longer look as they do at rest.

A hand is wider than a die, even one that is smeared along its way: what is left of the changed pixels after everything
narrower than a die's diagonal and a half is worn away is a hand. A die that had come to rest while a hand was still
over its place was put down or pushed, not rolled.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.tray import Tray
from companion.vision.types import (
    Bumped,
    CameToRest,
    DiceLifted,
    DieReading,
    Floats,
    Image,
    Mask,
    MotionBegan,
    Reading,
    ThrowRead,
    ViewBack,
    ViewLost,
    WatchEvent,
)

_SMALL_WIDTH = 384
_STILL_FRAMES = 3
_AGREE_TRIES = 6
_KEEP_FRAMES = 300
_SEARCH_EVERY = 15
_WIDER = 2.2
_LET_GO_NS = 200_000_000


@dataclass(frozen=True, slots=True)
class _Small:
    """A small grey picture with its time and how many pixels moved since the one before."""

    gray: Image
    at_ns: int


@dataclass(frozen=True, slots=True)
class _Hand:
    """Where a hand was in a small picture."""

    mask: Mask
    at_ns: int


@dataclass(slots=True)
class _Episode:
    """What is known about the motion under way; `unseen` when the view was lost while it may have happened."""

    began_ns: int
    before: Image
    last_motion_ns: int
    unseen: bool = False
    still: int = 0
    hands: list[_Hand] = field(default_factory=list)
    told_rest: bool = False
    tries: int = 0
    last_reading: Reading | None = None


class ThrowWatch:
    """Watches a box frame by frame.

    Args:
        settings: The rig and its dice.
        reader: Reads the frames at rest; its tray tells where the box is.
    """

    def __init__(self, settings: ReaderSettings, reader: BoxReader) -> None:
        self._settings = settings
        self._reader = reader
        self._frames: deque[_Small] = deque(maxlen=_KEEP_FRAMES)
        self._tray: Tray | None = None
        self._region: Mask | None = None
        self._scale = 1.0
        self._episode: _Episode | None = None
        self._lying: tuple[DieReading, ...] = ()
        self._throws = 0
        self._opening = True
        self._scenery: tuple[DieReading, ...] = ()
        self._lost: str | None = None
        self._since_search = _SEARCH_EVERY

    def feed(self, image: Image, luma: Image | None, at_ns: int) -> tuple[WatchEvent, ...]:
        """Look at the next frame.

        Args:
            image: The frame, BGR.
            luma: The driver's small grey picture of the same frame, if it has one.
            at_ns: The frame's time, boot-clock ns.

        Returns:
            What happened, in order.
        """
        small = _Small(_small(image, luma), at_ns)
        out: list[WatchEvent] = []
        if not self._in_view(image, small, out):
            self._frames.clear()
            self._episode = None
            return tuple(out)
        previous = self._frames[-1] if self._frames else None
        self._frames.append(small)
        if previous is None or previous.gray.shape != small.gray.shape:
            self._open(small, out, silent=True)
            return tuple(out)
        moved = self._moved_px(previous.gray, small.gray)
        if moved >= self._least_px():
            self._move(small, previous, out)
        elif self._episode is not None:
            self._rest(image, small, out)
        return tuple(out)

    # ------------------------------------------------------------ the view

    def _in_view(self, image: Image, small: _Small, out: list[WatchEvent]) -> bool:
        why = None
        level = float(small.gray.mean())
        if level < 4.0 and float(small.gray.std()) < 3.0:
            why = "dark"
        elif level > 250.0:
            why = "saturated"
        elif self._region is None or self._region.shape != small.gray.shape:
            self._since_search += 1
            if self._since_search >= _SEARCH_EVERY:
                self._since_search = 0
                tray = self._reader.place(image)
                if tray is not None:
                    self._tray = tray
                    self._scale = small.gray.shape[1] / image.shape[1]
                    self._region = _region(tray, small.gray.shape, self._scale)
            if self._region is None:
                why = "no-tray"
        if why != self._lost:
            out.append(ViewLost(at_ns=small.at_ns, why=why) if why else ViewBack(at_ns=small.at_ns))
            self._lost = why
        return why is None

    # ------------------------------------------------------------ motion

    def _die_px(self) -> float:
        """Area of the smallest die's face in the small picture."""
        assert self._tray is not None  # noqa: S101
        return float((min(self._settings.die_sizes_mm) * self._tray.px_per_mm * self._scale) ** 2)

    def _least_px(self) -> int:
        return max(3, int(0.06 * self._die_px()))

    def _changed(self, one: Image, other: Image) -> Mask:
        """Pixels of the box that differ beyond grain and a change of light common to all."""
        assert self._region is not None  # noqa: S101
        rest = one.astype(np.int16) - other
        inside = rest[self._region]
        shift = float(np.median(inside))
        level = max(1.0, float(np.median(other[self._region])))
        gain = 1.0 + shift / level
        rest = one.astype(np.float32) - other.astype(np.float32) * np.float32(gain)
        grain = float(np.median(np.abs(rest[self._region]))) * 1.48
        return np.asarray((np.abs(rest) > max(7.0, 5.0 * grain)) & self._region)

    def _moved_px(self, one: Image, other: Image) -> int:
        changed = self._changed(other, one).astype(np.uint8)
        return int(cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)).sum())

    def _open(self, small: _Small, out: list[WatchEvent], *, silent: bool) -> None:
        self._episode = _Episode(began_ns=small.at_ns, before=small.gray, last_motion_ns=small.at_ns, unseen=silent)
        if not silent:
            out.append(MotionBegan(at_ns=small.at_ns))

    def _move(self, small: _Small, previous: _Small, out: list[WatchEvent]) -> None:
        if self._episode is None or self._episode.unseen:
            self._opening = False
            self._open(small, out, silent=False)
            assert self._episode is not None  # noqa: S101
            self._episode.before = previous.gray
        episode = self._episode
        episode.still = 0
        episode.told_rest = False
        episode.tries = 0
        episode.last_reading = None
        episode.last_motion_ns = small.at_ns
        changed = self._changed(small.gray, episode.before).astype(np.uint8)
        hand = self._hand(changed)
        if hand is not None:
            episode.hands.append(_Hand(hand, small.at_ns))

    def _hand(self, changed: Image) -> Mask | None:
        """The changed pixels that are wider than any die, or None."""
        width = self._settings.die_mm or max(self._settings.die_sizes_mm)
        assert self._tray is not None  # noqa: S101
        across = 2 * round(_WIDER * width * self._tray.px_per_mm * self._scale / 2) + 1
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across))
        worn = cv2.morphologyEx(changed, cv2.MORPH_OPEN, kernel)
        return worn.astype(bool) if worn.any() else None

    def _rolled(self, die: DieReading, settled_ns: int, episode: _Episode) -> bool | None:
        """Whether the die rolled; None when nobody saw how it came there."""
        return None if episode.unseen else not self._was_put(die, settled_ns, episode)

    def _was_put(self, die: DieReading, settled_ns: int, episode: _Episode) -> bool:
        """Whether a hand was over the die's place when it had come to rest."""
        spot = np.zeros(episode.before.shape, dtype=np.uint8)
        outline = np.round(np.array(die.outline_px) * self._scale).astype(np.int32)
        cv2.fillPoly(spot, [outline], 1)
        spot = cv2.dilate(spot, np.ones((3, 3), np.uint8), iterations=4)
        return any(bool(hand.mask[spot > 0].any()) for hand in episode.hands if hand.at_ns >= settled_ns - _LET_GO_NS)

    # ------------------------------------------------------------ rest

    def _rest(self, image: Image, small: _Small, out: list[WatchEvent]) -> None:
        episode = self._episode
        assert episode is not None  # noqa: S101
        episode.still += 1
        if episode.still < _STILL_FRAMES:
            return
        if not episode.told_rest:
            episode.told_rest = True
            out.append(CameToRest(at_ns=episode.last_motion_ns))
        reading = self._reader.read(image)
        if episode.last_reading is None or (not _agree(episode.last_reading, reading) and episode.tries < _AGREE_TRIES):
            episode.last_reading = reading
            episode.tries += 1
            return
        if not _agree(episode.last_reading, reading):
            reading = _doubted(reading)
        self._close(image, small, reading, out)

    def _close(self, image: Image, small: _Small, reading: Reading, out: list[WatchEvent]) -> None:
        episode = self._episode
        assert episode is not None  # noqa: S101
        self._episode = None
        before = self._lying
        if self._opening:
            # What lies there when the watch begins was thrown by nobody, and marks on the table are no dice.
            self._opening = False
            self._scenery = tuple(die for die in reading.dice if die.verdict == "off_box")
            self._lying = tuple(die for die in reading.dice if die.verdict != "off_box")
            return
        reading = self._without_scenery(reading)
        reading, moved, gone = self._compared(before, reading, episode)
        self._lying = reading.dice
        if not any(moved):
            if gone > 0:
                out.append(DiceLifted(at_ns=episode.last_motion_ns, left=len(reading.dice)))
            return
        if self._is_bump(before, reading.dice, moved, gone):
            out.append(Bumped(at_ns=episode.began_ns))
            return
        settled_ns = self._settled_ns(small, reading, moved, episode)
        self._throws += 1
        dice = tuple(
            replace(die, moved=flag, rolled=self._rolled(die, settled_ns, episode) if flag else False)
            for die, flag in zip(reading.dice, moved, strict=True)
        )
        out.append(
            ThrowRead(
                number=self._throws,
                started_ns=episode.began_ns,
                settled_ns=settled_ns,
                reading=replace(reading, dice=dice),
                image=image,
            )
        )

    def _compared(
        self, before: tuple[DieReading, ...], reading: Reading, episode: _Episode
    ) -> tuple[Reading, list[bool], int]:
        """The reading with the values of dice that did not move kept, who moved, and how many are gone.

        A die that lies where one lay keeps what was read at its own rest: later light or neighbours change nothing.
        A die that the reading misses while its place looks as before is still there.
        """
        left = list(before)
        dice: list[DieReading] = []
        moved: list[bool] = []
        for die in reading.dice:
            old = next((o for o in left if _apart_px(o, die) < self._reach_px() and _may_be_same(o, die)), None)
            if old is not None:
                left.remove(old)
            dice.append(die if old is None else old)
            moved.append(old is None)
        for old in [o for o in left if not self._changed_at(o, episode.before, self._frames[-1].gray)]:
            left.remove(old)
            dice.append(old)
            moved.append(False)
        order = sorted(range(len(dice)), key=lambda i: dice[i].center_px)
        kept = tuple(dice[i] for i in order)
        doubt = bool(reading.warnings) or any(d.verdict != "valid" for d in kept)
        return replace(reading, dice=kept, needs_referee=doubt), [moved[i] for i in order], len(left)

    def _without_scenery(self, reading: Reading) -> Reading:
        """The reading without what was already outside the box when the watch began."""
        reach = 3.0 * self._reach_px()
        dice = tuple(
            die
            for die in reading.dice
            if die.verdict != "off_box" or all(_apart_px(die, mark) > reach for mark in self._scenery)
        )
        return replace(reading, dice=dice)

    def _changed_at(self, die: DieReading, before: Image, now: Image) -> bool:
        """Whether the place of a die looks otherwise than before."""
        spot = np.zeros(now.shape, dtype=np.uint8)
        cv2.fillPoly(spot, [np.round(np.array(die.outline_px) * self._scale).astype(np.int32)], 1)
        return bool(self._changed(now, before)[spot > 0].mean() > 0.2)

    def _reach_px(self) -> float:
        assert self._tray is not None  # noqa: S101
        return 0.12 * min(self._settings.die_sizes_mm) * self._tray.px_per_mm

    def _is_bump(
        self, before: tuple[DieReading, ...], after: tuple[DieReading, ...], moved: list[bool], gone: int
    ) -> bool:
        """Nobody new, nobody gone, everybody near where a die of that colour lay."""
        if not before or len(before) != len(after) or gone != sum(moved):
            return False
        reach = 25 * self._reach_px()
        left = list(before)
        for die in after:
            near = [
                old
                for old in left
                if np.hypot(*np.subtract(old.center_px, die.center_px)) < reach and old.colour == die.colour
            ]
            if not near:
                return False
            left.remove(min(near, key=lambda old: float(np.hypot(*np.subtract(old.center_px, die.center_px)))))
        return True

    def _settled_ns(self, now: _Small, reading: Reading, moved: list[bool], episode: _Episode) -> int:
        """First frame from which the places of the dice that moved look as they do now."""
        spots = np.zeros(now.gray.shape, dtype=np.uint8)
        for die, flag in zip(reading.dice, moved, strict=True):
            if flag:
                outline = np.round(np.array(die.outline_px) * self._scale).astype(np.int32)
                cv2.fillPoly(spots, [outline], 1)
        spots = cv2.dilate(spots, np.ones((3, 3), np.uint8))
        settled = now.at_ns
        for frame in reversed(self._frames):
            if frame.at_ns < episode.began_ns:
                break
            if int((self._changed(frame.gray, now.gray) & (spots > 0)).sum()) >= 3:
                break
            settled = frame.at_ns
        return settled


def _small(image: Image, luma: Image | None) -> Image:
    if luma is not None:
        return luma
    height = round(image.shape[0] * _SMALL_WIDTH / image.shape[1])
    small = cv2.resize(image, (_SMALL_WIDTH, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _region(tray: Tray, shape: tuple[int, ...], scale: float) -> Mask:
    """The box with its walls in the small picture."""
    x, y = tray.geometry.floor_mm[0] / 2 + 10, tray.geometry.floor_mm[1] / 2 + 10
    corners: Floats = tray.project(np.array([[-x, y, 20.0], [x, y, 20.0], [x, -y, 20.0], [-x, -y, 20.0]]))
    mask = np.zeros(shape[:2], dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(corners * scale).astype(np.int32)], 1)
    return mask.astype(bool)


def _agree(one: Reading, other: Reading) -> bool:
    """Whether two readings name the same dice in the same places."""
    if len(one.dice) != len(other.dice):
        return False
    return all(
        a.value == b.value and a.verdict == b.verdict and float(np.hypot(*np.subtract(a.center_px, b.center_px))) < 3.0
        for a, b in zip(one.dice, other.dice, strict=True)
    )


def _doubted(reading: Reading) -> Reading:
    """A reading on which frames did not agree: nothing in it is vouched for."""
    dice = tuple(
        replace(die, value=None, verdict="unreadable", why="frames-differ") if die.verdict == "valid" else die
        for die in reading.dice
    )
    return replace(reading, dice=dice, needs_referee=True, warnings=(*reading.warnings, "frames-differ"))


def _apart_px(one: DieReading, other: DieReading) -> float:
    return float(np.hypot(*np.subtract(one.center_px, other.center_px)))


def _may_be_same(old: DieReading, new: DieReading) -> bool:
    """Whether two readings at one place can be of one die that nobody touched."""
    return old.value == new.value or old.value is None or new.value is None
