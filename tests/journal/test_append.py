"""Facts go in whole, come out as they were, and never change."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.journal.errors import CommandKnown, JournalFull, RecordRefused
from companion.journal.reading import open_to_read
from companion.journal.records import GENESIS, START, Head, NewRecord, canonical, canonical_data
from companion.journal.sqlite import MAX_DRAFT_BYTES, Journal

from .facts import WALL, fact, write

Opened = Callable[[], Journal]


def test_records_come_back_as_they_were_written(opened: Opened) -> None:
    """What append returned is what a later start reads."""
    journal = opened()
    written = write(journal, 1, 2) + write(journal, 3)
    journal.close()

    assert written == opened().after(0)


def test_after_hands_out_the_rest_in_pages(opened: Opened) -> None:
    """A client that has seq 2 gets 3 and 4 when it asks for two."""
    journal = opened()
    write(journal, 1, 2, 3, 4, 5)

    assert [3, 4] == [record.seq for record in journal.after(2, limit=2)]


def test_hash_is_the_documented_one(opened: Opened) -> None:
    """Anyone can recompute a hash with sha256 over the sorted JSON of the other fields."""
    first, second = opened().append([fact(1, wo="Zoë"), fact(2)], boot="b1", wall=WALL)
    rest = {name: value for name, value in second.as_json().items() if name != "hash"}
    spelt = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert [GENESIS, first.hash, hashlib.sha256(spelt.encode()).hexdigest()] == [first.prev, second.prev, second.hash]


def test_a_batch_is_all_or_nothing(opened: Opened) -> None:
    """One bad fact keeps its whole batch out, and the journal goes on from the same head."""
    journal = opened()
    write(journal, 1)
    with pytest.raises(RecordRefused):
        journal.append([fact(2), fact(3, bad=float("nan"))], boot="b1", wall=WALL)
    write(journal, 4)

    assert [1, 4] == [record.data["throw"] for record in journal.after(0)]


@pytest.mark.parametrize(
    "bad",
    [{1: "key"}, {"x": {1, 2}}, {"x": float("inf")}, {"x": b"bytes"}, {"x": "\ud800"}, {"x": [{"y": object()}]}],
    ids=["key", "set", "infinite", "bytes", "surrogate", "object"],
)
def test_what_json_cannot_keep_is_refused(opened: Opened, bad: dict[str, object]) -> None:
    """Nothing is stored that would come back as something else."""
    with pytest.raises(RecordRefused) as caught:
        opened().append([NewRecord(type="a.b", v=1, by="x", at_ns=1, data=bad)], boot="b", wall=WALL)

    assert "record-refused" == caught.value.code


def test_endless_nesting_is_refused() -> None:
    """A list within a list within a list ends in a refusal, not in a crash."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecordRefused) as caught:
        canonical_data({"deep": deep})

    assert {"where": "data"} == caught.value.values


@pytest.mark.parametrize("field", [{"type": ""}, {"by": ""}, {"v": 0}, {"at_ns": -1}, {"at_ns": 2**63}])
def test_a_record_without_its_parts_is_refused(opened: Opened, field: dict[str, object]) -> None:
    """Type, causer, version and stamp are never left out."""
    parts: dict[str, object] = {"type": "a.b", "v": 1, "by": "x", "at_ns": 1, "data": {}} | field
    with pytest.raises(RecordRefused) as caught:
        opened().append([NewRecord(**parts)], boot="b", wall=WALL)  # type: ignore[arg-type]

    assert "record-refused" == caught.value.code


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(), plain, max_size=4))
def test_every_json_value_survives_its_spelling(data: dict[str, object]) -> None:
    """Reading the canonical text back gives the same value and the same text."""
    try:
        text = canonical_data(data)
    except RecordRefused:
        assert any("\ud800" <= letter <= "\udfff" for letter in json.dumps(data, ensure_ascii=False))
        return

    assert (data, text) == (json.loads(text), canonical(json.loads(text)))


@pytest.mark.parametrize("statement", ["UPDATE records SET wall = 'x'", "DELETE FROM records WHERE seq = 1"])
def test_nothing_is_edited(opened: Opened, place: Path, statement: str) -> None:
    """Even a program that opens the file by itself cannot change or drop a fact by plain SQL."""
    write(opened(), 1, 2)
    with closing(sqlite3.connect(place)) as other, pytest.raises(sqlite3.IntegrityError) as caught:
        other.execute(statement)

    assert "append-only" in str(caught.value)


def test_a_command_is_carried_out_once(opened: Opened) -> None:
    """A command's records are found by its id after a restart, and the id is not taken twice."""
    journal = opened()
    write(journal, 1, command_id="c0")
    write(journal, 2, 3, command_id="c1")
    journal.append([], boot="b1", wall=WALL, command_id="c2")
    journal.close()
    again = opened()
    with pytest.raises(CommandKnown):
        write(again, 9, command_id="c1")

    assert ((2, 3), (), None, 3) == (again.seqs_of("c1"), again.seqs_of("c2"), again.seqs_of("c9"), again.head().seq)


def test_draft_is_kept_and_cleared_with_its_facts(opened: Opened) -> None:
    """A half-typed board survives a restart and goes in the transaction that makes it facts."""
    journal = opened()
    journal.put_draft({"page": "asia", "players": {"p1": [1, 2]}})
    journal.close()
    again = opened()
    before = again.draft()
    again.append([fact(1)], boot="b1", wall=WALL, clears_draft=True)

    assert ({"page": "asia", "players": {"p1": [1, 2]}}, None) == (before, again.draft())


def test_a_draft_can_be_thrown_away(opened: Opened) -> None:
    """None empties the draft."""
    journal = opened()
    journal.put_draft({"page": "asia"})
    journal.put_draft(None)

    assert journal.draft() is None


def test_a_draft_has_a_limit(opened: Opened) -> None:
    """Too large a draft is refused by size and the one before stays."""
    journal = opened()
    journal.put_draft({"page": "asia"})
    with pytest.raises(RecordRefused) as caught:
        journal.put_draft({"x": "y" * MAX_DRAFT_BYTES})

    assert (MAX_DRAFT_BYTES, {"page": "asia"}) == (caught.value.values["limit"], journal.draft())


def test_a_full_disk_loses_nothing(opened: Opened) -> None:
    """When there is no room, the facts are refused whole; with room again the chain goes on."""
    journal = opened()
    write(journal, 1)
    pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
    journal._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalFull) as caught:
        for number in range(2, 100):
            journal.append([fact(number, text="x" * 4000)], boot="b1", wall=WALL)
    reached = journal.head()
    journal._db.execute("PRAGMA max_page_count = 1000000")
    write(journal, 500)
    report = journal.verify()

    assert ("journal-full", reached.seq + 1, None) == (caught.value.code, report.records, report.fault)


def test_reader_sees_a_running_table(opened: Opened, place: Path) -> None:
    """A verifier beside the table reads what was committed and locks nobody out."""
    journal = opened()
    write(journal, 1)
    with open_to_read(place) as reader:
        write(journal, 2)
        seen = reader.head()

    assert ("7", journal.head()) == (reader.table_id, seen)


def test_an_empty_journal_has_a_head(opened: Opened) -> None:
    """Before the first fact the head is nothing, by number and by hash."""
    assert Head(seq=0, hash=GENESIS) == START == opened().head()
