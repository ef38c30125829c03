"""Facts travel as plain files, arrive whole or not at all, and `companion journal` says which."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.journal.errors import ExportRefused
from companion.journal.evidence import Evidence
from companion.journal.export import export, restore
from companion.journal.lines import line_of
from companion.journal.places import StateFolder
from companion.journal.private import Person, PrivateNotes
from companion.journal.reading import open_to_read
from companion.journal.sqlite import Journal

from .facts import WALL, fact, write


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    """A closed table with four facts, two pictures, one of them named by a fact, and a name."""
    folder = StateFolder(tmp_path / "table")
    evidence = Evidence(folder.evidence, reserve_bytes=0)
    named = evidence.put(b"a throw")
    evidence.put(b"a crash came before its fact")
    with Journal.open(folder.journal, table_id="7") as journal:
        write(journal, 1, 2)
        journal.append([fact(3, sides=[{"evidence": named}, {"evidence": None}])], boot="b1", wall=WALL)
        write(journal, 4)
    notes = PrivateNotes(folder.private)
    notes.put({"p1": Person(name="Anna", contact="anna@example.org")})
    notes.close()
    return folder


def run(*words: object) -> Result:
    """One call of the command line, as a program."""
    return CliRunner().invoke(main, ["journal", *map(str, words)])


def tamper(state: StateFolder, statement: str) -> None:
    """Change a closed journal behind its triggers."""
    with closing(sqlite3.connect(state.journal, isolation_level=None)) as db:
        db.execute("DROP TRIGGER records_stay")
        db.execute(statement)


def test_a_restored_table_has_the_same_facts(state: StateFolder, tmp_path: Path) -> None:
    """Export and restore carry records, hashes and named pictures; the new table goes on from the same head."""
    exported = export(state.root, tmp_path / "out")
    restored = restore(tmp_path / "out", tmp_path / "new")
    new = StateFolder(tmp_path / "new")
    with open_to_read(state.journal) as old:
        before = old.after(0)
    with Journal.open(new.journal, table_id="7") as journal:
        after = journal.after(0)
        write(journal, 5)
        report = journal.verify()

    assert (before, exported.head, 1, 5, None) == (
        after,
        restored.head,
        restored.pictures,
        report.records,
        report.fault,
    )


def test_names_travel_only_when_asked(state: StateFolder, tmp_path: Path) -> None:
    """Without the wish no name is in any exported file; with it the restored table knows them."""
    export(state.root, tmp_path / "bare")
    export(state.root, tmp_path / "full", with_names=True)
    restore(tmp_path / "full", tmp_path / "new")
    bare = b"".join(path.read_bytes() for path in (tmp_path / "bare").rglob("*") if path.is_file())
    notes = PrivateNotes(StateFolder(tmp_path / "new").private)
    known = notes.person("p1")
    notes.close()

    assert (False, Person(name="Anna", contact="anna@example.org")) == (b"Anna" in bare, known)


def test_a_running_table_can_be_exported(state: StateFolder, tmp_path: Path) -> None:
    """Carrying away disturbs nobody."""
    with Journal.open(state.journal, table_id="7") as journal:
        write(journal, 5)
        carried = export(state.root, tmp_path / "out")
        write(journal, 6)

    assert 5 == carried.head.seq


def test_a_bare_file_of_lines_is_enough(state: StateFolder, tmp_path: Path) -> None:
    """The lines that a hub hands out make a table again once it is said whose they are."""
    lines = tmp_path / "7.jsonl"
    with open_to_read(state.journal) as journal:
        lines.write_text("".join(line_of(record) + "\n" for record in journal.all()), encoding="utf-8")
    with pytest.raises(ExportRefused):
        restore(lines, tmp_path / "new")

    assert ("7", 4) == (
        (carried := restore(lines, tmp_path / "new", table_id="7")).table,
        carried.head.seq,
    )


def drop_last_line(out: Path) -> None:
    """A copy that ended too early, on a line's end."""
    lines = (out / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (out / "journal.jsonl").write_bytes(b"".join(lines[:-1]))


def cut_in_line(out: Path) -> None:
    """A copy that ended too early, within a line."""
    (out / "journal.jsonl").write_bytes((out / "journal.jsonl").read_bytes()[:-20])


def change_value(out: Path) -> None:
    """A forger's edit."""
    content = (out / "journal.jsonl").read_text(encoding="utf-8")
    (out / "journal.jsonl").write_text(content.replace('"throw":2', '"throw":6'), encoding="utf-8")


def drop_manifest(out: Path) -> None:
    """A copy that forgot a file."""
    (out / "manifest.json").unlink()


def spoil_manifest(out: Path) -> None:
    """A manifest of something else."""
    (out / "manifest.json").write_text('{"format": 1}')


def later_format(out: Path) -> None:
    """An export of a later version."""
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps(manifest | {"format": 9}))


def strange_line(out: Path) -> None:
    """A line that is JSON but no record."""
    with (out / "journal.jsonl").open("a") as file:
        file.write('{"seq": 5}\n')


SPOILERS = [drop_last_line, cut_in_line, change_value, drop_manifest, spoil_manifest, later_format, strange_line]


@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda spoil: spoil.__name__)
def test_a_spoilt_export_restores_nothing(state: StateFolder, tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    """Whatever is wrong with a copy, it is said in one line and no journal appears."""
    export(state.root, tmp_path / "out")
    spoil(tmp_path / "out")
    result = run("restore", tmp_path / "out", tmp_path / "new")

    assert (2, True, 1, False) == (
        result.exit_code,
        result.stderr.startswith("problem: "),
        len(result.stderr.splitlines()),
        StateFolder(tmp_path / "new").journal.exists(),
    )


def test_nothing_is_written_over(state: StateFolder, tmp_path: Path) -> None:
    """Neither an export nor a restore touches what is there."""
    first = run("export", state.root, tmp_path / "out")
    second = run("export", state.root, tmp_path / "out")
    third = run("restore", tmp_path / "out", state.root)

    assert [0, 2, 2] == [first.exit_code, second.exit_code, third.exit_code]


def test_verify_accepts_a_whole_state(state: StateFolder) -> None:
    """All is well is exit 0; a picture without a fact is a note."""
    result = run("verify", state.root)

    assert (0, True, True, "") == (
        result.exit_code,
        "4 records hold" in result.stdout,
        "note: picture" in result.stdout,
        result.stderr,
    )


def test_verify_accepts_an_export_and_lines(state: StateFolder, tmp_path: Path) -> None:
    """The same command checks what was carried away."""
    run("export", state.root, tmp_path / "out")
    verdicts = [
        json.loads(run("verify", "--json", place).stdout)
        for place in (state.root, tmp_path / "out", tmp_path / "out" / "journal.jsonl")
    ]

    assert [("state", 4, 1), ("export", 4, 1), ("lines", 4, 0)] == [
        (verdict["kind"], verdict["records"], verdict["pictures"]) for verdict in verdicts
    ]


def test_verify_names_the_first_bad_record(state: StateFolder) -> None:
    """A changed fact is exit 1 and its number."""
    tamper(state, "UPDATE records SET wall = 'earlier' WHERE seq = 2")
    result = run("verify", state.root)

    assert (1, True) == (result.exit_code, "record 2 was changed" in result.stderr)


def test_verify_tells_missing_from_given_up(state: StateFolder, tmp_path: Path) -> None:
    """A picture that made room is a note; one that is just gone, or changed, is a problem."""
    named = next(path for path in state.evidence.glob("*.jpg") if path.read_bytes() == b"a throw")
    named.write_bytes(b"another throw")
    altered = run("verify", state.root)
    named.unlink()
    missing = run("verify", state.root)
    (state.evidence / "given-up.txt").write_text(named.stem + "\n")
    given_up = run("verify", state.root)

    assert [(1, True), (1, True), (0, True)] == [
        (altered.exit_code, "cannot be vouched for" in altered.stderr),
        (missing.exit_code, "is missing" in missing.stderr),
        (given_up.exit_code, "had to make room" in given_up.stdout),
    ]


def test_verify_notices_a_log_that_lost_transactions(state: StateFolder, tmp_path: Path) -> None:
    """Facts that SQLite would drop in silence are a problem, and a torn tail is a note."""
    frame = 24 + 4096
    with Journal.open(state.journal, table_id="7") as journal:
        for number in range(5, 10):
            write(journal, number)
        log = Path(f"{state.journal}-wal").read_bytes()
        content = state.journal.read_bytes()
    codes = []
    for name, place in (("middle", 32 + frame + 99), ("tail", len(log) - 99)):
        copy = StateFolder(tmp_path / name)
        copy.root.mkdir()
        copy.journal.write_bytes(content)
        spoilt = bytearray(log)
        spoilt[place] ^= 0xFF
        Path(f"{copy.journal}-wal").write_bytes(spoilt)
        (copy.evidence).symlink_to(state.evidence)
        result = run("verify", copy.root)
        codes.append((result.exit_code, "not whole" in result.stdout))

    assert [(1, False), (0, True)] == codes


@pytest.mark.parametrize("words", [["verify"], ["export"], ["restore"]])
def test_a_place_without_a_journal_is_told(tmp_path: Path, words: list[str]) -> None:
    """An empty folder gives one line and exit 2."""
    (tmp_path / "empty").mkdir()
    result = run(*words, tmp_path / "empty", *([] if words == ["verify"] else [tmp_path / "target"]))

    assert (2, True, 1) == (result.exit_code, result.stderr.startswith("problem: "), len(result.stderr.splitlines()))


def test_a_running_table_verifies(state: StateFolder) -> None:
    """Verify beside a running table finds its log in order and disturbs nobody."""
    with Journal.open(state.journal, table_id="7") as journal:
        write(journal, 5)
        result = run("verify", state.root)
        write(journal, 6)

    assert (0, True) == (result.exit_code, "5 records hold" in result.stdout)


def test_a_restore_that_was_cut_off_is_begun_again(state: StateFolder, tmp_path: Path) -> None:
    """What an interrupted restore left is swept away by the next one."""
    export(state.root, tmp_path / "out")
    new = StateFolder(tmp_path / "new")
    new.root.mkdir()
    Path(f"{new.journal}.unfinished").write_bytes(b"half a database")
    restored = restore(tmp_path / "out", new.root)

    assert (4, []) == (restored.head.seq, list(new.root.glob("*.unfinished*")))


def test_missing_pictures_are_carried_as_missing(state: StateFolder, tmp_path: Path) -> None:
    """A picture that is gone does not stop an export or a restore; both say so, and the export verifies."""
    for picture in state.evidence.glob("*.jpg"):
        picture.unlink()
    exported = run("export", state.root, tmp_path / "out")
    verified = run("verify", tmp_path / "out")
    restored = run("restore", tmp_path / "out", tmp_path / "new")

    assert ([0, 0, 0], [True] * 3) == (
        [exported.exit_code, verified.exit_code, restored.exit_code],
        [
            "1 pictures were not there" in exported.stdout,
            "when this was exported" in verified.stdout,
            "1 pictures were not there" in restored.stdout,
        ],
    )


def test_a_damaged_picture_is_not_restored(state: StateFolder, tmp_path: Path) -> None:
    """Bytes that no longer fit their name are left behind and counted."""
    export(state.root, tmp_path / "out")
    (picture,) = (tmp_path / "out" / "evidence").glob("*.jpg")
    picture.write_bytes(b"something else")
    carried = restore(tmp_path / "out", tmp_path / "new")

    assert (0, (picture.stem,)) == (carried.pictures, carried.missing)


@pytest.mark.parametrize("names", ['{"p1": "Anna"}', "[1]", "{"])
def test_strange_names_restore_nothing(state: StateFolder, tmp_path: Path, names: str) -> None:
    """A names file that is none is found before anything is written."""
    export(state.root, tmp_path / "out")
    (tmp_path / "out" / "names.json").write_text(names)
    result = run("restore", tmp_path / "out", tmp_path / "new")

    assert (2, False) == (result.exit_code, StateFolder(tmp_path / "new").journal.exists())


def test_an_export_of_another_table_is_not_restored_as_this_one(state: StateFolder, tmp_path: Path) -> None:
    """Naming the wrong table is noticed."""
    export(state.root, tmp_path / "out")
    result = run("restore", tmp_path / "out", tmp_path / "new", "--table", "8")

    assert (2, True) == (result.exit_code, "table '7', not of '8'" in result.stderr)


def test_erasing_a_name_leaves_the_chain(state: StateFolder) -> None:
    """After a player is forgotten the journal verifies as before."""
    notes = PrivateNotes(state.private)
    erased = notes.erase("p1")
    notes.close()

    assert (True, 0) == (erased, run("verify", state.root).exit_code)


def test_many_harmless_findings_of_a_kind_are_told_shortly(tmp_path: Path) -> None:
    """A game lets go of hundreds of whole pictures: some are named, the rest are counted."""
    state = StateFolder(tmp_path / "state")
    evidence = Evidence(state.evidence, reserve_bytes=0)
    with Journal.open(state.journal, table_id="7") as journal:
        for number in range(9):
            name = evidence.put(number.to_bytes(4) * 10)
            evidence.give_up(name)
            journal.append([fact(number, sides=[{"evidence": name}])], boot="b1", wall=WALL)
    result = run("verify", state.root)

    notes = [line for line in result.stdout.splitlines() if line.startswith("note: ")]
    assert (0, 6, "note: and 4 more: picture-given-up") == (result.exit_code, len(notes), notes[-1])
