"""What of a rig's picture never changes: the empty rig, the painter for its camera and lamp, and the sensor's noise.

Making it takes more than half a second, so rigs of one kind share it. The noise is a field somewhat larger than the
picture, split into what it brightens and what it darkens: a frame adds a window of the one and takes off a window of
the other, which saturates rightly and costs a millisecond.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.sim import scenery
from companion.sim.painter import Painter
from companion.sim.scenery import Image
from companion.sim.settings import SimSettings

_NOISE_SLACK_PX = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stage:
    """The unchanging part of one kind of rig.

    Attributes:
        empty: The rig with nothing in the box, shape (rows, columns, 3), BGR.
        painter: Paints dice as its camera sees them.
        brighter: What noise adds, larger than the picture by the slack.
        darker: What noise takes off, of the same shape.
    """

    empty: Image
    painter: Painter
    brighter: Image
    darker: Image

    def noisy(self, picture: Image, number: int) -> Image:
        """A copy of a picture with the noise of a frame of that number."""
        # Large odd steps: neighbouring frames get windows that have nothing in common.
        row, column = number * 29 % _NOISE_SLACK_PX, number * 47 % _NOISE_SLACK_PX
        rows, columns = picture.shape[:2]
        noisy = cv2.add(picture, self.brighter[row : row + rows, column : column + columns])
        darker = self.darker[row : row + rows, column : column + columns]
        return np.asarray(cv2.subtract(noisy, darker, dst=noisy), dtype=np.uint8)


def stage_of(settings: SimSettings) -> Stage:
    """The stage for one kind of rig; rigs that differ only in what the empty picture can't show share one."""
    shown = SimSettings()
    return _made_stage(
        replace(
            settings,
            fps=shown.fps,
            die_mm=shown.die_mm,
            attack=shown.attack,
            defence=shown.defence,
            exposure_ms=shown.exposure_ms,
            buttons=shown.buttons,
            physics=shown.physics,
        )
    )


@functools.lru_cache(maxsize=4)
def _made_stage(settings: SimSettings) -> Stage:
    """About a second of work, so it is done once for each kind of rig."""
    optics, lamp = settings.optics(), settings.lamp
    rng = np.random.default_rng(settings.seed)
    shape = (settings.height + _NOISE_SLACK_PX, settings.width + _NOISE_SLACK_PX, 3)
    grain = cv2.GaussianBlur(rng.standard_normal(shape, dtype=np.float32), (0, 0), 0.6)
    grain *= settings.noise / max(float(grain.std()), 1e-9)
    return Stage(
        empty=scenery.empty_rig(
            optics,
            lamp,
            settings.decor,
            blur_px=settings.blur_px,
            markers=settings.markers,
            print_scale=settings.print_scale,
        ),
        painter=Painter(optics, lamp, blur_px=settings.blur_px, box_mask=scenery.wall_mask(optics, settings.blur_px)),
        brighter=np.round(np.maximum(grain, 0)).astype(np.uint8),
        darker=np.round(np.maximum(-grain, 0)).astype(np.uint8),
    )
