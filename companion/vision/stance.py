"""How a die outside the box stands, by the pips of one face: nobody knows the outline of a body on a strange table.

Theory. A few pips seen from far away leave several poses, and each has its own way out:

        flat, or leaning?          flat, unless the pips say clearly that it leans and the wall is there to lean on
        upper face, or a side?     squared by the right pose a face shows its number to the network
        leaning to or from me?     both look alike in depth: what leans on a wall touches it
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from companion.vision import pose, second
from companion.vision.fitting import Task, fit_all
from companion.vision.pose import DiePose, Fit
from companion.vision.tray import Tray
from companion.vision.types import Floats, Image

# Chi square by which a leaning pose must explain the pips better.
_GAIN = 12.0
# A face found to lean by more, with so many pips, may be the side of a flat die, turned by so much from the camera at
# most; and how sure the network must then be of it as a side.
_STEEP_DEG, _LEAST_PIPS, _SIDEWAYS, _NET_SIDE = 20.0, 3, np.radians(np.arange(-60, 61, 15)), 0.95
_SIDE = 1
# What is farther from the wall, in edges, does not lean on it; and how much nearer to touching it the likelier pose is.
_BESIDE, _PLAINLY = 0.5, 0.1
_NO_OUTLINE = np.zeros((0, 2))


@dataclass(frozen=True, slots=True)
class SeenFace:
    """A face that some spots make.

    Attributes:
        pose: The die's pose, as it was found.
        number: What it shows.
        pips_px: Its pips, shape (m, 2).
        base_mm: Height of what it lies on.
        net: How sure the network must be.
    """

    pose: DiePose
    number: int
    pips_px: Floats
    base_mm: float
    net: float


def stands(image: Image, shown: SeenFace, tray: Tray, net: second.FaceNet) -> DiePose:
    """The likeliest pose of the die that a face belongs to.

    Args:
        image: The picture, BGR.
        shown: The face.
        tray: The box.
        net: What names numbers.
    """
    return _on_its_side(image, shown, tray, net) or _flat_or_leaning(shown, tray)


def _middle(shown: SeenFace) -> Floats:
    at = shown.pose
    return np.asarray(at.center_mm + at.rotation @ (pose.NORMALS[at.top] * (at.size_mm / 2)))


def _on_its_side(image: Image, shown: SeenFace, tray: Tray, net: second.FaceNet) -> DiePose | None:
    """How a flat die stands of which a side was taken for its upper face, since that is cut off or can't be told.

    Far from the middle of the picture sides are seen hardly more slantingly than upper faces.
    """
    size_mm = shown.pose.size_mm
    if shown.number < _LEAST_PIPS or shown.pose.lean_deg < _STEEP_DEG:
        return None
    foot = tray.lift(tray.project(_middle(shown))[None], shown.base_mm + size_mm / 2)[0]
    to_camera = tray.position_mm[:2] - foot
    sides = []
    for turn in math.atan2(to_camera[1], to_camera[0]) + _SIDEWAYS:
        x, y = foot - np.array([math.cos(turn), math.sin(turn)]) * size_mm / 2
        flat = pose.flat_pose(float(x), float(y), float(turn), size_mm, shown.base_mm)
        sides.append(Task(pose=flat, outline=_NO_OUTLINE, pips=shown.pips_px))
    best = min(fit_all(sides, tray), key=lambda fit: fit.cost).pose
    crop = second.square(image, pose.face_px(best, _SIDE, tray))
    return best if net.read([crop])[0, shown.number] >= _NET_SIDE else None


def _flat_or_leaning(shown: SeenFace, tray: Tray) -> DiePose:
    at, pips = shown.pose, shown.pips_px
    place = tray.lift(tray.project(_middle(shown))[None], shown.base_mm + at.size_mm)[0]
    turn = math.atan2(at.rotation[1, 0], at.rotation[0, 0])
    flat = pose.flat_pose(float(place[0]), float(place[1]), turn, at.size_mm, shown.base_mm)
    base = (shown.base_mm, shown.base_mm)
    lies, leans, mirrored = fit_all(
        [
            Task(pose=flat, outline=_NO_OUTLINE, pips=pips),
            Task(pose=at, outline=_NO_OUTLINE, pips=pips, free=True, base_mm=base),
            Task(pose=_mirrored(shown, tray), outline=_NO_OUTLINE, pips=pips, free=True),
        ],
        tray,
    )

    def gain(one: Fit, other: Fit) -> float:
        return (other.cost - one.cost) * 2 * len(pips)

    alike = shown.number >= _LEAST_PIPS and gain(leans, mirrored) < _GAIN
    if alike and abs(_gap(mirrored.pose, tray)) < abs(_gap(leans.pose, tray)) - _PLAINLY:
        leans = mirrored
    can_lean = _gap(leans.pose, tray) < _BESIDE
    return leans.pose if can_lean and gain(leans, lies) > _GAIN else lies.pose


def _mirrored(shown: SeenFace, tray: Tray) -> DiePose:
    """The pose on the table that shows the same face turned in depth: what leant towards the camera leans away."""
    at, middle = shown.pose, _middle(shown)
    view = (tray.position_mm - middle) / np.linalg.norm(tray.position_mm - middle)
    normal = pose.NORMALS[at.top]
    in_depth, in_face = np.eye(3) - 2 * np.outer(view, view), np.eye(3) - 2 * np.outer(normal, normal)
    rotation = in_depth @ at.rotation @ in_face
    return replace(at, rotation=rotation, center_mm=middle - rotation @ normal * (at.size_mm / 2))


def _gap(at: DiePose, tray: Tray) -> float:
    """How far a die is from the outer wall, in edges, if it stands on the table: none leans on the rim."""
    box, height_mm = tray.geometry, float(at.center_mm[2])
    beside_mm = height_mm - box.wall_height_mm if height_mm > box.wall_height_mm else height_mm
    out_mm = np.abs(tray.lift(tray.project(at.center_mm)[None], beside_mm)[0]) - np.array(box.floor_mm) / 2
    axis = int(out_mm.argmax())
    reach = (0.5 - pose.ROUND) * float(np.abs(at.rotation[axis]).sum()) + pose.ROUND
    return (float(out_mm[axis]) - box.wall_thick_mm) / at.size_mm - reach
