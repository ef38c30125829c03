"""The care of the camera: what drifts is noticed and said, a pushed box is found again, a calibration is measured."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from companion.hw.clock import NS_PER_S
from companion.session import commands as c
from companion.session.events import NOTE_CODES
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.table.care import BoxCare, Calibrated
from companion.vision.drift import Looked
from companion.vision.reader import BoxReader, ReaderSettings
from companion.vision.settle import ThrowWatch
from companion.vision.types import ThrowRead, WatchEvent
from companion.words import LANGUAGES, Words

SETTINGS = ReaderSettings()


class Table:
    """A simulated rig with what looks at it."""

    def __init__(self, **settings: object) -> None:
        self.clock = ManualClock()
        self.rig = SimRig(SimSettings(fps=15.0, **settings), self.clock)  # type: ignore[arg-type]
        self.watch = ThrowWatch(SETTINGS, BoxReader(SETTINGS))
        self.posted: list[c.Command] = []
        self.care = BoxCare(SETTINGS, self.posted.append)
        self.sure: list[bool] = []

    def look(self, seconds: float) -> list[WatchEvent]:
        """Look for a while."""
        events: list[WatchEvent] = []
        for _ in range(round(seconds * 15)):
            frame = self.rig.camera.read(200)
            assert frame is not None
            made = self.watch.feed(frame.image, frame.luma, frame.at_ns)
            self.sure += [self.care.is_sure(frame) for event in made if isinstance(event, ThrowRead)]
            events += made
            self.care.saw(frame, self.watch)
        return events

    def notes(self) -> list[object]:
        """What drifted, as it was noted."""
        return [note.values["drift"] for note in self.posted if isinstance(note, c.Note)]

    def told(self) -> list[str]:
        """Codes of the health page."""
        return [str(item["code"]) for item in self.care.health()]


def test_a_rig_that_is_as_it_was_has_nothing_to_say() -> None:
    """Throws and hands are no drift."""
    table = Table()
    table.look(2)
    table.rig.box.throw([6, 5, 4])
    table.look(2)
    table.rig.box.lift()
    table.look(2)

    assert ([], [], [True]) == (table.told(), table.notes(), table.sure)


def test_a_knocked_camera_is_found_again_with_the_dice_that_lie_there() -> None:
    """It is said how far it went, and after a while no more; the dice were not thrown by that."""
    table = Table()
    table.look(2)
    table.rig.box.throw([6, 5, 4])
    table.look(2)
    table.rig.camera.knock(9, -6)
    after = table.look(2)
    told = table.told()
    table.rig.box.throw([2, 3], side="defence")
    thrown = [event for event in table.look(2) if isinstance(event, ThrowRead)]
    table.clock.advance_to(table.clock.now_ns() + 13 * NS_PER_S)
    table.look(1)

    assert ([], ["camera-knocked"], ["camera-knocked"]) == (
        [event for event in after if isinstance(event, ThrowRead)],
        told,
        table.notes(),
    )
    assert [2, 3] == sorted(die.value or 0 for die in thrown[0].reading.dice if die.moved)
    assert [] == table.told()


def test_markers_that_are_gone_leave_no_reading_vouched_for() -> None:
    """A sleeve over the markers for a moment is nothing; after some seconds it is said, and dice are not believed."""
    table = Table()
    table.look(2)
    bare = SimRig(SimSettings(fps=15.0, markers=()), ManualClock())
    picture = bare.camera.picture(0)
    x, y = slice(180, 690), slice(420, 1120)

    def covered(at_ns: int, number: int = 0) -> object:
        shown = picture.copy()
        shown[x, y] = seen(at_ns, number)[x, y]
        return shown

    seen = table.rig.camera.picture
    table.rig.camera.picture = covered  # type: ignore[method-assign, assignment]
    table.look(2)
    early = table.told()
    table.look(4)
    lost = table.care.health()
    table.rig.box.throw([6])
    table.look(3)
    table.rig.camera.picture = seen  # type: ignore[method-assign]
    table.look(2)

    assert ([], [("box", "fail", "markers-lost")], [False], []) == (
        early,
        [(item["part"], item["state"], item["code"]) for item in lost],
        table.sure,
        table.told(),
    )


def test_light_that_changed_and_a_hidden_marker_are_said_until_they_are_put_right() -> None:
    """The hidden marker by its place."""
    table = Table()
    table.look(2)
    table.care.calibrated(1.08, (150.0, 221.0))
    table.rig.camera.light(0.56)
    table.look(16)
    dim = table.told()
    table.rig.camera.light(1.0)
    table.look(16)

    assert (["light-changed"], [], ["light-changed"]) == (dim, table.told(), table.notes())


def asked(table: Table) -> Calibrated:
    """One press on the button."""
    answer: Future[Calibrated] = table.care.ask_calibration()
    assert table.care.ask_calibration() is answer
    table.look(1.3)
    return answer.result(timeout=0)


def test_a_calibration_measures_a_second_and_becomes_what_drift_is_compared_with() -> None:
    """A rig that is not ready changes nothing of that."""
    table = Table()
    table.look(2)
    table.rig.camera.light(0.3)
    bad = asked(table)
    table.rig.camera.light(0.9)
    good = asked(table)
    table.look(16)

    assert (("too-dark",), ()) == (bad.problems, good.problems)
    assert (464, 584, 3) == good.image.shape
    assert [] == table.told()


def test_a_calibration_without_a_box_says_what_is_missing() -> None:
    """The picture is then the camera's own."""
    table = Table(markers=(1,))
    found = asked(table)

    assert (("marker-missing",), (864, 1536, 3)) == (found.problems, found.image.shape)


def test_a_measurement_that_fails_is_told_to_whoever_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the looking goes on."""
    table = Table()

    def breaks(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("companion.table.care.measure", breaks)
    answer = table.care.ask_calibration()
    table.look(1.3)

    assert isinstance(answer.exception(timeout=0), ZeroDivisionError)


def test_a_camera_that_was_opened_anew_begins_with_what_was_calibrated() -> None:
    """Where markers were is not known any more; how sharp and bright it was is."""
    table = Table()
    table.look(2)
    table.care.calibrated(1.0, (150.0, 220.0))
    table.care.forget()

    frame = table.rig.camera.read(200)
    assert frame is not None
    assert (True, []) == (table.care.is_sure(frame), table.told())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everything_that_can_drift_has_its_words(lang: str) -> None:
    """On the health page and as a note."""
    words = Words(lang)
    problems = ("markers-lost", "marker-hidden", "light-changed", "too-dark", "too-bright", "focus-lost")
    moves = ("box-moved", "camera-knocked", "rig-moved")

    assert [] == [code for code in (*problems, *moves) if not words.knows(f"health.box.{code}")]
    assert [] == [code for code in (*problems, *moves) if not words.knows(f"drift.{code}")]
    assert "rig-drifted" in NOTE_CODES
    assert Looked.__doc__ is not None
    assert all(code in Looked.__doc__ for code in problems)
