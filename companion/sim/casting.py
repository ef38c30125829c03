"""Throws put together from flights: which dice fly how, so that none passes through another.

Theory: a throw as asked for ("three attack dice: 6, 4 and 2, the second cocked") is cut into groups whose dice act on
one another (a die and the one it leans on) and singles that do not. Each group takes a flight of its kind; a flight
fits when none of its dice comes nearer to a die of another group, or to one that lies in the box, than two dice can
be without touching. With some hundred flights in four symmetric forms one nearly always fits, and nothing in the
picture betrays that the groups were never thrown together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from companion.hw.ports import RigError
from companion.sim import baked
from companion.sim.flight import Flight
from companion.sim.turns import Floats

_CLEAR = 1.5
"""Least distance of two middles, in dice: two flat cubes corner to corner need 1.42."""
_TRIES = 60
_LATE_SAMPLES = 54


class BadThrow(RigError, ValueError):
    """A throw was asked for that dice can't make."""

    def __init__(self, code: str, message: str, **values: object) -> None:
        super().__init__("sim", code, message, **values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a throw should come to.

    Attributes:
        values: Number on each die's upper side at rest.
        cocked: Dice (by place in `values`) that come to lean on a wall or on another die.
        stacked: Dice that come to lie on another die of the same throw.
        off_box: Dice that miss the box.
        rim: Dice that come to rest on the rim or against the box from outside.
        slid: Dice that slide over the floor and do not roll.
        late: Dice that leave the hand about a second after the others.
    """

    values: Sequence[int]
    cocked: Collection[int] = ()
    stacked: Collection[int] = ()
    off_box: Collection[int] = ()
    rim: Collection[int] = ()
    slid: Collection[int] = ()
    late: Collection[int] = ()

    def __post_init__(self) -> None:
        if not self.values:
            raise BadThrow("no-dice", "a throw needs at least one die")
        for value in self.values:
            if value not in range(1, 7):
                raise BadThrow("no-such-face", f"a die shows 1 to 6, got {value!r}", value=value)
        asked = [place for kind in _FAULTS for place in getattr(self, kind)]
        for place in {*asked, *self.late}:
            if place not in range(len(self.values)):
                raise BadThrow(
                    "no-such-die", f"this throw has dice 0 to {len(self.values) - 1}, not {place!r}", die=place
                )
        if len(asked) != len(set(asked)):
            raise BadThrow("two-faults", "a die can have one fault only", dice=sorted(asked))

    @property
    def has_faults(self) -> bool:
        """Whether anything but a clean throw is asked for."""
        return bool(self.late) or any(getattr(self, kind) for kind in _FAULTS)


_FAULTS = ("cocked", "stacked", "off_box", "rim", "slid")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Path:
    """The path of one die of a throw.

    Attributes:
        place: Its place in the wish's values.
        positions: Shape (samples, 3).
        quats: Shape (samples, 4), faces not yet numbered.
        delay: Samples between the throw's start and this die's.
        rest_at: Sample of its own path from which it lies still.
        rolled: Whether it rolled.
    """

    place: int
    positions: Floats
    quats: Floats
    delay: int
    rest_at: int
    rolled: bool


def cast(wish: Wish, size_mm: float, lying: Sequence[Floats], rng: np.random.Generator) -> tuple[Path, ...]:
    """Paths for all dice of a throw.

    Args:
        wish: What it should come to.
        size_mm: Edge length of the dice.
        lying: Middles of dice that already lie there, each of shape (3,).
        rng: Chance.

    Raises:
        BadThrow: No stored flights fit, or none of that kind are stored for dice of that size.
    """
    for _ in range(_TRIES):
        paths: list[Path] = []
        for kind, places in _groups(wish, rng):
            flights = baked.flights(kind, len(places), size_mm)
            if not flights:
                raise BadThrow(
                    "no-flights",
                    f"no stored throw of kind {kind!r} for {size_mm:g} mm dice",
                    kind=kind,
                    size_mm=size_mm,
                )
            group = _fitting(flights, places, wish, others=paths, size_mm=size_mm, lying=lying, rng=rng)
            if group is None:
                break
            paths.extend(group)
        else:
            return tuple(sorted(paths, key=lambda path: path.place))
    raise BadThrow("no-room", f"no way to throw {len(wish.values)} more dice past the {len(lying)} that lie there")


def _groups(wish: Wish, rng: np.random.Generator) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Kinds of flights and the dice that fly them; a pair's second die is the faulty one."""
    faulty = {place for kind in _FAULTS for place in getattr(wish, kind)}
    clean = [place for place in range(len(wish.values)) if place not in faulty and place not in wish.late]
    rng.shuffle(clean)
    if len(wish.stacked) > len(clean):
        raise BadThrow("nothing-to-lie-on", "a stacked die needs a clean die of the same throw to lie on")
    for place in wish.stacked:
        yield "stacked", (clean.pop(), place)
    for place in wish.cocked:
        if clean and place not in wish.late and rng.random() < 0.4:
            yield "cocked_on", (clean.pop(), place)
        else:
            yield "cocked", (place,)
    for kind in ("off_box", "rim", "slid"):
        for place in getattr(wish, kind):
            yield kind, (place,)
    for place in wish.late:
        if place not in faulty:
            yield "clean", (place,)
    for begin in range(0, len(clean), 3):
        yield "clean", tuple(clean[begin : begin + 3])


def _fitting(
    flights: Sequence[Flight],
    places: tuple[int, ...],
    wish: Wish,
    *,
    others: Sequence[Path],
    size_mm: float,
    lying: Sequence[Floats],
    rng: np.random.Generator,
) -> tuple[Path, ...] | None:
    """The first flight, in chance order, that keeps clear of all other dice."""
    late = _LATE_SAMPLES + int(rng.integers(20)) if set(places) & set(wish.late) else 0
    for number in rng.permutation(len(flights))[:120]:
        flight = flights[number]
        delay = late + (int(rng.integers(1, 7)) if others else 0)
        group = tuple(
            Path(
                place=place,
                positions=flight.positions[i],
                quats=flight.quats[i],
                delay=delay,
                rest_at=flight.rest_at[i],
                rolled=flight.rolled[i],
            )
            for i, place in enumerate(places)
        )
        if all(_clear(path, other, size_mm) for path in group for other in others) and all(
            _clear_of(path, middle, size_mm) for path in group for middle in lying
        ):
            return group
    return None


def _clear(one: Path, other: Path, size_mm: float) -> bool:
    begin = max(one.delay, other.delay)
    end = max(one.delay + len(one.positions), other.delay + len(other.positions))
    samples = np.arange(begin, end)
    gap = one.positions[np.minimum(samples - one.delay, len(one.positions) - 1)]
    gap = gap - other.positions[np.minimum(samples - other.delay, len(other.positions) - 1)]
    return bool(np.min(np.sum(gap * gap, axis=-1)) > (_CLEAR * size_mm) ** 2)


def _clear_of(path: Path, middle: Floats, size_mm: float) -> bool:
    gap = path.positions - middle
    return bool(np.min(np.sum(gap * gap, axis=-1)) > (_CLEAR * size_mm) ** 2)
