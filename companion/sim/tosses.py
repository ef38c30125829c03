"""How hands throw: seeded launches for clean throws and for every fault that can be asked for.

Faults are found, not staged: each recipe throws dice in a way that makes its fault likelier (towards a wall, onto a
die that lies, past the box), the physics decides, and the recipe's claim says whether this flight is one. So a
cocked die leans because it came to rest leaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from companion.sim import truth, turns
from companion.sim.flight import RATE_HZ, Flight
from companion.sim.turns import Floats
from companion.sim.world import Launch, World

_GRAVITY_MM_S2 = 9810.0
_HAND_Y_MM = -200.0
LEAST_LEAN_DEG = 6.0
"""Least lean of a die that is asked to be cocked: well clear of the limit, so that no one can argue."""

Toss = Callable[[World, np.random.Generator], list[Launch]]
Claim = Callable[[Flight], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One way to throw and what must come of it.

    Attributes:
        kind: Kind of the flights it finds (see `Flight.kind`).
        dice: How many dice it throws.
        toss: Makes the launches.
        claim: Whether a flight is what was wanted.
        felt: Friction of the floor.
        wall: Friction of the walls.
    """

    kind: str
    dice: int
    toss: Toss
    claim: Claim
    felt: float = 0.75
    wall: float = 0.5


def find(recipe: Recipe, size_mm: float, seed: int, count: int, most_tries: int = 60_000) -> Iterator[Flight]:
    """Flights of one kind, found by throwing until the physics has made `count` of them.

    Args:
        recipe: What to throw and what to look for.
        size_mm: Edge length of the dice.
        seed: Where chance starts; the same seed finds the same flights.
        count: How many to find.
        most_tries: After how many throws to give up; then fewer come.
    """
    rng = np.random.default_rng([seed, recipe.dice, int(size_mm * 10), *recipe.kind.encode()])
    world = World(recipe.dice, size_mm, felt=recipe.felt, wall=recipe.wall)
    for _ in range(most_tries):
        flight = world.throw(recipe.toss(world, rng), kind=recipe.kind)
        if flight is None:
            continue
        flight = _faulty_last(flight)
        if recipe.claim(flight):
            yield flight
            count -= 1
            if count == 0:
                return


def verdicts(flight: Flight) -> list[str]:
    """Verdict on each die at the flight's end."""
    return [truth.verdict(flight.positions[i, -1], flight.quats[i, -1], flight.size_mm) for i in range(flight.dice)]


def _faulty_last(flight: Flight) -> Flight:
    """The same flight with its dice in the order valid first, so that a fault is always the last die."""
    order = sorted(range(flight.dice), key=lambda i: verdicts(flight)[i] != "valid")
    return replace(
        flight,
        positions=flight.positions[order],
        quats=flight.quats[order],
        rolled=tuple(flight.rolled[i] for i in order),
        rest_at=tuple(flight.rest_at[i] for i in order),
    )


def _any_turn(rng: np.random.Generator) -> Floats:
    quat = rng.normal(size=4)
    return np.asarray(quat / np.linalg.norm(quat))


def _nearly_flat(rng: np.random.Generator, lean_rad: float) -> Floats:
    yaw = turns.about((0, 0, 1), rng.uniform(0, 2 * np.pi))
    tilt = turns.about(rng.normal(size=3), rng.normal() * lean_rad)
    return turns.product(tilt, turns.product(yaw, turns.CUBE_TURNS[rng.integers(24)]))


def toss_at(
    target_mm: Floats, size_mm: float, rng: np.random.Generator, *, hand_x_mm: float | None = None, spin: float = 15.0
) -> Launch:
    """A launch from a hand before the box so that the die first lands at a point of the floor.

    Args:
        target_mm: Where it lands if nothing is in the way, shape (2,).
        size_mm: Edge length.
        rng: Chance for height, flight time, turn and spin.
        hand_x_mm: Where the hand is, left to right; chance when None.
        spin: Standard deviation of the spin about each axis, rad/s.
    """
    hand_x = rng.uniform(-80, 80) if hand_x_mm is None else hand_x_mm
    start = np.array([hand_x, _HAND_Y_MM + rng.uniform(-6, 6), rng.uniform(85, 130)])
    seconds = rng.uniform(0.16, 0.24)
    rise = (size_mm / 2 - start[2]) / seconds + _GRAVITY_MM_S2 * seconds / 2
    return Launch(
        position_mm=start,
        quat=_any_turn(rng),
        velocity_mm_s=np.append((target_mm - start[:2]) / seconds, rise),
        spin_rad_s=rng.normal(size=3) * spin,
    )


def clean(dice: int, size_mm: float, rng: np.random.Generator) -> list[Launch]:
    """Launches of dice that leave one hand beside one another, towards the middle of the box."""
    middle = rng.uniform(-70, 70)
    gaps = (np.arange(dice) - (dice - 1) / 2) * 1.9 * size_mm
    targets = rng.uniform([-70, -55], [70, 45], size=(dice, 2))
    return [toss_at(target, size_mm, rng, hand_x_mm=middle + gap) for target, gap in zip(targets, gaps, strict=True)]


def _clean(world: World, rng: np.random.Generator) -> list[Launch]:
    return clean(world.dice, world.size_mm, rng)


def _close_pair(world: World, rng: np.random.Generator) -> list[Launch]:
    middle, target = rng.uniform(-60, 60), rng.uniform([-60, -50], [60, 40])
    return [
        toss_at(target + rng.normal(size=2) * 8, world.size_mm, rng, hand_x_mm=middle + gap)
        for gap in (-world.size_mm, world.size_mm)
    ]


def _at_wall(world: World, rng: np.random.Generator) -> list[Launch]:
    far = np.array([rng.uniform(-100, 100), rng.uniform(60, 92)])
    side = np.array([rng.choice([-1, 1]) * rng.uniform(90, 122), rng.uniform(-80, 80)])
    return [toss_at(far if rng.random() < 0.5 else side, world.size_mm, rng)]


def _past_box(world: World, rng: np.random.Generator) -> list[Launch]:
    return [toss_at(rng.uniform([-180, -130], [180, 160]), world.size_mm, rng)]


def _onto_die(world: World, rng: np.random.Generator) -> list[Launch]:
    """One die thrown, and one that comes down over the place where the first will have come to rest."""
    size = world.size_mm
    first = toss_at(rng.uniform([-50, -40], [50, 30]), size, rng)
    alone = World(1, size).throw([first])
    rest, seconds = (alone.positions[0, -1], alone.samples / RATE_HZ + 0.02) if alone else (np.zeros(3), 0.6)
    start = np.array([rest[0] + rng.normal() * 3, rest[1] - 60 + rng.normal() * 3, 75.0])
    rise = (1.5 * size - start[2]) / seconds + _GRAVITY_MM_S2 * seconds / 2
    second = Launch(
        position_mm=start,
        quat=_nearly_flat(rng, 0.25),
        velocity_mm_s=np.array([0.0, 60 / seconds, rise]),
        spin_rad_s=rng.normal(size=3) * 1.5,
    )
    return [first, second]


def _on_rim(world: World, rng: np.random.Generator) -> list[Launch]:
    """A die let go low over a wall: it stays on the rim, or falls to one side of it."""
    beside = truth.FLOOR_X_MM / 2 + rng.uniform(-2, truth.WALL_THICK_MM + world.size_mm)
    start = np.array([rng.choice([-1, 1]) * beside, rng.uniform(-80, 80), rng.uniform(45, 70)])
    return [
        Launch(
            position_mm=start,
            quat=_nearly_flat(rng, 0.3),
            velocity_mm_s=np.array([0.0, rng.normal() * 40, 0.0]),
            spin_rad_s=rng.normal(size=3),
        )
    ]


def _slide(world: World, rng: np.random.Generator) -> list[Launch]:
    start = np.array([rng.uniform(-60, 60), -truth.FLOOR_Y_MM / 2 + world.size_mm, world.size_mm / 2])
    return [
        Launch(
            position_mm=start,
            quat=_nearly_flat(rng, 0.0),
            velocity_mm_s=np.array([rng.normal() * 150, rng.uniform(350, 700), 0.0]),
            spin_rad_s=np.zeros(3),
        )
    ]


def _clean_claim(flight: Flight) -> bool:
    return set(verdicts(flight)) == {"valid"} and all(flight.rolled)


def _last_lean_deg(flight: Flight) -> float:
    return float(truth.leans_deg(flight.quats[-1, -1]))


def _in_sight(flight: Flight) -> bool:
    return bool(np.all(np.abs(flight.positions[:, -1, :2]) < [215, 150]))


def _off_box_claim(flight: Flight) -> bool:
    return verdicts(flight) == ["off_box"] and _in_sight(flight) and flight.positions[0, -1, 2] < 25


def _rim_claim(flight: Flight) -> bool:
    leans = truth.leans_deg(flight.quats[0, -1]) > 5
    on_rim = flight.positions[0, -1, 2] > truth.WALL_HEIGHT_MM
    return verdicts(flight) == ["off_box"] and bool(leans or on_rim)


def recipes() -> tuple[Recipe, ...]:
    """All kinds of throws that a box can be asked for."""
    return (
        *(Recipe(kind="clean", dice=n, toss=_clean, claim=_clean_claim) for n in (1, 2, 3)),
        Recipe(
            kind="cocked",
            dice=1,
            toss=_at_wall,
            claim=lambda f: verdicts(f) == ["cocked"] and _last_lean_deg(f) >= LEAST_LEAN_DEG,
        ),
        Recipe(
            kind="cocked_on",
            dice=2,
            toss=_close_pair,
            claim=lambda f: verdicts(f) == ["valid", "cocked"] and _last_lean_deg(f) >= LEAST_LEAN_DEG,
        ),
        Recipe(kind="stacked", dice=2, toss=_onto_die, claim=lambda f: verdicts(f) == ["valid", "stacked"]),
        Recipe(kind="off_box", dice=1, toss=_past_box, claim=_off_box_claim),
        Recipe(kind="rim", dice=1, toss=_on_rim, claim=_rim_claim, felt=0.95, wall=0.9),
        Recipe(
            kind="slid",
            dice=1,
            toss=_slide,
            claim=lambda f: verdicts(f) == ["valid"] and not any(f.rolled),
            felt=0.3,
        ),
    )
