"""Pictures spoilt at random, for a reader that must say less then but nothing wrong.

A spoilt picture is cropped, turned, made noisy, darker or brighter, blurred or squeezed as JPEG, one to three of these.
What is true of a die stays true wherever the die goes. Counted is every value that the reader vouches for and that is
wrong, whether or not it called people to the rest of the picture; each is told with how its picture was read, as the
box or as a photograph without one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from companion.commands.vision_jobs import Result
    from companion.vision.types import Image

Affine = npt.NDArray[np.float64]

_REACH = 0.6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spoilt:
    """A spoilt picture.

    Attributes:
        image: The picture, BGR.
        moved: Where each place of the picture went, shape (2, 3), px.
        done: What was done to it, in words and figures.
    """

    image: Image
    moved: Affine
    done: str


def spoil(image: Image, rng: np.random.Generator) -> Spoilt:
    """A picture with one to three things done to it."""
    moved: Affine = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    done = []
    for at in sorted(rng.choice(len(_WAYS), size=int(rng.integers(1, 4)), replace=False).tolist()):
        image, step, said = _WAYS[at](image, rng)
        moved = step @ np.vstack([moved, [0.0, 0.0, 1.0]])
        done.append(said)
    return Spoilt(image=image, moved=moved, done=", ".join(done))


_Way = Callable[["Image", np.random.Generator], tuple["Image", Affine, str]]
_STAY: Affine = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def _crop(image: Image, rng: np.random.Generator) -> tuple[Image, Affine, str]:
    rows, columns = image.shape[:2]
    width, height = (int(side * rng.uniform(0.5, 1.0)) for side in (columns, rows))
    x, y = int(rng.integers(0, columns - width + 1)), int(rng.integers(0, rows - height + 1))
    move = np.array([[1.0, 0.0, -x], [0.0, 1.0, -y]])
    return np.ascontiguousarray(image[y : y + height, x : x + width]), move, f"crop {x},{y} {width}x{height}"


def _turn(image: Image, rng: np.random.Generator) -> tuple[Image, Affine, str]:
    rows, columns = image.shape[:2]
    angle = float(rng.uniform(-12, 12) if rng.random() < 0.5 else rng.uniform(-180, 180))
    move = np.asarray(cv2.getRotationMatrix2D(((columns - 1) / 2, (rows - 1) / 2), angle, 1.0))
    turned = cv2.warpAffine(image, move, (columns, rows), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(turned, np.uint8), move, f"turn {angle:.1f}"


def _noise(image: Image, rng: np.random.Generator) -> tuple[Image, Affine, str]:
    spread = float(rng.uniform(3, 25))
    grain = rng.normal(0, spread, image.shape).astype(np.float32)
    return np.clip(image + grain, 0, 255).astype(np.uint8), _STAY, f"noise {spread:.1f}"


def _light(image: Image, rng: np.random.Generator) -> tuple[Image, Affine, str]:
    gain, lift = float(np.exp(rng.uniform(np.log(0.3), np.log(2.2)))), float(rng.uniform(-25, 25))
    return np.clip(image * gain + lift, 0, 255).astype(np.uint8), _STAY, f"light {gain:.2f} {lift:+.0f}"


def _blur(image: Image, rng: np.random.Generator) -> tuple[Image, Affine, str]:
    spread = float(rng.uniform(0.5, 3.0))
    return np.asarray(cv2.GaussianBlur(image, (0, 0), spread), np.uint8), _STAY, f"blur {spread:.1f}"


def _jpeg(image: Image, rng: np.random.Generator) -> tuple[Image, Affine, str]:
    quality = int(rng.integers(12, 90))
    _done, squeezed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(squeezed, cv2.IMREAD_COLOR), np.uint8), _STAY, f"jpeg {quality}"


_WAYS: tuple[_Way, ...] = (_crop, _turn, _light, _blur, _noise, _jpeg)


def run(folder: Path, records: Sequence[Mapping[str, Any]], seed: int, count: int) -> Result:
    """Read spoilt pictures of a folder.

    Args:
        folder: Where the pictures are.
        records: Labels of photographs or truths of stills.
        seed: Where chance starts; spoilt picture `n` is made with the chance of [seed, n] and nothing else.
        count: How many to make.
    """
    from companion.commands.read import line_of, picture_of
    from companion.commands.vision_jobs import Result
    from companion.vision.reader import BoxReader
    from companion.vision.settings import ReaderSettings

    out = Result()
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        record = records[int(rng.integers(len(records)))]
        path = folder / record["image"]
        spoilt = spoil(picture_of(path), rng)
        answer = line_of(path, BoxReader(ReaderSettings()).read(spoilt.image))
        out.counts.update(fuzz_pictures=1, fuzz_dice=len(record["dice"]))
        for wrong in wrongs(record, spoilt.moved, answer):
            out.counts.update(fuzz_wrong=1, fuzz_wrong_unflagged=int(not answer["needs_referee"]))
            read_as = "box" if answer["tray_found"] else "photograph"
            out.notes.append(f"fuzz [{seed}, {number}] {record['image']}: {spoilt.done}: as a {read_as}: {wrong}")
    return out


def wrongs(record: Mapping[str, Any], moved: Affine, answer: Mapping[str, Any]) -> list[str]:
    """The values that an answer vouches for and that are wrong, told one by one.

    Args:
        record: What is true of the picture as it was: with a camera, its dice have places; without, only values count.
        moved: Where its places went.
        answer: What the reader said of the spoilt picture.
    """
    said = [die for die in answer["dice"] if die["verdict"] == "valid" and die["value"] is not None]
    if "camera" not in record:
        known = Counter(die["value"] for die in record["dice"])
        extra = Counter(die["value"] for die in said) - known
        spare = known[None]
        return [f"no {value} is there" for value in sorted(extra.elements())][spare:]
    camera, out = record["camera"], []
    for die in said:
        true = min(record["dice"], key=partial(_apart, die, moved), default=None)
        reach_px = 0.0 if true is None else _REACH * true["size_mm"] * camera["fx"] / camera["position_mm"][2]
        if true is None or _apart(die, moved, true) > reach_px:
            out.append(f"{die['value']} where no die is, at {die['center_px']}")
        elif (true["verdict"], true["value"]) != ("valid", die["value"]):
            out.append(f"{true['verdict']} {true['value']} read as {die['value']} at {die['center_px']}")
    return out


def _apart(die: Mapping[str, Any], moved: Affine, true: Mapping[str, Any]) -> float:
    return float(np.hypot(*(moved @ [*true["center_px"], 1.0] - die["center_px"])))
