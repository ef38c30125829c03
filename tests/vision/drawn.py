"""Plain drawn dice, seen square on, for the tests of what reads faces."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from companion.vision.types import Floats, Image

Colour = tuple[int, int, int]

WHITE, BLACK, RED = (235, 240, 240), (25, 25, 25), (40, 40, 190)
_SITES = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
    6: [(-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)],
}
_SUB = 16


def edges(edge: float, turn_deg: float) -> Floats:
    """The edges of a face as columns."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return np.array([[c, -s], [s, c]]) * edge


def table(rows: int, cols: int, level: int = 110, seed: int = 1) -> Image:
    """A grey table with some grain."""
    grain = np.random.default_rng(seed).normal(0, 6, (rows, cols, 1))
    return (level + cv2.GaussianBlur(grain, (0, 0), 1.0)[..., None] + np.zeros(3)).clip(0, 255).astype(np.uint8)


def draw(
    image: Image, middle: tuple[float, float], edge: float, turn_deg: float, *, value: int, body: Colour, pip: Colour
) -> None:
    """Put one die into a picture; 0 has a bare face, any other that is no number a cross."""
    across = edges(edge, turn_deg)
    shadow = np.array([[-0.4, -0.4], [0.65, -0.4], [0.65, 0.65], [-0.4, 0.65]]) @ across.T + middle
    dark = image.copy()
    cv2.fillPoly(dark, [np.round(shadow * _SUB).astype(np.int32)], (40, 40, 40), cv2.LINE_AA, 4)
    cv2.addWeighted(cv2.GaussianBlur(dark, (0, 0), 0.06 * edge), 0.6, image, 0.4, 0, dst=image)
    corner = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    square = np.round((corner @ across.T + middle) * _SUB).astype(np.int32)
    cv2.fillPoly(image, [square], body, cv2.LINE_AA, 4)
    cv2.polylines(image, [square], True, [round(0.7 * part) for part in body], max(1, round(0.05 * edge)), 16, 4)
    for site in _SITES.get(value, []):
        at = across @ np.array(site) * 0.25 + middle
        cv2.circle(image, np.round(at * _SUB).astype(int).tolist(), round(0.09 * edge * _SUB), pip, -1, 16, 4)
    if value not in {0, *_SITES}:
        for arm in (-0.3, 0.3):
            ends = (np.array([[arm, -0.3], [-arm, 0.3]]) @ across.T + middle) * _SUB
            cv2.line(image, *np.round(ends).astype(int).tolist(), pip, max(2, round(0.12 * edge)), 16, 4)


def photograph(values: Sequence[int], *, edge: float = 60.0, body: Colour = WHITE, pip: Colour = BLACK) -> Image:
    """Dice side by side on a table, each turned another way."""
    image = table(int(4 * edge), int(2 * edge * (len(values) + 1)))
    for index, value in enumerate(values):
        draw(image, (2 * edge * (index + 1), 2 * edge), edge, 17.0 + 31.0 * index, value=value, body=body, pip=pip)
    return cv2.GaussianBlur(image, (0, 0), 0.02 * edge)
