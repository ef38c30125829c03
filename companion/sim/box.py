"""The box and what people do to it: throw, place, lift. The verbs of the world outside."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.sim import casting, hand, motion, placing
from companion.sim.casting import BadThrow, Path, Wish
from companion.sim.clock import SimClock
from companion.sim.flight import RATE_HZ
from companion.sim.hand import Gesture
from companion.sim.motion import Motion
from companion.sim.physical import Physics
from companion.sim.settings import SimSettings
from companion.sim.truth import DieTruth, over_floor

_REACH_MS = 320.0
_STAY_MS = 260.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Thrown:
    """What a throw will have come to when it rests.

    Attributes:
        side: 'attack' or 'defence'.
        start_ns: First motion of a die, boot-clock ns.
        settled_ns: From when on none of its dice moves.
        dice: The dice of this throw in the order asked for, as they lie then.
    """

    side: str
    start_ns: int
    settled_ns: int
    dice: tuple[DieTruth, ...]


class SimBox:
    """A box with dice; all verbs may be called from any thread.

    Args:
        settings: What kind of rig it is.
        clock: The rig's clock.
    """

    def __init__(self, settings: SimSettings, clock: SimClock) -> None:
        self._settings = settings
        self._clock = clock
        self._rng = np.random.default_rng(settings.seed)
        self._lock = threading.Lock()
        self._motions: list[Motion] = []
        self._gestures: list[Gesture] = []
        self._next_id = 0

    def throw(
        self,
        values: Sequence[int],
        *,
        side: str = "attack",
        cocked: Collection[int] = (),
        stacked: Collection[int] = (),
        off_box: Collection[int] = (),
        rim: Collection[int] = (),
        not_rolled: Collection[int] = (),
        placed: Collection[int] = (),
        late: Collection[int] = (),
        knock: bool = False,
        in_ms: float = 0.0,
    ) -> Thrown:
        """Throw dice into the box, beside those that lie there.

        Args:
            values: The number that each die will show on its upper side at rest.
            side: 'attack' or 'defence': the dice's look.
            cocked: Which dice (by place in `values`) come to lean on a wall or on another die of this throw.
            stacked: Which come to lie on another die of this throw.
            off_box: Which miss the box.
            rim: Which stay on the rim or lean on the box from outside.
            not_rolled: Which slide over the floor without tumbling.
            placed: Which a hand puts down.
            late: Which leave the hand about a second after the others.
            knock: Whether they knock a die that lies there; only where throws are computed.
            in_ms: When the throw starts, from now.

        Returns:
            What it will come to; the truth that a reader's verdict is held against.

        Raises:
            BadThrow: Dice can't do that.
        """
        if side not in {"attack", "defence"}:
            raise BadThrow("no-such-side", f"a throw is of side 'attack' or 'defence', not {side!r}", side=side)
        wish = Wish(values=values, cocked=cocked, stacked=stacked, off_box=off_box, rim=rim, slid=not_rolled, late=late)
        start_ns = self._clock.now_ns() + int(in_ms * NS_PER_MS)
        with self._lock:
            self._forget(start_ns)
            if placed:
                thrown = self._place_and_throw(wish, set(placed), side, start_ns)
            else:
                thrown = self._throw(wish, side, start_ns, knock=knock)
            # Dice that were knocked begin to move with the throw and may come to rest after it.
            settled_ns = max(die.rest_ns for die in self._motions if die in thrown or die.start_ns == start_ns)
        return Thrown(
            side=side,
            start_ns=min(die.start_ns for die in thrown),
            settled_ns=settled_ns,
            dice=tuple(die.true(settled_ns) for die in thrown),
        )

    def lift(self, dice: Collection[int] | None = None, *, in_ms: float = 0.0) -> int:
        """A hand takes dice away.

        Args:
            dice: Ids of the dice it takes (see `DieTruth.id`); all when None.
            in_ms: When the hand comes into the picture, from now.

        Returns:
            When the hand has left the picture, boot-clock ns.
        """
        start_ns = self._clock.now_ns() + int(in_ms * NS_PER_MS)
        gone_ns = start_ns + int((_REACH_MS + _STAY_MS / 2) * NS_PER_MS)
        with self._lock:
            taken = [m for m in self._motions if m.is_there(gone_ns) and (dice is None or m.id in dice)]
            middle = np.mean([m.pose(gone_ns)[0] for m in taken], axis=0) if taken else np.zeros(3)
            gesture = hand.reach_and_leave(start_ns, middle, reach_ms=_REACH_MS, stay_ms=_STAY_MS, z_mm=45.0)
            self._gestures.append(gesture)
            self._motions = [replace(m, gone_ns=gone_ns) if m in taken else m for m in self._motions]
        return gesture.end_ns

    def bump(self, *, in_ms: float = 0.0) -> int:
        """Somebody knocks the box: dice that lie on its floor slip a little; no value changes.

        Args:
            in_ms: When, from now.

        Returns:
            When all lie still again, boot-clock ns.
        """
        start_ns = self._clock.now_ns() + int(in_ms * NS_PER_MS)
        push = self._rng.normal(size=2)
        push *= self._rng.uniform(1.5, 4.0) / np.linalg.norm(push)
        with self._lock:
            for die in [die for die in self._motions if die.is_there(start_ns) and die.rest_ns <= start_ns]:
                if over_floor(die.positions[-1]):
                    slip = push * self._rng.uniform(0.7, 1.3)
                    self._go_on(die, motion.slipped(die, start_ns, slip, self._rng.normal() * 0.04))
            return max((die.rest_ns for die in self._motions if die.is_there(start_ns)), default=start_ns)

    def clear(self) -> None:
        """Empty the box at once, as if nothing had ever lain there."""
        with self._lock:
            self._motions.clear()
            self._gestures.clear()

    def truth(self, at_ns: int | None = None) -> tuple[DieTruth, ...]:
        """What is true of each die that is there at a time (now when None), in the order they were thrown."""
        moment = self._clock.now_ns() if at_ns is None else at_ns
        return tuple(die.true(moment) for die in self.scene(moment)[0])

    def scene(self, at_ns: int) -> tuple[tuple[Motion, ...], tuple[Gesture, ...]]:
        """Dice and hands that are there at a time."""
        with self._lock:
            dice = tuple(die for die in self._motions if die.is_there(at_ns))
            hands = tuple(gesture for gesture in self._gestures if gesture.palm(at_ns) is not None)
        return dice, hands

    def _forget(self, now_ns: int) -> None:
        """Drop what can't be asked for any more: dice and hands gone for ten seconds."""
        long_ago = now_ns - 10 * NS_PER_S
        self._motions = [die for die in self._motions if die.gone_ns > long_ago]
        self._gestures = [gesture for gesture in self._gestures if gesture.end_ns > long_ago]

    def _throw(self, wish: Wish, side: str, start_ns: int, *, knock: bool = False) -> list[Motion]:
        there = [die for die in self._motions if die.is_there(start_ns)]
        is_computed = self._settings.physics == "mujoco" and not wish.has_faults
        if knock and not (is_computed and there):
            raise BadThrow(
                "no-knock",
                "a die can be knocked only by a clean throw with physics 'mujoco', where one lies in the box",
            )
        if is_computed:
            return self._computed(wish, side, start_ns, there, knock=knock)
        lying = [die.positions[-1] for die in there]
        paths = casting.cast(wish, self._settings.die_mm, lying, self._rng)
        thrown = [self._motion(path, wish.values[path.place], side, start_ns) for path in paths]
        self._motions.extend(thrown)
        return thrown

    def _computed(self, wish: Wish, side: str, start_ns: int, there: list[Motion], *, knock: bool) -> list[Motion]:
        """A throw computed with the dice that lie there, which it may knock."""
        poses = [die.pose(start_ns) for die in there]
        flown = Physics(self._settings.die_mm, self._rng).throw(len(wish.values), poses, knock=knock)
        paths = [
            Path(
                place=i,
                positions=flown.positions[i],
                quats=flown.quats[i],
                delay=0,
                rest_at=flown.rest_at[i],
                rolled=flown.rolled[i],
            )
            for i in range(flown.dice)
        ]
        count = len(wish.values)
        for die, path in zip(there, paths[count:], strict=True):
            if path.rest_at > 0:
                knocked = replace(
                    die,
                    positions=path.positions,
                    quats=path.quats,
                    start_ns=start_ns,
                    rest_ns=start_ns + path.rest_at * NS_PER_S // RATE_HZ,
                )
                self._go_on(die, knocked)
        thrown = [self._motion(path, wish.values[path.place], side, start_ns) for path in paths[:count]]
        self._motions.extend(thrown)
        return thrown

    def _go_on(self, die: Motion, further: Motion) -> None:
        """Let a die's path go on as another one from that one's start; what was before stays as it was."""
        place = self._motions.index(die)
        self._motions[place : place + 1] = [replace(die, gone_ns=further.start_ns), further]

    def _motion(self, path: Path, value: int, side: str, start_ns: int) -> Motion:
        look = self._settings.look(side)
        begin_ns = start_ns + path.delay * NS_PER_S // RATE_HZ
        self._next_id += 1
        return Motion(
            id=self._next_id,
            side=side,
            look=look,
            size_mm=self._settings.die_mm,
            start_ns=begin_ns,
            positions=path.positions,
            quats=motion.relabelled(path.quats, look, value, self._rng),
            rest_ns=begin_ns + path.rest_at * NS_PER_S // RATE_HZ,
            rolled=path.rolled,
        )

    def _place_and_throw(self, wish: Wish, placed: set[int], side: str, start_ns: int) -> list[Motion]:
        if any(place not in range(len(wish.values)) for place in placed):
            raise BadThrow("no-such-die", f"this throw has dice 0 to {len(wish.values) - 1}", dice=sorted(placed))
        if wish.has_faults:
            raise BadThrow("two-faults", "dice that a hand puts down can't be mixed with other faults in one throw")
        free = [place for place in range(len(wish.values)) if place not in placed]
        thrown: dict[int, Motion] = {}
        if free:
            rest = Wish(values=[wish.values[place] for place in free])
            thrown = dict(zip(free, self._throw(rest, side, start_ns), strict=True))
        begin_ns = start_ns
        for place in sorted(placed):
            die, gesture = self._placed(wish.values[place], side, begin_ns)
            self._motions.append(die)
            self._gestures.append(gesture)
            thrown[place] = die
            begin_ns = gesture.end_ns
        return [thrown[place] for place in range(len(wish.values))]

    def _placed(self, value: int, side: str, start_ns: int) -> tuple[Motion, Gesture]:
        lying = [die.positions[-1] for die in self._motions]
        path, gesture = placing.put_down(start_ns, self._settings.die_mm, lying, self._rng)
        return self._motion(path, value, side, start_ns + placing.REACH_NS), gesture
