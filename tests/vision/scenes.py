"""Pictures of the simulated rig for the tests of the reader."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import cv2
import numpy as np

from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.sim.truth import DieTruth
from companion.vision.types import DieReading, Image, Reading

cv2.setNumThreads(1)


def thrown(
    values: Sequence[int],
    *,
    seed: int = 1,
    fault: str | None = None,
    faulty: Collection[int] = (1,),
    **settings: object,
) -> tuple[Image, tuple[DieTruth, ...], SimRig]:
    """A picture of dice at rest, their truth and the rig."""
    rig = SimRig(SimSettings(seed=seed, **settings), ManualClock())  # type: ignore[arg-type]
    faults = {fault: set(faulty)} if fault else {}
    throw = rig.box.throw(list(values), **faults)  # type: ignore[arg-type]
    return rig.camera.picture(throw.settled_ns), rig.box.truth(throw.settled_ns), rig


def empty() -> Image:
    """The rig with nothing in the box."""
    rig = SimRig(SimSettings(), ManualClock())
    return rig.camera.picture(0)


def found(reading: Reading, die: DieTruth, rig: SimRig) -> DieReading | None:
    """The read die at a true die's place."""
    at = rig.settings.optics().project(np.array(die.position_mm))
    near = [d for d in reading.dice if np.hypot(*np.subtract(d.center_px, at)) < 22]
    return near[0] if near else None
