"""What a camera makes of a scene: exposure, blur, resolution, noise, file."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from training.ground import noise

Floats = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]


def through_lens(rng: np.random.Generator, image: Floats) -> Image:
    """Light, lens, sensor and file: what a camera makes of a scene."""
    size = image.shape[0]
    # Cameras expose for the middle of the scale; a few pictures are too dark or too bright all the same.
    wanted = rng.uniform(0.2, 0.6) if rng.random() < 0.9 else rng.uniform(0.06, 0.85)
    gain = wanted / max(0.02, float(image.mean())) * (1 + rng.normal(0, 0.09, 3))
    image = image * gain.astype(np.float32)
    worn = rng.random()
    if worn < 0.55:
        image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.3, 1.7)))
    elif worn < 0.65:
        length, angle = int(rng.integers(3, 8)), rng.uniform(0, math.pi)
        kernel = np.zeros((9, 9), np.float32)
        arm = np.array([math.cos(angle), math.sin(angle)]) * length / 2
        cv2.line(kernel, np.round(4 - arm).astype(int).tolist(), np.round(4 + arm).astype(int).tolist(), 1.0, 1)
        image = cv2.filter2D(image, -1, kernel / kernel.sum())
    image = np.clip(image, 0, 1) ** np.float32(rng.uniform(0.6, 1.2))
    small = size
    if rng.random() < 0.35:
        small = int(size * rng.uniform(0.55, 0.95))
        image = cv2.resize(image, (small, small), interpolation=cv2.INTER_AREA)
    if rng.random() < 0.3:
        image = image + (image - cv2.GaussianBlur(image, (0, 0), 1.2)) * np.float32(rng.uniform(0.3, 1.5))
    level = rng.exponential(0.018)
    image = image + rng.normal(0, 1, image.shape).astype(np.float32) * np.float32(level)
    if rng.random() < 0.3:
        image = image + noise(rng, small, 3.0)[..., None] * np.float32(rng.uniform(0, 0.03))
    out = np.clip(image * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        quality = int(rng.uniform(35, 96))
        out = cv2.imdecode(cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    if small != size:
        out = cv2.resize(out, (size, size), interpolation=cv2.INTER_CUBIC)
    return np.asarray(out, dtype=np.uint8)
