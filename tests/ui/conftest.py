"""Kivy's window for the tests that draw."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    """Kivy's one window of this process."""
    os.environ.setdefault("SDL_VIDEODRIVER", "offscreen")
    from companion.ui.bootstrap import prepare_window

    prepare_window(800, 480)
    from kivy.base import EventLoop
    from kivy.core.window import Window

    from companion.ui.widgets.text import register_signs

    register_signs()
    EventLoop.ensure_window()
    yield Window
    for child in list(Window.children):
        Window.remove_widget(child)
