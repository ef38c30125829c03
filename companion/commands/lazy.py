"""A click group that imports a command only when that command runs.

Theory: the commands need very different things: `read` needs OpenCV, `ui` needs Kivy, `hub` a database. A
plain click group would import all of them to print its help, which costs seconds on a Pi and fails where an
optional package is absent. So the group holds names, places and one-line helps; the help page is made from
those alone.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

EXTRA_OF = {
    "cv2": "desktop",
    "kivy": "desktop",
    "mujoco": "desktop",
    "gpiozero": "pi",
    "sqlalchemy": "hub",
    "aiosqlite": "hub",
    "jinja2": "hub",
    "reportlab": "hub",
    "segno": "hub",
    "zeroconf": "hub",
    "asyncpg": "postgres",
    "nats": "nats",
}
"""Import name of each optional package -> the extra of this project that brings it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Where a command lives and what the help page says of it.

    Attributes:
        module: Module that exports the click command as `command`.
        help: One line for the list of commands.
        logs: Whether it runs for long enough to note things on the way.
    """

    module: str
    help: str
    logs: bool = False

    def exists(self) -> bool:
        """True when the module is there; it is not imported to find out."""
        return importlib.util.find_spec(self.module) is not None


class LazyGroup(click.Group):
    """A group whose commands are known by name and imported when asked for."""

    def __init__(self, *, entries: Mapping[str, Entry], **group: Any) -> None:
        super().__init__(**group)
        self.entries = dict(entries)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names of the commands that this installation has, in the order of the table."""
        return [name for name, entry in self.entries.items() if entry.exists()]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        cmd_name: str,
    ) -> click.Command | None:
        """The command itself, imported now; None when there is no such command.

        Raises:
            click.ClickException: The command needs an optional package that is not installed.
        """
        entry = self.entries.get(cmd_name)
        if entry is None or not entry.exists():
            return None
        try:
            command = importlib.import_module(entry.module).command
        except ModuleNotFoundError as missing:
            raise _needs_package(f"companion {cmd_name}", missing) from missing
        assert isinstance(command, click.Command), entry.module  # noqa: S101 - a promise of our own modules
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        rows = [(name, self.entries[name].help) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _needs_package(what: str, missing: ModuleNotFoundError) -> click.ClickException:
    package = (missing.name or "").partition(".")[0]
    if package not in EXTRA_OF:
        raise missing
    return click.ClickException(package_missing(what, package))


def package_missing(what: str, package: str) -> str:
    """The sentence for an optional package that is not there, with the way to get it."""
    return (
        f"{what} needs the Python package {package!r}, which is not installed; "
        f"run ./do setup, or install table-companion[{EXTRA_OF[package]}]"
    )
