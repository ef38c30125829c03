"""What every command is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something wanted; `name` is its word in the API and in the table of permissions."""

    name: ClassVar[str]
