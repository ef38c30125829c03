"""What dice lie on, and what lies beside them: textures that must grow no dice."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]


def colour(rng: np.random.Generator) -> Floats:
    """A colour of a table: mostly brown, grey, white or green, sometimes any."""
    kind = rng.random()
    if kind < 0.35:
        base = np.array([0.35, 0.5, 0.68]) * rng.uniform(0.3, 1.3)
    elif kind < 0.65:
        base = np.full(3, rng.uniform(0.05, 1.0)) * rng.uniform(0.92, 1.05, 3)
    elif kind < 0.75:
        base = np.array([0.25, 0.45, 0.15]) * rng.uniform(0.4, 1.4)
    else:
        base = rng.uniform(0, 1, 3)
    return np.clip(base + rng.normal(0, 0.04, 3), 0.01, 1.0).astype(np.float32)


def _ink(rng: np.random.Generator) -> list[float]:
    return (colour(rng) * 255).tolist()


def _sheet(size: int, ink: list[float]) -> Image:
    return np.full((size, size, 3), ink, np.uint8)


def noise(rng: np.random.Generator, size: int, coarse: float, along: float = 1.0) -> Floats:
    """Smooth noise of unit variance; grain of `coarse` px, stretched `along` times in x."""
    high, wide = max(2, int(size / coarse)), max(2, int(size / coarse / along))
    small = rng.normal(0, 1, (high, wide)).astype(np.float32)
    return np.asarray(cv2.resize(small, (size, size), interpolation=cv2.INTER_CUBIC))


def _mix(one: Floats, other: Floats, share: Floats) -> Floats:
    return one + (other - one) * np.clip(share, 0, 1)[..., None]


def _grain(rng: np.random.Generator, size: int) -> Image:
    share = sum(rng.uniform(0, 0.3) * noise(rng, size, c) for c in (2.2, 5.0, 12.0, 40.0))
    return _drawn(_mix(colour(rng), colour(rng), 0.5 + share * rng.uniform(0.1, 1.0)))


def _wood(rng: np.random.Generator, size: int) -> Image:
    y = np.arange(size, dtype=np.float32)[:, None] / size
    bend = noise(rng, size, size / 3, 3) * rng.uniform(0.02, 0.12)
    rings = np.sin((y + bend) * rng.uniform(20, 200)) * rng.uniform(0.1, 0.5)
    fibres = noise(rng, size, rng.uniform(1.5, 4), rng.uniform(8, 40)) * rng.uniform(0.1, 0.4)
    base = colour(rng)
    out = _drawn(_mix(base, base * np.float32(rng.uniform(0.4, 0.8)), 0.5 + rings + fibres))
    base = base * 255
    for _ in range(int(rng.integers(0, 4))):
        at = rng.integers(0, size, 2).tolist()
        axes = (int(rng.integers(4, 22)), int(rng.integers(3, 12)))
        cv2.ellipse(out, at, axes, 0, 0, 360, (base * rng.uniform(0.25, 0.6)).tolist(), -1, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 3))):
        row = int(rng.integers(size))
        cv2.line(out, (0, row), (size, row), (base * 0.4).tolist(), int(rng.integers(1, 4)))
    return _turned(rng, out)


def _drawn(image: Floats) -> Image:
    return (np.clip(image, 0, 1) * 255).astype(np.uint8)


def _turned(rng: np.random.Generator, image: Image) -> Image:
    size = image.shape[0]
    turn = cv2.getRotationMatrix2D((size / 2, size / 2), rng.uniform(0, 360), rng.uniform(1.0, 1.6))
    return np.asarray(cv2.warpAffine(image, turn, (size, size), borderMode=cv2.BORDER_REFLECT))


def _pebbles(rng: np.random.Generator, size: int) -> Image:
    """Loops of a carpet, gravel, leather."""
    cell = rng.uniform(5, 26)
    dots = np.full((size, size), 255, np.uint8)
    seeds = rng.integers(0, size, (int((size / cell) ** 2) + 3, 2))
    dots[seeds[:, 0], seeds[:, 1]] = 0
    far = cv2.distanceTransform(dots, cv2.DIST_L2, 3) / np.float32(cell)
    base = colour(rng)
    light = 1 - far * rng.uniform(0.3, 1.2) + noise(rng, size, rng.uniform(2, 5)) * rng.uniform(0.02, 0.3)
    return _drawn(_mix(base * np.float32(rng.uniform(0.2, 0.7)), base, light))


def _weave(rng: np.random.Generator, size: int) -> Image:
    y, x = np.mgrid[:size, :size].astype(np.float32)
    step = rng.uniform(3, 30)
    wave = np.sin(x * 2 * np.pi / step), np.sin(y * 2 * np.pi / (step * rng.uniform(0.6, 1.6)))
    share = wave[0] * wave[1] if rng.random() < 0.6 else np.maximum(wave[0], wave[1])
    share = 0.5 + share * rng.uniform(0.1, 0.8) + noise(rng, size, 2.5) * rng.uniform(0, 0.2)
    return _turned(rng, _drawn(_mix(colour(rng), colour(rng), share)))


def _dots(rng: np.random.Generator, size: int) -> Image:
    """Cloth with dots, a perforated sheet, studs."""
    out, ink = _sheet(size, _ink(rng)), _ink(rng)
    step, radius = rng.uniform(9, 60), rng.uniform(0.12, 0.42)
    jitter = rng.choice([0.0, 0.0, 0.15, 0.6])
    skew = rng.random() < 0.5
    for row in range(int(size / step) + 2):
        for col in range(int(size / step) + 2):
            x, y = np.array([col + 0.5 * (skew and row % 2), row]) * step + rng.normal(0, 1, 2) * jitter * step
            cv2.circle(out, (int(16 * x), int(16 * y)), int(16 * radius * step), ink, -1, cv2.LINE_AA, 4)
    return _turned(rng, out)


def _keys(rng: np.random.Generator, size: int) -> Image:
    out, cap, ink = _sheet(size, _ink(rng)), _ink(rng), _ink(rng)
    step = rng.uniform(18, 80)
    for row in range(int(size / step) + 1):
        x = -rng.uniform(0, step)
        while x < size:
            wide = step * (1 if rng.random() < 0.85 else rng.uniform(1.2, 4))
            corner = (int(x + 0.08 * step), int((row + 0.08) * step))
            cv2.rectangle(out, corner, (int(x + wide - 0.08 * step), int((row + 0.92) * step)), cap, -1)
            if rng.random() < 0.9:
                sign = str(rng.choice(list("QWERTYUIOPASDFGHJKLZXCVBNM1234567890.,:;-+*")))
                at = (int(x + step * rng.uniform(0.2, 0.4)), int((row + 0.65) * step))
                cv2.putText(out, sign, at, int(rng.integers(0, 5)), step / 60, ink, 1 + int(step / 40), cv2.LINE_AA)
            x += wide
    return _turned(rng, out)


def _page(rng: np.random.Generator, size: int) -> Image:
    paper, ink = [rng.uniform(180, 255)] * 3, [rng.uniform(0, 100)] * 3
    out = _sheet(size, paper if rng.random() < 0.7 else _ink(rng))
    step = rng.uniform(9, 50)
    letters = list("abcdefghijklmnopqrstuvwxyz  oO080%:;.ei" if rng.random() < 0.7 else "0O8oQ6D5 %B")
    for row in range(1, int(size / step) + 1):
        line = "".join(rng.choice(letters, int(rng.integers(4, 60))))
        at = (int(rng.integers(-20, 20)), int(row * step))
        cv2.putText(out, line, at, int(rng.integers(0, 5)), step / 32, ink, 1 + int(step / 26), cv2.LINE_AA)
    return _turned(rng, out)


_KINDS = ((_grain, 0.3), (_wood, 0.2), (_pebbles, 0.16), (_weave, 0.1), (_dots, 0.06), (_keys, 0.07), (_page, 0.11))


def ground(rng: np.random.Generator, size: int) -> Floats:
    """A table, shape (size, size, 3), BGR 0 to 1, with other things lying or printed on it."""
    kind = _KINDS[int(rng.choice(len(_KINDS), p=[p for _, p in _KINDS]))][0]
    out = np.ascontiguousarray(kind(rng, size))
    if rng.random() < 0.3:
        _patch(rng, out)
    for _ in range(int(rng.integers(0, 4)) if rng.random() < 0.5 else 0):
        _thing(rng, out)
    return out.astype(np.float32) / 255


def _patch(rng: np.random.Generator, image: Image) -> None:
    """The edge of a board, a box or a machine: a large even region, perhaps with a rim."""
    size = image.shape[0]
    middle = rng.uniform(-0.3, 1.3, 2) * size
    wide, high = rng.uniform(0.3, 1.5, 2) * size
    box = cv2.boxPoints((middle.tolist(), (float(wide), float(high)), float(rng.uniform(0, 90)))).astype(np.int32)
    cv2.fillPoly(image, [box], _ink(rng), cv2.LINE_AA)
    if rng.random() < 0.5:
        cv2.polylines(image, [box], True, _ink(rng), int(rng.integers(1, 14)), cv2.LINE_AA)


def _thing(rng: np.random.Generator, image: Image) -> None:
    """A coin, hole, button, screw, cable, counter or square: round or square, without a number of pips on a cube."""
    size = image.shape[0]
    at, kind = rng.integers(0, size, 2).tolist(), rng.integers(8)
    radius = int(rng.uniform(0.02, 0.12) * size)
    main, other = _ink(rng), _ink(rng)
    if kind <= 2:
        shadow = [at[0] + radius // 4, at[1] + radius // 4]
        cv2.circle(image, shadow, radius, (image[at[1] % size, at[0] % size] * 0.5).tolist(), -1, cv2.LINE_AA)
        cv2.circle(image, at, radius, main, -1, cv2.LINE_AA)
        cv2.circle(image, at, max(1, int(radius * 0.85)), other, max(1, radius // 12), cv2.LINE_AA)
    if kind == 1:
        sign = str(rng.choice(list("0125A$8")))
        where = (at[0] - radius // 2, at[1] + radius // 2)
        cv2.putText(image, sign, where, 0, radius / 20, other, max(1, radius // 8), cv2.LINE_AA)
    elif kind == 2:
        for angle in np.arange(count := int(rng.choice([1, 2, 4]))) * 2 * np.pi / count:
            away = radius * 0.35 * np.array([np.cos(angle), np.sin(angle)]) * (count > 1)
            cv2.circle(image, (np.array(at) + away).astype(int).tolist(), max(1, radius // 6), other, -1, cv2.LINE_AA)
    elif kind == 3:
        cv2.circle(image, at, max(2, radius // 3), main, -1, cv2.LINE_AA)
    elif kind == 4:
        bend = np.cumsum(rng.normal(0, size / 12, (8, 2)), 0) + at
        cv2.polylines(image, [bend.astype(np.int32)], False, main, int(rng.integers(2, 14)), cv2.LINE_AA)
    elif kind == 5:
        box = cv2.boxPoints((at, (2.0 * radius, 2.0 * radius * rng.uniform(0.6, 1.0)), float(rng.uniform(0, 90))))
        cv2.fillPoly(image, [box.astype(np.int32)], main, cv2.LINE_AA)
        if rng.random() < 0.5:
            cv2.circle(image, at, max(1, radius // 2), other, int(rng.choice([1, 2, -1])), cv2.LINE_AA)
    elif kind == 6:
        for place in rng.normal(0, radius, (int(rng.integers(1, 9)), 2)) + at:
            cv2.circle(image, place.astype(int).tolist(), max(1, radius // 6), main, -1, cv2.LINE_AA)
    elif kind == 7:
        cv2.putText(image, "6 o8", at, int(rng.integers(0, 5)), radius / 14, main, max(1, radius // 8), cv2.LINE_AA)
