"""The service units start commands that exist, with rights that they need and no more."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from companion import cli

ROOT = Path(__file__).parent.parent
UNITS = sorted((ROOT / "systemd").glob("*.service"))
TAKEN_AWAY = (
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "ProtectKernelModules=yes",
    "RestrictSUIDSGID=yes",
    "SystemCallFilter=@system-service",
    "UMask=0077",
    "StateDirectoryMode=0700",
)


def settings(unit: Path) -> list[str]:
    """The lines of a unit that set something."""
    return [line for line in unit.read_text(encoding="utf-8").splitlines() if "=" in line and not line.startswith("#")]


def value(unit: Path, key: str) -> str:
    """One setting of a unit."""
    (found,) = [line.partition("=")[2] for line in settings(unit) if line.startswith(f"{key}=")]
    return found


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_starts_its_own_program(unit: Path) -> None:
    """companion-NAME.service starts `companion NAME` with its file, and again whenever it ends."""
    program = unit.stem.removeprefix("companion-")

    asked = f"/opt/companion/.venv/bin/companion {program} --config /etc/companion/{program}.toml"
    more = " --socket-group companion-ui" if program == "table" else ""

    assert asked + more == value(unit, "ExecStart")
    assert program in cli.COMMANDS
    assert "always" == value(unit, "Restart")
    assert f"companion/{program}" == value(unit, "StateDirectory")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_gives_up_what_it_does_not_need(unit: Path) -> None:
    """Each program runs without the rights to change the system or read its neighbours."""
    assert [] == [setting for setting in TAKEN_AWAY if setting not in settings(unit)]


def test_each_program_has_a_user_of_its_own() -> None:
    """The screen's user is not the one who keeps the secret, and each user is made at installation."""
    users = {value(unit, "User") for unit in UNITS}
    made = (ROOT / "systemd/companion.sysusers").read_text(encoding="utf-8")

    assert 3 == len(users) == len(UNITS)
    assert all(f"u {user} " in made for user in users)


def test_what_a_user_is_called_is_a_name_that_the_system_takes() -> None:
    """A colon in it is none: systemd-sysusers would pass the line over, and the service would find no user."""
    made = (ROOT / "systemd/companion.sysusers").read_text(encoding="utf-8")
    called = re.findall(r'^u \S+ +- "([^"]+)"', made, re.MULTILINE)

    assert 3 == len(called)
    assert [] == [name for name in called if ":" in name]


def test_the_secret_cannot_be_dumped() -> None:
    """Programs that may hold a sealed length leave no core behind."""
    dumping = [unit.stem for unit in UNITS if "LimitCORE=0" not in settings(unit)]

    assert ["companion-ui"] == dumping


def test_the_screen_does_not_listen_to_the_network() -> None:
    """The touch screen has no address but the socket of its table."""
    assert "AF_UNIX AF_NETLINK" == value(ROOT / "systemd/companion-ui.service", "RestrictAddressFamilies")


def test_the_screen_may_open_the_socket_of_its_table() -> None:
    """The service gives it to the screen's own group, and is in that group: without it nobody may give to a group."""
    table = ROOT / "systemd/companion-table.service"
    screen = value(ROOT / "systemd/companion-ui.service", "Group")

    assert value(table, "ExecStart").endswith(f" --socket-group {screen}")
    assert screen in value(table, "SupplementaryGroups").split()
    assert screen != value(table, "Group")


def test_groups_of_the_units_are_given_their_devices() -> None:
    """Every group that a unit asks for is one that the device rules, the users or the system make."""
    rules = (ROOT / "udev/70-companion.rules").read_text(encoding="utf-8")
    made = (ROOT / "systemd/companion.sysusers").read_text(encoding="utf-8")
    asked = {
        group
        for unit in UNITS
        for line in settings(unit)
        if line.startswith("SupplementaryGroups=")
        for group in line.partition("=")[2].split()
    }

    assert {"render"} == {group for group in asked if f'GROUP="{group}"' not in rules and f" {group} " not in made}


def test_a_camera_that_is_not_there_fills_no_log() -> None:
    """The table asks for it every two seconds: under its unit OpenCV has nothing to say to that."""
    told = value(ROOT / "systemd/companion-table.service", "Environment").partition("=")
    asked = "import cv2; print(cv2.VideoCapture('/dev/no-camera', cv2.CAP_V4L2).isOpened())"

    for more, silent in (({}, False), ({told[0]: told[2]}, True)):
        done = subprocess.run(
            [sys.executable, "-c", asked], env=os.environ | more, capture_output=True, text=True, check=True
        )
        assert "False\n" == done.stdout
        assert ("" == done.stderr) is silent


def test_a_stick_can_be_written_whenever_it_is_put_in_and_given_up_when_it_is_pulled_out() -> None:
    """In before the start it is not read-only, put in later it is not hidden, pulled out it leaves its folder."""
    writable = value(ROOT / "systemd/companion-table.service", "ReadWritePaths").split()
    rules = (ROOT / "udev/70-companion.rules").read_text(encoding="utf-8")
    (mounting,) = [line for line in rules.splitlines() if "systemd-mount" in line]

    assert ["-/media", "-/mnt"] == writable
    assert "--property=LazyUnmount=yes" in mounting
    assert "$devnode /media/companion" in mounting
