"""A rig is ready only when nothing stands in the way, and what does is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.sim import scenery
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.vision import calibration as limits
from companion.vision.calibration import PROBLEMS, Measured, measure, problems
from companion.vision.frame import FAULTS
from companion.vision.print import edge_width_px, print_scale, read_print
from companion.vision.settings import ReaderSettings
from companion.vision.tray import find_markers, fit_tray
from companion.vision.types import Image

SETTINGS = ReaderSettings()


def measured(prepare: Callable[[SimRig], object] = lambda _rig: None, **settings: object) -> Measured:
    """What a second of a simulated rig says."""
    rig = SimRig(SimSettings(**settings), ManualClock())  # type: ignore[arg-type]
    prepare(rig)
    frames = [rig.camera.read(200) for _ in range(12)]
    seen = [frame for frame in frames if frame is not None]
    lumas = [frame.luma for frame in seen if frame.luma is not None]
    return measure([seen[0].image, seen[-1].image], lumas, SETTINGS)


def printed(scale: float, *, blur_px: float = 0.75) -> Image:
    """The empty rig with a marker sheet that the printer scaled; its pieces lie at the box as their flaps say."""
    settings = SimSettings(markers=())
    optics = settings.optics()
    fine = 2
    picture = scenery.empty_rig(optics, settings.lamp, settings.decor, blur_px=0.4, markers=()).astype(np.float32)
    picture = cv2.resize(picture, None, fx=fine, fy=fine, interpolation=cv2.INTER_LINEAR)
    x, y = 128 + 32 * scale, 98 + 32 * scale
    for marker, middle in enumerate(((-x, y), (x, y), (x, -y), (-x, -y))):
        pattern = scenery.marker_pattern(marker).astype(np.float32) * (200 / 255) + 15
        half = 21.0 * scale
        around = np.array([[middle[0] + sx * half, middle[1] + sy * half, 0.0] for sx, sy in _AROUND])
        target = (optics.project(around) + 0.5) * fine - 0.5
        source = np.array([[0, 0], [420, 0], [420, 420], [0, 420]], np.float32) - 0.5
        warp = cv2.getPerspectiveTransform(source, target.astype(np.float32))
        size = (picture.shape[1], picture.shape[0])
        paper = cv2.warpPerspective(np.ones_like(pattern), warp, size)[..., None]
        picture = picture * (1 - paper) + cv2.warpPerspective(pattern, warp, size, flags=cv2.INTER_AREA)[..., None]
    soft = cv2.GaussianBlur(picture, (0, 0), blur_px * fine)
    return np.asarray(cv2.resize(soft, (optics.width, optics.height), interpolation=cv2.INTER_AREA), np.uint8)


_AROUND = ((-1, 1), (1, 1), (1, -1), (-1, -1))


def test_a_good_rig_is_ready_and_its_numbers_are_true() -> None:
    """The simulated rig: 2.37 px a millimetre, a lens of 0.75 px, a sheet true to scale, nothing in the box."""
    found = measured()

    assert () == problems(found, SETTINGS)
    assert found.px_per_mm is not None
    assert found.edge_px is not None
    assert found.print_scale is not None
    assert found.error_px is not None
    assert abs(found.px_per_mm - 2.366) < 0.02
    assert 0.75 < found.edge_px < 1.3
    assert abs(found.print_scale - 1.0) < 0.006
    assert found.error_px < 0.3
    assert (0, 0.0) == (found.bodies, found.glare_mm2)


@pytest.mark.parametrize(
    ("code", "prepare", "settings"),
    [
        ("covered", lambda rig: rig.camera.cover(), {}),
        ("dark", lambda rig: rig.camera.light(0.02), {}),
        ("too-dark", lambda rig: rig.camera.light(0.3), {}),
        ("too-bright", lambda rig: rig.camera.light(1.3), {}),
        ("flicker", lambda rig: rig.camera.flicker(ms=5000, depth=0.2), {}),
        ("not-sharp", lambda _rig: None, {"blur_px": 2.3}),
        ("too-far", lambda _rig: None, {"width": 768, "height": 432}),
        ("marker-missing", lambda _rig: None, {"markers": (0, 1, 3)}),
        ("marker-missing", lambda _rig: None, {"markers": (2,)}),
        ("not-empty", lambda rig: rig.box.throw([6, 5]) and rig.box.throw([2]), {}),
    ],
)
def test_what_stands_in_the_way_is_named_first(
    code: str, prepare: Callable[[SimRig], object], settings: dict[str, object]
) -> None:
    """Each fault of a rig has its own name, and a rig with it is not ready."""
    found = problems(measured(prepare, **settings), SETTINGS)

    assert code == found[0]


def test_a_rig_that_shows_no_colour_is_not_ready() -> None:
    """All else may be right: a camera set to grey, or grey felt, is said to be what stands in the way."""
    image = printed(1.0)
    grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)

    assert ("no-colour",) == problems(measure([grey], [], SETTINGS), SETTINGS)
    assert () == problems(measure([image], [], SETTINGS), SETTINGS)


def test_a_rig_whose_felt_is_nearly_black_is_not_ready() -> None:
    """Bright paper around a floor on which no die would be read: the rig is not called ready for it."""
    image = printed(1.0)
    felt = cv2.inRange(image, (0, 40, 0), (90, 255, 70)) > 0
    image[felt] = image[felt] // 8

    assert ("dark",) == problems(measure([image], [], SETTINGS), SETTINGS)


@pytest.mark.parametrize("scale", [0.94, 0.97, 1.0, 1.03])
def test_a_sheet_that_the_printer_scaled_is_told_to_half_a_per_cent(scale: float) -> None:
    """A sheet printed at 97 % looks right and measures wrong; a soft lens alone must not look like one."""
    for blur_px in (0.75, 1.5):
        image = printed(scale, blur_px=blur_px)
        markers = find_markers(image, SETTINGS.rig)
        tray = fit_tray(markers, (image.shape[1], image.shape[0]), SETTINGS.rig)
        assert tray is not None

        found = print_scale(read_print(image, tray, markers), SETTINGS.rig)

        assert found is not None
        assert abs(found - scale) < 0.006


def test_a_shrunken_sheet_is_no_ready_rig() -> None:
    """It is said as what it is, and not as markers that lie wrong."""
    assert ("print-off",) == problems(measure([printed(0.97)], [], SETTINGS), SETTINGS)


def test_edges_grow_with_the_blur() -> None:
    """The cheap measure of sharpness agrees with the thorough one."""
    widths = []
    for blur_px in (0.5, 1.5, 2.5):
        image = printed(1.0, blur_px=blur_px)
        markers = find_markers(image, SETTINGS.rig)
        tray = fit_tray(markers, (image.shape[1], image.shape[0]), SETTINGS.rig)
        assert tray is not None
        cheap = edge_width_px(image, tray, 1, markers[1])
        assert cheap is not None
        thorough = read_print(image, tray, {1: markers[1]})[0].edge_px
        assert abs(cheap - thorough) < 0.2
        widths.append(cheap)

    assert widths == sorted(widths)
    assert widths[2] > widths[0] + 1.0


def test_a_marker_without_contrast_tells_nothing() -> None:
    """Nothing is made up of a grey patch."""
    image = printed(1.0)
    markers = find_markers(image, SETTINGS.rig)
    tray = fit_tray(markers, (image.shape[1], image.shape[0]), SETTINGS.rig)
    assert tray is not None

    assert edge_width_px(np.full_like(image, 90), tray, 1, markers[1]) is None


def test_a_camera_that_shakes_is_not_ready() -> None:
    """The markers moved within the second: somebody touches the rig."""
    rig = SimRig(SimSettings(), ManualClock())
    first = rig.camera.picture(0)
    rig.camera.knock(3, 1)

    found = measure([first, rig.camera.picture(0, 1)], [], SETTINGS)

    assert "unsteady" == problems(found, SETTINGS)[0]


def test_markers_that_contradict_each_other_are_told() -> None:
    """One marker was laid down wrong: the box has no place that fits."""
    image = measured()
    wrong = Measured(size_px=image.size_px, corners_px=image.corners_px, flicker=0.0)

    assert ("marker-off",) == problems(wrong, SETTINGS)


def test_every_problem_can_be_told() -> None:
    """A rig where everything is wrong names all but what only a blind picture has."""
    worst = Measured(
        size_px=(1536, 864), corners_px=((0, ()), (1, ())), error_px=3.0, px_per_mm=1.0, edge_px=0.5,
        paper=(20.0, 250.0), floor=10.0, flicker=0.5, glare_mm2=99.0, shake_px=9.0, bodies=2, turned_deg=180.0,
    )  # fmt: skip
    soft = Measured(size_px=(1536, 864), error_px=0.1, px_per_mm=2.0, edge_px=4.0, print_scale=0.9)
    shrunk = Measured(size_px=(1536, 864), error_px=0.1, px_per_mm=2.0, edge_px=1.0, print_scale=0.9)
    grey = Measured(size_px=(1536, 864), fault="no-colour", error_px=0.1, px_per_mm=2.0)
    told = {code for found in (worst, soft, shrunk, grey) for code in problems(found, SETTINGS)}

    assert set(PROBLEMS) == told | set(FAULTS)
    with pytest.raises(ValueError, match="at least one picture"):
        measure([], [], SETTINGS)


def test_the_page_tells_the_limits_that_hold() -> None:
    """docs/screens.md names what each line must be."""
    page = (Path(__file__).parents[2] / "docs" / "screens.md").read_text(encoding="utf-8")
    told = (
        f"at most {limits.SOFTEST_MM} mm wide",
        f"between {limits.DARKEST:.0f} and {limits.BRIGHTEST:.0f} of 255",
        f"at least {limits.LEAST_EVEN:.0%} of the brightest".replace("%", " %"),
        f"no more than {limits.MOST_FLICKER:.0%} flicker".replace("%", " %"),
        f"no more than {limits.MOST_GLARE_MM2:.0f} mm²",
        f"at most {limits.MOST_ERROR_PX:.0f} px off",
        f"within {limits.MOST_PRINT_OFF:.1%} of 100 %".replace("1.5%", "1.5 %"),
        f"at least {limits.SMALLEST_PX_PER_MM} px a mm",
    )

    assert [] == [one for one in told if one not in page]
