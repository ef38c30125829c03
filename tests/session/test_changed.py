"""A record with some fields changed: as the usual way makes it, and as strict."""

from __future__ import annotations

import dataclasses

import pytest

from companion.session.changed import replace
from companion.session.events import ThrowCalled
from companion.session.snapshot import TableState


def test_a_record_of_the_state_is_replaced_as_usual() -> None:
    """The same fields, and the old record as it was."""
    old = TableState(turn=3)

    new = replace(old, turn=4, throws=7)

    assert dataclasses.replace(old, turn=4, throws=7) == new
    assert (3, 4) == (old.turn, new.turn)


def test_a_field_that_is_none_is_refused() -> None:
    """A slip of the pen must not become a fact."""
    with pytest.raises(TypeError, match="TableState has no field turm"):
        replace(TableState(), turm=4)


def test_a_record_with_slots_is_replaced_too() -> None:
    """An event keeps its own way."""
    old = ThrowCalled(at_ns=1, throw=1, player="anna", by="seat1")

    assert ThrowCalled(at_ns=1, throw=2, player="anna", by="seat1") == replace(old, throw=2)
