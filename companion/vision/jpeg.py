"""Pictures as JPEG, for evidence and for the live view."""

from __future__ import annotations

import cv2
import numpy as np

from companion.vision.types import Image


def encode_jpeg(image: Image, *, quality: int = 85) -> bytes:
    """The picture as a JPEG file.

    Args:
        image: Shape (rows, cols, 3), BGR, uint8.
        quality: 1 to 100.

    Raises:
        ValueError: The array is no picture.
    """
    if image.size == 0:
        raise ValueError(f"no picture: its shape is {image.shape}")
    _done, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return encoded.tobytes()


def decode_jpeg(jpeg: bytes) -> Image | None:
    """The picture in a JPEG file, BGR; None where it holds none."""
    found = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR) if jpeg else None
    return None if found is None else np.asarray(found, dtype=np.uint8)
