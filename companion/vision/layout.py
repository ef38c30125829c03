"""The number on a face by its whole pip pattern: the classical opinion on a face that was cut out.

Theory. A face is a surface of one colour that light shades smoothly, with pips of another. Its colours are laid along
the one direction in which they differ most, the smooth shading is projected out, and what is left is compared with
drawn patterns of pips, each at several pitches, pip sizes, turns and places, as a matched filter does. The share of
the picture that the best pattern explains, and how far every other number stays behind, are the measure. Averaging over
whole pips bears blur and noise in which single spots can't be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.types import Floats, Image

SIDE_PX = 36
_EDGE_PX = 24.0
# Part of the face that is compared, in edges from its middle: not the rounding, not the table.
_REACH = 0.43
# Where the surroundings of a face are looked at, and codes by which they have another colour.
_MOAT, _OTHER_CODES = (0.56, 0.7), 12.0
_PITCHES = (0.19, 0.22, 0.25, 0.28)
# A six may have its rows closer to each other, and its columns wider, than the lattice of the other numbers.
_SIX_PITCHES, _CLOSE_ROWS = (*_PITCHES, 0.31), (1.0, 0.8, 0.62, 0.5)
_RADII = (0.075, 0.105)
_LARGE_RADII = (0.14, 0.19)
_TURNS = (-0.12, 0.0, 0.12)
_SHIFTS = (-0.05, 0.0, 0.05)
_SITES: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What the patterns say about one face.

    Attributes:
        value: The number whose pattern explains most.
        explained: Share of the face's contrast that it explains, 0 to 1.
        margin: How much more that is than the best other number explains, as a share of it.
        contrast: Codes by which the pips differ from the face.
        light_pips: Whether they are lighter.
        body: Mean colour of the bare face, BGR.
        around: Share of what surrounds the face that has another colour: little on cloth with dots, which has no edge.
        shift: Where the best pattern lies on the face, in edges from its middle.
        turn_rad: How it is turned against the face's edges.
        stretch: How much longer than wide the pip of a one is; 1 for every other number.
    """

    value: int
    explained: float
    margin: float
    contrast: float
    light_pips: bool
    body: tuple[float, float, float]
    around: float
    shift: tuple[float, float]
    turn_rad: float
    stretch: float


@cache
def _grid() -> tuple[npt.NDArray[np.intp], Floats, Floats]:
    """Pixels that are compared: which, where on the face in edges, and the smooth shadings."""
    at = (np.arange(SIDE_PX) - (SIDE_PX - 1) / 2) / _EDGE_PX
    v, u = (part.ravel() for part in np.meshgrid(at, at, indexing="ij"))
    # A rounded square: the corners of a face are seldom face.
    inside = (np.maximum(np.abs(u), np.abs(v)) < _REACH) & (np.hypot(u, v) < 1.22 * _REACH)
    u, v = u[inside], v[inside]
    smooth, _ = np.linalg.qr(np.stack([np.ones_like(u), u, v, u * u - v * v, u * v, u * u + v * v], 1))
    return np.flatnonzero(inside), np.stack([u, v], 1), smooth


@cache
def _moat() -> npt.NDArray[np.intp]:
    """Pixels around the face."""
    at = np.abs((np.arange(SIDE_PX) - (SIDE_PX - 1) / 2) / _EDGE_PX)
    far = np.maximum(at[:, None], at[None]).ravel()
    return np.flatnonzero((far > _MOAT[0]) & (far < _MOAT[1]))


@cache
def _patterns() -> tuple[Floats, Floats]:
    """Drawn patterns as unit vectors without smooth shading, shape (k, pixels), and number, shift and turn of each."""
    _, places, smooth = _grid()
    rows, about = [], []
    shifts = [np.array(s) for s in product(_SHIFTS, _SHIFTS)]
    for value, sites in _SITES.items():
        pitches = {1: (0.25,), 6: _SIX_PITCHES}.get(value, _PITCHES)
        for pitch, ratio, radius in product(
            pitches, _CLOSE_ROWS if value == 6 else (1.0,), _RADII if value > 1 else _RADII + _LARGE_RADII
        ):
            if 2 * radius > 1.05 * pitch or radius > 1.1 * ratio * pitch:
                continue
            whole = np.array(sites) * pitch * np.array([1.0, ratio])
            mirrored = whole[:, ::-1] * np.array([-1.0, 1.0])
            for lying in (whole, mirrored) if value in {2, 3, 6} else (whole,):
                for turn in _TURNS if value > 1 else (0.0,):
                    c, s = np.cos(turn), np.sin(turn)
                    turned = lying @ np.array([[c, s], [-s, c]])
                    for shift in shifts:
                        far = np.hypot(*(places[:, None] - (turned + shift)[None]).transpose(2, 0, 1)).min(1)
                        # The blur of a pixel or two that every picture has.
                        rows.append(1.0 / (1.0 + np.exp((far - radius) / 0.022)))
                        about.append((value, *shift, turn))
    bank = np.array(rows)
    bank -= (bank @ smooth) @ smooth.T
    bank /= np.linalg.norm(bank, axis=1, keepdims=True)
    return bank.astype(np.float32), np.array(about)


def read(crop: Image) -> Layout:
    """What the patterns say about a face.

    Args:
        crop: A face as `second.cut` makes it, shape (36, 36, 3), BGR.
    """
    inside, _, smooth = _grid()
    smoothed = cv2.GaussianBlur(crop, (0, 0), 0.6).reshape(-1, 3).astype(np.float64)
    colours = smoothed[inside]
    body = np.median(colours, axis=0)
    rest = colours - smooth @ (smooth.T @ colours)
    _, _, axes = np.linalg.svd(rest, full_matrices=False)
    field = rest @ axes[0]
    norm = float(np.linalg.norm(field))
    if norm < 1e-6:
        return Layout(
            value=0,
            explained=0.0,
            margin=0.0,
            contrast=0.0,
            light_pips=False,
            body=_colour(body),
            around=0.0,
            shift=(0.0, 0.0),
            turn_rad=0.0,
            stretch=1.0,
        )
    bank, about = _patterns()
    numbers = about[:, 0]
    along = bank @ (field / norm).astype(np.float32)
    shares = along**2
    each = [float(shares[numbers == value].max()) for value in range(1, 7)]
    value = int(np.argmax(each)) + 1
    best = int(np.where(numbers == value, shares, 0).argmax())
    pips = bank[best] > 0.5 * bank[best].max()
    apart = colours[pips].mean(0) - body
    behind = max(share for other, share in enumerate(each, 1) if other != value)
    return Layout(
        value=value,
        explained=each[value - 1],
        margin=1.0 - behind / each[value - 1],
        contrast=float(np.linalg.norm(apart)),
        light_pips=bool(apart.sum() > 0),
        body=_colour(body),
        around=float((np.abs(smoothed[_moat()] - body).max(1) > _OTHER_CODES).mean()),
        shift=(float(about[best, 1]), float(about[best, 2])),
        turn_rad=float(about[best, 3]),
        stretch=_stretch(smoothed.reshape(SIDE_PX, SIDE_PX, 3) - body) if value == 1 else 1.0,
    )


def _stretch(apart: Floats) -> float:
    """How much longer than wide a spot in the middle of a face is, from how its colour lies around its middle.

    Args:
        apart: By how much each pixel differs from the bare face, shape (36, 36, 3).
    """
    near = slice(SIDE_PX // 2 - 3, SIDE_PX // 2 + 3)
    core = apart[near, near].reshape(-1, 3)
    peak = core[int((core**2).sum(1).argmax())]
    weight = apart @ peak / max(1e-9, float(peak @ peak))
    spots = cv2.connectedComponents((weight > 0.5).astype(np.uint8))[1]
    here = np.bincount(spots[near, near].ravel(), minlength=2)
    rows, cols = np.nonzero(spots == int(here[1:].argmax()) + 1)
    if not len(rows):
        return 1.0
    spread = np.cov(np.stack([cols, rows]), aweights=weight[rows, cols], bias=True) + np.eye(2) / 12
    short, long = np.linalg.eigvalsh(spread)
    return float(np.sqrt(long / short))


def _colour(body: Floats) -> tuple[float, float, float]:
    return float(body[0]), float(body[1]), float(body[2])
