"""What the machine has to tell of itself, as items of the health page: before the game, not after."""

from __future__ import annotations

import platform
from pathlib import Path

from companion.hw.machine import ROOT, clock_source, links_up, read_card
from companion.hw.pi.power import read_power
from companion.table.health import Item, item

HOT_C = 75.0
"""A Pi slows itself down from 80 degrees on; this leaves room for a full hall."""

WORN_PERCENT = 80


def power(root: Path = ROOT) -> tuple[Item, ...]:
    """Supply and heat; nothing where the machine does not tell."""
    state = read_power(root)
    found: list[Item] = []
    if state.undervoltage_now:
        found.append(item("power", "fail", "sagging"))
    elif state.undervoltage_since_start:
        found.append(item("power", "warn", "sagged"))
    if state.throttled_now:
        found.append(item("power", "warn", "slowed"))
    elif state.throttled_since_start:
        found.append(item("power", "warn", "was-slowed"))
    if state.temperature_c is not None:
        celsius = round(state.temperature_c)
        is_hot = state.temperature_c >= HOT_C
        found.append(
            item("power", "warn", "hot", celsius=celsius) if is_hot else item("power", "ok", "cool", celsius=celsius)
        )
    return tuple(found)


def card(folder: Path, root: Path = ROOT) -> tuple[Item, ...]:
    """The card that the journal lies on; nothing where the machine does not tell."""
    state = read_card(folder, root)
    if state is None:
        return ()
    if state.errors:
        return (item("card", "fail", "errors", device=state.device, count=state.errors),)
    if state.worn_percent is not None and state.worn_percent >= WORN_PERCENT:
        return (item("card", "warn", "worn", device=state.device, percent=state.worn_percent),)
    told = {"percent": state.worn_percent, "written_gb": None if state.written_gb is None else round(state.written_gb)}
    match (state.worn_percent, state.written_gb):
        case (None, None):
            return ()
        case (None, _):
            return (item("card", "ok", "written", device=state.device, **told),)
        case (_, None):
            return (item("card", "ok", "wear", device=state.device, **told),)
        case _:
            return (item("card", "ok", "told", device=state.device, **told),)


def wall_clock(root: Path = ROOT) -> tuple[Item, ...]:
    """What keeps the wall clock right; the game's own time does not depend on it."""
    match clock_source(root):
        case "network":
            return (item("clock", "ok", "network"),)
        case "battery":
            return (item("clock", "ok", "battery"),)
        case "none":
            return (item("clock", "ok", "none"),)


def network(*, is_wanted: bool, root: Path = ROOT) -> tuple[Item, ...]:
    """The connections that are up; none is a fault only where a hub is to come through one.

    Args:
        is_wanted: Whether this table is served to a hub on another machine.
        root: Where `sys` lies.
    """
    links = links_up(root)
    if links:
        return (item("network", "ok", "up", links=", ".join(links)),)
    return (item("network", "warn", "down"),) if is_wanted else ()


def versions(software: str) -> tuple[Item, ...]:
    """This program and what it runs on."""
    return (
        item("versions", "ok", "told", software=software, python=platform.python_version(), machine=platform.machine()),
    )
