"""`companion ui`: the touch screen of one table."""

from __future__ import annotations

import re
from pathlib import Path

import click

from companion.words import LANGUAGES

_SIZE = re.compile(r"(\d{3,4})x(\d{3,4})")


class Size(click.ParamType[tuple[int, int]]):
    """Width and height of a window, such as 800x480."""

    name = "WIDTHxHEIGHT"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The two numbers.

        Raises:
            click.BadParameter: The text is no size between 320 and 3840 px a side.
        """
        found = _SIZE.fullmatch(str(value))
        size = (int(found[1]), int(found[2])) if found else (0, 0)
        if not all(320 <= side <= 3840 for side in size):
            self.fail(f"a size is written as 800x480, each side 320 to 3840 px, got {value!r}", param, ctx)
        return size


@click.command("ui", short_help="show the touch screen of one table")
@click.option(
    "--config",
    "config_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The screen's configuration file (default: its usual place).",
)
@click.option("--socket", type=click.Path(path_type=Path), help="Unix socket of the table's service.")
@click.option("--size", type=Size(), help="Size of the window, such as 800x480 or 720x1280.")
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language at start.")
@click.option(
    "--screenshots",
    "pictures_to",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for a picture of each screen that is shown, and one at each SIGUSR1.",
)
def command(
    config_path: Path | None,
    socket: Path | None,
    size: tuple[int, int] | None,
    lang: str | None,
    pictures_to: Path | None,
) -> None:
    """Show one table on a touch display until the window is closed."""
    from companion.config import load_ui, socket_fault
    from companion.ui.bootstrap import run_screen

    if socket is not None and (fault := socket_fault(socket)):
        raise click.UsageError(f"--socket {fault}.")
    config = load_ui(config_path)
    width, height = size or (config.width, config.height)
    run_screen(
        socket=socket or config.socket,
        lang=lang or config.lang,
        width=width,
        height=height,
        pictures_to=pictures_to,
    )
