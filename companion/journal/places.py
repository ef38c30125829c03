"""Where the parts of a table's state lie in its folder, and in an export of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StateFolder:
    """The state folder of one table, such as `/var/lib/companion/table`.

    Attributes:
        root: The folder itself.
    """

    root: Path

    @property
    def journal(self) -> Path:
        """The journal's SQLite file."""
        return self.root / "journal.sqlite"

    @property
    def evidence(self) -> Path:
        """The folder of pictures."""
        return self.root / "evidence"

    @property
    def private(self) -> Path:
        """Names and contacts."""
        return self.root / "private.sqlite"


@dataclass(frozen=True, slots=True)
class ExportFolder:
    """A folder that `companion journal export` made.

    Attributes:
        root: The folder itself.
    """

    root: Path

    @property
    def lines(self) -> Path:
        """The records, one JSON line each, as `GET /v1/journal` gives them."""
        return self.root / "journal.jsonl"

    @property
    def manifest(self) -> Path:
        """What belongs to the export: table, head, pictures."""
        return self.root / "manifest.json"

    @property
    def evidence(self) -> Path:
        """The folder of pictures."""
        return self.root / "evidence"

    @property
    def names(self) -> Path:
        """Names by player id; there only when they were asked for."""
        return self.root / "names.json"
