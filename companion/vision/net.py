"""The two small networks of the reader, as OpenCV runs them.

Theory. Both were trained on nothing but our own renderings (`training/`). The finder says of each cell of a picture
whether the upper face of a die lies there, with its number, size, turn and squeeze; the face reader names the number
of one face that was cut out and squared. Neither is believed alone: the layout of the pips must agree (`layout.py`).
"""

from __future__ import annotations

from importlib import resources
from typing import Literal

import cv2
import numpy as np

from companion.vision.types import Floats


class Net:
    """One network with its own working memory; not to be shared between threads."""

    def __init__(self, name: Literal["face", "finder"]) -> None:
        weights = (resources.files("companion.vision") / "weights" / f"{name}.onnx").read_bytes()
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(weights, dtype=np.uint8))

    def run(self, pictures: Floats) -> Floats:
        """Answers to a stack of pictures.

        Args:
            pictures: Shape (n, 3, rows, cols), BGR, 0 to 1, float32.
        """
        self._net.setInput(pictures)
        return np.asarray(self._net.forward())


def odds(scores: Floats) -> Floats:
    """Scores along the last axis as probabilities."""
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))
