"""A contact sheet of the simulated rig, to look at: `python -m companion.sim.show OUT.png`."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np

from companion.hw.clock import NS_PER_MS
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.scenery import Decor, Image
from companion.sim.settings import SimSettings

_TILE = (640, 360)
_CROP_PX = 70


def contact_sheet() -> Image:
    """One throw from the hand to the lifting, faults, other makes of dice, and dice at eight times their size."""
    rows = [_story(), _faults(), _makes(), _close()]
    return np.vstack([np.hstack(row) for row in rows])


def _small(picture: Image) -> Image:
    return np.asarray(cv2.resize(picture, _TILE, interpolation=cv2.INTER_AREA), np.uint8)


def _story() -> list[Image]:
    clock = ManualClock()
    rig = SimRig(SimSettings(), clock)
    start_ns = clock.now_ns()
    rig.box.throw([6, 4, 2])
    rig.box.throw([5, 3], side="defence", in_ms=1500)
    rig.box.lift(in_ms=3000)
    return [_small(rig.camera.picture(start_ns + ms * NS_PER_MS, ms)) for ms in (190, 1000, 1720, 3330)]


def _faults() -> list[Image]:
    shown = []
    for number, fault in enumerate(("cocked", "stacked", "off_box", "rim")):
        clock = ManualClock()
        rig = SimRig(SimSettings(seed=number + 3), clock)
        thrown = rig.box.throw([6, 5, 1], **{fault: {1}})  # type: ignore[arg-type]
        shown.append(_small(rig.camera.picture(thrown.settled_ns, number)))
    return shown


def _makes() -> list[Image]:
    shown = []
    makes = (("white", "black"), ("asian", "green"), ("red_black", "yellow"), ("purple", "orange"))
    tables = (
        Decor(table="cloth", table_bgr=(92.0, 44.0, 30.0), wall_bgr=(120.0, 92.0, 62.0)),
        Decor(table="checks", table_bgr=(60.0, 60.0, 190.0)),
        Decor(table="cloth", table_bgr=(150.0, 160.0, 170.0), felt_bgr=(40.0, 40.0, 40.0)),
        Decor(felt_bgr=(110.0, 50.0, 30.0)),
    )
    for (attack, defence), decor in zip(makes, tables, strict=True):
        rig = SimRig(SimSettings(attack=attack, defence=defence, decor=decor, die_mm=14.0, k1=-0.04), ManualClock())
        rig.box.throw([1, 4, 6])
        thrown = rig.box.throw([2, 3], side="defence", in_ms=2000)
        shown.append(_small(rig.camera.picture(thrown.settled_ns)))
    return shown


def _close() -> list[Image]:
    rig = SimRig(SimSettings(seed=5), ManualClock())
    rig.box.throw([1, 2, 3], cocked={2})
    thrown = rig.box.throw([4, 5], side="defence", in_ms=2500)
    picture = rig.camera.picture(thrown.settled_ns)
    crops = []
    for die in rig.box.truth(thrown.settled_ns)[-4:]:
        x, y = np.clip(
            rig.settings.optics().project(np.array(die.position_mm)).astype(int),
            _CROP_PX,
            [rig.settings.width - _CROP_PX, rig.settings.height - _CROP_PX],
        )
        crop = picture[y - _CROP_PX : y + _CROP_PX, x - _CROP_PX : x + _CROP_PX]
        large = cv2.resize(crop, (_TILE[1], _TILE[1]), interpolation=cv2.INTER_CUBIC)
        crops.append(np.asarray(cv2.copyMakeBorder(large, 0, 0, 0, _TILE[0] - _TILE[1], cv2.BORDER_CONSTANT), np.uint8))
    return crops


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("problem: python -m companion.sim.show needs the name of the picture to write, such as sheet.png")
    if not cv2.imwrite(str(Path(sys.argv[1])), contact_sheet()):
        sys.exit(f"problem: {sys.argv[1]} can't be written: does the folder exist?")
