"""What a check found, as data; the doctor's catalog makes the sentence of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the doctor's report.

    Attributes:
        part: What was looked at, such as 'camera'.
        state: `ok`; `warn` when a table can be played all the same; `fail` when it cannot as configured.
        code: Stable word: the key of the sentence is `PART.CODE`.
        values: Offenders by name, for the sentence.
        said: The sentence, where whoever found it has said it already; otherwise the doctor's catalog has it.
    """

    part: str
    state: State
    code: str
    values: Mapping[str, Any]
    said: str | None = None


def found(part: str, state: State, code: str, **values: Any) -> Finding:
    """A finding, written short."""
    return Finding(part=part, state=state, code=code, values=values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where the checks look; tests point it at folders of their own.

    Attributes:
        root: The root of the file system.
    """

    root: Path = Path("/")

    def at(self, path: str) -> Path:
        """A path of the machine, such as '/dev/video0', under the root."""
        return self.root / path.lstrip("/")

    def read(self, path: str) -> str | None:
        """The text of a small file of the kernel's, stripped; None when it is not there or not readable."""
        try:
            return self.at(path).read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            return None
