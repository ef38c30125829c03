"""A die as it is judged: what is asked, what is seen, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass

from companion.vision.find import Body
from companion.vision.ground import Ground
from companion.vision.pose import DiePose
from companion.vision.second import FaceNet
from companion.vision.settings import ReaderSettings
from companion.vision.solve import Solid
from companion.vision.tray import Tray
from companion.vision.types import Image, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One die with its verdict.

    Attributes:
        pose: Where it stands.
        verdict: How it lies.
        value: Its number, only for a valid die.
        confidence: 0 to 1.
        why: Code for anything but plainly valid.
        light_pips: Whether its pips are lighter than its face; None when unknown.
        cost: How well its fit closes; 1 is what honest noise gives.
        lone: Whether nothing else is in its body.
        plain: That of its body.
    """

    pose: DiePose
    verdict: Verdict
    value: int | None
    confidence: float
    why: str | None
    light_pips: bool | None
    cost: float = 1.0
    lone: bool = False
    plain: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What all dice of one picture share.

    Attributes:
        image: The picture, BGR.
        tray: The camera over the box.
        settings: The rig and its limits.
        size_mm: Edge of the dice in this picture.
        net: The opinion on a face that knows no lattice.
        ground: The box, measured against its own felt.
    """

    image: Image
    tray: Tray
    settings: ReaderSettings
    size_mm: float
    net: FaceNet
    ground: Ground


@dataclass(frozen=True, slots=True)
class Case:
    """One flat die of an explanation, with its body and its neighbours in it; suspect when something is left over."""

    body: Body
    solid: Solid
    others: list[Solid]
    suspect: bool = False
