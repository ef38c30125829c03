"""The face network on plain drawn faces."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision import second
from tests.vision import drawn

_EDGE, _TURN_DEG, _MIDDLE = 60.0, 17.0, np.array([120.0, 120.0])
_EDGES = drawn.edges(_EDGE, _TURN_DEG)


@pytest.mark.parametrize(
    ("body", "pip"), [(drawn.WHITE, drawn.BLACK), (drawn.RED, drawn.WHITE), (drawn.BLACK, (60, 200, 230))]
)
@pytest.mark.parametrize("value", range(1, 7))
def test_every_number_is_named(value: int, body: drawn.Colour, pip: drawn.Colour) -> None:
    """Dark pips on light and light pips on dark."""
    crop = second.cut(drawn.photograph([value], body=body, pip=pip), _MIDDLE, _EDGES)

    odds = second.FaceNet().read([crop], turns=4)

    assert (1, 7) == odds.shape
    assert value == odds[0].argmax()


def test_a_bare_face_has_no_number() -> None:
    """Without pips there is nothing to name."""
    crop = second.cut(drawn.photograph([0]), _MIDDLE, _EDGES)

    assert second.FaceNet().read([crop], turns=4)[0].argmax() == 0


def test_corners_and_edges_cut_the_same_face() -> None:
    """A face cut by its four corners is the face cut by its middle and edges."""
    image = drawn.photograph([5])
    unit = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])

    one = second.cut(image, _MIDDLE, _EDGES)
    other = second.square(image, unit @ _EDGES.T + _MIDDLE)

    assert float(np.abs(one.astype(float) - other).mean()) < 6.0


def test_a_face_out_of_the_picture_is_cut_all_the_same() -> None:
    """Nothing of it is to be seen, and nothing fails."""
    crop = second.cut(drawn.photograph([5]), np.array([-500.0, 40.0]), _EDGES)

    assert (36, 36, 3) == crop.shape


def test_no_faces_no_answer() -> None:
    """An empty list is answered by an empty table."""
    assert (0, 7) == second.FaceNet().read([]).shape
