"""The door: picks a command and turns every failure into one line.

What a user sees when something is wrong is always `problem: what is wrong, where, what to do` on stderr:

| what happened | exit code |
|---|---|
| the command did its work (some commands say more: 1 means "look at this") | 0, or the command's own |
| bad input, bad configuration, a file or port that can't be had | 2 |
| a fault in this program: the traceback is printed, since only it tells what to mend | 70 |
| Ctrl-C | 130 |
| the reader of our output went away | 141 |
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
from importlib import metadata
from typing import Any, NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from companion.commands.lazy import EXTRA_OF, Entry, LazyGroup, package_missing

BAD_INPUT = 2
OWN_FAULT = 70
INTERRUPTED = 130
PIPE_CLOSED = 141

COMMANDS = {
    "read": Entry(module="companion.commands.read", help="Read dice from pictures and videos."),
    "score": Entry(module="companion.commands.score", help="Score one table from its sheet."),
    "standings": Entry(module="companion.commands.standings", help="Rank the players of a tournament."),
    "draw": Entry(module="companion.commands.draw", help="Draw players into tables."),
    "journal": Entry(module="companion.commands.journal", help="Verify, export or restore a journal."),
    "doctor": Entry(module="companion.commands.doctor", help="Check this machine, part by part."),
    "bundle": Entry(module="companion.commands.bundle", help="Collect logs to find a fault with, without names."),
    "bench": Entry(module="companion.commands.bench", help="Measure this installation.", logs=True),
    "print": Entry(module="companion.commands.print_", help="Make sheets to print: markers, score, standings."),
    "demo": Entry(module="companion.commands.demo", help="Play a simulated table from dice to result."),
    "table": Entry(module="companion.commands.table", help="Run the service of one table.", logs=True),
    "ui": Entry(module="companion.commands.ui", help="Run the touch screen of one table.", logs=True),
    "clock": Entry(module="companion.commands.clock", help="Start and end the games of a whole hall."),
    "hub": Entry(module="companion.commands.hub", help="Run the organiser's hub.", logs=True),
}

WAYS_OUT = {
    errno.ENOENT: "check the name",
    errno.EACCES: "check its rights",
    errno.EPERM: "check its rights",
    errno.ENOSPC: "free some space and try again",
    errno.EDQUOT: "free some space and try again",
    errno.EROFS: "name a place that can be written",
    errno.EISDIR: "name a file",
    errno.ENOTDIR: "name a place inside a folder",
    errno.EADDRINUSE: "stop the program that holds it, or choose another",
}
"""What a person can do about what the system refused."""


class Door(LazyGroup):
    """The group of all commands; as a program it ends with one line and an exit code, whatever happens."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run one command.

        Args:
            args: As click takes it: the words after the program's name, by default those of this process.
            settings: As click takes it; `standalone_mode=False` hands errors to the caller instead.

        Returns:
            The command's own answer, with `standalone_mode=False` only.
        """
        as_program = settings.pop("standalone_mode", True)
        settings["standalone_mode"] = False
        if not as_program:
            return super().main(*args, **settings)
        try:
            status = super().main(*args, **settings)
            sys.stdout.flush()
        except click.Abort:
            sys.exit(INTERRUPTED)
        except NoArgsIsHelpError as asked:
            click.echo(asked.format_message())
            sys.exit(0)
        except BrokenPipeError:
            _forget_stdout()
            sys.exit(PIPE_CLOSED)
        except Exception as failure:  # noqa: BLE001 - the last line of defence sorts every failure
            _end(failure)
        sys.exit(status if isinstance(status, int) else 0)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click has it, and a command that logs finds its log at stderr.

        Args:
            ctx: As click has it.
            args: As click has it.

        Returns:
            As click has it: the command's name, the command, and what is left of the words.
        """
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and self.entries[name].logs:
            log_to_stderr()
        return name, command, rest


def log_to_stderr() -> None:
    """Send what the services note to stderr, from `info` on, a plain line each; stdout is for answers.

    Colours and boxes would reach the system's journal as noise. The prettier tracebacks that structlog takes by itself
    where it can also print local variables, and among those are PINs and sealed times.
    """
    # Costs a tenth of a second, which the short commands need not pay.
    import logging

    import structlog

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False),
            structlog.dev.ConsoleRenderer(
                colors=False, pad_event_to=0, pad_level=False, exception_formatter=structlog.dev.plain_traceback
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_: structlog.PrintLogger(_Unfailing()),  # type: ignore[arg-type]
    )


class _Unfailing:
    """Stderr for notes: one that can't be written, on a full disk say, must not stop what it tells of."""

    def write(self, text: str) -> None:
        # Asked anew each time: whoever replaces sys.stderr is heard too.
        with contextlib.suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            sys.stderr.flush()


def _end(failure: Exception) -> NoReturn:
    sentences = sentences_for(failure)
    if sentences:
        click.echo("\n".join(f"problem: {sentence}" for sentence in sentences), err=True)
        sys.exit(BAD_INPUT)
    traceback.print_exception(failure)
    click.echo(
        f"problem: this is a fault in the program itself ({type(failure).__name__}); "
        "please report it with the lines above and the output of companion doctor",
        err=True,
    )
    sys.exit(OWN_FAULT)


def sentences_for(failure: Exception) -> list[str]:
    """What, where and what to do, a line for each fault; empty when the failure is a fault of this program.

    Our own errors carry their sentences. An `OSError` is the world's (a file, a port, a full disk) and is told
    with the file's name. Everything else means that we did not foresee something, and nobody may be told that
    their input was at fault.
    """
    if isinstance(failure, click.UsageError):
        path = failure.ctx.command_path if failure.ctx else "companion"
        return [f"{_lowered(_one_line(failure.format_message()))} see: {path} --help"]
    if isinstance(failure, click.ClickException):
        return failure.format_message().splitlines()
    if type(failure).__module__.partition(".")[0] == "companion":
        return str(failure).splitlines()
    if isinstance(failure, ModuleNotFoundError):
        package = (failure.name or "").partition(".")[0]
        return [package_missing("this", package)] if package in EXTRA_OF else []
    if isinstance(failure, OSError) and failure.strerror:
        where = f"{os.fsdecode(failure.filename)}: " if isinstance(failure.filename, str | bytes) else ""
        way_out = f"; {WAYS_OUT[failure.errno]}" if failure.errno in WAYS_OUT else ""
        return [where + _lowered(failure.strerror) + way_out]
    return []


def _lowered(sentence: str) -> str:
    # A name such as AF_UNIX stays one.
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


def _one_line(sentence: str) -> str:
    return " ".join(sentence.split())


def _forget_stdout() -> None:
    """Keep the interpreter from complaining a second time when it closes stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(ctx: click.Context, _option: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(f"companion {metadata.version('table-companion')}")
        ctx.exit(0)


main = Door(
    name="companion",
    help="The table companion: reads the dice, keeps the clock, records the board, ranks the players.",
    entries=COMMANDS,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            help="Print the version and stop.",
            callback=_print_version,
        )
    ],
)
