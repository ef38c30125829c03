"""Commands of the camera's care and of looking again.

What people ask for holds only what people can say; the numbers and pictures that go into the facts are filled in by the
table before it decides, and never taken from a client.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from companion.session.command import Command
from companion.session.events import (
    CameraCalibrated,
    DieFact,
    DisputeSettled,
    FramesKept,
    MeasuredFact,
    PictureFact,
    Side,
    ThrowDisputed,
    ThrowReadAgain,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrate(Command):
    """Measure the rig with an empty box.

    Attributes:
        problems: What stands in the way; filled in by the table.
        measured: The numbers; filled in by the table.
        evidence: Picture of the empty box; filled in by the table.
    """

    name: ClassVar[str] = "calibrate"

    problems: tuple[str, ...] = ()
    measured: MeasuredFact | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeThrow(Command):
    """Say that a throw was not read as it lay.

    Attributes:
        throw: Its number.
        player: Who disputes it.
        pictures: All pictures of it; filled in by the table.
    """

    name: ClassVar[str] = "dispute_throw"

    throw: int
    player: str
    pictures: tuple[PictureFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondReading:
    """One stored picture, read again."""

    side: Side
    evidence: str
    dice: tuple[DieFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAgain(Command):
    """Read the stored pictures of a throw again.

    Attributes:
        throw: Its number.
        readings: What was read; filled in by the table.
        software: Version of the reader; filled in by the table.
    """

    name: ClassVar[str] = "read_again"

    throw: int
    readings: tuple[SecondReading, ...] = ()
    software: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleDispute(Command):
    """End the dispute about a throw."""

    name: ClassVar[str] = "settle_dispute"

    throw: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepFrames(Command):
    """The pictures around a moment are on the disk."""

    name: ClassVar[str] = "keep_frames"

    why: Literal["tijd"]
    around_ns: int
    pictures: tuple[PictureFact, ...]


FILLED: dict[str, frozenset[str]] = {
    "calibrate": frozenset(),
    "dispute_throw": frozenset({"throw", "player"}),
    "read_again": frozenset({"throw"}),
}
"""Commands that the table completes, with the arguments that a client gives."""

LOOKED = frozenset(kind.wire for kind in (CameraCalibrated, FramesKept, ThrowDisputed, ThrowReadAgain, DisputeSettled))
"""Facts that say what was looked at, and move nothing."""
