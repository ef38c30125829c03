"""The machine itself: versions, packages, typeface, groups, disk, wall clock and power."""

from __future__ import annotations

import grp
import os
import platform
import shutil
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path

from companion.commands.checkup.finding import Finding, Machine, found
from companion.commands.lazy import EXTRA_OF
from companion.hw.machine import clock_source, links_up, read_card

TESTED_PYTHONS = ((3, 11), (3, 12), (3, 13))
DISTRIBUTIONS = {
    "numpy": ("numpy",),
    "cv2": ("opencv-python-headless", "opencv-python", "opencv"),
    "kivy": ("kivy",),
    "reportlab": ("reportlab",),
    "sqlalchemy": ("sqlalchemy",),
}
"""Import name -> names under which its version may be registered; Debian's packages register none for OpenCV."""

GROUPS = ("video", "render", "input", "gpio", "companion-ui")
FULL_MB = 200
TIGHT_MB = 1024
WORN_PERCENT = 80


def versions() -> Iterator[Finding]:
    """This program and its Python."""
    values = {
        "companion": metadata.version("table-companion"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": _system_name(),
    }
    tested = tuple(map(int, platform.python_version_tuple()[:2])) in TESTED_PYTHONS
    yield found("versions", "ok" if tested else "warn", "told" if tested else "untested", **values)


def packages() -> Iterator[Finding]:
    """The packages that some parts need, with their versions; one warning per package that is not there."""
    present = {name: _version(names) for name, names in DISTRIBUTIONS.items() if util.find_spec(name)}
    listed = ", ".join(f"{name} {version}".strip() for name, version in present.items())
    yield found("packages", "ok", "present", list=listed)
    for name in DISTRIBUTIONS:
        if name not in present:
            yield found("packages", "warn", "missing", package=name, extra=EXTRA_OF.get(name, ""))


def typeface(file: Path | None) -> Iterator[Finding]:
    """The typeface that sheets are printed in.

    Args:
        file: Where it was found, or None.
    """
    if file is None:
        yield found("typeface", "warn", "missing")
    else:
        yield found("typeface", "ok", "present", file=str(file))


def groups(user_groups: frozenset[str], *, is_root: bool) -> Iterator[Finding]:
    """Whether the person may use camera, screen, touch and pins.

    Args:
        user_groups: Names of the groups that the person is in.
        is_root: Whether groups do not matter.
    """
    if is_root:
        yield found("groups", "ok", "root")
        return
    known = {group.gr_name for group in grp.getgrall()}
    lacking = [name for name in GROUPS if name in known and name not in user_groups]
    if lacking:
        yield found("groups", "warn", "lacking", groups=",".join(lacking))
    else:
        yield found("groups", "ok", "enough", groups=", ".join(name for name in GROUPS if name in known) or "-")


def own_groups() -> frozenset[str]:
    """Names of the groups of this process."""
    names = set()
    for number in os.getgroups():
        try:
            names.add(grp.getgrgid(number).gr_name)
        except KeyError:
            continue  # a container may hand out numbers that nobody named
    return frozenset(names)


def disk(program: str, folder: Path) -> Iterator[Finding]:
    """Room for facts and pictures, and whether they may be written.

    Args:
        program: Whose state it is.
        folder: The state folder; it need not exist.
    """
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    free_mb = shutil.disk_usage(existing).free // 1024**2
    values = {"program": program, "folder": str(folder), "free_mb": free_mb}
    if not os.access(existing, os.W_OK):
        yield found("disk", "warn", "not-ours", **values)
    elif free_mb < FULL_MB:
        yield found("disk", "fail", "full", needed_mb=FULL_MB, **values)
    elif free_mb < TIGHT_MB:
        yield found("disk", "warn", "tight", needed_mb=TIGHT_MB, **values)
    else:
        yield found("disk", "ok", "room", **values)


def wall_clock(machine: Machine) -> Iterator[Finding]:
    """Whether the time of day can be trusted; the game's own time does not depend on it."""
    source = machine.read("/sys/devices/system/clocksource/clocksource0/current_clocksource") or "?"
    match clock_source(machine.root):
        case "network":
            yield found("clock", "ok", "synchronised", source=source)
        case "battery":
            yield found("clock", "ok", "battery", source=source)
        case "none":
            yield found("clock", "warn", "drifting", source=source)


def card(folder: Path, machine: Machine) -> Iterator[Finding]:
    """Wear and errors of the disk under a folder; nothing where it does not tell.

    Args:
        folder: The state folder; it need not exist.
        machine: Where to look.
    """
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    state = read_card(existing, machine.root)
    if state is None:
        return
    if state.errors:
        yield found("card", "fail", "errors", device=state.device, count=state.errors)
    if state.worn_percent is not None:
        worn = state.worn_percent >= WORN_PERCENT
        yield found("card", "warn" if worn else "ok", "worn", device=state.device, percent=state.worn_percent)
    if state.written_gb is not None:
        yield found("card", "ok", "written", device=state.device, gigabytes=f"{state.written_gb:.0f}")


def network(machine: Machine) -> Iterator[Finding]:
    """The connections that are up."""
    links = links_up(machine.root)
    if links:
        yield found("network", "ok", "up", links=", ".join(links))
    else:
        yield found("network", "ok", "none")


def _version(names: tuple[str, ...]) -> str:
    for name in names:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return ""


def _system_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return platform.system()
