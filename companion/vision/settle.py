"""Frames in, throws out: empty, rolling, at rest; did it roll; was it bumped.

Theory. A small grey picture is compared with the one before, after the change of light common to the whole box is
taken out, so a flickering lamp moves nothing. Motion opens an episode, a few still frames close it; only then the
full reading is made, and two frames must agree on it. What happened in between is told from the two readings, before
and after: dice that lie as before did not take part, dice that are gone were lifted, dice that moved a little with
no hand and nobody new were bumped, anything else is a throw. When dice came to rest is found afterwards, by going
back through the small pictures until the places of the new dice no longer look as they do at rest. A die that had
come to rest while a hand was still over its place was put down or pushed, not rolled.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from companion.vision import frame
from companion.vision.drift import carried
from companion.vision.motion import BoxMotion, small_of
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.tray import Tray
from companion.vision.types import (
    Bumped,
    CameToRest,
    DiceLifted,
    DieReading,
    FoundLying,
    Image,
    Mask,
    MotionBegan,
    Reading,
    ThrowRead,
    ViewBack,
    ViewLost,
    WatchEvent,
)

_STILL_FRAMES = 3
_AGREE_TRIES = 6
_KEEP_FRAMES = 300
_SEARCH_EVERY = 15
_LET_GO_NS = 200_000_000
# So long after the last motion in the box a die that left it is waited for.
_OUTSIDE_NS = 1_000_000_000
# A place that a hand covers tells something as long as this share of it is seen.
_UNCOVERED = 0.2
# From this share of changed pixels on, the place of a die looks otherwise than before.
_ALTERED = 0.2


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
        self._last_seen: Image | None = None
        self._tray: Tray | None = None
        self._motion: BoxMotion | None = None
        self._episode: _Episode | None = None
        self._lying: tuple[DieReading, ...] = ()
        self._throws = 0
        self._opening = True
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
        small = _Small(small_of(image, luma), at_ns)
        out: list[WatchEvent] = []
        if not self._in_view(image, small, out):
            if self._frames:
                self._last_seen = self._frames[-1].gray if self._episode is None else self._episode.before
            self._frames.clear()
            self._episode = None
            return tuple(out)
        previous = self._frames[-1] if self._frames else None
        self._frames.append(small)
        if previous is None or previous.gray.shape != small.gray.shape:
            self._open(small, out, silent=True)
            return tuple(out)
        if self._seen.moves(small.gray, previous.gray):
            self._move(small, previous, out)
        elif self._episode is not None:
            if self._rolls_on(small, previous, self._episode):
                self._episode.still = 0
            self._rest(image, small, out)
        return tuple(out)

    @property
    def tray(self) -> Tray | None:
        """The box as the next reading takes it; None before it was found."""
        return self._reader.tray if self._motion is not None else None

    @property
    def is_still(self) -> bool:
        """Whether nothing moves and what lies there has been read."""
        return self._episode is None and self._lost is None

    @property
    def is_empty(self) -> bool:
        """Whether no die was read when the box was last at rest."""
        return not self._lying

    def follow(self, tray: Tray, luma: Image) -> None:
        """Take the box as lying elsewhere from now on: box or camera were pushed, and the dice went along.

        Args:
            tray: The box as it lies now.
            luma: A small grey picture of the present, for its shape.
        """
        old = self._reader.tray
        self._reader.keep(tray)
        self._tray, self._motion = tray, BoxMotion(self._settings, tray, luma.shape)
        if old is not None:
            self._lying = tuple(carried(die, old, tray) for die in self._lying)

    # ------------------------------------------------------------ the view

    def _in_view(self, image: Image, small: _Small, out: list[WatchEvent]) -> bool:
        why = frame.fault(small.gray)
        if why is None and self._tray is not None and self._tray.size_px != (image.shape[1], image.shape[0]):
            why = "size-changed"
            self._reader.forget()
            self._tray, self._motion, self._since_search = None, None, _SEARCH_EVERY
        elif why is None and (self._motion is None or self._motion.shape != small.gray.shape[:2]):
            self._since_search += 1
            if self._since_search >= _SEARCH_EVERY:
                self._since_search = 0
                self._tray = self._reader.place(image)
                if self._tray is not None:
                    self._motion = BoxMotion(self._settings, self._tray, small.gray.shape)
            if self._motion is None:
                why = self._reader.refusal or "no-tray"
        if why != self._lost:
            out.append(ViewLost(at_ns=small.at_ns, why=why) if why else ViewBack(at_ns=small.at_ns))
            self._lost = why
        return why is None

    # ------------------------------------------------------------ motion

    @property
    def _seen(self) -> BoxMotion:
        assert self._motion is not None  # noqa: S101
        return self._motion

    def _open(self, small: _Small, out: list[WatchEvent], *, silent: bool) -> None:
        # Dice may have been taken while nobody saw: what lies there is compared with what was seen last.
        last = self._last_seen if silent else None
        before = last if last is not None and last.shape == small.gray.shape else small.gray
        self._episode = _Episode(began_ns=small.at_ns, before=before, last_motion_ns=small.at_ns, unseen=silent)
        if not silent:
            out.append(MotionBegan(at_ns=small.at_ns))

    def _move(self, small: _Small, previous: _Small, out: list[WatchEvent]) -> None:
        if self._episode is None or self._episode.unseen:
            before = previous.gray if self._episode is None else self._episode.before
            self._opening = False
            self._open(small, out, silent=False)
            assert self._episode is not None  # noqa: S101
            self._episode.before = before
        episode = self._episode
        episode.still = 0
        episode.told_rest = False
        episode.tries = 0
        episode.last_reading = None
        episode.last_motion_ns = small.at_ns
        hand = self._seen.hand(small.gray, episode.before)
        if hand is not None:
            episode.hands.append(_Hand(hand, small.at_ns))

    def _rolled(self, die: DieReading, settled_ns: int, episode: _Episode) -> bool | None:
        """Whether the die rolled; None when nobody saw how it came there."""
        return None if episode.unseen else not self._was_put(die, settled_ns, episode)

    def _was_put(self, die: DieReading, settled_ns: int, episode: _Episode) -> bool:
        """Whether a hand was over the die's place when it had come to rest."""
        spot = self._seen.place(die, room_px=4)
        return any(bool(hand.mask[spot].any()) for hand in episode.hands if hand.at_ns >= settled_ns - _LET_GO_NS)

    # ------------------------------------------------------------ rest

    def _rolls_on(self, small: _Small, previous: _Small, episode: _Episode) -> bool:
        """Whether a die that left the box is still on its way; people around the table are not waited for."""
        soon = small.at_ns - episode.last_motion_ns < _OUTSIDE_NS
        return soon and not episode.told_rest and self._seen.rolls_outside(small.gray, previous.gray)

    def _rest(self, image: Image, small: _Small, out: list[WatchEvent]) -> None:
        episode = self._episode
        assert episode is not None  # noqa: S101
        episode.still += 1
        if episode.still < _STILL_FRAMES:
            return
        if not episode.told_rest:
            episode.told_rest = True
            out.append(CameToRest(at_ns=episode.last_motion_ns))
        reading = self._reader.read(image, look_outside=False)
        if not reading.tray_found:
            # The box can't be placed just now: what came to rest is read as soon as it can.
            episode.last_reading, episode.tries, episode.still = None, 0, -_SEARCH_EVERY
            return
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
            self._opening, self._lying = False, reading.dice
            out.append(FoundLying(at_ns=small.at_ns, reading=reading, image=image))
            return
        reading = self._with_outside(image, small, reading, episode)
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

    def _with_outside(self, image: Image, small: _Small, reading: Reading, episode: _Episode) -> Reading:
        """The reading with dice that came to lie around the box or unheard in it; marks of the ground don't come."""
        changed = self._seen.changed_outside(small.gray, episode.before)

        def altered(die: DieReading) -> bool:
            return changed is not None and float(changed[self._seen.place(die, room_px=1)].mean()) > _ALTERED

        kept = [die for die in self._lying if die.verdict == "off_box" and not altered(die)]
        seen = [] if changed is None else self._reader.outside(image, is_known=bool(reading.dice))
        came = [die for die in seen if altered(die)]
        told = self._reader.joined(reading.dice, [*kept, *came])
        new = [d for d in self._reader.unheard(told) if self._changed_at(d, episode.before, small.gray)]
        return replace(reading, dice=(*told, *new))

    def _changed_at(self, die: DieReading, before: Image, now: Image) -> bool:
        """Whether the place of a die looks otherwise than before."""
        return bool(self._seen.changed(now, before)[self._seen.place(die)].mean() > _ALTERED)

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
            near = [old for old in left if _apart_px(old, die) < reach and old.colour == die.colour]
            if not near:
                return False
            left.remove(min(near, key=partial(_apart_px, die)))
        return True

    def _settled_ns(self, now: _Small, reading: Reading, moved: list[bool], episode: _Episode) -> int:
        """First frame from which the places of the dice that moved look as they do now."""
        spots = np.zeros(now.gray.shape, dtype=bool)
        for die, flag in zip(reading.dice, moved, strict=True):
            if flag:
                spots |= self._seen.place(die, room_px=1)
        hands = {hand.at_ns: self._seen.around(hand.mask) for hand in episode.hands}
        settled = now.at_ns
        for old in reversed(self._frames):
            if old.at_ns < episode.began_ns:
                break
            covered = hands.get(old.at_ns)
            seen = spots if covered is None else spots & ~covered
            if seen.sum() < _UNCOVERED * spots.sum() or int((self._seen.differs(old.gray, now.gray) & seen).sum()) >= 3:
                break
            settled = old.at_ns
        return settled


def _agree(one: Reading, other: Reading) -> bool:
    """Whether two readings name the same dice in the same places."""
    return len(one.dice) == len(other.dice) and all(
        a.value == b.value and a.verdict == b.verdict and _apart_px(a, b) < 3.0
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
