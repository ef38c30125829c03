"""Drivers by name: which camera and which panel a table has is configuration, and a wrong name stops the start.

A driver is looked up, never tried: a table that fell back to another driver because an import failed would look alive
and read nothing. The simulator lives in a layer above, so whoever puts the table together registers it here:

    drivers = Drivers.installed()
    drivers.add_camera("sim", lambda settings: rig.camera)
    camera = drivers.open_camera(CameraSettings(driver="sim"))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.hw.ports import Camera, Panel, RigError
from companion.hw.screen import ScreenPanel
from companion.hw.settings import CameraSettings, PanelSettings

CameraFactory = Callable[[CameraSettings], Camera]
PanelFactory = Callable[[PanelSettings], Panel]


class UnknownDriver(RigError, LookupError):
    """A driver was asked for that is not installed."""

    def __init__(self, part: str, name: str, installed: Mapping[str, object]) -> None:
        names = ", ".join(sorted(installed))
        super().__init__(
            part,
            "unknown-driver",
            f"no {part} driver {name!r}; installed: {names}; see docs/hardware.md",
            driver=name,
            installed=names,
        )


class Drivers:
    """A table of drivers.

    Args:
        cameras: Camera drivers by name.
        panels: Panel drivers by name.
    """

    def __init__(self, cameras: Mapping[str, CameraFactory], panels: Mapping[str, PanelFactory]) -> None:
        self._cameras = dict(cameras)
        self._panels = dict(panels)

    @classmethod
    def installed(cls) -> Drivers:
        """All drivers of this package; each is imported only when it is opened."""
        return cls(
            cameras={"picamera2": _picamera2, "v4l2": _v4l2, "replay": _replay},
            panels={"gpio": _gpio, "screen": lambda _: ScreenPanel()},
        )

    def add_camera(self, name: str, factory: CameraFactory) -> None:
        """Add a camera driver, or replace the one of that name."""
        self._cameras[name] = factory

    def add_panel(self, name: str, factory: PanelFactory) -> None:
        """Add a panel driver, or replace the one of that name."""
        self._panels[name] = factory

    def open_camera(self, settings: CameraSettings) -> Camera:
        """The camera that the settings name, running.

        Raises:
            UnknownDriver: There is no such driver.
            RigError: The driver can't open it.
        """
        if settings.driver not in self._cameras:
            raise UnknownDriver("camera", settings.driver, self._cameras)
        return self._cameras[settings.driver](settings)

    def open_panel(self, settings: PanelSettings) -> Panel:
        """The panel that the settings name, its lines claimed.

        Raises:
            UnknownDriver: There is no such driver.
            RigError: The driver can't open it.
        """
        if settings.driver not in self._panels:
            raise UnknownDriver("panel", settings.driver, self._panels)
        return self._panels[settings.driver](settings)


def _picamera2(settings: CameraSettings) -> Camera:
    from companion.hw.pi import camera

    return camera.open_camera(settings)


def _v4l2(settings: CameraSettings) -> Camera:
    from companion.hw import v4l2

    return v4l2.V4l2Camera(settings)


def _replay(settings: CameraSettings) -> Camera:
    from companion.hw import replay

    return replay.ReplayCamera(settings)


def _gpio(settings: PanelSettings) -> Panel:
    from companion.hw.pi import gpio

    return gpio.open_panel(settings)
