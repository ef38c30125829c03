"""Turns, the camera's geometry, and what is true of a die that lies so and so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.sim import body, motion, optics, truth, turns
from companion.sim.body import Look

SPHERE = (
    st.tuples(*[st.floats(-1, 1)] * 4)
    .filter(lambda q: 0.1 < np.linalg.norm(q))
    .map(lambda q: np.array(q) / np.linalg.norm(q))
)


@settings(deadline=None)
@given(SPHERE, SPHERE)
def test_a_product_of_turns_is_one_after_the_other(first: turns.Floats, second: turns.Floats) -> None:
    """Multiplying quaternions multiplies their matrices."""
    both = turns.matrices(turns.product(first, second))

    np.testing.assert_allclose(turns.matrices(first) @ turns.matrices(second), both, atol=1e-9)


@settings(deadline=None)
@given(SPHERE)
def test_a_matrix_gives_back_its_turn(quat: turns.Floats) -> None:
    """From quaternion to matrix and back is the same turn, up to the sign that means nothing."""
    back = turns.from_matrix(turns.matrices(quat))

    assert abs(abs(float(back @ quat)) - 1) < 1e-9


def test_a_cube_has_twenty_four_turns() -> None:
    """All are different and each carries the cube's axes onto axes."""
    matrices = turns.matrices(turns.CUBE_TURNS)

    assert 24 == len(np.unique(np.round(matrices.reshape(24, 9)), axis=0))
    assert {-1.0, 0.0, 1.0} == set(np.round(matrices.ravel(), 9) + 0.0)


@settings(deadline=None)
@given(SPHERE)
def test_no_die_leans_further_than_on_its_corner(quat: turns.Floats) -> None:
    """A lean lies between 0 and 54.74 degrees, and the height between one die and a corner's reach."""
    lean, reach = float(truth.leans_deg(quat)), float(truth.reach_mm(quat, 16.0))

    assert 0 <= lean <= 54.74
    assert 8 - 1e-6 <= reach <= 8 * np.sqrt(3)


def test_opposite_faces_add_up_to_seven() -> None:
    """So it is on every die."""
    opposite = truth.FACE_NORMALS @ truth.FACE_NORMALS.T

    assert [(1, 6), (2, 5), (3, 4)] == [(a + 1, b + 1) for a, b in np.argwhere(opposite < -0.5) if a < b]


@pytest.mark.parametrize("look", [body.RED, Look(colour="red", body=(0, 0, 200), pips=(9, 9, 9), left_handed=True)])
@pytest.mark.parametrize("value", range(1, 7))
def test_any_value_can_be_made_to_lie_on_top(look: Look, value: int) -> None:
    """Numbering a cube's faces anew puts the value asked for on its upper side, also on left-handed dice."""
    rng = np.random.default_rng(value)
    quats = np.array([rng.normal(size=4) for _ in range(5)])
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    turned = motion.relabelled(quats, look, value, rng)

    top = look.face(int(truth.top_faces(turned[-1])))

    assert value == top
    np.testing.assert_allclose(truth.leans_deg(quats), truth.leans_deg(turned), atol=1e-6)


@pytest.mark.parametrize(
    ("position", "lean_deg", "expected"),
    [
        ((0, 0, 8), 0, "valid"),
        ((0, 0, 24), 0, "stacked"),
        ((0, 0, 10), 6, "cocked"),
        ((0, 0, 30), 20, "cocked"),
        ((119.9, 0, 8), 0, "valid"),
        ((120.1, 0, 8), 0, "off_box"),
        ((124, 0, 38), 0, "off_box"),
        ((0, -90.1, 10), 30, "off_box"),
    ],
)
def test_verdicts_are_judged_in_their_order(position: tuple[float, ...], lean_deg: float, expected: str) -> None:
    """Off the box comes before stacked, stacked before cocked."""
    quat = turns.about((1, 0, 0), float(np.radians(lean_deg)))

    assert expected == truth.verdict(np.array(position, float), quat, 16.0)


@pytest.mark.parametrize("k1", [0.0, -0.05, 0.05])
def test_a_pixels_ray_goes_back_through_the_pixel(k1: float) -> None:
    """Projection and rays are each other's inverse, with and without distortion."""
    camera = optics.overhead(width=160, height=90, tilt_deg=3, tilt_towards_deg=70, roll_deg=-4, k1=k1)
    rays = camera.rays()
    floor = camera.position_mm + rays * (-camera.position_mm[2] / rays[..., 2:])
    columns, rows = np.meshgrid(np.arange(160), np.arange(90))

    np.testing.assert_allclose(np.stack([columns, rows], axis=-1), camera.project(floor), atol=0.02)


def test_the_standard_camera_sees_the_rig_as_drawn() -> None:
    """Straight down from 500 mm with 66 degrees: x to the right, y up, 2.36 px a millimetre on the floor."""
    camera = optics.overhead()
    middle, right, up = camera.project(np.array([[0, 0, 0], [100, 0, 0], [0, 100, 0]], float))

    np.testing.assert_allclose([767.5, 431.5], middle, atol=1e-6)
    assert right[0] - middle[0] == pytest.approx(middle[1] - up[1])
    assert camera.scale_px_per_mm() == pytest.approx((right[0] - middle[0]) / 100)


def test_the_shell_is_a_rounded_cube() -> None:
    """No corner reaches outside the cube, each face has its flat square, and all facets look outwards."""
    assert 0.5 == pytest.approx(np.abs(body.SHELL_CORNERS).max())
    for face in range(1, 7):
        np.testing.assert_allclose(truth.FACE_NORMALS[face - 1], body.SHELL_NORMALS[body.flat_facet(face)], atol=1e-9)
    assert np.all(np.sum(body.SHELL_MIDDLES * body.SHELL_NORMALS, axis=1) > 0.3)


@pytest.mark.parametrize("value", range(1, 7))
def test_each_face_has_as_many_pips_as_its_number_says(value: int) -> None:
    """Pips lie on their own face, within it."""
    discs = body.pip_discs(body.RED, value)
    face = truth.FACE_NORMALS[value - 1]

    assert value == len(discs)
    np.testing.assert_allclose(0.5, discs @ face, atol=1e-9)
    assert np.abs(discs).max() <= 0.5
