"""Pictures of the screen: whole whenever they are taken, and one of each moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion.ui.blocks import Screen
from tests.ui import states
from tests.ui.pictures import screens
from tests.ui.test_model import shown

HASTY = ("playing", "board", "referee", "scored", "playing-last")
"""Screens that follow each other in a test: dice, tiles, buttons, sentences, bars."""


@pytest.fixture
def frame(window: Any) -> Iterator[Any]:
    """The window's one child, empty."""
    from companion.ui.widgets.frame import Frame

    for child in list(window.children):
        window.remove_widget(child)
    made = Frame(lambda _: None, lambda _: None, width=window.width, height=window.height)
    window.add_widget(made)
    yield made
    window.remove_widget(made)


def _idle(frames: int) -> None:
    from kivy.base import EventLoop

    for _ in range(frames):
        EventLoop.idle()


def test_a_picture_is_whole_in_the_tick_of_a_change(frame: Any, tmp_path: Path) -> None:
    """Each screen, taken at once after another one, looks as it does when the window has long settled."""
    from companion.ui.shots import shoot

    drawn = dict(screens("en"))
    hasty = []
    for name in HASTY:
        screen = drawn[name]
        frame.show(screen)
        shoot(tmp_path / "at-once.png")
        _idle(4)
        shoot(tmp_path / "settled.png")
        if (tmp_path / "at-once.png").read_bytes() != (tmp_path / "settled.png").read_bytes():
            hasty.append(name)

    assert [] == hasty


def test_a_text_that_is_said_to_fit_has_all_its_lines(window: Any) -> None:
    """Kivy leaves out a line that its box holds all but a hair of: half a sentence would stand there as a whole one."""
    from kivy.core.text.markup import MarkupLabel

    from companion.ui.widgets.text import fits, marked, wrapped_height_px

    del window
    told = "3 attack dice: 6, 3 and one beside the box. A die beside the box falls away. (clause 4.8.1)"
    whole_px = int(wrapped_height_px(told, 19, 458, bold=False))

    def lines(height_px: int) -> int:
        label = MarkupLabel(text=marked(told), font_size=19, text_size=(458, height_px))
        label.refresh()
        return len(label._cached_lines)

    heights = range(whole_px - 3, whole_px + 3)

    assert [lines(height) == 2 for height in heights] == [
        fits(told, 19, (458, height), bold=False) for height in heights
    ]


class _Kiosk:
    """Shows what the test says; its pictures come when the test lets them."""

    def __init__(self, screen: Screen) -> None:
        self.shown = screen
        self.let = asyncio.Event()
        self.follower = SimpleNamespace(picture=self._picture)

    def screen(self) -> Screen:
        return self.shown

    async def _picture(self, _: str) -> bytes | None:
        await self.let.wait()
        return None


async def test_each_moment_has_its_picture_however_short(window: Any, tmp_path: Path) -> None:
    """A screen waits for the photograph that it shows; where the next one comes first, it is taken before it goes."""
    from kivy.clock import Clock

    from companion.ui.app import TableScreen

    for child in list(window.children):
        window.remove_widget(child)
    throw, frozen = shown(states.cocked()), shown(states.frozen())
    kiosk = _Kiosk(throw)
    before = Clock.get_events()
    app = TableScreen(kiosk, pictures_to=tmp_path)  # type: ignore[arg-type]
    window.add_widget(app.build())
    ticking = [event for event in Clock.get_events() if event not in before]

    def taken() -> list[str]:
        return sorted(path.stem.split("-")[1] for path in tmp_path.glob("*.png"))

    async def for_s(seconds: float) -> None:
        end = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < end:
            _idle(1)
            await asyncio.sleep(0.01)

    await for_s(0.4)
    while_it_waits = taken()
    kiosk.shown = frozen
    await for_s(0.3)
    gone = taken()
    kiosk.let.set()
    await for_s(0.3)
    for event in ticking:
        event.cancel()

    assert ([], ["playing"], ["playing", "tijd"]) == (while_it_waits, gone, taken())
