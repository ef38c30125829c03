"""How sure a number must be, over renderings of a seed of its own: `python -m training.calibrate --pictures N`.

Runs the reader of photographs over whole rendered pictures, notes for each face that both opinions give a number how
sure each was and whether the number is true, and fits the odds of being right to these figures. The weights that it
prints belong into `companion/vision/photo.py`.
"""

from __future__ import annotations

import argparse
import math
import sys

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision import photo
from training.scene import Image, Truth, draw_patch

_SIDE_PX = 480
_EDGES_PX = (16.0, 110.0)


def picture(rng: np.random.Generator) -> tuple[Image, list[Truth]]:
    """A rendered photograph and the truth about its dice."""
    edge = math.exp(rng.uniform(*np.log(_EDGES_PX)))
    count = int(rng.choice([0, 1, 2, 3, 5, 8], p=[0.2, 0.1, 0.2, 0.2, 0.2, 0.1]))
    return draw_patch(rng, _SIDE_PX, edge, count, 2 if edge < 45 else 1)


def told(reader: photo.PhotoReader, image: Image, truths: list[Truth]) -> list[tuple[npt.NDArray[np.float64], bool]]:
    """Evidence for each number that both opinions give, and whether it is true; faces nobody can judge are left out."""
    out = []
    for seen in reader.looks(image):
        near = [t for t in truths if math.dist(t.middle, seen.face.middle) < 0.5 * t.size]
        if seen.number and seen.number == seen.layout.value and not any(t.unsure for t in near):
            out.append((seen.evidence, any(t.value == seen.number for t in near)))
    return out


def fitted(evidence: npt.NDArray[np.float64], right: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Weights of a logistic fit, the constant last; a mild pull to zero keeps few faces from deciding."""
    given = np.column_stack([evidence, np.ones(len(evidence))])
    weights = np.zeros(given.shape[1])
    pull = np.diag([0.5] * evidence.shape[1] + [0.0])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (chance - right) + pull @ weights
        weights -= np.linalg.solve((given * (chance * (1 - chance))[:, None]).T @ given + pull + 1e-6, slope)
    return weights


def main() -> None:
    """Print the weights, and how many true and false numbers lie beyond some odds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=400)
    parser.add_argument("--seed", type=int, default=5150)
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    rng, reader = np.random.default_rng(asked.seed), photo.PhotoReader()
    pairs = [pair for _ in range(asked.pictures) for pair in told(reader, *picture(rng))]
    evidence, right = np.array([e for e, _ in pairs]), np.array([r for _, r in pairs])
    weights = fitted(evidence, right)
    sys.stdout.write(f"weights {np.round(weights, 2).tolist()} from {len(right)} faces\n")
    odds = evidence @ weights[:-1] + weights[-1]
    for least in np.arange(0.0, 6.1, 0.5):
        taken = odds > least
        sys.stdout.write(f"beyond {least}: {right[taken].sum()} of {right.sum()} true, {(~right[taken]).sum()} false\n")


if __name__ == "__main__":
    main()
