"""A patch of a photograph with dice in it, and the truth about each upper face.

Theory. The truth about a face is the affine map from the unit square to the picture, known up to a quarter turn. In
complex numbers that map is z -> p z + q conj(z); a quarter turn sends (p, q) to (i p, -i q), so that p**4 and p q stay.
The network is taught |p|, the angle of p**4, and p q / |p|**2, which is 0 for a face seen square on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from training.ground import ground
from training.lens import through_lens
from training.solid import Camera, Hits, meet, pip_sites
from training.style import MASK_PX, Style, draw_style, inner_light, symbol

Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]

# The sides of a die, as axis and sign, and the numbers that may stand there: opposite ones sum to seven.
_SIDES = ((0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0))
# Between these leans nobody can say from one patch whether a die lies flat.
_FLAT_DEG, _COCKED_DEG = 5.0, 28.0
# Codes between a face's light and dark below which its number is gone, and below which it is hardly there.
_VANISHED, _FAINT = 12.0, 24.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """One die of a patch.

    Attributes:
        middle: Middle of its uppermost face, px.
        across: Edges of that face in the picture as columns, px, shape (2, 2); the determinant is positive.
        value: Its number, 0 when it shows none.
        unsure: True when nobody should say (cut off, hardly cocked, hidden in part): nothing is taught.
        lean_deg: How far it leans.
    """

    middle: Floats
    across: Floats
    value: int
    unsure: bool
    lean_deg: float

    @property
    def size(self) -> float:
        """Edge of the face as it would be seen square on, px."""
        return abs(complex(*self._parts[0]))

    @property
    def _parts(self) -> tuple[tuple[float, float], tuple[float, float]]:
        u, v = complex(*self.across[:, 0]), complex(*self.across[:, 1])
        p, q = (u - 1j * v) / 2, (u + 1j * v) / 2
        return (p.real, p.imag), (q.real, q.imag)

    @property
    def shape(self) -> tuple[float, float, float, float, float]:
        """What a network is taught: size px, cosine and sine of four times the turn, and the squeeze."""
        p, q = (complex(*part) for part in self._parts)
        turn = (p / abs(p)) ** 4
        squeeze = p * q / abs(p) ** 2
        return abs(p), turn.real, turn.imag, squeeze.real, squeeze.imag


@dataclass(frozen=True, slots=True, kw_only=True)
class _Light:
    towards: Floats
    strength: float
    ambient: Floats
    softness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Die:
    at: Floats
    pose: Floats
    half: float
    style: Style
    numbers: tuple[int, ...]
    lean_deg: float


def _rotation(yaw: float, lean: float, lean_to: float) -> Floats:
    cy, sy = math.cos(yaw), math.sin(yaw)
    turn = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    axis = np.array([-math.sin(lean_to), math.cos(lean_to), 0.0]) * lean
    return (cv2.Rodrigues(axis)[0] @ turn).astype(np.float32)


def draw_camera(rng: np.random.Generator) -> Camera:
    """From above with any turn, or from the side as people hold a camera: upright."""
    above = rng.random() < 0.55
    elevation = math.radians(90 - abs(rng.normal(0, 14))) if above else math.radians(rng.uniform(25, 75))
    free = elevation > math.radians(60)
    roll = rng.uniform(-math.pi, math.pi) if free else rng.normal(0, 0.2)
    return Camera(elevation=float(elevation), roll=float(roll))


def _numbers(rng: np.random.Generator) -> tuple[int, ...]:
    """Numbers of the six sides, the uppermost (index 4) even among all; 0 stands for a face without pips."""
    top = int(rng.integers(1, 7))
    side = int(rng.choice([n for n in range(1, 7) if n not in {top, 7 - top}]))
    rest = next(n for n in range(1, 7) if n not in {top, 7 - top, side, 7 - side})
    if rng.random() < 0.5:
        rest = 7 - rest
    out = [side, 7 - side, rest, 7 - rest, top, 7 - top]
    if rng.random() < 0.1:
        out[4] = 0
        if rng.random() < 0.4:
            out = [0] * 6
    return tuple(out)


def _place(rng: np.random.Generator, span: float, half: float, count: int, style: Style | None) -> list[_Die]:
    """Dice on the ground, apart or touching; `span` is the width of the ground in half edges."""
    out: list[_Die] = []
    same = style is not None
    leaning = rng.random() < 0.1
    for _ in range(count):
        yaw, at = rng.uniform(0, 2 * math.pi), np.zeros(3)
        for _ in range(8):
            at[:2] = rng.uniform(-0.5, 0.5, 2) * span
            if out and rng.random() < 0.3:
                other = out[int(rng.integers(len(out)))]
                yaw = math.atan2(other.pose[1, 0], other.pose[0, 0])
                away = yaw + rng.integers(4) * math.pi / 2
                slide = rng.uniform(-0.8, 0.8)
                step = rng.uniform(2.0, 2.15)
                at[0] = other.at[0] + step * math.cos(away) - slide * math.sin(away)
                at[1] = other.at[1] + step * math.sin(away) + slide * math.cos(away)
            least = 1.99
            if all(np.hypot(*(at - o.at)[:2]) > least * (1.0 if yaw % 1.5708 == 0 else 1.1) for o in out):
                break
        else:
            continue
        lean = math.radians(rng.uniform(3, 50)) if leaning and rng.random() < 0.5 else 0.0
        own = style if same and style is not None else draw_style(rng)
        out.append(
            _Die(
                at=at.astype(np.float32),
                pose=_rotation(yaw, lean, rng.uniform(0, 2 * math.pi)),
                half=half,
                style=own,
                numbers=_numbers(rng),
                lean_deg=math.degrees(lean),
            )
        )
    return out


def _paint(rng: np.random.Generator, die: _Die, hits: Hits, light: _Light, camera: Camera) -> Floats:
    """Colours of the rays that met a die, shape (n, 3)."""
    style, points, normals = die.style, hits.points, hits.normals
    colours = np.empty((len(points), 3), np.float32)
    colours[:] = style.body
    if style.marble:
        veins = np.sin(points @ rng.normal(0, 2.5, 3).astype(np.float32) + 2 * np.sin(points @ rng.normal(0, 2, 3)))
        share = (style.marble * np.clip(0.5 + veins, 0, 1)).astype(np.float32)
        colours += (style.second - style.body) * share[:, None]
    axis = np.abs(points).argmax(1)
    rows = np.arange(len(points))
    sign = np.sign(points[rows, axis])
    carve, bright = np.zeros((2, len(points)), np.float32)
    for number, (along, way) in zip(die.numbers, _SIDES, strict=True):
        here = np.flatnonzero((axis == along) & (sign == way))
        if not len(here):
            continue
        uv = np.delete(points[here], along, 1)
        if style.clear and rng.random() < 0.6:
            bright[here] += _printed(inner_light(rng), uv * 0.5) * np.float32(rng.uniform(0.1, 0.9))
        if number == 0:
            if rng.random() < 0.7:
                share = _printed(symbol(rng), uv * rng.choice([0.45, 0.5]))
                colours[here] += (style.pip - colours[here]) * share[:, None]
            continue
        pip = style.red_one if number == 1 and style.red_one is not None else style.pip
        radius = 2 * (style.one_radius if number == 1 else style.radius)
        pitch = np.array([style.six[0], style.six[1]] if number == 6 else [style.pitch, style.pitch], np.float32)
        sites = pip_sites(number, turned=False) * 2 * (pitch[::-1] if number == 6 else pitch)
        if rng.random() < 0.5:
            sites = sites[:, ::-1] * np.array([1, -1], np.float32)
        glints = rng.uniform(-0.6, 0.6, 2) * radius
        for site in sites + rng.normal(0, 0.006, sites.shape):
            off = uv - site.astype(np.float32)
            far = np.sqrt(np.einsum("ij,ij->i", off, off))
            share = np.clip((radius - far) / (0.12 * radius) + 0.5, 0, 1)
            if style.depth:
                sun = np.delete(light.towards @ die.pose, along)
                carve[here] += share * style.depth * (off @ sun.astype(np.float32)) / radius
            colours[here] += (pip - colours[here]) * share[:, None]
            if style.glint:
                spot = np.clip(1.5 - np.hypot(*(off - glints).T) / (0.3 * radius), 0, 1) * share
                colours[here] += style.glint * spot[:, None]
    world = normals @ die.pose.T
    lit = np.clip(world @ light.towards, 0, None) * light.strength
    around = light.ambient[np.where(world[:, 2] > 0.7, 2, np.where(world[:, 0] > 0, 0, 1))]
    shade = lit + around - np.minimum(0.35 * light.ambient[2] * np.clip(-points @ die.pose.T[:, 2], 0, 1), 0.3)
    if style.clear:
        shade += (0.6 - shade) * style.clear * (0.6 + 0.4 * points @ die.pose.T[:, 2])
    colours *= (shade * (1 + 0.6 * carve))[:, None]
    colours += bright[:, None]
    if style.gloss:
        half = light.towards + camera.axes[2]
        half /= np.linalg.norm(half)
        colours += (style.gloss * np.clip(world @ half, 0, 1) ** style.sharp)[:, None]
    return colours


def _printed(mask: Floats, uv: Floats) -> Floats:
    """A mask at places of a face, -0.5 to 0.5 from edge to edge."""
    at = ((uv + 0.5) * MASK_PX).astype(np.float32)[:, None]
    return cv2.remap(mask, at[..., 0], at[..., 1], cv2.INTER_LINEAR)[:, 0]


def _hull(points: Floats) -> Image:
    return cv2.convexHull(np.round(points * 8).astype(np.int32))


def _shadows(image: Floats, dice: list[_Die], to_px: _ToPx, light: _Light) -> None:
    """Cast shadows and the dark seam under each die, on the ground."""
    size = image.shape[0]
    cast, seam = np.zeros((size, size), np.uint8), np.zeros((size, size), np.uint8)
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    for die in dice:
        corners = (cube * (1 - 0.3 * die.style.round_off)) @ die.pose.T
        drop = (corners[:, 2:] + 1) / max(float(light.towards[2]), 0.15)
        fall = corners - light.towards * drop
        cv2.fillConvexPoly(cast, _hull(to_px(fall + die.at)), 255, cv2.LINE_AA, 3)
        base = corners * np.array([1.06, 1.06, 0], np.float32) - np.array([0, 0, 1], np.float32)
        cv2.fillConvexPoly(seam, _hull(to_px(base + die.at)), 255, cv2.LINE_AA, 3)
    unit = max(1.0, to_px.half)
    direct = light.strength * float(light.towards[2])
    dark = direct / (direct + float(light.ambient[2]))
    soft = cv2.GaussianBlur(cast, (0, 0), max(0.5, light.softness * unit)).astype(np.float32) / 255
    under = cv2.GaussianBlur(seam, (0, 0), 0.25 * unit).astype(np.float32) / 255
    image *= ((1 - dark * soft) * (1 - 0.5 * under))[..., None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToPx:
    camera: Camera
    half: float
    middle: float

    def __call__(self, points: Floats) -> Floats:
        return self.camera.project(points.astype(np.float32)) * np.float32(self.half) + np.float32(self.middle)


def _light(rng: np.random.Generator) -> _Light:
    bearing, height = rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(20, 85))
    towards = np.array(
        [math.cos(height) * math.cos(bearing), math.cos(height) * math.sin(bearing), math.sin(height)], np.float32
    )
    top = rng.uniform(0.25, 0.8)
    sides = top * rng.uniform(0.35, 1.05, 2)
    return _Light(
        towards=towards,
        strength=float(rng.uniform(0.0, 0.9)),
        ambient=np.array([*sides, top], np.float32),
        softness=float(rng.uniform(0.02, 0.1) if rng.random() < 0.5 else rng.uniform(0.1, 0.7)),
    )


def draw_patch(
    rng: np.random.Generator, size: int, edge: float, count: int, fine: int = 2
) -> tuple[Image, list[Truth]]:
    """A random patch.

    Args:
        rng: Source of chance.
        size: Side of the patch, px.
        edge: Edge of a die as it would be seen square on, px.
        count: How many dice to put down at most.
        fine: Rays per px along each side.
    """
    camera, light = draw_camera(rng), _light(rng)
    wide = size * fine
    image = ground(rng, wide)
    if rng.random() < 0.5:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.5, 2.0) * fine)
    to_px = _ToPx(camera=camera, half=edge * fine / 2, middle=wide / 2)
    span = size / edge * 2 * 1.1
    style = draw_style(rng) if rng.random() < 0.5 else None
    if style is not None and rng.random() < 0.25:
        # White dice on white paper, red ones on red cloth.
        image = np.clip(image + style.body - image.mean((0, 1)) + rng.normal(0, 0.06, 3), 0, 1).astype(np.float32)
    dice = _place(rng, span, to_px.half, count, style)
    dice.sort(key=lambda d: float(d.at @ camera.axes[2]))
    image *= np.float32(light.strength * light.towards[2] + light.ambient[2])
    if dice:
        _shadows(image, dice, to_px, light)
    owner = np.full((wide, wide), -1, np.int16)
    for index, die in enumerate(dice):
        half = die.half * rng.uniform(0.97, 1.03)
        middle = to_px(die.at[None])[0]
        reach = 1.75 * half
        low = np.maximum(np.floor(middle - reach).astype(int), 0)
        high = np.minimum(np.ceil(middle + reach).astype(int) + 1, wide)
        if (low >= high).any():
            continue
        y, x = np.mgrid[low[1] : high[1], low[0] : high[0]]
        offsets = (np.stack([x.ravel(), y.ravel()], 1).astype(np.float32) + 0.5 - middle) / half
        hits = meet(offsets, camera, die.pose, 2 * die.style.round_off, die.style.ball)
        rows, cols = y.ravel()[hits.where], x.ravel()[hits.where]
        image[rows, cols] = _paint(rng, die, hits, light, camera)
        owner[rows, cols] = index
    _cast_over(rng, image)
    small = cv2.resize(image, (size, size), interpolation=cv2.INTER_AREA) if fine > 1 else image
    truths = [_truth(index, die, to_px, owner, fine) for index, die in enumerate(dice)]
    picture = through_lens(rng, small)
    return picture, [_as_seen(picture, t) for t in truths if t is not None]


def _as_seen(picture: Image, truth: Truth) -> Truth:
    """What is left of a number when the picture is too bright, too dark or too coarse to show it."""
    grid = np.linspace(-0.36, 0.36, 9)
    at = np.stack(np.meshgrid(grid, grid), -1).reshape(-1, 2) @ truth.across.T + truth.middle
    smooth = cv2.blur(picture, (3, 3)) if truth.size > 20 else picture
    rows, cols = np.clip(np.floor(at[:, ::-1]).astype(int), 0, len(picture) - 1).T
    span = np.ptp(np.percentile(smooth[rows, cols], (4, 96), axis=0), axis=0).max()
    if truth.value and span < _VANISHED:
        return replace(truth, value=0)
    return replace(truth, unsure=truth.unsure or bool(truth.value and span < _FAINT))


def _truth(index: int, die: _Die, to_px: _ToPx, owner: npt.NDArray[np.int16], fine: int) -> Truth | None:
    """What is to be seen of a die's uppermost face; None when nothing of the die is in the patch."""
    wide = owner.shape[0]
    normals = die.pose.T
    face = int(np.abs(normals[:, 2]).argmax())
    up = normals[face] * np.sign(normals[face, 2])
    one, two = normals[(face + 1) % 3], normals[(face + 2) % 3]
    middle, *ends = to_px(np.stack([up, up + one, up + two]) + die.at)
    across = np.stack([ends[0] - middle, ends[1] - middle], 1) * 2
    if np.linalg.det(across) < 0:
        across = across[:, ::-1]
    number = die.numbers[2 * face + (0 if normals[face, 2] > 0 else 1)]
    angles = np.arange(16) * math.pi / 8
    ring = np.stack([np.cos(angles), np.sin(angles)], 1)
    grid = np.concatenate([ring * radius for radius in (0.0, 0.2, 0.3, 0.38)]).astype(np.float32)
    at = np.floor(grid @ across.T + middle).astype(int)
    within = ((at >= 0) & (at < wide)).all(1)
    seen = within.copy()
    seen[within] = owner[at[within, 1], at[within, 0]] == index
    share = float(seen.mean())
    if not within.any():
        return None
    value = number if die.lean_deg < _COCKED_DEG and share > 0.93 else 0
    unsure = 0.6 < share <= 0.93 or _FLAT_DEG < die.lean_deg < _COCKED_DEG or share < 0.35
    return Truth(
        middle=(middle / fine).astype(np.float32),
        across=(across / fine).astype(np.float32),
        value=value,
        unsure=bool(unsure),
        lean_deg=die.lean_deg,
    )


def _cast_over(rng: np.random.Generator, image: Floats) -> None:
    """Shadows of people and lamps, patches of light and glare over everything."""
    size = image.shape[0]
    if rng.random() < 0.25:
        mask = np.zeros((size, size), np.uint8)
        corners = rng.uniform(-0.5, 1.5, (int(rng.integers(3, 6)), 2)) * size
        cv2.fillConvexPoly(mask, cv2.convexHull(corners.astype(np.int32)), 255)
        soft = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.5, 0.08 * size)).astype(np.float32) / 255
        image *= (1 - soft * rng.uniform(0.2, 0.8))[..., None]
    if rng.random() < 0.3:
        y, x = np.mgrid[:size, :size].astype(np.float32)
        at, spread = rng.uniform(-0.1, 1.1, 2) * size, rng.uniform(0.03, 0.5, 2) * size
        spot = np.exp(-(((x - at[0]) / spread[0]) ** 2) - ((y - at[1]) / spread[1]) ** 2)
        image += (spot * rng.uniform(0.1, 0.9))[..., None]
    if rng.random() < 0.5:
        y, x = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j].astype(np.float32)
        image *= np.exp(rng.normal(0, 0.2) * x + rng.normal(0, 0.2) * y)[..., None]
