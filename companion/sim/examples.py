"""Pictures of dice with the truth about them, as many as are wanted, for measuring a reader.

Each kind has the fault that it is named after and otherwise whatever chance gives: sizes, colours, both handednesses,
cameras that hang a little wrong, distortion, lamps from all sides, felt and tables of several sorts, blur and noise.
Nothing here is tuned to a reader: a reader that fails on these pictures fails at a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.sim import body, scenery, truth, turns
from companion.sim.arrange import Pose
from companion.sim.body import SHELL_CORNERS, Look
from companion.sim.layouts import KINDS, poses
from companion.sim.light import Lamp
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
    """

    kind: str
    image: Image
    dice: tuple[SceneDie, ...]
    settings: SimSettings


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
        _LEAST_LEAN_DEG + (_MOST_LEAN_DEG - _LEAST_LEAN_DEG) * (np.arange(n) + 0.5) / max(n, 1)
    )
    settings = any_rig(rng, hard=kind == "hard_light")
    for number in range(n):
        if number % _SCENES_A_STAGE == _SCENES_A_STAGE - 1:
            settings = any_rig(rng, hard=kind == "hard_light")
        size = float(rng.choice([12.0, 14.0, 16.0]))
        looks = _looks(rng)
        dice = [
            _die(pose, looks[int(rng.integers(2))], size, place, rng)
            for place, pose in enumerate(poses(kind, size, float(leans[number]), rng))
        ]
        yield _scene(kind, settings, dice, number)


def any_rig(rng: np.random.Generator, *, hard: bool = False) -> SimSettings:
    """A camera, a lamp and a table as they come, with small errors of mounting; all four markers are in the picture.

    Args:
        rng: Chance.
        hard: Whether the light is hard: too little or too much of it, from a small lamp, with more noise.
    """
    around = rng.uniform(0, 2 * np.pi)
    far = rng.uniform(120, 420)
    strength = rng.uniform(0.75, 1.25)
    if hard:
        strength = float(rng.choice([0.3, 1.75]))
    lamp = Lamp(
        position_mm=(far * np.cos(around), far * np.sin(around), rng.uniform(480, 800)),
        radius_mm=rng.uniform(8, 25) if hard else rng.uniform(35, 120),
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
    return settings if _sees_all_markers(settings) else any_rig(rng, hard=hard)


def _sees_all_markers(settings: SimSettings) -> bool:
    optics, half = settings.optics(), scenery.MARKER_MM / 2 + scenery.MARKER_BORDER_MM
    around = np.array([[x + sx * half, y + sy * half, 0.0] for x, y in scenery.MARKER_CENTRES_MM for sx, sy in _SIGNS])
    pixels = optics.project(around)
    return bool(np.all(pixels >= 2) and np.all(pixels <= [optics.width - 3, optics.height - 3]))


def _colour(bgr: Floats) -> tuple[float, float, float]:
    return (float(bgr[0]), float(bgr[1]), float(bgr[2]))


def _scene(kind: str, settings: SimSettings, dice: list[Motion], number: int) -> Scene:
    stage, optics = stage_of(settings), settings.optics()
    picture = stage.empty.copy()
    posed = [
        Posed(look=die.look, size_mm=die.size_mm, position_mm=die.positions[-1], quat=die.quats[-1]) for die in dice
    ]
    stage.painter.paint(picture, posed)
    seen = tuple(
        SceneDie(
            truth=die.true(0),
            centre_px=_pixel(optics.project(die.positions[-1])),
            visible=_visible(place, dice, optics),
            pip_contrast=_pip_contrast(die, picture, optics),
        )
        for place, die in enumerate(dice)
    )
    return Scene(kind=kind, image=stage.noisy(picture, number), dice=seen, settings=settings)


def _pixel(pixel: Floats) -> tuple[float, float]:
    return (float(pixel[0]), float(pixel[1]))


def _looks(rng: np.random.Generator) -> tuple[Look, Look]:
    """How the two sides' dice are made: mostly red and blue, otherwise anything."""
    names = ("red", "blue") if rng.random() < 0.6 else tuple(rng.choice(sorted(LOOKS), size=2, replace=False))
    left_handed, turned = bool(rng.random() < 0.3), bool(rng.random() < 0.5)
    gloss = rng.uniform(0.1, 1.0)
    first, second = (replace(LOOKS[str(name)], left_handed=left_handed, turned=turned, gloss=gloss) for name in names)
    return first, second


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


def _visible(place: int, dice: list[Motion], optics: Optics) -> float:
    """Share of a die's upper face that no nearer die covers and that lies within the picture."""
    die = dice[place]
    spin = turns.matrices(die.quats[-1])
    up = truth.FACE_NORMALS[int(truth.top_faces(die.quats[-1])) - 1]
    face = SHELL_CORNERS[SHELL_CORNERS @ up > 0.5 - 1e-6] @ spin.T * die.size_mm + die.positions[-1]
    outline = cv2.convexHull(optics.project(face).astype(np.float32))
    mask = np.zeros((optics.height, optics.width), np.uint8)
    cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 255)
    x, y, width, height = cv2.boundingRect(outline)
    whole = np.zeros((height + 2, width + 2), np.uint8)
    cv2.fillConvexPoly(whole, np.round(outline - [x - 1, y - 1]).astype(np.int32), 255)
    reach = float(np.linalg.norm(die.positions[-1] - optics.position_mm))
    for other in dice:
        nearer = float(np.linalg.norm(other.positions[-1] - optics.position_mm)) < reach
        if other is not die and nearer:
            shell = SHELL_CORNERS @ turns.matrices(other.quats[-1]).T * other.size_mm + other.positions[-1]
            hull = cv2.convexHull(optics.project(shell).astype(np.float32))
            cv2.fillConvexPoly(mask, np.round(hull).astype(np.int32), 0)
    if truth.is_beside_box(die.positions[-1]):
        mask[scenery.wall_mask(optics) > 127] = 0
    return min(1.0, cv2.countNonZero(mask) / max(1, cv2.countNonZero(whole)))


def _pip_contrast(die: Motion, picture: Image, optics: Optics) -> float:
    spin, position = turns.matrices(die.quats[-1]), die.positions[-1]
    discs = body.pip_discs(die.look, die.true(0).top)
    middles = discs.mean(axis=1, keepdims=True)
    rings = middles + 1.6 * (discs - middles)
    pips = _sampled(picture, optics.project(middles @ spin.T * die.size_mm + position))
    faces = _sampled(picture, optics.project(rings @ spin.T * die.size_mm + position))
    return float(np.linalg.norm(pips[:, 0] - np.median(faces, axis=1), axis=1).min())


def _sampled(picture: Image, pixels: Floats) -> Floats:
    """Colours at pixels, shape (n, k, 2) to (n, k, 3)."""
    found = cv2.remap(
        picture.astype(np.float32),
        pixels[..., 0].astype(np.float32),
        pixels[..., 1].astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(found, np.float64)
