"""What the table asks of the physical world: camera, button, lamp and buzzer as protocols.

Every driver (`picamera2`, `v4l2`, `gpio`, `sim`, `replay`, `screen`) is one of these and nothing more, so the
table cannot tell a simulated rig from a real one. Three laws hold for all of them:

* Stamps are nanoseconds of the boot clock (`CLOCK_BOOTTIME`): a driver whose source counts on another clock
  converts by the measured offset before it hands a stamp out.
* `close()` may be called twice, and from another thread than the one that reads.
* A driver that fails says so by raising a `RigError`; it never returns an old frame or a made-up edge. A camera that
  failed is closed and opened anew; nothing but the new one says whether it is well again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]


class RigError(Exception):
    """A part of the rig failed; the table goes on without that part.

    Attributes:
        part: The part by its name on screen: camera, button, lamp or buzzer.
        code: Stable word for docs and translations.
        values: Offenders by name, for the sentence on the screen.
    """

    def __init__(self, part: str, code: str, message: str, **values: Any) -> None:
        super().__init__(message)
        self.part = part
        self.code = code
        self.values = values


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One picture with its own time.

    Attributes:
        image: The picture, shape (rows, cols, 3), BGR, uint8. The receiver must not write into it.
        luma: The small luma picture for the watch, shape (rows, cols), uint8, or None if the driver has none.
        at_ns: Middle of the exposure (or the best that the source knows), boot-clock ns.
        number: Counts up by one per frame that the source made, so that a gap shows frames that were lost.
    """

    image: Image
    luma: Image | None
    at_ns: int
    number: int


class Camera(Protocol):
    """A source of frames."""

    @property
    def name(self) -> str:
        """Driver and device as shown on the screen, such as 'v4l2 /dev/video0'."""

    def read(self, timeout_ms: int) -> Frame | None:
        """The next frame not yet handed out, newest first when the reader is late; None when none came in time.

        Raises:
            RigError: The camera is gone or no longer delivers.
        """

    def close(self) -> None:
        """Let go of the device; twice is fine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One raw change of a button's line, before any debounce.

    Attributes:
        button: The button's name: 'seat1' to 'seat6' or 'referee'.
        pressed: True for the edge that closes the contact.
        at_ns: Kernel time stamp of the edge, boot-clock ns.
    """

    button: str
    pressed: bool
    at_ns: int


class Lamp(Protocol):
    """A lamp that is on or off; patterns are the panel's business."""

    def set(self, on: bool) -> None:
        """Switch the lamp; returns at once.

        Raises:
            RigError: The line could not be driven.
        """


class Buzzer(Protocol):
    """A buzzer that sounds or is silent."""

    def set(self, on: bool) -> None:
        """Switch the buzzer; returns at once.

        Raises:
            RigError: The line could not be driven.
        """


class Panel(Protocol):
    """All buttons, lamps and buzzers of one table."""

    @property
    def name(self) -> str:
        """Driver as shown on the screen, such as 'gpio' or 'sim'."""

    def buttons(self) -> tuple[str, ...]:
        """Names of the buttons that this panel has."""

    def lamp(self, name: str) -> Lamp:
        """The lamp 'seat1'..'seat6' or 'beacon'.

        Raises:
            RigError: The panel has no such lamp.
        """

    def buzzer(self) -> Buzzer | None:
        """The buzzer, or None when the panel has none."""

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        """Call `on_edge` for each raw edge, in order, from the driver's own thread."""

    def heard_until_ns(self, button: str) -> int:
        """Up to when every edge of a button has been handed to whoever listens, boot-clock ns.

        An edge carries its own time and may come in late; what is decided because time has passed is decided only up to
        this moment. Asked some forty times a second while a button is down. It may lag by as much as the driver needs
        to be sure, and never goes back.

        Raises:
            RigError: The button's line can't be read.
        """

    def close(self) -> None:
        """Let go of all lines, lamps and buzzer off; twice is fine."""
