"""The rig of this table: configuration, camera, panel, the table's service and its journal."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterator
from importlib import util
from pathlib import Path
from typing import Any

from companion.commands.checkup.finding import Finding, Machine, found
from companion.config import CameraConfig, ConfigError, PanelConfig, TableConfig, config_file
from companion.config.places import Program
from companion.hw.pi.power import read_power
from companion.journal import JournalError, StateFolder, open_to_read
from companion.lan.client import TableClient
from companion.lan.errors import NotATable, Unreachable
from companion.lan.problems import Problem
from companion.words import Words

PACKAGE_OF = {"picamera2": "python3-picamera2", "gpiozero": "python3-gpiozero", "lgpio": "python3-lgpio"}
"""Import name -> Raspberry Pi OS package."""

CONNECT_S = 1.0
ANSWER_S = 3.0
HOT_C = 75.0
"""A Pi slows itself down from 80 degrees on; this leaves room for a full hall."""


def configuration(
    program: Program, load: Callable[[Path | None], Any], named: Path | None
) -> tuple[Any | None, list[Finding]]:
    """One program's file.

    Args:
        program: Whose file.
        load: Reads it.
        named: The file that the person named, or None for the usual one.

    Returns:
        The configuration, or None when it cannot be used, and what there is to say of it.
    """
    file = named or config_file(program)
    try:
        config = load(named)
    except ConfigError as error:
        return None, [found("config", "fail", "wrong", message=fault.message) for fault in error.faults]
    except OSError as error:
        return None, [found("config", "fail", "unreadable", file=str(file), why=error.strerror)]
    return config, [found("config", "ok", "read" if file.exists() else "defaults", program=program, file=str(file))]


def power(machine: Machine) -> Iterator[Finding]:
    """Supply and heat; nothing where the machine does not tell."""
    state = read_power(machine.root)
    celsius = None if state.temperature_c is None else f"{state.temperature_c:.0f}"
    if state.undervoltage_now:
        yield found("power", "fail", "sagging")
    elif state.undervoltage_since_start:
        yield found("power", "warn", "sagged")
    if state.throttled_now:
        yield found("power", "warn", "slowed")
    elif state.throttled_since_start:
        yield found("power", "warn", "was-slowed")
    if state.temperature_c is not None and state.temperature_c >= HOT_C:
        yield found("power", "warn", "hot", celsius=celsius)
    elif celsius is not None:
        yield found("power", "ok", "cool", celsius=celsius)


def camera(config: CameraConfig, machine: Machine) -> Iterator[Finding]:
    """The camera that the configuration asks for; it is not opened, since the service may be using it."""
    if config.driver in ("none", "sim"):
        yield found("camera", "warn", config.driver)
    elif config.driver == "replay":
        there = Path(config.device).exists()
        yield found("camera", "warn" if there else "fail", "replay" if there else "no-device", device=config.device)
    elif config.driver == "picamera2":
        yield from _camera_of_pi(machine)
    else:
        yield from _device("camera", config.device or "/dev/video0", machine, group="video")


def _camera_of_pi(machine: Machine) -> Iterator[Finding]:
    if not util.find_spec("picamera2"):
        yield found("camera", "fail", "no-module", module="picamera2", package=PACKAGE_OF["picamera2"])
    elif not sorted(machine.at("/dev").glob("media*")):
        yield found("camera", "fail", "not-connected")
    else:
        yield found("camera", "ok", "present", device="/dev/media*")


def panel(config: PanelConfig, machine: Machine) -> Iterator[Finding]:
    """Buttons, lamps and buzzers that the configuration asks for."""
    if config.driver in ("screen", "sim"):
        yield found("panel", "ok" if config.driver == "screen" else "warn", config.driver)
        return
    missing = [name for name in ("gpiozero", "lgpio") if not util.find_spec(name)]
    for name in missing:
        yield found("panel", "fail", "no-module", module=name, package=PACKAGE_OF[name])
    if not missing:
        yield from _device("panel", "/dev/gpiochip0", machine, group="gpio")


def _device(part: str, device: str, machine: Machine, *, group: str) -> Iterator[Finding]:
    place = machine.at(device)
    if not place.exists():
        yield found(part, "fail", "no-device", device=device)
    elif not os.access(place, os.R_OK | os.W_OK):
        yield found(part, "fail", "not-allowed", device=device, group=group)
    else:
        yield found(part, "ok", "present", device=device)


def service(path: Path, lang: str = "en") -> Iterator[Finding]:
    """Whether the table's service answers on its socket, and what it has to say of its parts.

    Args:
        path: The socket.
        lang: Language of what it says.
    """
    values = {"socket": str(path)}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(CONNECT_S)
        try:
            line.connect(str(path))
        except FileNotFoundError:
            yield found("service", "warn", "not-running", **values)
        except PermissionError:
            yield found("service", "fail", "not-allowed", group="companion-ui", **values)
        except OSError as error:
            # Nobody listens on a socket file that a killed service left behind; a path may also be too long.
            yield found("service", "fail", "no-answer", why=error.strerror or str(error), **values)
        else:
            yield from asyncio.run(_live(path, lang))


async def _live(path: Path, lang: str) -> list[Finding]:
    """The health page of the running service: what only it can see, such as frames, buttons and the hub's visits."""
    words = Words(lang)
    async with TableClient(socket=path) as client:
        try:
            state = await asyncio.wait_for(client.state(lang), ANSWER_S)
        except (Unreachable, TimeoutError):
            return [found("service", "fail", "silent", socket=str(path))]
        except (NotATable, Problem) as error:
            why = words.problem({"problem": error.code, "message": str(error), "values": error.values})
            return [found("service", "fail", "amiss", socket=str(path), why=why)]
    answers = found("service", "ok", "answers", socket=str(path))
    return [answers] + [
        Finding(
            part=words.shown("part", item["part"]),
            state=item["state"],
            code=item["code"],
            values=item["values"],
            said=words.health(item),
        )
        for item in state["health"]
    ]


def journal(config: TableConfig) -> Iterator[Finding]:
    """Whether the chain of facts holds; pictures are left to `companion journal verify`."""
    file = StateFolder(config.state_dir).journal
    try:
        if not file.exists():
            yield found("journal", "ok", "none-yet", file=str(file))
            return
        with open_to_read(file) as reader:
            report = reader.verify()
    except PermissionError:
        yield found("journal", "warn", "not-ours", file=str(file))
    except JournalError as error:
        yield found("journal", "fail", "broken", message=str(error))
    else:
        if report.fault is None:
            yield found("journal", "ok", "holds", records=report.records, file=str(file))
        else:
            yield found("journal", "fail", "broken", message=report.fault.message)
