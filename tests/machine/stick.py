"""The stick with the second copy, put into the emulated machine and pulled out of it."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

from emulated import BOOT_S, Machine

STICK_S = 12
MADE = "truncate -s 64M /root/stick && mkfs.vfat -n COMPANION /root/stick >&2 && gzip -1c /root/stick && rm /root/stick"
RESTARTED = (
    "systemctl restart companion-table && "
    f"timeout {BOOT_S} sh -c 'until test -S /run/companion/table.sock; do sleep 0.5; done'"
)


def stick(machine: Machine, health: str) -> list[str]:
    """What the health page says of a stick that is put in, is in at the start, is pulled out, and put in again.

    Args:
        machine: With a table that runs.
        health: The command in it that prints the health page.
    """
    disk = machine.folder / "stick.img"
    disk.write_bytes(gzip.decompress(machine.ssh(MADE).stdout))
    _put_in(machine, disk, 1)
    said = [_said(machine, health)]
    machine.ssh(RESTARTED)
    said.append(_said(machine, health))
    machine.turn("device_del plug1")
    said.append(_said(machine, health))
    _put_in(machine, disk, 2)
    return [*said, _said(machine, health)]


def _put_in(machine: Machine, disk: Path, number: int) -> None:
    machine.turn(
        f"drive_add 0 if=none,file={disk},id=stick{number},format=raw",
        f"device_add usb-storage,drive=stick{number},bus=usb.0,removable=on,id=plug{number}",
    )


def _said(machine: Machine, health: str) -> str:
    time.sleep(STICK_S)
    (line,) = [line for line in machine.said(health).splitlines() if line.startswith("stick ")]
    return line
