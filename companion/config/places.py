"""Where configuration, state and socket lie.

On an appliance these are the system's own folders, made at installation and by the service units. In a checkout
on any other machine, where a person tries things out without being root, they are the person's XDG folders. An
appliance is told by its folder /etc/companion, since it may itself run from a checkout. A file named on the
command line, or a path in a file, wins over both.

Source: XDG Base Directory Specification 0.8; Filesystem Hierarchy Standard 3.0.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

Program = Literal["table", "ui", "hub"]

SYSTEM_CONFIG = Path("/etc/companion")

_PACKAGE = Path(__file__).resolve().parent.parent


def in_checkout() -> bool:
    """True when this package runs from a source tree on a machine that is no appliance."""
    return (_PACKAGE.parent / "pyproject.toml").is_file() and not SYSTEM_CONFIG.is_dir()


def config_file(program: Program) -> Path:
    """The file that `program` reads when its command line names none; it need not exist."""
    folder = _xdg("XDG_CONFIG_HOME", ".config") if in_checkout() else SYSTEM_CONFIG
    return folder / f"{program}.toml"


def state_dir(program: Program) -> Path:
    """The folder in which `program` keeps what must survive; it need not exist."""
    folder = _xdg("XDG_STATE_HOME", ".local/state") if in_checkout() else Path("/var/lib/companion")
    return folder / program


MAX_SOCKET_BYTES = 103
"""Longest path of a socket: Linux takes 107 bytes, and four go to the `.new` that it has until the table listens."""


def socket_fault(socket: Path) -> str | None:
    """What is wrong with the place of a socket, None when nothing is."""
    length = len(os.fsencode(socket))
    if length <= MAX_SOCKET_BYTES:
        return None
    return f"must be a path of at most {MAX_SOCKET_BYTES} bytes, got {length}: choose a folder nearer to the root"


def socket_path() -> Path:
    """Where the table's service listens and its screen connects."""
    if not in_checkout():
        return Path("/run/companion/table.sock")
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return Path(runtime) / "companion/table.sock" if runtime else state_dir("table") / "table.sock"


def _xdg(variable: str, fallback: str) -> Path:
    # The specification says that a relative path in these variables is to be ignored.
    given = Path(os.environ.get(variable, ""))
    return (given if given.is_absolute() else Path.home() / fallback) / "companion"
