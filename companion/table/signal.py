"""The signal's own thread: armed in advance, it sounds "tijd" whatever the rest of the service is doing.

Theory. The event loop reads, judges and writes to a slow card; a signal that waited for it would come late exactly when
the table is busy. So the moment is armed here as a stamp on the boot clock, the thread sleeps until it, drives the
outputs itself, and only then tells the loop. Arming anew replaces the moment; disarming forgets it. A moment that has
passed when it is armed (the service was away) sounds at once.

The boot clock goes on while the machine sleeps, and `Event.wait` counts on the monotonic clock: the thread therefore
never sleeps longer than `_NAP_S` before it looks at the boot clock again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import structlog

from companion.hw.clock import NS_PER_S, boot_ns

_NAP_S = 1.0
_SPIN_NS = 2_000_000
_PRIORITY = 20

_log = structlog.get_logger()


def _raise_priority() -> None:
    """Real-time priority for the calling thread, where the service may have it (LimitRTPRIO of its unit)."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
    except PermissionError:
        _log.info("no real-time priority for the signal: it shares the processor with everything else")


class Alarm:
    """One armed moment on the boot clock, with a thread that calls back when it comes.

    Args:
        on_due: Called from the alarm's thread with the boot-clock stamp at which it rang; must not block.
        name: Name of the thread.
    """

    def __init__(self, on_due: Callable[[int], None], *, name: str) -> None:
        self._on_due = on_due
        self._changed = threading.Condition()
        self._due_ns: int | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def arm(self, due_ns: int | None) -> None:
        """Ring at `due_ns`, or not at all; replaces what was armed before."""
        with self._changed:
            if due_ns != self._due_ns:
                self._due_ns = due_ns
                self._changed.notify()

    def close(self) -> None:
        """Stop the thread; twice is fine."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        _raise_priority()
        while True:
            with self._changed:
                if self._closing:
                    return
                due_ns = self._due_ns
                wait_ns = None if due_ns is None else due_ns - boot_ns()
                if wait_ns is None or wait_ns > _SPIN_NS:
                    left_s = _NAP_S if wait_ns is None else (wait_ns - _SPIN_NS / 2) / NS_PER_S
                    self._changed.wait(None if wait_ns is None else min(_NAP_S, left_s))
                    continue
                self._due_ns = None
            # The last two milliseconds are spun: a wait may oversleep by a scheduler's tick, a glance at the clock not.
            while due_ns is not None and boot_ns() < due_ns:
                pass
            self._on_due(boot_ns())
