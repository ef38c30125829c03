"""The newest frame, handed from the thread that makes it to the one that reads it.

A reader that is late gets the newest frame, never a queue of old ones: what a table rules on must be now. A source
that fails leaves its error here, and the reader raises it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from companion.hw.ports import RigError

Item = TypeVar("Item")


class Slot(Generic[Item]):
    """Room for one item, the newest.

    Args:
        drop: Called with an item that was never taken, when a newer one comes or the slot is closed.
    """

    def __init__(self, drop: Callable[[Item], None] | None = None) -> None:
        self._drop = drop
        self._item: Item | None = None
        self._error: RigError | None = None
        self._changed = threading.Condition()

    def put(self, item: Item) -> None:
        """Leave an item; one that was not taken is dropped."""
        with self._changed:
            old, self._item = self._item, item
            self._changed.notify()
        self._let_go(old)

    def fail(self, error: RigError) -> None:
        """Leave an error: whoever takes from now on gets it, after an item that is still there."""
        with self._changed:
            self._error = error
            self._changed.notify_all()

    def take(self, timeout_ms: float) -> Item | None:
        """The item, or None when none came in time.

        Raises:
            RigError: The source left an error.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._item is not None or self._error is not None, timeout_ms / 1000)
            if self._item is not None:
                item, self._item = self._item, None
                return item
            error = self._error
        if error is not None:
            raise error
        return None

    def clear(self) -> None:
        """Drop what is there."""
        with self._changed:
            old, self._item = self._item, None
        self._let_go(old)

    def _let_go(self, item: Item | None) -> None:
        if item is not None and self._drop is not None:
            self._drop(item)
