"""Whatever is no picture of dice in a box has its own message and never a value."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from companion.sim import clutter, examples
from companion.sim.clock import ManualClock
from companion.sim.drivers import SimRig
from companion.sim.settings import SimSettings
from companion.vision import frame, things
from companion.vision.motion import small_of
from companion.vision.reader import BoxReader
from companion.vision.settings import ReaderSettings
from companion.vision.settle import ThrowWatch
from companion.vision.types import Image, Reading, ViewBack, ViewLost
from companion.words import LANGUAGES, Words
from tests.vision import scenes

SIZE = (864, 1536, 3)


def read(image: Image, **settings: float) -> Reading:
    """What a reader that was never used says of a picture."""
    return BoxReader(ReaderSettings(**settings)).read(image, look_outside=False)  # type: ignore[arg-type]


def refused(reading: Reading) -> str:
    """The one code of a reading in which nothing is vouched for."""
    assert () == reading.dice
    assert reading.needs_referee
    (code,) = reading.warnings
    return code


def grainy(level: float, *, grain: float = 2.2, glow: float = 0.0) -> Image:
    """An even picture with the sensor's grain, and a red glow that comes in from one side."""
    rows, columns = np.mgrid[: SIZE[0], : SIZE[1]]
    light = glow * np.exp(-((columns - 1500) ** 2 + (rows - 300) ** 2) / (2 * 500.0**2))
    noise = np.random.default_rng(4).normal(0, grain, SIZE)
    return np.clip(level + light[..., None] * [0.2, 0.3, 1.0] + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("image", "code"),
    [
        (np.zeros(SIZE, np.uint8), "dark"),
        (np.full(SIZE, 255, np.uint8), "saturated"),
        (grainy(5), "covered"),
        (grainy(14, grain=8), "covered"),
        (grainy(6, grain=5, glow=90), "covered"),
        (grainy(150), "blank"),
        (np.full((20, 30, 3), 90, np.uint8), "too-small"),
        (np.zeros((0, 0, 3), np.uint8), "too-small"),
    ],
)
def test_a_picture_of_nothing_is_told_by_what_it_lacks(image: Image, code: str) -> None:
    """Black, blown out, nothing but grain, one even surface, a few pixels."""
    assert code == refused(read(image))


def test_a_covered_lens_is_told_in_the_small_picture_too() -> None:
    """The watch looks at the small grey picture only, in which grain is averaged away."""
    rig = SimRig(clock=ManualClock())
    rig.camera.cover()

    assert "covered" == frame.fault(small_of(rig.camera.picture(0), None))


@pytest.mark.parametrize("light", [0.12, 0.3, 1.0, 1.6])
def test_a_box_in_any_light_is_no_covered_lens(light: float) -> None:
    """Edges stand above the grain as long as there is light at all, with whatever grain."""
    image = scenes.empty().astype(float) * light + np.random.default_rng(2).normal(0, 6, SIZE)

    assert frame.fault(np.clip(image, 0, 255).astype(np.uint8)) in {None, "dark"}
    assert light < 0.2 or frame.fault(np.clip(image, 0, 255).astype(np.uint8)) is None


def test_another_size_is_told_once_and_read_then() -> None:
    """The box was found in pictures of one size: in another it must be found anew."""
    image, _, _ = scenes.thrown([6, 4, 2])
    reader = BoxReader(ReaderSettings())
    reader.read(image)
    small = np.asarray(cv2.resize(image, (1280, 720), interpolation=cv2.INTER_AREA), np.uint8)

    assert "size-changed" == refused(reader.read(small))
    assert [2, 4, 6] == sorted(die.value or 0 for die in reader.read(small).dice)


def test_a_watch_loses_its_view_when_the_size_changes_and_gets_it_back() -> None:
    """Also when the small grey pictures keep their size."""
    image = scenes.empty()
    small = np.asarray(cv2.resize(image, (1280, 720), interpolation=cv2.INTER_AREA), np.uint8)
    settings = ReaderSettings()
    watch = ThrowWatch(settings, BoxReader(settings))
    told = []
    for number, picture in enumerate([image] * 3 + [small] * 3):
        told += watch.feed(picture, None, number * 33_000_000)

    lost, back = (event for event in told if isinstance(event, ViewLost | ViewBack))
    assert isinstance(lost, ViewLost)
    assert "size-changed" == lost.why
    assert isinstance(back, ViewBack)


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_turned_camera_is_told(quarters: int) -> None:
    """By a quarter, upside down, and by a quarter the other way."""
    image, _, _ = scenes.thrown([6, 4, 2])

    assert "camera-turned" == refused(read(np.ascontiguousarray(np.rot90(image, quarters))))


def test_a_watch_says_what_is_wrong_with_the_rig() -> None:
    """A camera that hangs upside down is no box without markers."""
    settings = ReaderSettings()
    watch = ThrowWatch(settings, BoxReader(settings))

    (lost,) = watch.feed(np.ascontiguousarray(scenes.empty()[::-1, ::-1]), None, 0)

    assert isinstance(lost, ViewLost)
    assert "camera-turned" == lost.why


def test_one_hidden_marker_is_told_and_hinders_nothing() -> None:
    """Three place the box as well as four."""
    image, _, _ = scenes.thrown([6, 4, 2], markers=(0, 1, 3))

    reading = read(image)

    assert ("marker-hidden",) == reading.warnings
    assert [2, 4, 6] == sorted(die.value or 0 for die in reading.dice)
    assert not reading.needs_referee


@pytest.mark.parametrize("markers", [(0, 1), (1, 3), (2,)])
def test_fewer_than_three_markers_are_too_few(markers: tuple[int, ...]) -> None:
    """The lens's bend can't be told from the camera's place, so nothing is measured."""
    image, _, _ = scenes.thrown([6, 4, 2], markers=markers)

    assert "markers-few" == refused(read(image))


def test_markers_that_are_covered_later_leave_the_box_where_it_was() -> None:
    """A hand or a card on two markers, when they are searched again, changes nothing."""
    image, _, _ = scenes.thrown([6, 4, 2])
    covered, _, _ = scenes.thrown([6, 4, 2], markers=(0, 1))
    reader = BoxReader(ReaderSettings(markers_every=1))
    reader.read(image, look_outside=False)

    reading = reader.read(covered, look_outside=False)

    assert [2, 4, 6] == sorted(die.value or 0 for die in reading.dice)


@pytest.mark.parametrize("scale", [0.97, 1.03])
def test_a_sheet_that_was_not_printed_to_scale_is_told(scale: float) -> None:
    """A printer that fits to page makes markers that look right and measure wrong."""
    image, _, _ = scenes.thrown([6, 4, 2], print_scale=scale)

    assert "print-off" == refused(read(image))


def test_a_camera_far_away_is_told() -> None:
    """Where a pip is hardly two pixels wide no shape is left of it."""
    image, _, _ = scenes.thrown([6, 4, 2], width=640, height=360)

    assert "too-far" == refused(read(image))


@pytest.mark.parametrize(("true", "told"), [(12.0, 14.0), (12.0, 16.0), (14.0, 16.0), (16.0, 14.0), (16.0, 12.0)])
@pytest.mark.parametrize("values", [[6, 4, 2], [1, 1, 3]])
def test_dice_of_another_size_than_set_have_no_value(true: float, told: float, values: list[int]) -> None:
    """Set at calibration, a size is a promise: other dice were brought, and people must know."""
    image, _, _ = scenes.thrown(values, die_mm=true)

    reading = read(image, die_mm=told)

    assert "die-size" in reading.warnings
    assert [] == [die for die in reading.dice if die.value is not None]
    assert reading.needs_referee


@pytest.mark.parametrize("size", [12.0, 14.0, 16.0])
def test_dice_of_the_size_that_was_set_are_read(size: float) -> None:
    """The other side of the promise."""
    image, _, _ = scenes.thrown([6, 1, 2], die_mm=size)

    reading = read(image, die_mm=size)

    assert ((), [1, 2, 6]) == (reading.warnings, sorted(die.value or 0 for die in reading.dice))


def test_eight_dice_are_more_than_a_throw_has() -> None:
    """Each is read for what it is; that they are too many is for people."""
    scene = next(s for s in examples.scenes(3, 6, "many") if len(s.dice) >= 8)

    reading = read(scene.image)

    assert "dice-many" in reading.warnings
    assert reading.needs_referee


def alone(kind: str, seed: int) -> tuple[Image, tuple[float, float], float]:
    """A picture of one thing in an empty box, its middle in it, and how far it reaches, px."""
    rig = SimRig(SimSettings(seed=seed), ManualClock())
    optics = rig.settings.optics()
    prop = clutter.any_prop(kind, (20.0, -10.0), np.random.default_rng(seed))
    image = rig.camera.picture(0).copy()
    clutter.paint(image, optics, rig.settings.lamp, prop, rig.settings.blur_px)
    x, y = optics.project(np.array([*prop.at_mm, prop.height_mm]))
    return image, (float(x), float(y)), prop.reach_mm * optics.scale_px_per_mm()


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", clutter.KINDS)
def test_things_have_their_names_and_never_a_value(kind: str, seed: int) -> None:
    """Coin, army piece, card, pencil and hand, alone in the box."""
    image, _, _ = alone(kind, seed)

    reading = read(image)

    expected = {"pencil": {"thing-in-box"}, "hand": {"hand-in-box", "floor-covered"}}.get(kind, {f"{kind}-in-box"})
    assert set(reading.warnings) & expected
    assert [] == [die for die in reading.dice if die.value is not None]
    assert reading.needs_referee


def coin_with_a_number(image: Image) -> None:
    """A euro: a ring of another metal, a large figure, a rim that shines."""
    cv2.circle(image, (760, 430), 28, (120, 170, 190), -1, cv2.LINE_AA)
    cv2.circle(image, (760, 430), 20, (170, 175, 178), -1, cv2.LINE_AA)
    cv2.ellipse(image, (760, 430), (27, 27), 0, 200, 290, (235, 240, 242), 2, cv2.LINE_AA)
    cv2.putText(image, "1", (750, 442), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (70, 80, 85), 3, cv2.LINE_AA)


def card_with_five_spots(image: Image) -> None:
    """A five of clubs: spots that lie as a die's, on a card."""
    corners = cv2.boxPoints(((760, 430), (106, 162), 12.0))
    cv2.fillConvexPoly(image, np.round(corners).astype(np.int32), (228, 230, 232), cv2.LINE_AA)
    for x, y in ((-25, -45), (25, -45), (0, 0), (-25, 45), (25, 45)):
        cv2.circle(image, (760 + x, 430 + y), 9, (25, 25, 25), -1, cv2.LINE_AA)


def sleeve(image: Image) -> None:
    """An arm in a patterned sleeve that lies across the box."""
    cv2.line(image, (620, 900), (760, 330), (150, 60, 50), 150, cv2.LINE_AA)
    for at in range(0, 600, 60):
        cv2.line(image, (560 + at // 4, 900 - at), (700 + at // 4, 930 - at), (220, 210, 200), 9, cv2.LINE_AA)


@pytest.mark.parametrize(
    ("thing", "codes"),
    [
        (coin_with_a_number, {"coin-in-box"}),
        (card_with_five_spots, {"card-in-box"}),
        (sleeve, {"hand-in-box", "floor-covered"}),
    ],
)
def test_drawn_things_beside_real_dice_are_told(thing: Callable[[Image], None], codes: set[str]) -> None:
    """Drawn finer than the simulator does, blurred and grainy as a camera makes them."""
    image = scenes.empty().copy()
    thing(image)
    image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8), np.uint8)

    reading = read(image)

    assert set(reading.warnings) & codes
    assert [] == [die for die in reading.dice if die.value is not None]


def test_black_felt_tells_nothing_of_what_stands_on_it() -> None:
    """Markers and pips are still seen, but not what a die leans or stands on: no value, and people are told why."""
    image, _, _ = scenes.thrown([6, 5, 3], seed=3, fault="stacked")
    dim = np.clip(image * 0.5, 0, 255).astype(np.uint8)
    black = np.clip(image * 0.5 - 30.0, 0, 255).astype(np.uint8)

    assert frame.fault(black) is None
    assert [3] == [die.value for die in read(dim).dice if die.value is not None]
    assert ((), ("dark",), True) == ((seen := read(black)).dice, seen.warnings, seen.needs_referee)


@pytest.mark.parametrize("pips", [((0, 0),), ((-10, -10), (-10, 10), (10, -10), (10, 10))])
def test_pips_without_a_body_are_a_die_that_is_not_seen(pips: tuple[tuple[int, int], ...]) -> None:
    """A die of the felt's own colour shows its pips alone: it is said to be there, once, and people look."""
    image = scenes.empty()
    place = (700, 400)
    for x, y in pips:
        cv2.circle(image, (place[0] + x, place[1] + y), 4, (230, 230, 230), -1, cv2.LINE_AA)

    seen = read(image)

    assert [("unreadable", None, "no-pattern")] == [(die.verdict, die.value, die.why) for die in seen.dice]
    assert 12 > np.hypot(*np.subtract(seen.dice[0].center_px, place))
    assert seen.needs_referee


@pytest.mark.parametrize("cast", [(1.0, 1.0, 1.0), (0.8, 1.2, 0.8), (0.7, 0.9, 1.35), (1.3, 0.8, 0.9)])
def test_on_a_floor_without_colour_nothing_is_read(cast: tuple[float, float, float]) -> None:
    """A camera of one hue shows all dice as part of the floor: that is said, and the box is not called empty."""
    image, _truth, _rig = scenes.thrown([4, 5, 6], seed=2)
    grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)

    seen = read(np.clip(grey * np.array(cast), 0, 255).astype(np.uint8))

    assert ((), ("no-colour",), True) == (seen.dice, seen.warnings, seen.needs_referee)


def test_a_die_that_shines_in_a_wall_is_no_thing() -> None:
    """Dice at every wall of the box, and nothing is said of things."""
    said = {code for scene in examples.scenes(8, 5, "cocked_wall") for code in read(scene.image).warnings}

    assert set() == said & set(things.NAMES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_message_is_told_on_the_health_page(lang: str) -> None:
    """What the camera sees amiss has a sentence of its own in each language."""
    codes = (*frame.FAULTS, *things.NAMES, "size-changed", "camera-turned", "print-off", "markers-few", "too-far")
    codes += ("marker-hidden", "die-size", "dice-many", "floor-covered", "no-colour")

    sentences = [Words(lang).shown("health.camera", code) for code in codes]

    assert len(codes) == len(set(sentences))
    assert [] == [code for code in codes if not Words(lang).knows(f"health.camera.{code}")]
