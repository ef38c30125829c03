"""The face network on plain drawn faces."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision import second
from companion.vision.types import Floats, Image

_SITES = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
    5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
    6: [(-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)],
}
_EDGE, _MIDDLE = 64.0, np.array([80.0, 70.0])


def drawn(value: int, *, body: tuple[int, int, int], pip: tuple[int, int, int], turn_deg: float = 20.0) -> Image:
    """A die's face seen square on, on a grey table."""
    image = np.full((140, 160, 3), 110, np.uint8)
    corners = cv2.boxPoints((_MIDDLE.tolist(), (_EDGE, _EDGE), turn_deg))
    cv2.fillPoly(image, [np.round(corners).astype(np.int32)], body, cv2.LINE_AA)
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    for site in _SITES.get(value, []):
        at = _MIDDLE + np.array([[c, -s], [s, c]]) @ np.array(site) * 0.25 * _EDGE
        cv2.circle(image, np.round(at).astype(int).tolist(), round(0.09 * _EDGE), pip, -1, cv2.LINE_AA)
    return cv2.GaussianBlur(image, (0, 0), 1.0)


def edges(turn_deg: float = 20.0) -> Floats:
    """The drawn face's edges as columns."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return np.array([[c, -s], [s, c]]) * _EDGE


@pytest.mark.parametrize(
    ("body", "pip"), [((235, 240, 240), (20, 20, 20)), ((40, 40, 190), (240, 240, 240)), ((25, 25, 25), (60, 200, 230))]
)
@pytest.mark.parametrize("value", range(1, 7))
def test_every_number_is_named(value: int, body: tuple[int, int, int], pip: tuple[int, int, int]) -> None:
    """Dark pips on light and light pips on dark."""
    crop = second.cut(drawn(value, body=body, pip=pip), _MIDDLE, edges())

    odds = second.FaceNet().read([crop], turns=4)

    assert (1, 7) == odds.shape
    assert value == odds[0].argmax()


def test_a_bare_face_has_no_number() -> None:
    """Without pips there is nothing to name."""
    crop = second.cut(drawn(0, body=(235, 240, 240), pip=(0, 0, 0)), _MIDDLE, edges())

    assert second.FaceNet().read([crop], turns=4)[0].argmax() == 0


def test_corners_and_edges_cut_the_same_face() -> None:
    """A face cut by its four corners is the face cut by its middle and edges."""
    image = drawn(5, body=(235, 240, 240), pip=(20, 20, 20))
    unit = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])

    one = second.cut(image, _MIDDLE, edges())
    other = second.square(image, unit @ edges().T + _MIDDLE)

    assert float(np.abs(one.astype(float) - other).mean()) < 6.0


def test_no_faces_no_answer() -> None:
    """An empty list is answered by an empty table."""
    assert (0, 7) == second.FaceNet().read([]).shape
