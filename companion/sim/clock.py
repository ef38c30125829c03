"""The clock that a simulated rig lives by: the real boot clock, or one that a test winds on by hand."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable
from typing import Protocol

from companion.hw.clock import NS_PER_S, boot_ns


class SimClock(Protocol):
    """Time for cameras, dice and buttons."""

    def now_ns(self) -> int:
        """Boot-clock ns."""

    def wait_until(self, at_ns: int, wake: threading.Event) -> None:
        """Return when the time has come or `wake` is set, whichever is first."""

    def call_at(self, at_ns: int, action: Callable[[], None]) -> None:
        """Run an action when its time has come, in order of time; a time that has passed runs soon."""

    def close(self) -> None:
        """Forget all actions; twice is fine."""


class BootClock:
    """The machine's own boot clock; actions run on one thread that exists only while there are some."""

    def __init__(self) -> None:
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def now_ns(self) -> int:
        """Boot-clock ns."""
        return boot_ns()

    def wait_until(self, at_ns: int, wake: threading.Event) -> None:
        """Sleep until the time has come or `wake` is set."""
        wake.wait(max(0.0, (at_ns - boot_ns()) / NS_PER_S))

    def call_at(self, at_ns: int, action: Callable[[], None]) -> None:
        """Run an action on the clock's thread when its time has come."""
        with self._changed:
            if self._closed:
                return
            heapq.heappush(self._due, (at_ns, next(self._count), action))
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="sim-clock", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Forget all actions and end the thread."""
        with self._changed:
            self._closed = True
            self._due.clear()
            self._changed.notify()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._due and (left_ns := self._due[0][0] - boot_ns()) > 0:
                    self._changed.wait(left_ns / NS_PER_S)
                if not self._due:
                    self._thread = None
                    return
                _, _, action = heapq.heappop(self._due)
            action()


class ManualClock:
    """A clock that stands still until it is wound on: a whole evening passes as fast as it can be computed.

    Waiting winds it on, so a loop that reads a camera runs through simulated time without sleeping.
    """

    def __init__(self, start_ns: int = NS_PER_S) -> None:
        self._now_ns = start_ns
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._lock = threading.RLock()

    def now_ns(self) -> int:
        """Where the clock stands, ns."""
        return self._now_ns

    def advance_to(self, at_ns: int) -> None:
        """Wind on to a time, running what falls due on the way, each at its own time."""
        with self._lock:
            while self._due and self._due[0][0] <= at_ns:
                due_ns, _, action = heapq.heappop(self._due)
                self._now_ns = max(self._now_ns, due_ns)
                action()
            self._now_ns = max(self._now_ns, at_ns)

    def wait_until(self, at_ns: int, wake: threading.Event) -> None:
        """Wind on to the time, unless `wake` is set."""
        if not wake.is_set():
            self.advance_to(at_ns)

    def call_at(self, at_ns: int, action: Callable[[], None]) -> None:
        """Run an action when the clock is wound past its time."""
        with self._lock:
            heapq.heappush(self._due, (at_ns, next(self._count), action))

    def close(self) -> None:
        """Forget all actions."""
        with self._lock:
            self._due.clear()
