"""The screen's light and the Pi's supply, from files of the kernel's shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.hw.pi.backlight import Backlight
from companion.hw.pi.power import PowerState, read_power
from companion.hw.ports import RigError


@pytest.fixture
def light(tmp_path: Path) -> Path:
    """A screen's light as the kernel shows it."""
    folder = tmp_path / "10-0045"
    folder.mkdir()
    (folder / "max_brightness").write_text("31\n", encoding="ascii")
    (folder / "brightness").write_text("31\n", encoding="ascii")
    return tmp_path


def test_the_light_is_set_in_the_screens_own_steps(light: Path) -> None:
    """Half light is half of the steps that this screen has."""
    screen = Backlight(light)
    screen.set(0.5)

    assert ("10-0045", "16") == (screen.name, (light / "10-0045/brightness").read_text(encoding="ascii"))
    assert 16 / 31 == screen.share()


@pytest.mark.parametrize("share", [0.0, 0.04, 1.1])
def test_the_light_is_never_put_out(light: Path, share: float) -> None:
    """A share that would make the screen black, or that it does not have, is refused."""
    with pytest.raises(RigError) as told:
        Backlight(light).set(share)

    assert ("bad-brightness", share) == (told.value.code, told.value.values["value"])


def test_a_machine_without_such_a_light_says_so(tmp_path: Path) -> None:
    """No light to set is a fault with a name, not an error of the file system."""
    with pytest.raises(RigError) as told:
        Backlight(tmp_path / "none")

    assert "no-backlight" == told.value.code


def test_a_light_that_may_not_be_set_says_so(light: Path) -> None:
    """What the kernel refuses is told with the light's name."""
    screen = Backlight(light)
    (light / "10-0045/brightness").unlink()
    (light / "10-0045/brightness").mkdir()
    with pytest.raises(RigError) as told:
        screen.set(0.5)

    assert "backlight-refused" == told.value.code


def test_a_light_whose_files_hold_no_numbers_is_refused(light: Path) -> None:
    """Nonsense in the kernel's file is not taken for a brightness."""
    (light / "10-0045/max_brightness").write_text("bright", encoding="ascii")
    with pytest.raises(RigError) as told:
        Backlight(light)

    assert "backlight-refused" == told.value.code


def machine(root: Path, **files: str) -> Path:
    """A root folder with some of the kernel's files."""
    places = {
        "flags": "sys/devices/platform/soc/soc:firmware/get_throttled",
        "temp": "sys/class/thermal/thermal_zone0/temp",
        "sensor": "sys/class/hwmon/hwmon1/name",
        "alarm": "sys/class/hwmon/hwmon1/in0_lcrit_alarm",
    }
    for name, text in files.items():
        path = root / places[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")
    return root


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("0", (False, False, False, False)),
        ("1", (True, False, False, False)),
        ("50005", (True, True, True, True)),
        ("50000", (False, True, False, True)),
        ("80008", (False, False, True, True)),
    ],
)
def test_the_firmwares_word_is_taken_apart(tmp_path: Path, flags: str, expected: tuple[bool, ...]) -> None:
    """Low bits tell of now, high bits of what has been since the start."""
    state = read_power(machine(tmp_path, flags=flags, temp="48312"))

    assert expected == (
        state.undervoltage_now,
        state.undervoltage_since_start,
        state.throttled_now,
        state.throttled_since_start,
    )
    assert 48.312 == state.temperature_c


@pytest.mark.parametrize(("alarm", "expected"), [("1", True), ("0", False)])
def test_the_kernels_sensor_tells_of_undervoltage_where_the_firmware_does_not(
    tmp_path: Path, alarm: str, expected: bool
) -> None:
    """Without the firmware's word the sensor's alarm is what is known, and no more is claimed."""
    state = read_power(machine(tmp_path, sensor="rpi_volt", alarm=alarm))

    assert (expected, None) == (state.undervoltage_now, state.throttled_now)


def test_a_machine_that_tells_nothing_is_not_called_well(tmp_path: Path) -> None:
    """Off the Pi, or with nonsense in the files, everything is unknown rather than fine."""
    unknown = PowerState(
        undervoltage_now=None,
        undervoltage_since_start=None,
        throttled_now=None,
        throttled_since_start=None,
        temperature_c=None,
    )

    assert unknown == read_power(tmp_path)
    assert unknown == read_power(machine(tmp_path, flags="no hex", temp="warm", sensor="other"))
