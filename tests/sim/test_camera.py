"""The simulated camera: frames like a camera's, faults like a camera's, and dice where they truly lie."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from companion.hw.clock import NS_PER_MS, NS_PER_S
from companion.hw.ports import Camera, RigError
from companion.sim import scenery
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.motion import Motion
from companion.sim.settings import BadSimSetting, SimSettings
from tests.hw.contract import CameraContract, next_frame

SMALL = SimSettings(width=768, height=432)


class TestSimCamera(CameraContract):
    """The simulated camera keeps the camera's laws, on the real clock."""

    @pytest.fixture
    def opened(self) -> Iterator[Camera]:
        """A rig of its own."""
        rig = SimRig(SMALL)
        yield rig.camera
        rig.close()


@pytest.fixture
def rig() -> SimRig:
    """A standard rig whose time is wound on by hand."""
    return SimRig(SimSettings(), ManualClock())


def body_pixels(picture: scenery.Image) -> np.ndarray:
    """Where the picture is strongly red: the bodies of the attack dice."""
    blue, green, red = (picture[..., channel].astype(int) for channel in range(3))
    return (red > 90) & (red > 2 * green) & (red > 2 * blue)


def test_the_markers_are_found_where_they_lie(rig: SimRig) -> None:
    """OpenCV's own detector finds all four, each within a third of a pixel of its true place."""
    how = cv2.aruco.DetectorParameters()
    how.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), how)
    corners, ids, _ = detector.detectMarkers(next_frame(rig.camera).image)
    optics = rig.settings.optics()

    assert {0, 1, 2, 3} == set(ids.ravel().tolist())
    for found, marker in zip(corners, ids.ravel(), strict=True):
        middle = np.array([*scenery.MARKER_CENTRES_MM[marker], 0.0])
        half = scenery.MARKER_MM / 2
        true = optics.project(middle + half * np.array([[-1, 1, 0], [1, 1, 0], [1, -1, 0], [-1, -1, 0]], float))
        assert np.abs(found[0] - true).max() < 1.0
        assert np.abs((found[0] - true).mean(axis=0)).max() < 0.34


def test_a_die_is_painted_where_it_truly_lies(rig: SimRig) -> None:
    """The red of a die lies around the projection of its middle, and nowhere else in the box."""
    thrown = rig.box.throw([1])
    picture = rig.camera.picture(thrown.settled_ns)
    rows, columns = np.nonzero(body_pixels(picture[200:660, 430:1100]))
    seen = np.array([columns.mean() + 430, rows.mean() + 200])
    true = rig.settings.optics().project(np.array(thrown.dice[0].position_mm))

    assert np.linalg.norm(seen - true) < 6
    assert 900 < len(rows) < 2600


@pytest.mark.parametrize("value", range(1, 7))
def test_the_upper_face_shows_as_many_pips_as_the_truth_says(value: int) -> None:
    """Counting white spots inside the upper face of a die under the camera gives its value."""
    rig = SimRig(SimSettings(noise=0.0, blur_px=0.3, tilt_deg=0.0, camera_mm=(0.0, 0.0, 500.0)), ManualClock())
    thrown = rig.box.throw([value])
    (die,) = rig.box.scene(thrown.settled_ns)[0]
    middle = np.array([[0.0, 0.0, 8.0]])
    rig.box._motions = [_moved(die, middle)]
    x, y = np.round(rig.settings.optics().project(middle[0])).astype(int)
    face = rig.camera.picture(thrown.settled_ns + NS_PER_S)[y - 30 : y + 31, x - 30 : x + 31]
    spots, _ = cv2.connectedComponents((face.min(axis=2) > 110).astype(np.uint8))

    assert value == spots - 1


def _moved(die: Motion, middle: np.ndarray) -> Motion:
    return Motion(
        id=99,
        side=die.side,
        look=die.look,
        size_mm=die.size_mm,
        start_ns=0,
        positions=np.tile(middle, (2, 1)),
        quats=np.tile(die.quats[-1], (2, 1)),
        rest_ns=0,
        rolled=True,
    )


def test_a_box_at_rest_changes_by_noise_alone(rig: SimRig) -> None:
    """Two frames of a still box differ by a few grey levels everywhere and are never the same."""
    thrown = rig.box.throw([6, 5, 4])
    rig.clock.wait_until(thrown.settled_ns + 50 * NS_PER_MS, rig.camera._wake)
    first, second = (next_frame(rig.camera).image.astype(int) for _ in range(2))
    difference = np.abs(first - second)

    assert 0.5 < difference.mean() < 6
    assert difference.max() < 30


def test_tumbling_dice_change_the_picture_from_frame_to_frame(rig: SimRig) -> None:
    """While a throw is in the box its frames differ far beyond noise."""
    thrown = rig.box.throw([6, 5, 4])
    middle_ns = thrown.settled_ns - 250 * NS_PER_MS
    first, second = (rig.camera.picture(at_ns).astype(int) for at_ns in (middle_ns, middle_ns + 33 * NS_PER_MS))

    assert np.abs(first - second).max() > 80


def test_a_hand_hides_what_is_under_it(rig: SimRig) -> None:
    """While dice are lifted a large part of the picture is skin and sleeve."""
    thrown = rig.box.throw([6])
    rig.clock.wait_until(thrown.settled_ns, rig.camera._wake)
    before = rig.camera.picture(rig.clock.now_ns()).astype(int)
    rig.box.lift()
    during = rig.camera.picture(rig.clock.now_ns() + 350 * NS_PER_MS).astype(int)

    assert 0.03 < (np.abs(before - during).max(axis=2) > 40).mean() < 0.5


def test_dice_behind_the_wall_show_only_above_it(rig: SimRig) -> None:
    """Of a die on the table beside the box nothing is painted over the box."""
    thrown = rig.box.throw([6], off_box={0})
    inside = scenery.wall_mask(rig.settings.optics()) == 255
    picture = rig.camera.picture(thrown.settled_ns)

    assert not body_pixels(picture)[cv2.erode(inside.astype(np.uint8), np.ones((7, 7))) > 0].any()


def test_late_readers_get_the_newest_frame(rig: SimRig) -> None:
    """Frames that nobody read are gone, and the numbers show it."""
    first = next_frame(rig.camera)
    rig.clock.wait_until(rig.clock.now_ns() + NS_PER_S, rig.camera._wake)
    second = next_frame(rig.camera)

    assert 30 == second.number - first.number
    assert abs(rig.clock.now_ns() - second.at_ns) <= NS_PER_S // 30


def test_a_covered_lens_is_dark_and_goes_on(rig: SimRig) -> None:
    """Frames keep coming and show nothing but noise in the dark."""
    rig.camera.cover()
    dark = next_frame(rig.camera)
    rig.camera.uncover()

    assert dark.image.mean() < 12
    assert next_frame(rig.camera).image.mean() > 25


def test_an_unplugged_camera_fails_until_it_is_plugged_and_opened_anew(rig: SimRig) -> None:
    """Reading and opening both fail while the cable is out."""
    rig.camera.unplug()
    for _ in range(2):
        with pytest.raises(RigError) as told:
            rig.camera.read(50)
        assert "unplugged" == told.value.code
    rig.camera.close()
    with pytest.raises(RigError):
        rig.open_camera()
    rig.camera.plug()

    assert next_frame(rig.open_camera()).image.size


def test_a_frozen_camera_gives_nothing_and_then_fails(rig: SimRig) -> None:
    """First no frame comes in time, after a second reading fails; thawed and opened anew it goes on."""
    next_frame(rig.camera)
    rig.camera.freeze()

    assert rig.camera.read(500) is None
    with pytest.raises(RigError) as told:
        rig.camera.read(2000)
    assert "frozen" == told.value.code
    rig.camera.thaw()
    assert next_frame(rig.open_camera()).number > 0


def test_light_that_flickers_steps_or_fails_changes_the_whole_picture(rig: SimRig) -> None:
    """A dimmed lamp darkens every frame; a flickering one some of them; then all is as before."""
    usual = next_frame(rig.camera).image.mean()
    rig.camera.light(0.5)
    dim = next_frame(rig.camera).image.mean()
    rig.camera.light(1.0)
    rig.camera.flicker(ms=1000)
    means = [next_frame(rig.camera).image.mean() for _ in range(25)]
    rig.clock.wait_until(rig.clock.now_ns() + NS_PER_S, rig.camera._wake)

    assert dim == pytest.approx(usual * 0.5, rel=0.1)
    assert max(means) - min(means) > 0.1 * usual
    assert next_frame(rig.camera).image.mean() == pytest.approx(usual, rel=0.01)


def test_a_knocked_camera_sees_everything_elsewhere(rig: SimRig) -> None:
    """After a knock the same box lies some pixels further."""
    rig.camera.knock(8, -5)
    moved = next_frame(rig.camera).image[100:700, 300:1200].astype(int)
    rig.camera.knock(-8, 5)
    back = next_frame(rig.camera).image[105:705, 292:1192].astype(int)

    assert np.abs(moved - back).mean() < 4


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("width", 10),
        ("fps", 0),
        ("die_mm", 13),
        ("attack", "plaid"),
        ("physics", "magic"),
        ("k1", 1),
        ("camera_mm", (0, 0, 90)),
        ("markers", (0, 7)),
    ],
)
def test_settings_that_cannot_be_are_refused(name: str, wrong: object) -> None:
    """A rig that can't be simulated is refused with the setting's name and its rule."""
    with pytest.raises(BadSimSetting) as told:
        SimSettings(**{name: wrong})  # type: ignore[arg-type]

    assert (name, wrong) == (told.value.values["name"], told.value.values["value"])
