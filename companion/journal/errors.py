"""What can go wrong with a journal, each with a stable code, the offenders and the way out."""

from __future__ import annotations

from typing import Any


class JournalError(Exception):
    """The journal cannot do what was asked; nothing of it was changed.

    Attributes:
        code: Stable word for docs and translations.
        values: Offenders by name.
    """

    code = "journal"

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message)
        self.values = values


class JournalBusy(JournalError, BlockingIOError):
    """Another process holds this journal."""

    code = "journal-busy"


class JournalTooNew(JournalError):
    """The journal was written by a newer version of the companion."""

    code = "journal-too-new"


class JournalForeign(JournalError, ValueError):
    """The file is no journal, or the journal of another table."""

    code = "journal-foreign"


class JournalDamaged(JournalError):
    """Facts in the middle of the journal are damaged: only people can say what counts."""

    code = "journal-damaged"


class JournalFull(JournalError, OSError):
    """There is no room for the facts; none of them was written."""

    code = "journal-full"


class JournalUnwritable(JournalError, OSError):
    """The disk cannot be read or written."""

    code = "journal-unwritable"


class RecordRefused(JournalError, ValueError):
    """What was handed in is not a record that can be kept for ever."""

    code = "record-refused"


class CommandKnown(JournalError, ValueError):
    """This command was carried out before; its records are already there."""

    code = "command-known"


class EvidenceError(JournalError, OSError):
    """A picture could not be kept or found, or is not what its name says."""

    code = "evidence"


class ExportRefused(JournalError, ValueError):
    """An export cannot be written there, or what lies there is not a whole export."""

    code = "export-refused"
