"""The root of all events and the two sides of a throw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Side = Literal["attack", "defence"]
SIDES: tuple[Side, Side] = ("attack", "defence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened at the table; `at_ns` says when."""

    wire: ClassVar[str]
    version: ClassVar[int] = 1

    at_ns: int
