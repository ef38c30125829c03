"""Pictures as JPEG, for evidence and for the live view."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.types import Image


def encode_jpeg(image: Image, *, quality: int = 85, full_colour: bool = False) -> bytes:
    """The picture as a JPEG file.

    Args:
        image: Shape (rows, cols, 3), BGR, uint8.
        quality: 1 to 100.
        full_colour: Keep the colour of each pixel, for a picture that is measured again: JPEG by itself spreads colour
            over two pixels, and a red die on green felt grows by that.

    Raises:
        ValueError: The array is no picture.
    """
    if image.size == 0:
        raise ValueError(f"no picture: its shape is {image.shape}")
    settings = [cv2.IMWRITE_JPEG_QUALITY, quality]
    if full_colour:
        settings += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444]
    _done, encoded = cv2.imencode(".jpg", image, settings)
    return encoded.tobytes()


def decode_jpeg(jpeg: bytes) -> Image | None:
    """The picture in a JPEG file, BGR; None where it holds none."""
    found = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR) if jpeg else None
    return None if found is None else np.asarray(found, dtype=np.uint8)
