"""Pictures of dice with the truth about them, as many as are wanted, for measuring a reader.

Each kind has the fault that it is named after and otherwise whatever chance gives: sizes, colours, both handednesses,
cameras that hang a little wrong, distortion, lamps from all sides, felt and tables of several sorts, blur and noise.
Nothing here is tuned to a reader: a reader that fails on these pictures fails at a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from companion.sim import body, clutter, layouts, scenery, sight, truth
from companion.sim.arrange import Pose
from companion.sim.body import Look
from companion.sim.clutter import Prop
from companion.sim.layouts import KINDS
from companion.sim.light import Lamp, Screen
from companion.sim.motion import Motion, relabelled
from companion.sim.optics import Optics
from companion.sim.painter import Posed
from companion.sim.scenery import Decor, Image
from companion.sim.settings import LOOKS, SimSettings
from companion.sim.stage import stage_of
from companion.sim.truth import DieTruth
from companion.sim.turns import Floats

_SCENES_A_STAGE = 25
_SIGNS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
_LEAST_LEAN_DEG, _MOST_LEAN_DEG = 5.0, 54.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneDie:
    """One die of a scene.

    Attributes:
        truth: What is true of it.
        centre_px: The middle of the cube in the picture, (x, y).
        visible: Share of its upper face that the camera sees, 0 to 1.
        pip_contrast: Distance in colour (0 to 441) between the faintest pip of its upper face and the face around that
            pip, in the picture before noise; tells little where the die is not seen whole.
    """

    truth: DieTruth
    centre_px: tuple[float, float]
    visible: float
    pip_contrast: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """One picture with the truth about it.

    Attributes:
        kind: One of `KINDS`.
        image: The picture, shape (rows, columns, 3), BGR.
        dice: All dice that are there.
        settings: The rig, its camera and its light.
        props: What else lies in the box.
    """

    kind: str
    image: Image
    dice: tuple[SceneDie, ...]
    settings: SimSettings
    props: tuple[Prop, ...] = ()


def scenes(seed: int, n: int, kind: str) -> Iterator[Scene]:
    """Pictures of one kind, the same for the same seed.

    Args:
        seed: Where chance starts.
        n: How many; the leans of the cocked kinds lie evenly between 5 and 54 degrees over all of them.
        kind: One of `KINDS`.

    Raises:
        ValueError: There is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"no scenes of kind {kind!r}; there are {', '.join(KINDS)}")
    rng = np.random.default_rng([seed, *kind.encode()])
    # Leans have a chance of their own, so that asking for more scenes changes none of the first ones otherwise.
    leans = np.random.default_rng(seed).permutation(
        _LEAST_LEAN_DEG + (_MOST_LEAN_DEG - _LEAST_LEAN_DEG) * (np.arange(2 * n) + 0.5) / max(2 * n, 1)
    )
    settings = any_rig(rng, kind=kind)
    for number in range(n):
        if number % _SCENES_A_STAGE == _SCENES_A_STAGE - 1:
            settings = any_rig(rng, kind=kind)
        yield _any_scene(kind, settings, leans[2 * number : 2 * number + 2], number, rng)


def _any_scene(kind: str, settings: SimSettings, leans_deg: Floats, number: int, rng: np.random.Generator) -> Scene:
    size = float(rng.choice([12.0, 14.0, 16.0]))
    looks = _looks(rng, any_colour=kind == "colours")
    props: tuple[Prop, ...] = ()
    if kind == "clutter":
        props = _any_props(rng)
        laid = layouts.with_others([], int(rng.integers(1, 4)), size, rng, [(*p.at_mm, p.reach_mm) for p in props])
    else:
        laid, _ = layouts.poses(kind, size, leans_deg.tolist(), rng)
    if kind == "picture_edge":
        laid[0] = _cut_by_the_edge(laid[0], settings.optics(), size, rng)
    if kind == "glare":
        looks = (replace(looks[0], polish=1.0), replace(looks[1], polish=1.0))
        laid[0] = _under_the_lamp(laid[0], settings, size, rng)
    dice = [_die(pose, looks[int(rng.integers(2))], size, place, rng) for place, pose in enumerate(laid)]
    screen = _across(laid[0], settings.lamp, size, rng) if kind == "hard_shadow" else None
    return _scene(kind, settings, dice, number, props=props, screen=screen)


def _any_props(rng: np.random.Generator) -> tuple[Prop, ...]:
    """One thing in the box, or two that lie apart."""
    kinds = rng.choice(clutter.KINDS, size=int(rng.integers(1, 3)), replace=False)
    return tuple(
        clutter.any_prop(str(kind), (side * float(rng.uniform(35, 75)), float(rng.uniform(-45, 45))), rng)
        for kind, side in zip(kinds, (-1, 1), strict=False)
    )


def _cut_by_the_edge(pose: Pose, optics: Optics, size: float, rng: np.random.Generator) -> Pose:
    """The same die moved left or right until its middle is near the edge of the picture, on either side of it."""
    position = pose.position_mm.copy()
    rightwards = position[0] > 0
    wanted = (optics.width if rightwards else 0) + rng.uniform(-0.9, 0.3) * size * optics.scale_px_per_mm() * (
        1 if rightwards else -1
    )
    for _ in range(4):
        position[0] += (wanted - optics.project(position)[0]) / optics.scale_px_per_mm()
    return Pose(position_mm=position, quat=pose.quat)


def _under_the_lamp(pose: Pose, settings: SimSettings, size: float, rng: np.random.Generator) -> Pose:
    """The same die moved to where its upper face mirrors the lamp into the camera."""
    eye, lamp = np.array(settings.camera_mm), np.array(settings.lamp.position_mm)
    part = (eye[2] - size) / (eye[2] + lamp[2] - 2 * size)
    spot = eye[:2] + part * (lamp[:2] - eye[:2]) + rng.uniform(-0.45, 0.45, size=2) * size
    room = np.array([truth.FLOOR_X_MM, truth.FLOOR_Y_MM]) / 2 - 0.72 * size
    return Pose(position_mm=np.array([*np.clip(spot, -room, room), size / 2]), quat=pose.quat)


def _across(pose: Pose, lamp: Lamp, size: float, rng: np.random.Generator) -> Screen:
    """Something high up whose shadow's edge runs across the upper face of a die."""
    trial = Screen(height_mm=rng.uniform(90, 260), towards_rad=rng.uniform(0, 2 * np.pi), from_mm=0.0)
    top = pose.position_mm + np.array([0.0, 0.0, size / 2])
    return replace(trial, from_mm=float(trial.edge_mm(top, lamp)) + rng.uniform(-0.35, 0.35) * size)


def any_rig(rng: np.random.Generator, *, kind: str = "valid") -> SimSettings:
    """A camera, a lamp and a table as they come, with small errors of mounting; all four markers are in the picture.

    Args:
        rng: Chance.
        kind: What it is for: `hard_light` is too little or too much of it, from a small lamp, with more noise; for
            `glare` a small lamp hangs where dice in the box mirror it; for `hard_shadow` it is small.
    """
    hard, small = kind == "hard_light", kind in {"hard_light", "hard_shadow", "glare"}
    around = rng.uniform(0, 2 * np.pi)
    far = rng.uniform(40, 150) if kind == "glare" else rng.uniform(120, 420)
    strength = rng.uniform(0.75, 1.25)
    if hard:
        strength = float(rng.choice([0.3, 1.75]))
    lamp = Lamp(
        position_mm=(far * np.cos(around), far * np.sin(around), rng.uniform(480, 800)),
        radius_mm=rng.uniform(6, 22) if small else rng.uniform(35, 120),
        strength=strength,
        ambient=rng.uniform(0.12, 0.25) if hard else rng.uniform(0.3, 0.55),
        tint=(rng.uniform(0.72, 1.0), rng.uniform(0.9, 1.0), 1.0),
    )
    felt = np.array([44.0, 88.0, 24.0]) * rng.uniform(0.75, 1.3, size=3)
    decor = Decor(
        table=str(rng.choice(["wood", "cloth", "checks"])),
        table_bgr=_colour(rng.uniform(25, 190, size=3)),
        wall_bgr=_colour(np.array([62.0, 92.0, 134.0]) * rng.uniform(0.4, 1.5)),
        felt_bgr=_colour(felt),
        seed=int(rng.integers(1 << 30)),
    )
    settings = SimSettings(
        camera_mm=(rng.uniform(-15, 15), rng.uniform(-15, 15), rng.uniform(490, 510)),
        tilt_deg=rng.uniform(0, 3),
        roll_deg=rng.uniform(-5, 5),
        k1=rng.uniform(-0.05, 0.05) if rng.random() < 0.5 else 0.0,
        blur_px=rng.uniform(0.5, 1.6),
        noise=rng.uniform(3, 7) if hard else rng.uniform(0.8, 4),
        lamp=lamp,
        decor=decor,
        seed=int(rng.integers(1 << 30)),
    )
    return settings if _sees_all_markers(settings) else any_rig(rng, kind=kind)


def _sees_all_markers(settings: SimSettings) -> bool:
    optics, half = settings.optics(), scenery.MARKER_MM / 2 + scenery.MARKER_BORDER_MM
    around = np.array([[x + sx * half, y + sy * half, 0.0] for x, y in scenery.MARKER_CENTRES_MM for sx, sy in _SIGNS])
    pixels = optics.project(around)
    return bool(np.all(pixels >= 2) and np.all(pixels <= [optics.width - 3, optics.height - 3]))


def _colour(bgr: Floats) -> tuple[float, float, float]:
    return (float(bgr[0]), float(bgr[1]), float(bgr[2]))


def _scene(
    kind: str,
    settings: SimSettings,
    dice: list[Motion],
    number: int,
    *,
    props: tuple[Prop, ...],
    screen: Screen | None,
) -> Scene:
    stage, optics = stage_of(settings), settings.optics()
    picture = stage.empty.copy()
    for prop in props:
        if prop.kind != "hand":
            clutter.paint(picture, optics, settings.lamp, prop, settings.blur_px)
    posed = [
        Posed(look=die.look, size_mm=die.size_mm, position_mm=die.positions[-1], quat=die.quats[-1]) for die in dice
    ]
    stage.painter.paint(picture, posed, screen)
    for prop in props:
        if prop.kind == "hand":
            clutter.paint(picture, optics, settings.lamp, prop, settings.blur_px)
    hidden = [outline for prop in props for outline in prop.covers(optics)]
    seen = tuple(
        SceneDie(
            truth=die.true(0),
            centre_px=_pixel(optics.project(die.positions[-1])),
            visible=sight.visible(place, dice, optics, hidden),
            pip_contrast=sight.pip_contrast(die, picture, optics),
        )
        for place, die in enumerate(dice)
    )
    return Scene(kind=kind, image=stage.noisy(picture, number), dice=seen, settings=settings, props=props)


def _pixel(pixel: Floats) -> tuple[float, float]:
    return (float(pixel[0]), float(pixel[1]))


def _looks(rng: np.random.Generator, *, any_colour: bool) -> tuple[Look, Look]:
    """How the two sides' dice are made: mostly red and blue, otherwise anything."""
    names = ("red", "blue") if rng.random() < 0.6 else tuple(rng.choice(sorted(LOOKS), size=2, replace=False))
    left_handed, turned = bool(rng.random() < 0.3), bool(rng.random() < 0.5)
    gloss = rng.uniform(0.1, 1.0)
    first, second = (replace(LOOKS[str(name)], left_handed=left_handed, turned=turned, gloss=gloss) for name in names)
    return (body.any_colours(first, rng), body.any_colours(second, rng)) if any_colour else (first, second)


def _die(pose: Pose, look: Look, size: float, place: int, rng: np.random.Generator) -> Motion:
    quats = relabelled(np.array([pose.quat, pose.quat]), look, int(rng.integers(1, 7)), rng)
    return Motion(
        id=place,
        side="attack",
        look=look,
        size_mm=size,
        start_ns=-1,
        positions=np.array([pose.position_mm, pose.position_mm]),
        quats=quats,
        rest_ns=0,
        rolled=True,
    )
