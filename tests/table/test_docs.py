"""docs/api.md and docs/buttons.md say what the code does."""

from __future__ import annotations

import re
from pathlib import Path

from companion.rules.board import load_board
from companion.session.commands import PEOPLE
from companion.session.events import NOTE_CODES
from companion.session.transitions import MAY, Phase
from companion.table.api import _LOOK_FIRST

from .rig import PIN, open_table

DOCS = Path(__file__).parents[2] / "docs"


def rows() -> dict[str, tuple[str, str, str]]:
    """Arguments, phases and askers of each command in the page's table."""
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    found: dict[str, tuple[str, str, str]] = {}
    for line in re.findall(r"^\| ([a-z_]+(?: / [a-z_]+)?) \|(.+)\|(.+)\|(.+)\|$", text, re.MULTILINE):
        names, arguments, phases, askers = line
        for name in names.split(" / "):
            found[name] = (arguments.strip(), phases.strip(), askers.strip())
    del found["command"]
    return found


def test_every_command_is_on_the_page_and_no_other() -> None:
    """The table of commands is the one of the program."""
    assert {command.name for command in PEOPLE} == rows().keys()


def test_phases_of_each_command_are_told() -> None:
    """Whoever reads the page knows when a command is possible."""
    told = {
        name: {phase for phase in Phase if phase.value in re.findall(r"[a-z]+", row[1]) or row[1] == "any"}
        for name, row in rows().items()
    }

    wrong = {name: phases for name, phases in told.items() if phases != MAY[name].phases}

    assert {} == wrong


def test_referee_s_commands_are_told_as_such() -> None:
    """A command that the screen may not send without a PIN is the referee's on the page, and the other way round."""
    wrong = [name for name, row in rows().items() if ("screen" in row[2]) is not ("screen" in MAY[name].askers)]

    assert [] == wrong


def test_commands_that_answer_what_was_seen_are_told() -> None:
    """The list behind `expected_seq`."""
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    told = text.split("command answers what was seen (")[1].split(")")[0]

    assert set(_LOOK_FIRST) == set(re.findall(r"`([a-z_]+)`", told))


def test_every_press_that_means_nothing_is_on_its_page() -> None:
    """docs/buttons.md names each note about presses and uncounted dice, and none that is not made."""
    text = (DOCS / "buttons.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`((?:press|dice|throw)-[a-z-]+)`", text))

    assert {code for code in NOTE_CODES if code.startswith(("press-", "dice-", "throw-"))} == told


def keys(told: object) -> set[str]:
    """Every key of a JSON value, but those of open lists: options, a claim's and a reason's values."""
    if isinstance(told, list):
        return set().union(*map(keys, told))
    if isinstance(told, dict):
        return set(told).union(*(keys(inner) for name, inner in told.items() if name not in {"options", "values"}))
    return set()


async def test_everything_that_the_state_holds_is_on_the_page(tmp_path: Path) -> None:
    """A game in play, one stopped by the signal and a disputed result hold no key that the page is silent about."""
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    lands = sorted(load_board("classic").territories)
    hand = {"infantry": 0, "artillery": 0, "cavalry": 0, "joker": 0}
    board = [
        {"id": player, "territories": lands[first::3], "armies": 20 + first, "hand": hand}
        for first, player in enumerate(("anna", "bert", "cees"))
    ]
    async with open_table(tmp_path) as at:
        await at.playing()
        await at.ask("call_throw")
        await at.ask("enter_dice", side="attack", values=[6, 5, 4])
        await at.ask("call_referee")
        held = keys(await at.state())
        await at.ask("sound_tijd", pin=PIN)
        held |= keys(await at.until(lambda state: state["phase"] == "frozen"))
        await at.ask("confirm_board", players=board, vacant=[])
        await at.ask("dispute_result", player="bert", reason="one army more")
        held |= keys(await at.state())

    assert set() == held - set(re.findall(r"[`\"](\w+)[`\"]", page))
