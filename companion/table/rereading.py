"""A stored picture of a throw, read again: from its own bytes alone, so that the same picture always reads the same.

The reader begins with nothing remembered: it finds the box by the markers in the picture, and the size of the dice from
the dice in it. What it then says of the side in question is set beside what was said at the table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from companion.journal import EvidenceError
from companion.journal.evidence import Pictures
from companion.session.commands import SecondReading
from companion.session.events import SIDES, DieFact, Side
from companion.session.snapshot import ThrowState
from companion.table.sides import SideColours, die_fact
from companion.vision.jpeg import decode_jpeg
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.sheet import sheet
from companion.vision.types import DieReading, Image

_SAME_PLACE = 0.7
"""Distance in widths of a die within which a die of no known colour is the one that was read before."""


def read_again(
    throw: ThrowState, *, pictures: Pictures, settings: ReaderSettings, colours: SideColours
) -> tuple[SecondReading, ...]:
    """Every whole picture of a throw that is still stored, read again.

    Args:
        throw: The throw as it was read.
        pictures: Where its pictures are.
        settings: The rig and its dice.
        colours: Which colours throw for which side.
    """
    found = []
    for side in SIDES:
        half = throw.side(side)
        for picture in half.settled.pictures if half is not None else ():
            image = _stored(pictures, picture.evidence)
            if image is not None and half is not None:
                dice = _read(image, half.settled.dice, side, settings=settings, colours=colours)
                found.append(SecondReading(side=side, evidence=picture.evidence, dice=dice))
    return tuple(found)


def _stored(pictures: Pictures, name: str) -> Image | None:
    """The picture, or None where it was given up."""
    try:
        return decode_jpeg(pictures.get(name))
    except EvidenceError as error:
        if error.values.get("why") != "missing":
            raise
        return None


def _read(
    image: Image, before: Sequence[DieFact], side: Side, *, settings: ReaderSettings, colours: SideColours
) -> tuple[DieFact, ...]:
    reader = BoxReader(settings)
    reading = reader.read(image, look_outside=any(die.verdict == "off_box" for die in before))
    dice = sheet(image, reading, reader.tray).dice if reader.tray is not None else reading.dice
    return tuple(die_fact(die, colours) for die in dice if _is_of(die, side, before, colours))


def _is_of(die: DieReading, side: Side, before: Sequence[DieFact], colours: SideColours) -> bool:
    """Whether a die belongs to the side: by its colour, else by lying where one of its dice lay."""
    told = colours.side(die)
    if told is not None:
        return told == side
    reach = _SAME_PLACE * max(die.box_px[2], die.box_px[3])
    near = (old.center_px for old in before if old.center_px is not None)
    return any(float(np.hypot(*np.subtract(die.center_px, at))) < reach for at in near)
