"""The window: draws what the kiosk says, hands presses to it, and keeps the pictures.

Kivy makes its window when it is first imported, so `companion.commands.ui` sets size and driver before this module is.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import signal
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import structlog
from kivy.app import App
from kivy.clock import Clock
from kivy.core.image import Image as CoreImage
from kivy.core.window import Window
from kivy.graphics.texture import Texture
from kivy.uix.widget import Widget

from companion.ui.blocks import LIVE, Do, Picture, Screen, Send
from companion.ui.kiosk import Kiosk
from companion.ui.shots import shoot
from companion.ui.widgets.frame import FLASH_S, Frame
from companion.ui.widgets.text import register_signs

log = structlog.get_logger(__name__)

DRAW_EVERY_S = 0.1
MOST_PICTURES = 4
LIVE_EVERY_S = 1.0


class TableScreen(App):
    """The touch screen of one table.

    Args:
        kiosk: The screen without its window.
        pictures_to: Folder for a picture of each screen that is shown, or None.
    """

    def __init__(self, kiosk: Kiosk, *, pictures_to: Path | None = None) -> None:
        super().__init__()
        self._kiosk = kiosk
        self._pictures_to = pictures_to
        self._textures: dict[str, Texture | None] = {}
        self._fetching: set[asyncio.Task[None]] = set()
        self._live_s = 0.0
        self._count = itertools.count(1)
        self._moment = ""
        self._is_due = False
        self._frame = Widget()

    def build(self) -> Widget:
        """The window's one child."""
        register_signs()
        self._frame = Frame(self._pressed, self._texture, width=Window.width, height=Window.height)
        Clock.schedule_interval(self._draw, DRAW_EVERY_S)
        Clock.schedule_interval(lambda _: self._frame.flash(), FLASH_S)
        return self._frame

    async def run(self) -> None:
        """Show the table until the window is closed or the task is cancelled."""
        loop = asyncio.get_running_loop()
        if self._pictures_to is not None:
            loop.add_signal_handler(signal.SIGUSR1, self._shoot, "asked")
        window = asyncio.create_task(self.async_run("asyncio"))
        following = asyncio.create_task(self._kiosk.run())
        try:
            # A screen that no longer follows its table must not stay up: it ends, and is started anew.
            done, _ = await asyncio.wait({window, following}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in (window, following, *self._fetching):
                task.cancel()
            await asyncio.gather(window, following, *self._fetching, return_exceptions=True)

    def _pressed(self, does: Do | Send) -> None:
        self._kiosk.press(does)
        self._draw()

    def _draw(self, _: float = 0.0) -> None:
        screen = self._show()
        if any(isinstance(block, Picture) and block.evidence == LIVE for block in (*screen.main, *screen.side)):
            self._renew_live()
        if not self._fetching:
            self._shoot_due()

    def _show(self, *, again: bool = False) -> Screen:
        screen = self._kiosk.screen()
        moment = "-".join(filter(None, (screen.name, screen.moment)))
        if moment != self._moment:
            # What is still shown goes now, and would have no picture any more.
            self._shoot_due()
            self._moment, self._is_due = moment, self._pictures_to is not None
        self._frame.show(screen, again=again)
        return screen

    def _shoot_due(self) -> None:
        """The picture of this moment, once: when what it shows has been fetched, or else before it goes."""
        if self._is_due:
            self._is_due = False
            self._shoot(self._moment)

    def _shoot(self, name: str) -> None:
        if self._pictures_to is None:
            return
        path = self._pictures_to / f"{next(self._count):03}-{name}.png"
        try:
            shoot(path)
        except OSError as error:
            log.warning("picture not written", path=str(path), why=str(error))
        else:
            log.info("picture written", path=str(path))

    def _renew_live(self) -> None:
        """Ask for what the camera sees now, once a second, while a screen shows it."""
        if time.monotonic() - self._live_s >= LIVE_EVERY_S:
            self._live_s = time.monotonic()
            self._begin(self._fetch(LIVE))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._fetching.add(task)
        task.add_done_callback(self._fetching.discard)

    def _texture(self, evidence: str) -> Texture | None:
        """The picture if it is there; else it is fetched, and the screen drawn again when it came."""
        if evidence not in self._textures:
            self._textures[evidence] = None
            while len(self._textures) > MOST_PICTURES:
                del self._textures[next(iter(self._textures))]
            if evidence != LIVE:
                self._begin(self._fetch(evidence))
        return self._textures[evidence]

    async def _fetch(self, evidence: str) -> None:
        jpeg = await self._kiosk.follower.picture(evidence)
        if jpeg is None:
            if evidence == LIVE and self._textures.pop(LIVE, None) is not None:
                # An old picture of the box must not pass for what is there now.
                self._show(again=True)
            return
        try:
            self._textures[evidence] = CoreImage(io.BytesIO(jpeg), ext="jpg").texture
        except Exception as error:  # noqa: BLE001  (Kivy raises a bare Exception for a picture that it cannot read)
            log.warning("picture not readable", evidence=evidence, why=str(error))
            return
        self._show(again=True)
