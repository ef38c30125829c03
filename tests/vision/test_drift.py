"""A rig that is no longer as it was is noticed, and told from a hand that passes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.vision.drift import DriftWatch, Glance
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.settle import ThrowWatch
from companion.vision.tray import Tray, find_tray
from companion.vision.types import Bumped, DiceLifted, Image, ThrowRead, WatchEvent

SETTINGS = ReaderSettings()


def luma(image: Image) -> Image:
    """The small grey picture of a frame, as drivers give it."""
    size = (image.shape[1] // 4, image.shape[0] // 4)
    return np.asarray(cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY), np.uint8)


def watched() -> tuple[SimRig, Image, Tray, DriftWatch]:
    """A rig that is being watched."""
    rig = SimRig(SimSettings(), ManualClock())
    image = rig.camera.picture(0)
    tray = find_tray(image, SETTINGS.rig)
    assert tray is not None
    drift = DriftWatch(SETTINGS)
    drift.remember(luma(image), tray)
    drift.look(image, luma(image))
    return rig, rig.camera.picture(0, 1), tray, drift


def pushed(still: Image, knocked: Image, one: Tray, other: Tray) -> Image:
    """Box and markers as in one picture, the table around them as in the other."""
    mask = np.zeros(still.shape[:2], np.uint8)
    for tray in (one, other):
        ring = tray.project(np.array([[x * 184.0, y * 154.0, 0.0] for x, y in ((-1, 1), (1, 1), (1, -1), (-1, -1))]))
        cv2.fillPoly(mask, [np.round(ring).astype(np.int32)], 1)
    return np.where(mask[..., None] > 0, knocked, still)


def test_nothing_is_said_of_a_rig_that_is_as_it_was() -> None:
    """Noise is no drift."""
    _rig, image, _tray, drift = watched()
    found = drift.look(image, luma(image))

    assert (Glance.THERE, (), None) == (drift.glance(luma(image)), found.problems, found.moved)


def test_a_knocked_camera_and_a_pushed_box_are_told_apart() -> None:
    """The table around the box went along with the one and stayed with the other."""
    rig, image, tray, drift = watched()
    rig.camera.knock(12, -7)
    knocked = rig.camera.picture(0, 2)
    camera = drift.look(knocked, luma(knocked))
    assert camera.tray is not None
    box_moved = pushed(image, knocked, tray, camera.tray)
    box = drift.look(box_moved, luma(box_moved))

    assert (Glance.MOVED, Glance.MOVED) == (drift.glance(luma(knocked)), drift.glance(luma(box_moved)))
    assert ("camera", "box") == (camera.moved, box.moved)
    assert camera.moved_mm == pytest.approx(np.hypot(12, 7) / 2.366, abs=0.3)


def test_a_table_without_grain_blames_nobody() -> None:
    """A plain cloth looks the same wherever it lies."""
    rig, image, tray, _ = watched()
    rig.camera.knock(12, -7)
    knocked = rig.camera.picture(0, 2)
    other = find_tray(knocked, SETTINGS.rig)
    assert other is not None
    plain = np.full_like(image, 120)
    drift = DriftWatch(SETTINGS)
    drift.remember(luma(pushed(plain, image, tray, tray)), tray)
    bare = pushed(plain, knocked, tray, other)

    assert "either" == drift.look(bare, luma(bare)).moved


def test_a_hand_over_the_markers_moved_nothing() -> None:
    """Hidden is not moved: one marker is named, and only when all but one are gone is the box lost."""
    _rig, image, tray, drift = watched()
    covered = image.copy()
    for count, (x, y) in enumerate(((-160, 130), (160, 130), (160, -130)), start=1):
        at = np.round(tray.project(np.array([[x, y, 0.0]]))[0]).astype(int)
        cv2.circle(covered, (int(at[0]), int(at[1])), 60, (90, 110, 160), -1)
        found = drift.look(covered, luma(covered))
        if count == 1:
            assert (Glance.THERE, ("marker-hidden",), (0,)) == (
                drift.glance(luma(covered)),
                found.problems,
                found.hidden,
            )

    assert (Glance.HIDDEN, ("markers-lost",), None) == (drift.glance(luma(covered)), found.problems, found.tray)


@pytest.mark.parametrize(("share", "code"), [(0.56, "light-changed"), (0.3, "too-dark"), (1.3, "too-bright")])
def test_light_that_changed_is_said(share: float, code: str) -> None:
    """A lamp that was switched off, a curtain that was opened."""
    rig, _image, _tray, drift = watched()
    rig.camera.light(share)
    image = rig.camera.picture(0, 3)

    assert (code,) == drift.look(image, luma(image)).problems


def test_a_lens_that_lost_its_focus_is_said() -> None:
    """Softer than a die can bear, or much softer than at the calibration."""
    _rig, image, _tray, drift = watched()
    soft = np.asarray(cv2.GaussianBlur(image, (0, 0), 2.4), np.uint8)
    softer = np.asarray(cv2.GaussianBlur(image, (0, 0), 1.6), np.uint8)
    drift.calibrated(0.9, 150.0)

    assert ["focus-lost"] * 2 == [code for one in (soft, softer) for code in drift.look(one, luma(one)).problems]


def test_a_picture_of_another_size_is_not_compared() -> None:
    """A camera that was opened with other settings."""
    _rig, image, _tray, drift = watched()

    assert Glance.HIDDEN == drift.glance(luma(image)[:100])


def test_dice_that_lie_go_along_with_their_box() -> None:
    """After a push the watch takes the box where it lies now: no die was thrown, bumped or lifted by that."""
    rig = SimRig(SimSettings(), ManualClock())
    reader = BoxReader(SETTINGS)
    watch = ThrowWatch(SETTINGS, reader)

    def look(frames: int) -> list[WatchEvent]:
        events: list[WatchEvent] = []
        for _ in range(frames):
            frame = rig.camera.read(200)
            assert frame is not None
            events += watch.feed(frame.image, frame.luma, frame.at_ns)
        return events

    look(20)
    rig.box.throw([6, 5, 4])
    look(90)
    assert (True, False) == (watch.is_still, watch.is_empty)
    rig.camera.knock(9, -6)
    look(1)
    frame = rig.camera.read(200)
    assert frame is not None
    assert frame.luma is not None
    tray = find_tray(frame.image, SETTINGS.rig)
    assert tray is not None
    watch.follow(tray, frame.luma)
    after = look(30)
    rig.box.throw([2], side="defence")
    thrown = [event for event in look(90) if isinstance(event, ThrowRead)]

    assert [] == [event for event in after if isinstance(event, ThrowRead | Bumped | DiceLifted)]
    assert [[False, False, False, True]] == [sorted(bool(die.moved) for die in one.reading.dice) for one in thrown]
