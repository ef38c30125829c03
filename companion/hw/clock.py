"""The boot clock, and how stamps of other clocks become stamps of it.

Theory: the boot clock (`CLOCK_BOOTTIME`) counts from the start of the machine and, unlike the monotonic clock,
goes on while the machine sleeps. A wall clock that jumps changes neither. Kernel drivers stamp with one or the
other (libcamera promises the boot clock, V4L2 buffers and GPIO edges carry the monotonic one), and the two differ
by exactly the time slept. So the offset is measured, not assumed, and a stamp whose clock is not documented is
placed by asking which clock makes it recent.
"""

from __future__ import annotations

import time
from pathlib import Path

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_ns() -> int:
    """Now, in nanoseconds of the boot clock."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def boot_id() -> str:
    """The name of this run of the machine, as the kernel gives it: boot-clock stamps of another run mean nothing."""
    return _BOOT_ID.read_text(encoding="ascii").strip()


def monotonic_to_boot_offset_ns() -> int:
    """What to add to a monotonic stamp to make it a boot stamp, ns.

    The two clocks can't be read at one instant; the boot clock is read before and after, and the narrowest of a
    few such brackets wins, so that being scheduled away in between can't bend the offset.
    """
    best_width, best_offset = None, 0
    for _ in range(5):
        before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        monotonic = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        after = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        if best_width is None or after - before < best_width:
            best_width, best_offset = after - before, (before + after) // 2 - monotonic
    return best_offset


def recent_to_boot_ns(
    stamp_ns: int, *, now_boot_ns: int, monotonic_offset_ns: int, oldest_ms: int = 2000
) -> int | None:
    """A stamp of a source whose clock is unknown, on the boot clock.

    Args:
        stamp_ns: The stamp as the source gave it, ns.
        now_boot_ns: The boot clock when the stamp came in.
        monotonic_offset_ns: From `monotonic_to_boot_offset_ns`.
        oldest_ms: How old a stamp may be on arrival.

    Returns:
        The stamp on the boot clock, or None when it is recent on neither clock.
    """
    # A machine that never slept has one time on both clocks; what is measured between them is only the measuring.
    slept = abs(monotonic_offset_ns) >= NS_PER_MS
    placed = [
        candidate
        for candidate in ((stamp_ns, stamp_ns + monotonic_offset_ns) if slept else (stamp_ns,))
        if -NS_PER_MS <= now_boot_ns - candidate <= oldest_ms * NS_PER_MS
    ]
    # Read on the boot clock a monotonic stamp looks older by the time slept; the other way round it lies in the future.
    return max(placed, default=None)
