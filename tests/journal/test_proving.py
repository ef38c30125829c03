"""What `companion journal verify` says of a secret length: proved, open, lost, or broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.journal import Head, NewRecord
from companion.journal.checking import check
from companion.journal.lines import line_of
from companion.journal.records import START, chained
from companion.session.seal import Secret

SECRET = Secret(113, "0123456789abcdef" * 2)
MIN_MS = 60_000

OPENED = ("table.opened", {"game": "r1-t7", "scale": 1.0})
SEALED = ("tijd.sealed", {"seal": SECRET.seal, "least_min": 90, "most_min": 120, "source": "table"})
ARMED = ("tijd.armed", {"seal": SECRET.seal, "by": "clock"})
SOUNDED = ("tijd.sounded", {"source": "clock", "elapsed_ms": 113 * MIN_MS})
REVEALED = ("tijd.revealed", {"seal": SECRET.seal, "minutes": 113, "salt": SECRET.salt})
ADDED = ("time.added", {"ms": 5 * MIN_MS})


def lines(folder: Path, *facts: tuple[str, dict[str, Any]]) -> Path:
    """A file of lines, properly chained, with these facts."""
    head, text = START, ""
    for at, (kind, data) in enumerate(facts):
        new = NewRecord(type=kind, v=1, by="clock", at_ns=at, data=data)
        record, _ = chained(new, head, boot="b", wall="2026-11-30T20:00:00.000Z")
        head = Head(seq=record.seq, hash=record.hash)
        text += line_of(record) + "\n"
    path = folder / "journal.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def changed(fact: tuple[str, dict[str, Any]], **other: Any) -> tuple[str, dict[str, Any]]:
    """The same fact with something different."""
    return fact[0], {**fact[1], **other}


@pytest.mark.parametrize(
    ("facts", "codes", "holds"),
    [
        ([OPENED, SEALED, ARMED], ["seal-open"], True),
        ([OPENED, SEALED, ARMED, SOUNDED, REVEALED], ["seal-proved"], True),
        ([OPENED, SEALED, changed(ARMED, by="organiser"), SOUNDED, REVEALED], ["seal-proved"], True),
        ([OPENED, SEALED, ARMED, changed(SOUNDED, source="referee", elapsed_ms=9), REVEALED], ["seal-proved"], True),
        ([OPENED, SEALED, ARMED, changed(SOUNDED, elapsed_ms=9), REVEALED], ["seal-proved", "seal-not-kept"], False),
        ([OPENED, ADDED, SEALED, ARMED, changed(SOUNDED, elapsed_ms=118 * MIN_MS), REVEALED], ["seal-proved"], True),
        ([OPENED, SEALED, ARMED, ADDED, SOUNDED, REVEALED], ["seal-proved", "seal-not-kept"], False),
        ([OPENED, changed(SEALED, most_min=110), ARMED, REVEALED], ["seal-proved", "seal-out-of-range"], False),
        ([OPENED, SEALED, ARMED, SOUNDED, changed(REVEALED, minutes=114)], ["seal-broken"], False),
        ([OPENED, SEALED, ARMED, SOUNDED, changed(REVEALED, salt="0" * 32)], ["seal-broken"], False),
        ([OPENED, SEALED, ("tijd.lost", {"seal": SECRET.seal, "why": "altered"})], ["seal-lost", "seal-open"], True),
        ([OPENED, SEALED, changed(REVEALED, minutes=None)], ["seal-open", "seal-strange"], False),
        ([OPENED, SOUNDED, REVEALED, ARMED], [], True),
        ([OPENED, SEALED, OPENED, SOUNDED, REVEALED], ["seal-proved"], True),
    ],
)
def test_seals_are_judged(tmp_path: Path, facts: Any, codes: list[str], holds: bool) -> None:
    """Each way in which a seal and what came of it can agree or not."""
    verdict = check(lines(tmp_path, *facts))

    assert (codes, holds) == ([finding.code for finding in verdict.findings], verdict.holds)


def test_proof_is_told_in_words(tmp_path: Path) -> None:
    """With the line that anybody can hash."""
    place = lines(tmp_path, OPENED, SEALED, ARMED, SOUNDED, REVEALED)
    told = CliRunner().invoke(main, ["journal", "verify", str(place)])

    assert 0 == told.exit_code
    assert f"113 minutes, the SHA-256 of 'tijd 113 minutes {SECRET.salt}' is the seal" in told.output
