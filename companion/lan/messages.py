"""The bodies of the table's API that more than one side builds or reads: docs/api.md."""

from __future__ import annotations

from typing import Any

import msgspec


class CommandRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a client asks of a table.

    Attributes:
        id: Any string that no other command has; the same one again does nothing and answers the same.
        command: Its name, such as `sign_result`.
        args: Its arguments by name.
        expected_seq: The newest record that the asker had seen.
        pin: Raises the screen to referee for this command.
    """

    id: str
    command: str
    args: dict[str, Any] = {}
    expected_seq: int | None = None
    pin: str | None = None


class CommandAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a command.

    Attributes:
        seq: Newest record of the journal now.
        events: The records that the command caused, perhaps none.
    """

    seq: int
    events: tuple[int, ...]


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """How far a table's journal is, said by the owner of its key.

    Attributes:
        table: Whose journal it is.
        seq: Newest record.
        hash: Its hash, in which all records before it are.
        proof: What only the owner of the table's key can make of these and of the question.
    """

    table: str
    seq: int
    hash: str
    proof: str

    def said(self) -> bytes:
        """What is proved."""
        return f"{self.table}\n{self.seq}\n{self.hash}".encode()


class JournalPage(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a table's journal, as it came over the wire: fields and chain not yet checked.

    Attributes:
        table: Whose journal it is.
        head: Newest record of that journal.
        records: The records, oldest first, as plain JSON objects.
    """

    table: str
    head: int
    records: tuple[dict[str, Any], ...]
