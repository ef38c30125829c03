"""Events of the camera's care and of looking again: calibration, pictures that are kept, disputed throws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from companion.session.events.base import Event, Side
from companion.session.events.facts import DieFact


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFact:
    """One stored picture.

    Attributes:
        evidence: SHA-256 of the picture.
        kind: `sheet` (the box from above with each die marked, and each die cut out), `frame` (a whole picture of
            the camera, as it was read) or `film` (the box in one picture of the roll).
        at_ns: When it was taken, or None.
        side: Side whose dice it was taken for, or None.
    """

    evidence: str
    kind: Literal["sheet", "frame", "film"]
    at_ns: int | None = None
    side: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFact:
    """What a calibration measured.

    Attributes:
        markers: Ids of the markers that were seen.
        missing: Ids of those that were not.
        error_px: Root mean square distance of the markers' corners from where they should be.
        px_per_mm: Scale at the box floor.
        print_scale: How large the marker sheet was printed, 1 for true to scale.
        edge_px: Width of a black-white edge: how sharp the picture is.
        paper: Levels of the darkest and the brightest marker's paper, 0 to 255.
        floor: Level of the box floor.
        flicker: How far the light swung within a second, as a share of it.
        glare_mm2: Blown-out area of the box floor.
        shake_px: How far the markers moved within a second.
        bodies: How many things lay in the box.
    """

    markers: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    error_px: float | None = None
    px_per_mm: float | None = None
    print_scale: float | None = None
    edge_px: float | None = None
    paper: tuple[float, float] | None = None
    floor: float | None = None
    flicker: float = 0.0
    glare_mm2: float = 0.0
    shake_px: float = 0.0
    bodies: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraCalibrated(Event):
    """The rig was measured with an empty box.

    Attributes:
        ready: Whether nothing stands in the way of reading dice.
        problems: Codes of what does, the first to be put right first.
        measured: The numbers.
        evidence: SHA-256 of the empty box's picture, or None.
    """

    wire: ClassVar[str] = "camera.calibrated"

    ready: bool
    problems: tuple[str, ...]
    measured: MeasuredFact
    evidence: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FramesKept(Event):
    """Pictures around a moment were stored for good.

    Attributes:
        why: What happened at that moment.
        around_ns: The moment.
        pictures: The pictures on both sides of it, oldest first.
    """

    wire: ClassVar[str] = "frames.kept"

    why: Literal["tijd"]
    around_ns: int
    pictures: tuple[PictureFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowDisputed(Event):
    """A player does not believe a throw; its pictures are kept for good.

    Attributes:
        throw: Its number.
        player: Who disputes it.
        pictures: All pictures of it that there still are.
    """

    wire: ClassVar[str] = "throw.disputed"

    throw: int
    player: str
    pictures: tuple[PictureFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowReadAgain(Event):
    """A stored picture of a throw was read again; the first reading stays as it is.

    Attributes:
        throw: Number of the throw.
        side: The side whose dice are compared.
        evidence: SHA-256 of the picture that was read.
        dice: What was read now, left to right.
        same: Whether these are the values and verdicts of the first reading.
        software: Version of the reader.
    """

    wire: ClassVar[str] = "throw.read_again"

    throw: int
    side: Side
    evidence: str
    dice: tuple[DieFact, ...]
    same: bool
    software: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeSettled(Event):
    """The referee ended the dispute about a throw.

    Attributes:
        throw: Its number.
        reason: Why it ended: the reading stands, or it was put right.
    """

    wire: ClassVar[str] = "dispute.settled"

    throw: int
    reason: str
