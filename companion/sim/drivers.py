"""The simulated rig: a camera, a panel, and verbs for the world outside of them.

    rig = SimRig()
    rig.button("seat1").press()
    rig.box.throw([6, 4, 2], cocked={1})
    frame = rig.camera.read(100)

`rig.camera` and `rig.panel` obey `companion.hw.ports`; whoever uses them can't tell that nothing is there.
"""

from __future__ import annotations

from collections.abc import Callable

from companion.sim.box import SimBox
from companion.sim.camera import SimCamera
from companion.sim.clock import BootClock, SimClock
from companion.sim.panel import SimButton, SimPanel
from companion.sim.settings import SimSettings


class SimPower:
    """The plug of the rig.

    Args:
        camera: Goes dark with it.
        panel: Goes dark with it.
    """

    def __init__(self, camera: SimCamera, panel: SimPanel) -> None:
        self._camera = camera
        self._panel = panel
        self._on_cut: list[Callable[[], None]] = []

    def cut(self) -> None:
        """Pull the plug: camera and panel are dead, and whoever asked by `on_cut` dies too."""
        self._camera.lose_power()
        self._panel.lose_power()
        for die in self._on_cut:
            die()

    def restore(self) -> None:
        """Put the plug in again."""
        self._camera.gain_power()
        self._panel.gain_power()

    def on_cut(self, action: Callable[[], None]) -> None:
        """Have an action run when the plug is pulled, such as one that kills the table's process."""
        self._on_cut.append(action)


class SimRig:
    """One simulated table.

    Args:
        settings: What kind of rig it is; the standard rig by default.
        clock: The real boot clock by default; a `ManualClock` to run as fast as can be computed.

    Attributes:
        camera: A `companion.hw.ports.Camera` with verbs: cover, uncover, unplug, plug, freeze, thaw.
        panel: A `companion.hw.ports.Panel` whose lamps and buzzer remember what they did.
        box: Throw, lift, clear; and the truth about what lies there.
        power: cut and restore.
    """

    def __init__(self, settings: SimSettings | None = None, clock: SimClock | None = None) -> None:
        self.settings = SimSettings() if settings is None else settings
        self.clock = BootClock() if clock is None else clock
        self.box = SimBox(self.settings, self.clock)
        self.camera = SimCamera(self.settings, self.clock, self.box)
        self.panel = SimPanel(self.clock, self.settings.buttons, self.settings.seed)
        self.power = SimPower(self.camera, self.panel)

    def button(self, name: str) -> SimButton:
        """One button of the panel, to press.

        Raises:
            RigError: There is no such button.
        """
        return self.panel.button(name)

    def open_camera(self) -> SimCamera:
        """The camera as a driver opens it: anew after it failed or was closed.

        Raises:
            RigError: It is unplugged, frozen or without power.
        """
        return self.camera.reopen()

    def close(self) -> None:
        """Let go of everything; twice is fine."""
        self.camera.close()
        self.panel.close()
        self.clock.close()
