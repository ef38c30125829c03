"""How one make of dice looks: body, pips, roundness, and faces that carry no pips."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

MASK_PX = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One make of dice; lengths in edges, colours BGR 0 to 1.

    Attributes:
        body: Colour of the body.
        second: Second colour that runs through it.
        marble: How much of the second colour there is.
        clear: How much light goes through the body.
        pip: Colour of the pips.
        red_one: Colour of the single pip, where it differs.
        pitch: Distance of neighbouring pips across and along.
        six: Distance of neighbouring pips of a six, along its rows and half that of the rows.
        radius: Radius of a pip.
        one_radius: Radius of the single pip.
        depth: How deep the pips are carved; shifts their shading.
        glint: Strength of the highlight in each pip.
        round_off: Radius of the edges.
        ball: Radius of the sphere that takes off the corners.
        gloss: Strength of the highlight.
        sharp: How narrow it is.
    """

    body: Floats
    second: Floats
    marble: float
    clear: float
    pip: Floats
    red_one: Floats | None
    pitch: float
    six: tuple[float, float]
    radius: float
    one_radius: float
    depth: float
    glint: float
    round_off: float
    ball: float
    gloss: float
    sharp: float


def _hue(rng: np.random.Generator, strength: tuple[float, float], light: tuple[float, float]) -> Floats:
    red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.uniform(*strength), rng.uniform(*light))
    return np.array([blue, green, red], np.float32)


def _body(rng: np.random.Generator) -> Floats:
    kind = rng.random()
    if kind < 0.34:
        white = np.array([rng.uniform(0.55, 1.0), rng.uniform(0.8, 1.0), rng.uniform(0.88, 1.0)], np.float32)
        return np.sort(white) * np.float32(rng.uniform(0.8, 1.0))
    if kind < 0.46:
        return np.full(3, rng.uniform(0.02, 0.2), np.float32) * rng.uniform(0.7, 1.3, 3).astype(np.float32)
    if kind < 0.9:
        return _hue(rng, (0.6, 1.0), (0.25, 1.0))
    return rng.uniform(0.05, 1.0, 3).astype(np.float32)


def _contrast(one: Floats, other: Floats) -> float:
    return float(np.abs(one - other) @ np.array([0.3, 0.8, 0.5], np.float32))


def draw_style(rng: np.random.Generator) -> Style:
    """A random make whose pips can be told from its body."""
    body = _body(rng)
    least = 0.25 if rng.random() < 0.15 else 0.45
    while True:
        kind = rng.random()
        if kind < 0.5:
            pip = np.full(3, rng.uniform(0.0, 0.15), np.float32)
        elif kind < 0.85:
            pip = np.full(3, rng.uniform(0.75, 1.0), np.float32)
        else:
            pip = _hue(rng, (0.5, 1.0), (0.3, 1.0))
        if _contrast(body, pip) > least:
            break
        if rng.random() < 0.1:
            body = _body(rng)
    red_one = np.array([0.05, 0.05, rng.uniform(0.5, 0.95)], np.float32)
    asian = rng.random() < 0.12 and _contrast(body, red_one) > 0.3
    second = _hue(rng, (0.2, 1.0), (0.1, 1.0)) if rng.random() < 0.4 else body * np.float32(rng.uniform(0.4, 1.4))
    if _contrast(second, pip) < 0.35:
        second = body
    pitch = rng.uniform(0.19, 0.29)
    radius = float(np.clip(rng.normal(0.097, 0.018), 0.055, 0.46 * pitch))
    six = (pitch * rng.uniform(0.95, 1.05), pitch * rng.uniform(0.95, 1.05))
    if rng.random() < 0.5:
        six = (rng.uniform(0.18, 0.31), rng.uniform(0.125, 0.27))
    return Style(
        body=body,
        second=second,
        marble=float(rng.uniform(0, 0.6)) if rng.random() < 0.25 else 0.0,
        clear=float(rng.uniform(0.2, 0.8)) if rng.random() < 0.25 else 0.0,
        pip=pip,
        red_one=red_one if asian else None,
        pitch=pitch,
        six=(float(max(2.1 * radius, six[0])), float(max(1.1 * radius, six[1]))),
        radius=radius,
        one_radius=radius * float(rng.uniform(1.4, 2.3) if asian or rng.random() < 0.08 else 1.0),
        depth=float(rng.uniform(0.0, 0.7)),
        glint=float(rng.uniform(0.1, 0.9)) if rng.random() < 0.2 else 0.0,
        round_off=float(rng.uniform(0.04, 0.28)),
        ball=float(rng.uniform(1.42, 1.7)) if rng.random() < 0.5 else 3.0,
        gloss=float(rng.uniform(0.0, 0.6)) if rng.random() < 0.7 else 0.0,
        sharp=float(rng.uniform(6, 60)),
    )


def inner_light(rng: np.random.Generator) -> Floats:
    """Bright arcs and spots that a clear die shows inside its faces; shape (64, 64), 0 to 1."""
    mask, mid = np.zeros((MASK_PX, MASK_PX), np.uint8), MASK_PX // 2
    for _ in range(int(rng.integers(1, 4))):
        axes = rng.uniform(20, 31, 2).astype(int).tolist()
        begin = rng.uniform(0, 360)
        cv2.ellipse(
            mask, (mid, mid), axes, rng.uniform(0, 90), begin, begin + rng.uniform(40, 150), 255, 2, cv2.LINE_AA
        )
    if rng.random() < 0.5:
        cv2.circle(mask, rng.integers(10, 54, 2).tolist(), int(rng.integers(2, 6)), 255, -1, cv2.LINE_AA)
    return cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.6, 2.0)).astype(np.float32) / 255


def symbol(rng: np.random.Generator) -> Floats:
    """A face that is no number of pips: a numeral, a letter, a ring, a star, lines; shape (64, 64), 0 to 1."""
    mask = np.zeros((MASK_PX, MASK_PX), np.uint8)
    kind, mid = rng.integers(7), MASK_PX // 2
    thick = int(rng.integers(2, 7))
    if kind <= 1:
        sign = str(rng.choice(list("0123456789ABCDEFGHKMNRSTXZ?&+")))
        sign += str(rng.integers(10)) if rng.random() < 0.2 else ""
        cv2.putText(
            mask, sign, (mid - 14 * len(sign), mid + 18), int(rng.integers(0, 8)), rng.uniform(1.2, 2.0), 255, thick
        )
    elif kind == 2:
        for radius in np.cumsum(rng.uniform(8, 12, int(rng.integers(1, 3)))):
            span = 360 if rng.random() < 0.5 else rng.uniform(200, 330)
            cv2.ellipse(mask, (mid, mid), (int(radius + 6),) * 2, rng.uniform(0, 360), 0, span, 255, thick)
        if rng.random() < 0.5:
            cv2.circle(mask, (mid, mid), int(rng.integers(2, 6)), 255, -1)
    elif kind == 3:
        count = int(rng.integers(3, 8))
        angles = np.arange(2 * count) * np.pi / count
        radii = np.where(np.arange(2 * count) % 2, rng.uniform(6, 20), rng.uniform(18, 27))
        star = np.stack([mid + radii * np.cos(angles), mid + radii * np.sin(angles)], 1)
        cv2.fillPoly(mask, [star.astype(np.int32)], 255)
    elif kind == 4:
        for _ in range(int(rng.integers(2, 6))):
            ends = rng.integers(8, MASK_PX - 8, 4).tolist()
            cv2.line(mask, ends[:2], ends[2:], 255, thick)
    elif kind == 5:
        blob = cv2.GaussianBlur(rng.random((MASK_PX, MASK_PX)).astype(np.float32), (0, 0), rng.uniform(3, 7))
        mask[blob > np.quantile(blob, rng.uniform(0.6, 0.85))] = 255
        mask[: MASK_PX // 8] = mask[-MASK_PX // 8 :] = mask[:, : MASK_PX // 8] = mask[:, -MASK_PX // 8 :] = 0
    else:
        cv2.rectangle(mask, (mid - 18, mid - 18), (mid + 18, mid + 18), 255, thick)
        if rng.random() < 0.5:
            cv2.line(mask, (mid - 18, mid - 18), (mid + 18, mid + 18), 255, thick)
    return cv2.GaussianBlur(mask, (0, 0), 0.8).astype(np.float32) / 255
