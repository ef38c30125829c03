"""What the kernel tells of the machine itself: its card, its wall clock's source, its network.

All of it is read from `/sys` and `/run`, without root, without a tool, and without writing. What this machine does not
tell is None: unknown, not fine. An SD card keeps its wear to itself; an eMMC tells, and the file system of either
counts the errors that it met, which is the earliest sign of a card that dies.

Source: kernel documentation, admin-guide/mmc (life_time, pre_eol_info: JEDEC eMMC 5.1) and ABI sysfs-fs-ext4
(errors_count, lifetime_write_kbytes).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path("/")

ClockSource = Literal["network", "battery", "none"]
"""What keeps the wall clock right: a time server, a clock chip with a battery, or nothing."""

_KB_PER_GB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CardState:
    """How the disk under a folder fares; None is what this machine does not tell.

    Attributes:
        device: The kernel's name of it, such as 'mmcblk0p2'.
        worn_percent: How much of its life is used up, at most.
        written_gb: Written to its file system since it was made.
        errors: Errors that its file system met.
    """

    device: str
    worn_percent: int | None
    written_gb: float | None
    errors: int | None


def read_card(folder: Path, root: Path = ROOT) -> CardState | None:
    """How the disk under a folder fares; None where no disk can be told.

    Args:
        folder: Any folder on it.
        root: Where `sys` lies; a folder of the same shape in tests.
    """
    number = folder.stat().st_dev
    block = root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    try:
        place = block.resolve(strict=True)
    except OSError:
        return None
    ext4 = root / "sys/fs/ext4" / place.name
    written_kb = _number(ext4 / "lifetime_write_kbytes")
    return CardState(
        device=place.name,
        worn_percent=_worn_percent(place),
        written_gb=None if written_kb is None else written_kb / _KB_PER_GB,
        errors=_number(ext4 / "errors_count"),
    )


_NEVER_BEFORE_S = 1_700_000_000
"""No table ran before: November 2023."""


def clock_source(root: Path = ROOT) -> ClockSource:
    """What keeps the wall clock right."""
    if (root / "run/systemd/timesync/synchronized").exists():
        return "network"
    rtc = root / "sys/class/rtc/rtc0"
    since_1970_s = _number(rtc / "since_epoch")
    # A Pi 5 has a clock of its own but perhaps no battery for it: after a power cut that one begins in 1970.
    lost = since_1970_s is not None and since_1970_s < _NEVER_BEFORE_S
    return "battery" if rtc.exists() and not lost else "none"


def links_up(root: Path = ROOT) -> tuple[str, ...]:
    """Names of the network connections that are up, the machine's own loop left out."""
    folder = root / "sys/class/net"
    if not folder.is_dir():
        return ()
    links = sorted(link for link in folder.iterdir() if link.name != "lo")
    return tuple(link.name for link in links if _text(link / "operstate") == "up")


def _worn_percent(place: Path) -> int | None:
    """Of an eMMC: the worse of its two kinds of cells, in steps of ten; the card is the partition's parent."""
    for device in (place / "device", place.parent / "device"):
        told = _text(device / "life_time")
        if told is not None:
            try:
                worst = max(int(word, 16) for word in told.split())
            except ValueError:
                return None
            return worst * 10 or None
    return None


def _number(path: Path) -> int | None:
    try:
        return int(_text(path) or "")
    except ValueError:
        return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return None
