"""Names lie beside the chain, can be proven while they are there, and can be forgotten."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from companion.journal.errors import JournalError, JournalForeign, RecordRefused
from companion.journal.private import Person, PrivateNotes

ANNA = Person(name="Anna Šťastná", contact="anna@example.org")


def test_names_survive_a_restart(tmp_path: Path) -> None:
    """Who was noted is still known after the next start."""
    notes = PrivateNotes(tmp_path / "private.sqlite")
    notes.put({"p1": ANNA, "p2": Person(name="Bo")})
    notes.close()
    again = PrivateNotes(tmp_path / "private.sqlite")
    known = (again.person("p1"), again.names())
    again.close()

    assert (ANNA, {"p1": ANNA.name, "p2": "Bo"}) == known


def test_only_the_owner_can_read_names(tmp_path: Path) -> None:
    """The file has mode 0600, also when it was there before with another."""
    path = tmp_path / "private.sqlite"
    path.touch(mode=0o644)
    PrivateNotes(path).close()

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_an_erased_name_leaves_no_bytes(tmp_path: Path) -> None:
    """After erasing, neither the name nor its contact is anywhere in the folder."""
    notes = PrivateNotes(tmp_path / "private.sqlite")
    notes.put({"p1": ANNA, "p2": Person(name="Bo")})
    told = (notes.erase("p1"), notes.erase("p1"), notes.person("p1"), notes.fingerprint("p1"))
    notes.close()
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())

    assert ((True, False, None, None), [False, False, True]) == (
        told,
        [ANNA.name.encode() in content, ANNA.contact.encode() in content, b"Bo" in content],
    )


def test_a_fingerprint_proves_an_entry_and_differs_between_entries(tmp_path: Path) -> None:
    """The same entry has the same fingerprint; a changed or repeated one has another."""
    notes = PrivateNotes(tmp_path / "private.sqlite")
    notes.put({"p1": ANNA, "p2": ANNA})
    first, same, other = notes.fingerprint("p1"), notes.fingerprint("p1"), notes.fingerprint("p2")
    notes.put({"p1": ANNA})
    renewed = notes.fingerprint("p1")
    notes.close()

    assert (True, 3) == (first == same, len({first, other, renewed}))


@pytest.mark.parametrize("entry", [{"": ANNA}, {"p1": Person(name="  ")}, {"p1": Person(name="\ud800")}])
def test_empty_names_are_refused_whole(tmp_path: Path, entry: dict[str, Person]) -> None:
    """One bad entry keeps all of them out."""
    notes = PrivateNotes(tmp_path / "private.sqlite")
    with pytest.raises(RecordRefused) as caught:
        notes.put({"p9": ANNA} | entry)
    known = notes.names()
    notes.close()

    assert ("record-refused", {}) == (caught.value.code, known)


def test_another_file_is_told_apart(tmp_path: Path) -> None:
    """A text file in its place is refused, not written over."""
    path = tmp_path / "private.sqlite"
    path.write_text("these are notes, but not ours " * 100)
    with pytest.raises(JournalForeign) as caught:
        PrivateNotes(path)

    assert "journal-foreign" == caught.value.code


def test_a_place_that_cannot_be_is_told(tmp_path: Path) -> None:
    """A folder where the file should be gives one clear error."""
    with pytest.raises(JournalError) as caught:
        PrivateNotes(tmp_path)

    assert str(tmp_path) == caught.value.values["path"]
