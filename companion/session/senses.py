"""What the table's own senses have to say: buttons, camera, clock and the service itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from companion.session.command import Command
from companion.session.events import DieFact, PictureFact, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class PressButton(Command):
    """A button did something.

    Attributes:
        button: Its name.
        kind: "down" the moment that it is pressed, "short" when it is let go soon, "long" when it is held.
        pressed_ns: When it went down, boot-clock ns.
    """

    name: ClassVar[str] = "press_button"

    button: str
    kind: Literal["down", "short", "long"]
    pressed_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeDice(Command):
    """The camera read what lies in and around the box.

    Attributes:
        dice: All dice in view, left to right.
        sides: For each die its side by colour; None where the dice have no colours and the order of throwing tells.
        moved: For each die whether it moved since the last rest.
        started_ns: First motion.
        settled_ns: From when nothing moved.
        evidence: SHA-256 of the picture.
        pictures: Whole pictures of the camera that were read.
    """

    name: ClassVar[str] = "see_dice"

    dice: tuple[DieFact, ...]
    sides: tuple[Side | None, ...]
    moved: tuple[bool, ...]
    started_ns: int
    settled_ns: int
    evidence: str | None
    pictures: tuple[PictureFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FindDice(Command):
    """The camera begins to look and this lies there; nobody saw it come.

    Attributes:
        dice: All dice in the box, left to right; none where it is empty.
        sides: For each die its side by colour; None where the dice have no colours.
        found_ns: When it was seen to lie.
        evidence: SHA-256 of the picture.
        pictures: Whole pictures of the camera that were read.
    """

    name: ClassVar[str] = "find_dice"

    dice: tuple[DieFact, ...]
    sides: tuple[Side | None, ...]
    found_ns: int
    evidence: str | None = None
    pictures: tuple[PictureFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeLift(Command):
    """The camera saw dice taken out; `left` still lie."""

    name: ClassVar[str] = "see_lift"

    left: int
    lifted_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndAttackTime(Command):
    """The time to attack in this turn is over."""

    name: ClassVar[str] = "end_attack_time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Command):
    """Remember something that changes nothing."""

    name: ClassVar[str] = "note"

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRig(Command):
    """The service opened its camera and panel."""

    name: ClassVar[str] = "open_rig"

    camera: str
    panel: str
    buttons: tuple[str, ...]
    software: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recover(Command):
    """The service came back to a journal that holds a game."""

    name: ClassVar[str] = "recover"

    events: int
    same_boot: bool
    away_ms: int | None
    elapsed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepClock(Command):
    """The wall clock jumped."""

    name: ClassVar[str] = "step_clock"

    by_ms: int
