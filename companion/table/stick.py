"""The stick with the second copy, as a line of the health page."""

from __future__ import annotations

from companion.journal.second import SecondCopy
from companion.table.health import Item, item

BEHIND = 20
"""Records that the copy may lag before it is worth a word: it is written behind the facts."""


def stick(copy: SecondCopy, newest: int) -> tuple[Item, ...]:
    """How the copy stands against the journal.

    Args:
        copy: The second copy.
        newest: Newest record of the journal.
    """
    state = copy.state
    if state.why is not None:
        return (item("stick", "warn", "failed", why=state.why),)
    if not state.is_there:
        return (item("stick", "warn", "none"),)
    behind = newest - state.copied
    if behind > BEHIND:
        return (item("stick", "warn", "behind", count=behind),)
    return (item("stick", "ok", "copied", count=state.copied),)
