"""The camera's thread: pictures before facts, outages, dice that nobody saw come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.hw.clock import NS_PER_MS, boot_ns
from companion.hw.ports import Frame, Image, RigError
from companion.journal import Evidence, EvidenceError
from companion.session import commands as c
from companion.table import watch as watching
from companion.table.care import BoxCare
from companion.table.keeping import Keeper
from companion.table.sides import SideColours, die_fact
from companion.table.watch import BoxWatch
from companion.vision.settings import ReaderSettings
from companion.vision.tray import Tray
from companion.vision.types import (
    Bumped,
    CameToRest,
    DiceLifted,
    DieReading,
    FoundLying,
    MotionBegan,
    Reading,
    ThrowRead,
    ViewBack,
    ViewLost,
    WatchEvent,
)

PICTURE: Image = np.zeros((48, 64, 3), dtype=np.uint8)
COLOURS = SideColours(attack=frozenset({"red"}), defence=frozenset({"blue"}))


def a_die(value: int | None, *, colour: str | None = "red", moved: bool = True, verdict: str = "valid") -> DieReading:
    """A die as the reader gives it."""
    return DieReading(
        value=value,
        verdict=verdict,  # type: ignore[arg-type]
        colour=colour,
        center_px=(10.0, 10.0),
        box_px=(5, 5, 10, 10),
        outline_px=(),
        lean_deg=0.4,
        height_mm=16.04,
        confidence=0.9876,
        why=None,
        rolled=True,
        moved=moved,
    )


def a_throw(*dice: DieReading) -> ThrowRead:
    """Dice that were read at rest."""
    reading = Reading(dice=dice, needs_referee=False, scale_px_per_mm=2.0, tray_found=True, warnings=())
    return ThrowRead(number=1, started_ns=1, settled_ns=2, reading=reading, image=PICTURE)


@dataclass
class Script:
    """Stands in for camera and reader: a list of steps, one a frame; an error is a failing camera or reader."""

    steps: list[WatchEvent | Exception | None]
    opened: int = 0
    made: int = 0
    posted: list[c.Command] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    name: str = "script"
    tray: Tray | None = None
    is_still: bool = False
    _next: WatchEvent | Exception | None = None
    _number: int = 0

    def open_camera(self) -> Script:
        """The camera."""
        self.opened += 1
        return self

    def make_watch(self) -> Any:
        """The reader."""
        self.made += 1
        return self

    def read(self, timeout_ms: int) -> Frame | None:
        """The next frame, or none once the script is over."""
        if not self.steps:
            self.done.set()
            time.sleep(0.005)
            return None
        step = self.steps.pop(0)
        if isinstance(step, RigError):
            raise step
        self._next = step
        self._number += 1
        return Frame(image=PICTURE, luma=None, at_ns=boot_ns(), number=self._number)

    def feed(self, _image: Image, _luma: Image | None, _at_ns: int) -> tuple[WatchEvent, ...]:
        """What the reader makes of the frame."""
        if isinstance(self._next, Exception):
            self.is_still = False
            raise self._next
        self.is_still = isinstance(self._next, FoundLying | ThrowRead | DiceLifted | Bumped)
        return (self._next,) if self._next is not None else ()

    def close(self) -> None:
        """Nothing to let go of."""

    def notes(self) -> list[str]:
        """Codes of what was noted."""
        return [command.code for command in self.posted if isinstance(command, c.Note)]

    def found(self) -> list[c.FindDice]:
        """Dice that lay there when the camera began to look."""
        return [command for command in self.posted if isinstance(command, c.FindDice)]

    def seen(self) -> list[c.SeeDice]:
        """Dice that were handed over."""
        return [command for command in self.posted if isinstance(command, c.SeeDice)]


@contextmanager
def looking(script: Script, evidence: Evidence, *, in_box: int = 0) -> Iterator[BoxWatch]:
    """A watch that has played its script."""
    watch = BoxWatch(
        open_camera=script.open_camera,
        make_watch=script.make_watch,
        count_in_box=lambda _image, _tray: in_box,
        keeper=Keeper(evidence),
        care=BoxCare(ReaderSettings(), script.posted.append),
        colours=COLOURS,
        post=script.posted.append,
    )
    watch.start()
    try:
        assert script.done.wait(10)
        yield watch
    finally:
        watch.close()
        watch.close()


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    """A folder for pictures."""
    return Evidence(tmp_path / "evidence")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "RETRY_S", 0.01)


def lying(*dice: DieReading) -> FoundLying:
    """What lay there when the reader began."""
    return FoundLying(at_ns=7, reading=a_throw(*dice).reading, image=PICTURE)


def motion() -> MotionBegan:
    """Something began to move."""
    return MotionBegan(at_ns=boot_ns())


def test_picture_is_on_the_disk_before_the_reading_is_handed_over(evidence: Evidence) -> None:
    """Evidence, then fact: whoever hears of dice can look at them."""
    script = Script(steps=[lying(), motion(), a_throw(a_die(6))])
    there: list[bool] = []
    post = script.posted.append

    def looks(command: c.Command) -> None:
        if isinstance(command, c.SeeDice):
            there.append(command.evidence in evidence.names())
        post(command)

    watch = BoxWatch(
        open_camera=script.open_camera,
        make_watch=script.make_watch,
        count_in_box=lambda _image, _tray: 0,
        keeper=Keeper(evidence),
        care=BoxCare(ReaderSettings(), script.posted.append),
        colours=COLOURS,
        post=looks,
    )
    watch.start()
    assert script.done.wait(10)
    watch.close()

    assert [True] == there


def test_reading_without_room_for_its_picture_counts_and_says_so(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pictures are given up before facts."""

    def refuse(_picture: bytes) -> str:
        raise EvidenceError("no room")

    monkeypatch.setattr(evidence, "put", refuse)
    script = Script(steps=[lying(), motion(), a_throw(a_die(6))])

    with looking(script, evidence):
        assert (["evidence-lost"], [None]) == (script.notes(), [seen.evidence for seen in script.seen()])


def test_dice_that_lay_there_before_the_camera_looked_are_no_throw(evidence: Evidence) -> None:
    """A service that crashed while dice lay in the box must not count them twice; what comes after them is one."""
    script = Script(steps=[None, lying(a_die(6), a_die(4)), motion(), a_throw(a_die(1))])

    with looking(script, evidence):
        assert [([6, 4], 7)] == [([die.value for die in one.dice], one.found_ns) for one in script.found()]
        assert [one.evidence in evidence.names() for one in script.found()] == [True]
        assert [[1]] == [[die.value for die in seen.dice] for seen in script.seen()]
        assert [True] == [die.rolled for seen in script.seen() for die in seen.dice]


def test_dice_that_fell_while_the_reader_began_are_found_and_not_seen_to_come(evidence: Evidence) -> None:
    """Right after a restart nobody can tell which of them moved: it is told by where they lie."""
    script = Script(steps=[None, motion(), CameToRest(at_ns=boot_ns()), a_throw(a_die(6), a_die(4))])

    with looking(script, evidence):
        assert ([[6, 4]], [], []) == (
            [[die.value for die in one.dice] for one in script.found()],
            script.seen(),
            script.notes(),
        )


def test_box_that_was_empty_when_the_camera_looked_is_known(evidence: Evidence) -> None:
    """The next dice are a throw, however soon they come; of an empty box no picture is kept."""
    script = Script(steps=[None, lying(), motion(), a_throw(a_die(3))])

    with looking(script, evidence):
        assert [((), None)] == [(one.dice, one.evidence) for one in script.found()]
        assert ([], [3]) == (script.notes(), [die.value for seen in script.seen() for die in seen.dice])


def test_camera_that_dies_during_play_comes_back_and_says_what_nobody_saw(evidence: Evidence) -> None:
    """Unplugged, opened again and again, back: dice that came meanwhile may have been laid there."""
    gone = RigError("camera", "unplugged", "the camera is unplugged")
    script = Script(
        steps=[lying(), motion(), a_throw(a_die(6)), gone, gone, motion(), a_throw(a_die(6, moved=False), a_die(2))]
    )

    with looking(script, evidence) as watch:
        assert 3 == script.opened
        assert ["camera-failed", "camera-back"] == script.notes()
        assert [(6, False, True), (2, True, None)] == [
            (die.value, moved, die.rolled)
            for die, moved in zip(script.seen()[-1].dice, script.seen()[-1].moved, strict=True)
        ]
        assert ("ok", "running") == tuple(watch.health()[0][key] for key in ("state", "code"))


def test_camera_that_is_gone_is_on_the_health_page_and_holds_up_no_signal(evidence: Evidence) -> None:
    """Without a camera there is nothing to wait for."""
    script = Script(steps=[None, motion()])

    with looking(script, evidence) as watch:
        assert not watch.has_seen(boot_ns() + NS_PER_MS)
        assert watch.rolling_since_ns is not None
        script.done.clear()
        script.steps += [RigError("camera", "unplugged", "the camera is unplugged")] * 200
        _until(lambda: watch.health()[0]["code"] == "unplugged")

        assert ("fail", {"driver": "script"}) == (watch.health()[0]["state"], watch.health()[0]["values"])
        assert (True, None, None, 0) == (
            watch.has_seen(boot_ns()),
            watch.rolling_since_ns,
            watch.live_jpeg(),
            watch.frame_ns,
        )


def _until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_reader_that_fails_begins_anew_and_the_game_goes_on(evidence: Evidence) -> None:
    """One picture that nobody foresaw must not end the reading of dice for the evening."""
    script = Script(steps=[None, ValueError("nobody foresaw this"), lying(), motion(), a_throw(a_die(5))])

    with looking(script, evidence):
        assert (2, ["camera-failed", "camera-back"]) == (script.made, script.notes())
        assert [5] == [die.value for seen in script.seen() for die in seen.dice]


def test_view_that_is_lost_is_said_and_what_came_meanwhile_was_not_seen(evidence: Evidence) -> None:
    """A hand over the lens while the dice fell."""
    script = Script(
        steps=[
            lying(),
            motion(),
            a_throw(a_die(6)),
            ViewLost(at_ns=1, why="dark"),
            ViewBack(at_ns=2),
            a_throw(a_die(6, moved=False), a_die(1)),
        ]
    )

    with looking(script, evidence) as watch:
        assert ["view-lost", "view-back"] == script.notes()
        assert [True, None] == [die.rolled for die in script.seen()[-1].dice]
        assert "ok" == watch.health()[0]["state"]


def test_lost_view_is_a_warning_as_long_as_it_lasts(evidence: Evidence) -> None:
    """The health page says what stands in the way."""
    script = Script(steps=[None, ViewLost(at_ns=1, why="no-tray")])

    with looking(script, evidence) as watch:
        assert ("warn", "no-tray") == tuple(watch.health()[0][key] for key in ("state", "code"))


@pytest.mark.parametrize(("left", "in_box", "told"), [(0, 5, 0), (3, 1, 1), (2, 0, 0)])
def test_dice_beside_the_box_do_not_hold_up_a_lift(evidence: Evidence, left: int, in_box: int, told: int) -> None:
    """The box is empty when nothing lies in it, whatever lies beside it."""
    script = Script(steps=[lying(), motion(), DiceLifted(at_ns=7, left=left)])

    with looking(script, evidence, in_box=in_box) as watch:
        assert [(told, 7)] == [(x.left, x.lifted_ns) for x in script.posted if isinstance(x, c.SeeLift)]
        assert watch.rolling_since_ns is None


def test_bump_is_noted_and_nothing_rolls_after_it(evidence: Evidence) -> None:
    """Somebody leant on the table."""
    script = Script(steps=[lying(), motion(), Bumped(at_ns=7_000_000)])

    with looking(script, evidence) as watch:
        assert (["box-bumped"], None) == (script.notes(), watch.rolling_since_ns)


def test_what_was_found_is_handed_over_before_the_box_is_said_to_be_still(evidence: Evidence) -> None:
    """Whoever rules a signal looks at the box first: a lift that is not yet told must not be missed."""
    script = Script(steps=[lying(), motion(), DiceLifted(at_ns=7, left=0), motion(), Bumped(at_ns=8), motion()])
    rolling: list[bool] = []
    watch: BoxWatch

    def post(command: c.Command) -> None:
        if not isinstance(command, c.FindDice):
            rolling.append(watch.rolling_since_ns is not None)

    watch = BoxWatch(
        open_camera=script.open_camera,
        make_watch=script.make_watch,
        count_in_box=lambda _image, _tray: 0,
        keeper=Keeper(evidence),
        care=BoxCare(ReaderSettings(), script.posted.append),
        colours=COLOURS,
        post=post,
    )
    watch.start()
    assert script.done.wait(10)
    watch.close()

    assert [True, True] == rolling


def test_live_picture_is_made_at_most_five_times_a_second(evidence: Evidence) -> None:
    """However many ask for it."""
    script = Script(steps=[None])

    with looking(script, evidence) as watch:
        first = watch.live_jpeg()
        assert first is not None
        assert first is watch.live_jpeg()


def test_die_of_no_side_s_colour_is_nobody_s() -> None:
    """Where colours tell the sides, a green die is unreadable; a red one keeps what was measured."""
    green, red = die_fact(a_die(4, colour="green"), COLOURS), die_fact(a_die(4), COLOURS)

    assert (None, "unreadable", "colour-unknown") == (green.value, green.verdict, green.why)
    assert (4, "valid", 16.0, 0.988) == (red.value, red.verdict, red.height_mm, red.confidence)
    assert ("attack", "defence", None) == tuple(COLOURS.side(a_die(1, colour=x)) for x in ("red", "blue", "green"))
    plain = SideColours(attack=frozenset(), defence=frozenset())
    assert 4 == die_fact(a_die(4, colour="green"), plain).value
