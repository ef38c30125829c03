"""Is the Pi fed well and cool? Undervoltage, throttling and temperature from the kernel's files.

A supply that sags makes cards forget; it is said before the game. The firmware keeps a word of flags: what is so now in
its low half, what has been so since the start in its high half. It is read from `/sys`, where no tool, no root and no
firmware library is needed. The kernel's own sensor says undervoltage too, where the firmware's word is not exported.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")

_THROTTLED = (
    "sys/devices/platform/soc/soc:firmware/get_throttled",
    "sys/devices/platform/axi/soc:firmware/get_throttled",
)
_HWMON = "sys/class/hwmon"
_THERMAL = "sys/class/thermal/thermal_zone0/temp"
_UNDERVOLTAGE, _CAPPED, _THROTTLING, _SOFT_LIMIT = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_SINCE_START = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerState:
    """How the Pi fares; None is what this machine does not tell.

    Attributes:
        undervoltage_now: The supply sags now.
        undervoltage_since_start: It has sagged since the Pi was switched on.
        throttled_now: The processor is slowed now, for heat or for want of voltage.
        throttled_since_start: It has been.
        temperature_c: Of the processor, degrees Celsius.
    """

    undervoltage_now: bool | None
    undervoltage_since_start: bool | None
    throttled_now: bool | None
    throttled_since_start: bool | None
    temperature_c: float | None


def read_power(root: Path = ROOT) -> PowerState:
    """How the Pi fares now.

    Args:
        root: Where `sys` lies; a folder of the same shape in tests.
    """
    flags = _flags(root)
    slow = _CAPPED | _THROTTLING | _SOFT_LIMIT
    alarm = _alarm(root)
    return PowerState(
        undervoltage_now=alarm if flags is None else bool(flags & _UNDERVOLTAGE),
        undervoltage_since_start=None if flags is None else bool(flags >> _SINCE_START & _UNDERVOLTAGE),
        throttled_now=None if flags is None else bool(flags & slow),
        throttled_since_start=None if flags is None else bool(flags >> _SINCE_START & slow),
        temperature_c=_temperature_c(root),
    )


def _flags(root: Path) -> int | None:
    for place in _THROTTLED:
        word = _text(root / place)
        if word is not None:
            try:
                return int(word, 16)
            except ValueError:
                return None
    return None


def _alarm(root: Path) -> bool | None:
    folder = root / _HWMON
    for sensor in sorted(folder.iterdir()) if folder.is_dir() else []:
        if _text(sensor / "name") == "rpi_volt":
            alarm = _text(sensor / "in0_lcrit_alarm")
            return None if alarm is None else alarm != "0"
    return None


def _temperature_c(root: Path) -> float | None:
    word = _text(root / _THERMAL)
    try:
        return None if word is None else int(word) / 1000
    except ValueError:
        return None


def _text(path: Path) -> str | None:
    """The file's text, or None where the kernel has no such file or does not let this user read it."""
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return None
