"""Dice painted into a picture: projection, shading, shadows, the lens's blur and the blur of motion.

Only the small window around a die is touched. In it the die is filled facet by facet at four times the resolution
and brought down with its coverage, so its edges and pips are as smooth as a lens makes them.

Everything is approximate in ways that do not move an edge: the light on a facet is that of its middle (but for a
screen's edge and a mirrored lamp, which are painted pixel by pixel), a die's shadow falls on the floor only, and dice
that hide one another are painted from far to near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from companion.sim import body, polish, truth, turns
from companion.sim.body import Look
from companion.sim.light import Lamp, Screen
from companion.sim.optics import Optics
from companion.sim.scenery import Image
from companion.sim.turns import Floats

_FINE = 4
_SHIFT = 4
_MARGIN_PX = 4
_GRAZING = -0.12
"""Facets are drawn a little past the edge of sight: their middles turn away before their near corners do."""
_SEEN_STEP_MM = 4
_SEEN_AT_MM = 12.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posed:
    """One die at one moment, as the picture needs it.

    Attributes:
        look: How it is made.
        size_mm: Edge length.
        position_mm: Its middle, shape (3,); for a moving die the middle of the exposure.
        quat: Its turn, shape (4,).
        smear: Poses over the exposure, (positions (k, 3), turns (k, 4)), or None for a die that lies still.
    """

    look: Look
    size_mm: float
    position_mm: Floats
    quat: Floats
    smear: tuple[Floats, Floats] | None = None


class Painter:
    """Paints dice as one camera under one lamp sees them.

    Args:
        optics: The camera.
        lamp: The light.
        blur_px: Standard deviation of the lens's blur.
        box_mask: Where the box is seen (see `scenery.wall_mask`).
    """

    def __init__(self, optics: Optics, lamp: Lamp, *, blur_px: float, box_mask: Image) -> None:
        self._optics = optics
        self._lamp = lamp
        self._blur_px = blur_px
        self._box_mask = box_mask
        x, y = np.meshgrid(np.arange(-260, 261, _SEEN_STEP_MM), np.arange(-200, 201, _SEEN_STEP_MM))
        self._seen = lamp.seen(np.stack([x, y, np.full(x.shape, _SEEN_AT_MM)], axis=-1))

    def paint(self, picture: Image, dice: Sequence[Posed], screen: Screen | None = None) -> None:
        """Paint dice and their shadows into a picture (in place).

        Args:
            picture: The picture of what lies under them.
            dice: The dice.
            screen: What stands in the lamp's light, if anything does; its shadow falls on the table and on the dice.
        """
        eye = self._optics.position_mm
        for die in dice:
            self._shadow(picture, die)
        if screen is not None:
            soft_px = 2 * screen.soft_mm(0.0, self._lamp) * self._optics.scale_px_per_mm() / 2.5
            thrown = self._optics.project(screen.shadow_mm(self._lamp))
            self._darken(picture, thrown, soft_px, 0.82 * (1 - self._lamp.ambient))
        for die in sorted(dice, key=lambda d: -float(np.linalg.norm(d.position_mm - eye))):
            self._die(picture, die, screen)

    def _window(self, pixels: Floats, margin: float) -> tuple[int, int, int, int] | None:
        """Columns and rows (x0, y0, x1, y1) around pixels, cut to the picture; None when outside of it."""
        low = np.floor(pixels.min(axis=0) - margin).astype(int)
        high = np.ceil(pixels.max(axis=0) + margin).astype(int) + 1
        x0, y0 = max(int(low[0]), 0), max(int(low[1]), 0)
        x1, y1 = min(int(high[0]), self._optics.width), min(int(high[1]), self._optics.height)
        return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None

    def _die(self, picture: Image, die: Posed, screen: Screen | None) -> None:
        positions, quats = die.smear or (die.position_mm[None], die.quat[None])
        spins = turns.matrices(quats)
        shells = [body.SHELL_CORNERS @ spin.T * die.size_mm + at for spin, at in zip(spins, positions, strict=True)]
        pixels = [self._optics.project(shell) for shell in shells]
        window = self._window(np.concatenate(pixels), _MARGIN_PX)
        if window is None:
            return
        x0, y0, x1, y1 = window
        fine = _FINE if len(pixels) == 1 else 2
        paint: npt.NDArray[np.float32] = np.zeros((y1 - y0, x1 - x0, 4), np.float32)
        for at, spin, pixel in zip(positions, spins, pixels, strict=True):
            paint += self._fill(die, at, spin, pixel, window=window, fine=fine, screen=screen)
        paint /= len(pixels)
        if self._blur_px > 0:
            paint = cv2.GaussianBlur(paint, (0, 0), self._blur_px)
        target = picture[y0:y1, x0:x1]
        cover = paint[..., 3:] / 255
        if truth.is_beside_box(die.position_mm):
            hidden = self._box_mask[y0:y1, x0:x1, None].astype(np.float32) / 255
            cover, paint = cover * (1 - hidden), np.asarray(paint * (1 - hidden), np.float32)
        target[:] = np.clip(target * (1 - cover) + paint[..., :3] + 0.5, 0, 255).astype(np.uint8)

    def _fill(
        self,
        die: Posed,
        at: Floats,
        spin: Floats,
        pixels: Floats,
        *,
        window: tuple[int, int, int, int],
        fine: int,
        screen: Screen | None,
    ) -> npt.NDArray[np.float32]:
        """One pose of one die: colour times coverage and coverage, shape (rows, columns, 4), 0 to 255."""
        x0, y0, x1, y1 = window
        canvas = np.zeros(((y1 - y0) * fine, (x1 - x0) * fine, 4), np.uint8)
        origin = np.array([x0, y0]) - 0.5

        def place(points: Floats) -> npt.NDArray[np.int32]:
            return np.round(((points - origin) * fine - 0.5) * (1 << _SHIFT)).astype(np.int32)

        normals = body.SHELL_NORMALS @ spin.T
        middles = body.SHELL_MIDDLES @ spin.T * die.size_mm + at
        to_eye = self._optics.position_mm - middles
        to_eye /= np.sqrt(np.einsum("ij,ij->i", to_eye, to_eye))[:, None]
        facing = np.einsum("ij,ij->i", normals, to_eye)
        matt, shine, direct = self._light(die, at, middles, normals, to_eye)
        if screen is not None:
            # Flat faces are shaded pixel by pixel, when their pips are on them.
            share = screen.seen(middles, self._lamp)
            share[[body.flat_facet(face) for face in range(1, 7)]] = 1.0
            matt, shine = matt - direct * (1 - share), shine * share
        colours = _colours(die.look.body, matt, shine, self._lamp.tint)
        visible = np.flatnonzero(facing > _GRAZING)
        quads = place(pixels)[body.SHELL_QUADS[visible]]
        for quad, colour in zip(quads, colours[visible].tolist(), strict=True):
            cv2.fillConvexPoly(canvas, quad, colour, cv2.LINE_8, _SHIFT)
        for value in range(1, 7):
            flat = body.flat_facet(die.look.face(value))
            if facing[flat] <= 0:
                continue
            (colour,) = _colours(
                body.pip_colour(die.look, value), matt[flat : flat + 1], shine[flat : flat + 1], self._lamp.tint
            ).tolist()
            discs = body.pip_discs(die.look, value) @ spin.T * die.size_mm + at
            for disc in place(self._optics.project(discs)):
                cv2.fillConvexPoly(canvas, disc, colour, cv2.LINE_8, _SHIFT)
            if screen is None and die.look.polish <= 0:
                continue
            quad = body.SHELL_QUADS[flat]
            face = polish.SeenFace(
                corners_mm=body.SHELL_CORNERS[quad] @ spin.T * die.size_mm + at,
                pixels=(pixels[quad] - origin) * fine - 0.5,
                normal=normals[flat],
                size_mm=die.size_mm,
            )
            if screen is not None:
                polish.shade(canvas, face, self._lamp, screen, float(direct[flat] / max(matt[flat], 1e-6)))
            if die.look.polish > 0:
                polish.mirror(canvas, face, self._lamp, self._optics.position_mm, die.look.polish)
        small = cv2.resize(canvas, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
        return np.asarray(small.astype(np.float32))

    def _light(
        self, die: Posed, at: Floats, points: Floats, normals: Floats, to_eye: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Matt and mirrored light on facets, and how much of the matt comes straight from the lamp, shapes (n,)."""
        lamp = self._lamp
        seen = self._lamp_seen(at[0], at[1]) if at[2] < truth.WALL_HEIGHT_MM else 1.0
        away = np.array(lamp.position_mm) - points
        squared = np.einsum("ij,ij->i", away, away)
        to_lamp = away / np.sqrt(squared)[:, None]
        facing = np.maximum(np.einsum("ij,ij->i", to_lamp, normals), 0.0)
        direct = (1 - lamp.ambient) * seen * lamp.strength * facing * (lamp.position_mm[2] ** 2 / squared)
        matt = lamp.ambient * (0.55 + 0.45 * normals[:, 2]) + direct
        half = to_lamp + to_eye
        half /= np.sqrt(np.einsum("ij,ij->i", half, half))[:, None]
        mirror = np.maximum(np.einsum("ij,ij->i", half, normals), 0.0) ** 70
        return matt, 0.45 * die.look.gloss * seen * lamp.strength * mirror, direct

    def _lamp_seen(self, x_mm: float, y_mm: float) -> float:
        """Share of the lamp that a die of usual height sees from a place, from a table made once."""
        rows, columns = self._seen.shape
        column = min(max(round(x_mm / _SEEN_STEP_MM) + columns // 2, 0), columns - 1)
        row = min(max(round(y_mm / _SEEN_STEP_MM) + rows // 2, 0), rows - 1)
        return float(self._seen[row, column])

    def _shadow(self, picture: Image, die: Posed) -> None:
        """Darken the floor where a die keeps the lamp from it, and under its edges (in place)."""
        spin = turns.matrices(die.quat)
        points = body.CORE_CORNERS @ spin.T * die.size_mm + die.position_mm
        low, high = float(points[:, 2].min()), float(points[:, 2].max())
        if high > 200:
            return
        thrown = self._optics.project(self._lamp.onto_floor(points))
        soft_px = max(0.8, self._lamp.penumbra_mm((low + high) / 2) * self._optics.scale_px_per_mm() / 2.5)
        beside = truth.is_beside_box(die.position_mm)
        self._darken(picture, thrown, soft_px, 0.82 * (1 - self._lamp.ambient), beside=beside)
        if low < 4.0:
            foot = points * [1, 1, 0]
            self._darken(picture, self._optics.project(foot), 3.0, 0.45, beside=beside)

    def _darken(self, picture: Image, pixels: Floats, soft_px: float, deep: float, *, beside: bool = False) -> None:
        window = self._window(pixels, 3 * soft_px + 2)
        if window is None:
            return
        x0, y0, x1, y1 = window
        coarse = 1 if soft_px < 3 else 2 if soft_px < 8 else 4
        size = (-(-(x1 - x0) // coarse), -(-(y1 - y0) // coarse))
        mask = np.zeros((size[1], size[0]), np.uint8)
        outline = cv2.convexHull(((pixels - [x0, y0]) / coarse).astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(outline * (1 << _SHIFT)).astype(np.int32), 255, cv2.LINE_AA, _SHIFT)
        mask = cv2.GaussianBlur(mask, (0, 0), max(soft_px / coarse, 0.5))
        if coarse > 1:
            mask = cv2.resize(mask, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
        if beside:
            mask = cv2.subtract(mask, self._box_mask[y0:y1, x0:x1])
        keep = (255 - mask * deep).astype(np.uint8)
        window_of = picture[y0:y1, x0:x1]
        cv2.multiply(window_of, cv2.merge([keep, keep, keep]), dst=window_of, scale=1 / 255)


def _colours(base: body.Bgr, matt: Floats, shine: Floats, tint: tuple[float, float, float]) -> Floats:
    """Colours of facets with full coverage, shape (n, 4)."""
    colours = np.full((len(matt), 4), 255.0)
    colours[:, :3] = np.minimum(np.array(base) * np.array(tint) * matt[:, None] + 255 * shine[:, None], 255.0)
    return colours
