"""The box's verbs: what was asked for is what comes to lie there."""

from __future__ import annotations

import pytest

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.sim.casting import BadThrow
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings


@pytest.fixture
def rig() -> SimRig:
    """A rig whose time is wound on by hand."""
    return SimRig(SimSettings(), ManualClock())


def wind(rig: SimRig, to_ns: int) -> None:
    """Let time pass."""
    assert isinstance(rig.clock, ManualClock)
    rig.clock.advance_to(to_ns)


def test_a_clean_throw_shows_the_values_asked_for(rig: SimRig) -> None:
    """All dice lie flat, have rolled, and show what was wanted, in the order it was wanted."""
    thrown = rig.box.throw([6, 4, 1])

    assert [6, 4, 1] == [die.value for die in thrown.dice]
    assert {("valid", True, "red", 0.0, 16.0)} == {
        (die.verdict, die.rolled, die.colour, round(die.lean_deg, 3), round(die.height_mm, 3)) for die in thrown.dice
    }


def test_each_fault_falls_on_the_die_it_was_asked_for(rig: SimRig) -> None:
    """Cocked, stacked, off the box, on the rim, slid, placed and late each come true, on that die alone."""
    for fault, verdict, rolled in (
        ("cocked", "cocked", True),
        ("stacked", "stacked", None),
        ("off_box", "off_box", True),
        ("rim", "off_box", None),
        ("not_rolled", "valid", False),
        ("placed", "valid", False),
        ("late", "valid", True),
    ):
        rig.box.clear()
        thrown = rig.box.throw([5, 3, 2], **{fault: {1}})  # type: ignore[arg-type]
        faulty = thrown.dice[1]

        assert ["valid", verdict, "valid"] == [die.verdict for die in thrown.dice], fault
        assert rolled is None or rolled == faulty.rolled
        assert 3 == faulty.top
        assert (faulty.value is None) == (faulty.lean_deg >= 3)


def test_a_late_die_leaves_about_a_second_after_the_others(rig: SimRig) -> None:
    """The others lie at rest before it is let go."""
    rig.box.throw([5, 3], late={1})
    first, late = rig.box.scene(rig.clock.now_ns() + 3 * NS_PER_S)[0]

    assert first.rest_ns < late.start_ns
    assert 0.8 < (late.start_ns - first.start_ns) / NS_PER_S < 1.4


def test_the_second_side_flies_beside_dice_that_lie(rig: SimRig) -> None:
    """A defence throw leaves the attack dice where they are; both lie there afterwards."""
    attack = rig.box.throw([6, 6, 2])
    wind(rig, attack.settled_ns)
    defence = rig.box.throw([5, 1], side="defence")
    wind(rig, defence.settled_ns)

    assert [*attack.dice, *defence.dice] == list(rig.box.truth())
    assert {"blue"} == {die.colour for die in defence.dice}


def test_dice_are_called_moving_until_they_rest(rig: SimRig) -> None:
    """While they tumble no value is true of them."""
    thrown = rig.box.throw([6], in_ms=100)
    middle_ns = (thrown.start_ns + thrown.settled_ns) // 2

    assert () == rig.box.truth(thrown.start_ns - 1)
    assert [None] == [die.value for die in rig.box.truth(middle_ns)]
    assert [6] == [die.value for die in rig.box.truth(thrown.settled_ns)]


def test_a_hand_takes_all_dice_or_those_it_is_told_to(rig: SimRig) -> None:
    """Lifting one die leaves the others; lifting again empties the box; nothing vanishes before the hand is there."""
    thrown = rig.box.throw([6, 5, 4])
    wind(rig, thrown.settled_ns)
    gone_ns = rig.box.lift({thrown.dice[1].id})
    assert 3 == len(rig.box.truth(thrown.settled_ns + 100 * NS_PER_MS))
    wind(rig, gone_ns)

    assert [6, 4] == [die.value for die in rig.box.truth()]
    wind(rig, rig.box.lift())
    assert () == rig.box.truth()
    assert () == rig.box.scene(gone_ns + 60 * NS_PER_S)[1]


def test_a_knocked_box_moves_its_dice_and_changes_no_value(rig: SimRig) -> None:
    """A bump shifts what lies there a little; it is not a throw."""
    thrown = rig.box.throw([6, 5, 4])
    wind(rig, thrown.settled_ns + NS_PER_S)
    still_ns = rig.box.bump(in_ms=500)

    assert list(thrown.dice) == list(rig.box.truth(rig.clock.now_ns() + 400 * NS_PER_MS))
    wind(rig, still_ns)

    for before, after in zip(thrown.dice, rig.box.truth(), strict=True):
        gone = sum((a - b) ** 2 for a, b in zip(before.position_mm, after.position_mm, strict=True)) ** 0.5
        assert 0.5 < gone < 8
        assert (before.value, before.verdict, before.id) == (after.value, after.verdict, after.id)


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"values": [6], "side": "red"}, "no-such-side"),
        ({"values": [6], "placed": {3}}, "no-such-die"),
        ({"values": [6, 6], "placed": {0}, "cocked": {1}}, "two-faults"),
        ({"values": [0]}, "no-such-face"),
        ({"values": [6], "knock": True}, "no-knock"),
    ],
)
def test_what_dice_cannot_do_is_refused(rig: SimRig, how: dict[str, object], code: str) -> None:
    """A verb that makes no sense changes nothing and says why."""
    with pytest.raises(BadThrow) as told:
        rig.box.throw(**how)  # type: ignore[arg-type]

    assert code == told.value.code
    assert () == rig.box.truth(rig.clock.now_ns() + NS_PER_S)


def test_an_evening_of_throws_never_runs_out(rig: SimRig) -> None:
    """Two hundred rounds of attack, defence, a die thrown again, and lifting all find their flights."""
    for number in range(200):
        attack = rig.box.throw([1 + number % 6, 2, 3], cocked={2} if number % 5 == 0 else ())
        wind(rig, attack.settled_ns)
        defence = rig.box.throw([4, 5], side="defence")
        wind(rig, defence.settled_ns)
        if number % 5 == 0:
            wind(rig, rig.box.lift({attack.dice[2].id}))
            wind(rig, rig.box.throw([6]).settled_ns)
        assert 5 == len(rig.box.truth())
        wind(rig, rig.box.lift())

    assert () == rig.box.truth()
