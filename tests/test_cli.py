"""The door: which commands there are, what is imported, and how failures end."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
import structlog
from click.testing import CliRunner

from companion import cli
from companion.commands.lazy import EXTRA_OF, Entry, LazyGroup
from companion.hw.ports import RigError


@pytest.fixture
def log_as_shipped() -> Iterator[None]:
    """The log of this process, put back as it was."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


def door(action: Callable[[], object], *, logs: bool = False) -> cli.Door:
    """A door with one command, `act`, that does this."""
    group = cli.Door(name="companion", entries={"act": Entry(module="companion.cli", help="Act.", logs=logs)})
    group.get_command = lambda _ctx, _name: click.Command("act", callback=action)  # type: ignore[method-assign]
    return group


def failing(failure: BaseException) -> Callable[[], None]:
    """An action that raises this."""

    def act() -> None:
        raise failure

    return act


def test_every_command_of_the_tree_is_listed() -> None:
    """A command module that exists is in the help, and one that does not is not."""
    listed = cli.main.list_commands(click.Context(cli.main))

    assert [name for name, entry in cli.COMMANDS.items() if importlib.util.find_spec(entry.module)] == listed
    assert {"doctor", "print", "bench"} <= set(listed)


@pytest.mark.parametrize("name", [n for n, entry in cli.COMMANDS.items() if entry.exists()])
def test_every_command_can_be_imported(name: str) -> None:
    """Each listed name leads to a click command with a help text."""
    command = cli.main.get_command(click.Context(cli.main), name)

    assert command is not None
    assert "" != (command.help or "")


def test_help_imports_no_heavy_package() -> None:
    """The list of commands costs no OpenCV, Kivy, database or report library."""
    script = (
        "import sys; from companion.cli import main; from click.testing import CliRunner\n"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0\n"
        f"print([name for name in {sorted(EXTRA_OF)!r} + ['numpy', 'aiohttp'] if name in sys.modules])"
    )

    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert "[]" == printed.strip()


def test_no_words_at_all_means_help() -> None:
    """`companion` alone shows what there is and ends well."""
    result = CliRunner().invoke(cli.main, [])

    assert (0, True) == (result.exit_code, "doctor" in result.output)


def test_version_is_told() -> None:
    """`--version` names the program and its version."""
    result = CliRunner().invoke(cli.main, ["--version"])

    assert (0, "companion 0.1.0\n") == (result.exit_code, result.output)


def test_an_unknown_command_is_one_line() -> None:
    """A mistyped command is named, and the help offered."""
    result = CliRunner().invoke(cli.main, ["raed"])

    assert 2 == result.exit_code
    assert result.stderr.startswith("problem: no such command 'raed'")
    assert 1 == result.stderr.count("\n")


@pytest.mark.parametrize(
    ("failure", "line"),
    [
        (RigError("camera", "gone", "the camera is gone: plug it in"), "the camera is gone: plug it in"),
        (
            FileNotFoundError(2, "No such file or directory", "a.jpg"),
            "a.jpg: no such file or directory; check the name",
        ),
        (OSError(98, "Address already in use"), "address already in use; stop the program that holds it"),
        (OSError(28, "No space left on device", "m.pdf"), "m.pdf: no space left on device; free some space"),
        (click.ClickException("the sheet has 41 territories"), "the sheet has 41 territories"),
        (ModuleNotFoundError("no", name="cv2"), "this needs the Python package 'cv2'"),
    ],
    ids=["own", "file", "port", "full", "click", "package"],
)
def test_foreseen_failures_end_in_one_line(failure: Exception, line: str) -> None:
    """Our own errors and the world's are a sentence on stderr and exit code 2, without a traceback."""
    result = CliRunner().invoke(door(failing(failure)), ["act"])

    assert 2 == result.exit_code
    assert result.stderr.startswith(f"problem: {line}")
    assert (1, "") == (result.stderr.count("\n"), result.stdout)


def test_several_faults_are_several_lines() -> None:
    """An error that tells of more than one thing has a line for each."""
    result = CliRunner().invoke(door(failing(RigError("lamp", "x", "one\ntwo"))), ["act"])

    assert "problem: one\nproblem: two\n" == result.stderr


def test_our_own_fault_is_not_blamed_on_the_input() -> None:
    """What nobody foresaw keeps its traceback and has an exit code of its own."""
    result = CliRunner().invoke(door(failing(KeyError("seat"))), ["act"])

    assert 70 == result.exit_code
    assert "Traceback" in result.stderr
    assert "problem: this is a fault in the program itself (KeyError)" in result.stderr


@pytest.mark.parametrize(("failure", "code"), [(KeyboardInterrupt(), 130), (BrokenPipeError(), 141)])
def test_interruptions_are_quiet(failure: BaseException, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither Ctrl-C nor a pager that was closed is worth a message."""
    monkeypatch.setattr(cli, "_forget_stdout", lambda: None)

    result = CliRunner().invoke(door(failing(failure)), ["act"])

    assert (code, "") == (result.exit_code, result.stderr.strip())


@pytest.mark.usefixtures("log_as_shipped")
def test_a_service_logs_to_stderr_in_plain_lines() -> None:
    """What a service notes never mixes with its answers: stderr, a line each, nothing below info, no colours."""

    def act() -> None:
        log = structlog.get_logger()
        log.debug("frame read")
        log.warning("camera failed", code="gone", why="two\nlines")

    result = CliRunner().invoke(door(act, logs=True), ["act"])

    assert (0, "", 1) == (result.exit_code, result.stdout, result.stderr.count("\n"))
    assert result.stderr.endswith("[warning] camera failed code=gone why='two\\nlines'\n")


@pytest.mark.usefixtures("log_as_shipped")
def test_a_logged_traceback_tells_no_values() -> None:
    """A fault that is noted shows its lines of code and not what was in the variables: a PIN may be among them."""

    def act() -> None:
        pin = "".join(["47", "11"])
        try:
            len(pin) / 0
        except ZeroDivisionError:
            structlog.get_logger().exception("request failed")

    result = CliRunner().invoke(door(act, logs=True), ["act"])

    assert (True, False) == ("Traceback" in result.stderr, "4711" in result.stderr)


def test_only_commands_that_log_pay_for_the_log() -> None:
    """`companion score` and its like start without loading what writes logs."""
    script = (
        "import sys; from companion.cli import main; from click.testing import CliRunner\n"
        "for words in (['score', '--help'], ['table', '--help']):\n"
        "    CliRunner().invoke(main, words); print('structlog' in sys.modules)"
    )

    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert ["False", "True"] == printed.split()


@pytest.mark.parametrize("status", [0, 1, 2])
def test_a_command_chooses_its_exit_code(status: int) -> None:
    """A whole number that a command returns is the program's exit code."""
    result = CliRunner().invoke(door(lambda: status), ["act"])

    assert status == result.exit_code


def test_a_closed_pipe_ends_the_program_quietly(tmp_path: Path) -> None:
    """`companion --help | head -0` neither hangs nor complains."""
    shell = f"{sys.executable} -m companion --help | true; echo done"

    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True, cwd=tmp_path)

    assert ("done\n", "") == (done.stdout, done.stderr)


def test_a_missing_package_names_its_extra() -> None:
    """A command whose optional package is absent says what to install."""
    group = LazyGroup(name="g", entries={"x": Entry(module="tests.needs_absent", help="X.")})
    sys.modules.pop("tests.needs_absent", None)
    finder = _Absent()
    sys.meta_path.insert(0, finder)
    try:
        with pytest.raises(click.ClickException) as caught:
            group.get_command(click.Context(group), "x")
    finally:
        sys.meta_path.remove(finder)

    assert "table-companion[hub]" in caught.value.message


class _Absent:
    """Finds one module, and fails to load it as if a package under it were not installed."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        """The spec of that module."""
        return importlib.util.spec_from_loader(name, self) if name == "tests.needs_absent" else None  # type: ignore[arg-type]

    def create_module(self, spec: object) -> None:
        """The usual kind of module."""

    def exec_module(self, module: object) -> None:
        """Fail as an import of reportlab fails where it is not installed."""
        raise ModuleNotFoundError("No module named 'reportlab'", name="reportlab")
