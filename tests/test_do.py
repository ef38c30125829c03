"""The door works on a machine that has next to nothing, and says what it lacks."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = (
    "sh",
    "cat",
    "date",
    "dirname",
    "find",
    "awk",
    "grep",
    "sha256sum",
    "mkdir",
    "tail",
    "sed",
    "tr",
    "sleep",
    "env",
    "chmod",
)

PYTHON = """#!/bin/sh
# A Python that only remembers what it was asked, and knows these modules and libraries: $KNOWN
printf '%s\\n' "$*" >>"$ASKED"
case "$*" in
    "-c import sys; sys.exit"*) exit 0 ;;
    "-c import ctypes"*libGL*) case "$KNOWN" in *libGL*) exit 0 ;; *) exit 1 ;; esac ;;
    "-c import ctypes"*libEGL*) case "$KNOWN" in *libEGL*) exit 0 ;; *) exit 1 ;; esac ;;
    "-c import ensurepip") case "$KNOWN" in *ensurepip*) exit 0 ;; *) exit 1 ;; esac ;;
    -VV) echo "Python ${VERSION:-3.11.0}" ;;
    "-m venv"*) for venv in "$@"; do :; done
        mkdir -p "$venv/bin"
        sed "s/[$][{]VERSION:-3.11.0[}]/${VERSION:-3.11.0}/" "$0" >"$venv/bin/python"; chmod +x "$venv/bin/python"
        echo "#!$PWD/$venv/bin/python" >"$venv/bin/pip" ;;
    "-m pip"*) [ -z "${PIP_FAILS:-}" ] || { echo "no such hash"; exit 1; } ;;
esac
"""


class Bare:
    """A checkout on a machine that has only what a test gives it."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "checkout"
        self.bin = folder / "bin"
        self.asked = folder / "asked"
        self.environment = {"PATH": str(self.bin), "ASKED": str(self.asked), "KNOWN": "ensurepip libGL libEGL"}
        self.bin.mkdir()
        (self.checkout / "requirements").mkdir(parents=True)
        shutil.copy(ROOT / "do", self.checkout)
        (self.checkout / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
        for lock in ("lock", "pi", "opencv4"):
            (self.checkout / f"requirements/{lock}.txt").write_text("click==8.1\n", encoding="utf-8")
        for tool in TOOLS:
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        self.add("python3", PYTHON)
        self.add("id", "#!/bin/sh\necho 1000\n")

    def add(self, name: str, script: str) -> None:
        """Install a program of our own."""
        (self.bin / name).write_text(script, encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def do(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the door."""
        return subprocess.run(
            [self.checkout / "do", *words],
            env=self.environment | environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def times_asked(self, words: str) -> int:
        """How often Python was asked for this."""
        lines = self.asked.read_text(encoding="utf-8").splitlines() if self.asked.exists() else []
        return sum(words in line for line in lines)


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    """A machine with a shell, a Python and nothing to install."""
    return Bare(tmp_path)


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_script_is_plain_shell(shell: str) -> None:
    """Any POSIX shell can read it."""
    done = subprocess.run([shell, "-n", ROOT / "do"], capture_output=True, text=True, check=False)

    assert (0, "") == (done.returncode, done.stderr)


def test_ci_runs_the_tests_and_nothing_weaker() -> None:
    """What must pass before anything lands is what everybody runs, stopping at the first failure."""
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")

    assert "set -euo pipefail" in script
    assert ["./do test", "./do test-opencv4"] == [line for line in script.splitlines() if line.startswith("./do")]
    assert os.access(ROOT / ".ci/run", os.X_OK)


def test_alone_it_lists_its_jobs(bare: Bare) -> None:
    """Nothing is set up to find out what there is to do."""
    done = bare.do()

    assert (0, True, 0) == (done.returncode, "./do run" in done.stdout, bare.times_asked(""))


def test_an_unknown_job_is_refused(bare: Bare) -> None:
    """A mistyped job names itself."""
    done = bare.do("tset")

    assert 2 == done.returncode
    assert "problem: there is no job 'tset'" in done.stderr


def test_without_python_it_says_what_is_needed(bare: Bare) -> None:
    """No Python, or one that is too old, is one line."""
    bare.add("python3", "#!/bin/sh\nexit 1\n")

    done = bare.do("setup")

    assert 2 == done.returncode
    assert done.stderr.startswith("problem: Python 3.11 or newer is needed")
    assert 1 == done.stderr.count("\n")


def test_without_rights_it_says_what_to_install(bare: Bare) -> None:
    """Where apt may not be used, one line names exactly what is missing."""
    done = bare.do("setup", KNOWN="libGL")

    assert 2 == done.returncode
    assert done.stderr == (
        "problem: system packages are missing; run this once, then try again: "
        "sudo apt-get install -y python3-venv libegl1\n"
    )


def test_root_gets_the_missing_packages_installed(bare: Bare, tmp_path: Path) -> None:
    """Only what is missing is asked of apt, and a first failure is answered by fresh package lists."""
    calls = tmp_path / "apt"
    bare.add("id", "#!/bin/sh\necho 0\n")
    bare.add(
        "apt-get",
        f'#!/bin/sh\necho "$*" >>{calls}\n'
        f'case "$1" in update) : >{tmp_path}/lists ;; *) [ -f {tmp_path}/lists ] ;; esac\n',
    )

    done = bare.do("setup", KNOWN="libGL")

    wanted = "install -y --no-install-recommends python3-venv libegl1"
    assert 0 == done.returncode
    assert [wanted, "update", wanted] == calls.read_text(encoding="utf-8").splitlines()


def test_the_second_run_does_nothing(bare: Bare) -> None:
    """What was made is not made again."""
    first = bare.do("setup")
    second = bare.do("setup")

    assert (0, 0) == (first.returncode, second.returncode)
    assert (1, 1) == (bare.times_asked("-m venv"), bare.times_asked("--require-hashes"))
    assert "ready: .venv/bin/companion\n" == second.stderr


@pytest.mark.parametrize(
    ("changed", "text"),
    [("pyproject.toml", '[project]\nname = "other"\n'), ("requirements/lock.txt", "click==9\n")],
)
def test_a_change_brings_the_environment_up_to_date(bare: Bare, changed: str, text: str) -> None:
    """New requirements or a new project are noticed, and nothing is emptied for them."""
    bare.do("setup")
    (bare.checkout / changed).write_text(text, encoding="utf-8")
    bare.do("setup")

    assert 2 == bare.times_asked("--require-hashes")
    assert 1 == bare.times_asked("-m venv")


def test_settings_of_the_checks_touch_no_environment(bare: Bare) -> None:
    """Another line length is no reason to install anything."""
    bare.do("setup")
    with (bare.checkout / "pyproject.toml").open("a", encoding="utf-8") as project:
        project.write("[tool.ruff]\nline-length = 120\n")
    bare.do("setup")

    assert 1 == bare.times_asked("--require-hashes")


def test_another_python_makes_the_environment_anew(bare: Bare) -> None:
    """An environment of a Python that is gone is of no use."""
    bare.do("setup")
    bare.do("setup", VERSION="3.13.1")

    assert (2, 2) == (bare.times_asked("-m venv --clear"), bare.times_asked("--require-hashes"))


def test_an_environment_made_by_hand_is_kept(bare: Bare) -> None:
    """Whoever works in an environment of the same Python does not lose it."""
    bare.do("setup")
    (bare.checkout / ".venv/made-from").unlink()
    (bare.checkout / ".venv/mine").touch()
    bare.do("setup")

    assert (1, 2) == (bare.times_asked("-m venv"), bare.times_asked("--require-hashes"))
    assert (bare.checkout / ".venv/mine").exists()


def test_an_environment_of_another_folder_is_not_used(bare: Bare, tmp_path: Path) -> None:
    """A checkout that was moved makes its environment anew, since the old one points elsewhere."""
    bare.do("setup")
    bare.checkout.rename(tmp_path / "moved")
    bare.checkout = tmp_path / "moved"
    bare.do("setup")

    assert 2 == bare.times_asked("-m venv")


def test_a_failed_step_shows_why_and_is_tried_again(bare: Bare) -> None:
    """The log's end is shown and named, and a half-made environment is not taken for a whole one."""
    failed = bare.do("setup", PIP_FAILS="1")
    again = bare.do("setup")

    assert (2, 0) == (failed.returncode, again.returncode)
    assert "    no such hash\n" in failed.stderr
    assert f"the whole log is {bare.checkout}/build/setup.log" in failed.stderr


def test_every_step_shows_its_seconds(bare: Bare) -> None:
    """Who waits sees what for, and how long it took."""
    steps = [line for line in bare.do("setup").stderr.splitlines() if line.endswith(" s")]

    assert ["virtual environment", "packages (1, with their hashes)", "the companion itself"] == [
        line.rpartition(":")[0].strip() for line in steps
    ]


def test_a_pi_keeps_the_packages_of_its_system(bare: Bare) -> None:
    """On a Pi the environment sees the system's numpy, OpenCV and Kivy."""
    bare.do("setup", COMPANION_PI="1")

    assert 1 == bare.times_asked("-m venv --clear --system-site-packages .venv")
    assert 1 == bare.times_asked("--require-hashes -r requirements/pi.txt")


def test_without_a_display_the_demo_plays_headless(bare: Bare) -> None:
    """The same demo runs, without a window, and gets the words that follow."""
    bare.do("setup")
    (bare.checkout / ".venv/bin/companion").write_text('#!/bin/sh\necho "$SDL_VIDEODRIVER $*"\n', encoding="utf-8")
    (bare.checkout / ".venv/bin/companion").chmod(0o755)

    without = bare.do("run", "--stay")
    with_one = bare.do("run", "--stay", DISPLAY=":0")

    assert "offscreen demo --headless --stay\n" == without.stdout
    assert " demo --stay\n" == with_one.stdout


def test_commands_get_their_words_unchanged(bare: Bare) -> None:
    """Spaces and quotes reach the companion as they were typed."""
    bare.do("setup")
    (bare.checkout / ".venv/bin/companion").write_text('#!/bin/sh\nprintf "[%s]" "$@"\n', encoding="utf-8")
    (bare.checkout / ".venv/bin/companion").chmod(0o755)

    assert "[read][a b.jpg][*]" == bare.do("companion", "read", "a b.jpg", "*").stdout


def test_files_are_looked_for_where_it_is_called(bare: Bare, tmp_path: Path) -> None:
    """A photograph lies in the folder of photographs, not in the checkout."""
    bare.do("setup")
    (bare.checkout / ".venv/bin/companion").write_text("#!/bin/sh\npwd\n", encoding="utf-8")
    (bare.checkout / ".venv/bin/companion").chmod(0o755)
    photos = tmp_path / "my photos"
    photos.mkdir()
    told = subprocess.run(
        ["../checkout/do", "companion"], cwd=photos, env=bare.environment, capture_output=True, text=True, check=True
    )

    assert f"{photos}\n" == told.stdout


def test_locks_pin_hashes_and_no_addresses() -> None:
    """Every pinned package has its hash, both OpenCV lines are there, and no index is named."""
    for lock in ("lock", "pi", "opencv4"):
        text = (ROOT / f"requirements/{lock}.txt").read_text(encoding="utf-8")
        pins = [line for line in text.splitlines() if "==" in line]
        assert len(pins) <= text.count("--hash=sha256:")
        assert "://" not in text
    assert "opencv-python-headless==5." in (ROOT / "requirements/lock.txt").read_text(encoding="utf-8")
    assert "opencv-python-headless==4." in (ROOT / "requirements/opencv4.txt").read_text(encoding="utf-8")


def test_no_module_is_too_long() -> None:
    """The limit that ./do check holds is the one that CONTRIBUTING promises."""
    assert "MAX_LINES=400\n" in (ROOT / "do").read_text(encoding="utf-8")
    assert "none above 400" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
