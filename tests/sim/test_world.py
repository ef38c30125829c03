"""Throws computed by the physics engine, where it is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from companion.sim import bake, flight, tosses, truth
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.sim.world import World, WorldError


def test_a_thrown_die_comes_to_rest_flat_on_the_floor() -> None:
    """Most throws end with the die flat, exactly level and on the floor, having rolled."""
    (recipe,) = (r for r in tosses.recipes() if (r.kind, r.dice) == ("clean", 1))
    found = list(tosses.find(recipe, 16.0, seed=5, count=4))

    assert 4 == len(found)
    for thrown in found:
        assert (8.0, 0.0) == (
            round(float(thrown.positions[0, -1, 2]), 4),
            round(float(truth.leans_deg(thrown.quats[0, -1])), 4),
        )


def test_the_same_seed_throws_the_same() -> None:
    """A search can be repeated: the store can be computed again."""
    (recipe,) = (r for r in tosses.recipes() if r.kind == "off_box")
    first, second = (next(iter(tosses.find(recipe, 14.0, seed=9, count=1))) for _ in range(2))

    np.testing.assert_array_equal(first.positions, second.positions)


def test_a_search_gives_up() -> None:
    """A fault that does not come in so many throws is not waited for for ever."""
    (recipe,) = (r for r in tosses.recipes() if r.kind == "stacked")

    assert [] == list(tosses.find(recipe, 16.0, seed=1, count=1, most_tries=3))


def test_computed_throws_knock_dice_that_lie() -> None:
    """With the physics at work the second side's dice push those of the first, and the values stay asked for."""
    for seed in range(1, 4):
        rig = SimRig(SimSettings(physics="mujoco", seed=seed), ManualClock())
        first = rig.box.throw([6, 5, 4])
        second = rig.box.throw([3, 2], side="defence", knock=True, in_ms=2000)
        lying = [die for die in rig.box.truth(second.settled_ns) if die.side == "attack"]

        assert list(first.dice) == [die for die in rig.box.truth(second.start_ns - 1) if die.side == "attack"]
        assert [3, 2] == [die.value for die in second.dice]
        assert any(
            np.linalg.norm(np.subtract(before.position_mm, after.position_mm)) > 1.0
            for before, after in zip(first.dice, lying, strict=True)
        )


def test_without_the_engine_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where MuJoCo is not installed, asking for it names the way out; stored throws go on working."""
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(WorldError, match="desktop"):
        World(1, 16.0)

    assert 6 == SimRig(SimSettings(), ManualClock()).box.throw([6]).dice[0].value


@pytest.mark.parametrize("recipe", tosses.recipes(), ids=lambda recipe: f"{recipe.kind}{recipe.dice}")
def test_every_recipe_throws_dice_that_come_to_rest(recipe: tosses.Recipe) -> None:
    """Whatever a recipe looks for, its throws are throws: most end at rest, with poses all the way."""
    rng = np.random.default_rng(2)
    world = World(recipe.dice, 14.0, felt=recipe.felt, wall=recipe.wall)
    flights = [world.throw(recipe.toss(world, rng), kind=recipe.kind) for _ in range(4)]
    ended = [thrown for thrown in flights if thrown is not None]

    assert len(ended) >= 2
    assert {(recipe.kind, recipe.dice)} == {(thrown.kind, thrown.dice) for thrown in ended}
    assert all(max(thrown.rest_at) + 1 == thrown.samples for thrown in ended)


def test_the_store_can_be_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Baking writes a store that loads, with as many throws of each kind and size as are asked for."""
    (clean,) = (r for r in tosses.recipes() if (r.kind, r.dice) == ("clean", 1))
    monkeypatch.setattr(tosses, "recipes", lambda: (clean,))
    monkeypatch.setattr(bake, "COUNTS", {("clean", 1): 3})
    size = bake.bake(tmp_path / "throws.npz")
    back = flight.load(tmp_path / "throws.npz")

    assert size == (tmp_path / "throws.npz").stat().st_size
    assert [16.0, 16.0, 16.0, 14.0, 12.0] == [found.size_mm for found in back]
