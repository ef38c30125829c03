"""What must still be recorded before a table can be scored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.rules.reason import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What is not yet enough.

    Attributes:
        board: Owners of the territories are needed, or may be.
        armies: Armies are needed, or may be once the board is known.
        hands: Cards are needed, or may be once the armies are known.
        next: What to ask for now; None when the table can be scored.
        players: Of whom.
        reason: Why.
    """

    board: bool = False
    armies: bool = False
    hands: bool = False
    next: Literal["board", "armies", "hands"] | None = None
    players: tuple[str, ...] = ()
    reason: Reason
