"""`companion print`: sheets as PDF files, ready for the printer."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import click

from companion.commands.saying import Sayings, lang_option
from companion.commands.standings_csv import standings_of
from companion.paper.markers import marker_sheet
from companion.paper.press_sheet import press_sheet
from companion.paper.score_sheet import ScoreForm, score_sheet
from companion.paper.standings import standings_sheet
from companion.rules.board import load_board
from companion.rules.ruleset import SYSTEMS, load_ruleset


def out_option(name: str) -> click.Option:
    """The option that says where the PDF goes."""
    return click.Option(
        ["--out"],
        type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
        default=Path(name),
        show_default=True,
        help="File to write, which must not be there yet; - is standard output.",
    )


@click.group(name="print", help="Make sheets to print, as PDF.")
def command() -> None:
    """The group; each sheet is a command of its own."""


@command.command(help="The four markers that lie around the dice box, to scale.")
@lang_option
def markers(lang: str, out: Path) -> None:
    """Write the marker sheet."""
    write(out, marker_sheet(Sayings("paper", lang)))


@command.command(help="A score sheet for one table of nl1996.")
@click.option("--tournament", default="", help="Name of the tournament.")
@click.option("--round", "round_", default="", help="Number of the round.")
@click.option("--table", default="", help="The table.")
@click.option("--player", "players", multiple=True, help="A player's name, in the order of play; repeat it.")
@lang_option
def sheet(tournament: str, round_: str, table: str, players: tuple[str, ...], lang: str, out: Path) -> None:
    """Write the score sheet."""
    ruleset = load_ruleset("nl1996")
    seats = ruleset.number("players.most")
    if len(players) > seats:
        raise click.UsageError(f"a table of nl1996 seats at most {seats} players, got {len(players)}.")
    board = load_board("classic")
    form = ScoreForm(
        continents=tuple(
            (board.continents[continent].name[lang], points) for continent, points in ruleset.table("scheme").items()
        ),
        territories=len(board.territories),
        tournament=tournament,
        round=round_,
        table=table,
        players=players,
        seats=seats,
    )
    write(out, score_sheet(Sayings("paper", lang), form))


@command.command(
    help="The standings, from the CSV of the hub's page or of companion standings.",
    short_help="The standings, from a CSV.",
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--title", default="", help="Name of the tournament.")
@lang_option
def standings(file: Path, title: str, lang: str, out: Path) -> None:
    """Write the standings."""
    say = Sayings("paper", lang)
    write(out, standings_sheet(say, standings_of(file, title, say)))


@command.command(help="What a press means: the sheet that lies beside the box.")
@click.option("--system", type=click.Choice(SYSTEMS), default="nl1996", show_default=True, help="The rules.")
@lang_option
def buttons(system: str, lang: str, out: Path) -> None:
    """Write the sheet of presses."""
    write(out, press_sheet(Sayings("paper", lang), system))


markers.params.append(out_option("markers.pdf"))
buttons.params.append(out_option("buttons.pdf"))
sheet.params.append(out_option("score-sheet.pdf"))
standings.params.append(out_option("standings.pdf"))


class SheetThere(click.ClickException):
    """A file of that name is there: it may hold what somebody filled in."""


def write(out: Path, pdf: bytes) -> None:
    """Put the PDF where it was asked for, and say where that is.

    Raises:
        SheetThere: A file is there already.
        OSError: It can't be written there.
    """
    if str(out) == "-":
        sys.stdout.buffer.write(pdf)
        return
    if out.is_file():
        raise SheetThere(f"{out} is there already: name another file with --out, or take that one away")
    try:
        out.write_bytes(pdf)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            # Half a sheet must not reach a printer.
            out.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(out)) from error
    click.echo(str(out))
