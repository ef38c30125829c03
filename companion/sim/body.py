"""What a die looks like: a cube with rounded edges as flat facets, and its pips as discs on the faces.

A die of edge length 1 sits in the middle of its own frame. Each face is a grid of facets: one large flat square and,
over the rounding, strips whose corners lie on a small cube with a ball rolled over it. Convexity does the rest: the
facets that face the camera never cover one another, so they can be filled in any order.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from companion.sim import truth
from companion.sim.turns import Floats

_ARC_STEPS = 2
_PIP_CORNERS = 18
_PITCH = 0.26

Bgr = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a die is made.

    Attributes:
        colour: Name of the body's colour.
        body: Colour of the body in even light, BGR.
        pips: Colour of the pips, BGR.
        one: Colour of the single pip where it differs (Asian dice), BGR.
        four: Colour of the four's pips where it differs, BGR.
        one_scale: How much larger the single pip is.
        pip_radius: Radius of a pip as a share of the die's size.
        gloss: Strength of highlights, 0 to 1.
        polish: How much of the lamp's own image a flat face mirrors, 0 (none) to 1 (blinding).
        turned: Whether 2, 3 and 6 are printed the other way round.
        left_handed: Whether 1-2-3 run clockwise.
    """

    colour: str
    body: Bgr
    pips: Bgr
    one: Bgr | None = None
    four: Bgr | None = None
    one_scale: float = 1.0
    pip_radius: float = 0.1
    gloss: float = 0.5
    polish: float = 0.0
    turned: bool = False
    left_handed: bool = False

    def face(self, value: int) -> int:
        """The face of a right-handed die where this die carries a value: 3 and 4 change places on left-handed ones."""
        return {3: 4, 4: 3}.get(value, value) if self.left_handed else value


RED = Look(colour="red", body=(38, 30, 205), pips=(240, 240, 240))
BLUE = Look(colour="blue", body=(190, 62, 30), pips=(240, 240, 240))
WHITE = Look(colour="white", body=(222, 226, 228), pips=(25, 22, 22))
BLACK = Look(colour="black", body=(34, 36, 36), pips=(240, 240, 240))
RED_BLACK = Look(colour="red", body=(40, 36, 215), pips=(20, 18, 20))
GREEN = Look(colour="green", body=(60, 190, 60), pips=(240, 240, 240))
YELLOW = Look(colour="yellow", body=(40, 190, 232), pips=(25, 22, 22))
ORANGE = Look(colour="orange", body=(30, 110, 232), pips=(245, 245, 245))
PURPLE = Look(colour="purple", body=(150, 50, 118), pips=(240, 240, 240))
ASIAN = Look(
    colour="white", body=(222, 226, 228), pips=(25, 22, 22), one=(35, 25, 200), four=(35, 25, 200), one_scale=1.9
)


def _layout(value: int, turned: bool) -> Floats:
    """Middles of a face's pips, in shares of the die's size, shape (value, 2)."""
    p = _PITCH
    diagonal = [(-p, -p), (p, p)]
    spots = {
        1: [(0.0, 0.0)],
        2: diagonal,
        3: [*diagonal, (0.0, 0.0)],
        4: [*diagonal, (-p, p), (p, -p)],
        5: [*diagonal, (-p, p), (p, -p), (0.0, 0.0)],
        6: [*diagonal, (-p, p), (p, -p), (-p, 0.0), (p, 0.0)],
    }[value]
    layout = np.array(spots)
    return layout @ np.array([[0.0, 1.0], [-1.0, 0.0]]) if turned and value in {2, 3, 6} else layout


def _frames() -> Floats:
    """Two directions along each face, shape (6, 2, 3), faces 1 to 6."""
    frames = []
    for normal in truth.FACE_NORMALS:
        along = np.roll(np.abs(normal), 1)
        frames.append([along, np.cross(normal, along)])
    return np.array(frames)


_FRAMES = _frames()


def _shell() -> tuple[Floats, npt.NDArray[np.int64], Floats]:
    """Corners (n, 3), quads of corner numbers (m, 4) and facet normals (m, 3) of the rounded cube."""
    radius = truth.EDGE_RADIUS
    inner = 0.5 - radius
    arc = radius * np.tan(np.linspace(0, np.pi / 4, _ARC_STEPS + 1))
    lines = np.concatenate([-inner - arc[::-1], inner + arc])
    corners: list[Floats] = []
    normals: list[Floats] = []
    quads: list[npt.NDArray[np.int64]] = []
    for face, normal in enumerate(truth.FACE_NORMALS):
        u, v = np.meshgrid(lines, lines, indexing="ij")
        flat = u[..., None] * _FRAMES[face, 0] + v[..., None] * _FRAMES[face, 1] + 0.5 * normal
        core = np.clip(flat, -inner, inner)
        away = flat - core
        away /= np.linalg.norm(away, axis=-1, keepdims=True)
        first = len(corners) * len(lines) ** 2
        numbers = first + np.arange(len(lines) ** 2).reshape(len(lines), len(lines))
        quads.append(
            np.stack([numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]], axis=-1).reshape(-1, 4)
        )
        corners.append((core + radius * away).reshape(-1, 3))
        normals.append(away.reshape(-1, 3))
    all_quads = np.concatenate(quads)
    facets = np.concatenate(normals)[all_quads].mean(axis=1)
    return np.concatenate(corners), all_quads, facets / np.linalg.norm(facets, axis=1, keepdims=True)


SHELL_CORNERS, SHELL_QUADS, SHELL_NORMALS = _shell()
SHELL_MIDDLES: Floats = SHELL_CORNERS[SHELL_QUADS].mean(axis=1)


def flat_facet(face: int) -> int:
    """Number of the facet that is the flat square of a face."""
    each = len(SHELL_QUADS) // 6
    return (face - 1) * each + each // 2


CORE_CORNERS: Floats = (0.5 - truth.EDGE_RADIUS / 2) * np.array(
    [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float
)
"""Eight points near the corners whose hull throws the die's shadow, shape (8, 3)."""


@functools.cache
def pip_discs(look: Look, value: int) -> Floats:
    """Outlines of the pips of one face in the die's own frame, shape (value, corners, 3), for size 1."""
    face = look.face(value) - 1
    scale = look.one_scale if value == 1 else 1.0
    angles = np.arange(_PIP_CORNERS) * (2 * np.pi / _PIP_CORNERS)
    circle = look.pip_radius * scale * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    spots = _layout(value, look.turned)[:, None, :] + circle
    return np.asarray(spots @ _FRAMES[face] + 0.5 * truth.FACE_NORMALS[face])


def pip_colour(look: Look, value: int) -> Bgr:
    """Colour of the pips of one face, BGR."""
    special = {1: look.one, 4: look.four}.get(value)
    return look.pips if special is None else special


_LEAST_APART = 150.0
"""How far apart in colour body and pips must be for people to read a die without effort."""


def any_colours(look: Look, rng: np.random.Generator) -> Look:
    """The same die with any colour of body and any of pips that stands out from it; its colour has no name."""
    while True:
        base, pips = rng.uniform(12, 245, size=3), rng.uniform(12, 245, size=3)
        if float(np.linalg.norm(base - pips)) > _LEAST_APART:
            break
    return replace(look, colour="any", body=_bgr(base), pips=_bgr(pips), one=None, four=None, one_scale=1.0)


def _bgr(colour: Floats) -> Bgr:
    blue, green, red = (round(float(channel)) for channel in colour)
    return blue, green, red
