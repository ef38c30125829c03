"""Which lamps burn in a state: what a table says without words."""

from __future__ import annotations

from collections.abc import Mapping

from companion.session.snapshot import TableState
from companion.session.transitions import PLAYED, Phase
from companion.table.patterns import Lights


def lights(state: TableState) -> Lights:
    """Which lamps burn in a state."""
    steady: set[str] = set()
    blinking: set[str] = set()
    buttons: Mapping[str, str] = {p.id: p.button for p in state.players if p.button}
    if state.phase in (Phase.SEATING, Phase.READY):
        steady |= set(buttons.values())
    lamp = buttons.get(state.turn_player or "")
    if state.phase in PLAYED and lamp is not None:
        is_called = state.throw is not None and state.throw.is_open and state.throw.called
        (blinking if is_called else steady).add(lamp)
    if state.referee_called_ns is not None:
        steady.add("beacon")
    return Lights(steady=frozenset(steady), blinking=frozenset(blinking))
