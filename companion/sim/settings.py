"""What kind of simulated rig it is: its camera, dice, light and chance, checked when it is made."""

from __future__ import annotations

from dataclasses import dataclass, field

from companion.hw.ports import RigError
from companion.sim import body, optics
from companion.sim.body import Look
from companion.sim.light import Lamp
from companion.sim.optics import Optics
from companion.sim.scenery import Decor

LOOKS: dict[str, Look] = {
    "red": body.RED,
    "blue": body.BLUE,
    "white": body.WHITE,
    "black": body.BLACK,
    "green": body.GREEN,
    "yellow": body.YELLOW,
    "orange": body.ORANGE,
    "purple": body.PURPLE,
    "red_black": body.RED_BLACK,
    "asian": body.ASIAN,
}
"""How dice can be made, by name."""

SEATS = tuple(f"seat{number}" for number in range(1, 7))
BUTTONS = (*SEATS, "referee")


class BadSimSetting(RigError, ValueError):
    """A simulated rig was asked for that can't be."""

    def __init__(self, name: str, value: object, rule: str) -> None:
        super().__init__("sim", "bad-sim-setting", f"sim.{name} must {rule}, got {value!r}", name=name, value=value)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimSettings:
    """One simulated rig.

    Attributes:
        width: Columns of the picture, px, 320 to 4608.
        height: Rows of the picture, px, 180 to 2592.
        fps: Frames a second, 1 to 120.
        die_mm: Edge length of the dice: 12, 14 or 16.
        attack: Name of the look of the attack dice (see `LOOKS`).
        defence: Name of the look of the defence dice.
        camera_mm: Where the camera hangs: x, y, z over the middle of the floor; z 350 to 700.
        tilt_deg: How far the camera is off the vertical, 0 to 5.
        roll_deg: How far its picture is turned, -10 to 10.
        k1: Radial distortion, -0.1 to 0.1.
        blur_px: Blur of the lens, standard deviation, 0 to 4.
        noise: Sensor noise, standard deviation in grey levels, 0 to 20.
        exposure_ms: How long a frame is exposed, 0.1 to 33.
        markers: Ids of the markers that lie around the box.
        print_scale: How large their sheet was printed, 0.9 to 1.1; its pieces lie at the box as their flaps say.
        lamp: The light.
        decor: Table, walls and felt.
        buttons: Names of the panel's buttons.
        physics: 'baked' plays stored throws, 'mujoco' computes them (desktop only; later dice knock earlier ones).
        seed: Where chance starts.
    """

    width: int = 1536
    height: int = 864
    fps: float = 30.0
    die_mm: float = 16.0
    attack: str = "red"
    defence: str = "blue"
    camera_mm: tuple[float, float, float] = (2.0, -1.5, 500.0)
    tilt_deg: float = 0.6
    roll_deg: float = -0.8
    k1: float = 0.0
    blur_px: float = 0.75
    noise: float = 2.2
    exposure_ms: float = 6.0
    markers: tuple[int, ...] = (0, 1, 2, 3)
    print_scale: float = 1.0
    lamp: Lamp = field(default_factory=Lamp)
    decor: Decor = field(default_factory=Decor)
    buttons: tuple[str, ...] = BUTTONS
    physics: str = "baked"
    seed: int = 1

    def __post_init__(self) -> None:
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                raise BadSimSetting(name, value, f"lie in {low}..{high}")
        if not 350 <= self.camera_mm[2] <= 700:
            raise BadSimSetting("camera_mm", self.camera_mm, "hang 350..700 mm over the floor")
        if self.die_mm not in _DIE_SIZES_MM:
            raise BadSimSetting("die_mm", self.die_mm, "be 12, 14 or 16")
        for name in ("attack", "defence"):
            if getattr(self, name) not in LOOKS:
                raise BadSimSetting(name, getattr(self, name), f"be one of {', '.join(sorted(LOOKS))}")
        if self.physics not in {"baked", "mujoco"}:
            raise BadSimSetting("physics", self.physics, "be 'baked' or 'mujoco'")
        if not set(self.markers) <= {0, 1, 2, 3}:
            raise BadSimSetting("markers", self.markers, "hold ids from 0 to 3")

    def optics(self) -> Optics:
        """The camera in its place."""
        return optics.overhead(
            width=self.width,
            height=self.height,
            position_mm=self.camera_mm,
            tilt_deg=self.tilt_deg,
            tilt_towards_deg=40.0 * self.seed,
            roll_deg=self.roll_deg,
            k1=self.k1,
        )

    def look(self, side: str) -> Look:
        """How the dice of a side are made; `side` is 'attack' or 'defence'."""
        return LOOKS[self.attack if side == "attack" else self.defence]


_DIE_SIZES_MM = (12.0, 14.0, 16.0)
_RANGES = (
    ("width", 320, 4608),
    ("height", 180, 2592),
    ("fps", 1, 120),
    ("tilt_deg", 0, 5),
    ("roll_deg", -10, 10),
    ("k1", -0.1, 0.1),
    ("blur_px", 0, 4),
    ("noise", 0, 20),
    ("exposure_ms", 0.1, 33),
    ("print_scale", 0.9, 1.1),
)
