"""What lamps and buzzer do at a moment. Pure: time comes in.

Lamps differ by pattern, never by colour alone:

| pattern | says |
|---|---|
| steady | whose turn it is; on the beacon: a referee is wanted |
| slow, half a second dark and half a second lit | a throw was called |
| everything at 2 Hz, with the buzzer | "tijd" |
| every lamp one second on, one off | lamps are being tried out |

Nothing flashes faster than 2 Hz, which people who react to flashing light bear (WCAG 2.2, 2.3.1 draws the line at
three a second). A slow lamp begins dark: it was lit for the turn, so the call is answered at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_NS_PER_MS = 1_000_000

FLASH_MS = 500
"""One flash, on and off: 2 Hz, the fastest that anything here flashes."""

BLINK_MS = 1000
"""One slow blink, off and on."""

TRY_MS = 2000
"""One turn of the lamps that are tried out, on and off."""

TIJD_FLASHES = 12
"""Flashes at the signal: six seconds."""

TRIES = 3
"""Flashes, or beeps, of a trial."""

Show = Literal["tijd", "buzzer", "lamps"]
"""What takes lamps or buzzer for a while: the signal, or a part that is tried out."""

_PERIOD_MS: dict[Show, int] = {"tijd": FLASH_MS, "buzzer": FLASH_MS, "lamps": TRY_MS}
_TIMES: dict[Show, int] = {"tijd": TIJD_FLASHES, "buzzer": TRIES, "lamps": TRIES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lights:
    """Which lamps burn, by the panel's lamp names."""

    steady: frozenset[str] = frozenset()
    blinking: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All that decides what burns and sounds.

    Attributes:
        lights: What the game asks for.
        lights_ns: Since when.
        show: What has taken over, or None.
        show_ns: Since when.
    """

    lights: Lights = Lights()
    lights_ns: int = 0
    show: Show | None = None
    show_ns: int = 0

    def showing(self, now_ns: int) -> Show | None:
        """What has taken over and is not over yet."""
        if self.show is None:
            return None
        lasts_ns = _PERIOD_MS[self.show] * _TIMES[self.show] * _NS_PER_MS
        return self.show if now_ns < self.show_ns + lasts_ns else None

    def lamp(self, name: str, now_ns: int) -> bool:
        """Whether a lamp burns."""
        show = self.showing(now_ns)
        if show in ("tijd", "lamps"):
            return _first_half(now_ns - self.show_ns, _PERIOD_MS[show])
        if name in self.lights.blinking:
            return not _first_half(now_ns - self.lights_ns, BLINK_MS)
        return name in self.lights.steady

    def buzzer(self, now_ns: int) -> bool:
        """Whether the buzzer sounds."""
        show = self.showing(now_ns)
        return show in ("tijd", "buzzer") and _first_half(now_ns - self.show_ns, _PERIOD_MS[show])


def _first_half(since_ns: int, period_ms: int) -> bool:
    """Whether the first half of a period is running; a moment before the beginning counts as its beginning."""
    return max(0, since_ns) // (period_ms * _NS_PER_MS // 2) % 2 == 0
