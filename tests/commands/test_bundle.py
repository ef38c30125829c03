"""A log bundle tells enough to find a fault with, and nothing of people or secrets."""

from __future__ import annotations

import json
import secrets
import tarfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.commands import bundle
from companion.commands.scrub import Scrubber
from companion.journal import Evidence, Journal, NewRecord, PrivateNotes
from companion.journal.private import Person

NAMES = ("Anna Pavlovna", "Bertus van der Veen", "Čeněk Říha")
CONTACT = "anna.pavlovna@example.org"
PIN = "84713"
SALT = secrets.token_hex(16)
KEY = secrets.token_urlsafe(40)
TYPED = "Bertus called it a scandal"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A table's state with people, secrets and what they typed, planted wherever such things lie."""
    root = tmp_path / "state"
    with Journal.open(root / "journal.sqlite", table_id="7") as journal:
        facts: list[tuple[str, str, dict[str, Any]]] = [
            ("table.opened", "screen", {"system": "nl1996", "players": ["anna", "bertus", "p3"], "tournament": TYPED,
                                        "length_ms": 4_711_000, "options": {"house": TYPED}}),
            ("throw.called", "seat1", {"throw": 1, "player": "anna", "by": "seat1"}),
            ("dice.settled", "camera", {"throw": 1, "side": "attack", "evidence": "a" * 64,
                                        "dice": [{"value": 6, "verdict": "valid", "why": None}]}),
            ("throw.annulled", "referee", {"throw": 1, "why": "referee", "reason": TYPED, "pin": PIN}),
            ("tijd.revealed", "clock", {"salt": SALT, "length_ms": 4_711_000, "why": NAMES[1]}),
            ("result.ruled", "referee", {"results": {"anna": "1", "bertus": "2"}, "reason": TYPED}),
        ]  # fmt: skip
        journal.append(
            [NewRecord(type=kind, v=1, by=by, at_ns=at, data=data) for at, (kind, by, data) in enumerate(facts)],
            boot="b", wall="2026-11-29T20:00:00.000Z",
        )  # fmt: skip
        journal.put_draft({"page": TYPED})
    notes = PrivateNotes(root / "private.sqlite")
    notes.put({p: Person(name=n, contact=CONTACT) for p, n in zip(("anna", "bertus", "p3"), NAMES, strict=True)})
    notes.close()
    Evidence(root / "evidence").put(b"a picture of Anna")
    for name, text in (("referee.pin", PIN), ("tijd.secret", SALT), ("table.key", KEY), ("asked.jsonl", TYPED)):
        (root / name).write_text(text, encoding="utf-8")
    return root


def contents(archive: Path) -> dict[str, str]:
    """Every file of the archive, by name."""
    with tarfile.open(archive) as opened:
        return {
            member.name.removeprefix("companion-bundle/"): (opened.extractfile(member) or archive.open("rb"))
            .read()
            .decode()
            for member in opened.getmembers()
        }


def made(tmp_path: Path, state: Path, *words: str) -> dict[str, str]:
    """The bundle of that state."""
    config = tmp_path / "table.toml"
    config.write_text(
        f'table = "7"\nstate_dir = "{state}"\nhw.camera.driver = "none"\nhw.panel.driver = "screen"\n'
        f'[network]\nsocket = "{tmp_path / "t.sock"}"\n',
        encoding="utf-8",
    )
    file = tmp_path / "bundle.tar.gz"
    result = CliRunner().invoke(main, ["bundle", str(file), "--config", str(config), *words], catch_exceptions=False)
    assert 0 == result.exit_code, result.output
    return contents(file)


def test_nothing_of_people_and_secrets_is_in_it(tmp_path: Path, state: Path) -> None:
    """Names, contacts, PIN, salt, key and typed texts were planted in state, facts and log: none is found again."""
    log = tmp_path / "table.log"
    log.write_text(
        f"2026-11-30 02:01:39 [info] table is up seq=6 table=7\n"
        f"ruled for {NAMES[0]} ({CONTACT}) pin={PIN} salt: {SALT}\n"
        f"'secret': '{SALT}' key={KEY} then ANNA and anna and Říha\nlength_ms=4711000 PIN {PIN}\n",
        encoding="utf-8",
    )

    told = made(tmp_path, state, "--log", str(log))

    everything = "\n".join(f"{name}\n{text}" for name, text in told.items()).casefold()
    planted = [*NAMES, *(part for name in NAMES for part in name.split()), CONTACT, PIN, SALT, KEY, TYPED, "scandal"]
    planted += ["4711000", "4_711_000", "pavlovna@", "bertus"]
    assert [] == [word for word in planted if len(word) > 3 and word.casefold() in everything]
    assert "[info] table is up seq=6 table=7" in told["log/1-table.log.txt"]


def test_what_is_needed_to_find_a_fault_is_in_it(tmp_path: Path, state: Path) -> None:
    """Facts as numbers and words of the program, the doctor's lines, settings, and the list of files."""
    told = made(tmp_path, state)

    facts = [json.loads(line) for line in told["journal.jsonl"].splitlines()]
    findings = [json.loads(line) for line in told["doctor.jsonl"].splitlines()]
    assert ["table.opened", "throw.called", "dice.settled"] == [fact["type"] for fact in facts[:3]]
    assert ["player-1", "player-2", "player-3"] == facts[0]["data"]["players"]
    assert {"throw": 1, "player": "player-1", "by": "seat1"} == facts[1]["data"]
    assert {"value": 6, "verdict": "valid", "why": None} == facts[2]["data"]["dice"][0]
    assert {"player-1": "…(1)", "player-2": "…(1)"} == facts[5]["data"]["results"]
    assert {"versions", "disk", "journal"} <= {finding["part"] for finding in findings}
    assert "7" == json.loads(told["config.json"])["table"]["table"]
    assert "referee.pin" in told["state.txt"]
    assert json.loads(told["journal.json"])["records"] == 6
    assert set(told) >= {"about.txt", "config.json", "doctor.jsonl", "journal.jsonl", "journal.json", "state.txt"}


def test_a_table_that_never_played_has_a_bundle_too(tmp_path: Path) -> None:
    """No state at all: said in journal.json, and everything else is there."""
    told = made(tmp_path, tmp_path / "nothing")

    assert ("", "") == (told["journal.jsonl"], told["state.txt"])
    assert "cannot be read" in json.loads(told["journal.json"])["problem"]


def test_an_archive_is_never_written_over(tmp_path: Path, state: Path) -> None:
    """A file of that name is somebody's."""
    made(tmp_path, state)
    result = CliRunner().invoke(
        main, ["bundle", str(tmp_path / "bundle.tar.gz"), "--config", str(tmp_path / "table.toml")]
    )

    assert (2, "problem: ") == (result.exit_code, result.stderr[:9])
    assert "is there already" in result.stderr


def test_logs_of_the_services_are_taken_from_the_system(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system keeps a journal, each service's newest lines come along, scrubbed."""
    monkeypatch.setattr(bundle.shutil, "which", lambda _name: "/usr/bin/journalctl")
    asked: list[str] = []

    def run(words: list[str], **_: object) -> Any:
        asked.append(words[-1])
        return type("Told", (), {"stdout": f"up, said {NAMES[0]}\n", "stderr": ""})

    monkeypatch.setattr(bundle.subprocess, "run", run)
    told = made(tmp_path, state)

    assert list(bundle.UNITS) == asked
    assert {f"log/{unit}.txt" for unit in bundle.UNITS} == {name for name in told if name.startswith("log/")}
    assert "up, said …" in told["log/companion-table.txt"]


def test_a_table_without_people_scrubs_all_the_same() -> None:
    """Nobody is known by name: secrets and addresses go, the rest stays."""
    scrubber = Scrubber((), ())

    assert "seq=12 at 02:01:39, … and pin=…" == scrubber.log("seq=12 at 02:01:39, a.b@c.org and pin=1234")
