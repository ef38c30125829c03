"""Which lamps burn in a state: what a table says without words."""

from __future__ import annotations

from collections.abc import Mapping

from companion.hw.clock import boot_ns
from companion.session.decide.mending import proposal_at
from companion.session.snapshot import TableState
from companion.session.transitions import PLAYED, Phase
from companion.table.panel import TablePanel
from companion.table.patterns import Lights


def burn(panel: TablePanel | None, state: TableState) -> None:
    """Burn the lamps as the state asks now; again every second, because a correction waits only for a while."""
    if panel is not None:
        panel.show(lights(state, boot_ns()))


def lights(state: TableState, now_ns: int | None = None) -> Lights:
    """Which lamps burn in a state.

    Args:
        state: The table.
        now_ns: Boot clock; without it a correction that waits to be agreed is passed over.
    """
    steady: set[str] = set()
    blinking: set[str] = set()
    buttons: Mapping[str, str] = {p.id: p.button for p in state.players if p.button}
    if state.phase in (Phase.SEATING, Phase.READY):
        steady |= set(buttons.values())
    lamp = buttons.get(state.turn_player or "")
    if state.phase in PLAYED and lamp is not None:
        is_called = state.throw is not None and state.throw.is_open and state.throw.called
        (blinking if is_called else steady).add(lamp)
    if now_ns is not None and proposal_at(state, now_ns) is not None:
        # Whoever presses now agrees: nobody must do so without knowing.
        asked = {p.button for p in state.players if p.button and not p.is_out and p.id not in state.agreed}
        steady, blinking = steady - set(buttons.values()), asked
    if state.referee_called_ns is not None:
        steady.add("beacon")
    return Lights(steady=frozenset(steady), blinking=frozenset(blinking))
