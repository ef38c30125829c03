"""Films of the simulated rig watched frame by frame."""

from __future__ import annotations

import numpy as np
import pytest

from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.vision.motion import BoxMotion, small_of
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.settle import ThrowWatch
from companion.vision.types import DiceLifted, FoundLying, MotionBegan, ThrowRead, ViewBack, ViewLost, WatchEvent

MS = 1_000_000
FRAME_MS = 33
SETTINGS = ReaderSettings(die_mm=16.0)


def watched(rig: SimRig, start_ns: int, length_ms: int) -> list[WatchEvent]:
    """All events of a film that begins at a time."""
    watch = ThrowWatch(SETTINGS, BoxReader(SETTINGS))
    events: list[WatchEvent] = []
    for number, ms in enumerate(range(0, length_ms, FRAME_MS)):
        at_ns = start_ns + ms * MS
        events.extend(watch.feed(rig.camera.picture(at_ns, number), None, at_ns))
    return events


@pytest.mark.parametrize("faces", [[], [6, 4]])
def test_what_lies_there_when_the_watch_begins_is_found(faces: list[int]) -> None:
    """Thrown by nobody, and told once, before anything moves; an empty box too."""
    rig = SimRig(SimSettings(seed=6), ManualClock())
    if faces:
        rig.box.throw(faces, in_ms=0)

    events = watched(rig, 3_000 * MS, 600)

    found = [event for event in events if isinstance(event, FoundLying)]
    assert [sorted(faces)] == [sorted(die.value for die in one.reading.dice if die.value) for one in found]
    assert not any(isinstance(event, ThrowRead) for event in events)


def test_two_sides_are_two_throws_and_the_first_stands() -> None:
    """The attack is read at its own rest; the defence later is a throw of its own, in which the attack did not move."""
    clock = ManualClock()
    rig = SimRig(SimSettings(seed=6), clock)
    start_ns = clock.now_ns()
    first = rig.box.throw([6, 4], in_ms=300)
    second = rig.box.throw([5], side="defence", in_ms=2300)

    events = watched(rig, start_ns, 4200)

    throws = [event for event in events if isinstance(event, ThrowRead)]
    assert [1, 2] == [throw.number for throw in throws]
    assert [4, 6] == sorted(d.value for d in throws[0].reading.dice if d.value)
    assert [5] == [d.value for d in throws[1].reading.dice if d.moved]
    assert [4, 6] == sorted(d.value for d in throws[1].reading.dice if d.value and not d.moved)
    assert all(d.rolled for d in throws[0].reading.dice)
    for throw, truth in zip(throws, (first, second), strict=True):
        assert abs(throw.settled_ns - truth.settled_ns) < 5 * FRAME_MS * MS
    assert any(isinstance(event, MotionBegan) for event in events)


def test_a_hand_that_takes_the_dice_is_no_throw() -> None:
    """Lifted dice are told with how many are left; nothing else is read into it."""
    clock = ManualClock()
    rig = SimRig(SimSettings(seed=6), clock)
    start_ns = clock.now_ns()
    rig.box.throw([3], in_ms=300)
    rig.box.lift(in_ms=2200)

    events = watched(rig, start_ns, 3800)

    assert [1] == [e.number for e in events if isinstance(e, ThrowRead)]
    assert [0] == [e.left for e in events if isinstance(e, DiceLifted)]


def test_a_placed_die_did_not_roll() -> None:
    """A die that a hand puts down is read, and said not to have rolled."""
    clock = ManualClock()
    rig = SimRig(SimSettings(seed=6), clock)
    start_ns = clock.now_ns()
    rig.box.throw([4], placed={0}, in_ms=400)

    events = watched(rig, start_ns, 3200)

    (throw,) = [event for event in events if isinstance(event, ThrowRead)]
    assert [(4, False)] == [(d.value, d.rolled) for d in throw.reading.dice]


def test_a_covered_lens_is_said_once_and_taken_back() -> None:
    """The view is lost with its reason, and comes back."""
    rig = SimRig(SimSettings(), ManualClock())
    watch = ThrowWatch(SETTINGS, BoxReader(SETTINGS))
    shown = rig.camera.picture(0, 0)
    black = np.zeros_like(shown)

    events = [
        event for n, image in enumerate((shown, black, black, shown)) for event in watch.feed(image, None, n * 33 * MS)
    ]

    assert [ViewLost(at_ns=33 * MS, why="dark"), ViewBack(at_ns=99 * MS)] == [
        event for event in events if isinstance(event, ViewLost | ViewBack)
    ]


def test_dice_taken_while_the_lens_was_covered_are_gone() -> None:
    """What lay there before nobody saw anything is not believed to lie there still."""
    clock = ManualClock()
    rig = SimRig(SimSettings(seed=6), clock)
    start_ns = clock.now_ns()
    rig.box.throw([3], in_ms=300)
    rig.box.lift(in_ms=2400)
    watch = ThrowWatch(SETTINGS, BoxReader(SETTINGS))
    events: list[WatchEvent] = []
    for number, ms in enumerate(range(0, 4400, FRAME_MS)):
        at_ns = start_ns + ms * MS
        picture = rig.camera.picture(at_ns, number)
        image = np.zeros_like(picture) if 2250 < ms < 3900 else picture
        events.extend(watch.feed(image, None, at_ns))

    assert [1] == [e.number for e in events if isinstance(e, ThrowRead)]
    assert 1 == len([e for e in events if isinstance(e, ViewBack)])
    assert [0] == [e.left for e in events if isinstance(e, DiceLifted)]
    assert watch.is_empty


def test_a_die_on_its_way_outside_is_waited_for() -> None:
    """Something small that moves on the table is a die; something wide is a hand, and nobody waits for it."""
    rig = SimRig(SimSettings(), ManualClock())
    image = rig.camera.picture(0, 0)
    reader = BoxReader(SETTINGS)
    tray = reader.place(image)
    assert tray is not None
    before = small_of(image, None)
    motion = BoxMotion(SETTINGS, tray, before.shape)
    die, hand = before.copy(), before.copy()
    die[100:108, 20:28] = 250
    hand[60:160, 0:60] = 250

    assert [True, False, False] == [motion.rolls_outside(now, before) for now in (die, hand, before)]


def test_a_throw_whose_box_cannot_be_placed_is_read_when_it_can() -> None:
    """The box was pushed while hands lay on its markers; nothing is read against its old place, and nothing is lost."""
    rig = SimRig(SimSettings(seed=6), ManualClock())
    empty = rig.camera.picture(0)
    throw = rig.box.throw([6, 4])
    thrown = np.roll(rig.camera.picture(throw.settled_ns), (9, 14), (0, 1))
    covered = thrown.copy()
    covered[:200, :500] = covered[:200, 1000:] = covered[680:, :500] = covered[680:, 1000:] = (150, 170, 200)
    watch = ThrowWatch(SETTINGS, BoxReader(SETTINGS))
    events = []
    for number, image in enumerate([empty] * 10 + [covered] * 40 + [thrown] * 40):
        found = watch.feed(image, None, number * FRAME_MS * MS)
        events += [(number, event) for event in found if isinstance(event, ThrowRead)]

    ((number, read),) = events
    assert number >= 50
    assert [4, 6] == sorted(die.value for die in read.reading.dice if die.value)
