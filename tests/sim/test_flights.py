"""Stored throws and what is put together from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from companion.sim import baked, casting, flight, tosses, truth, turns
from companion.sim.casting import BadThrow, Wish

KINDS = {"clean": 1, "cocked": 1, "cocked_on": 2, "stacked": 2, "off_box": 1, "rim": 1, "slid": 1}


def test_the_store_is_small_and_holds_every_kind_for_every_size() -> None:
    """The package carries throws of all kinds for 12, 14 and 16 mm in well under two megabytes."""
    assert (12.0, 14.0, 16.0) == baked.sizes_mm()
    assert baked.STORE.stat().st_size < 1_000_000
    for size_mm in baked.sizes_mm():
        assert all(baked.flights(kind, dice, size_mm) for kind, dice in KINDS.items())
        assert all(baked.flights("clean", dice, size_mm) for dice in (1, 2, 3))


@pytest.mark.parametrize("recipe", tosses.recipes(), ids=lambda recipe: f"{recipe.kind}{recipe.dice}")
def test_every_stored_throw_still_is_what_it_is_called(recipe: tosses.Recipe) -> None:
    """Rounding for the store and the symmetries change no verdict."""
    for size_mm in baked.sizes_mm():
        assert all(recipe.claim(found) for found in baked.flights(recipe.kind, recipe.dice, size_mm))


def test_storing_and_loading_keeps_poses_to_a_hair(tmp_path: Path) -> None:
    """Positions come back within 0.02 mm and turns within a tenth of a degree."""
    some = baked.flights("clean", 3, 16.0)[:8]
    flight.save(tmp_path / "throws.npz", some)
    back = flight.load(tmp_path / "throws.npz")

    assert [f.rest_at for f in some] == [f.rest_at for f in back]
    for before, after in zip(some, back, strict=True):
        assert np.abs(before.positions - after.positions).max() <= 0.02
        assert np.abs(np.sum(before.quats * after.quats, axis=-1)).min() > np.cos(np.radians(0.1) / 2)


def test_the_four_forms_of_a_flight_are_mirror_images() -> None:
    """Mirroring and turning move the path as they should and keep leans and heights."""
    found = baked.flights("cocked", 1, 16.0)[0]
    mirrored, turned = found.mirrored(), found.turned()

    np.testing.assert_allclose(found.positions * [-1, 1, 1], mirrored.positions)
    np.testing.assert_allclose(found.positions * [-1, -1, 1], turned.positions)
    for other in (mirrored, turned):
        np.testing.assert_allclose(truth.leans_deg(found.quats), truth.leans_deg(other.quats), atol=1e-9)
    half_turn = turns.about((0, 0, 1), np.pi)
    np.testing.assert_allclose(turns.product(half_turn, found.quats), turned.quats, atol=1e-9)


def test_flights_never_jump() -> None:
    """From one sample to the next no die goes further than a fast hand throws it."""
    for size_mm in baked.sizes_mm():
        for kind, dice in KINDS.items():
            for found in baked.flights(kind, dice, size_mm):
                steps = np.linalg.norm(np.diff(found.positions, axis=1), axis=-1)
                assert steps.max() * flight.RATE_HZ < 4000


@pytest.mark.parametrize("seed", range(12))
def test_dice_of_a_throw_never_pass_through_one_another(seed: int) -> None:
    """Groups that were never thrown together keep clear of each other all the way."""
    rng = np.random.default_rng(seed)
    lying = [np.array([20.0, 10.0, 8.0]), np.array([-60.0, -30.0, 8.0])]
    paths = casting.cast(Wish(values=[1, 2, 3], slid={0}, off_box={1}), 16.0, lying, rng)
    last = max(path.delay + len(path.positions) for path in paths)
    for sample in range(last):
        at = [path.positions[min(max(sample - path.delay, 0), len(path.positions) - 1)] for path in paths]
        gaps = [np.linalg.norm(one - other) for i, one in enumerate(at) for other in [*at[:i], *lying]]
        assert min(gaps) > 1.42 * 16


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"values": []}, "no-dice"),
        ({"values": [7]}, "no-such-face"),
        ({"values": [1, 2], "cocked": {2}}, "no-such-die"),
        ({"values": [1, 2], "late": {5}}, "no-such-die"),
        ({"values": [1, 2], "cocked": {1}, "off_box": {1}}, "two-faults"),
    ],
)
def test_a_throw_that_cannot_be_is_refused(wish: dict[str, object], code: str) -> None:
    """A wish that dice can't fulfil says why."""
    with pytest.raises(BadThrow) as told:
        Wish(**wish)  # type: ignore[arg-type]

    assert code == told.value.code


def test_a_single_die_has_nothing_to_be_stacked_on() -> None:
    """Stacking needs a second die of the throw."""
    with pytest.raises(BadThrow) as told:
        casting.cast(Wish(values=[1], stacked={0}), 16.0, [], np.random.default_rng(1))

    assert "nothing-to-lie-on" == told.value.code


def test_a_size_without_stored_throws_is_refused() -> None:
    """Dice of a size that was never thrown are not invented."""
    with pytest.raises(BadThrow) as told:
        casting.cast(Wish(values=[1]), 13.0, [], np.random.default_rng(1))

    assert "no-flights" == told.value.code


def test_a_box_without_room_is_said_to_be_full() -> None:
    """With dice all over the floor no throw fits, and that is an answer."""
    lying = [np.array([x, y, 8.0]) for x in range(-110, 120, 22) for y in range(-80, 90, 22)]
    with pytest.raises(BadThrow) as told:
        casting.cast(Wish(values=[1, 2, 3]), 16.0, lying, np.random.default_rng(1))

    assert "no-room" == told.value.code
