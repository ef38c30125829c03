"""Drivers by name, settings with sense, and a table that has only its screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companion.hw.ports import Panel, RigError
from companion.hw.rig import Drivers, UnknownDriver
from companion.hw.screen import ScreenPanel
from companion.hw.settings import BadRigSetting, CameraSettings, PanelSettings
from tests.hw.contract import PanelContract


class TestScreenPanel(PanelContract):
    """A panel without wires keeps the panel's laws."""

    @pytest.fixture
    def opened(self) -> Iterator[Panel]:
        """The panel of a table that has only its screen."""
        yield Drivers.installed().open_panel(PanelSettings(driver="screen"))

    def test_it_has_nothing_to_press_or_sound(self) -> None:
        """No buttons and no buzzer: a legal rig."""
        panel = ScreenPanel()

        assert ((), None) == (panel.buttons(), panel.buzzer())


def test_an_unknown_driver_names_what_is_installed() -> None:
    """A misspelt driver stops the start and says what there is."""
    drivers = Drivers.installed()
    drivers.add_camera("sim", lambda _settings: (_ for _ in ()).throw(AssertionError))
    with pytest.raises(UnknownDriver) as told:
        drivers.open_camera(CameraSettings(driver="pii"))

    assert ("camera", "unknown-driver", "pii") == (told.value.part, told.value.code, told.value.values["driver"])
    assert "picamera2, replay, sim, v4l2" == told.value.values["installed"]


def test_an_unknown_panel_driver_is_refused_too() -> None:
    """The same holds for panels, which have no simulator until the program adds it."""
    with pytest.raises(UnknownDriver) as told:
        Drivers.installed().open_panel(PanelSettings(driver="sim"))

    assert "gpio, screen" == told.value.values["installed"]


def test_a_driver_that_the_program_adds_is_opened_with_its_settings() -> None:
    """What is registered under a name is what opens, told of the settings."""
    panel = ScreenPanel()
    told: list[PanelSettings] = []
    drivers = Drivers.installed()

    def factory(settings: PanelSettings) -> Panel:
        told.append(settings)
        return panel

    drivers.add_panel("sim", factory)
    settings = PanelSettings(driver="sim")

    assert panel is drivers.open_panel(settings)
    assert [settings] == told


@pytest.mark.parametrize("driver", ["picamera2", "v4l2", "replay"])
def test_a_driver_that_cannot_work_here_says_why(driver: str) -> None:
    """On a machine without that camera each driver fails with a code, never with a foreign error."""
    with pytest.raises(RigError) as told:
        Drivers.installed().open_camera(CameraSettings(driver=driver, device="/nowhere"))

    assert told.value.code in {"driver-missing", "no-camera", "nothing-to-play"}


def test_the_gpio_driver_says_why_it_cannot_work_here() -> None:
    """Off the Pi the panel's lines can't be opened, and that is said."""
    with pytest.raises(RigError) as told:
        Drivers.installed().open_panel(PanelSettings(driver="gpio", buttons={"seat1": 17}))

    assert told.value.code in {"driver-missing", "no-gpio"}


@pytest.mark.parametrize(
    ("name", "wrong"), [("width", 100), ("height", 5000), ("fps", 0), ("exposure_us", 40_000), ("exposure_us", -1)]
)
def test_camera_settings_out_of_range_name_the_setting(name: str, wrong: int) -> None:
    """A setting that can't be is refused with its name, value and rule."""
    with pytest.raises(BadRigSetting) as told:
        CameraSettings(driver="v4l2", **{name: wrong})  # type: ignore[arg-type]

    assert (name, wrong) == (told.value.values["name"], told.value.values["value"])


def test_two_parts_on_one_line_are_refused() -> None:
    """Each GPIO line has one use; the message names both."""
    with pytest.raises(BadRigSetting, match=r"pins\.lamps\.seat1 must not be the line of buttons\.seat1, got 17"):
        PanelSettings(driver="gpio", buttons={"seat1": 17}, lamps={"seat1": 17})


def test_a_line_that_the_header_does_not_have_is_refused() -> None:
    """Only the header's free lines can be used."""
    with pytest.raises(BadRigSetting) as told:
        PanelSettings(driver="gpio", buzzers=(40,))

    assert 40 == told.value.values["value"]
