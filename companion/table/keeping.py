"""What proves a throw: its sheet for the whole game, its whole pictures and its film while a doubt is likely.

Theory. Before a reading becomes a fact two pictures are on the disk: the sheet (the box from above, each die marked and
cut out), which stays for the game, and the whole picture that was read, from which it can be read again. Whole pictures
are large, so those of throws before the last three are let go again, which is written down. The roll itself is in
memory; it comes to the disk when somebody doubts the throw or when the signal fell into it, and then for good.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import structlog

from companion.hw.clock import NS_PER_MS
from companion.hw.ports import Frame
from companion.journal import Evidence, EvidenceError
from companion.session.events import DiceSettled, PictureFact, Side
from companion.session.snapshot import ThrowState
from companion.table.ring import FrameRing, Shot
from companion.vision.jpeg import encode_jpeg
from companion.vision.overlay import box_part
from companion.vision.sheet import sheet
from companion.vision.tray import Tray
from companion.vision.types import DieReading, ThrowRead

THROWS = 3
"""Whole pictures are stored of so many throws."""

UNCLAIMED = 4
"""So many whole pictures of readings that became no throw may wait for one."""

FRAME_QUALITY, SHEET_QUALITY, FILM_QUALITY = 92, 85, 80
STILL_EVERY_MS = 500
"""A box at rest shows nothing new: two pictures a second are enough."""

BEFORE_MS = 300
"""A film begins so long before the first motion."""

AROUND_MS, CLOSE_MS, MOST_FAR = 1500, 400, 6
"""Around the signal: how far to both sides, how near every picture is kept, and how many of the others."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What was stored of one reading.

    Attributes:
        sheet: SHA-256 of the sheet, or None where the disk refused.
        pictures: The whole picture that was read.
        dice: The reading's dice, their places in px of the sheet.
    """

    sheet: str | None
    pictures: tuple[PictureFact, ...]
    dice: tuple[DieReading, ...]


class Keeper:
    """Stores what proves throws; the camera's thread feeds it, others ask.

    Args:
        evidence: Where pictures go.
        ring: The last seconds and the last films.
    """

    def __init__(self, evidence: Evidence, ring: FrameRing | None = None) -> None:
        self._evidence = evidence
        self._ring = ring if ring is not None else FrameRing()
        self._lock = threading.Lock()
        self._by_throw: OrderedDict[int, list[str]] = OrderedDict()
        self._unclaimed: list[str] = []
        self._to_go: list[str] = []
        self._previous: Frame | None = None
        self._shot_ns = 0

    @property
    def ring(self) -> FrameRing:
        """What is held in memory."""
        return self._ring

    # ------------------------------------------------------------ the camera's thread

    def saw(self, frame: Frame, tray: Tray | None, *, is_moving: bool) -> None:
        """A frame: every one while something moves, and the one before; two a second of a box at rest."""
        previous, self._previous = self._previous, frame
        if tray is None:
            return
        if is_moving:
            if previous is not None and previous.at_ns > self._shot_ns:
                self._shoot(previous, tray)
            self._shoot(frame, tray)
        elif frame.at_ns - self._shot_ns >= STILL_EVERY_MS * NS_PER_MS:
            self._shoot(frame, tray)

    def _shoot(self, frame: Frame, tray: Tray) -> None:
        self._shot_ns = frame.at_ns
        self._ring.add(Shot(frame.at_ns, encode_jpeg(box_part(frame.image, tray), quality=FILM_QUALITY)))

    def reading(self, event: ThrowRead, tray: Tray | None, refused: Callable[[EvidenceError], None]) -> Kept:
        """Store what proves a reading; durable when this returns.

        Args:
            event: The reading with its picture.
            tray: The box that it was read against; without one the picture itself is the sheet.
            refused: Told of a disk that refuses; the reading counts all the same.
        """
        made = sheet(event.image, event.reading, tray) if tray is not None else None
        image = made.image if made is not None else event.image
        dice = made.dice if made is not None else event.reading.dice
        try:
            name = self._evidence.put(encode_jpeg(image, quality=SHEET_QUALITY))
        except EvidenceError as error:
            refused(error)
            return Kept(sheet=None, pictures=(), dice=dice)
        self._ring.cut(name, event.started_ns - BEFORE_MS * NS_PER_MS, event.settled_ns + BEFORE_MS * NS_PER_MS)
        try:
            frame = self._evidence.put(encode_jpeg(event.image, quality=FRAME_QUALITY, full_colour=True))
        except EvidenceError as error:
            refused(error)
            return Kept(sheet=name, pictures=(), dice=dice)
        with self._lock:
            self._unclaimed.append(frame)
            self._to_go += self._unclaimed[:-UNCLAIMED]
            del self._unclaimed[:-UNCLAIMED]
        picture = PictureFact(evidence=frame, kind="frame", at_ns=event.settled_ns)
        return Kept(sheet=name, pictures=(picture,), dice=dice)

    def tidy(self) -> None:
        """Let go of whole pictures that had their time; for a moment in which nothing moves."""
        with self._lock:
            names, self._to_go = self._to_go, []
        for name in names:
            try:
                self._evidence.give_up(name)
            except EvidenceError as error:
                _log.warning("picture not given up", why=str(error))

    # ------------------------------------------------------------ the service

    def settled(self, fact: DiceSettled) -> None:
        """Dice became a throw: their whole pictures stay as long as it is one of the last three."""
        names = [picture.evidence for picture in fact.pictures]
        with self._lock:
            self._unclaimed = [name for name in self._unclaimed if name not in names]
            self._to_go = [name for name in self._to_go if name not in names]
            of_throw = self._by_throw.setdefault(fact.throw, [])
            of_throw += [name for name in names if name not in of_throw]
            while len(self._by_throw) > THROWS:
                self._to_go += self._by_throw.popitem(last=False)[1]

    def new_game(self) -> None:
        """Numbers of throws begin anew."""
        with self._lock:
            self._unclaimed += [name for names in self._by_throw.values() for name in names]
            self._by_throw.clear()

    def pictures_of(self, throw: ThrowState) -> tuple[PictureFact, ...]:
        """All pictures of a throw that there still are, on the disk and kept for good.

        Raises:
            EvidenceError: The disk refuses.
        """
        found: list[PictureFact] = []
        for side in ("attack", "defence"):
            half = throw.side(side)
            if half is not None and half.settled.evidence is not None:
                found += self._of_side(half.settled, side)
        # A throw whose two sides were read in one picture has it once.
        return tuple({picture.evidence: picture for picture in found}.values())

    def _of_side(self, settled: DiceSettled, side: Side) -> Iterable[PictureFact]:
        name = settled.evidence or ""
        sheet_ = PictureFact(evidence=name, kind="sheet", at_ns=settled.settled_ns, side=side)
        frames = (replace(picture, side=side) for picture in settled.pictures)
        for picture in (sheet_, *frames):
            if self._is_kept(picture.evidence):
                yield picture
        yield from (self._filmed(shot, side) for shot in self._ring.film(name))

    def _is_kept(self, name: str) -> bool:
        try:
            self._evidence.keep(name)
        except EvidenceError as error:
            if error.values.get("why") != "missing":
                raise
            return False
        return True

    def _filmed(self, shot: Shot, side: Side | None) -> PictureFact:
        name = self._evidence.put(shot.jpeg)
        self._evidence.keep(name)
        return PictureFact(evidence=name, kind="film", at_ns=shot.at_ns, side=side)

    def around(self, at_ns: int) -> tuple[PictureFact, ...]:
        """The pictures on both sides of a moment, on the disk and kept for good.

        Raises:
            EvidenceError: The disk refuses.
        """
        shots = self._ring.between(at_ns - AROUND_MS * NS_PER_MS, at_ns + AROUND_MS * NS_PER_MS)
        close = [shot for shot in shots if abs(shot.at_ns - at_ns) <= CLOSE_MS * NS_PER_MS]
        far = [shot for shot in shots if shot not in close]
        some = far[:: max(1, -(-len(far) // MOST_FAR))]
        return tuple(self._filmed(shot, None) for shot in sorted((*close, *some), key=lambda shot: shot.at_ns))
