"""Examples for measuring a reader: the picture and the truth about it tell the same."""

from __future__ import annotations

import numpy as np
import pytest

from companion.sim import arrange, clutter, examples, truth
from companion.sim.arrange import Pose
from companion.sim.layouts import KINDS
from companion.sim.stage import stage_of

FAULTY = {
    "cocked_wall": "cocked",
    "cocked_die": "cocked",
    "stacked": "stacked",
    "stack_alone": "stacked",
    "off_box": "off_box",
    "rim": "off_box",
    "picture_edge": "off_box",
}


@pytest.fixture(scope="module")
def found() -> dict[str, list[examples.Scene]]:
    """Six scenes of each kind."""
    return {kind: list(examples.scenes(11, 6, kind)) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_fault_and_no_other(found: dict[str, list[examples.Scene]], kind: str) -> None:
    """Some die of each scene has the verdict that makes its kind; all others lie flat and valid."""
    expected = FAULTY.get(kind, "valid")
    for scene in found[kind]:
        verdicts = [die.truth.verdict for die in scene.dice]
        assert set(verdicts) <= {"valid", expected}
        assert (kind == "empty") != (expected in verdicts)
        assert all((die.truth.lean_deg < 3) == (die.truth.value is not None) for die in scene.dice)


def test_leans_lie_evenly_between_five_and_fifty_four_degrees() -> None:
    """Over the scenes of a cocked kind every part of the range is met equally often."""
    leans = sorted(scene.dice[0].truth.lean_deg for scene in examples.scenes(4, 14, "cocked_wall"))
    both = sorted(
        die.truth.lean_deg
        for scene in examples.scenes(4, 14, "cocked_wall")
        for die in scene.dice
        if die.truth.value is None
    )

    np.testing.assert_allclose(5 + 49 * (np.arange(28) + 0.5) / 28, both, atol=0.05)
    assert leans[0] < 15
    assert leans[-1] > 45


def test_the_same_seed_gives_the_same_pictures(found: dict[str, list[examples.Scene]]) -> None:
    """A measurement can be repeated."""
    (again,) = examples.scenes(11, 1, "many")

    assert np.array_equal(found["many"][0].image, again.image)


def test_dice_lie_in_the_picture_where_the_truth_says(found: dict[str, list[examples.Scene]]) -> None:
    """Around a die's place the picture differs from that of the empty rig, far from all dice it does not."""
    for scene in found["valid"]:
        empty = stage_of(scene.settings).empty.astype(int)
        difference = np.abs(scene.image.astype(int) - empty).mean(axis=2)
        for die in scene.dice:
            x, y = (round(place) for place in die.centre_px)
            assert difference[y - 5 : y + 6, x - 5 : x + 6].mean() > 12
        assert difference[:40].mean() < 6


def test_a_covered_face_is_known_to_be_covered(found: dict[str, list[examples.Scene]]) -> None:
    """Under a stacked die the lower face is partly hidden, the upper one seen whole."""
    for scene in found["stacked"]:
        assert scene.dice[0].visible < 0.9
        assert scene.dice[1].visible > 0.97
    for scene in found["stack_alone"]:
        assert scene.dice[0].visible < 0.4


def test_a_die_at_the_edge_of_the_picture_is_cut(found: dict[str, list[examples.Scene]]) -> None:
    """Its middle lies near the left or the right edge, on either side of it."""
    for scene in found["picture_edge"]:
        x, _ = scene.dice[0].centre_px
        assert min(abs(x), abs(x - scene.image.shape[1])) < 40


def test_a_lamp_is_mirrored_on_a_polished_die(found: dict[str, list[examples.Scene]]) -> None:
    """Part of the first die of most such scenes is as bright as can be; no die of ordinary scenes is."""

    def blown(scene: examples.Scene) -> int:
        x, y = (round(place) for place in scene.dice[0].centre_px)
        return int((scene.image[y - 18 : y + 18, x - 18 : x + 18].min(axis=2) >= 250).sum())

    assert sum(blown(scene) > 20 for scene in found["glare"]) >= 4
    assert sum(blown(scene) > 20 for scene in found["valid"]) == 0


def test_a_shadow_runs_across_the_first_die(found: dict[str, list[examples.Scene]]) -> None:
    """One part of its face is in light and the other is not, which no die of ordinary scenes shows."""

    def spread(scene: examples.Scene) -> float:
        x, y = (round(place) for place in scene.dice[0].centre_px)
        patch = scene.image[y - 11 : y + 12, x - 11 : x + 12].max(axis=2)
        return float(np.percentile(patch, 80) / max(1.0, float(np.percentile(patch, 20))))

    shaded, plain = ([spread(scene) for scene in found[kind]] for kind in ("hard_shadow", "valid"))
    assert np.median(shaded) > 1.25 * np.median(plain)


def test_any_body_has_pips_that_stand_out(found: dict[str, list[examples.Scene]]) -> None:
    """Whatever the colours are, people could read these dice."""
    assert {die.truth.colour for scene in found["colours"] for die in scene.dice} == {"any"}
    assert all(die.pip_contrast > 25 for scene in found["colours"] for die in scene.dice)


def test_clutter_lies_where_it_is_said_to_lie() -> None:
    """Around each thing the picture differs from that of the empty rig, and dice keep clear of it."""
    kinds = set()
    for scene in examples.scenes(11, 10, "clutter"):
        optics, empty = scene.settings.optics(), stage_of(scene.settings).empty.astype(int)
        difference = np.abs(scene.image.astype(int) - empty).max(axis=2)
        for prop in scene.props:
            x, y = optics.project(np.array([*prop.at_mm, prop.height_mm])).round().astype(int)
            assert difference[y - 3 : y + 4, x - 3 : x + 4].mean() > 12
            kinds.add(prop.kind)
    assert set(clutter.KINDS) == kinds


def test_pips_stand_out_in_ordinary_light(found: dict[str, list[examples.Scene]]) -> None:
    """Where no hard light falls, every pip of the upper face differs clearly from the face around it."""
    assert all(die.pip_contrast > 40 for scene in found["valid"] for die in scene.dice)


def test_a_kind_that_is_not_there_is_refused() -> None:
    """Unknown kinds are named together with the known."""
    with pytest.raises(ValueError, match="cocked_wall"):
        next(examples.scenes(1, 1, "upside_down"))


@pytest.mark.parametrize("lean_deg", [5.0, 20.0, 44.0, 50.0, 54.0])
def test_a_lean_is_what_it_is_asked_to_be(lean_deg: float) -> None:
    """Tilting about edges and corners gives every lean a cube can have."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        quat = arrange.leaning(lean_deg, rng.uniform(0, 6), rng)

        assert lean_deg == pytest.approx(float(truth.leans_deg(quat)), abs=0.02)


def test_no_cube_leans_by_sixty_degrees() -> None:
    """A lean that no cube has is refused."""
    with pytest.raises(ValueError, match=r"54\.7"):
        arrange.leaning(60.0, 0.0, np.random.default_rng(1))


def test_dice_beside_one_another_touch_and_do_not_overlap() -> None:
    """Pushed together they stop at contact: a hair closer they would stand in each other."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        lower = arrange.on_floor(3.0, -4.0, arrange.any_flat(rng), 16.0)
        towards = rng.uniform(0, 6.28)
        tilted = arrange.on_floor(0, 0, arrange.leaning(float(rng.uniform(5, 50)), towards, rng), 16.0)
        placed = arrange.beside(tilted, lower, 16.0, towards)
        nearer = Pose(
            position_mm=placed.position_mm - 0.3 * np.array([np.cos(towards), np.sin(towards), 0]), quat=placed.quat
        )

        assert not arrange.overlap(placed, lower, 16.0)
        assert arrange.overlap(nearer, lower, 16.0)


def test_a_die_against_a_wall_touches_it() -> None:
    """Its outermost point lies on the wall's face, inside and outside."""
    quat = arrange.leaning(30.0, np.pi, np.random.default_rng(2))
    pose = arrange.on_floor(0, 10, quat, 14.0)
    inside, outside = (arrange.against_wall(pose, 14.0, 0, sign=1, outside=out) for out in (False, True))

    assert 240 / 2 - inside.position_mm[0] == pytest.approx(outside.position_mm[0] - 240 / 2 - 8)
    assert "cocked" == truth.verdict(inside.position_mm, quat, 14.0)
    assert "off_box" == truth.verdict(outside.position_mm, quat, 14.0)
