"""docs/clock.md: its example is run, its figures are those of the rules, its findings those of the check."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from click import Context, Group

from companion.cli import main
from companion.commands.clock import command
from companion.commands.saying import Sayings
from companion.journal import kept, proving, ticking
from companion.rules.clock import length_range
from companion.rules.ruleset import load_ruleset
from companion.session.seal import Secret, seal_text
from companion.ui.screens.sealed import short_seal
from companion.words import LANGUAGES

PAGE = (Path(__file__).parents[2] / "docs" / "clock.md").read_text(encoding="utf-8")


def test_example_gives_what_the_page_says() -> None:
    """Worked by hand in a shell, it is the seal that the program would have shown."""
    line = re.search(r"```sh\n(printf .*)\n```", PAGE)
    told = re.search(r"```\n([0-9a-f]{64})  -\n```", PAGE)
    assert line is not None
    assert told is not None
    done = subprocess.run(["sh", "-c", line[1]], capture_output=True, text=True, check=True)
    minutes, salt = re.findall(r"tijd (\d+) minutes (\w+)", line[1])[0]
    secret = Secret(int(minutes), salt)

    assert f"{told[1]}  -\n" == done.stdout
    assert f"printf '{seal_text(secret.minutes, secret.salt)}' | sha256sum" == line[1]
    assert secret.seal == told[1]
    assert f"`{short_seal(secret.seal)}`" in PAGE


def test_ranges_are_those_of_the_rules() -> None:
    """Each phase with its shortest and longest game."""
    rules = load_ruleset("risiko")
    first, second, semi, final = (
        "{} to {}".format(*length_range(phase, ruleset=rules))
        for phase in ("first_phase", "second_phase", "semi_final", "final")
    )

    assert second == semi
    assert f"first phase {first}, second phase and\nsemi-final {second}, final {final}" in PAGE


def test_every_finding_is_told() -> None:
    """With whether it is a problem, as the check has it."""
    source = "".join(Path(part.__file__).read_text(encoding="utf-8") for part in (proving, kept, ticking))
    made = dict(re.findall(r'"(seal-[a-z-]+)",\s*(True|False)', source))
    told = {
        code: {"yes": "True", "no": "False"}[bad] for code, bad in re.findall(r"\| `(seal-[a-z-]+)` \| (yes|no)", PAGE)
    }

    assert made == told
    assert all(Sayings("verify", lang).knows(code) for lang in LANGUAGES for code in made)


def test_every_order_of_the_director_is_told() -> None:
    """And no other."""
    clock = main.get_command(Context(main), "clock")
    assert isinstance(clock, Group)

    assert (
        set(command.commands) == set(clock.commands) == set(re.findall(r"^companion clock (\w+)", PAGE, re.MULTILINE))
    )
