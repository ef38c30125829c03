"""The truth of examples as JSON objects, in the form in which rendered scenes come with theirs.

So one scorer serves all: pictures made elsewhere and those of this simulator.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.sim import placing
from companion.sim.box import Thrown
from companion.sim.clips import Clip
from companion.sim.examples import Scene, SceneDie
from companion.sim.optics import Optics
from companion.sim.settings import SimSettings
from companion.sim.truth import DieTruth

_MOVED_MM = 0.5
_LATE_NS = NS_PER_S // 2


def still(scene: Scene, name: str) -> dict[str, Any]:
    """One picture's truth.

    Args:
        scene: The scene.
        name: What its picture is called.
    """
    return {
        "image": name,
        "category": scene.kind,
        "split": "own",
        "camera": _camera(scene.settings),
        "dice": [_seen(die) for die in scene.dice],
        "note": " ".join(prop.kind for prop in scene.props),
        "dressing": {"table": scene.settings.decor.table},
    }


def film(clip: Clip, name: str) -> dict[str, Any]:
    """One clip's truth.

    Args:
        clip: The clip.
        name: What its film is called.
    """
    return {
        "clip": name,
        "category": clip.kind,
        "split": "own",
        "fps": clip.rig.settings.fps,
        "frames": clip.frames,
        "camera": _camera(clip.rig.settings),
        "throws": [_throw(clip, *part) for throw in clip.throws for part in _parts(clip, throw)],
        "events": [
            {
                "type": "hand" if event.what == "lift" else event.what,
                "at_ms": _ms(clip, event.start_ns),
                "start_ms": _ms(clip, event.start_ns),
                "end_ms": _ms(clip, event.end_ns),
            }
            for event in clip.happenings
        ],
    }


def _ms(clip: Clip, at_ns: int) -> float:
    return round((at_ns - clip.start_ns) / NS_PER_MS, 1)


def _parts(clip: Clip, throw: Thrown) -> list[tuple[int, int, set[int]]]:
    """When a throw starts and rests and whose it is; dice that leave the hand when others lie are a throw of theirs."""
    own = {die.id for die in throw.dice}
    thrown = [die for die in clip.rig.box.scene(throw.settled_ns)[0] if die.id in own]
    first = [die for die in thrown if die.start_ns - throw.start_ns < _LATE_NS]
    late = [die for die in thrown if die not in first]
    rest_ns = max(die.rest_ns for die in first)
    if not late or rest_ns >= (began_ns := min(die.start_ns for die in late)):
        return [(throw.start_ns, throw.settled_ns, own)]
    parts = (throw.start_ns, rest_ns, first), (began_ns, throw.settled_ns, late)
    return [(start, rest, {die.id for die in dice}) for start, rest, dice in parts]


def _throw(clip: Clip, start_ns: int, settled_ns: int, own: set[int]) -> dict[str, Any]:
    """One throw with all dice that lie there when it rests; a die that a hand puts down starts with the hand."""
    box, optics = clip.rig.box, clip.rig.settings.optics()
    before = {die.id: np.array(die.position_mm) for die in box.truth(start_ns - 1)}
    is_placed = clip.kind == "placed"
    dice = []
    for die in box.truth(settled_ns):
        pushed = die.id in before and np.linalg.norm(before[die.id] - die.position_mm) > _MOVED_MM
        dice.append(_die(die, optics) | {"rolled": die.rolled, "moved": die.id in own or bool(pushed), "id": die.id})
    return {
        "start_ms": _ms(clip, start_ns - (placing.REACH_NS if is_placed else 0)),
        "dice_start_ms": _ms(clip, start_ns),
        "settled_ms": _ms(clip, settled_ns),
        "dice": dice,
    }


def _die(die: DieTruth, optics: Optics) -> dict[str, Any]:
    x, y = optics.project(np.array(die.position_mm))
    return _pose(die) | {"center_px": [round(float(x), 2), round(float(y), 2)]}


def _seen(die: SceneDie) -> dict[str, Any]:
    return _pose(die.truth) | {
        "center_px": [round(die.centre_px[0], 2), round(die.centre_px[1], 2)],
        "visible": round(die.visible, 3),
        "pip_contrast": round(die.pip_contrast, 1),
    }


def _pose(die: DieTruth) -> dict[str, Any]:
    return {
        "value": die.value,
        "verdict": die.verdict,
        "lean_deg": round(die.lean_deg, 2),
        "height_mm": round(die.height_mm, 2),
        "colour": die.colour,
        "size_mm": die.size_mm,
    }


def _camera(settings: SimSettings) -> dict[str, Any]:
    optics = settings.optics()
    return {
        "width": optics.width,
        "height": optics.height,
        "fx": optics.focal_px,
        "fy": optics.focal_px,
        "cx": optics.centre_px[0],
        "cy": optics.centre_px[1],
        "k1": optics.k1,
        "R": optics.rotation.ravel().tolist(),
        "position_mm": optics.position_mm.tolist(),
        "tilt_deg": settings.tilt_deg,
        "roll_deg": settings.roll_deg,
    }
