"""Where the screen is put together: settings first, then Kivy, because Kivy makes its window while it is imported."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from companion.ui.follow import ScreenClient
from companion.ui.kiosk import Kiosk

TOUCH_DEVICE = Path("/dev/input/table-touch")
"""The touch panel's stable name (see udev/), read directly where there is no desktop below the window."""

FRAMES_PER_S = 30


NO_DISPLAY = (
    "no display to show the screen on: start it in a desktop, set SDL_VIDEODRIVER=kmsdrm on a bare console, "
    "or SDL_VIDEODRIVER=offscreen to run without a display (needs the packages libgl1 and libegl1)"
)


class NoWindow(RuntimeError):
    """There is no display on which the screen could be shown.

    Attributes:
        code: Stable word for docs.
    """

    code = "no-window"


def check_display(environ: Mapping[str, str], platform: str = sys.platform) -> None:
    """Refuse at once where nobody said on what to draw: trying every driver of this machine takes seconds.

    Args:
        environ: The environment of this process.
        platform: Elsewhere than on Linux a window needs no variable.

    Raises:
        NoWindow: No desktop and no driver is named.
    """
    if platform == "linux" and not any(environ.get(name) for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY")):
        raise NoWindow(f"{NO_DISPLAY}; none of DISPLAY, WAYLAND_DISPLAY and SDL_VIDEODRIVER is set")


def prepare_window(width: int, height: int) -> None:
    """Set Kivy up for this process; must come before anything imports a window.

    Args:
        width: Of the window, px; on a bare console the display's own size counts.
        height: Of the window, px.

    Raises:
        NoWindow: Neither a display nor a driver without one is to be had.
    """
    check_display(os.environ)
    os.environ["KIVY_NO_ARGS"] = "1"
    os.environ["KIVY_NO_CONFIG"] = "1"
    os.environ["KIVY_NO_FILELOG"] = "1"
    # Otherwise Kivy takes stderr for itself, and a problem of ours would never be read.
    os.environ["KIVY_LOG_MODE"] = "PYTHON"
    logging.getLogger("kivy").addHandler(logging.NullHandler())
    logging.getLogger("kivy").propagate = False
    # Kivy's second choice ends the process by itself where there is no display, before anything can be said.
    os.environ["KIVY_WINDOW"] = "sdl2"
    if "KIVY_HOME" not in os.environ:
        home = tempfile.mkdtemp(prefix="companion-ui-")
        os.environ["KIVY_HOME"] = home
        atexit.register(shutil.rmtree, home, ignore_errors=True)
    from kivy.config import Config

    Config.set("kivy", "exit_on_escape", "0")
    Config.set("graphics", "width", str(width))
    Config.set("graphics", "height", str(height))
    Config.set("graphics", "resizable", "0")
    Config.set("graphics", "maxfps", str(FRAMES_PER_S))
    # Kivy would turn the right mouse button into a second finger.
    Config.set("input", "mouse", "mouse,disable_multitouch")
    if os.environ.get("SDL_VIDEODRIVER") == "kmsdrm":
        Config.set("graphics", "fullscreen", "auto")
        Config.set("graphics", "show_cursor", "0")
        _read_touch_panel()
    from kivy.core.window import Window

    if Window is None:
        raise NoWindow(NO_DISPLAY)


def _read_touch_panel() -> None:
    """One panel, one reader: probing would hear each touch twice."""
    from kivy.config import Config

    if TOUCH_DEVICE.exists():
        for name in list(Config["input"]):
            Config.remove_option("input", name)
        Config.set("input", "touch", f"mtdev,{TOUCH_DEVICE}")


def run_screen(*, socket: Path, lang: str, width: int, height: int, pictures_to: Path | None) -> None:
    """Show the table behind a socket until told to stop.

    Args:
        socket: The table service's Unix socket; it may come later than the screen.
        lang: Language at start.
        width: Of the window, px.
        height: Of the window, px.
        pictures_to: Folder for a picture of each screen, or None.

    Raises:
        NoWindow: There is no display.
    """
    prepare_window(width, height)
    asyncio.run(_show(socket=socket, lang=lang, pictures_to=pictures_to))


async def _show(*, socket: Path, lang: str, pictures_to: Path | None) -> None:
    from companion.ui.app import TableScreen

    async with ScreenClient(socket=socket) as client:
        screen = TableScreen(Kiosk(client, lang=lang), pictures_to=pictures_to)
        shown = asyncio.create_task(screen.run())
        for told in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(told, shown.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await shown
