"""What a rig is made of, as its drivers need it: checked when it is made, so that a driver starts only on sense."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from companion.hw.ports import RigError

GPIO_LINES = range(2, 28)
"""BCM numbers of the lines on the 40-pin header that are free for use (0 and 1 read the HAT's EEPROM)."""


class BadRigSetting(RigError, ValueError):
    """A driver was asked for with a setting that can't be."""

    def __init__(self, part: str, name: str, value: object, rule: str) -> None:
        super().__init__(
            part, "bad-rig-setting", f"[hw.{part}] {name} must {rule}, got {value!r}", name=name, value=value
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSettings:
    """One camera.

    Attributes:
        driver: 'picamera2', 'v4l2', 'replay', or one that the program adds, such as 'sim'.
        device: What the driver opens: a number or path for a camera (empty for the first), a file or folder for
            'replay'.
        width: Columns, px.
        height: Rows, px.
        fps: Frames a second, 1 to 120.
        focus_dpt: Where the lens is focused, dioptres (2.0 for 500 mm).
        exposure_us: Fixed exposure, microseconds; 0 leaves it to the camera.
        gain: Fixed analogue gain; 0 leaves it to the camera.
        colour_gains: Fixed white balance (red, blue); None leaves it to the camera.
        paced: For 'replay': at the speed it was taken; otherwise as fast as it is read.
    """

    driver: str
    device: str = ""
    width: int = 1536
    height: int = 864
    fps: float = 30.0
    focus_dpt: float = 2.0
    exposure_us: int = 0
    gain: float = 0.0
    colour_gains: tuple[float, float] | None = None
    paced: bool = True

    def __post_init__(self) -> None:
        for name, low, high in (("width", 160, 4608), ("height", 120, 2592), ("fps", 1, 120)):
            value = getattr(self, name)
            if not low <= value <= high:
                raise BadRigSetting("camera", name, value, f"lie in {low}..{high}")
        longest_us = int(1_000_000 / self.fps)
        if not 0 <= self.exposure_us <= longest_us:
            raise BadRigSetting("camera", "exposure_us", self.exposure_us, f"fit into one frame, 0..{longest_us}")

    @property
    def path(self) -> Path:
        """The device as a path."""
        return Path(self.device)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSettings:
    """One panel.

    Attributes:
        driver: 'gpio', 'screen', or one that the program adds, such as 'sim'.
        buttons: BCM line of each button by name ('seat1'..'seat6', 'referee').
        lamps: BCM line of each lamp by name ('seat1'..'seat6', 'beacon').
        buzzers: BCM lines of the buzzers; they sound together.
    """

    driver: str
    buttons: Mapping[str, int] = field(default_factory=dict)
    lamps: Mapping[str, int] = field(default_factory=dict)
    buzzers: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        taken: dict[int, str] = {}
        for use, line in self.lines():
            if line not in GPIO_LINES:
                raise BadRigSetting("panel", f"pins.{use}", line, f"lie in {GPIO_LINES[0]}..{GPIO_LINES[-1]} (BCM)")
            if line in taken:
                raise BadRigSetting("panel", f"pins.{use}", line, f"not be the line of {taken[line]}")
            taken[line] = use

    def lines(self) -> tuple[tuple[str, int], ...]:
        """Each use of a line with its BCM number."""
        uses = [(f"buttons.{name}", line) for name, line in self.buttons.items()]
        uses += [(f"lamps.{name}", line) for name, line in self.lamps.items()]
        uses += [(f"buzzers.{number}", line) for number, line in enumerate(self.buzzers)]
        return tuple(uses)
