"""Numbers from pip patterns, by two ways that share nothing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision import face
from companion.vision.types import Floats, Image

SITES = {1: [4], 2: [0, 8], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 3, 6, 2, 5, 8]}
UV = np.array([[u, v] for v in (-1, 0, 1) for u in (-1, 0, 1)], dtype=float)


def turned(points: Floats, angle: float) -> Floats:
    """Points turned about the origin."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([[c, s], [-s, c]]))


def drawn(value: int, *, pip: tuple[int, int, int], body: tuple[int, int, int]) -> Image:
    """A face of 40 px with lattice steps of 10 px in the middle of a small picture."""
    image = np.full((80, 80, 3), 40, np.uint8)
    cv2.rectangle(image, (20, 20), (60, 60), body, -1)
    for u, v in UV[SITES[value]]:
        cv2.circle(image, (round(40 + 10 * u), round(40 + 10 * v)), 4, pip, -1, cv2.LINE_AA)
    return image


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("angle", [0.0, 0.4, 1.2])
def test_spots_in_a_pattern_propose_their_number(value: int, angle: float) -> None:
    """Any turn of a pattern gives its number first, with all its spots."""
    spots = turned(UV[SITES[value]] * 4.0, angle) + np.array([30.0, -12.0])

    best = face.flat_guesses(spots, np.full(len(spots), 100.0), 16.0, 0.25)[0]

    assert value == best.value
    assert len(spots) == len(best.spots)


def test_a_spot_too_many_proposes_nothing_whole() -> None:
    """A strong spot that fits no pattern leaves no guess that ignores it."""
    spots = np.vstack([UV[SITES[4]] * 4.0, [[2.0, 0.5]]])

    assert [] == [g for g in face.flat_guesses(spots, np.full(5, 100.0), 16.0, 0.25) if g.value > 2]


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize(("pip", "body"), [((240, 240, 240), (40, 40, 190)), ((20, 20, 20), (220, 225, 230))])
def test_the_second_opinion_reads_colours_at_the_sites(
    value: int, pip: tuple[int, int, int], body: tuple[int, int, int]
) -> None:
    """Light pips on a dark face and dark ones on a light face give the number with a wide margin."""
    light = sum(pip) > sum(body)
    number, margin = face.second_opinion(drawn(value, pip=pip, body=body), lambda uv: uv * 10.0 + 40.0, light=light)

    assert value == number
    assert margin > 0.5


def test_what_is_lighter_for_one_opinion_and_darker_for_the_other_is_no_number() -> None:
    """In a glare the coloured corners of a face stand out darker; spots that were found lighter are none of these."""
    glaring = drawn(4, pip=(60, 200, 250), body=(255, 255, 255))

    said = [face.second_opinion(glaring, lambda uv: uv * 10.0 + 40.0, light=light)[0] for light in (True, False)]

    assert [None, 4] == said


def test_the_second_opinion_has_none_about_a_bare_face() -> None:
    """A face without pips is no number."""
    bare = np.full((80, 80, 3), (40, 40, 190), np.uint8)

    assert face.second_opinion(bare, lambda uv: uv * 10.0 + 40.0, light=True)[0] is None


def test_planes_are_asked_as_each_would_be_alone() -> None:
    """Spots laid into many planes at once make the faces that they make plane by plane."""
    chance = np.random.default_rng(7)
    spots = np.round(chance.uniform(-6, 6, (4, 14, 2))) * 3.6 + chance.normal(0, 0.3, (4, 14, 2))
    strength = chance.uniform(30.0, 100.0, 14)

    together = face.guesses(spots, strength, 14.0, 0.257)

    assert len(together.value) > 14
    for number, plane in enumerate(spots):
        alone = face.flat_guesses(plane, strength, 14.0, 0.257)
        mine = together.plane == number
        assert [guess.value for guess in alone] == together.value[mine].tolist()
        assert [guess.spots for guess in alone] == [tuple(np.flatnonzero(row).tolist()) for row in together.taken[mine]]
        assert np.allclose([guess.miss for guess in alone], together.miss[mine])
