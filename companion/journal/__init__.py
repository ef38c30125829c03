"""The journal layer: facts that stay, pictures that prove them, names that can go.

What the table's programs need of it, in one place; the modules say how it works, and docs/journal.md why.
"""

from companion.journal.errors import (
    CommandKnown,
    EvidenceError,
    JournalBusy,
    JournalDamaged,
    JournalError,
    JournalForeign,
    JournalFull,
    JournalTooNew,
    JournalUnwritable,
    RecordRefused,
)
from companion.journal.evidence import Evidence
from companion.journal.opening import Opening
from companion.journal.places import StateFolder
from companion.journal.private import Person, PrivateNotes
from companion.journal.reading import JournalReader, Report, open_to_read
from companion.journal.records import Head, NewRecord, Record
from companion.journal.sqlite import Journal

__all__ = [
    "CommandKnown",
    "Evidence",
    "EvidenceError",
    "Head",
    "Journal",
    "JournalBusy",
    "JournalDamaged",
    "JournalError",
    "JournalForeign",
    "JournalFull",
    "JournalReader",
    "JournalTooNew",
    "JournalUnwritable",
    "NewRecord",
    "Opening",
    "Person",
    "PrivateNotes",
    "Record",
    "RecordRefused",
    "Report",
    "StateFolder",
    "open_to_read",
]
