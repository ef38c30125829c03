"""A button whose wire is torn off: noticed by what does not come.

Theory. A torn wire can't be told from a button that nobody presses. But a player whose throws keep counting without
their button being heard, at a table where others' buttons are heard, has a dead button or does not use it; either way
it is worth saying that the screen does its work. A table that plays without buttons altogether is left in peace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.table.health import Item, item

SILENT_THROWS = 3
"""Throws of one player in a row, counted without a press of theirs, after which it is said."""


class ButtonWatch:
    """Which buttons are heard while their players throw.

    Args:
        pressed: How often each button went down so far.
    """

    def __init__(self, pressed: Callable[[], Mapping[str, int]]) -> None:
        self._pressed = pressed
        self._silent: dict[str, tuple[int, int]] = {}

    def counted(self, button: str) -> None:
        """A throw of this button's player counted."""
        now = self._pressed().get(button, 0)
        before, throws = self._silent.get(button, (0, 0))
        self._silent[button] = (now, throws + 1 if now == before else 0)

    def forget(self) -> None:
        """A new game: other players, other buttons."""
        self._silent = {}

    def health(self) -> tuple[Item, ...]:
        """The buttons that are silent at a table where others are heard."""
        pressed = self._pressed()
        heard = [name for name, (before, throws) in self._silent.items() if throws == 0 or pressed.get(name) != before]
        if not heard:
            return ()
        return tuple(
            item(name, "warn", "button-silent", throws=throws)
            for name, (before, throws) in sorted(self._silent.items())
            if throws >= SILENT_THROWS and pressed.get(name, 0) == before
        )


def seen(pressed: Mapping[str, int]) -> tuple[Item, ...]:
    """Which buttons were heard since the start: before a game each is pressed once.

    Args:
        pressed: How often each button went down.
    """
    if not pressed:
        return ()
    unseen = sorted(name for name, times in pressed.items() if not times)
    if unseen:
        return (item("buttons", "ok", "buttons-unseen", buttons=unseen),)
    return (item("buttons", "ok", "buttons-seen", buttons=sorted(pressed)),)
