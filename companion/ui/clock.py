"""The clock on the screen, counted on between two answers of the table.

Theory: the table says how much game time has gone and when it said so; the screen adds its own monotonic time since it
heard that, times the clock's scale. It never counts past the length, and it never counts on a link that has gone quiet:
a clock that still runs while nobody answers would be the stale green dot again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SILENCE_S = 1.6
"""Seconds of silence after which the screen says so: the table speaks twice a second, two seconds is the promise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """How well the screen hears the table.

    Attributes:
        heard_s: Monotonic seconds at the last word from the table, or None if it never spoke.
        clock: The clock as last told, with `clock_s`, the monotonic seconds at which it was.
        clock_s: See `clock`.
    """

    heard_s: float | None = None
    clock: Mapping[str, Any] | None = None
    clock_s: float = 0.0

    def silent_s(self, now_s: float) -> float | None:
        """Seconds since the last word once they are too many, else None; infinite if it never spoke."""
        if self.heard_s is None:
            return float("inf")
        quiet_s = now_s - self.heard_s
        return quiet_s if quiet_s > SILENCE_S else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the clock shows now.

    Attributes:
        remaining_ms: Game time left, or None where the length is secret or unknown.
        elapsed_ms: Game time gone, or None where it may not be shown.
        attack_remaining_ms: Time left to attack in this turn, or None where there is no such limit.
        is_running: Whether it counts.
        paused: Code of why it stands, or None.
        is_last_phase: Whether the last phase with its limits has begun.
        scale: Game seconds per real second.
    """

    remaining_ms: int | None
    elapsed_ms: int | None
    attack_remaining_ms: int | None
    is_running: bool
    paused: str | None
    is_last_phase: bool
    scale: float


def reading(link: Link, now_s: float) -> Reading | None:
    """The clock at `now_s` (monotonic seconds), or None when the table has told of none."""
    clock = link.clock
    if not clock:
        return None
    running = bool(clock.get("running"))
    scale = float(clock.get("scale") or 1.0)
    gone_ms = _gone_ms(link, now_s)
    public = bool(clock.get("public", True))
    return Reading(
        remaining_ms=_less(clock.get("remaining_ms"), gone_ms) if public else None,
        elapsed_ms=_more(clock, gone_ms) if public else None,
        attack_remaining_ms=_less(clock.get("attack_remaining_ms"), gone_ms) if public else None,
        is_running=running,
        paused=_cause(clock.get("paused")),
        is_last_phase=bool(clock.get("last_phase")) and public,
        scale=scale,
    )


def since_ms(link: Link, now_s: float, from_ms: int) -> int | None:
    """Game time since a moment of the game, which tells nothing of its length; None when the table told of no clock."""
    clock = link.clock
    if not clock or clock.get("elapsed_ms") is None:
        return None
    return max(0, int(clock["elapsed_ms"]) + _gone_ms(link, now_s) - from_ms)


def _gone_ms(link: Link, now_s: float) -> int:
    """Game time since the clock was last told; it stands on a quiet link, at what the table vouched for."""
    clock = link.clock or {}
    if not clock.get("running"):
        return 0
    until_s = now_s if link.heard_s is None else min(now_s, link.heard_s + SILENCE_S)
    return round(max(0.0, until_s - link.clock_s) * 1000 * float(clock.get("scale") or 1.0))


def _cause(paused: Any) -> str | None:
    return str(paused.get("reason", "")) if isinstance(paused, Mapping) else paused


def _less(value_ms: int | None, gone_ms: int) -> int | None:
    return None if value_ms is None else max(0, value_ms - gone_ms)


def _more(clock: Mapping[str, Any], gone_ms: int) -> int | None:
    elapsed_ms, length_ms = clock.get("elapsed_ms"), clock.get("length_ms")
    if elapsed_ms is None:
        return None
    return elapsed_ms + gone_ms if length_ms is None else min(elapsed_ms + gone_ms, length_ms)
