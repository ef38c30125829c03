"""Journals of the first version, kept for ever: they verify, are restored on this machine, and tell the same game.

`tests/data/journal` was written by the version of 2026-11-30 on another boot: two exports and one journal file.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from companion.journal import Journal, PrivateNotes, open_to_read
from companion.journal.checking import check
from companion.journal.errors import ExportRefused
from companion.journal.export import export, restore
from companion.journal.private import Person
from companion.session.transitions import Phase
from companion.table.taking_up import taken_up

FIRST = Path(__file__).parents[1] / "data" / "journal"


@pytest.mark.parametrize(("system", "records", "phase"), [("nl1996", 62, Phase.CLOSED), ("risiko", 58, Phase.FROZEN)])
def test_an_export_of_the_first_version_is_restored(tmp_path: Path, system: str, records: int, phase: Phase) -> None:
    """Verified, restored, opened and folded; and exported again it is the same line by line."""
    old = FIRST / f"first-{system}"
    verdict = check(old)
    restore(old, tmp_path / "state")
    with Journal.open(tmp_path / "state" / "journal.sqlite", table_id="7") as journal:
        state, opened = taken_up(journal)
        head = journal.head()
    export(tmp_path / "state", tmp_path / "again")

    assert (True, verdict.head) == (verdict.holds, head)
    assert (old / "journal.jsonl").read_bytes() == (tmp_path / "again" / "journal.jsonl").read_bytes()
    assert (2, system) == (opened, state.opened.system if state.opened else None)
    assert (records, phase) == (verdict.records, state.phase)


def test_a_file_of_the_first_version_is_opened(tmp_path: Path) -> None:
    """The SQLite file as that version left it goes on with this one."""
    shutil.copyfile(FIRST / "first.sqlite", tmp_path / "journal.sqlite")
    before = json.loads((FIRST / "first-nl1996" / "manifest.json").read_text(encoding="utf-8"))["head"]

    with Journal.open(tmp_path / "journal.sqlite", table_id="7") as journal:
        state, _ = taken_up(journal)

        assert (before, Phase.CLOSED, None) == (journal.head().hash, state.phase, journal.verify().fault)


def test_an_export_of_a_later_version_is_refused_by_name(tmp_path: Path) -> None:
    """Nothing is guessed, and nothing written."""
    shutil.copytree(FIRST / "first-nl1996", tmp_path / "later")
    manifest = json.loads((tmp_path / "later" / "manifest.json").read_text(encoding="utf-8"))
    (tmp_path / "later" / "manifest.json").write_text(json.dumps(manifest | {"format": 9}), encoding="utf-8")

    with pytest.raises(ExportRefused, match="format 9"):
        restore(tmp_path / "later", tmp_path / "state")
    assert not (tmp_path / "state").exists()


def test_names_are_erased_and_the_chain_still_verifies(tmp_path: Path) -> None:
    """Before and after, in the state and in what was carried away: same records, same hashes, and no name anywhere."""
    restore(FIRST / "first-nl1996", tmp_path / "state")
    notes = PrivateNotes(tmp_path / "state" / "private.sqlite")
    notes.put({"p1": Person(name="Anna Pavlovna", contact="anna@example.org")})
    before = check(tmp_path / "state")
    notes.erase("p1")
    notes.close()
    after = check(tmp_path / "state")
    export(tmp_path / "state", tmp_path / "away", with_names=True)

    assert (True, before.head, before.records) == (after.holds, after.head, after.records)
    assert [] == [
        path
        for folder in (tmp_path / "state", tmp_path / "away")
        for path in folder.rglob("*")
        if path.is_file() and (b"Pavlovna" in path.read_bytes() or b"example.org" in path.read_bytes())
    ]
    with open_to_read(tmp_path / "state" / "journal.sqlite") as journal:
        assert journal.verify().fault is None
