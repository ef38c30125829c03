"""Spoilt pictures: what is true stays where the spoiling put it, and the reader vouches for nothing wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from companion.commands.read import line_of
from companion.commands.vision_fuzz import spoil, wrongs
from companion.sim import examples, records
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings

STAY = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def said(value: int | None, verdict: str = "valid", at: tuple[float, float] = (700.0, 400.0)) -> dict[str, object]:
    """A die as the reader prints it."""
    return {"value": value, "verdict": verdict, "center_px": at}


def test_a_spot_is_found_where_the_spoiling_put_it() -> None:
    """A bright spot moves with the places of the picture, whatever is done to it."""
    image = np.full((400, 600, 3), 40, np.uint8)
    image[196:205, 296:305] = 230
    for seed in range(25):
        spoilt = spoil(image, np.random.default_rng(seed))
        x, y = (spoilt.moved @ [300.0, 200.0, 1.0]).round().astype(int)
        rows, columns = spoilt.image.shape[:2]
        if 6 < x < columns - 6 and 6 < y < rows - 6:
            spot = spoilt.image[y - 2 : y + 3, x - 2 : x + 3].mean()
            assert spot > spoilt.image.mean() + 8, spoilt.done


def test_places_decide_where_there_are_places() -> None:
    """A wrong value, a value for a void die and a value where no die is are told; refusals are not."""
    record = {
        "camera": {"fx": 1190.0, "position_mm": [0.0, 0.0, 500.0]},
        "dice": [
            {"value": 4, "verdict": "valid", "size_mm": 16.0, "center_px": [700.0, 400.0]},
            {"value": None, "verdict": "cocked", "size_mm": 16.0, "center_px": [900.0, 400.0]},
        ],
    }
    moved = np.array([[1.0, 0.0, 10.0], [0.0, 1.0, 0.0]])
    right, refused = said(4, at=(710.0, 400.0)), said(None, "unreadable", (910.0, 400.0))
    bad = [said(5, at=(710.0, 400.0)), said(2, at=(910.0, 400.0)), said(1, at=(300.0, 300.0))]

    assert [] == wrongs(record, moved, {"dice": [right, refused]})
    assert 3 == len(wrongs(record, moved, {"dice": bad}))
    assert ["1 where no die is, at (300.0, 300.0)"] == wrongs(record | {"dice": []}, moved, {"dice": bad[2:]})


def test_values_decide_where_there_are_no_places() -> None:
    """Of a photograph only the multiset is known; a die that nobody could name spares one value."""
    record = {"dice": [{"value": 4}, {"value": 4}, {"value": None}]}

    assert [] == wrongs(record, STAY, {"dice": [said(4), said(4), said(6)]})
    assert ["no 6 is there"] == wrongs(record, STAY, {"dice": [said(6), said(6)]})


@pytest.mark.parametrize("kind", ["valid", "off_box", "colours", "glare"])
def test_spoilt_simulated_pictures_give_no_wrong_value(kind: str) -> None:
    """Whatever was done to a picture, a value that is vouched for is right."""
    for number, scene in enumerate(examples.scenes(77, 3, kind)):
        spoilt = spoil(scene.image, np.random.default_rng([77, number]))
        answer = line_of(Path("x"), BoxReader(ReaderSettings()).read(spoilt.image))

        assert [] == wrongs(records.still(scene, "x"), spoilt.moved, answer), spoilt.done
